"""Check `every`: something happens at least once in a number of rounds or hours.

Minimum and maximum time since the last occurrence are computed for all items at once. The last occurrence before an
item resets the age, and counted items add to it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Statuses, Truths
from fairdeal.validator.audit.sessions.ordered_rounds import (
    OrderedRounds,
    SessionFailures,
    SessionOutcome,
    build_track,
    combine_per_round,
    describe_round,
    explain_gap,
    find_applicable_rounds,
    format_hours,
    read_truth,
)
from fairdeal.validator.audit.sessions.play_order import ANY_NUMBER, Track
from fairdeal.validator.audit.sessions.session_rows import EventSequence
from fairdeal.validator.audit.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, PASS, FindingDetails
from fairdeal.validator.audit.wording.check_phrases import describe_interval, name_moment
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.operators.rule_renderer import describe_condition
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rules.procedure_model import EveryCheck
from fairdeal.validator.rules.requirement_model import Requirement

FOREVER = np.iinfo(np.int64).max
"""Unlimited age; as the time of an opening: not known."""


class Occurrences(Struct, frozen=True, kw_only=True):
    """Items of a track with the facts that a periodic requirement uses. All arrays are parallel."""

    applies: Truths
    """Truth that the requirement applies to each item."""
    counts: Truths
    """Truth that each item counts."""
    happened: Truths
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


def measure_in_rounds(track: Track, occurrences: Occurrences) -> Ages:
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


def measure_in_time(track: Track, occurrences: Occurrences, time: Ints, opened: Ints) -> Ages:
    """Measure ages in the unit of `time`.

    Args:
        time: int64[items], never decreasing within a track.
        opened: int64[items], time when the table opened before each item; FOREVER if not known.
    """
    known = track.opening & (opened != FOREVER)
    least, since = _min_ages(track, occurrences, time, np.where(known & (track.gap == 0), opened, time))
    most = _max_ages(track, occurrences, time, np.where(known, opened, -1), lost=track.first & ~known)
    return Ages(least=least, most=most, since=since)


def _resets_age(track: Track, occurrences: Occurrences) -> Flags:
    """Return whether an item certainly ends the age of earlier items."""
    return (occurrences.happened == YES) | (track.in_play & (occurrences.applies == NO))


def _min_ages(track: Track, occurrences: Occurrences, total: Ints, before: Ints) -> tuple[Ints, Ints]:
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


def _max_ages(track: Track, occurrences: Occurrences, total: Ints, at_opening: Ints, *, lost: Flags) -> Ints:
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


def check_ages(track: Track, occurrences: Occurrences, ages: Ages, limit: int) -> Statuses:
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


def check_blocks(track: Track, occurrences: Occurrences, size: int) -> Statuses:
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


MICROSECONDS_PER_HOUR = 3_600_000_000
"""Microseconds in an hour."""


def check_periodic(prepared: CompiledGame, rounds: OrderedRounds, requirement: Requirement) -> SessionOutcome:
    """Check a requirement `every` over all sessions."""
    check: EveryCheck = requirement.check.operand
    names = frozenset([check.step] if check.operator == "step" else [])
    track = build_track(rounds, names, decks=check.of_each is not None)
    in_force = rounds.column(requirement.requirement, "in-force")
    occurrences = Occurrences(
        applies=find_applicable_rounds(rounds, requirement)[track.places],
        counts=read_truth(rounds, requirement, "counts")[track.places],
        happened=_find_occurrences(rounds, requirement, check, track),
        uniform=check.when is None and check.counts is None and in_force is None,
    )
    ages: Ages | None = None
    match check.within.operator:
        case "blocks-of":
            statuses = check_blocks(track, occurrences, check.within.operand)
        case "rounds":
            ages = measure_in_rounds(track, occurrences)
            statuses = check_ages(track, occurrences, ages, check.within.operand - 1)
        case _:
            ages = measure_in_time(track, occurrences, rounds.time[track.places], _time_of_opening(rounds, track))
            statuses = check_ages(track, occurrences, ages, check.within.operand * MICROSECONDS_PER_HOUR)
    condition_text = (
        name_moment(prepared, check.step) if check.operator == "step" else describe_condition(prepared, check.happens)
    )
    expected = f"{describe_interval(check)}: {condition_text}"

    def describe_gap(place: int) -> FindingDetails:
        why = explain_gap(rounds, place, names) or f"the evidence does not show whether this holds: {condition_text}"
        return FindingDetails(where=rounds.where(place), expected=expected, observed=why)

    # A failure over several rounds is reported once, at the first of them.
    failed = np.flatnonzero(statuses == FAIL)
    _, first, lasts = np.unique(failed if ages is None else ages.since[failed], return_index=True, return_counts=True)
    items = failed[first]

    def describe_failure(failure: int) -> FindingDetails:
        item = int(items[failure])
        observed = _describe_absence(rounds, check, track, occurrences, ages, item)
        return FindingDetails(where=rounds.where(int(track.places[item])), expected=expected, observed=observed)

    failures = SessionFailures(places=track.places[items], rounds=lasts, describe_failure=describe_failure)
    return SessionOutcome(
        status_codes=combine_per_round(len(rounds), track, statuses),
        failures=failures,
        describe_gap=describe_gap,
    )


def _find_occurrences(rounds: OrderedRounds, requirement: Requirement, check: EveryCheck, track: Track) -> Truths:
    if check.operator == "happens":
        return np.where(track.in_play, read_truth(rounds, requirement, "happened")[track.places], np.uint8(NO))
    decks = check.of_each is not None
    sequence = rounds.sequence_index[track.places]
    kinds = (sequence * (len(rounds.deck.names) + 1) + track.deck + 1) * 2 + track.in_play
    _, examples, codes = np.unique(kinds, return_index=True, return_inverse=True)
    values = [
        _occurs_in(
            rounds.sequences[sequence[item]],
            check.step,
            deck=None if track.deck[item] == ABSENT else rounds.deck.names[track.deck[item]],
            in_play=bool(track.in_play[item]) if decks else None,
        )
        for item in examples.tolist()
    ]
    return np.array(values, np.uint8)[codes]


def _occurs_in(sequence: EventSequence, step: str, *, deck: str | None, in_play: bool | None) -> int:
    """Return whether a step happened in a round, to the table (`in_play` None) or to a deck."""
    result = UNKNOWN if sequence.breaks_off or step in sequence.unrecorded else NO
    for token in sequence.tokens:
        result = max(result, token.select_deck_steps(deck, in_play=in_play).get(step, NO))
    return result


def _time_of_opening(rounds: OrderedRounds, track: Track) -> Ints:
    """Return the time when the table opened before each item; FOREVER if the log does not include the opening."""
    known = (track.opened != ABSENT) & (rounds.order.gap[track.opened] == 0)
    return np.where(known, rounds.time[track.opened], FOREVER)


def _describe_absence(
    rounds: OrderedRounds,
    check: EveryCheck,
    track: Track,
    occurrences: Occurrences,
    ages: Ages | None,
    item: int,
) -> str:
    deck = "" if track.deck[item] == ABSENT else f" for the deck {rounds.deck.names[track.deck[item]]}"
    if ages is None:
        return f"not once in the {format_count(check.within.operand, 'round')} that end with this one{deck}"
    age = int(ages.least[item])
    duration = format_hours(age) if check.within.operator == "hours" else format_count(age, "round")
    since = int(ages.since[item])
    place, here = int(track.places[since]), int(track.places[item])
    if occurrences.happened[since] == YES:
        return f"{duration} without it{deck}, since {describe_round(rounds, place, here)}"
    if track.opening[since] and not track.gap[since]:
        opened = int(track.opened[since])
        return f"{duration} without it{deck}, since the table opened with {describe_round(rounds, opened, here)}"
    return f"at least {duration} without it{deck}, counted from {describe_round(rounds, place, here)}"
