"""The check `every`: something happens at least once in so many rounds or hours."""

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
"""In microseconds."""


def every(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Judge the check over all sessions."""
    check: EveryCheck = requirement.check.operand
    names = frozenset([check.step] if check.operator == "step" else [])
    track = track_of(rounds, names, decks=check.of_each is not None)
    in_force = rounds.column(requirement.requirement, "in-force")
    seen = Happenings(
        applies=asked_of(rounds, requirement)[track.at],
        counts=shown(rounds, requirement, "counts")[track.at],
        happened=_happened(rounds, requirement, check, track),
        uniform=check.when is None and check.counts is None and in_force is None,
    )
    ages: Ages | None = None
    match check.within.operator:
        case "blocks-of":
            marks = in_blocks(track, seen, check.within.operand)
        case "rounds":
            ages = in_rounds(track, seen)
            marks = marks_of(track, seen, ages, check.within.operand - 1)
        case _:
            ages = in_time(track, seen, rounds.time[track.at], _opened(rounds, track))
            marks = marks_of(track, seen, ages, check.within.operand * HOUR)
    what = step_told(prepared, check.step) if check.operator == "step" else demanded(prepared, check.happens)
    expected = f"{_often(check)}: {what}"

    def gap(place: int) -> Told:
        why = why_not_shown(rounds, place, names) or f"the evidence does not show: {what}"
        return Told(where=rounds.where(place), expected=expected, observed=why)

    # A lapse is found once, in the first of the rounds it lasts.
    failed = np.flatnonzero(marks == FAIL)
    _, first, lasts = np.unique(failed if ages is None else ages.since[failed], return_index=True, return_counts=True)
    items = failed[first]

    def told(lapse: int) -> Told:
        item = int(items[lapse])
        observed = _observed(rounds, check, track, seen, ages, item)
        return Told(where=rounds.where(int(track.at[item])), expected=expected, observed=observed)

    lapses = Lapses(places=track.at[items], rounds=lasts, told=told)
    return Outcome(marks=per_round(len(rounds), track, marks), lapses=lapses, gap=gap)


def _happened(rounds: Gathered, requirement: Requirement, check: EveryCheck, track: Track) -> Tri:
    if check.operator == "happens":
        return np.where(track.in_play, shown(rounds, requirement, "happened")[track.at], np.uint8(NO))
    decks = check.of_each is not None
    word = rounds.word[track.at]
    kinds = (word * (len(rounds.deck.names) + 1) + track.deck + 1) * 2 + track.in_play
    _, examples, codes = np.unique(kinds, return_index=True, return_inverse=True)
    values = [
        _in_word(
            rounds.words[word[item]],
            check.step,
            deck=None if track.deck[item] == ABSENT else rounds.deck.names[track.deck[item]],
            in_play=bool(track.in_play[item]) if decks else None,
        )
        for item in examples.tolist()
    ]
    return np.array(values, np.uint8)[codes]


def _in_word(word: Word, step: str, *, deck: str | None, in_play: bool | None) -> int:
    """Whether a step happened in a round, to the table (`in_play` None) or to a deck."""
    found = UNKNOWN if word.breaks_off or step in word.unrecorded else NO
    for symbol in word.symbols:
        found = max(found, symbol.of_deck(deck, in_play=in_play).get(step, NO))
    return found


def _opened(rounds: Gathered, track: Track) -> Ints:
    """When the table opened before each item; FOREVER where the log does not hold the opening."""
    known = (track.opened != ABSENT) & (rounds.order.gap[track.opened] == 0)
    return np.where(known, rounds.time[track.opened], FOREVER)


def _often(check: EveryCheck) -> str:
    size = check.within.operand
    each = " for each deck" if check.of_each else ""
    match check.within.operator:
        case "hours":
            return f"once in {counted(size, 'hour')} at least{each}"
        case "rounds":
            return f"once in {counted(size, 'round')} on end at least{each}"
        case _:
            return f"once in each {counted(size, 'round')} counted from the opening{each}"


def _observed(rounds: Gathered, check: EveryCheck, track: Track, seen: Happenings, ages: Ages | None, item: int) -> str:
    deck = "" if track.deck[item] == ABSENT else f" for the deck {rounds.deck.names[track.deck[item]]}"
    if ages is None:
        return f"not once in the {counted(check.within.operand, 'round')} that end with this one{deck}"
    age = int(ages.least[item])
    long = hours_told(age) if check.within.operator == "hours" else counted(age, "round")
    since = int(ages.since[item])
    place, here = int(track.at[since]), int(track.at[item])
    if seen.happened[since] == YES:
        return f"{long} without it{deck}, since {round_told(rounds, place, here)}"
    if track.opening[since] and not track.gap[since]:
        opened = int(track.opened[since])
        return f"{long} without it{deck}, since the table opened with {round_told(rounds, opened, here)}"
    return f"at least {long} without it{deck}, counted from {round_told(rounds, place, here)}"
