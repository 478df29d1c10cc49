"""Rounds whose events and summary state different amounts: stakes, payments, collections and chips among players."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Indices, Ints, are_all, find_true, has_any
from fairdeal.validator.evidence.columns.log_draft import number_lines
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.text.diagnostics import quote

_MOST_RETURNS = 6
"""Most returns of a stake of which several readings are tried."""
_COLLECT, _RETURN = KIND_CODES["collect"], KIND_CODES["return"]


class ReversedCollection(Struct, frozen=True, kw_only=True):
    """Movements of a stake that was collected and returned, in whole or in part."""

    stake: int
    """Index of the stake."""
    taken: int
    """Amount collected in all."""
    kept: int
    """Most that the house kept, as more was returned than was at stake."""
    least: int
    """Least that the house kept, if every return after a collection came from the house."""
    possible: bool
    """False if the amounts cannot all have been moved."""


def find_reversed_collections(batch: Batch, ledger: StakeLedger | None = None) -> list[ReversedCollection]:
    """Find the stakes of a batch that were both collected and returned, in whole or in part.

    Args:
        batch: the rounds.
        ledger: their ledger, if there is one already.
    """
    kind, stakes = batch.events.kind, batch.stakes
    if not has_any(kind == _COLLECT) or not has_any(kind == _RETURN):
        return []
    ledger = ledger or StakeLedger(batch)
    kind = kind.take(ledger.events)
    is_collected, is_returned = (
        np.bincount(ledger.event_cells[kind == code], minlength=ledger.size) > 0 for code in (_COLLECT, _RETURN)
    )
    own = find_true(~stakes.bonus & (is_collected & is_returned)[ledger.stake_cells])
    moved = find_true((kind == _COLLECT) | (kind == _RETURN)) if len(own) else own
    reversals = []
    for stake in own.tolist():
        at = ledger.events[moved[ledger.event_cells[moved] == ledger.stake_cells[stake]]]
        story = [*zip((batch.events.kind[at] == _RETURN).tolist(), batch.events.amount[at].tolist(), strict=True)]
        reversals.append(_read_story(stake, int(stakes.amount[stake]), story))
    return reversals


def _read_story(stake: int, amount: int, story: Sequence[tuple[bool, int]]) -> ReversedCollection:
    """Track a stake. If that fails, treat some returns as amounts that were put back, as few as possible."""
    reversal = _track_stake(stake, amount, story, frozenset())
    returns = [at for at, (back, _) in enumerate(story) if back]
    if reversal.possible or len(returns) > _MOST_RETURNS:
        return reversal
    readings = (
        _track_stake(stake, amount, story, frozenset(put_back))
        for number in range(1, len(returns) + 1)
        for put_back in combinations(returns, number)
    )
    return next((reading for reading in readings if reading.possible), reversal)


def _track_stake(
    stake: int, amount: int, story: Iterable[tuple[bool, int]], put_back_at: frozenset[int]
) -> ReversedCollection:
    """Track a stake event by event: the amount at stake, and the amount that the house has.

    A return beyond the amount at stake comes from the house, and is at stake again. So is the next return, up to the
    amount that the house still has, and so are the returns at some places of the list.
    """
    lies, kept, taken, returned_later, returned, possible, is_put_back = amount, 0, 0, 0, 0, True, False
    for at, (back, moved) in enumerate(story):
        if back:
            put_back = min(moved, kept) if is_put_back or at in put_back_at else max(moved - lies, 0)
            possible &= put_back <= kept and moved - put_back <= lies
            returned_later += moved if taken else 0
            kept, returned = max(kept - put_back, 0), returned + moved - put_back
            lies += put_back - (moved - put_back)
            is_put_back = put_back > 0
        else:
            possible &= not returned or moved <= lies
            kept, taken, lies, is_put_back = kept + moved, taken + moved, max(lies - moved, 0), False
    return ReversedCollection(
        stake=stake, taken=taken, kept=kept, least=max(taken - returned_later, 0), possible=possible
    )


def deduct_reversed_collections(batch: Batch) -> Batch:
    """Return the batch with the amount that the house kept of each stake as the amount taken.

    If the log does not record collections, and more was returned than the summary leaves of a stake, part of it was
    collected and returned. The amount taken is then unknown.
    """
    if not has_any(batch.events.kind == _RETURN):
        return batch
    ledger = StakeLedger(batch)
    taken = batch.stakes.taken.copy()
    in_rounds = batch.seats.round.take(batch.stakes.seat)
    recorded = is_recorded(batch, "collect", "return").take(in_rounds)
    for reversal in find_reversed_collections(batch, ledger):
        if recorded[reversal.stake] and reversal.kept < taken[reversal.stake]:
            taken[reversal.stake] = reversal.kept
    unknown = ~is_recorded(batch, "collect").take(in_rounds) & ~batch.stakes.bonus & (taken > 0)
    if has_any(unknown):
        returned = _sum_returned(batch, ledger)
        unknown &= (returned > 0) & (returned > batch.stakes.amount - taken)
        taken[unknown] = ABSENT
    if are_all(taken == batch.stakes.taken):
        return batch
    return replace(batch, stakes=replace(batch.stakes, taken=taken))


def _sum_returned(batch: Batch, ledger: StakeLedger) -> Ints:
    """Return the amount that events return of each stake.

    Returns: int64[stakes].
    """
    is_return = batch.events.kind.take(ledger.events) == _RETURN
    amounts = batch.events.amount.take(ledger.events)[is_return]
    return np.bincount(ledger.event_cells[is_return], amounts, ledger.size).astype(np.int64)[ledger.stake_cells]


def may_decide_chips(batch: Batch) -> Flags:
    """Return whether each round has a decision that states its chips, or may have one that is not recorded.

    Returns: bool[rounds].
    """
    may_decide = ~is_recorded(batch, "decide")
    may_decide[batch.events.round[_split_decisions(batch)[1]]] = True
    return may_decide


def find_chip_contradictions(batch: Batch, passive: Callable[[], Collection[str]]) -> Iterator[tuple[int, str]]:
    """Yield stakes that differ from placed wagers and chips put in with decisions, and winnings that differ from the
    awards of pots.

    Args:
        batch: the rounds.
        passive: returns the names of decisions that put no chips in unless they state an amount.
    """
    yield from _find_put_in_contradictions(batch, passive)
    yield from _find_won_contradictions(batch)


def _split_decisions(batch: Batch) -> tuple[Ints, Ints]:
    """Return the decisions that do not state their chips, and those that do.

    Returns: int64[n] each.
    """
    decisions = find_true(batch.events.kind == KIND_CODES["decide"])
    stated = batch.events.amount[decisions] >= 0
    return decisions[~stated], decisions[stated]


def _find_put_in_contradictions(batch: Batch, passive: Callable[[], Collection[str]]) -> Iterator[tuple[int, str]]:
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    silent, stated = _split_decisions(batch)
    if not len(stated):
        return
    decided = _sum_by_seat(batch, stated)
    whole = is_recorded(batch, "decide")[seats.round]
    if len(silent):
        names, codes = passive(), events.decision.codes[silent]
        is_passive = np.array([*(name in names for name in events.decision.names), False], np.bool_).take(codes)
        whole[events.seat[silent[~is_passive]]] = False
    placed, withdrawn = (
        _sum_by_seat(batch, find_true((events.kind == KIND_CODES[kind]) & ~events.tip))
        for kind in ("wager", "withdraw")
    )
    own = ~stakes.bonus & ~stakes.tip
    staked = np.bincount(stakes.seat[own], stakes.amount[own], len(seats.round)).astype(np.int64)
    beyond = staked - placed + withdrawn
    wrong = np.where(whole, beyond != decided, beyond < decided)
    wrong &= (may_decide_chips(batch) & is_recorded(batch, "wager", "withdraw"))[seats.round]
    for seat in find_true(wrong).tolist():
        amounts = f"{beyond[seat]} staked beyond its wager events, but {decided[seat]} put in with its decisions"
        yield int(seats.round[seat]), f"seat {seats.number[seat]}: {amounts}"


def _find_won_contradictions(batch: Batch) -> Iterator[tuple[int, str]]:
    seats = batch.seats
    known = (seats.won >= 0) & is_recorded(batch, "award")[seats.round]
    if not has_any(known):
        return
    awarded = _sum_by_seat(batch, find_true(batch.events.kind == KIND_CODES["award"]))
    for seat in find_true(known & (seats.won != awarded)).tolist():
        reason = f"seat {seats.number[seat]} won {seats.won[seat]} in the summary, but {awarded[seat]} in the events"
        yield int(seats.round[seat]), reason


def _sum_by_seat(batch: Batch, events: Ints) -> Ints:
    """Sum the amounts of some events for each seat.

    Returns: int64[seats].
    """
    sums = np.bincount(batch.events.seat[events], batch.events.amount[events], len(batch.seats.round))
    return sums.astype(np.int64)


_DENSE = 1 << 16
"""Number of cells that always justifies a table; beyond it, most cells must be in use."""

_ACCOUNTS = 4
_ENTRIES = {"wager": (0, 1), "withdraw": (0, -1), "pay": (1, 1), "collect": (2, 1), "return": (3, 1)}
"""Sum that the amounts of a kind of event belong to, one of four, and their sign."""
_ACCOUNT = np.array([_ENTRIES.get(kind, (-1, 0))[0] for kind in KINDS])
"""Sum of `_ENTRIES` by code of the kind; -1 for none."""
_SIGN = np.array([_ENTRIES.get(kind, (-1, 0))[1] for kind in KINDS], np.int64)
"""Sign of `_ENTRIES` by code of the kind; 0 for none."""


class StakeLedger:
    """Cells that sum amounts: one for every seat, wager and tip of a stake or an event."""

    __slots__ = ("_keys", "_names", "event_cells", "events", "size", "stake_cells")

    def __init__(self, batch: Batch) -> None:
        events, stakes = batch.events, batch.stakes
        line_of_stakes, line_of_events, self._names = number_lines(batch)
        at = self.events = find_true(_SIGN.take(events.kind))
        """Events of the ledger, in log order, int64[n]: those that place, withdraw, pay, collect or return a stake."""
        seat = np.concatenate([stakes.seat, events.seat.take(at)]).astype(np.int64)
        line = np.concatenate([line_of_stakes, line_of_events.take(at)])
        tip = np.concatenate([stakes.tip, events.tip.take(at)])
        self._keys, cells = _number_keys((seat * len(self._names) + line) * 2 + tip)
        self.size = len(self._keys)
        """Number of cells."""
        self.stake_cells, self.event_cells = cells[: len(stakes.seat)], cells[len(stakes.seat) :]
        """Cell of each stake, and cell of each event of the ledger."""

    def find_seats(self, cells: Ints) -> Ints:
        """Return the seats of some cells.

        Returns: int64[n].
        """
        return self._keys[cells] // (2 * max(len(self._names), 1))

    def are_tips(self, cells: Ints) -> Flags:
        """Return whether each cell is for tips.

        Returns: bool[n].
        """
        return self._keys[cells] % 2 == 1

    def has_name(self, names: Collection[str]) -> Flags:
        """Return whether each cell is for a wager with one of some names.

        Returns: bool[size].
        """
        wanted = np.array([name.partition(" on ")[0] in names for name in self._names], np.bool_)
        return wanted.take(self._keys // 2 % max(len(self._names), 1)) if len(wanted) else np.zeros(self.size, np.bool_)

    def describe(self, cell: int) -> str:
        """Describe the wager of a cell."""
        name, tip = self._split_key(cell)
        return f"{'a tip on ' * tip}{quote(name)}"

    def sort_by_seat(self, cells: Indices) -> list[tuple[int, int]]:
        """Return cells with their seats, sorted by seat and by name of the wager.

        Codes follow that order only if no other rounds were read before.
        """
        seats = self.find_seats(cells).tolist()
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
    distinct = find_true(is_used)
    place = np.empty(size, np.intp)
    place[distinct] = np.arange(len(distinct))
    return distinct, place.take(keys)


def find_amount_contradictions(
    batch: Batch,
    ledger: StakeLedger,
    bonuses: Callable[[], Collection[str]],
    staying: Callable[[], Collection[str]],
) -> Iterator[tuple[int, str]]:
    """Yield the rounds whose amounts differ between events and summary.

    The checks are: stakes brought and wagers placed, less wagers withdrawn, against the stakes; payments and
    collections, against the amounts paid and taken; a stake collected again after all of it was; more returned than was
    left of a stake.
    """
    # No sum comes near the 2**53 up to which the floats of bincount are exact.
    events, seats, stakes = batch.events, batch.seats, batch.stakes
    kind, size = events.kind.take(ledger.events), ledger.size
    signed = events.amount.take(ledger.events) * _SIGN.take(kind)
    reversals = find_reversed_collections(batch, ledger)
    by_events = np.bincount(ledger.event_cells + size * _ACCOUNT.take(kind), signed, _ACCOUNTS * size)
    own = ~stakes.bonus
    for account, (kinds, column, counted, what) in enumerate(
        (
            (("wager", "withdraw"), stakes.amount - np.maximum(stakes.brought, 0), own, "staked"),
            (("pay",), stakes.paid, np.ones(len(own), np.bool_), "paid"),
            (("collect",), stakes.taken, own, "taken"),
        )
    ):
        sums = by_events[account * size : (account + 1) * size]
        summary = np.bincount(ledger.stake_cells, column * counted, size)
        wrong = summary != sums
        wrong[ledger.stake_cells[counted & (column < 0)]] = False
        if what == "taken":
            for reversal in reversals:
                wrong[ledger.stake_cells[reversal.stake]] &= (
                    not reversal.least <= column[reversal.stake] <= reversal.taken
                )
        cells = find_true(wrong)
        rounds = seats.round[ledger.find_seats(cells)]
        wanted = is_recorded(batch, *kinds)[rounds]
        if what == "taken":
            # If returns are not recorded, a collected stake may have been returned.
            wanted &= is_recorded(batch, "return")[rounds] | (summary > sums)[cells]
        if what == "staked":
            if has_any(sums[cells] < 0):
                wanted &= ~_is_taken_back(ledger, sums, staying())[cells]
            # Chips put in with decisions add to some stake of the seat.
            wanted &= (summary < sums)[cells] | ledger.are_tips(cells) | ~may_decide_chips(batch)[rounds]
        elif what == "paid" and has_any(wanted):
            wanted &= ~_is_unlisted_bonus(ledger, bonuses())[cells]
        cells = cells[wanted]
        for cell, seat in ledger.sort_by_seat(cells):
            amounts = f"{int(summary[cell])} {what} in the summary, but {int(sums[cell])} in the events"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.describe(cell)}: {amounts}"
    yield from _find_repeated_moves(batch, ledger, by_events[2 * size : 3 * size], by_events[3 * size :], reversals)


def _is_taken_back(ledger: StakeLedger, sums: NDArray[Any], staying: Collection[str]) -> Flags:
    """Find the stakes that were brought from an earlier round and taken back, so that the summary need not list them.

    Returns: bool[cells].
    """
    unlisted = (sums < 0) & ledger.has_name(staying)
    unlisted[ledger.stake_cells] = False
    return unlisted


def _is_unlisted_bonus(ledger: StakeLedger, bonuses: Collection[str]) -> Flags:
    """Find the bonuses that the summary does not list, as it need not; a payment of any other line needs its stake.

    Returns: bool[cells].
    """
    unlisted = ledger.has_name(bonuses)
    unlisted[ledger.stake_cells] = False
    return unlisted


def _find_repeated_moves(
    batch: Batch,
    ledger: StakeLedger,
    collected: NDArray[Any],
    returned: NDArray[Any],
    reversals: Sequence[ReversedCollection],
) -> Iterator[tuple[int, str]]:
    """Yield stakes that were collected again after all of them was, or of which too much was returned.

    Too much is more than was left of the stake, or more than the house had taken and could return. A single collection
    of more than the stake is left to the rules.
    """
    seats, stakes = batch.seats, batch.stakes
    own = ~stakes.bonus
    staked = np.bincount(ledger.stake_cells, stakes.amount * own, ledger.size)
    left = staked - np.bincount(ledger.stake_cells, np.maximum(stakes.taken, 0) * own, ledger.size)
    back = (returned > left) & (returned > 0)
    kind = batch.events.kind.take(ledger.events)
    if has_any(back):
        # If collections are not recorded, any returned stake may have been collected before, but never more than the
        # stake.
        has_collections = is_recorded(batch, "collect")[seats.round[ledger.find_seats(np.arange(ledger.size))]]
        returns = find_true(kind == KIND_CODES["return"])
        most = np.zeros(ledger.size, np.int64)
        np.maximum.at(most, ledger.event_cells[returns], batch.events.amount.take(ledger.events)[returns])
        back &= has_collections | (most > staked)
    times = np.bincount(ledger.event_cells.compress(kind == KIND_CODES["collect"]), minlength=ledger.size)
    taken = (collected > staked) & (times > 1)
    for reversal in reversals:
        cell = ledger.stake_cells[reversal.stake]
        back[cell], taken[cell] = not reversal.possible, False
    for wrong, kinds, moved, there, (verb, where) in (
        (taken, ("wager", "withdraw", "collect", "return"), collected, staked, ("collected", "at stake")),
        (back, ("return",), returned, left, ("given back", "left of the stake")),
    ):
        cells = find_true(wrong)
        cells = cells[is_recorded(batch, *kinds)[seats.round[ledger.find_seats(cells)]]]
        for cell, seat in ledger.sort_by_seat(cells):
            amounts = f"{int(moved[cell])} {verb} in the events, but {int(there[cell])} {where}"
            yield int(seats.round[seat]), f"seat {seats.number[seat]}, {ledger.describe(cell)}: {amounts}"
