"""Something that must happen again and again: how long it may be, at least and at most, since it happened last.

Both ages are worked out for all items at once: what resets them is the last of its kind before an item, and what
adds to them adds up.
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
"""An age that may be anything; as the time of an opening, that nobody knows it."""


class Happenings(Struct, frozen=True, kw_only=True):
    """What each item of a track shows: whether the rule speaks of it, whether it is counted, whether the thing
    happened in it. All uint8[items]. `uniform` says that the rule speaks of every round and counts it, so that
    those that are missing count too."""

    applies: Tri
    counts: Tri
    happened: Tri
    uniform: bool


class Ages(Struct, frozen=True, kw_only=True):
    """How long it is since the thing happened, each item included, at least and at most (FOREVER: nobody knows).

    `since` is int64[items], the item with which the least age begins.
    """

    least: Ints
    most: Ints
    since: Ints


def in_rounds(track: Track, seen: Happenings) -> Ages:
    """Ages in rounds that are counted."""
    played = track.in_play
    adds = played & (seen.happened == NO) & (seen.counts == YES) & (seen.applies == YES)
    may_add = played & (seen.happened != YES) & (seen.counts != NO) & (seen.applies != NO)
    total = np.cumsum(adds, dtype=np.int64)
    least, since = _least(track, seen, total, total - adds)
    growth = may_add + np.maximum(track.gap, 0)
    most = np.cumsum(growth, dtype=np.int64)
    # Of what lies before an item the opening comes first and the gap after it.
    return Ages(least=least, most=_most(track, seen, most, most - growth, lost=track.gap == ANY_NUMBER), since=since)


def in_time(track: Track, seen: Happenings, time: Ints, opened: Ints) -> Ages:
    """Ages in the unit of `time`, int64[items], which never falls within a track; `opened` is int64[items], when
    the table opened before an item, FOREVER where nobody knows."""
    known = track.opening & (opened != FOREVER)
    least, since = _least(track, seen, time, np.where(known & (track.gap == 0), opened, time))
    most = _most(track, seen, time, np.where(known, opened, -1), lost=track.first & ~known)
    return Ages(least=least, most=most, since=since)


def _surely(track: Track, seen: Happenings) -> Flags:
    """Whether an item surely ends what was before."""
    return (seen.happened == YES) | (track.in_play & (seen.applies == NO))


def _least(track: Track, seen: Happenings, total: Ints, before: Ints) -> tuple[Ints, Ints]:
    """The least age, and the item it begins with: `total` never falls within a track, `before` is what it was when
    that which lies before an item was over."""
    inside = (seen.happened != NO) | (track.in_play & (seen.applies != YES))
    ahead = track.opening | (track.gap != 0) | track.first
    places = 2 * np.arange(len(track), dtype=np.int64)
    last = _latest(np.where(inside, places + 1, np.where(ahead, places, -1)))
    since = last // 2
    return total - np.where(last % 2 == 1, total[since], before[since]), since


def _most(track: Track, seen: Happenings, total: Ints, at_opening: Ints, *, lost: Flags) -> Ints:
    """The greatest age: from the last item that surely ended what was before, or the last opening (where
    `at_opening` is not below zero); FOREVER where all was `lost` since."""
    places = 3 * np.arange(len(track), dtype=np.int64)
    inside, opening = _surely(track, seen), track.opening & (at_opening >= 0)
    last = _latest(np.where(inside, places + 2, np.where(opening, places, -1)))
    from_ = np.maximum(last // 3, 0)
    known = last > _latest(np.where(lost, places + 1, -1))
    return np.where(known, total - np.where(last % 3 == 2, total[from_], at_opening[from_]), FOREVER)


def _latest(values: Ints) -> Ints:
    """The greatest value so far, item by item."""
    return np.maximum.accumulate(values) if len(values) else values


def marks_of(track: Track, seen: Happenings, ages: Ages, limit: int) -> Statuses:
    """uint8[items]: failed where the least age is beyond `limit`, not evidenced where the most is; items that are
    not in play, not counted or not spoken of are not judged."""
    asked = np.minimum(seen.applies, seen.counts)
    late = (ages.least > limit) & (asked == YES)
    marks = np.where(late, np.uint8(FAIL), np.where(ages.most > limit, np.uint8(NOT_EVIDENCED), np.uint8(PASS)))
    marks[(asked == NO) | ~track.in_play] = NOT_APPLICABLE
    return marks


def in_blocks(track: Track, seen: Happenings, size: int) -> Statuses:
    """uint8[items]: rounds counted off in blocks from the opening; what is missing shows in the last of a block."""
    marks = np.full(len(track), PASS, np.uint8)
    counted: int | None = None  # rounds since the opening
    found = NO
    columns = (track.first, track.opening, track.gap, track.in_play, seen.applies, seen.counts, seen.happened)
    for item, (first, opening, gap, played, applies, counts, happened) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True)
    ):
        if opening:
            counted, found = 0, NO
        elif first:
            counted = None
        if gap and (gap == ANY_NUMBER or not seen.uniform):
            counted = None
        elif gap and counted is not None:
            found = _found_after(counted, gap, size, found)
            counted += gap
        if played and applies == NO:
            counted, found = 0, NO
        found = max(found, happened)
        if not played or NO in (applies, counts):
            marks[item] = NOT_APPLICABLE
            continue
        if counted is None or UNKNOWN in (applies, counts):
            counted = None
            marks[item] = NOT_EVIDENCED
            continue
        counted += 1
        if counted % size == 0:
            marks[item] = PASS if found == YES else FAIL if found == NO else NOT_EVIDENCED
            found = NO
    return marks


def _found_after(counted: int, gap: int, size: int, found: int) -> int:
    """Whether the thing happened in the block that goes on behind a gap."""
    if (counted + gap) // size == counted // size:
        return max(found, UNKNOWN)
    return UNKNOWN if (counted + gap) % size else NO
