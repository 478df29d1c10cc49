"""Who is served in turn: the order in which places receive cards, way by way of dealing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.events import ACTORS, PLACES, WIDEST_HAND
from validator.play.scope import Scope
from validator.play.steps import events_of_kinds
from validator.rulebook.language.game import Way

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOBODY = -1
"""Where an expected or observed place is none at all."""

_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The dealing of every round held against its turn.

    Arrays are per round: `broke_at` int64, the first event out of turn, -1 where all are in turn;
    `expected` int32, the place that was due (a seat's index, or seats + the place's number for another
    place, NOBODY where none was); `size` int16, how many cards that place was due.
    """

    broke_at: Ints
    expected: NDArray[np.int32]
    size: NDArray[np.int16]


def dealing(scope: Scope, chosen: Ints) -> Turns:
    """Hold the events of dealing (`chosen`, in log order) against the turn the game lays down.

    Each round is held against the permitted way of dealing that it follows furthest.
    """
    ways = _followed(scope, chosen)
    best = _furthest(ways)
    rounds = np.arange(len(best))
    broke_at = np.stack([one.broke_at for one in ways])[best, rounds]
    return Turns(
        broke_at=np.where(broke_at == _NEVER, -1, broke_at),
        expected=np.stack([one.expected for one in ways])[best, rounds],
        size=np.stack([one.size for one in ways])[best, rounds],
    )


def dealt_as(scope: Scope, name: str) -> tuple[Flags, Flags]:
    """Per round: whether the cards were dealt in a way, by name, and whether the log shows that at all.

    Of the permitted ways, a round is dealt in the one it follows furthest; several it follows equally far are
    told apart by who dealt, where that is recorded, else each of them is a way it was dealt in.
    """

    def look() -> tuple[Flags, Flags]:
        chosen = events_of_kinds(scope, ("deal",))
        ways = _followed(scope, chosen)
        reached = np.stack([one.reached for one in ways])
        fits = (reached == reached.max(axis=0)) & np.stack([one.begun for one in ways])
        dealt = np.zeros(scope.length("round"), bool)
        dealt[scope.batch.events.round[chosen]] = True
        by = np.full(len(dealt), ABSENT, np.int8)
        by[scope.batch.events.round[chosen[::-1]]] = scope.batch.events.by[chosen[::-1]]
        others = np.stack(
            [
                np.zeros(len(dealt), bool) if way.by is None else (by != ABSENT) & (by != ACTORS.index(way.by))
                for way in scope.prepared.game.deal.ways.values()
            ]
        )
        told_apart = fits & ~others
        return np.where(told_apart.any(axis=0), told_apart, fits), dealt

    fits, dealt = scope.once(("dealt-as",), look)
    return fits[list(scope.prepared.game.deal.ways).index(name)], dealt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Followed:
    """The dealing of every round held against one way; arrays as in `Turns`, but `broke_at` is `_NEVER` where
    all is in turn. `reached` is int64, how far the way is followed, to compare ways by: a packet out of turn that the
    place is given at another time counts for more than one it never is. `begun`: whether the first packet is one
    that the way gives its place.
    """

    broke_at: Ints
    expected: NDArray[np.int32]
    size: NDArray[np.int16]
    reached: Ints
    begun: Flags


def _furthest(ways: list[_Followed]) -> Ints:
    return np.stack([one.reached for one in ways]).argmax(axis=0)


def _followed(scope: Scope, chosen: Ints) -> list[_Followed]:
    ways = scope.prepared.game.deal.ways
    return [_follow(scope, name, way, chosen) for name, way in ways.items()]


def _follow(scope: Scope, name: str, way: Way, chosen: Ints) -> _Followed:
    """A place that ends up with a wrong number of cards is passed over, so that its miscount does not hide, or
    put out of turn, how the others were dealt."""
    events, rounds = scope.batch.events, scope.length("round")
    counted = scope.once(("counted", name), lambda: _counted(scope, way))
    start, due_place, due_size = scope.once(("due", name), lambda: _course(scope, way, counted))
    receiver = _receivers(scope)[chosen]
    ours = counted[receiver]
    chosen, receiver = chosen[ours], receiver[ours]
    owner = events.round[chosen]
    per_round = np.bincount(owner, minlength=rounds)
    position = np.arange(len(chosen)) - (np.cumsum(per_round) - per_round)[owner]
    sizes = events.hands.count[events.cards_row[chosen]] if len(chosen) else np.zeros(0, np.int16)

    more = position >= np.diff(start)[owner]
    at = np.where(more, len(due_place) - 1, start[:-1][owner] + position)
    seats = scope.length("seat")
    elsewhere = seats + events.place[chosen].astype(np.int32)
    observed = np.where(events.seat[chosen] != ABSENT, events.seat[chosen], elsewhere)
    wrong = more | (observed != due_place[at]) | (sizes != due_size[at])
    packets = {(PLACES.index(place), one.each) for one in way.passes for place in one.to}
    given = np.zeros((len(PLACES), WIDEST_HAND + 1), bool)
    given[tuple(zip(*packets, strict=True))] = True
    of_this_way = given[events.place[chosen], sizes]

    broke_at, reached = np.full(rounds, _NEVER), np.full(rounds, _NEVER)
    expected, size = np.full(rounds, NOBODY, np.int32), np.zeros(rounds, np.int16)
    bad = np.flatnonzero(wrong)[::-1]
    broke_at[owner[bad]] = chosen[bad]
    reached[owner[bad]] = 2 * chosen[bad] + of_this_way[bad]
    expected[owner[bad]] = np.where(more[bad], NOBODY, due_place[at[bad]])
    size[owner[bad]] = due_size[at[bad]]
    begun = np.ones(rounds, bool)
    begun[owner[~of_this_way & (position == 0)]] = False
    return _Followed(broke_at=broke_at, expected=expected, size=size, reached=reached, begun=begun)


def _receivers(scope: Scope) -> Ints:
    """int64[events]: the receiver of each event's cards, a seat's index or that of a place of its round."""

    def look() -> Ints:
        events, seats = scope.batch.events, scope.length("seat")
        place = seats + events.round.astype(np.int64) * len(PLACES) + events.place
        return np.where(events.seat != ABSENT, events.seat, place)

    return scope.once(("receivers",), look)


def _counted(scope: Scope, way: Way) -> Flags:
    """bool[receivers]: those that are served by a way and were not dealt a wrong number of cards."""
    elsewhere = np.zeros((scope.length("round"), len(PLACES)), bool)
    players = np.zeros(scope.length("seat"), bool)
    dealt = way.dealt()
    elsewhere[:, PLACES.index("burn")] = "burn" in dealt
    for place in scope.prepared.game.deal.cards:
        count, full = scope.hands_at(place).count, dealt[place]
        right = (count == full) | (count == ABSENT)
        if place == "player":
            players = right
        else:
            elsewhere[:, PLACES.index(place)] = right
    return np.concatenate([players, elsewhere.ravel()])


def _course(scope: Scope, way: Way, counted: Flags) -> tuple[Ints, NDArray[np.int32], NDArray[np.int16]]:
    """The packets due in every round, joined: where each round's start (int64[rounds + 1]), the place that is
    due each of them (as `Turns.expected`) and its size. One entry that nothing meets stands at the end."""
    seats, rounds = scope.batch.seats, scope.length("round")
    sign = 1 if scope.prepared.game.deal.first == "dealer-left" else -1
    served = np.lexsort((sign * seats.number.astype(np.int32), seats.round))
    served = served[counted[served]]
    elsewhere = counted[len(seats.round) :].reshape(rounds, len(PLACES))
    in_round = np.bincount(seats.round[served], minlength=rounds)
    rank = np.arange(len(served)) - (np.cumsum(in_round) - in_round)[seats.round[served]]

    packets = [(place, one.each) for one in way.passes for _ in range(one.times) for place in one.to]
    length = np.zeros(rounds, np.int64)
    offsets = []
    for place, _ in packets:
        offsets.append(length)
        length = length + (in_round if place == "player" else elsewhere[:, PLACES.index(place)])
    start = np.concatenate([[0], np.cumsum(length)])
    places, sizes = np.full(start[-1] + 1, NOBODY, np.int32), np.zeros(start[-1] + 1, np.int16)
    for (place, each), offset in zip(packets, offsets, strict=True):
        if place == "player":
            at = (start[:-1] + offset)[seats.round[served]] + rank
            places[at] = served
        else:
            of = np.flatnonzero(elsewhere[:, PLACES.index(place)])
            at = (start[:-1] + offset)[of]
            places[at] = len(seats.round) + PLACES.index(place)
        sizes[at] = each
    return start, places, sizes
