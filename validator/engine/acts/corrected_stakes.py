"""Movements of stakes that belong to another act: taken by mistake and put back, or returned to a winner with the pay.

docs/formats.md leaves it to the log whether to record these movements. They therefore belong to no step of the game;
the money is checked by what the table kept of each stake.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from validator.arrays import Flags, Ints, find_distinct, is_among
from validator.engine.acts.repeated_acts import find_repetitions
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.evidence.columns.recorded_kinds import is_recorded
from validator.evidence.columns.tables import translate_codes
from validator.evidence.handlog.events import KIND_CODES

_COLLECT, _PAY, _RETURN = KIND_CODES["collect"], KIND_CODES["pay"], KIND_CODES["return"]
_PLAY = [KIND_CODES[kind] for kind in ("deal", "draw", "discard", "decide", "wager", "withdraw", "reveal", "misdeal")]
CHIP_KINDS = frozenset({"collect", "return"})
"""Kinds of event that may be part of another act."""


@cached_fact
def find_dependent_movements(scope: EvaluationContext) -> Flags:
    """Find the movements of stakes that are part of another act.

    These are each `collect` whose chips were all put back and the `return` that put them back. A `return` of a stake
    that was paid before, or is paid next, is one as well. If the log omits returns, the summary shows that nothing of a
    stake was taken in the end. If it omits collections, a later movement shows that the stake was put back.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    result = np.zeros(scope.count_items("event"), bool)
    result[_find_collections_without_return(scope)] = True
    if not (events.kind == _RETURN).any():
        return result
    moved = np.flatnonzero((events.kind == _COLLECT) | (events.kind == _PAY) | (events.kind == _RETURN))
    names = len(events.wager.names) + 1
    key = (events.seat[moved].astype(np.int64) * names + events.wager.codes[moved]) * 2 + events.tip[moved]
    given_back = np.flatnonzero(
        is_among(key, key[events.kind[moved] == _RETURN])
    )  # only these may belong to other acts
    order = given_back.take(np.argsort(key.take(given_back), kind="stable"))
    moved, key = moved.take(order), key.take(order)
    kind = events.kind.take(moved)
    result[moved.compress(_find_returns_without_collection(scope, moved, key))] = True
    result[moved.compress(_find_returns_with_pay(scope, moved, key))] = True
    both = find_distinct(key[(kind == _COLLECT) & is_among(key, key[kind == _RETURN])])
    starts, ends = np.searchsorted(key, both), np.searchsorted(key, both, "right")
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        own = moved[start:end]
        result[own[_find_reversed(zip(kind[start:end].tolist(), events.amount[own].tolist(), strict=True))]] = True
    return result


def _find_returns_without_collection(scope: EvaluationContext, moved: Ints, key: Ints) -> Flags:
    """Find the returns that are not the last movement of their stake, where the log omits collections.

    Whatever is on the layout again afterwards may have been taken before and put back. Arguments are as in
    `_find_returns_with_pay`.
    """
    kind, round_ = scope.batch.events.kind.take(moved), scope.batch.events.round.take(moved)
    unrecorded = scope.batch.recorded & ~is_recorded(scope.batch, "collect")
    result: Flags = (kind == _RETURN) & unrecorded.take(round_)
    result[:-1] &= key[1:] == key[:-1]
    result[-1:] = False
    return result


def _find_returns_with_pay(scope: EvaluationContext, moved: Ints, key: Ints) -> Flags:
    """Find the returns of stakes that were paid before, or are paid later with no act of play in between.

    Args:
        moved: events in the order of their stakes, and in log order for each.
        key: the stake of each.
    """
    kinds = scope.batch.events.kind
    kind = kinds.take(moved)
    paid = kind == _PAY
    before = np.concatenate([[0], np.cumsum(paid)])
    after_a_pay = before[:-1] - before[np.searchsorted(key, key)] > 0
    # Events with no act of play between them share a number.
    part = np.cumsum(np.isin(kinds, _PLAY) & ~find_repetitions(scope)).take(moved)
    next_pay = np.zeros(len(moved), bool)
    next_pay[:-1] = paid[1:] & (key[1:] == key[:-1]) & (part[1:] == part[:-1])
    return (kind == _RETURN) & (after_a_pay | next_pay)


def _find_collections_without_return(scope: EvaluationContext) -> Ints:
    """Find each `collect` of a stake of which nothing was taken in the end, where the log records no `return`.

    Returns:
        int64[m].
    """
    events, stakes = scope.batch.events, scope.batch.stakes
    unrecorded = scope.batch.recorded & ~is_recorded(scope.batch, "return")
    moved = np.flatnonzero((events.kind == _COLLECT) & unrecorded.take(events.round))
    if not len(moved):
        return moved
    wager_of, names = translate_codes(events.wager, stakes.wager)
    key = (events.seat[moved].astype(np.int64) * len(names) + wager_of[moved]) * 2 + events.tip[moved]
    left = np.flatnonzero(~stakes.bonus & (stakes.taken == 0))
    lines = (stakes.seat[left].astype(np.int64) * len(names) + stakes.wager.codes[left]) * 2 + stakes.tip[left]
    return moved.compress(np.isin(key, lines))


def _find_reversed(movements: Iterable[tuple[int, int]]) -> list[int]:
    """Return the indices, among the movements of one stake, of collections that were reversed and of their returns."""
    taken: list[tuple[int, int]] = []  # index of a collection and how much of it was not put back, latest last
    undone: list[int] = []
    for place, (kind, amount) in enumerate(movements):
        if kind == _COLLECT:
            taken.append((place, amount))
        elif kind == _RETURN and amount <= sum(held for _, held in taken):
            undone.append(place)
            left = amount
            while left:
                earlier, held = taken.pop()
                if held > left:
                    taken.append((earlier, held - left))
                else:
                    undone.append(earlier)
                left -= min(held, left)
    return undone
