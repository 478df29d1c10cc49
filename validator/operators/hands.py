"""Operators on hands: their categories, comparisons and rows in pay tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from validator.language.conditions import Condition, ConditionOperator, Problem, QuantityOperator
from validator.language.grains import Grain
from validator.language.operands import ListedHand
from validator.language.refs import CategoryName, HandName
from validator.language.wording import replace_hyphens
from validator.rules.core.titles import line_title
from validator.text.models.model import ClosedModel, OneOperatorModel, unset_operator
from validator.text.trees.tree import DataPath

if TYPE_CHECKING:
    from validator.arrays import Bounds, Truths
    from validator.engine.compiled.game import CompiledGame
    from validator.engine.core.context import EvaluationContext
    from validator.operators.terms import PropositionBuilder
    from validator.propositions.formula import Formula
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


def grain_of_hands(game: Game, *hands: str) -> Grain:
    """Return the grain of hands: `seat` if one of them contains cards of players, else `round`."""
    return "seat" if any("player" in game.hands[hand].from_ for hand in hands) else "round"


class Holds(OneOperatorModel):
    """A hand, and a category of its ranking that it must have."""

    COMPANIONS = frozenset({"hand"})

    hand: HandName
    """The hand."""
    at_least: CategoryName = unset_operator()
    """A category, mark or band of the ranking, such as `pair` or `queen-high`: this or better."""
    is_: CategoryName = unset_operator()
    """A category, mark or band of the ranking: exactly this."""


class HandHolds(ConditionOperator[Holds]):
    """The hand has at least, or exactly, a category."""

    key = "holds"
    operand = Holds
    sample = "{holds: {hand: player, at-least: pair}}"

    def find_grain(self, operand: Holds, game: Game) -> Grain:
        return grain_of_hands(game, operand.hand)

    def find_problems(self, regulation: Regulation, game: Game, operand: Holds, here: DataPath) -> Iterator[Problem]:
        for name in game.hands[operand.hand].list_rankings():
            if operand.operand not in regulation.vocabulary.rankings[name].list_names():
                yield here, f"{operand.operand} is not a category of {name}, which ranks {operand.hand}"

    def evaluate(self, scope: EvaluationContext, operand: Holds, grain: Grain) -> Truths:
        from validator.arrays import ABSENT
        from validator.engine.cards.ranked_hands import hand_strength
        from validator.engine.core import kleene

        strengths = hand_strength(scope, operand.hand)
        low, high = scope.compiled_game.hands[operand.hand].ranking.span(operand.operand)
        fits = strengths >= low
        if operand.operator == "is":
            fits &= strengths < high
        return kleene.where_known(fits, strengths != ABSENT)

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        operand: Holds = condition.operand
        return terms.build_category(operand.hand, operand.operand, better=operand.operator == "at-least")

    def describe(self, prepared: CompiledGame, operand: Holds) -> str:
        name = replace_hyphens(operand.operand)
        threshold = f"{name} or better" if operand.operator == "at-least" else f"exactly {name}"
        return f"{prepared.game.hands[operand.hand].title}: {threshold}"

    def describe_negation(self, prepared: CompiledGame, operand: Holds, description: str) -> str:
        if operand.operator != "at-least":
            return super().describe_negation(prepared, operand, description)
        return f"{prepared.game.hands[operand.hand].title}: lower than {replace_hyphens(operand.operand)}"

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import describe_hand

        yield describe_hand(scope, condition.operand.hand, grain, index)


class HandComparison(ClosedModel):
    """A comparison of two hands of one ranking, including kickers."""

    hand: HandName
    """The hand that is compared."""
    is_: Literal["higher", "equal", "lower"]
    """The required result."""
    to: HandName
    """The hand that it is compared with."""


class HandsCompare(ConditionOperator[HandComparison]):
    """A hand is higher than, equal to or lower than another; higher means better in the ranking."""

    key = "compare"
    operand = HandComparison
    sample = "{compare: {hand: player, is: higher, to: dealer}}"

    def find_grain(self, operand: HandComparison, game: Game) -> Grain:
        return grain_of_hands(game, operand.hand, operand.to)

    def evaluate(self, scope: EvaluationContext, operand: HandComparison, grain: Grain) -> Truths:
        from validator.arrays import ABSENT
        from validator.engine.cards.ranked_hands import hand_strength
        from validator.engine.core import kleene

        game = scope.compiled_game.game
        first, second = (
            scope.broadcast(hand_strength(scope, hand), grain_of_hands(game, hand), grain)
            for hand in (operand.hand, operand.to)
        )
        evident = (first != ABSENT) & (second != ABSENT)
        match operand.is_:
            case "higher":
                return kleene.where_known(first > second, evident)
            case "lower":
                return kleene.where_known(first < second, evident)
            case _:
                return kleene.where_known(first == second, evident)

    def to_formula(self, terms: PropositionBuilder, condition: Condition) -> Formula:
        operand: HandComparison = condition.operand
        signs = {"lower": (-1, 0), "equal": (0, 1), "higher": (1, 2)}
        return terms.build_hand_comparison(operand.hand, operand.to, signs[operand.is_])

    def describe(self, prepared: CompiledGame, operand: HandComparison) -> str:
        hand, other = (prepared.game.hands[name].title for name in (operand.hand, operand.to))
        return f"{hand} {operand.is_} {'to' if operand.is_ == 'equal' else 'than'} {other}"

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import describe_hand

        yield describe_hand(scope, condition.operand.hand, grain, index)
        yield describe_hand(scope, condition.operand.to, grain, index)


class HandListed(ConditionOperator[ListedHand]):
    """The pay table in use has a row for the hand."""

    key = "listed"
    operand = ListedHand
    sample = "{listed: {pay-table: side, hand: player}}"

    def find_grain(self, operand: ListedHand, game: Game) -> Grain:
        return grain_of_hands(game, operand.hand)

    def evaluate(self, scope: EvaluationContext, operand: ListedHand, grain: Grain) -> Truths:
        from validator.engine.payouts.pay_table_rows import is_listed

        return is_listed(scope, operand, grain)

    def describe(self, prepared: CompiledGame, operand: ListedHand) -> str:
        hand, table = prepared.game.hands[operand.hand].title, line_title(prepared.game, operand.pay_table)
        return f"a row for {hand} in the pay table of {table}"

    def show_evidence(self, scope: EvaluationContext, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import describe_hand

        yield describe_hand(scope, condition.operand.hand, grain, index)


class HandLength(QuantityOperator[str]):
    """The number of cards in the part of a hand that counts, for a ranking by length."""

    key = "length"
    operand = HandName
    sample = "{length: player}"
    words = "the number of cards that count in {}"

    def find_grain(self, operand: str, game: Game) -> Grain:
        return grain_of_hands(game, operand)

    def compute_bounds(self, scope: EvaluationContext, operand: str, grain: Grain) -> Bounds:
        from validator.engine.cards.ranked_hands import hand_strength
        from validator.engine.core.intervals import bounds_where_known

        length = scope.compiled_game.hands[operand].ranking.length(hand_strength(scope, operand))
        return bounds_where_known(length >= 0, length)

    def format_operand(self, prepared: CompiledGame, operand: str) -> str:
        return prepared.game.hands[operand].title
