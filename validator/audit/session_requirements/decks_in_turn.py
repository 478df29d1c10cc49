"""Two decks in turn: which decks a table has, as far as it is told, and whether each round is played with the other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from validator.arrays import ABSENT, Tri
from validator.audit.sessions.event_signature import Word
from validator.audit.sessions.rounds_in_order import Gathered
from validator.engine.core.kleene import NO, UNKNOWN, YES

Move: TypeAlias = tuple[int | None, bool]
"""A deck by its code, None for the one in play, and whether it comes to the table or leaves it."""


def decks_in_turn(rounds: Gathered, received: str | None, removed: str | None) -> Tri:
    """uint8[rounds]: whether each round is played with the other deck of two than the round listed before it, or with
    the one that is left. `received` and `removed` are the steps by which decks come to the table and leave it;
    without the latter no deck is ever left alone."""
    order, codes = rounds.order, {name: code for code, name in enumerate(rounds.deck.names)}
    moves = [list(_moves(word, codes, received, removed)) for word in rounds.words]
    unsure = [_unsure(word, frozenset((received, removed))) for word in rounds.words]
    apart = order.first | order.opening | (order.gap != 0)
    opens = order.opening & (order.gap == 0)
    found = np.full(len(rounds), UNKNOWN, np.uint8)
    table = _Table()
    columns = (rounds.deck.codes, rounds.word, apart, opens)
    for place, (deck, word, begins, opening) in enumerate(zip(*(one.tolist() for one in columns), strict=True)):
        if begins:
            table = _Table()
        found[place] = table.next(deck, moves[word], opens=opening, unsure=unsure[word])
    if removed is None:
        again = (rounds.deck.codes != ABSENT) & (rounds.deck.codes == np.roll(rounds.deck.codes, 1))
        found[again & ~apart] = NO
    return found


def _unsure(word: Word, steps: frozenset[str | None]) -> bool:
    """Whether a round need not tell which decks take these steps in it."""
    untold = any(symbol.any_deck and steps.intersection(dict(symbol.steps)) for symbol in word.symbols)
    return word.breaks_off or not word.unrecorded.isdisjoint(steps) or untold


def _moves(word: Word, codes: dict[str, int], received: str | None, removed: str | None) -> Iterator[Move]:
    for symbol in word.symbols:
        for step, _ in symbol.steps:
            if step in (received, removed):
                yield None if symbol.deck is None else codes[symbol.deck], step == received


class _Table:
    """The decks of a table, as rounds follow each other with none missing."""

    __slots__ = ("_came", "_here", "_in_turn", "_rounds", "_whole")

    def __init__(self) -> None:
        self._here: set[int] = set()
        """Decks that were dealt or have come, and have not left."""
        self._came: dict[int, int] = {}
        """When decks have come: the number of the round, counted here."""
        self._rounds = 0
        self._in_turn: list[tuple[int, int]] = []
        """The deck that was dealt last and the other that was, and when."""
        self._whole = False
        """Whether it is told of all its decks that they came."""

    def next(self, deck: int, moves: list[Move], *, opens: bool, unsure: bool) -> int:
        """Return whether a round with this deck (ABSENT where it names none) is played with the other deck than the
        round before; `unsure` where the record need not name every deck that comes or leaves."""
        unsure |= deck == ABSENT and any(named is None for named, _ in moves)
        if unsure:
            self._here, self._whole, self._in_turn = set(), False, self._in_turn[:1]
        self._rounds += 1
        if deck != ABSENT:
            self._here.add(deck)
        for named, comes in moves:
            moved = deck if named is None else named
            if moved == ABSENT:
                continue
            (self._here.add if comes else self._here.discard)(moved)
            if comes:
                self._came[moved] = self._rounds
                self._whole |= opens and not unsure
        if deck == ABSENT:  # any of the decks may have been dealt
            self._in_turn = []
            return UNKNOWN
        found = self._compare(deck)
        others = [one for one in self._in_turn if one[0] != deck]
        self._in_turn = [(deck, self._rounds), *others[:1]]
        return found

    def _compare(self, deck: int) -> int:
        decks = [one for one, _ in self._in_turn]
        if not decks:
            return UNKNOWN
        if deck == decks[0]:
            others = self._here - {deck}
            # A deck that comes in front of the round may have to be shuffled while the round is played.
            if any(self._came.get(other, 0) < self._rounds for other in others):
                return NO
            return YES if others or self._whole else UNKNOWN
        third = len(decks) == 2 and deck not in decks and self._here.issuperset(decks)
        return NO if third and self._came.get(deck, 0) <= self._in_turn[1][1] else YES
