"""Rounds whose events and summary cannot both be true.

Such a record says nothing that could be judged, so it is set aside. Nothing is compared with a kind of event
that the log declares as not recorded, nor with what the summary leaves open.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.cards.cards import UNKNOWN, format_cards
from validator.evidence.columns import Batch, Flags, Ints
from validator.evidence.events import KIND, KINDS, PLACES, WIDEST_HAND
from validator.evidence.hands import places
from validator.evidence.relations import translated
from validator.text.visible import quoted

_DENSE = 1 << 16
"""So many cells are always worth a table; beyond, only while most are in use."""

_ACCOUNT = np.full(len(KINDS), -1)
_SIGN = np.zeros(len(KINDS), np.int64)
for _kind, _account, _sign in (("wager", 0, 1), ("withdraw", 0, -1), ("pay", 1, 1), ("collect", 2, 1)):
    _ACCOUNT[KIND[_kind]], _SIGN[KIND[_kind]] = _account, _sign
"""Kinds of event whose amounts add up to something in the summary: to which of three sums, and with which sign."""


def contradictions(batch: Batch) -> list[tuple[int, str]]:
    """Rounds that contradict themselves, by index in ascending order, each with the first reason found.

    Compared are: the cards dealt to each place, in order, with the cards of the summary; wagers placed less
    wagers withdrawn with the stakes; the last decision of a seat with the seat's decision; what was paid and
    collected with what the summary says was paid and taken.
    """
    found: dict[int, str] = {}
    for check in (_cards, _amounts, _decisions):
        for index, reason in check(batch):
            found.setdefault(index, f"the record contradicts itself: {reason}")
    return sorted(found.items())


def _told(batch: Batch, *kinds: str) -> Flags:
    """bool[rounds]: the round was recorded event by event, these kinds included."""
    mask = np.uint32(sum(1 << KIND[kind] for kind in kinds))
    return batch.recorded & ((batch.unrecorded & mask) == 0)


def _cards(batch: Batch) -> Iterator[tuple[int, str]]:
    events, seats, rounds = batch.events, len(batch.seats.round), len(batch)
    listed = [batch.seats.hands, batch.dealer, batch.community]
    round_of = np.concatenate([batch.seats.round, np.arange(rounds), np.arange(rounds)])
    shown = np.concatenate([hands.cards for hands in listed])
    expected = np.concatenate([hands.count for hands in listed])

    deals = np.flatnonzero(events.kind == KIND["deal"])
    first_place = np.full(len(PLACES), -1, np.int64)  # of the places above, burnt cards having none
    first_place[[PLACES.index("dealer"), PLACES.index("community")]] = seats, seats + rounds
    first = first_place[events.place[deals]]
    place = np.where(first >= 0, first + events.round[deals], events.seat[deals])
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
        whose = "the dealer's cards are" if found < seats + rounds else "the community cards are"
        if found < seats:
            whose = f"the cards of seat {batch.seats.number[found]} are"
        summary = format_cards(shown[found, : expected[found]]) or "none"
        dealing = format_cards(cards[start[found] : start[found] + dealt[found]]) or "none"
        yield int(round_of[found]), f"{whose} {summary}, but its events deal {dealing}"


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
    by_events = np.bincount(ledger.event + size * _ACCOUNT[kind], signed, 3 * size)
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
