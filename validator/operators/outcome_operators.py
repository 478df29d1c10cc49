"""Operators about results that are no cards, and about the selections of stakes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fairdeal.validator.arrays import Bounds, Truths
from fairdeal.validator.language.grammar import Grain, OutcomeIs, OutcomeNumber, expand_results
from fairdeal.validator.language.phrases import join_names
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.operators.operator_interface import ConditionOperator, Problem, QuantityOperator
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.formula_builder import FormulaBuilder
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.propositions import Formula
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


class OutcomeIsAmong(ConditionOperator[OutcomeIs]):
    """The condition `outcome`."""

    key = "outcome"
    sample = "{outcome: {of: spin, one-of: [1-12]}}"

    def find_grain(self, operand: OutcomeIs, game: Game) -> Grain:
        if operand.operator == "one-of":
            return "round"
        return "stake" if operand.operand == "selected" else "seat"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: OutcomeIs, here: DataPath
    ) -> Iterator[Problem]:
        outcome = game.outcomes[operand.of]
        if operand.operator == "is":
            selections = (wager.selects for wager in game.wagers.values() if wager.selects is not None)
            if operand.operand == "selected" and all(selection.outcome != operand.of for selection in selections):
                yield (*here, "is"), f"no wager has a selection of {operand.of}"
            return
        for index, text in enumerate(operand.operand):
            unknown = [value for value in expand_results([text]) if outcome.find_value(value) is None]
            if unknown:
                yield (*here, "one-of", index), f"{operand.of} has no value `{unknown[0]}`"

    def evaluate(self, scope: EvaluationContext, operand: OutcomeIs, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.banking_seats import is_banking_seat
        from fairdeal.validator.engine.facts.outcome_values import is_outcome_among, is_outcome_selected

        if operand.operator == "is":
            return (is_outcome_selected if operand.operand == "selected" else is_banking_seat)(scope, operand.of)
        return is_outcome_among(scope, operand.of, tuple(operand.operand))

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        operand: OutcomeIs = condition.operand
        if operand.operator == "is":
            return terms.build_opaque(condition)
        outcome = terms.game.outcomes[operand.of]
        values = [value for text in expand_results(operand.operand) if (value := outcome.find_value(text)) is not None]
        return terms.build_one_of(operand.of, values, f"{outcome.title} is {{}}")

    def describe(self, prepared: CompiledGame, operand: OutcomeIs) -> str:
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
            unknown = [part for texts in expand_results([text]) for part in texts.split(" ") if part not in parts]
            if unknown:
                yield (*here, index), f"no wager may be placed on `{unknown[0]}`"

    def evaluate(self, scope: EvaluationContext, operand: Any, grain: Grain) -> Truths:
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

    def evaluate(self, scope: EvaluationContext, operand: str, grain: Grain) -> Truths:
        from fairdeal.validator.engine.facts.outcome_values import is_named_by_step

        return is_named_by_step(scope, operand)


class NumberOfOutcome(QuantityOperator[OutcomeNumber]):
    """The quantity `outcome`."""

    key = "outcome"
    sample = "{outcome: {of: dice}}"

    def find_grain(self, operand: OutcomeNumber, game: Game) -> Grain:
        return "stake" if operand.showing == "selected" else "round"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: OutcomeNumber, here: DataPath
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

    def compute_bounds(self, scope: EvaluationContext, operand: OutcomeNumber, grain: Grain) -> Bounds:
        from fairdeal.validator.engine.facts.outcome_values import bound_outcome_number

        return bound_outcome_number(scope, operand)

    def describe(self, prepared: CompiledGame, operand: OutcomeNumber, *, money: bool) -> str:
        title = prepared.outcomes[operand.of].title
        if operand.showing is None:
            return f"the total of {title}" if prepared.outcomes[operand.of].shown[0] else f"{title} as a number"
        face = "the selected face" if operand.showing == "selected" else f"a {operand.showing}"
        return f"the number of {title} that show {face}"
