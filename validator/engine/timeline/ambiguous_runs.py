"""Sequences of which the log leaves open what some events are: every way in which an automaton may have fared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Ints, alike
from validator.engine.compiled.step_automaton import Automaton
from validator.engine.core.context import Scope
from validator.engine.timeline.seat_order import events_of_any
from validator.engine.timeline.step_events import (
    doubtful_of,
    events_of,
    events_of_recorded_kinds,
    steps_recorded,
)
from validator.engine.timeline.truncated_records import breaks_off
from validator.language.grains import Grain


def left_open(scope: Scope, automaton: Automaton, grain: Grain) -> Flags:
    """bool[n]: whether events that may or may not belong to the steps of a sequence leave open whether a round or seat
    keeps to it. Each such event is taken as any of what it may be, whatever the others are."""
    chosen, may_be = _may_be(scope, automaton.steps)
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[chosen]
    doubtful = np.zeros(scope.length(grain) + 1, bool)  # the last stands for no seat
    doubtful[owner[may_be.sum(axis=1) > 1]] = True
    doubtful[ABSENT] = False
    ours = np.flatnonzero(doubtful[owner])
    ours = ours[np.argsort(owner[ours], kind="stable")]
    asked, group = np.unique(owner[ours], return_inverse=True)
    states = _states(automaton, may_be[ours], group, len(asked))
    result = np.zeros(scope.length(grain), bool)
    result[asked] = states[:, automaton.accepts].any(axis=1) & states[:, ~automaton.accepts].any(axis=1)
    return result


def is_out_of_reach(scope: Scope, automaton: Automaton, grain: Grain) -> Flags:
    """Return whether rounds or seats of incomplete logs cannot keep to a sequence, whatever is not recorded, bool[n].

    Any number of events of the kinds that are not recorded may stand anywhere, and any event after a record stops.
    """
    rounds = scope.round_of(grain)
    deals = [step for step in automaton.steps if "deal" in scope.prepared.steps[step].events]
    dark = np.array(
        [~steps_recorded(scope, [step], ordered=len(deals) > 1) for step in automaton.steps], bool
    ).T  # rounds by steps
    result = np.zeros(scope.length(grain), bool)
    partly = dark.any(axis=1) & ~dark.all(axis=1) & scope.batch.recorded
    if not partly.any():
        return result
    chosen, may_be = _may_be(scope, automaton.steps)
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[chosen]
    recorded = events_of_recorded_kinds(scope)[chosen] & (owner != ABSENT)
    chosen, may_be, owner = chosen[recorded], may_be[recorded], owner[recorded]
    order = np.argsort(owner, kind="stable")
    may_be, owner = may_be[order], owner[order]
    items = np.flatnonzero(partly[rounds])
    examples, codes = alike(dark[rounds[items]] @ (1 << np.arange(len(automaton.steps), dtype=np.int64)))
    for code, example in enumerate(examples.tolist()):
        asked = items[codes == code]
        places = np.full(scope.length(grain), ABSENT, np.int64)
        places[asked] = np.arange(len(asked))
        ours = np.flatnonzero(places[owner] != ABSENT)
        states = _states(automaton, may_be[ours], places[owner[ours]], len(asked), unseen=dark[rounds[items[example]]])
        stops = breaks_off(scope, grain)[asked]
        states[stops] = states[stops] @ _closure(automaton, np.ones(len(automaton.steps), bool))
        result[asked] = ~states[:, automaton.accepts].any(axis=1)
    return result


def _closure(automaton: Automaton, steps: Flags) -> Flags:
    """Return which states any number of some steps lead to from each, bool[states, states]."""
    count = len(automaton.moves)
    leads = np.eye(count, dtype=bool)
    for step in np.flatnonzero(steps).tolist():
        leads |= np.eye(count, dtype=bool)[automaton.moves[:, step]]
    for _ in range(count.bit_length()):
        leads = leads @ leads
    return leads


def _may_be(scope: Scope, steps: Sequence[str]) -> tuple[Ints, Flags]:
    """int64[m]: the events that belong or may belong to any of some steps; bool[m, steps + 1]: which of these each may
    be, the first that fits counting, or, in the end, none of them."""
    chosen = events_of_any(scope, steps, perhaps=True)
    may_be = np.zeros((len(chosen), len(steps) + 1), bool)
    unsettled = np.ones(len(chosen), bool)
    for number, step in enumerate(steps):
        sure, perhaps = (np.searchsorted(chosen, of(scope, step)) for of in (events_of, doubtful_of))
        may_be[sure, number] = unsettled[sure]
        may_be[perhaps, number] = unsettled[perhaps]
        unsettled[sure] = False
    may_be[:, -1] = unsettled
    return chosen, may_be


def _states(automaton: Automaton, may_be: Flags, group: Ints, groups: int, *, unseen: Flags | None = None) -> Flags:
    """Return the states in which an automaton may be after the events of each group, bool[groups, states].

    Args:
        group: the group of each event, rising.
        unseen: steps that may have come anywhere, any number of times, bool[steps].
    """
    count = len(automaton.moves)
    leads = [np.eye(count, dtype=bool)[automaton.moves[:, step]] for step in range(len(automaton.steps))]
    leads.append(np.eye(count, dtype=bool))
    states = np.zeros((groups, count), bool)
    states[:, 0] = True
    aside = np.eye(count, dtype=bool) if unseen is None else _closure(automaton, unseen)
    states = states @ aside
    lengths = np.bincount(group, minlength=groups)
    starts = np.cumsum(lengths) - lengths
    for place in range(int(lengths.max(initial=0))):
        alive = np.flatnonzero(lengths > place)
        heard, before = may_be[starts[alive] + place], states[alive]
        states[alive] = np.logical_or.reduce(
            [(before @ lead) & heard[:, number, None] for number, lead in enumerate(leads)]
        )
        states[alive] = states[alive] @ aside
    return states
