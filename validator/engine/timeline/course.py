"""How the rounds, or seats, of a batch take a course, and what is out of place in it."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints16, Ints32, Tri
from validator.engine.acts.repeated_acts import repetitions
from validator.engine.compiled.courses import PreparedCourse
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.phases_in_order import largest_in_order, stand, windows_at
from validator.engine.timeline.step_events import events_of, events_perhaps_of
from validator.results.statuses import Severity


class Lapse(Struct, frozen=True, kw_only=True):
    """An event out of place: if `late`, after the phase that begins at `boundary` had begun, else before that could.
    `other` is the nearest event in its place that it should have come before, or after; `steps` and `others` are the
    steps of the two, narrowest first, and `owner` is the check that finds it."""

    event: int
    group: int
    boundary: int
    late: bool
    steps: tuple[str, ...]
    other: int
    others: tuple[str, ...]
    owner: bytes | None


class Taken(Struct, frozen=True, kw_only=True):
    """How a course was taken. `events` are those looked at, int64[m], those of each round or seat together and in log
    order, and `owner`, int32[m], their rounds or seats. `low` and `high`, int8[all events], are the first and the last
    phase in which each may stand as it stands among the others; of those that are not looked at, and those out of
    place, all phases. `lapses` are in log order. `applies` is uint8[rounds or seats], whether the course is of each."""

    events: Ints
    owner: Ints32
    low: Ints8
    high: Ints8
    lapses: tuple[Lapse, ...]
    applies: Tri

    def surely_out_of_place(self) -> list[Lapse]:
        """The lapses of rounds or seats that the course is surely of."""
        return [lapse for lapse in self.lapses if self.applies[lapse.group] == YES]


@fact
def taken(scope: Scope, name: str) -> Taken:
    """How the rounds or seats of a batch take a course, by the events that surely belong to its steps. What was out of
    place in a course before it in the game's list is not looked at."""
    course = scope.prepared.courses[name]
    applies = scope.truth(course.course.when, course.course.per)
    places = places_of(scope, name, perhaps=False)
    chosen, owner = in_groups(scope, course, places, applies)
    low, high, broken = stand(course, places, chosen, owner)
    lapses: list[Lapse] = []
    for group in broken.tolist():
        events = of_group(chosen, owner, group)
        phases = np.array(largest_in_order(places[events].tolist()))
        kept, phases_kept = events[phases >= 0], phases[phases >= 0]
        low[kept], high[kept] = windows_at(course, places[kept], phases_kept)
        out = events[phases < 0]
        low[out], high[out] = 0, len(course.course.phases) - 1
        lapses += [_lapse(scope, course, places, group, event, kept, phases_kept) for event in out.tolist()]
    in_log_order = _once_a_turn(scope, sorted(lapses, key=lambda lapse: lapse.event))
    return Taken(events=chosen, owner=owner, low=low, high=high, lapses=in_log_order, applies=applies)


def _once_a_turn(scope: Scope, lapses: list[Lapse]) -> tuple[Lapse, ...]:
    """Lapses in log order, what a seat does in one turn at one boundary found by one check: that of the first event. A
    late call and the wager that goes with it are one lapse."""
    first: dict[tuple[int, str, int, bool], bytes | None] = {}
    found_by: list[bytes | None] = []
    for lapse in lapses:
        seat, turn = int(scope.batch.events.seat[lapse.event]), scope.prepared.steps[lapse.steps[0]].turn
        place = None if seat == ABSENT or turn is None else (seat, turn, lapse.boundary, lapse.late)
        found_by.append(lapse.owner if place is None else first.setdefault(place, lapse.owner))
    return tuple(replace(lapse, owner=owner) for lapse, owner in zip(lapses, found_by, strict=True))


@fact
def out_of_place(scope: Scope, name: str) -> Ints:
    """int64[m]: the events that are surely out of place in a course, in log order."""
    return np.array([lapse.event for lapse in taken(scope, name).surely_out_of_place()], np.int64)


@fact
def misplaced(scope: Scope) -> Flags:
    """bool[events]: what is surely out of place in a course and found by a requirement there, so that a requirement on
    the order of seats need not tell the same lapse again. What is found there and waived, or perhaps not in force, is
    none of it: it may be all that the order of seats has against the round."""
    result = np.zeros(scope.length("event"), bool)
    for name in scope.prepared.courses:
        result[found_in(scope, name)] = True
    return result


@fact
def found_in(scope: Scope, name: str) -> Ints:
    """int64[m]: what is surely out of place in a course and found by a requirement there, as `misplaced` has it."""
    counts = scope.prepared.courses[name].always.keys() - scope.waived
    return np.array(
        [lapse.event for lapse in taken(scope, name).surely_out_of_place() if lapse.owner in counts], np.int64
    )


@fact
def found_as_grave(scope: Scope, severity: Severity) -> Flags:
    """bool[events]: what a requirement of this severity or a graver one finds out of place in a course."""
    severities, result = list(Severity), np.zeros(scope.length("event"), bool)  # the gravest first
    as_grave = severities[: severities.index(severity) + 1]
    for name, course in scope.prepared.courses.items():
        out_of_order, lapses = frozenset(found_in(scope, name).tolist()), taken(scope, name).lapses
        by = {
            lapse.event: course.always[lapse.owner]
            for lapse in lapses
            if lapse.event in out_of_order and lapse.owner is not None
        }
        result[[event for event, owner in by.items() if owner in as_grave]] = True
    return result


def places_of(scope: Scope, name: str, *, perhaps: bool) -> Ints16:
    """int16[events]: the phases in which each event may stand, as bits. An event of several steps stands where all of
    them may; where there is no such phase, the steps that come first in the course decide. What
    repeats an earlier act may stand anywhere."""
    course = scope.prepared.courses[name]
    places = np.full(scope.length("event"), course.everywhere, np.int16)
    for step, place in course.places.items():
        if place != course.everywhere:
            chosen = events_perhaps_of(scope, step) if perhaps else events_of(scope, step)
            before = places.take(chosen)
            both = before & np.int16(place)
            places[chosen] = both if both.all() else np.where(both == 0, before, both)
    for other in scope.prepared.courses:
        if other == name:
            break
        places[out_of_place(scope, other)] = course.everywhere
    places[repetitions(scope)] = course.everywhere
    return places


def owners(scope: Scope, course: PreparedCourse) -> tuple[Ints32, int]:
    """int32[events]: the round or seat of each event, ABSENT where it has none; and how many there are."""
    events, per = scope.batch.events, course.course.per
    return (events.round if per == "round" else events.seat), scope.length(per)


def in_groups(scope: Scope, course: PreparedCourse, places: Ints16, applies: Tri) -> tuple[Ints, Ints32]:
    """int64[m]: the events that do not stand anywhere, of rounds or seats that the course may be of (`applies`), those
    of each together, in log order; and int32[m], the round or seat of each."""
    chosen, per = np.flatnonzero(places != course.everywhere), course.course.per
    owner = owners(scope, course)[0].take(chosen)
    if per == "round" and course.course.when is None:
        return chosen, owner
    # The entry for no seat comes last, which is where ABSENT points to.
    concerned = np.append(applies, NO).take(owner) != NO
    chosen, owner = chosen.compress(concerned), owner.compress(concerned)
    if per == "seat":
        order = np.argsort(owner, kind="stable")
        chosen, owner = chosen.take(order), owner.take(order)
    return chosen, owner


def of_group(events: Ints, owner: Ints32, group: int) -> Ints:
    """int64[k]: those of some events that are of one round or seat, by that of each, rising."""
    return events[np.searchsorted(owner, group) : np.searchsorted(owner, group, side="right")]


def _lapse(
    scope: Scope, course: PreparedCourse, places: Ints16, group: int, event: int, kept: Ints, phases: Ints
) -> Lapse:
    """What to say of an event out of place, as of those kept in their places. Where it may stand both before and after
    where it came, it belongs to the nearer, and to what follows if both are as near."""
    at = int(np.searchsorted(kept, event))
    reached = int(phases[at - 1]) if at else 0
    waiting = int(phases[at]) if at < len(phases) else len(course.course.phases)
    options: list[tuple[int, bool, int]] = []
    place = int(places[event])
    while place:
        low, high = int(course.runs.low[place]), int(course.runs.high[place])
        if high < reached:
            options.append((reached - high, True, high + 1))
        if low > waiting:
            options.append((low - waiting, False, low))
        place = int(course.runs.rest[place])
    _, late, boundary = min(options)
    other = int(kept[at - 1] if late else kept[at])
    steps, others = steps_at(scope, course, event), steps_at(scope, course, other)
    bars = 1 << (boundary if late else boundary - 1)
    ours = tuple(step for step in steps if not course.places[step] & bars)
    return Lapse(
        event=event,
        group=group,
        boundary=boundary,
        late=late,
        steps=ours,
        other=other,
        others=others,
        owner=course.owner(boundary, ours, others),
    )


def steps_at(scope: Scope, course: PreparedCourse, event: int) -> tuple[str, ...]:
    """The steps of a course that an event belongs to, those that may stand in fewer phases first."""
    result = [step for step in course.places if _among(events_of(scope, step), event)]
    return tuple(sorted(result, key=lambda step: course.places[step].bit_count()))


def _among(events: Ints, event: int) -> bool:
    at = int(np.searchsorted(events, event))
    return at < len(events) and int(events[at]) == event
