"""Layout of the playing seats of every round, clockwise from the button, with their stacks."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8, Ints32
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.seats.seat_sets import MOST_SEATS, mask_of_seat
from validator.evidence.handlog.event_values import HIGHEST_SEAT, PLACES
from validator.evidence.handlog.events import KIND_CODES

_PLAYER = PLACES.index("player")
UNKNOWN_STACK = 2**61
"""Value of a stack that is not recorded: never used up."""


class SeatLayout(Struct, frozen=True, kw_only=True):
    """Layout of the seats of H rounds. Rows are seats clockwise from the button; the fullest round has S of them."""

    seat_of_row: Ints32
    """Seat of each row, int32[S, H]; ABSENT if there is none."""
    row_of_seat: Ints8
    """Row of each seat, int8[seats]; ABSENT if the seat does not play."""
    seat_count: Bits32
    """Number of playing seats, uint32[H]."""
    stacks: Ints
    """Chips before anything was put in, int64[S, H]."""
    button_row: Ints8
    """Row of the button, int8[H]; ABSENT if the button is at no playing seat."""
    is_order_known: Flags
    """True if the record shows the button and the playing seats, so that the rows are certain, bool[H]."""
    are_stacks_known: Flags
    """True if all stacks are recorded, bool[H]."""


@cached_fact
def seat_layout(scope: EvaluationContext) -> SeatLayout:
    """Return the layout of the seats of every round. Rounds with more seats than masks can hold count as not
    recorded.
    """
    batch, rounds = scope.batch, len(scope.batch)
    seats, button = batch.seats, _find_button(scope)
    playing = np.flatnonzero(is_playing(scope))
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
    there = turned == HIGHEST_SEAT  # the highest possible number
    at_button[owner[there]] = rank[there]
    return SeatLayout(
        seat_of_row=placed,
        row_of_seat=row,
        seat_count=np.minimum(count, MOST_SEATS).astype(np.uint32),
        stacks=stacks,
        button_row=np.where(button != ABSENT, at_button, np.int8(ABSENT)),
        is_order_known=(button != ABSENT) & fits & ~may_seats_follow(scope),
        are_stacks_known=stacked,
    )


def find_event_rows(scope: EvaluationContext, places: Ints) -> Ints8:
    """Return the row of the seat of each event; ABSENT if it has no playing seat.

    Returns:
        int8[m].
    """
    seat = scope.batch.events.seat[places]
    row = seat_layout(scope).row_of_seat
    if not len(row):
        return np.full(len(seat), ABSENT, np.int8)
    return np.where(seat == ABSENT, np.int8(ABSENT), row[seat])


@cached_fact
def seats_without_cards(scope: EvaluationContext) -> Bits32:
    """Return the rows of playing seats that were dealt no cards while others were, as masks.

    These seats have no hand to act with, unless they act all the same.

    Returns:
        uint32[rounds].
    """
    row, cards = seat_layout(scope).row_of_seat, scope.dealt_hands("player").count
    seats, events = scope.batch.seats, scope.batch.events
    dealt = np.zeros(len(scope.batch), bool)
    dealt[seats.round[cards > 0]] = True
    acted = np.zeros(len(cards) + 1, bool)  # the last entry is for no seat
    acted[events.seat[events.kind == KIND_CODES["decide"]]] = True
    missed = np.flatnonzero((cards == 0) & dealt[seats.round] & (row != ABSENT) & ~acted[:-1])
    result = np.zeros(len(dealt), np.uint32)
    np.bitwise_or.at(result, seats.round[missed], mask_of_seat(row[missed]))
    return result


@cached_fact
def may_seats_follow(scope: EvaluationContext) -> Flags:
    """Return whether seats may be missing because the record stops before the deal has been around the table.

    The deal has been around once a seat is dealt to a second time, or once somebody decides.

    Returns:
        bool[rounds].
    """
    stops: Flags = ~scope.batch.complete
    if not stops.any():
        return stops
    events, seats = scope.batch.events, scope.batch.seats
    dealt = events.seat[(events.kind == KIND_CODES["deal"]) & (events.place == _PLAYER) & (events.seat != ABSENT)]
    been_round = np.zeros(len(stops), bool)
    been_round[seats.round[np.bincount(dealt, minlength=len(seats.round)) > 1]] = True
    been_round[events.round[events.kind == KIND_CODES["decide"]]] = True
    return stops & ~been_round


def is_playing(scope: EvaluationContext) -> Flags:
    """Return which seats play in their round.

    Returns:
        bool[seats].
    """
    return scope.batch.seats.playing


def _find_button(scope: EvaluationContext) -> Ints8:
    """Return the number of the seat that seats are counted from, which is last.

    This is the button; or 0, so that the lowest number comes first, if the table has no button.
    """
    table = scope.compiled_game.game.table
    if table is not None and table.counted_from == "dealer-left":
        return np.zeros(len(scope.batch), np.int8)
    return scope.batch.button
