"""Rounds in the making: columns that fill up from stage to stage, and the batch they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from validator.evidence.blank import no_hands, no_meters, no_names
from validator.evidence.columns import ABSENT, Batch, Coded, Events, Flags, Hands, Ints, Seats, Stakes
from validator.evidence.events import HIGHEST_SEAT, WIDEST_HAND
from validator.play.conditions import open_scope
from validator.play.scope import Scope
from validator.play.settlement import NO_CASE
from validator.play.simulate.house import House
from validator.play.tri import YES
from validator.rulebook.language.conditions import Condition

OWN, TIP = 0, 1
PLAYERS = tuple(f"P{number}" for number in range(1, HIGHEST_SEAT + 1))
"""What players are called: each by the number of the first seat that is his."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Rounds as far as they have been played.

    Seats are columns as in `Seats`, in ascending order of their numbers. Stakes are tables: `amount`, `paid`
    and `taken` are int64[names, 2, seats], by the house's names, the player's own stakes and tips; 0 where
    there is none. `case` is int16 of the same shape, the case of settlement. `way` is int8[rounds], an index
    into the house's ways of dealing.
    """

    offsets: Ints
    round: NDArray[np.int32]
    number: NDArray[np.int16]
    player: NDArray[np.int32]
    decision: NDArray[np.int32]
    hands: Hands
    dealer: Hands
    community: Hands
    way: NDArray[np.int8]
    amount: Ints
    paid: Ints
    taken: Ints
    case: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def place_in_round(self) -> Ints:
        """int64[seats]: 0 for the seat of the lowest number in its round."""
        return np.arange(len(self.round)) - self.offsets[self.round]


def seated(house: House, offsets: Ints, number: NDArray[np.int16], player: NDArray[np.int32]) -> Rounds:
    """Rounds in which the seats are taken and nothing has happened yet."""
    rounds, seats = len(offsets) - 1, len(number)
    shape = (len(house.names), 2, seats)
    return Rounds(
        offsets=offsets,
        round=np.repeat(np.arange(rounds, dtype=np.int32), np.diff(offsets)),
        number=number,
        player=player,
        decision=np.full(seats, ABSENT, np.int32),
        hands=no_hands(seats),
        dealer=no_hands(rounds),
        community=no_hands(rounds),
        way=np.zeros(rounds, np.int8),
        amount=np.zeros(shape, np.int64),
        paid=np.zeros(shape, np.int64),
        taken=np.zeros(shape, np.int64),
        case=np.full(shape, NO_CASE, np.int16),
    )


def scope_of(house: House, rounds: Rounds) -> Scope:
    """The rounds opened for questions, as far as they have been played; no event has been told yet."""
    return open_scope(batch_of(house, rounds, no_events(rounds)), house.prepared, house.configuration)


def seats_where(scope: Scope, condition: Condition | None) -> Flags:
    """bool[seats]: where a condition certainly holds."""
    if condition is None:
        return np.ones(scope.length("seat"), np.bool_)
    return scope.truth(condition, "seat") == YES


def batch_of(house: House, rounds: Rounds, events: Events) -> Batch:
    """The rounds as a batch. They have no ids, tables and times yet."""
    count = len(rounds)
    nowhere = np.zeros(count, np.int32)
    return Batch(
        file="",
        game=house.game.game,
        round=("",) * count,
        line=np.arange(1, count + 1),
        table=Coded(codes=nowhere, names=("",)),
        casino=Coded(codes=nowhere, names=(house.submission.licensee.name,)),
        day=nowhere,
        time=np.zeros(count, np.int64),
        offset=np.zeros(count, np.int16),
        number=np.full(count, ABSENT, np.int32),
        deck=no_names(count),
        dealer=rounds.dealer,
        dealer_discarded=no_hands(count),
        dealer_drawn=no_hands(count),
        community=rounds.community,
        community_discarded=no_hands(count),
        meters=no_meters(count),
        seats=Seats(
            offsets=rounds.offsets,
            round=rounds.round,
            number=rounds.number,
            player=Coded(codes=rounds.player, names=PLAYERS),
            decision=Coded(codes=rounds.decision, names=house.decisions),
            hands=rounds.hands,
            discarded=no_hands(len(rounds.number)),
            drawn=no_hands(len(rounds.number)),
        ),
        stakes=_stakes(house, rounds),
        events=events,
        recorded=np.ones(count, np.bool_),
        unrecorded=np.zeros(count, np.uint32),
    )


def _stakes(house: House, rounds: Rounds) -> Stakes:
    """Stakes seat by seat, in the order of the house's names, a tip after the player's own."""
    listed = np.moveaxis((rounds.amount > 0) | (rounds.paid > 0), 2, 0)
    seat, name, tip = np.nonzero(listed)
    bonus = np.array([one in house.game.bonuses for one in house.names], np.bool_)[name]
    return Stakes(
        seat=seat.astype(np.int32),
        wager=Coded(codes=name.astype(np.int32), names=house.names),
        tip=tip == TIP,
        bonus=bonus,
        amount=rounds.amount[name, tip, seat],
        paid=rounds.paid[name, tip, seat],
        taken=np.where(bonus, ABSENT, rounds.taken[name, tip, seat]),
        claimed=np.full(len(seat), ABSENT, np.int8),
    )


def no_events(rounds: Rounds) -> Events:
    """Events of rounds in which nothing has been told."""
    nothing = np.zeros(0, np.int32)
    small = np.zeros(0, np.int8)
    unnamed = Coded(codes=nothing, names=())
    return Events(
        offsets=np.zeros(len(rounds) + 1, np.int64),
        round=nothing,
        kind=np.zeros(0, np.uint8),
        seat=nothing,
        place=small,
        face=small,
        by=small,
        means=small,
        wager=unnamed,
        tip=np.zeros(0, np.bool_),
        amount=np.zeros(0, np.int64),
        decision=unnamed,
        what=unnamed,
        deck=unnamed,
        positions=unnamed,
        cards_row=nothing,
        hands=Hands(cards=np.zeros((0, WIDEST_HAND), np.uint8), count=np.zeros(0, np.int16)),
    )
