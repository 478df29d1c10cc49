"""Events of a round that matter to requirements on sessions, as a sequence of a few tokens.

Rounds resemble each other, so there are few distinct sequences, and results on a sequence are computed once.
"""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from validator.engine.core.kleene import UNKNOWN

TABLE_OPENS = "table-opens"
ROUND_DEALT = "round-dealt"
OCCASIONS = (TABLE_OPENS, ROUND_DEALT)
"""Occasions that may start an obligation although they are no step: the table opens, or the dealing of a round ends."""


class Symbol(Struct, frozen=True):
    """Event that matters to requirements on sessions."""

    deck: str | None
    """Name of its deck; None for the deck in play."""
    steps: tuple[tuple[str, int], ...]
    """Steps it belongs to, each with UNKNOWN or YES."""
    misplaced: bool = False
    """True if a course reports it out of its place."""
    any_deck: bool = False
    """True if it may have happened to any deck."""

    def of_deck(self, deck: str | None, *, in_play: bool | None) -> dict[str, int]:
        """Return the steps it belongs to for a table or a deck, with their certainty.

        Args:
            deck: name of the deck; None for a deck without a name.
            in_play: whether the round uses the deck; None for the table.
        """
        if in_play is None:
            return dict(self.steps)
        is_open = deck is None and in_play and self.deck is not None  # the deck in play may be the one it names
        if self.any_deck or is_open:
            return dict.fromkeys((step for step, _ in self.steps), UNKNOWN)
        return dict(self.steps) if (in_play if self.deck is None else self.deck == deck) else {}


class Word(Struct, frozen=True, dict=True):
    """Tokens of a round, with the limits of its record."""

    symbols: tuple[Symbol, ...]
    """Tokens in order."""
    unrecorded: frozenset[str] = frozenset()
    """Steps whose events the log does not record in the round."""
    breaks_off: bool = False
    """True if the record stops early, so that any events may have followed."""

    @cached_property
    def decks(self) -> frozenset[str]:
        """Decks that the tokens name."""
        return frozenset(token.deck for token in self.symbols if token.deck is not None)

    @cached_property
    def of_any_deck(self) -> bool:
        """True if an event does not name its deck and may have happened to any."""
        return any(token.any_deck for token in self.symbols)


NOTHING = Word(())
"""Sequence of a round without such events."""
