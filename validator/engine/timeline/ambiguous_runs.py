"""Sequences of which the log leaves open what some events are: every way in which an automaton may have fared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from validator.arrays import ABSENT, Flags, Ints
from validator.engine.compiled.step_automaton import Automaton
from validator.engine.core.context import Scope
from validator.engine.timeline.seat_order import events_of_any
from validator.engine.timeline.step_events import doubtful_of, events_of
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
    found = np.zeros(scope.length(grain), bool)
    found[asked] = states[:, automaton.accepts].any(axis=1) & states[:, ~automaton.accepts].any(axis=1)
    return found


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


def _states(automaton: Automaton, may_be: Flags, group: Ints, groups: int) -> Flags:
    """bool[groups, states]: the states in which an automaton may be after the events of each group, `group` rising."""
    count = len(automaton.moves)
    leads = [np.eye(count, dtype=bool)[automaton.moves[:, step]] for step in range(len(automaton.steps))]
    leads.append(np.eye(count, dtype=bool))
    states = np.zeros((groups, count), bool)
    states[:, 0] = True
    lengths = np.bincount(group, minlength=groups)
    starts = np.cumsum(lengths) - lengths
    for place in range(int(lengths.max(initial=0))):
        alive = np.flatnonzero(lengths > place)
        heard, before = may_be[starts[alive] + place], states[alive]
        states[alive] = np.logical_or.reduce(
            [(before @ lead) & heard[:, number, None] for number, lead in enumerate(leads)]
        )
    return states
