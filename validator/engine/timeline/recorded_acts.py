"""Acts of seats, events that are no acts of their own, and events that are out of place among those of a round.

A pair of events is in conflict if one of them makes a milestone and the other is an act on its wrong side. One event in
the wrong place may be in conflict with many others. So the event with most conflicts is out of place, then the next,
until no conflict is left. If two events are in conflict only with each other, the later one is out of place.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, find_distinct, find_true, has_any, is_among, is_one_of
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.timeline.event_cards import collect_named_faces, count_named_cards
from fairdeal.validator.evidence.columns.log_draft import number_lines
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.game_model import Game

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


EXCHANGE_KINDS = frozenset({"discard", "stand-pat"})
"""Kinds of decision that belong to an exchange of cards."""


_NOT_BETTING = EXCHANGE_KINDS | {"concede", None}


def is_decision_of_kind(scope: EvaluationContext, kinds: Collection[str]) -> Flags:
    """Return whether the decision of each event is of some kinds.

    Returns:
        bool[events].
    """
    known = scope.compiled_game.game.decisions
    names = frozenset(name for name, decision in known.items() if decision.kind in kinds)
    return _is_one_of(scope, names)


@cached_fact
def _is_one_of(scope: EvaluationContext, decisions: frozenset[str]) -> Flags:
    return scope.batch.events.decision.is_one_of(decisions)


@cached_fact
def betting_decisions(scope: EvaluationContext) -> Ints:
    """Return the events of decisions in the betting of all rounds. Announcements of later acts do not count.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    acts = (events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT)
    return find_true(is_decision_of_kind(scope, _kinds_of_betting(scope.compiled_game.game)) & acts)


def play_decisions(scope: EvaluationContext) -> Ints:
    """Return the events of decisions in the betting, or of all decisions if the game has no betting.

    Returns:
        int64[m].
    """
    if scope.compiled_game.game.betting is not None:
        return betting_decisions(scope)
    events = scope.batch.events
    return find_true((events.kind == KIND_CODES["decide"]) & (events.seat != ABSENT))


def last_betting_decision(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return the last decision in the betting that the seat of each event made before it; ABSENT if none.

    Returns:
        int64[m].
    """
    return last_act_of_seat(scope, chosen, betting_decisions(scope))


def last_act_of_seat(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Ints:
    """Return the last act that the seat of each event made before it; ABSENT if there is none.

    Args:
        chosen: the events, int64[m].
        acts: the acts, int64[k] in log order.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    length = len(events.round) + 1
    made = np.sort(events.seat[acts].astype(np.int64) * length + acts)
    seat = events.seat[chosen].astype(np.int64)
    before = np.searchsorted(made, seat * length + chosen) - 1
    result = np.append(made, ABSENT)[before]
    return np.where((seat != ABSENT) & (before >= 0) & (result // length == seat), result % length, ABSENT)


def has_later_act(scope: EvaluationContext, chosen: Ints, acts: Ints) -> Flags:
    """Return whether the seat of each event makes one of some acts after it.

    Args:
        chosen: the events, int64[m].
        acts: the acts, int64[k] in log order.

    Returns:
        bool[m].
    """
    last, seat = np.full(scope.count_items("seat") + 1, ABSENT, np.int64), scope.batch.events.seat
    last[seat.take(acts)] = acts
    return last.take(seat.take(chosen)) > chosen


def _kinds_of_betting(game: Game) -> set[str]:
    return {
        decision.kind
        for decision in game.decisions.values()
        if decision.kind is not None and decision.kind not in _NOT_BETTING
    }


_WORDS = tuple(KIND_CODES[kind] for kind in ("announce", "claim", "count"))
_DECIDE = KIND_CODES["decide"]
_TURNS = (_DECIDE, KIND_CODES["deal"], KIND_CODES["draw"], KIND_CODES["split"])
_REVEAL, _TURN_DOWN = KIND_CODES["reveal"], KIND_CODES["turn-down"]


@cached_fact
def find_repetitions(scope: EvaluationContext) -> Flags:
    """Find the events that repeat an earlier act of their round.

    A `reveal` of cards that are already open at its place is a repetition. So is an `announce`, `claim` or `count` with
    the content of an earlier one. Against the house, so is the same decision of a seat that received no card since.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    result[_find_repeated_words(scope)] = True
    result[_find_repeated_shows(scope)[0]] = True
    if scope.compiled_game.game.betting is None:
        result[_find_repeated_decisions(scope)] = True
    return result


@cached_fact
def find_doubtful_repetitions(scope: EvaluationContext) -> Flags:
    """Find the repetitions that may be acts of their own.

    Community cards are turned up in lots. Without faces, they may be others as long as there are more.

    Returns:
        bool[events].
    """
    result = np.zeros(scope.count_items("event"), bool)
    result[_find_repeated_shows(scope)[1]] = True
    return result


def _find_repeated_words(scope: EvaluationContext) -> Ints:
    events = scope.batch.events
    said = find_true(is_one_of(events.kind, _WORDS))
    if not len(said):
        return said
    columns = (
        events.round,
        events.kind,
        events.seat,
        events.by,
        events.what.codes,
        events.wager.codes,
        events.amount,
        events.deck.codes,
    )
    words = np.stack([column.take(said).astype(np.int64) for column in columns])
    # A stable sort keeps the log order among events that say the same.
    order = np.lexsort(words[::-1])
    words = words[:, order]
    return said.take(order[1:]).compress((words[:, 1:] == words[:, :-1]).all(axis=0))


def _find_repeated_decisions(scope: EvaluationContext) -> Ints:
    events = scope.batch.events
    chosen = find_true(is_one_of(events.kind, _TURNS) & (events.seat != ABSENT))
    seat = events.seat.take(chosen)
    order = np.argsort(seat, kind="stable")
    chosen, seat = chosen.take(order), seat.take(order)
    decides, decision = events.kind.take(chosen) == _DECIDE, events.decision.codes.take(chosen)
    again = decides[1:] & decides[:-1] & (seat[1:] == seat[:-1]) & (decision[1:] == decision[:-1])
    return chosen[1:].compress(again)


@cached_fact
def _find_repeated_shows(scope: EvaluationContext) -> tuple[Ints, Ints]:
    """Return the reveals that repeat others, and those of them that may show other cards."""
    events = scope.batch.events
    shown = find_true((events.kind == _REVEAL) | (events.kind == _TURN_DOWN))
    place = (events.round.take(shown).astype(np.int64) << 40) + (events.seat.take(shown).astype(np.int64) + 1 << 8)
    place += events.place.take(shown)
    order = np.argsort(place, kind="stable")
    shown, place = shown.take(order), place.take(order)
    several = np.zeros(len(shown), bool)
    several[1:] = place[1:] == place[:-1]
    several[:-1] |= several[1:]
    shown, place = shown.compress(several), place.compress(several)
    sizes = np.zeros(len(PLACES) + 1, np.int64)
    sizes[PLACES.index("community")] = scope.compiled_game.game.deal.cards.get("community", 0)
    shows = zip(
        place.tolist(),
        sizes.take(events.place.take(shown)).tolist(),
        (events.kind.take(shown) == _REVEAL).tolist(),
        collect_named_faces(scope, shown).tolist(),
        count_named_cards(scope, shown)[0].tolist(),
        strict=True,
    )
    repeated, doubtful = _find_repeated_reveals(shows)
    return shown[repeated], shown[doubtful]


def _find_repeated_reveals(shows: Iterable[tuple[int, int, bool, int, int]]) -> tuple[list[int], list[int]]:
    """Return the indices of reveals that show nothing new, and of those that may show other cards without faces.

    Args:
        shows: entries by place and in log order. They give the place, its size if its cards are turned up in lots, and
            whether cards are shown or turned down. The known cards, as bits, and the number of cards follow.
    """
    repeated, doubtful = list[int](), list[int]()
    here, faces, count = -1, 0, 0
    for number, (place, size, is_reveal, known, cards) in enumerate(shows):
        if place != here or not is_reveal:
            here, faces, count = place, 0, 0
        if is_reveal:
            hidden = cards - known.bit_count()
            if not known & ~faces and cards <= count:
                repeated.append(number)
                if 0 < hidden <= size - count:
                    doubtful.append(number)
            unknown = max(hidden, count - faces.bit_count())
            faces |= known
            count = faces.bit_count() + unknown
    return repeated, doubtful


_COLLECT, _PAY, _RETURN = KIND_CODES["collect"], KIND_CODES["pay"], KIND_CODES["return"]
_PLAY = [KIND_CODES[kind] for kind in ("deal", "draw", "discard", "decide", "wager", "withdraw", "reveal", "misdeal")]
CHIP_KINDS = frozenset({"collect", "return"})
"""Kinds of event that may be part of another act."""


@cached_fact
def find_dependent_movements(scope: EvaluationContext) -> Flags:
    """Find the movements of stakes that are part of another act.

    These are each `collect` whose chips were all put back and the `return` that put them back. A `return` of a stake
    that was paid before, or is paid next, is one as well. If the log omits returns, the summary shows that nothing of a
    stake was taken in the end. If it omits collections, a later movement shows that the stake was put back.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    result = np.zeros(scope.count_items("event"), bool)
    result[_find_collections_without_return(scope)] = True
    if not has_any(events.kind == _RETURN):
        return result
    moved = find_true((events.kind == _COLLECT) | (events.kind == _PAY) | (events.kind == _RETURN))
    _, line, names = number_lines(scope.batch)
    key = (events.seat[moved].astype(np.int64) * (len(names) + 1) + line[moved]) * 2 + events.tip[moved]
    given_back = find_true(is_among(key, key[events.kind[moved] == _RETURN]))  # only these may belong to other acts
    order = given_back.take(np.argsort(key.take(given_back), kind="stable"))
    moved, key = moved.take(order), key.take(order)
    kind = events.kind.take(moved)
    result[moved.compress(_find_returns_without_collection(scope, moved, key))] = True
    result[moved.compress(_find_returns_with_pay(scope, moved, key))] = True
    both = find_distinct(key[(kind == _COLLECT) & is_among(key, key[kind == _RETURN])])
    starts, ends = np.searchsorted(key, both), np.searchsorted(key, both, "right")
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        own = moved[start:end]
        result[own[_find_reversed(zip(kind[start:end].tolist(), events.amount[own].tolist(), strict=True))]] = True
    return result


def may_be_put_back(scope: EvaluationContext, chosen: Ints) -> Flags:
    """Return whether each event collects a stake that may be put back after the record, bool[m]."""
    events = scope.batch.events
    return (events.kind.take(chosen) == _COLLECT) & ~scope.batch.complete.take(events.round.take(chosen))


def _find_returns_without_collection(scope: EvaluationContext, moved: Ints, key: Ints) -> Flags:
    """Find the returns that are not the last movement of their stake, where the log omits collections.

    Whatever is on the layout again afterwards may have been taken before and put back. Arguments are as in
    `_find_returns_with_pay`.
    """
    kind, round_ = scope.batch.events.kind.take(moved), scope.batch.events.round.take(moved)
    unrecorded = scope.batch.recorded & ~is_recorded(scope.batch, "collect")
    result: Flags = (kind == _RETURN) & unrecorded.take(round_)
    result[:-1] &= key[1:] == key[:-1]
    result[-1:] = False
    return result


def _find_returns_with_pay(scope: EvaluationContext, moved: Ints, key: Ints) -> Flags:
    """Find the returns of stakes that were paid before, or are paid later with no act of play in between.

    Args:
        moved: events in the order of their stakes, and in log order for each.
        key: the stake of each.
    """
    kinds = scope.batch.events.kind
    kind = kinds.take(moved)
    paid = kind == _PAY
    before = np.concatenate([[0], np.cumsum(paid)])
    after_a_pay = before[:-1] - before[np.searchsorted(key, key)] > 0
    # Events with no act of play between them share a number.
    part = np.cumsum(is_one_of(kinds, _PLAY) & ~find_repetitions(scope)).take(moved)
    next_pay = np.zeros(len(moved), bool)
    next_pay[:-1] = paid[1:] & (key[1:] == key[:-1]) & (part[1:] == part[:-1])
    return (kind == _RETURN) & (after_a_pay | next_pay)


def _find_collections_without_return(scope: EvaluationContext) -> Ints:
    """Find each `collect` of a stake of which nothing was taken in the end, where the log records no `return`.

    Returns:
        int64[m].
    """
    events, stakes = scope.batch.events, scope.batch.stakes
    unrecorded = scope.batch.recorded & ~is_recorded(scope.batch, "return")
    moved = find_true((events.kind == _COLLECT) & unrecorded.take(events.round))
    if not len(moved):
        return moved
    lines, line_of, names = number_lines(scope.batch)
    key = (events.seat[moved].astype(np.int64) * len(names) + line_of[moved]) * 2 + events.tip[moved]
    left = find_true(~stakes.bonus & (stakes.taken == 0))
    kept = (stakes.seat[left].astype(np.int64) * len(names) + lines[left]) * 2 + stakes.tip[left]
    return moved.compress(is_one_of(key, kept))


def _find_reversed(movements: Iterable[tuple[int, int]]) -> list[int]:
    """Return the indices, among the movements of one stake, of collections that were reversed and of their returns."""
    taken: list[tuple[int, int]] = []  # index of a collection and how much of it was not put back, latest last
    undone: list[int] = []
    for place, (kind, amount) in enumerate(movements):
        if kind == _COLLECT:
            taken.append((place, amount))
        elif kind == _RETURN and amount <= sum(held for _, held in taken):
            undone.append(place)
            left = amount
            while left:
                earlier, held = taken.pop()
                if held > left:
                    taken.append((earlier, held - left))
                else:
                    undone.append(earlier)
                left -= min(held, left)
    return undone
