"""The check `needed` asked of each round by itself."""

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
    """Every round judged from a free start."""
    prepared, machine, journal = scope.prepared, machine_of(check), journal_of(scope, [check])
    passages = [machine.through(word, FREE, deck=None, in_play=None) for word in journal.words]
    starts, events = journal.starts(), scope.batch.events
    marks = np.array([passage.mark for passage in passages], np.uint8)[journal.word]
    applies = scope.truth(check.when, "round")
    marks = np.where((marks == FAIL) & (applies == kleene.UNKNOWN), np.uint8(NOT_EVIDENCED), marks)
    marks[applies == kleene.NO] = NOT_APPLICABLE

    def tell(round_: int) -> Told:
        passage = passages[journal.word[round_]]
        numbers = journal.numbers[starts[round_] :]
        met = machine.met(journal.words[journal.word[round_]], passage.symbol)
        event = int(events.offsets[round_]) + int(numbers[passage.symbol]) - 1
        lacking = machine.steps[passage.state - 1 :]
        return Told(
            where=place_of(scope, round_, seat=int(events.seat[event]), event=event),
            expected=due_before(prepared, lacking, (met,)),
            observed=f"{step_told(prepared, met)} {lacking_told(lacking)}, needed since event "
            f"{int(numbers[passage.since])}",
        )

    def gap(round_: int) -> Told:
        dark = bool(journal.words[journal.word[round_]].unrecorded)
        return Told(
            where=place_of(scope, round_),
            expected=due_before(prepared, machine.steps, machine.before),
            observed=NO_EVENTS if dark else "the evidence leaves open whether it was needed, or done",
        )

    return Judged(marks=marks, round=scope.round_of("round"), tell=tell, gap=gap)
