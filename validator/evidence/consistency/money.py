"""Rounds whose events and summary tell of different amounts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Flags, Indices, Ints
from validator.evidence.columns.batch import Batch
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.columns.tables import translated
from validator.evidence.consistency.chips import with_decided_chips
from validator.evidence.consistency.swept import Swept, swept
from validator.evidence.handlog.events import KIND, KINDS
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


class _Ledger:
    """Cells to add amounts up in: one for every seat, wager and tip that a stake or an event may name.

    `stake` and `event` are the cells of the stakes and of the events `at`, `size` is the number of cells.
    """

    __slots__ = ("_keys", "_names", "at", "event", "size", "stake")

    def __init__(self, batch: Batch, at: Ints) -> None:
        events, stakes = batch.events, batch.stakes
        wager_of, self._names = translated(events.wager, stakes.wager)
        self.at = at
        seat = np.concatenate([stakes.seat, events.seat.take(at)]).astype(np.int64)
        wager = np.concatenate([stakes.wager.codes, wager_of.take(at)])
        tip = np.concatenate([stakes.tip, events.tip.take(at)])
        self._keys, cells = _numbered((seat * len(self._names) + wager) * 2 + tip)
        self.size = len(self._keys)
        self.stake, self.event = cells[: len(stakes.seat)], cells[len(stakes.seat) :]

    def seats(self, cells: Ints) -> Ints:
        """int64[n]: the seats of some cells."""
        return self._keys[cells] // (2 * max(len(self._names), 1))

    def tips(self, cells: Ints) -> Flags:
        """bool[n]: whether cells are of tips."""
        return self._keys[cells] % 2 == 1

    def named(self, names: Collection[str]) -> Flags:
        """Return whether cells are of wagers with some names, bool[size]."""
        wanted = np.array([name in names for name in self._names], np.bool_)
        return wanted.take(self._keys // 2 % max(len(self._names), 1)) if len(wanted) else np.zeros(self.size, np.bool_)

    def words(self, cell: int) -> str:
        """The wager of a cell."""
        name, tip = self._wager(cell)
        return f"{'a tip on ' * tip}{quoted(name)}"

    def in_order(self, cells: Indices) -> list[tuple[int, int]]:
        """Cells with their seats: seat by seat, and wagers by their names, which codes follow only where no other
        rounds were read before."""
        seats = self.seats(cells).tolist()
        return sorted(zip(cells.tolist(), seats, strict=True), key=lambda one: (one[1], *self._wager(one[0])))

    def _wager(self, cell: int) -> tuple[str, int]:
        """The name of a cell's wager, and 1 where it is of tips."""
        named, tip = divmod(int(self._keys[cell]), 2)
        return self._names[named % len(self._names)], tip


def _numbered(keys: Ints) -> tuple[Ints, Indices]:
    """The distinct keys, ascending, and the place of each key among them."""
    size = int(keys.max(initial=-1)) + 1
    if size > _DENSE + 8 * len(keys):
        return np.unique(keys, return_inverse=True)
    there = np.zeros(size, np.bool_)
    there[keys] = True
    distinct = np.flatnonzero(there)
    place = np.empty(size, np.intp)
    place[distinct] = np.arange(len(distinct))
    return distinct, place.take(keys)


def amounts(batch: Batch, bonuses: Callable[[], Collection[str]]) -> Iterator[tuple[int, str]]:
    """Wagers placed less wagers withdrawn that are not the stakes; what was paid and collected, and is not what the
    summary says was paid and taken; a stake collected once more when all of it was; and more given back than was left
    of one."""
    # No sum comes near the 2**53 up to which the floats of bincount are exact.
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    ledger = _Ledger(batch, np.flatnonzero(_SIGN[events.kind]))
    kind, size = events.kind.take(ledger.at), ledger.size
    signed = events.amount.take(ledger.at) * _SIGN.take(kind)
    moved_back = swept(batch)
    by_events = np.bincount(ledger.event + size * _ACCOUNT.take(kind), signed, _ACCOUNTS * size)
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
        if what == "taken":
            for one in moved_back:
                wrong[ledger.stake[one.stake]] &= not one.least <= column[one.stake] <= one.taken
            # Where it is not recorded what is given back, it may have been put back.
            back_told = tells(batch, "return")[seats.round[ledger.seats(np.arange(size))]]
            wrong &= back_told | (summary > sums)
        cells = np.flatnonzero(wrong)
        rounds = seats.round[ledger.seats(cells)]
        wanted = tells(batch, *kinds)[rounds]
        if what == "staked":
            # What decisions put in lies on some line besides.
            wanted &= (summary < sums)[cells] | ledger.tips(cells) | ~with_decided_chips(batch)[rounds]
        elif what == "paid" and wanted.any():
            wanted &= ~_of_no_account(batch, ledger, bonuses())[cells]
        cells = cells[wanted]
        for cell, seat in ledger.in_order(cells):
            amounts = f"{int(summary[cell])} {what}, but {int(sums[cell])} by its events"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.words(cell)}: {amounts}"
    yield from _beyond_the_stake(batch, ledger, by_events[2 * size : 3 * size], by_events[3 * size :], moved_back)


def _of_no_account(batch: Batch, ledger: _Ledger, bonuses: Collection[str]) -> Flags:
    """Find the cells that the summary does not speak of, bool[cells].

    They have no line in it, and are of a bonus, or at a seat of which it leaves open what became of a stake. There
    they may be of a bonus, which is only told to be unpaid where the outcome of its wager is told.
    """
    untold = np.zeros(len(batch.seats.round), np.bool_)
    untold[batch.stakes.seat[~batch.stakes.bonus & (batch.stakes.paid < 0)]] = True
    cells = np.arange(ledger.size)
    unlisted = untold[ledger.seats(cells)] | ledger.named(bonuses)
    unlisted[ledger.stake] = False
    return unlisted


def _beyond_the_stake(
    batch: Batch, ledger: _Ledger, collected: NDArray[Any], returned: NDArray[Any], moved_back: Sequence[Swept]
) -> Iterator[tuple[int, str]]:
    """Stakes of which some was collected again when all was, or more given back than was left of them, or than the
    house had taken and could put back. That more than a stake is collected at once is a matter for judgement."""
    seats, stakes = batch.seats, batch.stakes
    own = ~stakes.bonus
    staked = np.bincount(ledger.stake, stakes.amount * own, ledger.size)
    left = staked - np.bincount(ledger.stake, np.maximum(stakes.taken, 0) * own, ledger.size)
    back = (returned > left) & (returned > 0)
    # Where it is not recorded what is taken, any stake that came back may have been put back, though no more at once.
    taken_told = tells(batch, "collect")[seats.round[ledger.seats(np.arange(ledger.size))]]
    returns = np.flatnonzero(batch.events.kind.take(ledger.at) == KIND["return"])
    most = np.zeros(ledger.size, np.int64)
    np.maximum.at(most, ledger.event[returns], batch.events.amount.take(ledger.at)[returns])
    back &= taken_told | (most > staked)
    times = np.bincount(ledger.event, batch.events.kind.take(ledger.at) == KIND["collect"], ledger.size)
    taken = (collected > staked) & (times > 1)
    for one in moved_back:
        cell = ledger.stake[one.stake]
        back[cell], taken[cell] = not one.possible, False
    for wrong, kinds, moved, there, (verb, where) in (
        (taken, ("wager", "withdraw", "collect", "return"), collected, staked, ("collected", "lay there")),
        (back, ("return",), returned, left, ("given back", "left of the stake")),
    ):
        cells = np.flatnonzero(wrong)
        cells = cells[tells(batch, *kinds)[seats.round[ledger.seats(cells)]]]
        for cell, seat in ledger.in_order(cells):
            amounts = f"{int(moved[cell])} {verb} by its events, but {int(there[cell])} {where}"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.words(cell)}: {amounts}"
