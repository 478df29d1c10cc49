"""Check that two decks alternate, and tracking of the decks at a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from validator.arrays import ABSENT, Tri
from validator.audit.sessions.event_signature import Word
from validator.audit.sessions.rounds_in_order import Gathered
from validator.engine.core.kleene import NO, UNKNOWN, YES

Move: TypeAlias = tuple[int | None, bool]
"""Deck by its code, None for the deck in play; and True if it arrives at the table, False if it leaves."""


def decks_in_turn(rounds: Gathered, received: str | None, removed: str | None) -> Tri:
    """Return whether each round uses the other deck than the previous round, or the only remaining deck.

    Args:
        received: step by which a deck arrives at the table.
        removed: step by which a deck leaves; without it, no deck is ever the only one.

    Returns:
        uint8[rounds].
    """
    order, codes = rounds.order, {name: code for code, name in enumerate(rounds.deck.names)}
    moves = [list(_list_moves(sequence, codes, received, removed)) for sequence in rounds.words]
    may_miss = [_may_miss_moves(sequence, frozenset((received, removed))) for sequence in rounds.words]
    is_start = order.first | order.opening | (order.gap != 0)
    opens = order.opening & (order.gap == 0)
    result = np.full(len(rounds), UNKNOWN, np.uint8)
    table = _DecksAtTable()
    columns = (rounds.deck.codes, rounds.word, is_start, opens)
    for place, (deck, sequence, begins, opening) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if begins:
            table = _DecksAtTable()
        result[place] = table.next(deck, moves[sequence], opens=opening, unsure=may_miss[sequence])
    if removed is None:
        repeated = (rounds.deck.codes != ABSENT) & (rounds.deck.codes == np.roll(rounds.deck.codes, 1))
        result[repeated & ~is_start] = NO
    return result


def _may_miss_moves(sequence: Word, steps: frozenset[str | None]) -> bool:
    """Return whether the record of a round may omit decks of these steps."""
    may_be_any = any(token.any_deck and steps.intersection(dict(token.steps)) for token in sequence.symbols)
    return sequence.breaks_off or not sequence.unrecorded.isdisjoint(steps) or may_be_any


def _list_moves(sequence: Word, codes: dict[str, int], received: str | None, removed: str | None) -> Iterator[Move]:
    for token in sequence.symbols:
        for step, _ in token.steps:
            if step in (received, removed):
                yield None if token.deck is None else codes[token.deck], step == received


class _DecksAtTable:
    """Decks of a table over consecutive rounds."""

    __slots__ = ("_came", "_here", "_in_turn", "_rounds", "_whole")

    def __init__(self) -> None:
        self._here: set[int] = set()
        """Decks that were dealt or came, and did not leave."""
        self._came: dict[int, int] = {}
        """Number of the round in which each deck came."""
        self._rounds = 0
        self._in_turn: list[tuple[int, int]] = []
        """Last two decks dealt, the latest first, each with the number of its last round."""
        self._whole = False
        """True if the arrival of every deck is recorded."""

    def next(self, deck: int, moves: list[Move], *, opens: bool, unsure: bool) -> int:
        """Add a round; return whether it uses the other deck than the previous round.

        Args:
            deck: code of the deck; ABSENT if the round names none.
            unsure: True if the record may omit decks that come or leave.
        """
        unsure |= deck == ABSENT and any(named is None for named, _ in moves)
        if unsure:
            self._here, self._whole, self._in_turn = set(), False, self._in_turn[:1]
        self._rounds += 1
        if deck != ABSENT:
            self._here.add(deck)
        for named, comes in moves:
            moved_deck = deck if named is None else named
            if moved_deck == ABSENT:
                continue
            (self._here.add if comes else self._here.discard)(moved_deck)
            if comes:
                self._came[moved_deck] = self._rounds
                self._whole |= opens and not unsure
        if deck == ABSENT:  # any deck may have been dealt
            self._in_turn = []
            return UNKNOWN
        result = self._compare(deck)
        others = [entry for entry in self._in_turn if entry[0] != deck]
        self._in_turn = [(deck, self._rounds), *others[:1]]
        return result

    def _compare(self, deck: int) -> int:
        decks = [entry for entry, _ in self._in_turn]
        if not decks:
            return UNKNOWN
        if deck == decks[0]:
            others = self._here - {deck}
            # A deck that comes just before the round may need shuffling while the round is played.
            if any(self._came.get(other, 0) < self._rounds for other in others):
                return NO
            return YES if others or self._whole else UNKNOWN
        third = len(decks) == 2 and deck not in decks and self._here.issuperset(decks)
        return NO if third and self._came.get(deck, 0) <= self._in_turn[1][1] else YES
