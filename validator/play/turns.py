"""Who is served in turn: the order in which places receive cards, and seats in the order of an earlier step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validator.evidence.columns import ABSENT
from validator.evidence.events import PLACES
from validator.play.scope import Scope
from validator.play.steps import events_of

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

NOBODY = -1
"""Where an expected or observed place is none at all."""


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


def dealing(scope: Scope, step: str) -> Turns:
    """Hold the events of dealing against the turn the game lays down.

    The way of dealing is told by the first packet: its number of cards picks the way. Every round's events
    are compared in one pass with the places due, one after the other. A place that ends up with a wrong number
    of cards is passed over, so that its miscount does not hide, or put out of turn, how the others were dealt.
    """
    deal = scope.prepared.game.deal
    events, seats = scope.batch.events, scope.batch.seats
    counted = _counted(scope)
    chosen = events_of(scope, step)
    chosen = chosen[counted[_receivers(scope)[chosen]]]
    rounds = scope.length("round")
    per_round = np.bincount(events.round[chosen], minlength=rounds)
    starts = np.concatenate([[0], np.cumsum(per_round)])[:-1]
    sizes = events.hands.count[events.cards_row[chosen]] if len(chosen) else np.zeros(0, np.int16)

    full = max(deal.cards[place] for place in deal.places)
    each_of_way = np.array(sorted({way.each for way in deal.ways.values()}), np.int16)
    first_size = np.full(rounds, each_of_way[0], np.int16)
    dealt = np.flatnonzero(per_round)
    first_size[dealt] = sizes[starts[dealt]]
    known_way = np.isin(first_size, each_of_way)
    each = np.where(known_way, first_size, each_of_way[0])

    turn, turn_start, turn_length = _one_pass(scope, counted)
    passes = full // each
    due = turn_length * passes
    # Event j of a round meets place j modulo the length of a pass.
    owner = events.round[chosen]
    position = np.arange(len(chosen)) - starts[owner]
    expected_of = turn[turn_start[owner] + position % np.maximum(turn_length[owner], 1)]
    elsewhere = len(seats.round) + events.place[chosen].astype(np.int32)
    observed = np.where(events.seat[chosen] != ABSENT, events.seat[chosen], elsewhere)
    wrong = (observed != expected_of) | (sizes != each[owner]) | (position >= due[owner])

    broke_at, expected = np.full(rounds, -1, np.int64), np.full(rounds, NOBODY, np.int32)
    bad = np.flatnonzero(wrong)[::-1]
    broke_at[owner[bad]] = chosen[bad]
    expected[owner[bad]] = np.where(position[bad] >= due[owner[bad]], NOBODY, expected_of[bad])
    return Turns(broke_at=broke_at, expected=expected, size=each)


def _receivers(scope: Scope) -> Ints:
    """int64[events]: the receiver of each event's cards, a seat's index or that of a place of its round."""
    events, seats = scope.batch.events, scope.length("seat")
    place = seats + events.round.astype(np.int64) * len(PLACES) + events.place
    return np.where(events.seat != ABSENT, events.seat, place)


def _counted(scope: Scope) -> Flags:
    """bool[receivers]: those that are dealt to in turn and do not hold a wrong number of cards."""
    deal = scope.prepared.game.deal
    seats, rounds = scope.length("seat"), scope.length("round")
    elsewhere = np.zeros((rounds, len(PLACES)), bool)
    players = np.zeros(seats, bool)
    for place in deal.places:
        count = scope.hands_at(place).count
        right = (count == deal.cards[place]) | (count == ABSENT)
        if place == "player":
            players = right
        else:
            elsewhere[:, PLACES.index(place)] = right
    return np.concatenate([players, elsewhere.ravel()])


def _one_pass(scope: Scope, counted: Flags) -> tuple[NDArray[np.int32], Ints, Ints]:
    """The places served in one pass of every round, joined; where each round starts, and how many it has."""
    deal, seats = scope.prepared.game.deal, scope.batch.seats
    rounds = scope.length("round")
    sign = 1 if deal.first == "dealer-left" else -1
    by_turn = np.lexsort((sign * seats.number.astype(np.int32), seats.round))
    by_turn = by_turn[counted[by_turn]]
    elsewhere = counted[len(seats.round) :].reshape(rounds, len(PLACES))
    keys: list[NDArray[np.int64]] = []
    places: list[NDArray[np.int32]] = []
    for number, place in enumerate(deal.places):
        if place == "player":
            places.append(by_turn.astype(np.int32))
            keys.append(seats.round[by_turn].astype(np.int64) * len(deal.places) + number)
        else:
            served = np.flatnonzero(elsewhere[:, PLACES.index(place)])
            places.append(np.full(len(served), len(seats.round) + PLACES.index(place), np.int32))
            keys.append(served * len(deal.places) + number)
    key = np.concatenate(keys)
    order = np.argsort(key, kind="stable")
    length = np.bincount(key // len(deal.places), minlength=rounds)
    start = np.concatenate([[0], np.cumsum(length)])[:-1]
    return np.concatenate(places)[order], start, length


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """Per round: `broke_at`, the first event of a step whose seat comes before that of the event ahead of it
    in the order another step set (-1 where none does), and `ahead`, that earlier event."""

    broke_at: Ints
    ahead: Ints


def same_order(scope: Scope, first: str, then: str) -> Followed:
    """Hold the seats of a step's events against the order in which the seats came up in another step."""
    events = scope.batch.events
    rounds = scope.length("round")
    setting = events_of(scope, first)
    rank = np.full(scope.length("seat"), np.iinfo(np.int64).max, np.int64)
    setting = setting[events.seat[setting] != ABSENT]
    np.minimum.at(rank, events.seat[setting], setting)
    following = events_of(scope, then)
    following = following[events.seat[following] != ABSENT]
    following = following[rank[events.seat[following]] != np.iinfo(np.int64).max]
    ranks, owner = rank[events.seat[following]], events.round[following]
    late = np.flatnonzero((ranks[1:] < ranks[:-1]) & (owner[1:] == owner[:-1])) + 1
    broke_at, ahead = np.full(rounds, -1, np.int64), np.full(rounds, -1, np.int64)
    broke_at[owner[late[::-1]]] = following[late[::-1]]
    ahead[owner[late[::-1]]] = following[late[::-1] - 1]
    return Followed(broke_at=broke_at, ahead=ahead)
