"""Rounds whose events and summary cannot both be true.

Such a record says nothing that could be judged, so it is set aside. Nothing is compared with a kind of event
that the log declares as not recorded, nor with what the summary leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.cards.cards import CARDS, UNKNOWN, format_cards
from validator.evidence.columns import Batch, Cards, Flags, Ints
from validator.evidence.events import KIND, KINDS, PLACES, WIDEST_HAND
from validator.evidence.hands import places
from validator.evidence.relations import translated
from validator.text.visible import quoted

_DENSE = 1 << 16
"""So many cells are always worth a table; beyond, only while most are in use."""

_ACCOUNT = np.full(len(KINDS), -1)
_SIGN = np.zeros(len(KINDS), np.int64)
_ACCOUNTS = 4
for _kind, _account, _sign in (
    ("wager", 0, 1),
    ("withdraw", 0, -1),
    ("pay", 1, 1),
    ("collect", 2, 1),
    ("return", 3, 1),
):
    _ACCOUNT[KIND[_kind]], _SIGN[KIND[_kind]] = _account, _sign
"""Kinds of event whose amounts add up to something in the summary: to which of four sums, and with which sign."""


def contradictions(batch: Batch) -> list[tuple[int, str]]:
    """Rounds that contradict themselves, by index in ascending order, each with the first reason found.

    Compared are: the cards dealt to each place, in order, with the cards of the summary; wagers placed less
    wagers withdrawn with the stakes; the last decision of a seat with the seat's decision; what was paid and
    collected with what the summary says was paid and taken; what was given back with what was left of the
    stake; and cards that were shown with the cards of their place.
    """
    found: dict[int, str] = {}
    for check in (_cards, _shown, _amounts, _decisions):
        for index, reason in check(batch):
            found.setdefault(index, f"the record contradicts itself: {reason}")
    return sorted(found.items())


def _told(batch: Batch, *kinds: str) -> Flags:
    """bool[rounds]: the round was recorded event by event, these kinds included."""
    mask = np.uint32(sum(1 << KIND[kind] for kind in kinds))
    return batch.recorded & ((batch.unrecorded & mask) == 0)


class _Places:
    """The hands a summary lists, joined: those of seats, then dealers, then communities.

    `cards` is uint8[places, width], `count` int16[places] (-1 where not listed), `round` int64[places].
    """

    __slots__ = ("_first", "cards", "count", "round")

    def __init__(self, batch: Batch) -> None:
        seats, rounds = len(batch.seats.round), len(batch)
        listed = [batch.seats.hands, batch.dealer, batch.community]
        self.round = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
        self.cards = np.concatenate([hands.cards for hands in listed])
        self.count = np.concatenate([hands.count for hands in listed])
        self._first = np.full(len(PLACES), -1, np.int64)  # burnt cards have no place in a summary
        self._first[[PLACES.index("dealer"), PLACES.index("community")]] = seats, seats + rounds

    def of(self, batch: Batch, events: Ints) -> Ints:
        """int64[n]: the place each of some events is about, -1 where it is none of these."""
        first = self._first[batch.events.place[events]]
        return np.where(first >= 0, first + batch.events.round[events], batch.events.seat[events])

    def words(self, batch: Batch, place: int) -> str:
        """A place, as sentences begin with it."""
        seats, rounds = len(batch.seats.round), len(batch)
        if place < seats:
            return f"the cards of seat {batch.seats.number[place]} are"
        return "the dealer's cards are" if place < seats + rounds else "the community cards are"


_SHOWING = np.isin(KINDS, ("reveal", "expose", "turn-down"))
"""bool[kinds]: the kinds of event in which cards of a place come to light."""

_FACE_UNKNOWN = np.uint64(1 << 63)
_BIT_OF_CARD = np.zeros(256, np.uint64)
_BIT_OF_CARD[:CARDS] = np.uint64(1) << np.arange(CARDS, dtype=np.uint64)
_BIT_OF_CARD[UNKNOWN] = _FACE_UNKNOWN


def _sets(cards: Cards, count: NDArray[np.int16]) -> NDArray[np.uint64]:
    """uint64[n]: the cards of each row as a set, a bit for every card and one for a face that is not known."""
    found = np.zeros(len(cards), np.uint64)
    for place in range(int(count.max(initial=0))):
        found |= _BIT_OF_CARD[cards[:, place]]
    return found


def _shown(batch: Batch) -> Iterator[tuple[int, str]]:
    """Cards that came to light at a place that does not hold them."""
    events, listed = batch.events, _Places(batch)
    shown = np.flatnonzero(_SHOWING[events.kind] & (events.cards_row >= 0))
    place = listed.of(batch, shown)
    told = np.flatnonzero((place >= 0) & (listed.count[place] >= 0))
    shown, place = shown[told], place[told]
    held = _sets(listed.cards, listed.count)[place]
    seen = _sets(events.hands.cards, events.hands.count)[events.cards_row[shown]]
    strange = (seen & ~held & ~_FACE_UNKNOWN != 0) & (held & _FACE_UNKNOWN == 0)
    for index in np.flatnonzero(strange).tolist():
        event, owner = int(shown[index]), int(place[index])
        row = events.cards_row[event]
        cards = format_cards(events.hands.cards[row, : events.hands.count[row]])
        summary = format_cards(listed.cards[owner, : listed.count[owner]]) or "none"
        yield int(events.round[event]), f"{listed.words(batch, owner)} {summary}, but {cards} is shown there"


def _cards(batch: Batch) -> Iterator[tuple[int, str]]:
    events, listed = batch.events, _Places(batch)
    round_of, shown, expected = listed.round, listed.cards, listed.count
    deals = np.flatnonzero(events.kind == KIND["deal"])
    place = listed.of(batch, deals)
    deals, place = deals[place >= 0], place[place >= 0]
    in_order = np.argsort(place, kind="stable")
    deals, place = deals[in_order], place[in_order]

    rows = events.cards_row[deals].astype(np.int64)
    counts = events.hands.count[rows].astype(np.int64)
    dealt = np.bincount(place, counts, len(round_of)).astype(np.int64)
    start = np.cumsum(dealt) - dealt
    cards = events.hands.cards.reshape(-1)[places(rows, counts)]
    owner = np.repeat(place, counts)
    position = np.minimum(np.arange(len(owner)) - start[owner], WIDEST_HAND - 1)  # more cannot be right anyway
    other = shown.reshape(-1)[owner * WIDEST_HAND + position]
    differs = (cards != other) & (cards != UNKNOWN) & (other != UNKNOWN)

    wrong = dealt != expected
    wrong[owner[differs]] = True
    wrong &= (expected >= 0) & _told(batch, "deal")[round_of]
    for found in np.flatnonzero(wrong).tolist():
        summary = format_cards(shown[found, : expected[found]]) or "none"
        dealing = format_cards(cards[start[found] : start[found] + dealt[found]]) or "none"
        yield int(round_of[found]), f"{listed.words(batch, found)} {summary}, but its events deal {dealing}"


def _decisions(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats = batch.events, batch.seats
    decision_of, names = translated(events.decision, seats.decision)
    decisions = np.flatnonzero((events.kind == KIND["decide"]) & (events.seat >= 0))
    last = np.full(len(seats.round), -1, np.int64)
    np.maximum.at(last, events.seat[decisions], decisions)
    decided = np.flatnonzero((last >= 0) & (seats.decision.codes >= 0) & _told(batch, "decide")[seats.round])
    for seat in decided[decision_of[last[decided]] != seats.decision.codes[decided]].tolist():
        summary, told = quoted(seats.decision.text(seat) or ""), quoted(names[decision_of[last[seat]]])
        yield int(seats.round[seat]), f"seat {seats.number[seat]} decides {summary}, but {told} by its events"


class _Ledger:
    """Cells to add amounts up in: one for every seat, wager and tip that a stake or an event may name.

    `stake` and `event` are the cells of the stakes and of the events `at`, `size` is the number of cells.
    """

    __slots__ = ("_names", "_used", "at", "event", "size", "stake")

    def __init__(self, batch: Batch, at: Ints) -> None:
        events, stakes = batch.events, batch.stakes
        wager_of, self._names = translated(events.wager, stakes.wager)
        self.at = at
        seat = np.concatenate([stakes.seat, events.seat[at]]).astype(np.int64)
        wager = np.concatenate([stakes.wager.codes, wager_of[at]])
        tip = np.concatenate([stakes.tip, events.tip[at]])
        cells = (seat * len(self._names) + wager) * 2 + tip
        self.size = int(cells.max(initial=-1)) + 1
        self._used: Ints | None = None
        if self.size > _DENSE + 8 * len(cells):
            self._used, cells = np.unique(cells, return_inverse=True)
            self.size = len(self._used)
        self.stake, self.event = cells[: len(stakes.seat)], cells[len(stakes.seat) :]

    def seats(self, cells: Ints) -> Ints:
        """int64[n]: the seats of some cells."""
        return self._keys(cells) // (2 * max(len(self._names), 1))

    def words(self, cell: int) -> str:
        """The wager of a cell."""
        named, tip = divmod(int(self._keys(cell)), 2)
        return f"{'a tip on ' * tip}{quoted(self._names[named % len(self._names)])}"

    def _keys(self, cells: Ints | int) -> Ints:
        return np.asarray(cells) if self._used is None else self._used[cells]


def _amounts(batch: Batch) -> Iterator[tuple[int, str]]:
    # No sum comes near the 2**53 up to which the floats of bincount are exact.
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    ledger = _Ledger(batch, np.flatnonzero(_SIGN[events.kind]))
    kind, size = events.kind[ledger.at], ledger.size
    signed = events.amount[ledger.at] * _SIGN[kind]
    by_events = np.bincount(ledger.event + size * _ACCOUNT[kind], signed, _ACCOUNTS * size)
    own = ~stakes.bonus
    for account, (kinds, column, counted, what) in enumerate(
        (
            (("wager", "withdraw"), stakes.amount, own, "staked"),
            (("pay",), stakes.paid, np.ones(len(own), np.bool_), "paid"),
            (("collect",), stakes.taken, own, "taken"),
        )
    ):
        sums = by_events[account * size : (account + 1) * size]
        summary = np.bincount(ledger.stake, column * counted, size)
        wrong = summary != sums
        wrong[ledger.stake[counted & (column < 0)]] = False
        cells = np.flatnonzero(wrong)
        cells = cells[_told(batch, *kinds)[seats.round[ledger.seats(cells)]]]
        for cell, seat in zip(cells.tolist(), ledger.seats(cells).tolist(), strict=True):
            amounts = f"{int(summary[cell])} {what}, but {int(sums[cell])} by its events"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.words(cell)}: {amounts}"
    yield from _returns(batch, ledger, by_events[3 * size :])


def _returns(batch: Batch, ledger: _Ledger, returned: NDArray[Any]) -> Iterator[tuple[int, str]]:
    """Stakes of which more was given back than was left of them."""
    seats, stakes = batch.seats, batch.stakes
    own = ~stakes.bonus
    left = np.bincount(ledger.stake, (stakes.amount - np.maximum(stakes.taken, 0)) * own, ledger.size)
    cells = np.flatnonzero((returned > left) & (returned > 0))
    cells = cells[_told(batch, "return")[seats.round[ledger.seats(cells)]]]
    for cell, seat in zip(cells.tolist(), ledger.seats(cells).tolist(), strict=True):
        amounts = f"{int(returned[cell])} given back by its events, but {int(left[cell])} left of the stake"
        yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.words(cell)}: {amounts}"
