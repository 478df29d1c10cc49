"""Operators on hands: their categories, comparisons and rows in pay tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from validator.language.conditions import Condition, ConditionOperator, Problem, QuantityOperator
from validator.language.grains import Grain
from validator.language.operands import Listed
from validator.language.refs import CategoryName, HandName
from validator.language.wording import spaced
from validator.rules.core.titles import title_of
from validator.text.models.model import Closed, OneOf, unset
from validator.text.trees.tree import Path

if TYPE_CHECKING:
    from validator.arrays import Bounds, Tri
    from validator.engine.compiled.game import Prepared
    from validator.engine.core.context import Scope
    from validator.operators.terms import Terms
    from validator.propositions.formula import Formula
    from validator.rules.core.regulation import Regulation
    from validator.rules.model.game import Game


def grain_of_hands(game: Game, *hands: str) -> Grain:
    """Return the grain of hands: `seat` if one of them contains cards of players, else `round`."""
    return "seat" if any("player" in game.hands[hand].from_ for hand in hands) else "round"


class Holds(OneOf):
    """A hand, and a category of its ranking that it must have."""

    BESIDE = frozenset({"hand"})

    hand: HandName
    """The hand."""
    at_least: CategoryName = unset()
    """A category, mark or band of the ranking, such as `pair` or `queen-high`: this or better."""
    is_: CategoryName = unset()
    """A category, mark or band of the ranking: exactly this."""


class HandHolds(ConditionOperator[Holds]):
    """The hand has at least, or exactly, a category."""

    key = "holds"
    operand = Holds
    sample = "{holds: {hand: player, at-least: pair}}"

    def grain(self, operand: Holds, game: Game) -> Grain:
        return grain_of_hands(game, operand.hand)

    def problems(self, regulation: Regulation, game: Game, operand: Holds, here: Path) -> Iterator[Problem]:
        for name in game.hands[operand.hand].rankings():
            if operand.operand not in regulation.vocabulary.rankings[name].names():
                yield here, f"{operand.operand} is not a category of {name}, which ranks {operand.hand}"

    def truth(self, scope: Scope, operand: Holds, grain: Grain) -> Tri:
        from validator.arrays import ABSENT
        from validator.engine.cards.ranked_hands import strength
        from validator.engine.core import kleene

        strengths = strength(scope, operand.hand)
        low, high = scope.prepared.hands[operand.hand].ranking.span(operand.operand)
        fits = strengths >= low
        if operand.operator == "is":
            fits &= strengths < high
        return kleene.where_known(fits, strengths != ABSENT)

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        operand: Holds = condition.operand
        return terms.holds(operand.hand, operand.operand, better=operand.operator == "at-least")

    def asked(self, prepared: Prepared, operand: Holds) -> str:
        name = spaced(operand.operand)
        threshold = f"{name} or better" if operand.operator == "at-least" else f"exactly {name}"
        return f"{prepared.game.hands[operand.hand].title}: {threshold}"

    def denied(self, prepared: Prepared, operand: Holds, description: str) -> str:
        if operand.operator != "at-least":
            return super().denied(prepared, operand, description)
        return f"{prepared.game.hands[operand.hand].title}: lower than {spaced(operand.operand)}"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import held

        yield held(scope, condition.operand.hand, grain, index)


class Compare(Closed):
    """A comparison of two hands of one ranking, including kickers."""

    hand: HandName
    """The hand that is compared."""
    is_: Literal["higher", "equal", "lower"]
    """The required result."""
    to: HandName
    """The hand that it is compared with."""


class HandsCompare(ConditionOperator[Compare]):
    """A hand is higher than, equal to or lower than another; higher means better in the ranking."""

    key = "compare"
    operand = Compare
    sample = "{compare: {hand: player, is: higher, to: dealer}}"

    def grain(self, operand: Compare, game: Game) -> Grain:
        return grain_of_hands(game, operand.hand, operand.to)

    def truth(self, scope: Scope, operand: Compare, grain: Grain) -> Tri:
        from validator.arrays import ABSENT
        from validator.engine.cards.ranked_hands import strength
        from validator.engine.core import kleene

        game = scope.prepared.game
        first, second = (
            scope.spread(strength(scope, hand), grain_of_hands(game, hand), grain)
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

    def proposition(self, terms: Terms, condition: Condition) -> Formula:
        operand: Compare = condition.operand
        signs = {"lower": (-1, 0), "equal": (0, 1), "higher": (1, 2)}
        return terms.comparison(operand.hand, operand.to, signs[operand.is_])

    def asked(self, prepared: Prepared, operand: Compare) -> str:
        hand, other = (prepared.game.hands[name].title for name in (operand.hand, operand.to))
        return f"{hand} {operand.is_} {'to' if operand.is_ == 'equal' else 'than'} {other}"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import held

        yield held(scope, condition.operand.hand, grain, index)
        yield held(scope, condition.operand.to, grain, index)


class HandListed(ConditionOperator[Listed]):
    """The pay table in use has a row for the hand."""

    key = "listed"
    operand = Listed
    sample = "{listed: {pay-table: side, hand: player}}"

    def grain(self, operand: Listed, game: Game) -> Grain:
        return grain_of_hands(game, operand.hand)

    def truth(self, scope: Scope, operand: Listed, grain: Grain) -> Tri:
        from validator.engine.payouts.pay_table_rows import is_listed

        return is_listed(scope, operand, grain)

    def asked(self, prepared: Prepared, operand: Listed) -> str:
        hand, table = prepared.game.hands[operand.hand].title, title_of(prepared.game, operand.pay_table)
        return f"a row for {hand} in the pay table of {table}"

    def shown(self, scope: Scope, condition: Condition, grain: Grain, index: int) -> Iterator[str]:
        from validator.engine.text.evidence_text import held

        yield held(scope, condition.operand.hand, grain, index)


class Length(QuantityOperator[str]):
    """The number of cards in the part of a hand that counts, for a ranking by length."""

    key = "length"
    operand = HandName
    sample = "{length: player}"
    words = "the number of cards that count in {}"

    def grain(self, operand: str, game: Game) -> Grain:
        return grain_of_hands(game, operand)

    def bounds(self, scope: Scope, operand: str, grain: Grain) -> Bounds:
        from validator.engine.cards.ranked_hands import strength
        from validator.engine.core.intervals import unless

        length = scope.prepared.hands[operand].ranking.length(strength(scope, operand))
        return unless(length >= 0, length)

    def title(self, prepared: Prepared, operand: str) -> str:
        return prepared.game.hands[operand].title
