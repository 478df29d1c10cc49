"""Order of acts and milestones: the events that pass a milestone, and the event that is out of place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints32, Truths, are_all, find_true, has_any, np
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.compiled_order import MilestoneGroup, MomentIdentity, compile_milestone_group
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import YES, where_known
from fairdeal.validator.engine.timeline.recorded_acts import (
    Conflict,
    OrderedActs,
    find_doubtful_repetitions,
    find_repetitions,
    remove_misplaced_events,
)
from fairdeal.validator.engine.timeline.step_events import (
    certain_events,
    has_ambiguous_events,
    may_have_happened,
    omits_kinds,
    possible_events,
)
from fairdeal.validator.rules.check_model import BoundedMilestone

NEVER = int(np.iinfo(np.int32).max)
"""Index of an event that comes after all others."""

MilestoneGrain: TypeAlias = Literal["round", "seat"]
"""Grain of a milestone."""
_GRAINS: tuple[MilestoneGrain, ...] = get_args(MilestoneGrain)

LeftOut: TypeAlias = Literal["nothing", "reported", "misplaced"]
"""Events that are left out: none, those that a requirement in force reports as out of place, or all out of place."""


class MisplacedAct(Struct, frozen=True, kw_only=True):
    """Event on the wrong side of a milestone, or milestone on the wrong side of an act."""

    event: int
    """Index of the event."""
    group: int
    """Round or seat of the event, by the grain of the check."""
    milestone: int
    """Index of the check that reports it."""
    act: str
    """Act of the event."""
    other_event: int
    """Nearest event that it should have preceded, or followed."""
    other_act: str
    """Act of the other event."""
    is_late: bool
    """True if it came after the other event; false if it came before."""


class EventExtent(Struct, frozen=True, kw_only=True):
    """First and last event of some acts in each round or at each seat; the last entry is for events without a seat."""

    first: Ints32
    """First event, int32[n + 1]; NEVER if there is none."""
    last: Ints32
    """Last event, int32[n + 1]; ABSENT if there is none."""

    @property
    def exists(self) -> Flags:
        """Return whether there is an event, bool[n + 1]."""
        return self.last != ABSENT


@cached_fact
def find_misplaced_acts(scope: EvaluationContext, *, before_betting: bool = False) -> tuple[MisplacedAct, ...]:
    """Find the events that are surely out of place at a milestone that surely applies, in log order.

    Acts of one seat that pass a milestone in one direction are reported by the check of the first of them.

    Args:
        before_betting: only at milestones that precede the betting and are in force, without a look at the betting.
    """
    milestones = scope.compiled_game.milestones
    numbers = [
        number
        for number, milestone in enumerate(milestones)
        if not before_betting or (milestone.precedes_betting and is_enforced(scope, number))
    ]
    broken = np.zeros(len(scope.batch), bool)
    for grain in _GRAINS:
        for precedes_betting in (True,) if before_betting else (True, False):
            group = _group_milestones(scope.compiled_game, grain, precedes_betting=precedes_betting)
            crossed = _compare_milestones(scope, grain, precedes_betting=precedes_betting).crossed
            for index in find_true(np.logical_or.reduce(crossed, axis=1)).tolist() if has_any(crossed) else ():
                if group.numbers[index] in numbers:
                    applies = _applies(scope, group.numbers[index]) == YES
                    broken[scope.rounds_of(grain).compress(crossed[index] & applies)] = True
    found = [act for round_ in find_true(broken).tolist() for act in _resolve_round(scope, round_, numbers)]
    return _merge_per_seat(scope, sorted(found, key=lambda act: act.event))


def _applies(scope: EvaluationContext, number: int) -> Truths:
    milestone = scope.compiled_game.milestones[number]
    return scope.evaluate(milestone.when, milestone.each)


class MilestoneColumns(Struct, frozen=True, kw_only=True):
    """Milestones of one group compared with their acts, bool[milestones, n] each, for rounds or seats."""

    crossed: Flags
    """True if an act is surely on the wrong side of the milestone."""
    reached: Flags
    """True if the milestone came, or may have come, and one of its acts too."""
    is_unambiguous: bool
    """True if all events surely belong to their acts or surely do not."""


@cached_by_game
def _group_milestones(prepared: CompiledGame, grain: MilestoneGrain, *, precedes_betting: bool) -> MilestoneGroup:
    return compile_milestone_group(prepared.milestones, grain, precedes_betting=precedes_betting)


@cached_fact
def _compare_milestones(scope: EvaluationContext, grain: MilestoneGrain, *, precedes_betting: bool) -> MilestoneColumns:
    """Compare all milestones of a group with their acts.

    An act is surely too late only if it comes after all events that may be the last. In a record that stops, none is.
    It is surely too early only if it comes before all events that may be the first.
    """
    group = _group_milestones(scope.compiled_game, grain, precedes_betting=precedes_betting)
    if not group.numbers:
        nothing = np.zeros((0, scope.count_items(grain)), bool)
        return MilestoneColumns(crossed=nothing, reached=nothing, is_unambiguous=True)
    sure, possible = (
        _tabulate_extents(
            scope, grain, precedes_betting=precedes_betting, include_possible=include_possible, without="nothing"
        )
        for include_possible in (False, True)
    )
    first, last = group.makers.find_least(sure.first), group.makers.find_largest(sure.last)
    acts_last, acts_first = group.before.find_largest(sure.last), group.after.find_least(sure.first)
    earliest, latest, is_present = first, last, (acts_last != ABSENT) | (acts_first != NEVER)
    if possible is not sure:
        earliest, latest = group.makers.find_least(possible.first), group.makers.find_largest(possible.last)
        is_present = group.before.find_largest(possible.last) != ABSENT
        is_present |= group.after.find_least(possible.first) != NEVER
    limit = np.where(group.is_first, first, np.maximum(first, latest))
    late = acts_last > limit
    for index in group.returning:
        if has_any(late[index]):
            late[index] = _come_between(
                scope, group.numbers[index], limit[index], include_possible=False, without="nothing"
            )
    if not are_all(scope.batch.complete):
        late[:, :-1] &= group.is_first | scope.batch.complete.take(scope.rounds_of(grain))
    early = acts_first < np.where(group.is_first, np.minimum(last, earliest), last)
    return MilestoneColumns(
        crossed=(early | late)[:, :-1],
        reached=((latest != ABSENT) & is_present)[:, :-1],
        is_unambiguous=possible is sure,
    )


def _find_columns(scope: EvaluationContext, number: int) -> tuple[MilestoneColumns, int]:
    """Return the columns of a milestone's group, and its index among them."""
    milestone = scope.compiled_game.milestones[number]
    group = _group_milestones(scope.compiled_game, milestone.each, precedes_betting=milestone.precedes_betting)
    columns = _compare_milestones(scope, milestone.each, precedes_betting=milestone.precedes_betting)
    return columns, group.numbers.index(number)


class RegularOrder(NamedTuple):
    """Milestones in a batch whose record leaves no order open, for rounds or seats."""

    holds: Truths
    """YES if all acts kept to their side; UNKNOWN if that is not shown."""
    is_quiet: Flags
    """True if nothing happened that could be out of order."""


@cached_fact
def _find_regular_order(
    scope: EvaluationContext, grain: MilestoneGrain, *, precedes_betting: bool
) -> RegularOrder | None:
    """Return the order at all milestones of a group at once, uint8 and bool[milestones, n].

    The result is None if a record stops, omits kinds of events, or has events that are in doubt or out of place.
    """
    columns = _compare_milestones(scope, grain, precedes_betting=precedes_betting)
    if not columns.is_unambiguous or omits_kinds(scope) or not are_all(scope.batch.complete):
        return None
    if find_misplaced_acts(scope):
        return None
    recorded = scope.batch.recorded.take(scope.rounds_of(grain))
    in_order = recorded & ~columns.crossed
    return RegularOrder(where_known(in_order, in_order), in_order & ~columns.reached)


@cached_by_game
def _locate_plain_milestones(
    prepared: CompiledGame, numbers: tuple[int, ...]
) -> tuple[MilestoneGrain, bool, list[int]] | None:
    """Return the group of some milestones and their indices there; None if acts must happen or may come again."""
    milestones = [prepared.milestones[number] for number in numbers]
    precedes = {milestone.precedes_betting for milestone in milestones}
    if len(precedes) > 1 or any(_needs_closer_look(milestone.bounds) for milestone in milestones):
        return None
    grain, precedes_betting = milestones[0].each, precedes.pop()
    group = _group_milestones(prepared, grain, precedes_betting=precedes_betting)
    return grain, precedes_betting, [group.numbers.index(number) for number in numbers]


def _needs_closer_look(bounds: BoundedMilestone) -> bool:
    again = bounds.again_after
    return bool(bounds.must_happen) or (again is not None and again.operator == "first")


def find_regular_order(scope: EvaluationContext, numbers: tuple[int, ...]) -> RegularOrder | None:
    """Return the order at the milestones of a check if one pass over all of their group decides it, the usual case.

    Returns:
        uint8[n] and bool[n]; None if the record leaves something open, or if acts must happen.
    """
    place = _locate_plain_milestones(scope.compiled_game, numbers)
    order = None if place is None else _find_regular_order(scope, place[0], precedes_betting=place[1])
    if order is None or place is None:
        return None
    indices = place[2]
    if len(indices) == 1:
        return RegularOrder(order.holds[indices[0]], order.is_quiet[indices[0]])
    return RegularOrder(np.minimum.reduce(order.holds[indices]), np.logical_and.reduce(order.is_quiet[indices]))


def find_crossed(scope: EvaluationContext, number: int) -> Flags:
    """Return whether an act is surely on the wrong side of a milestone.

    Returns:
        bool[n], for rounds or seats.
    """
    columns, index = _find_columns(scope, number)
    crossed: Flags = columns.crossed[index]
    return crossed


def may_be_crossed(scope: EvaluationContext, number: int) -> Flags:
    """Return whether an act may be on the wrong side of a milestone, without the events that are out of place.

    Returns:
        bool[n], for rounds or seats.
    """
    bounds = scope.compiled_game.milestones[number].bounds
    may_return = bounds.again_after is not None and bounds.again_after.operator == "first"
    if not may_return and are_all(scope.batch.complete) and has_certain_order(scope, number):
        return find_crossed(scope, number)
    return _find_possibly_crossed(scope, number)


def has_certain_order(scope: EvaluationContext, number: int) -> bool:
    """Return whether no event of a milestone's group is ambiguous, and no event of the batch out of place."""
    return _find_columns(scope, number)[0].is_unambiguous and not find_misplaced_acts(scope)


def _find_possibly_crossed(scope: EvaluationContext, number: int) -> Flags:
    """Return whether an act may be on the wrong side of a milestone, as `may_be_crossed`."""
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    is_first, without = bounds.at.operator == "first", find_left_out(scope, number)
    if bounds.again_after is None or bounds.again_after.operator == "last":
        acts = (*bounds.acts, *bounds.again_acts)
        may_go_on = not is_first and bool(bounds.before) and not are_all(scope.batch.complete)
        simplest = _simplify_selection(scope, acts, include_possible=True, without=without)
        if not may_go_on and simplest == (False, "nothing"):
            return find_crossed(scope, number)
    at = bounds.at.acts
    maybe = find_extent(scope, at, grain, include_possible=True, without=without)
    outermost = find_extent(scope, at, grain, include_possible=False, without=without)
    result = np.zeros(len(maybe.first), bool)
    if bounds.after:
        early = find_extent(scope, tuple(bounds.after), grain, include_possible=True, without=without)
        result = early.first < (np.minimum(maybe.last, outermost.first) if is_first else maybe.last)
    if bounds.before:
        limit = maybe.first if is_first else np.maximum(maybe.first, outermost.last)
        if bounds.again_after is None:
            late = find_extent(scope, tuple(bounds.before), grain, include_possible=True, without=without).last > limit
        else:
            late = _come_between(scope, number, limit, include_possible=True, without=without)
        result = result | late
    return result[:-1]


def is_reached(scope: EvaluationContext, number: int) -> Flags:
    """Return whether a milestone came, or may have come, and one of its acts too.

    Returns:
        bool[n], for rounds or seats.
    """
    columns, index = _find_columns(scope, number)
    reached: Flags = columns.reached[index]
    return reached


def _come_between(
    scope: EvaluationContext, number: int, limit: Ints32, *, include_possible: bool, without: LeftOut
) -> Flags:
    """Return whether an act comes after a limit and before the event after which acts may come again.

    Args:
        limit: event of each round or seat, int32[n + 1].
        include_possible: count events that may belong to the acts.
        without: events to leave out.

    Returns:
        bool[n + 1].
    """
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    result, owner = np.zeros(len(limit), bool), _owners(scope, grain)
    if bounds.again_after is None:
        return result
    again = find_extent(scope, bounds.again_after.acts, grain, include_possible=include_possible, without=without)
    ends = again.last if include_possible or bounds.again_after.operator == "last" else again.first
    for act in bounds.before:
        events = select_act_events(scope, act, include_possible=include_possible, without=without)
        group = owner.take(events)
        between = (events > limit.take(group)) & (events < ends.take(group)) & again.exists.take(group)
        result[group.compress(between)] = True
    return result


@cached_fact
def find_extent(
    scope: EvaluationContext, acts: tuple[str, ...], grain: MilestoneGrain, *, include_possible: bool, without: LeftOut
) -> EventExtent:
    """Find the first and the last event of some acts in each round or at each seat.

    Args:
        include_possible: count events that may belong to the acts.
        without: events to leave out.
    """
    plain = _simplify_selection(scope, acts, include_possible=include_possible, without=without)
    if plain != (include_possible, without):
        return find_extent(scope, acts, grain, include_possible=plain[0], without=plain[1])
    early = _group_milestones(scope.compiled_game, grain, precedes_betting=True).rows
    rows = _group_milestones(scope.compiled_game, grain, precedes_betting=False).rows
    table = _tabulate_extents(
        scope,
        grain,
        precedes_betting=all(act in early for act in acts),
        include_possible=include_possible,
        without=without,
    )
    chosen = [rows[act] for act in acts]
    if len(chosen) == 1:
        return EventExtent(first=table.first[chosen[0]], last=table.last[chosen[0]])
    return EventExtent(
        first=np.minimum.reduce(table.first[chosen], initial=NEVER),
        last=np.maximum.reduce(table.last[chosen], initial=ABSENT),
    )


@cached_fact
def _tabulate_extents(
    scope: EvaluationContext,
    grain: MilestoneGrain,
    *,
    precedes_betting: bool,
    include_possible: bool,
    without: LeftOut,
) -> EventExtent:
    """Find the first and the last event of each act that milestones order, int32[acts + 1, n + 1] each.

    Acts before the betting have a table of their own, since the betting depends on them, and other acts on the betting.
    """
    rows = _group_milestones(scope.compiled_game, grain, precedes_betting=precedes_betting).rows
    plain = _simplify_selection(scope, rows, include_possible=include_possible, without=without)
    if plain != (include_possible, without):
        return _tabulate_extents(
            scope, grain, precedes_betting=precedes_betting, include_possible=plain[0], without=plain[1]
        )
    count = scope.count_items(grain) + 1
    shape = len(rows) + 1, count
    first, last = np.full(shape, NEVER, np.int32), np.full(shape, ABSENT, np.int32)
    select = possible_events if include_possible else certain_events
    selected = {
        row: events for act, row in rows.items() if may_have_happened(scope, act) and len(events := select(scope, act))
    }
    if selected:
        events = np.concatenate(list(selected.values()))
        row = np.array(list(selected)).repeat([len(chosen) for chosen in selected.values()])
        ignored = _find_passed_over(scope, include_possible=include_possible, without=without).take(events)
        if has_any(ignored):
            events, row = events.compress(~ignored), row.compress(~ignored)
        # Events without a seat, ABSENT, belong to the last entry of the row before, which is reset.
        place = row * count + _owners(scope, grain).take(events)
        first.reshape(-1)[place[::-1]] = events[::-1]
        last.reshape(-1)[place] = events
        first[:, ABSENT], last[:, ABSENT] = NEVER, ABSENT
    return EventExtent(first=first, last=last)


def _simplify_selection(
    scope: EvaluationContext, acts: Iterable[str], *, include_possible: bool, without: LeftOut
) -> tuple[bool, LeftOut]:
    """Return the simplest choice that selects the same events of some acts: most batches have no event in doubt."""
    leaves_out = without != "nothing" and bool(find_misplaced_acts(scope))
    is_doubtful = include_possible and (_has_doubtful_repetitions(scope) or has_ambiguous_events(scope, acts))
    return is_doubtful, without if leaves_out else "nothing"


@cached_fact
def _has_doubtful_repetitions(scope: EvaluationContext) -> bool:
    return has_any(find_doubtful_repetitions(scope))


@cached_fact
def select_act_events(scope: EvaluationContext, act: str, *, include_possible: bool, without: LeftOut) -> Ints:
    """Return the events of an act that have an order, in log order: those that repeat no earlier act.

    Args:
        include_possible: count events that may belong to the act.
        without: events to leave out.

    Returns:
        int64[m].
    """
    plain = _simplify_selection(scope, [act], include_possible=include_possible, without=without)
    if plain != (include_possible, without):
        return select_act_events(scope, act, include_possible=plain[0], without=plain[1])
    events = possible_events(scope, act) if include_possible else certain_events(scope, act)
    ignored = _find_passed_over(scope, include_possible=include_possible, without=without).take(events)
    return events.compress(~ignored) if has_any(ignored) else events


@cached_fact
def _find_passed_over(scope: EvaluationContext, *, include_possible: bool, without: LeftOut) -> Flags:
    """Return the events that have no order among acts, bool[events]: repetitions, and those to leave out."""
    passed_over = find_repetitions(scope)
    if include_possible:
        passed_over = passed_over & ~find_doubtful_repetitions(scope)
    if without != "nothing":
        passed_over = passed_over.copy()
        passed_over[
            [
                misplaced.event
                for misplaced in find_misplaced_acts(scope)
                if without == "misplaced" or is_enforced(scope, misplaced.milestone)
            ]
        ] = True
    return passed_over


def is_enforced(scope: EvaluationContext, number: int) -> bool:
    """Return whether a check of a milestone is surely in force and not waived."""
    milestone = scope.compiled_game.milestones[number]
    return milestone.severity is not None and milestone.key not in scope.waived_checks


def find_left_out(scope: EvaluationContext, number: int) -> LeftOut:
    """Return which events out of place a check leaves out: a check in force disregards those that others report."""
    return "reported" if is_enforced(scope, number) else "misplaced"


def _owners(scope: EvaluationContext, grain: MilestoneGrain) -> Any:
    """Return the round or the seat of each event; ABSENT for events without a seat."""
    events = scope.batch.events
    return events.round if grain == "round" else events.seat


def _resolve_round(scope: EvaluationContext, round_: int, numbers: Sequence[int]) -> Iterator[MisplacedAct]:
    """Yield the events of a round that are out of place at some milestones.

    Checks in force are resolved first, and by themselves: a waived milestone changes nothing that they report. Of
    these, milestones that precede the betting come first.
    """
    parts, found = list(_list_ordered_acts(scope, round_, numbers)), set[int]()
    for turn in ((True, True), (True, False), (False, True), (False, False)):
        milestones = scope.compiled_game.milestones
        same = [
            part
            for part in parts
            if turn == (is_enforced(scope, part.milestone), milestones[part.milestone].precedes_betting)
        ]
        for part in same:
            part.remove(found)
        for event, conflicts in remove_misplaced_events(same):
            found.add(event)
            yield _describe_misplaced(scope, event, conflicts)


def _list_ordered_acts(scope: EvaluationContext, round_: int, numbers: Sequence[int]) -> Iterator[OrderedActs]:
    """Yield what some checks order in a round, or at each of its seats."""
    low, high = (int(place) for place in scope.batch.events.offsets[round_ : round_ + 2])
    cut: dict[tuple[str, bool], list[int]] = {}

    def list_events(acts: Sequence[str], seat: int | None, *, include_possible: bool = False) -> list[int]:
        found: set[int] = set()
        for act in acts:
            if (act, include_possible) not in cut:
                events = select_act_events(scope, act, include_possible=include_possible, without="nothing")
                own = events[np.searchsorted(events, low) : np.searchsorted(events, high)]
                cut[act, include_possible] = own.tolist()
            found.update(cut[act, include_possible])
        seats = scope.batch.events.seat
        return sorted(event for event in found if seat is None or seats[event] == seat)

    rounds = scope.batch.seats.round
    seats = range(int(np.searchsorted(rounds, round_)), int(np.searchsorted(rounds, round_, "right")))
    for number in numbers:
        milestone, applies = scope.compiled_game.milestones[number], _applies(scope, number)
        bounds = milestone.bounds
        again = bounds.again_after
        for group in [round_] if milestone.each == "round" else seats:
            if applies[group] == YES:
                seat = None if milestone.each == "round" else group
                at = list_events(bounds.at.acts, seat)
                doubtful = sorted({*list_events(bounds.at.acts, seat, include_possible=True)} - {*at})
                yield OrderedActs(
                    milestone=number,
                    group=group,
                    at_first=bounds.at.operator == "first",
                    at=at,
                    before=list_events(bounds.before, seat),
                    after=list_events(bounds.after, seat),
                    again=None if again is None else list_events(again.acts, seat),
                    again_first=again is not None and again.operator == "first",
                    earliest=min(doubtful, default=NEVER),
                    latest=max(doubtful, default=ABSENT) if scope.batch.complete[round_] else NEVER,
                )


def _describe_misplaced(scope: EvaluationContext, event: int, conflicts: Sequence[Conflict]) -> MisplacedAct:
    """Describe an event out of place at the first milestone at which it is in conflict.

    A milestone that it passes as an act comes before one that it makes itself. Of several checks, the first reports it.
    """
    milestones = scope.compiled_game.milestones
    is_maker, number = min((conflict.event != event, conflict.milestone) for conflict in conflicts)
    candidates = [
        (conflict.find_nearest() if event == conflict.event else conflict.event, conflict)
        for conflict in conflicts
        if conflict.milestone == number and (conflict.event != event) == is_maker
    ]
    other, conflict = min(candidates, key=lambda entry: abs(entry[0] - event))
    bounds = milestones[number].bounds
    acts = (*bounds.before, *bounds.after)
    makers = (*bounds.at.acts, *(() if bounds.again_after is None else bounds.again_after.acts))
    ours, theirs = (acts, makers) if event == conflict.event else (makers, acts)
    return MisplacedAct(
        event=event,
        group=conflict.group,
        milestone=number,
        act=_find_act(scope, ours, event),
        other_event=other,
        other_act=_find_act(scope, theirs, other),
        is_late=event > other,
    )


def _find_act(scope: EvaluationContext, acts: Sequence[str], event: int) -> str:
    """Return the first of some acts that an event surely belongs to."""
    for act in acts:
        events = certain_events(scope, act)
        at = int(np.searchsorted(events, event))
        if at < len(events) and events[at] == event:
            return act
    raise ValueError(f"event {event} belongs to none of {', '.join(acts)}")


def _merge_per_seat(scope: EvaluationContext, found: Sequence[MisplacedAct]) -> tuple[MisplacedAct, ...]:
    """Assign the acts of one seat that pass a milestone in one direction to the check of the first of them.

    A late decision and the wager that goes with it are one failure. A check that is waived takes no act of another.
    """
    milestones = scope.compiled_game.milestones
    first: dict[tuple[int, MomentIdentity, bool, bool], int] = {}
    merged: list[MisplacedAct] = []
    for act in found:
        seat = int(scope.batch.events.seat[act.event])
        place = (seat, milestones[act.milestone].moment, act.is_late, is_enforced(scope, act.milestone))
        number = act.milestone if seat == ABSENT else first.setdefault(place, act.milestone)
        merged.append(act if number == act.milestone else replace(act, milestone=number))
    return tuple(merged)
