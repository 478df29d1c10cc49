"""Rankings of either kind, as everything that judges hands uses them."""

from __future__ import annotations

from typing import Protocol

from validator.arrays import Codes, Ints, Ints32
from validator.cards.longest_flush import compile_suited
from validator.cards.model import AnyRanking, Ranking
from validator.cards.ranking import compile_ranking
from validator.cards.suit_tiebreak import compile_by_suit


class HandOrder(Protocol):
    """An order of hands. The strength of a hand is one integer: higher for the better, equal for a tie, -1 for a
    hand that is not known."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The names of the categories, the worst first."""
        ...

    def span(self, name: str) -> tuple[int, int]:
        """The strengths that a category, mark or band takes in: from the first up to, not including, the second.

        Raises `ValueError` if there is no such name.
        """
        ...

    def at_least(self, name: str) -> int:
        """Lowest strength that counts as at least the category, mark or band of this name.

        Raises `ValueError` if there is no such name.
        """
        ...

    def describe(self, strength: int) -> str:
        """A hand of this strength in words; -1 is `unknown hand`."""
        ...

    def strength(self, cards: Codes) -> Ints32:
        """`int32[n]`: strength of the best hand out of each row of `cards` (`uint8[n, m]`); -1 where a card of the
        row is not known. Raises `ValueError` if a row has too few or too many cards."""
        ...

    def category(self, strengths: Ints32) -> Codes:
        """`uint8[n]`: index in `categories` of each strength; 255 for -1."""
        ...

    def length(self, strengths: Ints32) -> Ints:
        """`int64[n]`: how many cards make up the hand of each strength; -1 for -1."""
        ...


def compile_order(model: AnyRanking) -> HandOrder:
    """The ranking a rule file describes, ready for use. Tables are built when a column is first ranked.

    Raises `ValueError` if there is no hand for a mark.
    """
    if not isinstance(model, Ranking):
        return compile_suited(model)
    ranking = compile_ranking(model)
    return compile_by_suit(ranking, model.suits) if model.suits else ranking
