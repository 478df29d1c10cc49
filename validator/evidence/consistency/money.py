"""Rounds whose events and summary state different amounts."""

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
"""Number of cells that always justifies a table; beyond it, most cells must be in use."""

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
"""Sum that the amounts of a kind of event belong to (one of four, -1 for none), and their sign."""


class _Ledger:
    """Cells that sum amounts: one for every seat, wager and tip of a stake or an event."""

    __slots__ = ("_keys", "_names", "at", "event", "size", "stake")

    def __init__(self, batch: Batch, at: Ints) -> None:
        events, stakes = batch.events, batch.stakes
        wager_of, self._names = translated(events.wager, stakes.wager)
        self.at = at
        """Events of the ledger, int64[n]."""
        seat = np.concatenate([stakes.seat, events.seat.take(at)]).astype(np.int64)
        wager = np.concatenate([stakes.wager.codes, wager_of.take(at)])
        tip = np.concatenate([stakes.tip, events.tip.take(at)])
        self._keys, cells = _number_keys((seat * len(self._names) + wager) * 2 + tip)
        self.size = len(self._keys)
        """Number of cells."""
        self.stake, self.event = cells[: len(stakes.seat)], cells[len(stakes.seat) :]
        """Cell of each stake, and cell of each event of the ledger."""

    def seats(self, cells: Ints) -> Ints:
        """Return the seats of some cells.

        Returns: int64[n].
        """
        return self._keys[cells] // (2 * max(len(self._names), 1))

    def tips(self, cells: Ints) -> Flags:
        """Return whether each cell is for tips.

        Returns: bool[n].
        """
        return self._keys[cells] % 2 == 1

    def has_name(self, names: Collection[str]) -> Flags:
        """Return whether each cell is for a wager with one of some names.

        Returns: bool[size].
        """
        wanted = np.array([name in names for name in self._names], np.bool_)
        return wanted.take(self._keys // 2 % max(len(self._names), 1)) if len(wanted) else np.zeros(self.size, np.bool_)

    def words(self, cell: int) -> str:
        """Describe the wager of a cell."""
        name, tip = self._split_key(cell)
        return f"{'a tip on ' * tip}{quoted(name)}"

    def in_order(self, cells: Indices) -> list[tuple[int, int]]:
        """Return cells with their seats, sorted by seat and by name of the wager.

        Codes follow that order only if no other rounds were read before.
        """
        seats = self.seats(cells).tolist()
        return sorted(zip(cells.tolist(), seats, strict=True), key=lambda item: (item[1], *self._split_key(item[0])))

    def _split_key(self, cell: int) -> tuple[str, int]:
        """Return the name of a cell's wager, and 1 if the cell is for tips."""
        named, tip = divmod(int(self._keys[cell]), 2)
        return self._names[named % len(self._names)], tip


def _number_keys(keys: Ints) -> tuple[Ints, Indices]:
    """Return the distinct keys, ascending, and the index of each key among them."""
    size = int(keys.max(initial=-1)) + 1
    if size > _DENSE + 8 * len(keys):
        return np.unique(keys, return_inverse=True)
    is_used = np.zeros(size, np.bool_)
    is_used[keys] = True
    distinct = np.flatnonzero(is_used)
    place = np.empty(size, np.intp)
    place[distinct] = np.arange(len(distinct))
    return distinct, place.take(keys)


def amounts(batch: Batch, bonuses: Callable[[], Collection[str]]) -> Iterator[tuple[int, str]]:
    """Yield the rounds whose amounts differ between events and summary.

    The checks are: wagers placed less wagers withdrawn, against the stakes; payments and collections, against the
    amounts paid and taken; a stake collected again after all of it was; more returned than was left of a stake.
    """
    # No sum comes near the 2**53 up to which the floats of bincount are exact.
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    ledger = _Ledger(batch, np.flatnonzero(_SIGN[events.kind]))
    kind, size = events.kind.take(ledger.at), ledger.size
    signed = events.amount.take(ledger.at) * _SIGN.take(kind)
    reversals = swept(batch)
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
            for reversal in reversals:
                wrong[ledger.stake[reversal.stake]] &= not reversal.least <= column[reversal.stake] <= reversal.taken
            # If returns are not recorded, a collected stake may have been returned.
            has_returns = tells(batch, "return")[seats.round[ledger.seats(np.arange(size))]]
            wrong &= has_returns | (summary > sums)
        cells = np.flatnonzero(wrong)
        rounds = seats.round[ledger.seats(cells)]
        wanted = tells(batch, *kinds)[rounds]
        if what == "staked":
            # Chips put in with decisions add to some stake of the seat.
            wanted &= (summary < sums)[cells] | ledger.tips(cells) | ~with_decided_chips(batch)[rounds]
        elif what == "paid" and wanted.any():
            wanted &= ~_is_not_in_summary(batch, ledger, bonuses())[cells]
        cells = cells[wanted]
        for cell, seat in ledger.in_order(cells):
            amounts = f"{int(summary[cell])} {what} in the summary, but {int(sums[cell])} in the events"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.words(cell)}: {amounts}"
    yield from _find_repeated_moves(batch, ledger, by_events[2 * size : 3 * size], by_events[3 * size :], reversals)


def _is_not_in_summary(batch: Batch, ledger: _Ledger, bonuses: Collection[str]) -> Flags:
    """Find the cells that the summary does not cover.

    These are the cells without a line in the summary that belong to a bonus, or to a seat with a stake of unknown
    outcome. There they may belong to a bonus, which is known to be unpaid only if the outcome of its wager is known.

    Returns: bool[cells].
    """
    open_seats = np.zeros(len(batch.seats.round), np.bool_)
    open_seats[batch.stakes.seat[~batch.stakes.bonus & (batch.stakes.paid < 0)]] = True
    cells = np.arange(ledger.size)
    unlisted = open_seats[ledger.seats(cells)] | ledger.has_name(bonuses)
    unlisted[ledger.stake] = False
    return unlisted


def _find_repeated_moves(
    batch: Batch, ledger: _Ledger, collected: NDArray[Any], returned: NDArray[Any], reversals: Sequence[Swept]
) -> Iterator[tuple[int, str]]:
    """Yield stakes that were collected again after all of them was, or of which too much was returned.

    Too much is more than was left of the stake, or more than the house had taken and could return. A single collection
    of more than the stake is left to the rules.
    """
    seats, stakes = batch.seats, batch.stakes
    own = ~stakes.bonus
    staked = np.bincount(ledger.stake, stakes.amount * own, ledger.size)
    left = staked - np.bincount(ledger.stake, np.maximum(stakes.taken, 0) * own, ledger.size)
    back = (returned > left) & (returned > 0)
    # If collections are not recorded, any returned stake may have been collected before, but never more than the stake.
    has_collections = tells(batch, "collect")[seats.round[ledger.seats(np.arange(ledger.size))]]
    returns = np.flatnonzero(batch.events.kind.take(ledger.at) == KIND["return"])
    most = np.zeros(ledger.size, np.int64)
    np.maximum.at(most, ledger.event[returns], batch.events.amount.take(ledger.at)[returns])
    back &= has_collections | (most > staked)
    times = np.bincount(ledger.event, batch.events.kind.take(ledger.at) == KIND["collect"], ledger.size)
    taken = (collected > staked) & (times > 1)
    for reversal in reversals:
        cell = ledger.stake[reversal.stake]
        back[cell], taken[cell] = not reversal.possible, False
    for wrong, kinds, moved, there, (verb, where) in (
        (taken, ("wager", "withdraw", "collect", "return"), collected, staked, ("collected", "at stake")),
        (back, ("return",), returned, left, ("given back", "left of the stake")),
    ):
        cells = np.flatnonzero(wrong)
        cells = cells[tells(batch, *kinds)[seats.round[ledger.seats(cells)]]]
        for cell, seat in ledger.in_order(cells):
            amounts = f"{int(moved[cell])} {verb} in the events, but {int(there[cell])} {where}"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.words(cell)}: {amounts}"
