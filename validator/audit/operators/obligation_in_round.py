"""Check `needed` within each round."""

from __future__ import annotations

import numpy as np

from validator.audit.sessions.events_per_round import journal_of
from validator.audit.sessions.obligation import machine_of
from validator.audit.sessions.obligation_automaton import FREE
from validator.audit.sessions.text import due_before, lacking_told, step_told
from validator.audit.statuses.status_codes import FAIL, NO_EVENTS, NOT_APPLICABLE, NOT_EVIDENCED, Judged, Told, place_of
from validator.engine.core import kleene
from validator.engine.core.context import Scope
from validator.rules.model.sessions import NeededCheck


def needed_in_round(scope: Scope, check: NeededCheck) -> Judged:
    """Check an obligation within each round, with nothing pending at the start of the round."""
    prepared, automaton, event_log = scope.prepared, machine_of(check), journal_of(scope, [check])
    transitions = [automaton.through(sequence, FREE, deck=None, in_play=None) for sequence in event_log.words]
    starts, events = event_log.starts(), scope.batch.events
    statuses = np.array([transition.mark for transition in transitions], np.uint8)[event_log.word]
    applies = scope.truth(check.when, "round")
    statuses = np.where((statuses == FAIL) & (applies == kleene.UNKNOWN), np.uint8(NOT_EVIDENCED), statuses)
    statuses[applies == kleene.NO] = NOT_APPLICABLE

    def describe_failure(round_: int) -> Told:
        transition = transitions[event_log.word[round_]]
        numbers = event_log.numbers[starts[round_] :]
        event_met = automaton.met(event_log.words[event_log.word[round_]], transition.symbol)
        event = int(events.offsets[round_]) + int(numbers[transition.symbol]) - 1
        missing_steps = automaton.steps[transition.state - 1 :]
        return Told(
            where=place_of(scope, round_, seat=int(events.seat[event]), event=event),
            expected=due_before(prepared, missing_steps, (event_met,)),
            observed=f"{step_told(prepared, event_met)} {lacking_told(missing_steps)}, needed since event "
            f"{int(numbers[transition.since])}",
        )

    def describe_gap(round_: int) -> Told:
        is_unrecorded = bool(event_log.words[event_log.word[round_]].unrecorded)
        return Told(
            where=place_of(scope, round_),
            expected=due_before(prepared, automaton.steps, automaton.before),
            observed=NO_EVENTS if is_unrecorded else "the evidence does not show whether it was needed, or done",
        )

    return Judged(marks=statuses, round=scope.round_of("round"), tell=describe_failure, gap=describe_gap)
