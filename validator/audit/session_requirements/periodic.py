"""Check `every`: something happens at least once in a number of rounds or hours."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Ints, Tri
from validator.audit.session_requirements.time_since_last import (
    FOREVER,
    Ages,
    Happenings,
    in_blocks,
    in_rounds,
    in_time,
    marks_of,
)
from validator.audit.sessions.event_signature import Word
from validator.audit.sessions.outcome import Lapses, Outcome, asked_of, per_round, shown, track_of
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.sessions.text import counted, hours_told, round_told, step_told, why_not_shown
from validator.audit.sessions.timelines import Track
from validator.audit.statuses.status_codes import FAIL, Told
from validator.engine.compiled.game import Prepared
from validator.engine.core.kleene import NO, UNKNOWN, YES
from validator.language.wording import demanded
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import EveryCheck

HOUR = 3_600_000_000
"""Microseconds in an hour."""


def every(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Check a requirement `every` over all sessions."""
    check: EveryCheck = requirement.check.operand
    names = frozenset([check.step] if check.operator == "step" else [])
    track = track_of(rounds, names, decks=check.of_each is not None)
    in_force = rounds.column(requirement.requirement, "in-force")
    occurrences = Happenings(
        applies=asked_of(rounds, requirement)[track.at],
        counts=shown(rounds, requirement, "counts")[track.at],
        happened=_find_occurrences(rounds, requirement, check, track),
        uniform=check.when is None and check.counts is None and in_force is None,
    )
    ages: Ages | None = None
    match check.within.operator:
        case "blocks-of":
            statuses = in_blocks(track, occurrences, check.within.operand)
        case "rounds":
            ages = in_rounds(track, occurrences)
            statuses = marks_of(track, occurrences, ages, check.within.operand - 1)
        case _:
            ages = in_time(track, occurrences, rounds.time[track.at], _time_of_opening(rounds, track))
            statuses = marks_of(track, occurrences, ages, check.within.operand * HOUR)
    condition_text = step_told(prepared, check.step) if check.operator == "step" else demanded(prepared, check.happens)
    expected = f"{_describe_interval(check)}: {condition_text}"

    def describe_gap(place: int) -> Told:
        why = why_not_shown(rounds, place, names) or f"the evidence does not show: {condition_text}"
        return Told(where=rounds.where(place), expected=expected, observed=why)

    # A failure over several rounds is reported once, at the first of them.
    failed = np.flatnonzero(statuses == FAIL)
    _, first, lasts = np.unique(failed if ages is None else ages.since[failed], return_index=True, return_counts=True)
    items = failed[first]

    def describe_failure(failure: int) -> Told:
        item = int(items[failure])
        observed = _describe_absence(rounds, check, track, occurrences, ages, item)
        return Told(where=rounds.where(int(track.at[item])), expected=expected, observed=observed)

    failures = Lapses(places=track.at[items], rounds=lasts, told=describe_failure)
    return Outcome(marks=per_round(len(rounds), track, statuses), lapses=failures, gap=describe_gap)


def _find_occurrences(rounds: Gathered, requirement: Requirement, check: EveryCheck, track: Track) -> Tri:
    if check.operator == "happens":
        return np.where(track.in_play, shown(rounds, requirement, "happened")[track.at], np.uint8(NO))
    decks = check.of_each is not None
    sequence = rounds.word[track.at]
    kinds = (sequence * (len(rounds.deck.names) + 1) + track.deck + 1) * 2 + track.in_play
    _, examples, codes = np.unique(kinds, return_index=True, return_inverse=True)
    values = [
        _occurs_in(
            rounds.words[sequence[item]],
            check.step,
            deck=None if track.deck[item] == ABSENT else rounds.deck.names[track.deck[item]],
            in_play=bool(track.in_play[item]) if decks else None,
        )
        for item in examples.tolist()
    ]
    return np.array(values, np.uint8)[codes]


def _occurs_in(sequence: Word, step: str, *, deck: str | None, in_play: bool | None) -> int:
    """Return whether a step happened in a round, to the table (`in_play` None) or to a deck."""
    result = UNKNOWN if sequence.breaks_off or step in sequence.unrecorded else NO
    for token in sequence.symbols:
        result = max(result, token.of_deck(deck, in_play=in_play).get(step, NO))
    return result


def _time_of_opening(rounds: Gathered, track: Track) -> Ints:
    """Return the time when the table opened before each item; FOREVER if the log does not include the opening."""
    known = (track.opened != ABSENT) & (rounds.order.gap[track.opened] == 0)
    return np.where(known, rounds.time[track.opened], FOREVER)


def _describe_interval(check: EveryCheck) -> str:
    size = check.within.operand
    each = " for each deck" if check.of_each else ""
    match check.within.operator:
        case "hours":
            return f"at least once in {counted(size, 'hour')}{each}"
        case "rounds":
            return f"at least once in {counted(size, 'consecutive round')}{each}"
        case _:
            return f"at least once in each {counted(size, 'round')} counted from the opening{each}"


def _describe_absence(
    rounds: Gathered, check: EveryCheck, track: Track, occurrences: Happenings, ages: Ages | None, item: int
) -> str:
    deck = "" if track.deck[item] == ABSENT else f" for the deck {rounds.deck.names[track.deck[item]]}"
    if ages is None:
        return f"not once in the {counted(check.within.operand, 'round')} that end with this one{deck}"
    age = int(ages.least[item])
    duration = hours_told(age) if check.within.operator == "hours" else counted(age, "round")
    since = int(ages.since[item])
    place, here = int(track.at[since]), int(track.at[item])
    if occurrences.happened[since] == YES:
        return f"{duration} without it{deck}, since {round_told(rounds, place, here)}"
    if track.opening[since] and not track.gap[since]:
        opened = int(track.opened[since])
        return f"{duration} without it{deck}, since the table opened with {round_told(rounds, opened, here)}"
    return f"at least {duration} without it{deck}, counted from {round_told(rounds, place, here)}"
