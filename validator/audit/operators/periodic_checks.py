"""Checks over many rounds: `every`, and `succession` with `copies-since`, over the rounds of a shoe.

Every round adds its known cards. The numbers begin anew with each shuffle that the log may show, with the opening of
the table, with another deck, and after missing rounds. So each number is a minimum, and a failure is certain whatever a
missing round shows.

Minimum and maximum time since the last occurrence are computed for all items at once. The last occurrence before an
item resets the age, and counted items add to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Statuses, Truths, find_true, is_one_of
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.sessions import ordered_rounds
from fairdeal.validator.audit.sessions.carried_results import Track
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
from fairdeal.validator.audit.sessions.play_order import ANY_NUMBER
from fairdeal.validator.audit.sessions.session_rows import EventSequence
from fairdeal.validator.audit.wording.sentences import describe_interval, name_moment
from fairdeal.validator.cards.card_codes import KNOWN_CARDS, cards_in_symbols
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES
from fairdeal.validator.engine.deal_checks.deck_counts import count_copies, count_faces, is_within_decks
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, find_last_by_round
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.operators.rule_renderer import describe_condition
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.rules.check_model import EveryCheck, SuccessionCheck
from fairdeal.validator.rules.requirement_model import Requirement

_WORDS = -(-KNOWN_CARDS // 8)
"""Columns of a round: a byte for the number of each card, eight in a word."""
_BEFORE, _AFTER = 1, 2
_MOST = 255


def list_copy_columns(scope: EvaluationContext, check: SuccessionCheck) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the columns that the check needs: numbers of cards, shuffles, and whether the round shows all of them.

    Args:
        scope: the rounds.
        check: the check.
    """
    rounds = len(scope.batch)
    counts = np.zeros((rounds, _WORDS * 8), np.uint8)
    counts[:, :KNOWN_CARDS] = np.minimum(count_faces(scope)[:, :KNOWN_CARDS], _MOST)
    for number, word in enumerate(np.ascontiguousarray(counts).view("<i8").T):
        yield f"cards-{number}", word.astype(np.int64)
    events = scope.batch.events
    step = scope.compiled_game.steps[check.operand]
    # An event that may be a shuffle of any deck begins the numbers anew.
    shuffles = find_true(is_one_of(events.kind, [KIND_CODES[kind] for kind in step.events]))
    dealt = np.flatnonzero(np.isin(KINDS, ("deal", "draw"))[events.kind])
    last, first = find_last_by_round(scope, dealt), np.full(rounds, ABSENT, np.int64)
    first[events.round[dealt[::-1]]] = dealt[::-1]
    owner, when = events.round[shuffles], np.zeros(rounds, np.int8)
    late = (last[owner] != ABSENT) & (shuffles > last[owner])
    when[owner[~late]] |= _BEFORE
    when[owner[late]] |= _AFTER
    # A shuffle between the cards of a round leaves open which of them came after it.
    between = ~late & (first[owner] != ABSENT) & (shuffles > first[owner])
    when[owner[between]] |= _BEFORE | _AFTER
    yield "shuffled", when
    yield "recorded", are_kinds_recorded(scope, step.events) & is_within_decks(scope)[1]


def _find_stretches(rounds: ordered_rounds.OrderedRounds, shuffled: NDArray[np.int8], recorded: Flags) -> Flags:
    """Return the rounds with which the numbers begin anew, bool[rounds]."""
    order, deck = rounds.order, rounds.deck.codes
    begins: Flags = order.first | order.opening | (order.gap != 0) | (deck != np.roll(deck, 1))
    begins |= (shuffled & _BEFORE > 0) | (np.roll(shuffled, 1) & _AFTER > 0)
    return begins | ~recorded | np.roll(~recorded, 1)


def check_card_copies(
    prepared: CompiledGame, rounds: ordered_rounds.OrderedRounds, requirement: Requirement
) -> ordered_rounds.SessionOutcome:
    """Check that no card comes more often than the decks contain it before the next shuffle."""
    name, decks = requirement.requirement, prepared.game.decks

    def column(key: str) -> NDArray[Any]:
        values = rounds.column(name, key)
        assert values is not None
        return values

    words = np.stack([column(f"cards-{number}") for number in range(_WORDS)], axis=1)
    counts = np.ascontiguousarray(words.astype("<i8")).view(np.uint8)[:, :KNOWN_CARDS].astype(np.int64)
    shuffled, recorded = column("shuffled"), column("recorded")
    begins = _find_stretches(rounds, shuffled, recorded)
    start = np.maximum.accumulate(np.where(begins, np.arange(len(rounds)), 0))
    running = np.cumsum(counts, axis=0)
    held = running - (running - counts)[start]
    copies = count_copies(prepared)[:KNOWN_CARDS]
    fits: Flags = np.all(held <= copies, axis=1)
    fresh = (rounds.order.opening & (rounds.order.gap == 0)) | (shuffled & _BEFORE > 0)
    fresh |= np.roll(shuffled & _AFTER > 0, 1) & ~rounds.order.first & (rounds.order.gap == 0)
    holds: Truths = kleene.where_known(fits, ~fits | (recorded & fresh[start]))
    applies = ordered_rounds.find_applicable_rounds(rounds, requirement)
    statuses = status_codes.combine_status(applies, holds)
    failing = statuses == status_codes.FAIL
    places: Ints = np.flatnonzero(failing & ~(np.roll(failing, 1) & ~begins))
    number_of = np.searchsorted(places, np.flatnonzero(failing), side="right") - 1

    def describe_failure(failure: int) -> status_codes.FindingDetails:
        place = int(places[failure])
        often = np.flatnonzero(held[place] > copies).tolist()
        cards = ", ".join(f"{cards_in_symbols([code])} {held[place, code]} times" for code in often)
        since = ordered_rounds.describe_round(rounds, int(start[place]), place)
        own = start[place] == place
        return status_codes.FindingDetails(
            where=rounds.where(place),
            expected=f"no card more than {decks} times between two shuffles",
            observed=f"{cards} {'in this round' if own else f'since {since}'}",
        )

    def describe_gap(place: int) -> status_codes.FindingDetails:
        why = ordered_rounds.explain_gap(rounds, place, frozenset())
        unknown = (
            status_codes.NO_EVENTS if not recorded[place] else "the log does not show the shuffle before the round"
        )
        return status_codes.FindingDetails(
            where=rounds.where(place),
            expected=f"all cards since the shuffle, none more than {decks} times",
            observed=why or unknown,
        )

    failures = ordered_rounds.SessionFailures(
        places=places,
        rounds=np.bincount(number_of, minlength=len(places)).astype(np.int64),
        describe_failure=describe_failure,
    )
    return ordered_rounds.SessionOutcome(status_codes=statuses, failures=failures, describe_gap=describe_gap)


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
    statuses = np.where(
        is_late,
        np.uint8(status_codes.FAIL),
        np.where(ages.most > limit, np.uint8(status_codes.NOT_EVIDENCED), np.uint8(status_codes.PASS)),
    )
    statuses[(is_covered == NO) | ~track.in_play] = status_codes.NOT_APPLICABLE
    return statuses


def check_blocks(track: Track, occurrences: Occurrences, size: int) -> Statuses:
    """Return the status of each item for blocks of rounds counted from the opening.

    A failure is at the last round of a block.

    Returns:
        uint8[items].
    """
    statuses = np.full(len(track), status_codes.PASS, np.uint8)
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
            statuses[item] = status_codes.NOT_APPLICABLE
            continue
        if counted is None or UNKNOWN in (applies, counts):
            counted = None
            statuses[item] = status_codes.NOT_EVIDENCED
            continue
        counted += 1
        if counted % size == 0:
            statuses[item] = (
                status_codes.PASS
                if result == YES
                else status_codes.FAIL
                if result == NO
                else status_codes.NOT_EVIDENCED
            )
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
    track = build_track(rounds, names, decks=check.each is not None)
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
        name_moment(prepared, check.step) if check.operator == "step" else describe_condition(prepared, check.must)
    )
    expected = f"{describe_interval(check)}: {condition_text}"

    def describe_gap(place: int) -> status_codes.FindingDetails:
        why = explain_gap(rounds, place, names) or f"the evidence does not show whether this holds: {condition_text}"
        return status_codes.FindingDetails(where=rounds.where(place), expected=expected, observed=why)

    # A failure over several rounds is reported once, at the first of them.
    failed = np.flatnonzero(statuses == status_codes.FAIL)
    _, first, lasts = np.unique(failed if ages is None else ages.since[failed], return_index=True, return_counts=True)
    items = failed[first]

    def describe_failure(failure: int) -> status_codes.FindingDetails:
        item = int(items[failure])
        observed = _describe_absence(rounds, check, track, occurrences, ages, item)
        return status_codes.FindingDetails(
            where=rounds.where(int(track.places[item])), expected=expected, observed=observed
        )

    failures = SessionFailures(places=track.places[items], rounds=lasts, describe_failure=describe_failure)
    return SessionOutcome(
        status_codes=combine_per_round(len(rounds), track, statuses),
        failures=failures,
        describe_gap=describe_gap,
    )


def _find_occurrences(rounds: OrderedRounds, requirement: Requirement, check: EveryCheck, track: Track) -> Truths:
    if check.operator == "must":
        return np.where(track.in_play, read_truth(rounds, requirement, "happened")[track.places], np.uint8(NO))
    decks = check.each is not None
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
