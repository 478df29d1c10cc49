"""Stakes that lay on the table since an earlier round."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.arrays import ABSENT, Bounds, Indices, Ints, Ints32, find_true, has_any, is_one_of
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.timeline.truncated_records import may_stake_later
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.columns.relations import number_lines
from fairdeal.validator.evidence.handlog.log_events import KIND_CODES


@cached_fact
def bound_brought(scope: EvaluationContext) -> Bounds:
    """Return bounds of the part of each stake that was brought; unknown only if neither summary nor events show it.

    Returns:
        int64[stakes], twice.
    """
    stakes = scope.batch.stakes
    stated, known = stakes.brought != ABSENT, is_recorded(scope.batch, "wager")[scope.rounds_of("stake")]
    least = np.maximum(stakes.brought, 0)
    return least, np.where(stated | known, least, stakes.amount)


def bound_brought_on(scope: EvaluationContext, line: str) -> Bounds:
    """Return bounds of what each seat brought on a wager, with stakes that it took back.

    A summary need not list a stake that was taken back. Without a record of that, there may have been one.

    Returns:
        int64[seats], twice.
    """
    stakes, seats = scope.batch.stakes, scope.count_items("seat")
    own = scope.stake_indices(line)
    own = own[~stakes.tip[own]]
    low, high = bound_brought(scope)
    least, most = _sum_by_seat(stakes.seat[own], low[own], seats), _sum_by_seat(stakes.seat[own], high[own], seats)
    back = _sum_unlisted(scope, line)
    is_known = is_recorded(scope.batch, "wager", "withdraw")[scope.batch.seats.round]
    return least + back, np.where(is_known, most + back, UNBOUNDED)


@cached_fact
def bound_behind(scope: EvaluationContext) -> Bounds:
    """Return bounds of the seat's own stake on the wager behind which each stake lies, on the same selection.

    Returns:
        int64[stakes], twice.
    """
    stakes, wagers = scope.batch.stakes, scope.compiled_game.game.wagers
    low, high = np.zeros((2, scope.count_items("stake")), np.int64)
    width = len(stakes.selection.names) + 1
    key = stakes.seat.astype(np.int64) * width + stakes.selection.codes + 1
    for name in stakes.wager.used_names():
        behind = wagers[name].behind if name in wagers else None
        if behind is None:
            continue
        chosen, other = scope.stake_indices(name), scope.stake_indices(behind)
        other = other[~stakes.tip[other]]
        keys, at = np.unique(np.concatenate([key[other], key[chosen]]), return_inverse=True)
        sums = _sum_by_seat(at[: len(other)], stakes.amount[other], len(keys))[at[len(other) :]]
        later = may_stake_later(scope, behind)[stakes.seat[chosen]]
        low[chosen], high[chosen] = np.where(later, 0, sums), np.where(later, UNBOUNDED, sums)
    return low, high


def _sum_by_seat(seat: Indices | Ints32, amounts: Ints, seats: int) -> Ints:
    sums = np.zeros(seats, np.int64)
    np.add.at(sums, seat, amounts)
    return sums


def _sum_unlisted(scope: EvaluationContext, line: str) -> Ints:
    """Return what each seat took back beyond what it placed, of stakes on a wager that the summary does not list.

    Returns:
        int64[seats].
    """
    events, stakes, seats = scope.batch.events, scope.batch.stakes, scope.count_items("seat")
    moves = (events.kind == KIND_CODES["wager"]) | (events.kind == KIND_CODES["withdraw"])
    moves &= (events.wager.codes == events.wager.code(line)) & ~events.tip & (events.seat != ABSENT)
    chosen = find_true(moves)
    if not has_any(events.kind[chosen] == KIND_CODES["withdraw"]):
        return np.zeros(seats, np.int64)
    lines, line_of, names = number_lines(scope.batch)
    key = events.seat[chosen].astype(np.int64) * len(names) + line_of[chosen]
    listed = stakes.seat.astype(np.int64) * len(names) + lines
    keys, at = np.unique(key, return_inverse=True)
    signs = np.where(events.kind[chosen] == KIND_CODES["withdraw"], 1, -1)
    sums = np.zeros(len(keys), np.int64)
    np.add.at(sums, at, events.amount[chosen] * signs)
    sums[is_one_of(keys, listed[~stakes.tip])] = 0
    return _sum_by_seat(keys // len(names), np.maximum(sums, 0), seats)
