"""Sequences in which an event may belong to several steps, or may be missing from the log."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, group_equal
from validator.engine.compiled.step_automaton import StepAutomaton
from validator.engine.core.context import EvaluationContext
from validator.engine.timeline.seat_order import events_of_steps
from validator.engine.timeline.step_events import (
    ambiguous_events,
    are_steps_recorded,
    certain_events,
    is_kind_recorded,
)
from validator.engine.timeline.truncated_records import is_truncated
from validator.language.grains import Grain


def is_sequence_ambiguous(scope: EvaluationContext, automaton: StepAutomaton, grain: Grain) -> Flags:
    """Return whether ambiguous events leave open whether a round or seat follows a sequence.

    Each ambiguous event counts as any of the steps it may belong to, whatever the others are.

    Returns:
        bool[n].
    """
    chosen, may_be = _find_candidates(scope, automaton.steps)
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[chosen]
    doubtful = np.zeros(scope.count_items(grain) + 1, bool)  # the last entry is for no seat
    doubtful[owner[may_be.sum(axis=1) > 1]] = True
    doubtful[ABSENT] = False
    selected = np.flatnonzero(doubtful[owner])
    selected = selected[np.argsort(owner[selected], kind="stable")]
    groups, group = np.unique(owner[selected], return_inverse=True)
    states = _reachable_states(automaton, may_be[selected], group, len(groups))
    result = np.zeros(scope.count_items(grain), bool)
    result[groups] = states[:, automaton.accepting].any(axis=1) & states[:, ~automaton.accepting].any(axis=1)
    return result


def is_sequence_impossible(scope: EvaluationContext, automaton: StepAutomaton, grain: Grain) -> Flags:
    """Return whether rounds or seats cannot have followed a sequence, whatever their incomplete logs omit.

    Events of kinds that are not recorded may be anywhere, any number of times, and any events may follow a truncated
    record.

    Returns:
        bool[n].
    """
    rounds = scope.rounds_of(grain)
    deals = [step for step in automaton.steps if "deal" in scope.compiled_game.steps[step].events]
    unrecorded = np.array(
        [~are_steps_recorded(scope, [step], ordered=len(deals) > 1) for step in automaton.steps], bool
    ).T  # rounds by steps
    result = np.zeros(scope.count_items(grain), bool)
    is_partly_recorded = unrecorded.any(axis=1) & ~unrecorded.all(axis=1) & scope.batch.recorded
    if not is_partly_recorded.any():
        return result
    chosen, may_be = _find_candidates(scope, automaton.steps)
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[chosen]
    recorded = is_kind_recorded(scope)[chosen] & (owner != ABSENT)
    chosen, may_be, owner = chosen[recorded], may_be[recorded], owner[recorded]
    order = np.argsort(owner, kind="stable")
    may_be, owner = may_be[order], owner[order]
    items = np.flatnonzero(is_partly_recorded[rounds])
    examples, codes = group_equal(unrecorded[rounds[items]] @ (1 << np.arange(len(automaton.steps), dtype=np.int64)))
    for code, example in enumerate(examples.tolist()):
        selected = items[codes == code]
        places = np.full(scope.count_items(grain), ABSENT, np.int64)
        places[selected] = np.arange(len(selected))
        concerned = np.flatnonzero(places[owner] != ABSENT)
        states = _reachable_states(
            automaton,
            may_be[concerned],
            places[owner[concerned]],
            len(selected),
            unseen=unrecorded[rounds[items[example]]],
        )
        stops = is_truncated(scope, grain)[selected]
        states[stops] = states[stops] @ _closure(automaton, np.ones(len(automaton.steps), bool))
        result[selected] = ~states[:, automaton.accepting].any(axis=1)
    return result


def _closure(automaton: StepAutomaton, steps: Flags) -> Flags:
    """Return which states any number of some steps lead to from each state."""
    count = len(automaton.transitions)
    leads = np.eye(count, dtype=bool)
    for step in np.flatnonzero(steps).tolist():
        leads |= np.eye(count, dtype=bool)[automaton.transitions[:, step]]
    for _ in range(count.bit_length()):
        leads = leads @ leads
    return leads


def _find_candidates(scope: EvaluationContext, steps: Sequence[str]) -> tuple[Ints, Flags]:
    """Return the events that belong or may belong to any of some steps, and the steps of each.

    Returns:
        int64[m], the events; bool[m, steps + 1], the steps that each may belong to. The first certain step excludes
        later ones; the last column means none of them.
    """
    chosen = events_of_steps(scope, steps, perhaps=True)
    may_be = np.zeros((len(chosen), len(steps) + 1), bool)
    unsettled = np.ones(len(chosen), bool)
    for number, step in enumerate(steps):
        sure, possible = (np.searchsorted(chosen, of(scope, step)) for of in (certain_events, ambiguous_events))
        may_be[sure, number] = unsettled[sure]
        may_be[possible, number] = unsettled[possible]
        unsettled[sure] = False
    may_be[:, -1] = unsettled
    return chosen, may_be


def _reachable_states(
    automaton: StepAutomaton, may_be: Flags, group: Ints, groups: int, *, unseen: Flags | None = None
) -> Flags:
    """Return the states in which an automaton may be after the events of each group.

    Args:
        group: the group of each event, ascending.
        unseen: steps that may have happened anywhere, any number of times, bool[steps].
    """
    count = len(automaton.transitions)
    leads = [np.eye(count, dtype=bool)[automaton.transitions[:, step]] for step in range(len(automaton.steps))]
    leads.append(np.eye(count, dtype=bool))
    states = np.zeros((groups, count), bool)
    states[:, 0] = True
    unseen_closure = np.eye(count, dtype=bool) if unseen is None else _closure(automaton, unseen)
    states = states @ unseen_closure
    lengths = np.bincount(group, minlength=groups)
    starts = np.cumsum(lengths) - lengths
    for place in range(int(lengths.max(initial=0))):
        alive = np.flatnonzero(lengths > place)
        possible, before = may_be[starts[alive] + place], states[alive]
        states[alive] = np.logical_or.reduce(
            [(before @ lead) & possible[:, number, None] for number, lead in enumerate(leads)]
        )
        states[alive] = states[alive] @ unseen_closure
    return states
