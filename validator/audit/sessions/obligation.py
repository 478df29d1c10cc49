"""The check `needed`: after something has happened, something else must wait for certain steps."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.audit.sessions.event_signature import Word
from validator.audit.sessions.obligation_automaton import Failure, Followed, Machine, follow
from validator.audit.sessions.outcome import Lapses, Outcome, asked_of, per_round, track_of
from validator.audit.sessions.play_order import UNNUMBERED, Order
from validator.audit.sessions.rounds_in_order import Gathered
from validator.audit.sessions.text import due_before, lacking_told, round_told, step_told, why_not_shown
from validator.audit.sessions.timelines import Track
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, Told
from validator.engine.compiled.game import Prepared
from validator.engine.core.kleene import NO, UNKNOWN
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import NeededCheck


def machine_of(check: NeededCheck) -> Machine:
    """The machine of a check."""
    return Machine(
        since=check.occasions, steps=tuple(check.steps), before=check.waiting, until=check.until, told=check.told
    )


def needed(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Judge the check over all sessions."""
    check: NeededCheck = requirement.check.operand
    machine, names = machine_of(check), frozenset({*check.occasions, *check.steps, *check.waiting})
    decks = check.per == "deck"
    track, followed = _followed(rounds, machine, names, decks=decks, order=rounds.order)
    found = followed.marks
    if check.unnumbered is not None and (rounds.order.why == UNNUMBERED).any():
        # The same items; what fails though nothing is missing in between fails.
        order = rounds.order.as_it_stands(opened=~_taken_early(rounds, check))
        track, followed = _followed(rounds, machine, names, decks=decks, order=order)
        found = np.where(followed.marks == FAIL, followed.marks, found)
    applies = asked_of(rounds, requirement)[track.at]
    marks = np.where((found == FAIL) & (applies == UNKNOWN), np.uint8(NOT_EVIDENCED), found)
    marks[applies == NO] = NOT_APPLICABLE

    items = np.flatnonzero(marks == FAIL)

    def told(lapse: int) -> Told:
        item = int(items[lapse])
        place, failure = int(track.at[item]), followed.failures[item]
        return Told(
            where=rounds.where(place, rounds.event(place, failure.symbol)),
            expected=due_before(prepared, failure.lacking, machine.before),
            observed=_observed(prepared, rounds, machine, track, item, failure),
        )

    def gap(place: int) -> Told:
        why = why_not_shown(rounds, place, names) or "the evidence leaves open whether it was needed, or done"
        expected = due_before(prepared, machine.steps, machine.before)
        return Told(where=rounds.where(place), expected=expected, observed=why)

    lapses = Lapses(places=track.at[items], rounds=np.ones(len(items), np.int64), told=told)
    return Outcome(marks=per_round(len(rounds), track, marks), lapses=lapses, gap=gap)


def _taken_early(rounds: Gathered, check: NeededCheck) -> Flags:
    """Return for each round whether a record of its table has the steps after what must wait for them, as done for the
    next round: the record before the first of the log may have had them too."""
    early = np.array([_ends_with(word, check) for word in rounds.words], bool)[rounds.word]
    table = rounds.order.session()
    return (np.bincount(table, early) > 0)[table]


def _ends_with(word: Word, check: NeededCheck) -> bool:
    """Return whether a step follows the last of what must wait for the steps, and is not out of its place there."""
    for symbol in reversed(word.symbols):
        names = set() if symbol.misplaced else {name for name, _ in symbol.steps}
        if not names.isdisjoint(check.waiting):
            return False
        if not names.isdisjoint(check.steps):
            return any(not {name for name, _ in one.steps}.isdisjoint(check.waiting) for one in word.symbols)
    return False


def _followed(
    rounds: Gathered, machine: Machine, names: frozenset[str], *, decks: bool, order: Order
) -> tuple[Track, Followed]:
    track = track_of(rounds, names, decks=decks, order=order)
    word = rounds.word[track.at]
    return track, follow(machine, track, rounds.words, word, rounds.deck.names if decks else None)


def _observed(prepared: Prepared, rounds: Gathered, machine: Machine, track: Track, item: int, failure: Failure) -> str:
    deck = "" if track.deck[item] == ABSENT else f" (deck {rounds.deck.names[track.deck[item]]})"
    here = int(track.at[item])
    met = machine.met(rounds.words[int(rounds.word[here])], failure.symbol)
    happened = f"{step_told(prepared, met)}{deck} {lacking_told(failure.lacking)}"
    place = int(track.at[failure.since])
    if failure.since_symbol < 0:
        opened = int(track.opened[failure.since])
        first = round_told(rounds, opened, here)
        if rounds.order.opening[opened]:
            return f"{happened}, needed since the table opened with {first}"
        return f"{happened}; nothing is told before {first}"
    word = rounds.words[int(rounds.word[place])]
    belongs = dict(word.symbols[failure.since_symbol].steps)
    since = next(name for name in machine.since if name in belongs)
    event = rounds.event(place, failure.since_symbol)
    which = "" if place == here else f"{round_told(rounds, place, here)}, "
    return f"{happened}, needed since {which}event {event}: {step_told(prepared, since)}"
