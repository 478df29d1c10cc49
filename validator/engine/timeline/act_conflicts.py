"""Conflicts of events with milestones in one round, and the events that are out of place.

A pair of events is in conflict if one of them makes a milestone and the other is an act on its wrong side. One event in
the wrong place may be in conflict with many others. So the event with most conflicts is out of place, then the next,
until no conflict is left. If two events are in conflict only with each other, the later one is out of place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct

MOST_REMOVALS = 40
"""The most events of a round that are found out of place one by one. Then all acts still in conflict are."""
MOST_PAIRS = 20_000
"""The most pairs in conflict that are compared. With more, all acts in conflict are out of place."""


class Conflict(Struct, frozen=True, kw_only=True):
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


class OrderedActs(Struct, kw_only=True):
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

    def list_conflicts(self) -> Iterator[Conflict]:
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

    def _build_conflict(self, act: int, events: Sequence[int], low: int, high: int) -> Conflict:
        return Conflict(
            milestone=self.milestone,
            group=self.group,
            event=act,
            events=events,
            low=low,
            high=high,
            may_come_again=self.again is not None,
        )


def remove_misplaced_events(parts: Sequence[OrderedActs]) -> Iterator[tuple[int, Sequence[Conflict]]]:
    """Remove the events that are out of place for some checks, and yield them with their conflicts."""
    for count in range(MOST_REMOVALS + 1):
        conflicts = [conflict for part in parts for conflict in part.list_conflicts()]
        pairs = sum(conflict.high - conflict.low for conflict in conflicts)
        if count == MOST_REMOVALS or pairs > MOST_PAIRS:
            distinct = {conflict.event: conflict for conflict in reversed(conflicts)}
            yield from ((event, [distinct[event]]) for event in distinct)
            return
        if not conflicts:
            return
        event = _select_worst(conflicts)
        yield event, [conflict for conflict in conflicts if event == conflict.event or conflict.has_other(event)]
        for part in parts:
            part.remove({event})


def _select_worst(conflicts: Sequence[Conflict]) -> int:
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
