"""Minimum and maximum time since a periodic event last happened.

Both ages are computed for all items at once: the last event before an item resets the age, and counted items add to it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Statuses, Tri
from validator.audit.sessions.play_order import ANY_NUMBER
from validator.audit.sessions.timelines import Track
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS
from validator.engine.core.kleene import NO, UNKNOWN, YES

FOREVER = np.iinfo(np.int64).max
"""Unlimited age; as the time of an opening: not known."""


class Happenings(Struct, frozen=True, kw_only=True):
    """Items of a track with the facts that a periodic requirement uses. All arrays are parallel."""

    applies: Tri
    """Truth that the requirement applies to each item."""
    counts: Tri
    """Truth that each item counts."""
    happened: Tri
    """Truth that the event happened in each item."""
    uniform: bool
    """True if the requirement applies to every round and counts it, so that missing rounds count too."""


class Ages(Struct, frozen=True, kw_only=True):
    """Time since the event last happened, including each item. All arrays are parallel."""

    least: Ints
    """Minimum age."""
    most: Ints
    """Maximum age; FOREVER if it is not known."""
    since: Ints
    """Item at which the minimum age starts."""


def in_rounds(track: Track, occurrences: Happenings) -> Ages:
    """Measure ages in counted rounds."""
    played = track.in_play
    adds = played & (occurrences.happened == NO) & (occurrences.counts == YES) & (occurrences.applies == YES)
    may_add = played & (occurrences.happened != YES) & (occurrences.counts != NO) & (occurrences.applies != NO)
    total = np.cumsum(adds, dtype=np.int64)
    least, since = _min_ages(track, occurrences, total, total - adds)
    growth = may_add + np.maximum(track.gap, 0)
    most = np.cumsum(growth, dtype=np.int64)
    # Before an item, the opening precedes the gap.
    return Ages(
        least=least, most=_max_ages(track, occurrences, most, most - growth, lost=track.gap == ANY_NUMBER), since=since
    )


def in_time(track: Track, occurrences: Happenings, time: Ints, opened: Ints) -> Ages:
    """Measure ages in the unit of `time`.

    Args:
        time: int64[items], never decreasing within a track.
        opened: int64[items], time when the table opened before each item; FOREVER if not known.
    """
    known = track.opening & (opened != FOREVER)
    least, since = _min_ages(track, occurrences, time, np.where(known & (track.gap == 0), opened, time))
    most = _max_ages(track, occurrences, time, np.where(known, opened, -1), lost=track.first & ~known)
    return Ages(least=least, most=most, since=since)


def _resets_age(track: Track, occurrences: Happenings) -> Flags:
    """Return whether an item certainly ends the age of earlier items."""
    return (occurrences.happened == YES) | (track.in_play & (occurrences.applies == NO))


def _min_ages(track: Track, occurrences: Happenings, total: Ints, before: Ints) -> tuple[Ints, Ints]:
    """Return the minimum ages, and the items at which they start.

    Args:
        total: running total, never decreasing within a track.
        before: running total at the end of everything before each item.
    """
    is_inside = (occurrences.happened != NO) | (track.in_play & (occurrences.applies != YES))
    is_start = track.opening | (track.gap != 0) | track.first
    places = 2 * np.arange(len(track), dtype=np.int64)
    last = _running_maximum(np.where(is_inside, places + 1, np.where(is_start, places, -1)))
    since = last // 2
    return total - np.where(last % 2 == 1, total[since], before[since]), since


def _max_ages(track: Track, occurrences: Happenings, total: Ints, at_opening: Ints, *, lost: Flags) -> Ints:
    """Return the maximum ages, from the last item that certainly reset the age, or from the last opening.

    Args:
        at_opening: running total at the opening, negative if not known.
        lost: whether all earlier information is lost before each item; then the age is FOREVER.
    """
    places = 3 * np.arange(len(track), dtype=np.int64)
    is_inside, opening = _resets_age(track, occurrences), track.opening & (at_opening >= 0)
    last = _running_maximum(np.where(is_inside, places + 2, np.where(opening, places, -1)))
    from_ = np.maximum(last // 3, 0)
    known = last > _running_maximum(np.where(lost, places + 1, -1))
    return np.where(known, total - np.where(last % 3 == 2, total[from_], at_opening[from_]), FOREVER)


def _running_maximum(values: Ints) -> Ints:
    """Return the greatest value so far, item by item."""
    return np.maximum.accumulate(values) if len(values) else values


def marks_of(track: Track, occurrences: Happenings, ages: Ages, limit: int) -> Statuses:
    """Return the status of each item from its ages and the limit.

    An item fails if its minimum age exceeds the limit, and lacks evidence if only its maximum age does. Items that are
    not in play, not counted or not covered are NOT_APPLICABLE.

    Returns:
        uint8[items].
    """
    is_covered = np.minimum(occurrences.applies, occurrences.counts)
    is_late = (ages.least > limit) & (is_covered == YES)
    statuses = np.where(is_late, np.uint8(FAIL), np.where(ages.most > limit, np.uint8(NOT_EVIDENCED), np.uint8(PASS)))
    statuses[(is_covered == NO) | ~track.in_play] = NOT_APPLICABLE
    return statuses


def in_blocks(track: Track, occurrences: Happenings, size: int) -> Statuses:
    """Return the status of each item for blocks of rounds counted from the opening.

    A failure is at the last round of a block.

    Returns:
        uint8[items].
    """
    statuses = np.full(len(track), PASS, np.uint8)
    counted: int | None = None  # rounds since the opening
    result = NO
    columns = (
        track.first,
        track.opening,
        track.gap,
        track.in_play,
        occurrences.applies,
        occurrences.counts,
        occurrences.happened,
    )
    for item, (first, opening, gap, played, applies, counts, happened) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if opening:
            counted, result = 0, NO
        elif first:
            counted = None
        if gap and (gap == ANY_NUMBER or not occurrences.uniform):
            counted = None
        elif gap and counted is not None:
            result = _result_after_gap(counted, gap, size, result)
            counted += gap
        if played and applies == NO:
            counted, result = 0, NO
        result = max(result, happened)
        if not played or NO in (applies, counts):
            statuses[item] = NOT_APPLICABLE
            continue
        if counted is None or UNKNOWN in (applies, counts):
            counted = None
            statuses[item] = NOT_EVIDENCED
            continue
        counted += 1
        if counted % size == 0:
            statuses[item] = PASS if result == YES else FAIL if result == NO else NOT_EVIDENCED
            result = NO
    return statuses


def _result_after_gap(counted: int, gap: int, size: int, result: int) -> int:
    """Return whether the event happened in the block that continues after a gap."""
    if (counted + gap) // size == counted // size:
        return max(result, UNKNOWN)
    return UNKNOWN if (counted + gap) % size else NO
