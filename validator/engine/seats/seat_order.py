"""The seats that take part in every round, numbered clockwise from the button, and what they bring to the table."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints32
from validator.engine.core.context import Scope, fact
from validator.engine.seats.seat_sets import MOST_SEATS, bit_of
from validator.evidence.handlog.event_values import HIGHEST_SEAT, PLACES
from validator.evidence.handlog.events import KIND

_PLAYER = PLACES.index("player")
UNKNOWN_STACK = 2**61
"""What a stack that is not recorded is taken for: never used up."""


class Seating(Struct, frozen=True, kw_only=True):
    """Rows are seats clockwise from the button, S of them in the fullest of H rounds.

    `seats` int32[S, H] is the seat of each row, ABSENT where there is none; `row` int8[seats] the row of each seat,
    ABSENT where it takes no part. `count` uint32[H] is how many take part. `stacks` int64[S, H] are their chips before
    anything was put in. `button` int8[H] is the row at which the button lies, ABSENT where no seat that takes part
    is there. `turning` bool[H] is whether the record shows where the button lies and who takes part, so that rows are
    what they are said to be; `stacked` bool[H] whether all stacks are recorded.
    """

    seats: Ints32
    row: Ints8
    count: Bits32
    stacks: Ints
    button: Ints8
    turning: Flags
    stacked: Flags


@fact
def seating(scope: Scope) -> Seating:
    """The seats of every round. Rounds of more seats than masks can hold count as not recorded."""
    batch, rounds = scope.batch, len(scope.batch)
    seats, button = batch.seats, _button(scope)
    playing = np.flatnonzero(taking_part(scope))
    owner = seats.round[playing]
    turned = (seats.number[playing].astype(np.int64) - np.maximum(button, 0)[owner] - 1) % (HIGHEST_SEAT + 1)
    order = np.lexsort((turned, owner))
    playing, owner, turned = playing[order], owner[order], turned[order]
    count = np.bincount(owner, minlength=rounds)
    rank = np.arange(len(playing)) - (np.cumsum(count) - count)[owner]
    fits = count <= MOST_SEATS
    inside = rank < MOST_SEATS
    playing, owner, rank, turned = playing[inside], owner[inside], rank[inside], turned[inside]

    most = int(rank.max(initial=0)) + 1
    placed = np.full((most, rounds), ABSENT, np.int32)
    placed[rank, owner] = playing
    row = np.full(len(seats.number), ABSENT, np.int8)
    row[playing] = rank
    stacks = np.zeros((most, rounds), np.int64)
    recorded = seats.stack[playing] != ABSENT
    stacks[rank, owner] = np.where(recorded, seats.stack[playing], UNKNOWN_STACK)
    stacked = fits.copy()
    stacked[owner[~recorded]] = False
    at_button = np.full(rounds, ABSENT, np.int8)
    there = turned == HIGHEST_SEAT  # the last of all numbers there may be
    at_button[owner[there]] = rank[there]
    return Seating(
        seats=placed,
        row=row,
        count=np.minimum(count, MOST_SEATS).astype(np.uint32),
        stacks=stacks,
        button=np.where(button != ABSENT, at_button, np.int8(ABSENT)),
        turning=(button != ABSENT) & fits & ~seats_follow(scope),
        stacked=stacked,
    )


def rows_of(scope: Scope, places: Ints) -> Ints8:
    """int8[m]: the row of the seat of each of some events, ABSENT where it is of no seat that takes part."""
    seat = scope.batch.events.seat[places]
    row = seating(scope).row
    if not len(row):
        return np.full(len(seat), ABSENT, np.int8)
    return np.where(seat == ABSENT, np.int8(ABSENT), row[seat])


@fact
def left_out(scope: Scope) -> Bits32:
    """uint32[rounds]: the rows of seats that take part and were dealt no cards, where others were: they have no hand to
    act with, unless they act all the same."""
    row, cards = seating(scope).row, scope.hands_at("player").count
    seats, events = scope.batch.seats, scope.batch.events
    dealt = np.zeros(len(scope.batch), bool)
    dealt[seats.round[cards > 0]] = True
    acted = np.zeros(len(cards) + 1, bool)  # the last stands for no seat
    acted[events.seat[events.kind == KIND["decide"]]] = True
    missed = np.flatnonzero((cards == 0) & dealt[seats.round] & (row != ABSENT) & ~acted[:-1])
    result = np.zeros(len(dealt), np.uint32)
    np.bitwise_or.at(result, seats.round[missed], bit_of(row[missed]))
    return result


@fact
def seats_follow(scope: Scope) -> Flags:
    """Return whether the record stops before the deal has been round the table, bool[rounds]: seats may be missing.

    It has been round once a seat is dealt to a second time, or once somebody decides.
    """
    stops: Flags = ~scope.batch.complete
    if not stops.any():
        return stops
    events, seats = scope.batch.events, scope.batch.seats
    dealt = events.seat[(events.kind == KIND["deal"]) & (events.place == _PLAYER) & (events.seat != ABSENT)]
    been_round = np.zeros(len(stops), bool)
    been_round[seats.round[np.bincount(dealt, minlength=len(seats.round)) > 1]] = True
    been_round[events.round[events.kind == KIND["decide"]]] = True
    return stops & ~been_round


def taking_part(scope: Scope) -> Flags:
    """bool[seats]: which seats take part in their round."""
    return scope.batch.seats.playing


def _button(scope: Scope) -> Ints8:
    """int8[rounds]: the number of the seat that seats are counted from, itself the last: that of the button; 0, so
    that the lowest comes first, where the table has none."""
    table = scope.prepared.game.table
    if table is not None and table.counted_from == "dealer-left":
        return np.zeros(len(scope.batch), np.int8)
    return scope.batch.button
