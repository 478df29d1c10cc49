"""What happened in a round, as far as steps that span rounds are concerned: a word of a few symbols.

Rounds are alike, so there are few words, and whatever is asked of a word is worked out once.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from validator.engine.core.kleene import UNKNOWN

TABLE_OPENS = "table-opens"
ROUND_DEALT = "round-dealt"
OCCASIONS = (TABLE_OPENS, ROUND_DEALT)
"""What may make steps needed though it is no step: the opening of the table, and the end of a round's dealing."""


class Symbol(Struct, frozen=True):
    """An event: the deck it names, None for the deck in play, the steps it belongs to, each UNKNOWN or YES, whether it
    is out of its place in a course and found there, and whether it may have happened to any deck."""

    deck: str | None
    steps: tuple[tuple[str, int], ...]
    misplaced: bool = False
    any_deck: bool = False

    def of_deck(self, deck: str | None, *, in_play: bool | None) -> dict[str, int]:
        """The steps it belongs to and how surely, as far as it happened to the table (`in_play` None), or to a deck by
        its name, which is played with or is not."""
        if in_play is None:
            return dict(self.steps)
        is_open = deck is None and in_play and self.deck is not None  # the deck in play may be the one it names
        if self.any_deck or is_open:
            return dict.fromkeys((step for step, _ in self.steps), UNKNOWN)
        return dict(self.steps) if (in_play if self.deck is None else self.deck == deck) else {}


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

    @cached_property
    def of_any_deck(self) -> bool:
        """Whether something happened of which it is not told to which deck."""
        return any(symbol.any_deck for symbol in self.symbols)


NOTHING = Word(())
"""The word of a round in which nothing of the kind happened."""
