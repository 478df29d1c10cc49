"""Check `needed`: after an occasion, an event must wait for certain steps."""

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
    """Build the automaton of a check."""
    return Machine(
        since=check.occasions, steps=tuple(check.steps), before=check.waiting, until=check.until, told=check.told
    )


def needed(prepared: Prepared, rounds: Gathered, requirement: Requirement) -> Outcome:
    """Check a requirement `needed` over all sessions."""
    check: NeededCheck = requirement.check.operand
    automaton, names = machine_of(check), frozenset({*check.occasions, *check.steps, *check.waiting})
    decks = check.per == "deck"
    track, run = _run_along_track(rounds, automaton, names, decks=decks, order=rounds.order)
    status = run.marks
    if check.unnumbered is not None and (rounds.order.why == UNNUMBERED).any():
        # A failure that remains without the gaps of unnumbered rounds is certain.
        order = rounds.order.as_it_stands(opened=~_has_steps_done_early(rounds, check))
        track, run = _run_along_track(rounds, automaton, names, decks=decks, order=order)
        status = np.where(run.marks == FAIL, run.marks, status)
    applies = asked_of(rounds, requirement)[track.at]
    statuses = np.where((status == FAIL) & (applies == UNKNOWN), np.uint8(NOT_EVIDENCED), status)
    statuses[applies == NO] = NOT_APPLICABLE

    items = np.flatnonzero(statuses == FAIL)

    def describe_failure(lapse: int) -> Told:
        item = int(items[lapse])
        place, failure = int(track.at[item]), run.failures[item]
        return Told(
            where=rounds.where(place, rounds.event(place, failure.symbol)),
            expected=due_before(prepared, failure.lacking, automaton.before),
            observed=_describe_missed_obligation(prepared, rounds, automaton, track, item, failure),
        )

    def describe_gap(place: int) -> Told:
        why = why_not_shown(rounds, place, names) or "the evidence does not show whether it was needed, or done"
        expected = due_before(prepared, automaton.steps, automaton.before)
        return Told(where=rounds.where(place), expected=expected, observed=why)

    failures = Lapses(places=track.at[items], rounds=np.ones(len(items), np.int64), told=describe_failure)
    return Outcome(marks=per_round(len(rounds), track, statuses), lapses=failures, gap=describe_gap)


def _has_steps_done_early(rounds: Gathered, check: NeededCheck) -> Flags:
    """Return for each round whether a record of its table ends with the steps, done for the next round.

    The record before the first one of the log may have ended with them too.
    """
    early = np.array([_ends_with_step(word, check) for word in rounds.words], bool)[rounds.word]
    table = rounds.order.session()
    return (np.bincount(table, early) > 0)[table]


def _ends_with_step(sequence: Word, check: NeededCheck) -> bool:
    """Return whether a step follows the last waiting event, and is in its place."""
    for last in reversed(sequence.symbols):
        names = set() if last.misplaced else {name for name, _ in last.steps}
        if not names.isdisjoint(check.waiting):
            return False
        if not names.isdisjoint(check.steps):
            return any(not {name for name, _ in token.steps}.isdisjoint(check.waiting) for token in sequence.symbols)
    return False


def _run_along_track(
    rounds: Gathered, automaton: Machine, names: frozenset[str], *, decks: bool, order: Order
) -> tuple[Track, Followed]:
    track = track_of(rounds, names, decks=decks, order=order)
    sequence = rounds.word[track.at]
    return track, follow(automaton, track, rounds.words, sequence, rounds.deck.names if decks else None)


def _describe_missed_obligation(
    prepared: Prepared, rounds: Gathered, automaton: Machine, track: Track, item: int, failure: Failure
) -> str:
    deck = "" if track.deck[item] == ABSENT else f" (deck {rounds.deck.names[track.deck[item]]})"
    here = int(track.at[item])
    event_met = automaton.met(rounds.words[int(rounds.word[here])], failure.symbol)
    happened = f"{step_told(prepared, event_met)}{deck} {lacking_told(failure.lacking)}"
    place = int(track.at[failure.since])
    if failure.since_symbol < 0:
        opened = int(track.opened[failure.since])
        first = round_told(rounds, opened, here)
        if rounds.order.opening[opened]:
            return f"{happened}, needed since the table opened with {first}"
        return f"{happened}; the log has no round before {first}"
    sequence = rounds.words[int(rounds.word[place])]
    belongs = dict(sequence.symbols[failure.since_symbol].steps)
    since = next(name for name in automaton.since if name in belongs)
    event = rounds.event(place, failure.since_symbol)
    which = "" if place == here else f"{round_told(rounds, place, here)}, "
    return f"{happened}, needed since {which}event {event}: {step_told(prepared, since)}"
