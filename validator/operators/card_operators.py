"""Operators on hands and cards: categories, comparisons of hands, numbers of cards and the way of dealing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bounds, Flags, Ints16, Truths, has_any, np
from fairdeal.validator.cards.ranking_models import FEATURE_NAMES, PointsRanking
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.kleene import UNBOUNDED, bounds_where_known
from fairdeal.validator.language import grammar
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import replace_hyphens
from fairdeal.validator.operators.operator_interface import (
    OTHER_OPERANDS,
    ConditionOperator,
    Problem,
    QuantityOperator,
)
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.engine.core.compiled_game import CompiledGame
    from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
    from fairdeal.validator.engine.core.propositions import Formula, FormulaBuilder
    from fairdeal.validator.engine.item_evidence import ItemEvidence
    from fairdeal.validator.rules.game_model import Game
    from fairdeal.validator.rules.regulation import Regulation


def grain_of_hands(game: Game, *hands: str) -> grammar.Grain:
    """Return the grain of hands: `seat` if one of them contains cards of players, else `round`."""
    return "seat" if any("player" in game.hands[hand].from_ for hand in hands) else "round"


HandOperand = TypeVar("HandOperand", grammar.Holds, grammar.AlikeCards, grammar.ListedHand)


class _HandCondition(ConditionOperator[HandOperand]):
    """A condition on one hand."""

    def find_grain(self, operand: HandOperand, game: Game) -> grammar.Grain:
        return grain_of_hands(game, operand.hand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_hand(condition.operand.hand)


class HandHolds(_HandCondition[grammar.Holds]):
    """The condition `holds`."""

    key = "holds"
    sample = "{holds: {hand: player, at-least: pair}}"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.Holds, here: DataPath
    ) -> Iterator[Problem]:
        for name in game.hands[operand.hand].list_rankings():
            if operand.operand not in regulation.vocabulary.rankings[name].list_names():
                yield here, f"{operand.operand} is not a category of {name}, which ranks {operand.hand}"

    def evaluate(self, scope: EvaluationContext, operand: grammar.Holds, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.final_hands import hand_strength

        strengths = hand_strength(scope, operand.hand)
        low, high = scope.compiled_game.hands[operand.hand].ranking.span(operand.operand)
        fits = strengths >= low
        if operand.operator == "is":
            fits &= strengths < high
        return kleene.where_known(fits, strengths != ABSENT)

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        operand: grammar.Holds = condition.operand
        return terms.build_category(operand.hand, operand.operand, better=operand.operator == "at-least")

    def describe(self, prepared: CompiledGame, operand: grammar.Holds) -> str:
        name = replace_hyphens(operand.operand)
        threshold = f"{name} or better" if operand.operator == "at-least" else f"exactly {name}"
        return f"{prepared.game.hands[operand.hand].title}: {threshold}"

    def negate(self, prepared: CompiledGame, operand: grammar.Holds) -> str:
        if operand.operator != "at-least":
            return super().negate(prepared, operand)
        return f"{prepared.game.hands[operand.hand].title}: lower than {replace_hyphens(operand.operand)}"


class HandsCompare(ConditionOperator[grammar.HandComparison]):
    """The condition `compare`."""

    key = "compare"
    sample = "{compare: {hand: player, is: higher, to: dealer}}"

    def find_grain(self, operand: grammar.HandComparison, game: Game) -> grammar.Grain:
        return "seat" if operand.to_seat is not None else grain_of_hands(game, operand.hand, operand.to)

    def evaluate(self, scope: EvaluationContext, operand: grammar.HandComparison, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.final_hands import compare_strengths
        from fairdeal.validator.engine.facts.seat_layout import take_of_banker

        game, names = scope.compiled_game.game, (operand.hand, operand.to)
        first, second = (
            scope.broadcast(strengths, grain_of_hands(game, hand), grain)
            for hand, strengths in zip(names, compare_strengths(scope, *names), strict=True)
        )
        if operand.to_seat is not None:
            second = take_of_banker(scope, operand.to_seat, second)
        evident = (first != ABSENT) & (second != ABSENT)
        match operand.is_:
            case "higher":
                return kleene.where_known(first > second, evident)
            case "lower":
                return kleene.where_known(first < second, evident)
            case _:
                return kleene.where_known(first == second, evident)

    def to_formula(self, terms: FormulaBuilder, condition: Condition) -> Formula:
        operand: grammar.HandComparison = condition.operand
        signs = {"lower": (-1, 0), "equal": (0, 1), "higher": (1, 2)}
        if operand.to_seat is not None:
            return terms.build_opaque(condition)
        return terms.build_hand_comparison(operand.hand, operand.to, signs[operand.is_])

    def describe(self, prepared: CompiledGame, operand: grammar.HandComparison) -> str:
        hand, other = (prepared.game.hands[name].title for name in (operand.hand, operand.to))
        if operand.to_seat is not None:
            other = f"that of {prepared.outcomes[operand.to_seat].title}"
        return f"{hand} {operand.is_} {'to' if operand.is_ == 'equal' else 'than'} {other}"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        from fairdeal.validator.engine.facts.seat_layout import banking_seats

        operand: grammar.HandComparison = condition.operand
        yield item.describe_hand(operand.hand)
        if operand.to_seat is None:
            yield item.describe_hand(operand.to)
        elif (seat := int(banking_seats(item.scope, operand.to_seat)[item.round])) != ABSENT:
            banker = replace(item, grain="seat", index=seat)
            yield f"seat {int(item.scope.batch.seats.number[seat])}: {banker.describe_hand(operand.to)}"


class CardsAlike(_HandCondition[grammar.AlikeCards]):
    """The condition `alike`."""

    key = "alike"
    sample = "{alike: {hand: player, in: suit}}"

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.AlikeCards, here: DataPath
    ) -> Iterator[Problem]:
        if operand.is_ is not None and operand.is_ not in FEATURE_NAMES.get(operand.in_, ()):
            yield (*here, "is"), f"`{operand.is_}` is not a {operand.in_}"

    def evaluate(self, scope: EvaluationContext, operand: grammar.AlikeCards, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.final_hands import are_cards_alike

        return are_cards_alike(scope, operand.hand, operand.in_, operand.is_)

    def describe(self, prepared: CompiledGame, operand: grammar.AlikeCards) -> str:
        return f"{prepared.game.hands[operand.hand].title}: {operand.is_ or f'of one {operand.in_}'}"


class HandListed(_HandCondition[grammar.ListedHand]):
    """The condition `listed`."""

    key = "listed"
    sample = "{listed: {of: side, hand: player}}"

    def evaluate(self, scope: EvaluationContext, operand: grammar.ListedHand, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.payouts.pay_table_lookup import is_listed

        return is_listed(scope, operand, grain)

    def describe(self, prepared: CompiledGame, operand: grammar.ListedHand) -> str:
        hand, table = prepared.game.hands[operand.hand].title, line_title(prepared.game, operand.of)
        return f"a row for {hand} in the pay table of {table}"


class _HandQuantity(QuantityOperator[str]):
    """A number of one hand."""

    operand_names = "hand"

    def find_grain(self, operand: str, game: Game) -> grammar.Grain:
        return grain_of_hands(game, operand)


class HandLength(_HandQuantity):
    """The quantity `length`."""

    key = "length"
    sample = "{length: player}"
    words = "the number of cards that count in {}"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.final_hands import hand_strength

        length = scope.compiled_game.hands[operand].ranking.length(hand_strength(scope, operand))
        return bounds_where_known(length >= 0, length)


class HandPoints(_HandQuantity):
    """The quantity `points`."""

    key = "points"
    sample = "{points: player}"
    words = "the points of {}"

    def find_problems(self, regulation: Regulation, game: Game, operand: str, here: DataPath) -> Iterator[Problem]:
        for name in game.hands[operand].list_rankings():
            if not isinstance(regulation.vocabulary.rankings[name], PointsRanking):
                yield here, f"{name}, which ranks {operand}, does not count points"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.cards.point_totals import PointTotalRanking
        from fairdeal.validator.engine.facts.final_hands import hand_strength

        ranking = scope.compiled_game.hands[operand].ranking
        if not isinstance(ranking, PointTotalRanking):
            raise TypeError(f"{operand} is not valued by points")
        points = ranking.points(hand_strength(scope, operand))
        return bounds_where_known(points >= 0, points)

    def describe_observed(self, item: ItemEvidence, quantity: Quantity, *, money: bool) -> str:
        return item.describe_hand(quantity.operand)


class CardsFromDeck(ConditionOperator[bool]):
    """The condition `cards-from-deck`."""

    key = "cards-from-deck"
    sample = "{cards-from-deck: true}"

    def evaluate(self, scope: EvaluationContext, operand: bool, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.deal_checks.deck_counts import is_within_decks

        fits, whole = is_within_decks(scope)
        return kleene.unknown_where(fits & ~whole, kleene.from_flags(fits))

    def describe(self, prepared: CompiledGame, operand: bool) -> str:
        from fairdeal.validator.cards.card_codes import CARDS
        from fairdeal.validator.engine.deal_checks.deck_counts import count_copies

        decks = prepared.game.decks
        words = "no card more than once" if decks == 1 else f"no card more than {decks} times"
        return words if count_copies(prepared)[:CARDS].all() else f"{words}, and no card that the decks lack"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_repeated_cards()


class CardsSet(ConditionOperator[grammar.Place]):
    """The condition `cards-set`."""

    key = "cards-set"
    sample = "{cards-set: player}"
    words = "all cards of the {} set into hands of the right sizes"

    def find_grain(self, operand: grammar.Place, game: Game) -> grammar.Grain:
        return grammar.grain_of_place(operand)

    def find_problems(
        self, regulation: Regulation, game: Game, operand: grammar.Place, here: DataPath
    ) -> Iterator[Problem]:
        parts = {hand.cards for hand in game.hands.values() if hand.is_set and hand.from_ == [operand]}
        if len(parts) < 2:
            yield here, f"the {operand} has no hands with `cards: set-high` and `cards: set-low`"

    def evaluate(self, scope: EvaluationContext, operand: grammar.Place, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.final_hands import are_hands_set_whole

        return are_hands_set_whole(scope, operand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        from fairdeal.validator.engine.facts.final_hands import find_set_hands

        yield from map(item.describe_hand, find_set_hands(item.game, condition.operand))


class CardsUnused(ConditionOperator[str]):
    """The condition `cards-unused`."""

    key = "cards-unused"
    sample = "{cards-unused: set-aside}"
    words = "no card of “{}” in use"
    operand_names = "step"

    def list_steps(self, operand: str) -> Sequence[str]:
        return (operand,)

    def evaluate(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.step_cards import are_cards_unused

        return are_cards_unused(scope, operand)

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_cards_in_use(condition.operand)


class CardsShownInBothSteps(ConditionOperator[list[str]]):
    """The condition `cards-among`."""

    key = "cards-among"
    sample = "{cards-among: [off-the-table, set-aside]}"

    def list_steps(self, operand: list[str]) -> Sequence[str]:
        return operand

    def evaluate(self, scope: EvaluationContext, operand: list[str], grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.facts.step_cards import are_cards_among

        return are_cards_among(scope, *operand)

    def describe(self, prepared: CompiledGame, operand: list[str]) -> str:
        step, among = (prepared.steps[name].title for name in operand)
        return f"every card of “{step}” also among those of “{among}”"

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_cards_not_among(*condition.operand)


class DealtAs(ConditionOperator[str]):
    """The condition `dealt-as`."""

    key = "dealt-as"
    sample = "{dealt-as: submitted}"
    evidence_needed = "submission"
    words = {grammar.SUBMITTED: "the cards dealt as submitted", OTHER_OPERANDS: "the cards dealt as “{}”"}
    negated_words = {
        grammar.SUBMITTED: "the cards not dealt as submitted",
        OTHER_OPERANDS: "the cards not dealt as “{}”",
    }

    def evaluate(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.deal_checks.dealing_order import is_dealt_as
        from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded

        way = operand
        if way == grammar.SUBMITTED:
            way = "" if scope.configuration is None else scope.configuration.dealing or ""
        if way not in scope.compiled_game.game.deal.ways:
            return kleene.constant(kleene.UNKNOWN, scope.count_items(grain))
        fits, known = is_dealt_as(scope, way)
        return kleene.where_known(fits, known & are_kinds_recorded(scope, ["deal"]))

    def describe_observed(self, item: ItemEvidence, condition: Condition) -> Iterator[str]:
        yield item.describe_dealing()


class DealtInTurn(ConditionOperator[str]):
    """The condition `dealt-in-turn`."""

    key = "dealt-in-turn"
    sample = "{dealt-in-turn: any}"
    words = {"any": "every card dealt in its turn", "broken-off": "a deal that was correct until it stopped"}
    negated_words = {"any": "not every card dealt in its turn", "broken-off": "a deal with a mistake"}

    def evaluate(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Truths:
        from fairdeal.validator.engine.deal_checks.broken_deals import has_stopped_in_turn, is_dealt_in_turn

        return has_stopped_in_turn(scope) if operand == "broken-off" else is_dealt_in_turn(scope)


class _PlaceCardCount(QuantityOperator[grammar.Place]):
    """A number of cards of a place."""

    def find_grain(self, operand: grammar.Place, game: Game) -> grammar.Grain:
        return grammar.grain_of_place(operand)


def _bounds_if_known(count: Ints16) -> Bounds:

    return bounds_where_known(count >= 0, count.astype(np.int64))


def _open_upper_bound(bounds: Bounds, is_open: Flags) -> Bounds:
    """Return bounds of a number of cards, without an upper bound where more cards may follow."""
    low, high = bounds
    return (low, np.where(is_open, UNBOUNDED, high)) if has_any(is_open) else bounds


class CardsDealt(QuantityOperator[grammar.Cardholder]):
    """The quantity `cards`."""

    key = "cards"
    sample = "{cards: dealer}"
    words = {"everywhere": "the cards out of the deck", OTHER_OPERANDS: "the {}'s number of cards"}

    def find_grain(self, operand: grammar.Cardholder, game: Game) -> grammar.Grain:
        return grammar.grain_of_place(operand)

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.Cardholder, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.deal_checks.deck_counts import count_cards_out
        from fairdeal.validator.engine.timeline.excused_acts import find_deals_in_progress, is_truncated

        if operand == "everywhere":
            total, known = count_cards_out(scope)
            return bounds_where_known(known, total)
        bounds = _bounds_if_known(scope.dealt_hands(operand).count)
        deal = scope.compiled_game.game.deal
        if any(operand in (stage.takes or ()) for stage in deal.stages):
            return _open_upper_bound(bounds, is_truncated(scope, grain))
        is_short = bounds[0] < deal.cards.get(operand, 0)
        return _open_upper_bound(bounds, is_short & find_deals_in_progress(scope)[0][scope.rounds_of(grain)])


class CardsDiscarded(_PlaceCardCount):
    """The quantity `discarded`."""

    key = "discarded"
    sample = "{discarded: player}"
    words = "the {}'s number of cards discarded"

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.Place, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.final_hands import exchanged_cards, may_discard_later

        count = exchanged_cards(scope, operand, "discard").count
        return _open_upper_bound(_bounds_if_known(count), may_discard_later(scope, operand))


class CardsDrawn(_PlaceCardCount):
    """The quantity `drawn`."""

    key = "drawn"
    sample = "{drawn: player}"
    words = "the {}'s number of cards drawn"

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.Place, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.final_hands import exchanged_cards, may_draw_later

        count = exchanged_cards(scope, operand, "draw").count
        return _open_upper_bound(_bounds_if_known(count), may_draw_later(scope, operand))


class CardsHeld(_PlaceCardCount):
    """The quantity `held`."""

    key = "held"
    sample = "{held: community}"
    words = "the {}'s number of cards held"

    def compute_bounds(self, scope: EvaluationContext, operand: grammar.Place, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.facts.final_hands import final_cards

        return _bounds_if_known(final_cards(scope, operand).count)


class CardsShown(QuantityOperator[str]):
    """The quantity `shown-cards`."""

    key = "shown-cards"
    sample = "{shown-cards: player}"
    words = "the {}'s number of cards shown"
    native_grain = "seat"
    evidence_needed = "events"

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: grammar.Grain) -> Bounds:
        from fairdeal.validator.engine.pots.showdown_hands import count_shown_cards
        from fairdeal.validator.engine.timeline.excused_acts import extend_if_truncated

        least, hidden, recorded = count_shown_cards(scope)
        bounds = bounds_where_known(recorded, least)
        if has_any(hidden):
            bounds = np.where(recorded, least, -UNBOUNDED), np.where(recorded, least + hidden, UNBOUNDED)
        return extend_if_truncated(scope, "seat", bounds)
