"""Common interface of all kinds of ranking."""

from __future__ import annotations

from typing import Protocol

from validator.arrays import Codes, Ints, Ints32
from validator.cards.longest_flush import compile_suited
from validator.cards.model import AnyRanking, Ranking
from validator.cards.ranking import compile_ranking
from validator.cards.suit_tiebreak import compile_by_suit


class HandOrder(Protocol):
    """Order of hands. A strength is one integer: higher for the better hand, equal for a tie, -1 for an unknown
    hand."""

    @property
    def categories(self) -> tuple[str, ...]:
        """Names of the categories, the worst first."""
        ...

    def span(self, name: str) -> tuple[int, int]:
        """Return the strengths of a category, mark or band; the end is exclusive.

        Raises ValueError if there is no such name.
        """
        ...

    def at_least(self, name: str) -> int:
        """Return the lowest strength of a category, mark or band.

        Raises ValueError if there is no such name.
        """
        ...

    def describe(self, strength: int) -> str:
        """Describe a hand of a strength; -1 is `unknown hand`."""
        ...

    def strength(self, cards: Codes) -> Ints32:
        """Return the strength of the best hand in each row of `cards` (uint8[n, m]), -1 if a card is unknown.

        Raises ValueError if a row has too few or too many cards.

        Returns: int32[n].
        """
        ...

    def category(self, strengths: Ints32) -> Codes:
        """Return the index in `categories` of each strength; 255 for -1.

        Returns: uint8[n].
        """
        ...

    def length(self, strengths: Ints32) -> Ints:
        """Return the number of cards of the hand of each strength; -1 for -1.

        Returns: int64[n].
        """
        ...


def compile_order(model: AnyRanking) -> HandOrder:
    """Compile the ranking of a rule file. Tables are built when a column is first ranked.

    Raises ValueError if no hand fits a mark.
    """
    if not isinstance(model, Ranking):
        return compile_suited(model)
    ranking = compile_ranking(model)
    return compile_by_suit(ranking, model.suits) if model.suits else ranking
