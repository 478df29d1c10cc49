"""Operators on events, on results that are no cards, and on the selections of stakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fairdeal.validator.arrays import Bounds, Ints, Truths, np
from fairdeal.validator.cards.ranking_models import PointsRanking, is_by_ranks
from fairdeal.validator.engine.core.kleene import bounds_where_known, exact_bounds, keep_where_known, recorded_bounds
from fairdeal.validator.engine.core.propositions import conjoin
from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import fill_templates, format_means, join_names, replace_hyphens
from fairdeal.validator.operators.operator_interface import ConditionOperator, Problem, QuantityOperator
from fairdeal.validator.text.closed_model import iterate_set_keys
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.propositions import Formula, FormulaBuilder
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


class EventShows(ConditionOperator[grammar.EventHas]):
    """The condition `event`."""

    key = "event"
    sample = "{event: {face: down, by: dealer}}"
    native_grain = "event"
    evidence_needed = "events"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.EventHas, here: DataPath
    ) -> Iterator[Problem]:
        if operand.arranged_as is not None:
            for name in game.hands[operand.arranged_as].list_rankings():
                if not is_by_ranks(regulation.vocabulary.rankings[name]):
                    yield (
                        (*here, "arranged-as"),
                        f"{name}, which ranks {operand.arranged_as}, defines no arrangement of cards",
                    )
        if game.betting is None and grammar.DECLARED in (operand.decision or ()):
            yield (*here, "decision"), "`declared` needs a turn of betting, but the game has no `betting`"

    def evaluate(self, scope: EvaluationContext, operand: grammar.EventHas, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.deal_checks.event_conditions import does_event_show

        return does_event_show(scope, operand)

    def evaluate_items(
        self, scope: EvaluationContext, condition: Condition, grain: grammar.Grain, items: Ints
    ) -> Truths:
        from fairdeal.validator.engine.deal_checks.event_conditions import does_event_show

        return does_event_show(scope, condition.operand, items)

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        parts = []
        for key, required in iterate_set_keys(condition.operand):
            values = required if isinstance(required, list) and key != "positions" else [required]
            parts.append(terms.build_one_of(f"the event's {key}", values, f"an event with {key} {{}}"))
        return conjoin(parts)

    def describe(self, prepared: CompiledGame, operand: grammar.EventHas) -> str:
        return " ".join(_describe_features(prepared.game, operand))

    def describe_required(self, item: ItemEvidence, condition: Condition, *, negated: bool = False) -> str:
        description, operand = super().describe_required(item, condition, negated=negated), condition.operand
        if negated:
            return description
        if operand.arranged_as is not None:
            cards = item.describe_arranged_cards(operand.arranged_as)
            return f"{description}: {cards}" if cards else description
        is_declared = grammar.DECLARED in (operand.decision or ())
        return f"{description}: {item.describe_declaration()}" if is_declared else description

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_event(condition.operand)


def _describe_features(game: Game, required: grammar.EventHas) -> list[str]:
    """Return a description of each feature that an event must have."""
    decisions, declared = required.decision or (), "as declared"
    titles = " or ".join(game.decisions[name].title for name in decisions if name != grammar.DECLARED)
    arranged = required.arranged_as and game.hands[required.arranged_as].title
    return fill_templates(
        ("{} card" if required.cards == 1 else "{} cards", required.cards),
        ("face {}", required.face),
        ("by the {}", required.by),
        ("{} from left to right by rank, highest group on the left", arranged),
        ("only cards {} from the dealer's left", required.positions and _join_numbers(required.positions)),
        ("in {}", [*map(format_means, required.in_ or ())]),
        ("with {} on the same wager", [*map(format_means, required.also_in or ())]),
        ("the cards that are dealt next", required.dealt_next),
        ("at the {}", required.place),
        ("of {}", [f"the {replace_hyphens(stage)}" for stage in required.stage or ()]),
        ("the number {}", None if required.number is None else str(required.number)),
        ("{}", [declared] * (grammar.DECLARED in decisions) + [f"to {titles}"] * bool(titles)),
        ("{}", required.wager and _WAGER_WORDS[required.wager]),
    )


def _join_numbers(numbers: Sequence[int]) -> str:
    return join_names([str(number) for number in sorted(set(numbers))])


_WAGER_WORDS = {
    "placed": "about a wager that the seat has placed",
    "not-of-the-game": "about a wager that the seat has placed and the game does not have",
    "not-placed": "about a wager that the seat has not placed",
}
"""Requirements on the wager that an event names, in words."""


class _StepQuantity(QuantityOperator[str]):
    """A number of the events of a step."""

    evidence_needed = "events"
    operand_names = "step"

    def list_steps(self, operand: str) -> Sequence[str]:
        return (operand,)

    def find_grain(self, operand: str, game: Game) -> grammar.Grain:
        return game.all_acts[operand].grain


class EventCount(_StepQuantity):
    """The quantity `events`."""

    key = "events"
    sample = "{events: reveal}"
    words = "how often {}"
    counts_occurrences = True

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.timeline.excused_acts import extend_if_truncated
        from fairdeal.validator.engine.timeline.step_events import count_step_events

        return extend_if_truncated(scope, grain, count_step_events(scope, operand, grain))


class CardsInStep(_StepQuantity):
    """The quantity `cards-in`."""

    key = "cards-in"
    sample = "{cards-in: first-discards}"
    words = "the number of cards when {}"
    counts_kept_only = False

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.step_cards import count_cards_of_step
        from fairdeal.validator.engine.timeline.excused_acts import extend_if_truncated

        return extend_if_truncated(
            scope, grain, keep_where_known(*count_cards_of_step(scope, operand, grain, kept=self.counts_kept_only))
        )


class PointsInStep(QuantityOperator[grammar.PointsOfStep]):
    """The quantity `points-in`."""

    key = "points-in"
    sample = "{points-in: {step: turned-up, rank-by: points}}"
    evidence_needed = "events"

    def list_steps(self, operand: grammar.PointsOfStep) -> Sequence[str]:
        return (operand.step,)

    def find_grain(self, operand: grammar.PointsOfStep, game: Game) -> grammar.Grain:
        return game.all_acts[operand.step].grain

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.PointsOfStep, here: DataPath
    ) -> Iterator[Problem]:
        if not isinstance(regulation.vocabulary.rankings[operand.rank_by], PointsRanking):
            yield (*here, "rank-by"), f"{operand.rank_by} does not count points"

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.PointsOfStep, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.step_cards import count_points_of_step

        points, known = count_points_of_step(scope, operand.step, operand.rank_by, grain)
        return bounds_where_known(known, points)

    def describe(self, prepared: CompiledGame, operand: grammar.PointsOfStep, *, money: bool) -> str:
        return f"the points of the cards when {prepared.steps[operand.step].title}"


class KeptCardsInStep(CardsInStep):
    """The quantity `kept-cards-in`."""

    key = "kept-cards-in"
    sample = "{kept-cards-in: reveal}"
    words = "the number of cards kept when {}"
    counts_kept_only = True

    def find_problems(self, regulation: Regulation, game: Game, operand: str, here: DataPath) -> Iterator[Problem]:
        step = game.all_acts.get(operand)
        if step is not None and step.place not in ("player", "dealer", "community"):
            yield here, f"{operand} names no place whose cards can be discarded"


class NumberStatedInStep(_StepQuantity):
    """The quantity `counted`."""

    key = "counted"
    sample = "{counted: count-of-the-stub}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.timeline.step_events import stated_numbers

        return recorded_bounds(stated_numbers(scope, operand, grain))

    def measures_money(self, prepared: CompiledGame, operand: str) -> bool:
        from fairdeal.validator.evidence.log_events import MONEY_KINDS

        return MONEY_KINDS.issuperset(prepared.steps[operand].events)

    def describe(self, prepared: CompiledGame, operand: str, *, money: bool) -> str:
        kind = "amount" if self.measures_money(prepared, operand) else "number"
        return f"the {kind} stated when {prepared.steps[operand].title}"


class NumberOfEvent(QuantityOperator[str]):
    """The quantity `stated`."""

    key = "stated"
    sample = "{stated: this}"
    native_grain = "event"
    evidence_needed = "events"
    words = {"this": "the number stated", "pot": "the number of the pot"}

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        if operand == "pot":
            return exact_bounds(np.maximum(scope.batch.events.pot, 0).astype(np.int64))
        return recorded_bounds(scope.batch.events.amount)

    def compute_bounds_of_items(
        self, scope: EvaluationContext, operand: str, grain: grammar.Grain, items: Ints
    ) -> Bounds:
        if operand == "pot":
            return exact_bounds(np.maximum(scope.batch.events.pot.take(items), 0).astype(np.int64))
        return recorded_bounds(scope.batch.events.amount.take(items))


class OutcomeIsAmong(ConditionOperator[grammar.OutcomeIs]):
    """The condition `outcome`."""

    key = "outcome"
    sample = "{outcome: {of: spin, one-of: [1-12]}}"

    def find_grain(self, operand: grammar.OutcomeIs, game: Game) -> grammar.Grain:
        if operand.operator == "one-of":
            return "round"
        return "stake" if operand.operand == "selected" else "seat"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.OutcomeIs, here: DataPath
    ) -> Iterator[Problem]:
        outcome = game.outcomes[operand.of]
        if operand.operator == "is":
            selections = (wager.selects for wager in game.wagers.values() if wager.selects is not None)
            if operand.operand == "selected" and all(selection.outcome != operand.of for selection in selections):
                yield (*here, "is"), f"no wager has a selection of {operand.of}"
            return
        for index, text in enumerate(operand.operand):
            unknown = [value for value in grammar.expand_results([text]) if outcome.find_value(value) is None]
            if unknown:
                yield (*here, "one-of", index), f"{operand.of} has no value `{unknown[0]}`"

    def evaluate(self, scope: EvaluationContext, operand: grammar.OutcomeIs, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.outcome_values import is_outcome_among, is_outcome_selected
        from fairdeal.validator.engine.facts.seat_layout import is_banking_seat

        if operand.operator == "is":
            return (is_outcome_selected if operand.operand == "selected" else is_banking_seat)(scope, operand.of)
        return is_outcome_among(scope, operand.of, tuple(operand.operand))

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        operand: grammar.OutcomeIs = condition.operand
        if operand.operator == "is":
            return terms.build_opaque(condition)
        outcome = terms.game.outcomes[operand.of]
        values = [
            value for text in grammar.expand_results(operand.operand) if (value := outcome.find_value(text)) is not None
        ]
        return terms.build_one_of(operand.of, values, f"{outcome.title} is {{}}")

    def describe(self, prepared: CompiledGame, operand: grammar.OutcomeIs) -> str:
        outcome = prepared.outcomes[operand.of]
        if operand.operator == "is":
            return f"{outcome.title} is {'among those selected' if operand.operand == 'selected' else 'this seat'}"
        values = [str(text) for text in operand.operand]
        numbers = outcome.number_of_text
        titles = [outcome.values[numbers[text]] if text in numbers else text for text in values]
        return f"{outcome.title} is {join_names(titles, 'or')}"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_outcome(condition.operand.of)
        if condition.operand.operand == "selected" and item.grain == "stake":
            yield item.describe_selection()


class SelectionIs(ConditionOperator[Any]):
    """The condition `selection`."""

    key = "selection"
    sample = "{selection: [1-12]}"
    native_grain = "stake"

    def find_problems(self, regulation: Regulation, game: Game, operand: Any, here: DataPath) -> Iterator[Problem]:
        if operand == "permitted":
            return
        parts = {
            part
            for wager in game.wagers.values()
            if wager.selects is not None
            for part in wager.selects.list_parts(game.outcomes[wager.selects.outcome])
        }
        for index, text in enumerate(operand):
            unknown = [
                part for texts in grammar.expand_results([text]) for part in texts.split(" ") if part not in parts
            ]
            if unknown:
                yield (*here, index), f"no wager may be placed on `{unknown[0]}`"

    def evaluate(self, scope: EvaluationContext, operand: Any, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.outcome_values import is_selection_among, is_selection_permitted

        return is_selection_permitted(scope) if operand == "permitted" else is_selection_among(scope, operand)

    def describe(self, prepared: CompiledGame, operand: Any) -> str:
        if operand == "permitted":
            return "a selection that the wager permits"
        return f"a wager on {join_names([str(text) for text in operand], 'or')}"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_selection()


class StakeNamedByStep(ConditionOperator[str]):
    """The condition `named-by`."""

    key = "named-by"
    sample = "{named-by: opening-wagers}"
    native_grain = "stake"
    evidence_needed = "events"
    words = "an event of this step names the wager: {}"
    operand_names = "step"

    def list_steps(self, operand: str) -> Sequence[str]:
        return (operand,)

    def evaluate(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.outcome_values import is_named_by_step

        return is_named_by_step(scope, operand)


class NumberOfOutcome(QuantityOperator[grammar.OutcomeNumber]):
    """The quantity `outcome`."""

    key = "outcome"
    sample = "{outcome: {of: dice}}"

    def find_grain(self, operand: grammar.OutcomeNumber, game: Game) -> grammar.Grain:
        return "stake" if operand.showing == "selected" else "round"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.OutcomeNumber, here: DataPath
    ) -> Iterator[Problem]:
        faces = len(game.outcomes[operand.of].faces)
        if operand.showing is not None and not faces:
            yield (*here, "showing"), f"{operand.of} is no dice"
        elif isinstance(operand.showing, int) and operand.showing > faces:
            yield (*here, "showing"), f"a die of {operand.of} has only {faces} sides"
        elif operand.showing == "selected" and all(
            wager.selects is None or wager.selects.outcome != operand.of or wager.selects.by != "face"
            for wager in game.wagers.values()
        ):
            yield (*here, "showing"), f"no wager has a selection of faces of {operand.of}"

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.OutcomeNumber, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.outcome_values import bound_outcome_number

        return bound_outcome_number(scope, operand)

    def describe(self, prepared: CompiledGame, operand: grammar.OutcomeNumber, *, money: bool) -> str:
        title = prepared.outcomes[operand.of].title
        if operand.showing is None:
            return f"the total of {title}" if prepared.outcomes[operand.of].shown[0] else f"{title} as a number"
        face = "the selected face" if operand.showing == "selected" else f"a {operand.showing}"
        return f"the number of {title} that show {face}"
