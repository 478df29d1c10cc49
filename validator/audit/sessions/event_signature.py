"""What happened in a round, as far as steps that span rounds are concerned: a word of a few symbols.

Rounds are alike, so there are few words, and whatever is asked of a word is worked out once.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

TABLE_OPENS = "table-opens"
ROUND_DEALT = "round-dealt"
OCCASIONS = (TABLE_OPENS, ROUND_DEALT)
"""What may make steps needed though it is no step: the opening of the table, and the end of a round's dealing."""


class Symbol(Struct, frozen=True):
    """An event: the deck it names, None for the deck in play, the steps it belongs to, each UNKNOWN or YES, and whether
    it is out of its place in a course and found there."""

    deck: str | None
    steps: tuple[tuple[str, int], ...]
    misplaced: bool = False


class Word(Struct, frozen=True, dict=True):
    """The symbols of a round in order, the steps whose events the log does not record in it, and whether the record
    breaks off, so that anything may have followed."""

    symbols: tuple[Symbol, ...]
    unrecorded: frozenset[str] = frozenset()
    breaks_off: bool = False

    @cached_property
    def decks(self) -> frozenset[str]:
        """The decks it names."""
        return frozenset(symbol.deck for symbol in self.symbols if symbol.deck is not None)


NOTHING = Word(())
"""The word of a round in which nothing of the kind happened."""
