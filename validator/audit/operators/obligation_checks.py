"""Checks of obligations within a round."""

from __future__ import annotations

import numpy as np

from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.sessions.event_log import build_event_log
from fairdeal.validator.audit.sessions.obligations import NEED_NOT_SHOWN, NOTHING_PENDING, build_automaton
from fairdeal.validator.audit.wording.check_phrases import describe_due_steps, describe_missing_steps, name_moment
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.rules.procedure_model import NeededCheck


def check_obligation_in_round(scope: EvaluationContext, check: NeededCheck) -> status_codes.CheckResult:
    """Check an obligation within each round, with nothing pending at the start of the round."""
    prepared, automaton, event_log = scope.compiled_game, build_automaton(check), build_event_log(scope, [check])
    transitions = [
        automaton.advance(sequence, NOTHING_PENDING, deck=None, in_play=None) for sequence in event_log.sequences
    ]
    starts, events = event_log.starts(), scope.batch.events
    statuses = np.array([transition.status_code for transition in transitions], np.uint8)[event_log.sequence_index]
    applies = scope.evaluate(check.when, "round")
    statuses = np.where(
        (statuses == status_codes.FAIL) & (applies == kleene.UNKNOWN), np.uint8(status_codes.NOT_EVIDENCED), statuses
    )
    statuses[applies == kleene.NO] = status_codes.NOT_APPLICABLE

    def describe_failure(round_: int) -> status_codes.FindingDetails:
        transition = transitions[event_log.sequence_index[round_]]
        numbers = event_log.numbers[starts[round_] :]
        event_met = automaton.find_waiting_step(
            event_log.sequences[event_log.sequence_index[round_]], transition.failed_token
        )
        event = int(events.offsets[round_]) + int(numbers[transition.failed_token]) - 1
        missing_steps = automaton.steps[transition.failed_state - 1 :]
        return status_codes.FindingDetails(
            where=status_codes.build_place(scope, round_, seat=int(events.seat[event]), event=event),
            expected=describe_due_steps(prepared, missing_steps, (event_met,)),
            observed=f"{name_moment(prepared, event_met)} "
            f"{describe_missing_steps(missing_steps)}, needed since event "
            f"{int(numbers[transition.started_by])}",
        )

    def explain_gap(round_: int) -> str:
        is_unrecorded = bool(event_log.sequences[event_log.sequence_index[round_]].unrecorded)
        return status_codes.NO_EVENTS if is_unrecorded else NEED_NOT_SHOWN

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.rounds_of("round"),
        describe_failure=describe_failure,
        describe_gap=status_codes.describe_gaps(
            scope,
            "round",
            expected=describe_due_steps(prepared, automaton.steps, automaton.waiting_steps),
            observed=explain_gap,
        ),
    )
