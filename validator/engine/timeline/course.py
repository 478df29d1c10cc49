"""How the rounds, or seats, of a batch take a course: what is out of place in it, and what came at all."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Ints8, Ints16, Ints32, alike, distinct
from validator.engine.compiled.courses import PreparedCourse
from validator.engine.core.context import Scope, fact
from validator.engine.core.kleene import NO, YES
from validator.engine.timeline.largest_in_order import largest_in_order
from validator.engine.timeline.step_events import any_doubtful, events_of, events_perhaps_of
from validator.results.statuses import Severity
from validator.rules.model.course import Window


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
    place, all phases. `lapses` are in log order."""

    events: Ints
    owner: Ints32
    low: Ints8
    high: Ints8
    lapses: tuple[Lapse, ...]


@fact
def taken(scope: Scope, name: str) -> Taken:
    """How the rounds or seats of a batch take a course, by the events that surely belong to its steps. What was out of
    place in a course before it in the game's list is not looked at."""
    course = scope.prepared.courses[name]
    places = _places(scope, name, perhaps=False)
    chosen, owner = _in_groups(scope, course, places)
    low, high, broken = _stand(course, places, chosen, owner)
    lapses: list[Lapse] = []
    for group in broken.tolist():
        events = _of_group(chosen, owner, group)
        phases = np.array(largest_in_order(places[events].tolist()))
        kept, phases_kept = events[phases >= 0], phases[phases >= 0]
        low[kept], high[kept] = _windows_at(course, places[kept], phases_kept)
        out = events[phases < 0]
        low[out], high[out] = 0, len(course.course.phases) - 1
        lapses += [_lapse(scope, course, places, group, event, kept, phases_kept) for event in out.tolist()]
    in_log_order = tuple(sorted(lapses, key=lambda lapse: lapse.event))
    return Taken(events=chosen, owner=owner, low=low, high=high, lapses=in_log_order)


@fact
def out_of_place(scope: Scope, name: str) -> Ints:
    """int64[m]: the events that are surely out of place in a course, in log order."""
    applies = scope.truth(scope.prepared.courses[name].course.when, scope.prepared.courses[name].course.per)
    found = [one.event for one in taken(scope, name).lapses if applies[one.group] == YES]
    return np.array(found, np.int64)


@fact
def misplaced(scope: Scope) -> Flags:
    """bool[events]: what is surely out of place in a course and found by a requirement there, so that a requirement on
    the order of seats need not tell the same lapse again. What is found there and waived, or perhaps not in force, is
    none of it: it may be all that the order of seats has against the round."""
    found = np.zeros(scope.length("event"), bool)
    for name in scope.prepared.courses:
        found[found_in(scope, name)] = True
    return found


@fact
def found_in(scope: Scope, name: str) -> Ints:
    """int64[m]: what is surely out of place in a course and found by a requirement there, as `misplaced` has it."""
    course, lapses = scope.prepared.courses[name], taken(scope, name).lapses
    applies, counts = scope.truth(course.course.when, course.course.per), course.always.keys() - scope.waived
    found = [one.event for one in lapses if one.owner in counts and applies[one.group] == YES]
    return np.array(found, np.int64)


@fact
def found_as_grave(scope: Scope, severity: Severity) -> Flags:
    """bool[events]: what a requirement of this severity or a graver one finds out of place in a course."""
    severities, found = list(Severity), np.zeros(scope.length("event"), bool)  # the gravest first
    as_grave = severities[: severities.index(severity) + 1]
    for name, course in scope.prepared.courses.items():
        astray, lapses = frozenset(found_in(scope, name).tolist()), taken(scope, name).lapses
        by = {one.event: course.always[one.owner] for one in lapses if one.event in astray and one.owner is not None}
        found[[event for event, owner in by.items() if owner in as_grave]] = True
    return found


@fact
def happened(scope: Scope, name: str) -> tuple[Ints, Ints]:
    """The windows of a course, as bits by their numbers, in which something came, or may have: int64[k], all that come
    up, and int64[rounds or seats], which of them."""
    course, took = scope.prepared.courses[name], taken(scope, name)
    owner, count = _owner(scope, course)
    found = np.zeros(count + 1, np.int64)  # the last stands for no seat
    for number, window in enumerate(course.windows):
        came = np.zeros(count + 1, bool)
        came[owner.take(_events_in_window(scope, course, window, took.low))] = True
        found |= came.astype(np.int64) << number
    examples, codes = alike(found[:-1])
    return found[examples], codes


def came_before(scope: Scope, name: str, step: str, boundary: int, *, perhaps: bool) -> Flags:
    """bool[rounds or seats]: whether something of a step came that stands before the phase which begins at a boundary,
    or is out of place. With `perhaps` the events that may belong to the step count."""
    course, took = scope.prepared.courses[name], taken(scope, name)
    owner, count = _owner(scope, course)
    chosen = events_perhaps_of(scope, step) if perhaps else events_of(scope, step)
    found = np.zeros(count + 1, bool)
    found[owner[chosen[took.low[chosen] < boundary]]] = True
    return found[:-1]


def begun(scope: Scope, name: str, boundary: int) -> Flags:
    """bool[rounds or seats]: whether something surely came that stands in the phase which begins at a boundary, or
    after it."""
    took = taken(scope, name)
    found = np.zeros(scope.length(scope.prepared.courses[name].course.per), bool)
    found[took.owner.compress(took.low.take(took.events) >= boundary)] = True
    return found


def first_after(scope: Scope, name: str, group: int, boundary: int) -> tuple[int, str] | None:
    """The first event of a round or seat that stands in the phase which begins at a boundary, or after it, and its
    step; None where there is none."""
    took = taken(scope, name)
    events = _of_group(took.events, took.owner, group)
    later = events[took.low[events] >= boundary]
    return (int(later[0]), _steps(scope, scope.prepared.courses[name], int(later[0]))[0]) if len(later) else None


def left_open_at(scope: Scope, name: str, key: bytes, boundaries: Collection[int]) -> Flags:
    """bool[rounds or seats]: whether events that may or may not belong to steps of a course leave open whether a check
    finds something out of place at its boundaries."""
    course = scope.prepared.courses[name]
    owner, count = _owner(scope, course)
    found = np.zeros(count + 1, bool)
    if any_doubtful(scope, list(course.places)):
        low, high, _ = _perhaps(scope, name)
        for boundary in boundaries:
            for sides in course.sides(boundary, key):
                before, after = (
                    [_standing(scope, course.windows[number], low, high) for number in side] or [np.zeros(0, np.int64)]
                    for side in sides
                )
                last, first = np.full(count + 1, -1, np.int64), np.full(count + 1, np.iinfo(np.int64).max)
                for events in before:
                    np.maximum.at(last, owner[events], events)
                for events in after:
                    np.minimum.at(first, owner[events], events)
                found |= last > first
    return found[:-1]


@fact
def _perhaps(scope: Scope, name: str) -> tuple[Ints8, Ints8, Ints]:
    """As `_stand`, every event taken for one of each step that it may belong to; what is out of place as it is stands
    anywhere."""
    course = scope.prepared.courses[name]
    places = _places(scope, name, perhaps=True)
    places[[one.event for one in taken(scope, name).lapses]] = course.everywhere
    return _stand(course, places, *_in_groups(scope, course, places))


def _standing(scope: Scope, window: Window, low: Ints8, high: Ints8) -> Ints:
    """int64[m]: the events that may belong to a step and then are within one of its windows."""
    chosen = events_perhaps_of(scope, window.step)
    return chosen[(low[chosen] >= window.low) & (high[chosen] <= window.high)]


def _events_in_window(scope: Scope, course: PreparedCourse, window: Window, low: Ints8) -> Ints:
    chosen = events_perhaps_of(scope, window.step)
    if sum(other.step == window.step for other in course.windows) == 1:
        return chosen
    return chosen[(low[chosen] >= window.low) & (low[chosen] <= window.high)]


def _places(scope: Scope, name: str, *, perhaps: bool) -> Ints16:
    """int16[events]: the phases in which each event may stand, as bits. An event of several steps stands where all of
    them may; where there is no such phase, the steps that come first in the course decide."""
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
    return places


def _owner(scope: Scope, course: PreparedCourse) -> tuple[Ints32, int]:
    """int32[events]: the round or seat of each event, ABSENT where it has none; and how many there are."""
    events, per = scope.batch.events, course.course.per
    return (events.round if per == "round" else events.seat), scope.length(per)


def _in_groups(scope: Scope, course: PreparedCourse, places: Ints16) -> tuple[Ints, Ints32]:
    """int64[m]: the events that do not stand anywhere, of rounds or seats that the course may be of, those of each
    together, in log order; and int32[m], the round or seat of each."""
    chosen, per = np.flatnonzero(places != course.everywhere), course.course.per
    owner = _owner(scope, course)[0].take(chosen)
    if per == "round" and course.course.when is None:
        return chosen, owner
    # The entry for no seat comes last, which is where ABSENT points to.
    concerned = np.append(scope.truth(course.course.when, per), NO).take(owner) != NO
    chosen, owner = chosen.compress(concerned), owner.compress(concerned)
    if per == "seat":
        order = np.argsort(owner, kind="stable")
        chosen, owner = chosen.take(order), owner.take(order)
    return chosen, owner


def _of_group(events: Ints, owner: Ints32, group: int) -> Ints:
    return events[np.searchsorted(owner, group) : np.searchsorted(owner, group, side="right")]


def _stand(course: PreparedCourse, places: Ints16, chosen: Ints, owner: Ints32) -> tuple[Ints8, Ints8, Ints]:
    """int8[events] both: the first and the last of the neighbouring phases where each event stands, if every event
    stands as early as those before it let it; and the rounds or seats in which one cannot, rising.

    A phase reached never falls, so it is the running maximum of the first phases, with the number of the round above
    them that it begin anew with each.
    """
    place = places.take(chosen)
    runs, width = course.runs, np.int64(len(course.course.phases))
    first, last = runs.low.take(place), runs.high.take(place)
    base = owner.astype(np.int64) * width
    reached = np.maximum.accumulate(base + first)
    late = np.flatnonzero(reached > base + last)
    while len(onward := late[runs.rest.take(place.take(late)) > 0]):
        place[onward] = runs.rest.take(place.take(onward))
        first[onward], last[onward] = runs.low.take(place.take(onward)), runs.high.take(place.take(onward))
        reached = np.maximum.accumulate(base + first)
        late = np.flatnonzero(reached > base + last)
    low, high = np.zeros(len(places), np.int8), np.full(len(places), width - 1, np.int8)
    low[chosen], high[chosen] = first, last
    return low, high, distinct(owner.take(late)).astype(np.int64)


def _windows_at(course: PreparedCourse, places: Ints16, phases: Ints) -> tuple[Ints8, Ints8]:
    """The neighbouring phases of some places within which some phases lie, as `_stand` has them."""
    place = places.copy()
    while len(onward := np.flatnonzero(course.runs.high.take(place) < phases)):
        place[onward] = course.runs.rest.take(place.take(onward))
    return course.runs.low.take(place), course.runs.high.take(place)


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
    steps, others = _steps(scope, course, event), _steps(scope, course, other)
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


def _steps(scope: Scope, course: PreparedCourse, event: int) -> tuple[str, ...]:
    """The steps of a course that an event belongs to, those that may stand in fewer phases first."""
    found = [step for step in course.places if _among(events_of(scope, step), event)]
    return tuple(sorted(found, key=lambda step: course.places[step].bit_count()))


def _among(events: Ints, event: int) -> bool:
    at = int(np.searchsorted(events, event))
    return at < len(events) and int(events[at]) == event
