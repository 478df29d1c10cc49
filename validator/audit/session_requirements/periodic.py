"""Check `every`: something happens at least once in a number of rounds or hours."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints, Truths
from validator.audit.session_requirements.time_since_last import (
    FOREVER,
    Ages,
    Occurrences,
    check_ages,
    check_blocks,
    measure_in_rounds,
    measure_in_time,
)
from validator.audit.sessions.event_signature import EventSequence
from validator.audit.sessions.outcome import (
    SessionFailures,
    SessionOutcome,
    build_track,
    combine_per_round,
    find_applicable_rounds,
    read_truth,
)
from validator.audit.sessions.rounds_in_order import OrderedRounds
from validator.audit.sessions.text import describe_round, describe_step, explain_gap, format_count, format_hours
from validator.audit.sessions.timelines import Track
from validator.audit.statuses.status_codes import FAIL, FindingDetails
from validator.engine.compiled.game import CompiledGame
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.language.wording import describe_condition
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import EveryCheck

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
        describe_step(prepared, check.step) if check.operator == "step" else describe_condition(prepared, check.happens)
    )
    expected = f"{_describe_interval(check)}: {condition_text}"

    def describe_gap(place: int) -> FindingDetails:
        why = explain_gap(rounds, place, names) or f"the evidence does not show: {condition_text}"
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
        status_codes=combine_per_round(len(rounds), track, statuses), failures=failures, describe_gap=describe_gap
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


def _describe_interval(check: EveryCheck) -> str:
    size = check.within.operand
    each = " for each deck" if check.of_each else ""
    match check.within.operator:
        case "hours":
            return f"at least once in {format_count(size, 'hour')}{each}"
        case "rounds":
            return f"at least once in {format_count(size, 'consecutive round')}{each}"
        case _:
            return f"at least once in each {format_count(size, 'round')} counted from the opening{each}"


def _describe_absence(
    rounds: OrderedRounds, check: EveryCheck, track: Track, occurrences: Occurrences, ages: Ages | None, item: int
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
