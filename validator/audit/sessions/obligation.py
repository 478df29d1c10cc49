"""Check `needed`: after an occasion, an event must wait for certain steps."""

from __future__ import annotations

import numpy as np

from validator.arrays import ABSENT, Flags
from validator.audit.sessions.event_signature import EventSequence
from validator.audit.sessions.obligation_automaton import (
    AutomatonRun,
    ObligationAutomaton,
    ObligationFailure,
    run_automaton,
)
from validator.audit.sessions.outcome import (
    SessionFailures,
    SessionOutcome,
    build_track,
    combine_per_round,
    find_applicable_rounds,
)
from validator.audit.sessions.play_order import UNNUMBERED, PlayOrder
from validator.audit.sessions.rounds_in_order import OrderedRounds
from validator.audit.sessions.text import (
    describe_due_steps,
    describe_missing_steps,
    describe_round,
    describe_step,
    explain_gap,
)
from validator.audit.sessions.timelines import Track
from validator.audit.statuses.status_codes import FAIL, NOT_APPLICABLE, NOT_EVIDENCED, FindingDetails
from validator.engine.compiled.game import CompiledGame
from validator.engine.core.kleene import NO, UNKNOWN
from validator.rules.model.requirement import Requirement
from validator.rules.model.sessions import NeededCheck


def build_automaton(check: NeededCheck) -> ObligationAutomaton:
    """Build the automaton of a check."""
    return ObligationAutomaton(
        occasions=check.occasions,
        steps=tuple(check.steps),
        waiting_steps=check.waiting,
        until=check.until,
        only_recorded=check.told,
    )


def check_obligation(prepared: CompiledGame, rounds: OrderedRounds, requirement: Requirement) -> SessionOutcome:
    """Check a requirement `needed` over all sessions."""
    check: NeededCheck = requirement.check.operand
    automaton, names = build_automaton(check), frozenset({*check.occasions, *check.steps, *check.waiting})
    decks = check.per == "deck"
    track, run = _run_along_track(rounds, automaton, names, decks=decks, order=rounds.order)
    status = run.status_codes
    if check.unnumbered is not None and (rounds.order.why == UNNUMBERED).any():
        # A failure that remains without the gaps of unnumbered rounds is certain.
        order = rounds.order.without_unnumbered_gaps(opened=~_has_steps_done_early(rounds, check))
        track, run = _run_along_track(rounds, automaton, names, decks=decks, order=order)
        status = np.where(run.status_codes == FAIL, run.status_codes, status)
    applies = find_applicable_rounds(rounds, requirement)[track.places]
    statuses = np.where((status == FAIL) & (applies == UNKNOWN), np.uint8(NOT_EVIDENCED), status)
    statuses[applies == NO] = NOT_APPLICABLE

    items = np.flatnonzero(statuses == FAIL)

    def describe_failure(lapse: int) -> FindingDetails:
        item = int(items[lapse])
        place, failure = int(track.places[item]), run.failures[item]
        return FindingDetails(
            where=rounds.where(place, rounds.event(place, failure.token)),
            expected=describe_due_steps(prepared, failure.missing_steps, automaton.waiting_steps),
            observed=_describe_missed_obligation(prepared, rounds, automaton, track, item, failure),
        )

    def describe_gap(place: int) -> FindingDetails:
        why = explain_gap(rounds, place, names) or "the evidence does not show whether it was needed, or done"
        expected = describe_due_steps(prepared, automaton.steps, automaton.waiting_steps)
        return FindingDetails(where=rounds.where(place), expected=expected, observed=why)

    failures = SessionFailures(
        places=track.places[items], rounds=np.ones(len(items), np.int64), describe_failure=describe_failure
    )
    return SessionOutcome(
        status_codes=combine_per_round(len(rounds), track, statuses), failures=failures, describe_gap=describe_gap
    )


def _has_steps_done_early(rounds: OrderedRounds, check: NeededCheck) -> Flags:
    """Return for each round whether a record of its table ends with the steps, done for the next round.

    The record before the first one of the log may have ended with them too.
    """
    early = np.array([_ends_with_step(word, check) for word in rounds.sequences], bool)[rounds.sequence_index]
    table = rounds.order.number_sessions()
    return (np.bincount(table, early) > 0)[table]


def _ends_with_step(sequence: EventSequence, check: NeededCheck) -> bool:
    """Return whether a step follows the last waiting event, and is in its place."""
    for last in reversed(sequence.tokens):
        names = set() if last.misplaced else {name for name, _ in last.steps}
        if not names.isdisjoint(check.waiting):
            return False
        if not names.isdisjoint(check.steps):
            return any(not {name for name, _ in token.steps}.isdisjoint(check.waiting) for token in sequence.tokens)
    return False


def _run_along_track(
    rounds: OrderedRounds, automaton: ObligationAutomaton, names: frozenset[str], *, decks: bool, order: PlayOrder
) -> tuple[Track, AutomatonRun]:
    track = build_track(rounds, names, decks=decks, order=order)
    sequence = rounds.sequence_index[track.places]
    return track, run_automaton(automaton, track, rounds.sequences, sequence, rounds.deck.names if decks else None)


def _describe_missed_obligation(
    prepared: CompiledGame,
    rounds: OrderedRounds,
    automaton: ObligationAutomaton,
    track: Track,
    item: int,
    failure: ObligationFailure,
) -> str:
    deck = "" if track.deck[item] == ABSENT else f" (deck {rounds.deck.names[track.deck[item]]})"
    here = int(track.places[item])
    event_met = automaton.find_waiting_step(rounds.sequences[int(rounds.sequence_index[here])], failure.token)
    happened = f"{describe_step(prepared, event_met)}{deck} {describe_missing_steps(failure.missing_steps)}"
    place = int(track.places[failure.started_in])
    if failure.started_by < 0:
        opened = int(track.opened[failure.started_in])
        first = describe_round(rounds, opened, here)
        if rounds.order.opening[opened]:
            return f"{happened}, needed since the table opened with {first}"
        return f"{happened}; the log has no round before {first}"
    sequence = rounds.sequences[int(rounds.sequence_index[place])]
    belongs = dict(sequence.tokens[failure.started_by].steps)
    since = next(name for name in automaton.occasions if name in belongs)
    event = rounds.event(place, failure.started_by)
    which = "" if place == here else f"{describe_round(rounds, place, here)}, "
    return f"{happened}, needed since {which}event {event}: {describe_step(prepared, since)}"
