"""Order of acts and milestones: the events that pass a milestone, and the event that is out of place.

A pair of events is in conflict if one of them makes a milestone and the other is an act on its wrong side. One event in
the wrong place may be in conflict with many others. So the event with most conflicts is out of place, then the next,
until no conflict is left. If two events are in conflict only with each other, the later one is out of place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Truths, are_all, find_true, has_any, np
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.compiled_order import MomentIdentity
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import YES
from fairdeal.validator.engine.timeline.recorded_acts import find_doubtful_repetitions, find_repetitions
from fairdeal.validator.engine.timeline.step_events import certain_events, has_ambiguous_events, possible_events
from fairdeal.validator.language.grammar import Grain

MOST_REMOVALS = 40
"""The most events of a round that are found out of place one by one. Then all acts still in conflict are."""
MOST_PAIRS = 20_000
"""The most pairs in conflict that are compared. With more, all acts in conflict are out of place."""

NEVER = np.iinfo(np.int64).max
"""Index of an event that comes after all others."""

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

    first: Ints
    """First event, int64[n + 1]; NEVER if there is none."""
    last: Ints
    """Last event, int64[n + 1]; ABSENT if there is none."""

    @property
    def exists(self) -> Flags:
        """Return whether there is an event, bool[n + 1]."""
        return self.last != ABSENT


class _Conflict(Struct, frozen=True, kw_only=True):
    """Act in conflict with events on the other side of a milestone."""

    milestone: int
    """Index of the check."""
    group: int
    """Round or seat."""
    event: int
    """The act."""
    events: Sequence[int]
    """The events among which it is in conflict with some, ascending."""
    low: int
    """Index of the first of these."""
    high: int
    """Index after the last of these."""
    may_come_again: bool
    """True if the act may come again after a later event."""

    def has_other(self, event: int) -> bool:
        """Return whether the act is in conflict with an event."""
        at = bisect_left(self.events, event, self.low, self.high)
        return at < self.high and self.events[at] == event

    def find_nearest(self) -> int:
        """Return the nearest event that the act is in conflict with."""
        at = bisect_left(self.events, self.event, self.low, self.high)
        near = self.events[max(at - 1, self.low) : min(at + 1, self.high)]
        return min(near, key=lambda other: abs(other - self.event))


class _OrderedActs(Struct, kw_only=True):
    """Events of one round, or of one seat of it, that a check orders. All are ascending."""

    milestone: int
    """Index of the check."""
    group: int
    """Round or seat."""
    at_first: bool
    """True if the first of the events makes the milestone, false if the last does."""
    at: list[int]
    """The events that may make the milestone."""
    before: list[int]
    """The acts that may not come after it."""
    after: list[int]
    """The acts that may not come before it."""
    again: list[int] | None
    """The events after which acts may come again; None if they may not."""
    again_first: bool
    """True if the first of these events counts, false if the last does."""
    earliest: int
    """First event that may or may not make the milestone; `NEVER` if there is none."""
    latest: int
    """Last such event; ABSENT if there is none, and `NEVER` if the record stops, so that one may follow."""

    def remove(self, misplaced: Collection[int]) -> None:
        """Remove events that are out of place."""
        for events in (self.at, self.before, self.after, self.again or []):
            events[:] = [event for event in events if event not in misplaced]

    def list_conflicts(self) -> Iterator[_Conflict]:
        """Yield the acts on the wrong side of the milestone."""
        at = self.at
        if not at:
            return
        for act in self.before:
            high = bisect_left(at, act) if self.at_first or act > max(at[-1], self.latest) else 0
            if high and self.again is None:
                yield self._build_conflict(act, at, 0, high)
            elif high and self.again is not None:
                low, count = bisect_right(self.again, act), len(self.again)
                if low == count or (self.again_first and low):
                    continue
                later_are_fewer = count - low < high
                yield self._build_conflict(act, *((self.again, low, count) if later_are_fewer else (at, 0, high)))
        for act in self.after:
            low = bisect_right(at, act) if not self.at_first or act < min(at[0], self.earliest) else len(at)
            if low < len(at):
                yield self._build_conflict(act, at, low, len(at))

    def _build_conflict(self, act: int, events: Sequence[int], low: int, high: int) -> _Conflict:
        return _Conflict(
            milestone=self.milestone,
            group=self.group,
            event=act,
            events=events,
            low=low,
            high=high,
            may_come_again=self.again is not None,
        )


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
    for number in numbers:
        grain = milestones[number].each
        crossed = find_crossed(scope, number, include_possible=False)
        if not has_any(crossed):
            continue
        crossed = crossed & (_applies(scope, number) == YES)
        broken[scope.rounds_of(grain)[crossed]] = True
    found = [act for round_ in find_true(broken).tolist() for act in _resolve_round(scope, round_, numbers)]
    return _merge_per_seat(scope, sorted(found, key=lambda act: act.event))


def _applies(scope: EvaluationContext, number: int) -> Truths:
    milestone = scope.compiled_game.milestones[number]
    return scope.evaluate(milestone.when, milestone.each)


@cached_fact
def find_crossed(scope: EvaluationContext, number: int, *, include_possible: bool) -> Flags:
    """Return whether an act is on the wrong side of a milestone.

    An act is surely too late only if it comes after all events that may be the last. In a record that stops, none is.
    It is surely too early only if it comes before all events that may be the first.

    Args:
        include_possible: count events that may belong to the acts, except those that are out of place.

    Returns:
        bool[n], for rounds or seats.
    """
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    is_first = bounds.at.operator == "first"
    without = find_left_out(scope, number) if include_possible else "nothing"
    if include_possible and (bounds.again_after is None or bounds.again_after.operator == "last"):
        acts = bounds.acts if bounds.again_after is None else (*bounds.acts, *bounds.again_after.acts)
        may_go_on = not is_first and bool(bounds.before) and not are_all(scope.batch.complete)
        simplest = _simplify_selection(scope, acts, include_possible=True, without=without)
        if not may_go_on and simplest == (False, "nothing"):
            return find_crossed(scope, number, include_possible=False)
    at = bounds.at.acts
    maybe = find_extent(scope, at, grain, include_possible=include_possible, without=without)
    outermost = find_extent(scope, at, grain, include_possible=not include_possible, without=without)
    result = np.zeros(len(maybe.first), bool)
    if bounds.after:
        early = find_extent(scope, tuple(bounds.after), grain, include_possible=include_possible, without=without)
        result = early.first < (np.minimum(maybe.last, outermost.first) if is_first else maybe.last)
    if bounds.before:
        limit = maybe.first if is_first else np.maximum(maybe.first, outermost.last)
        if bounds.again_after is None:
            late = (
                find_extent(scope, tuple(bounds.before), grain, include_possible=include_possible, without=without).last
                > limit
            )
        else:
            late = _come_between(scope, number, limit, include_possible=include_possible, without=without)
        if not is_first and not include_possible and not are_all(scope.batch.complete):
            late[:-1] &= scope.batch.complete.take(scope.rounds_of(grain))
        result = result | late
    return result[:-1]


def _come_between(
    scope: EvaluationContext, number: int, limit: Ints, *, include_possible: bool, without: LeftOut
) -> Flags:
    """Return whether an act comes after a limit and before the event after which acts may come again.

    Args:
        limit: event of each round or seat, int64[n + 1].
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
    scope: EvaluationContext, acts: tuple[str, ...], grain: Grain, *, include_possible: bool, without: LeftOut
) -> EventExtent:
    """Find the first and the last event of some acts in each round or at each seat.

    Args:
        include_possible: count events that may belong to the acts.
        without: events to leave out.
    """
    plain = _simplify_selection(scope, acts, include_possible=include_possible, without=without)
    if plain != (include_possible, without):
        return find_extent(scope, acts, grain, include_possible=plain[0], without=plain[1])
    numbers = _number_acts(scope.compiled_game, grain)
    extents: list[EventExtent] = []
    for is_early in (True, False):
        rows = [numbers[is_early][act] for act in acts if act in numbers[is_early]]
        if rows:
            table = _tabulate_extents(
                scope, grain, is_early=is_early, include_possible=include_possible, without=without
            )
            extents.append(_join_rows(table, rows))
    if len(extents) == 1:
        return extents[0]
    nothing = np.zeros(scope.count_items(grain) + 1, np.int64)
    return EventExtent(
        first=np.minimum.reduce([nothing + NEVER, *(extent.first for extent in extents)]),
        last=np.maximum.reduce([nothing + ABSENT, *(extent.last for extent in extents)]),
    )


def _join_rows(table: EventExtent, rows: Sequence[int]) -> EventExtent:
    """Return the extent of the acts of some rows of a table together."""
    if len(rows) == 1:
        return EventExtent(first=table.first[rows[0]], last=table.last[rows[0]])
    return EventExtent(
        first=np.minimum.reduce(table.first[rows], initial=NEVER),
        last=np.maximum.reduce(table.last[rows], initial=ABSENT),
    )


@cached_fact
def _tabulate_extents(
    scope: EvaluationContext, grain: Grain, *, is_early: bool, include_possible: bool, without: LeftOut
) -> EventExtent:
    """Find the first and the last event of each act that milestones order, int64[acts, n + 1] each.

    Acts before the betting have a table of their own, since the betting depends on them, and other acts on the betting.
    """
    acts, count = _number_acts(scope.compiled_game, grain)[is_early], scope.count_items(grain) + 1
    selected = [select_act_events(scope, act, include_possible=include_possible, without=without) for act in acts]
    events = np.concatenate((np.zeros(0, np.int64), *selected))
    row = np.arange(len(acts)).repeat([len(chosen) for chosen in selected])
    # Events without a seat, ABSENT, belong to the last entry of the row before, which is reset.
    place = row * count + _owners(scope, grain).take(events)
    first, last = np.full((len(acts), count), NEVER), np.full((len(acts), count), ABSENT, np.int64)
    first.reshape(-1)[place[::-1]] = events[::-1]
    last.reshape(-1)[place] = events
    first[:, ABSENT], last[:, ABSENT] = NEVER, ABSENT
    return EventExtent(first=first, last=last)


@cached_by_game
def _number_acts(prepared: CompiledGame, grain: Grain) -> Mapping[bool, Mapping[str, int]]:
    """Number the acts that milestones of a grain order: those of milestones before the betting (True), then others."""
    early, others = (
        dict.fromkeys(
            act
            for milestone in prepared.milestones
            if milestone.each == grain and milestone.precedes_betting == precedes
            for act in (*milestone.bounds.acts, *milestone.bounds.again_acts)
        )
        for precedes in (True, False)
    )
    return {
        True: {act: number for number, act in enumerate(early)},
        False: {act: number for number, act in enumerate(act for act in others if act not in early)},
    }


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
    ignored = passed_over.take(events)
    return events.compress(~ignored) if has_any(ignored) else events


def is_enforced(scope: EvaluationContext, number: int) -> bool:
    """Return whether a check of a milestone is surely in force and not waived."""
    milestone = scope.compiled_game.milestones[number]
    return milestone.severity is not None and milestone.key not in scope.waived_checks


def find_left_out(scope: EvaluationContext, number: int) -> LeftOut:
    """Return which events out of place a check leaves out: a check in force disregards those that others report."""
    return "reported" if is_enforced(scope, number) else "misplaced"


def _owners(scope: EvaluationContext, grain: Grain) -> Any:
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
        for act in _resolve_conflicts(scope, same):
            found.add(act.event)
            yield act


def _resolve_conflicts(scope: EvaluationContext, parts: Sequence[_OrderedActs]) -> Iterator[MisplacedAct]:
    """Yield the events that are out of place for some checks, and remove them."""
    for count in range(MOST_REMOVALS + 1):
        conflicts = [conflict for part in parts for conflict in part.list_conflicts()]
        pairs = sum(conflict.high - conflict.low for conflict in conflicts)
        if count == MOST_REMOVALS or pairs > MOST_PAIRS:
            distinct = {conflict.event: conflict for conflict in reversed(conflicts)}
            yield from (_describe_misplaced(scope, event, [distinct[event]]) for event in distinct)
            return
        if not conflicts:
            return
        event = _select_worst(conflicts)
        yield _describe_misplaced(
            scope, event, [conflict for conflict in conflicts if event == conflict.event or conflict.has_other(event)]
        )
        for part in parts:
            part.remove({event})


def _select_worst(conflicts: Sequence[_Conflict]) -> int:
    """Return the event in conflict with most others.

    Of several, an act that may come again is preferred, then the latest event.
    """
    others: dict[int, set[int]] = {}
    for conflict in conflicts:
        for other in conflict.events[conflict.low : conflict.high]:
            others.setdefault(conflict.event, set()).add(other)
            others.setdefault(other, set()).add(conflict.event)
    again = {conflict.event for conflict in conflicts if conflict.may_come_again}
    return max(others, key=lambda event: (len(others[event]), event in again, event))


def _list_ordered_acts(scope: EvaluationContext, round_: int, numbers: Sequence[int]) -> Iterator[_OrderedActs]:
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
                yield _OrderedActs(
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


def _describe_misplaced(scope: EvaluationContext, event: int, conflicts: Sequence[_Conflict]) -> MisplacedAct:
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


def may_be_crossed(scope: EvaluationContext, number: int) -> Flags:
    """Return whether a milestone came, or may have come, and one of its acts too.

    Returns:
        bool[n], for rounds or seats.
    """
    bounds, grain = scope.compiled_game.milestones[number].bounds, scope.compiled_game.milestones[number].each
    acts = tuple(dict.fromkeys((*bounds.before, *bounds.after)))
    at = find_extent(scope, bounds.at.acts, grain, include_possible=True, without="nothing")
    ordered = find_extent(scope, acts, grain, include_possible=True, without="nothing")
    return (at.exists & ordered.exists)[:-1]
