"""Order of seats and sequences of steps, also if an event may belong to several steps or is missing from the log.

Events that a course already reports as out of order are ignored, and so are repetitions of earlier acts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Flags,
    Ints,
    Ints8,
    Ints32,
    are_all,
    find_true,
    flag_items,
    group_equal,
    has_any,
    look_up,
)
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.compiled_order import StepAutomaton
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.timeline import step_events
from fairdeal.validator.engine.timeline.excused_acts import is_truncated, reported_out_of_order
from fairdeal.validator.engine.timeline.recorded_acts import find_repetitions
from fairdeal.validator.language.grammar import Grain


class SeatOrderCheck(Struct, frozen=True, kw_only=True):
    """Comparison of the events of each round with an order of seats."""

    broke_at: Ints
    """First event that should have come before the event ahead of it, int64[rounds]; -1 if there is none."""
    event_before: Ints
    """Event ahead of it, int64[rounds]."""
    has_several_seats: Flags
    """True if the round has events of several seats, which alone have an order, bool[rounds]."""


def check_same_order(
    scope: EvaluationContext, first: str, then: str, *, include_possible: bool = False
) -> SeatOrderCheck:
    """Compare the seats of a step with the order in which the seats came up in another step.

    Args:
        first: the step that sets the order.
        then: the step to compare.
        include_possible: count events that may belong to the later step.
    """
    events = scope.batch.events
    rounds = scope.count_items("round")
    setting = _select_at_seats(scope, step_events.certain_events(scope, first))
    rank = np.full(scope.count_items("seat"), np.iinfo(np.int64).max, np.int64)
    np.minimum.at(rank, events.seat[setting], setting)
    following = _select_at_seats(scope, _select_events(scope, then, include_possible))
    following = following.compress(rank.take(events.seat.take(following)) != np.iinfo(np.int64).max)
    return _compare_order(rounds, events.round[following], following, rank[events.seat[following]])


def check_rotation(
    scope: EvaluationContext, steps: Sequence[str], *, falling: bool, include_possible: bool = False
) -> SeatOrderCheck:
    """Compare the events of some steps with a tour around the table.

    Seats come in ascending (or `falling`) order of their numbers, each once. Within a seat, the steps come in the given
    order; a decision and the wager that it places are one act, whichever comes first.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    symbols = step_symbols(scope, steps, include_possible=include_possible)
    chosen = _select_at_seats(scope, events_of_steps(scope, steps, include_possible=include_possible))
    owner = events.round.take(chosen)
    number = scope.batch.seats.number.take(events.seat.take(chosen)).astype(np.int64) * (-1 if falling else 1)
    place = number * len(steps) + _rank_steps(scope.compiled_game, tuple(steps)).take(symbols.take(chosen))
    return _compare_order(rounds, owner, chosen, place)


@cached_by_game
def _rank_steps(prepared: CompiledGame, steps: tuple[str, ...]) -> Ints:
    """Return the position of each step in a visit. A wager has the position of the decision before it that places it.

    Returns:
        int64[steps].
    """
    ranks = list[int]()
    placed = {decision.places for decision in prepared.game.decisions.values()}
    decides = False
    for number, name in enumerate(steps):
        step = prepared.steps[name]
        is_placed = step.events == ("wager",) and bool(step.of) and {*step.of} <= placed
        ranks.append(ranks[-1] if decides and is_placed else number)
        decides = "decide" in step.events or (decides and is_placed)
    return np.array(ranks)


def check_clockwise(
    scope: EvaluationContext, step: str, rank: Ints, reported: Flags, *, include_possible: bool = False
) -> SeatOrderCheck:
    """Compare the seats of a step with an order of seats.

    Args:
        rank: int64[seats], the position of each seat in the order, -1 if it has none.
        reported: bool[events], events that another requirement reports, to be ignored.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    chosen = _select_at_seats(scope, _select_events(scope, step, include_possible))
    chosen = chosen.compress(~reported.take(chosen))
    chosen = chosen[rank[events.seat[chosen]] >= 0]
    return _compare_order(rounds, events.round[chosen], chosen, rank[events.seat[chosen]])


def step_symbols(scope: EvaluationContext, steps: Sequence[str], *, include_possible: bool = False) -> Ints8:
    """Return the first step that each event belongs to, as an index; -1 if none.

    Returns:
        int8[events].
    """
    symbols = np.full(scope.count_items("event"), -1, np.int8)
    for number, step in reversed(list(enumerate(steps))):
        symbols[_select_events(scope, step, include_possible)] = number
    return symbols


def events_of_steps(scope: EvaluationContext, steps: Sequence[str], *, include_possible: bool = False) -> Ints:
    """Return the events that belong to any of some steps, in log order.

    Returns:
        int64[m].
    """
    # A stable sort merges sorted runs, which is faster than a pass over all events.
    result = np.sort(np.concatenate([_select_events(scope, step, include_possible) for step in steps]), kind="stable")
    fresh = np.ones(len(result), bool)
    fresh[1:] = result[1:] != result[:-1]
    return result if are_all(fresh) else result.compress(fresh)


def _select_events(scope: EvaluationContext, step: str, include_possible: bool) -> Ints:
    return step_events.possible_events(scope, step) if include_possible else step_events.certain_events(scope, step)


def _select_at_seats(scope: EvaluationContext, events: Ints) -> Ints:
    """Return the events that have a seat.

    Events that a course reports as out of order, repetitions, and events of kinds that the log does not record are left
    out.
    """
    passed_over = reported_out_of_order(scope).take(events) | find_repetitions(scope).take(events)
    passed_over |= ~step_events.is_kind_recorded(scope).take(events)
    return events.compress((scope.batch.events.seat.take(events) != ABSENT) & ~passed_over)


def _compare_order(rounds: int, owner: Ints32, events: Ints, place: Ints) -> SeatOrderCheck:
    """Compare events, in log order, with an order in which their places must not decrease."""
    same_round = owner[1:] == owner[:-1]
    late = find_true((place[1:] < place[:-1]) & same_round) + 1
    broke_at, ahead = np.full(rounds, -1, np.int64), np.full(rounds, -1, np.int64)
    broke_at[owner[late[::-1]]] = events[late[::-1]]
    ahead[owner[late[::-1]]] = events[late[::-1] - 1]
    several = np.zeros(rounds, bool)
    several[owner[1:][(place[1:] != place[:-1]) & same_round]] = True
    return SeatOrderCheck(broke_at=broke_at, event_before=ahead, has_several_seats=several)


def is_sequence_ambiguous(scope: EvaluationContext, automaton: StepAutomaton, grain: Grain) -> Flags:
    """Return whether ambiguous events leave open whether a round or seat follows a sequence.

    Each ambiguous event counts as any of the steps it may belong to, whatever the others are.

    Returns:
        bool[n].
    """
    chosen, may_be = _find_candidates(scope, automaton.steps)
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[chosen]
    doubtful = flag_items(owner[may_be.sum(axis=1) > 1], scope.count_items(grain))
    selected = find_true(look_up(doubtful, owner, missing=False))
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
        [~step_events.are_steps_recorded(scope, [step], ordered=len(deals) > 1) for step in automaton.steps], bool
    ).T  # rounds by steps
    result = np.zeros(scope.count_items(grain), bool)
    is_partly_recorded = unrecorded.any(axis=1) & ~unrecorded.all(axis=1) & scope.batch.recorded
    if not has_any(is_partly_recorded):
        return result
    chosen, may_be = _find_candidates(scope, automaton.steps)
    owner = (scope.batch.events.round if grain == "round" else scope.batch.events.seat)[chosen]
    recorded = step_events.is_kind_recorded(scope)[chosen] & (owner != ABSENT)
    chosen, may_be, owner = chosen[recorded], may_be[recorded], owner[recorded]
    order = np.argsort(owner, kind="stable")
    may_be, owner = may_be[order], owner[order]
    items = find_true(is_partly_recorded[rounds])
    examples, codes = group_equal(unrecorded[rounds[items]] @ (1 << np.arange(len(automaton.steps), dtype=np.int64)))
    for code, example in enumerate(examples.tolist()):
        selected = items[codes == code]
        places = np.full(scope.count_items(grain), ABSENT, np.int64)
        places[selected] = np.arange(len(selected))
        concerned = find_true(places[owner] != ABSENT)
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
    for step in find_true(steps).tolist():
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
    chosen = events_of_steps(scope, steps, include_possible=True)
    may_be = np.zeros((len(chosen), len(steps) + 1), bool)
    unsettled = np.ones(len(chosen), bool)
    for number, step in enumerate(steps):
        sure, possible = (
            np.searchsorted(chosen, of(scope, step))
            for of in (step_events.certain_events, step_events.ambiguous_events)
        )
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
        alive = find_true(lengths > place)
        possible, before = may_be[starts[alive] + place], states[alive]
        states[alive] = np.logical_or.reduce(
            [(before @ lead) & possible[:, number, None] for number, lead in enumerate(leads)]
        )
        states[alive] = states[alive] @ unseen_closure
    return states
