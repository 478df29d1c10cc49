"""Payments and collections of stakes, from the summary, or from events if the log records all chip movements."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Flags, Ints, find_distinct
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.columns.recorded_kinds import is_recorded
from validator.evidence.columns.tables import translate_codes
from validator.evidence.consistency.swept import find_reversed_collections
from validator.evidence.handlog.events import KIND_CODES


class StakeOutcomes(Struct, frozen=True, kw_only=True):
    """Amounts of each stake, int64[stakes]; ABSENT if the record does not state them."""

    paid: Ints
    taken: Ints
    """Amount that was taken, including any amount put back if the log does not record returns."""
    kept: Ints
    """Least amount that was kept."""


@cached_fact
def stake_outcomes(scope: EvaluationContext) -> StakeOutcomes:
    """Return what was paid and taken of each stake."""
    stakes = scope.batch.stakes
    rounds = scope.rounds_of("stake")
    paid_by_events = (stakes.paid == ABSENT) & _records_all(scope, "pay")[rounds]
    taken_by_events = (stakes.taken == ABSENT) & ~stakes.bonus & _records_all(scope, "collect", "return")[rounds]
    paid, taken = stakes.paid, stakes.taken
    if paid_by_events.any():
        paid = np.where(paid_by_events, _sum_events(scope, "pay"), paid)
    if taken_by_events.any():
        taken = np.where(taken_by_events, _sum_events(scope, "collect"), taken)
        for stake in find_reversed_collections(scope.batch):
            if taken_by_events[stake.stake]:
                taken[stake.stake] = stake.kept
    back_untold = scope.batch.recorded & ~is_recorded(scope.batch, "return")
    kept = np.where((taken > 0) & back_untold[rounds], 0, taken) if back_untold.any() else taken
    return StakeOutcomes(paid=paid, taken=taken, kept=kept)


def amounts_paid_on(scope: EvaluationContext, line: str, *, tip: bool) -> Ints:
    """Return what each seat was paid on a line; 0 if it has nothing, ABSENT if the payment is unknown.

    A bonus that is not listed was not paid if the summary has its wager and no event pays it; otherwise events decide.

    Returns:
        int64[seats].
    """
    stakes, paid = scope.batch.stakes, stake_outcomes(scope).paid
    result = np.zeros(scope.count_items("seat"), np.int64)
    bonus = scope.compiled_game.game.bonuses.get(line)
    if bonus is not None:
        base = _select_tips(scope, bonus.reckoned_on, tip=tip)
        unrecorded = np.zeros(len(result), bool)
        unrecorded[stakes.seat[base[stakes.paid[base] == ABSENT]]] = True
        by_events = _records_all(scope, "pay")[scope.batch.seats.round]
        paid_then = _paid_by_events(scope, line, tip=tip)
        result = np.where(unrecorded | (paid_then > 0), np.where(by_events, paid_then, ABSENT), result)
    listed = _select_tips(scope, line, tip=tip)
    result[stakes.seat[listed]] = paid[listed]
    return result


def _select_tips(scope: EvaluationContext, line: str, *, tip: bool) -> Ints:
    """Return the stakes on a line that are tips, or those that are not."""
    chosen = scope.stake_indices(line)
    return chosen.compress(scope.batch.stakes.tip.take(chosen) == tip)


def _records_all(scope: EvaluationContext, *kinds: str) -> Flags:
    """Return whether a record has all events of some kinds until the end of the round."""
    return is_recorded(scope.batch, *kinds) & scope.batch.complete


def _sum_events(scope: EvaluationContext, kind: str) -> Ints:
    """Return the sum of the amounts in events of a kind for each stake."""
    events, stakes = scope.batch.events, scope.batch.stakes
    recorded = np.flatnonzero((events.kind == KIND_CODES[kind]) & (events.seat != ABSENT))
    wager_of, names = translate_codes(events.wager, stakes.wager)
    of_stakes = (stakes.seat.astype(np.int64) * len(names) + stakes.wager.codes) * 2 + stakes.tip
    of_events = (events.seat[recorded].astype(np.int64) * len(names) + wager_of[recorded]) * 2 + events.tip[recorded]
    keys = find_distinct(np.concatenate([of_stakes, of_events]))
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, np.searchsorted(keys, of_events), events.amount[recorded])
    return sums[np.searchsorted(keys, of_stakes)]


def _paid_by_events(scope: EvaluationContext, line: str, *, tip: bool) -> Ints:
    """Return what events pay each seat on a line."""
    events, result = scope.batch.events, np.zeros(scope.count_items("seat"), np.int64)
    of_line = (events.kind == KIND_CODES["pay"]) & (events.wager.codes == events.wager.code(line))
    recorded = np.flatnonzero(of_line & (events.tip == tip) & (events.seat != ABSENT))
    np.add.at(result, events.seat[recorded], events.amount[recorded])
    return result
