"""What became of stakes: as the summary says, else as events tell where all movements of chips are recorded."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, distinct
from validator.engine.core.context import Scope, fact
from validator.evidence.columns.recorded_kinds import tells
from validator.evidence.columns.tables import translated
from validator.evidence.consistency.swept import swept
from validator.evidence.handlog.events import KIND


class Outcomes(Struct, frozen=True, kw_only=True):
    """Amounts of each stake, int64[stakes]; ABSENT where the record does not tell them."""

    paid: Ints
    taken: Ints
    """Amount that the house took, with any amount put back if the log does not record returns."""
    kept: Ints
    """Least amount that the house kept."""


@fact
def outcomes(scope: Scope) -> Outcomes:
    """Return what was paid and taken of each stake."""
    stakes = scope.batch.stakes
    rounds = scope.round_of("stake")
    paid_by_events = (stakes.paid == ABSENT) & _all_told(scope, "pay")[rounds]
    taken_by_events = (stakes.taken == ABSENT) & ~stakes.bonus & _all_told(scope, "collect", "return")[rounds]
    paid, taken = stakes.paid, stakes.taken
    if paid_by_events.any():
        paid = np.where(paid_by_events, _sums(scope, "pay"), paid)
    if taken_by_events.any():
        taken = np.where(taken_by_events, _sums(scope, "collect"), taken)
        for stake in swept(scope.batch):
            if taken_by_events[stake.stake]:
                taken[stake.stake] = stake.kept
    back_untold = scope.batch.recorded & ~tells(scope.batch, "return")
    kept = np.where((taken > 0) & back_untold[rounds], 0, taken) if back_untold.any() else taken
    return Outcomes(paid=paid, taken=taken, kept=kept)


def paid_on(scope: Scope, line: str, *, tip: bool) -> Ints:
    """Return what each seat was paid on a line, int64[seats]; 0 where it has nothing, ABSENT where it is not told.

    A bonus that is not listed was not paid if the summary says what became of its wager and no event pays it; else
    events tell of it.
    """
    stakes, paid = scope.batch.stakes, outcomes(scope).paid
    result = np.zeros(scope.length("seat"), np.int64)
    bonus = scope.prepared.game.bonuses.get(line)
    if bonus is not None:
        base = _of_tips(scope, bonus.reckoned_on, tip=tip)
        unrecorded = np.zeros(len(result), bool)
        unrecorded[stakes.seat[base[stakes.paid[base] == ABSENT]]] = True
        by_events = _all_told(scope, "pay")[scope.batch.seats.round]
        paid_then = _paid_by_events(scope, line, tip=tip)
        result = np.where(unrecorded | (paid_then > 0), np.where(by_events, paid_then, ABSENT), result)
    listed = _of_tips(scope, line, tip=tip)
    result[stakes.seat[listed]] = paid[listed]
    return result


def _of_tips(scope: Scope, line: str, *, tip: bool) -> Ints:
    """Return the stakes on a line that are tips, or those that are none."""
    chosen = scope.stakes_on(line)
    return chosen.compress(scope.batch.stakes.tip.take(chosen) == tip)


def _all_told(scope: Scope, *kinds: str) -> Flags:
    """Return whether a record tells all events of some kinds until the round is over, bool[rounds]."""
    return tells(scope.batch, *kinds) & scope.batch.complete


def _sums(scope: Scope, kind: str) -> Ints:
    """Return the sum of the amounts in events of a kind for each stake, int64[stakes]."""
    events, stakes = scope.batch.events, scope.batch.stakes
    recorded = np.flatnonzero((events.kind == KIND[kind]) & (events.seat != ABSENT))
    wager_of, names = translated(events.wager, stakes.wager)
    of_stakes = (stakes.seat.astype(np.int64) * len(names) + stakes.wager.codes) * 2 + stakes.tip
    of_events = (events.seat[recorded].astype(np.int64) * len(names) + wager_of[recorded]) * 2 + events.tip[recorded]
    keys = distinct(np.concatenate([of_stakes, of_events]))
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, np.searchsorted(keys, of_events), events.amount[recorded])
    return sums[np.searchsorted(keys, of_stakes)]


def _paid_by_events(scope: Scope, line: str, *, tip: bool) -> Ints:
    """Return what events pay each seat on a line, int64[seats]."""
    events, result = scope.batch.events, np.zeros(scope.length("seat"), np.int64)
    of_line = (events.kind == KIND["pay"]) & (events.wager.codes == events.wager.code(line))
    recorded = np.flatnonzero(of_line & (events.tip == tip) & (events.seat != ABSENT))
    np.add.at(result, events.seat[recorded], events.amount[recorded])
    return result
