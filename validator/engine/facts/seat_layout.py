"""Layout of the playing seats, clockwise from the button; sets of seats as bit masks; seats with the bank."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import (
    ABSENT,
    Bits32,
    Bounds,
    Codes,
    Flags,
    Ints,
    Ints8,
    Ints32,
    Truths,
    find_true,
    flag_items,
    has_any,
    is_one_of,
    number_items,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNKNOWN, YES, bounds_where_known
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.evidence.columns.recorded_events import make_mask
from fairdeal.validator.evidence.event_kinds import HIGHEST_SEAT, PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.game_model import Act

MOST_SEATS = 32
"""Largest number of seats that a mask can hold."""


_ONE, _LONG = np.uint32(1), np.uint64(1)


def mask_of_first(count: NDArray[Any]) -> Bits32:
    """Return the masks of the first `count` seats.

    Returns:
        uint32[n].
    """
    wide: Bits32 = ((np.uint64(1) << count.astype(np.uint64)) - np.uint64(1)).astype(np.uint32)
    return wide


def mask_of_seat(rows: Ints8) -> Bits32:
    """Return the mask of one seat; empty if the row is ABSENT.

    Returns:
        uint32[n].
    """
    return np.where(rows >= 0, _ONE << np.maximum(rows, 0).astype(np.uint32), np.uint32(0))


def count_seats(masks: Bits32) -> Codes:
    """Return the number of seats of each set.

    Returns:
        uint8[n].
    """
    return np.bitwise_count(masks)


def has_several_seats(masks: Bits32) -> Flags:
    """Return whether each set has two seats or more.

    Returns:
        bool[n].
    """
    return (masks & (masks - _ONE)) != 0


def seats_between(after: Bits32, before: Ints8, among: Bits32) -> Bits32:
    """Return the seats of a set that are clockwise between two rows.

    If both rows are the same, these are all other seats of the set.

    Args:
        after: uint32[n], the row before the first seat.
        before: int8[n], the row after the last seat, which must be a seat.
        among: the set.

    Returns:
        uint32[n].
    """
    bit = mask_of_seat(before)
    below, beyond = bit - _ONE, ~((_ONE << after) | ((_ONE << after) - _ONE))
    wraps = before.astype(np.int64) <= after
    return among & ~bit & np.where(wraps, below | beyond, below & beyond)


def find_next_seat_in(wanted: Bits32, after: Bits32, count: Bits32) -> Ints8:
    """Return the first seat of a set clockwise after a row; ABSENT if the set is empty.

    Args:
        wanted: the set.
        after: uint32[n], the row, whose own seat comes last.
        count: uint32[n], the number of seats, at least 1.

    Returns:
        int8[n].
    """
    start = after + _ONE
    start = np.where(start == count, np.uint32(0), start)
    # The set is repeated twice, so that the lowest bit from `start` on is the next seat.
    wide = wanted.astype(np.uint64)
    twice = (wide | (wide << count)) >> start
    steps = np.bitwise_count((twice & (~twice + _LONG)) - _LONG)
    row = start + steps
    row -= np.where(row >= count, count, np.uint32(0))
    return np.where(wanted != 0, row, np.uint32(255)).astype(np.uint8).view(np.int8)


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
    seats, button = batch.seats, scope.batch.button
    playing = find_true(batch.seats.playing)
    owner = seats.round[playing]
    turned = (seats.number[playing].astype(np.int64) - np.maximum(button, 0)[owner] - 1) % (HIGHEST_SEAT + 1)
    order = np.lexsort((turned, owner))
    playing, owner, turned = playing[order], owner[order], turned[order]
    count = np.bincount(owner, minlength=rounds)
    rank = number_items(count)
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
    acted = flag_items(events.seat[events.kind == KIND_CODES["decide"]], len(cards))
    missed = find_true((cards == 0) & dealt[seats.round] & (row != ABSENT) & ~acted)
    result = np.zeros(len(dealt), np.uint32)
    np.bitwise_or.at(result, seats.round[missed], mask_of_seat(row[missed]))
    return result


@cached_fact
def may_seats_follow(scope: EvaluationContext) -> Flags:
    """Return whether seats may be missing because the record stops before the deal has been around the table.

    The deal has been around once a seat is dealt to a second time, or once somebody decides. It is over once a misdeal
    is declared for the whole table. In a game without cards no seat follows a result, unless it names the bank.

    Returns:
        bool[rounds].
    """
    stops: Flags = ~scope.batch.complete
    if not has_any(stops):
        return stops
    events, seats = scope.batch.events, scope.batch.seats
    dealt = events.seat[(events.kind == KIND_CODES["deal"]) & (events.place == _PLAYER) & (events.seat != ABSENT)]
    been_round = np.zeros(len(stops), bool)
    been_round[seats.round[np.bincount(dealt, minlength=len(seats.round)) > 1]] = True
    of_all = (events.kind == KIND_CODES["misdeal"]) & (events.place != _PLAYER)
    been_round[events.round[(events.kind == KIND_CODES["decide"]) | of_all]] = True
    game = scope.compiled_game.game
    if game.deck is None:
        drawn = (events.kind == KIND_CODES["outcome"]) & ~events.what.is_one_of(game.banking_outcomes)
        been_round[events.round[drawn]] = True
    return stops & ~been_round


MAY_NAME_A_SEAT = frozenset({"announce", "device"})
"""Kinds of event, at any place, that may or may not name a seat."""


def infer_unnamed_seats(scope: EvaluationContext) -> EvaluationContext:
    """Return the same batch with the seats of events that can concern only one seat.

    By its words, such an event belongs to a step per seat, and exactly one seat of the round may have that step. If
    several seats may, the round counts as not recording all events of the kind.
    """
    events, batch = scope.batch.events, scope.batch
    seat, unrecorded = events.seat, batch.unrecorded
    for step, chosen in _iter_unnamed_events(scope):
        selected = scope.evaluate(step.when, "seat")
        some, only = _find_only_seat(scope, selected != NO)
        owner = events.round[chosen]
        named = np.where(some[owner] == 1, only[owner], ABSENT)
        named[(named != ABSENT) & (selected[named] != YES)] = ABSENT
        open_ = owner[(some[owner] > 0) & (named == ABSENT)]
        seat, unrecorded = seat.copy(), unrecorded.copy()
        seat[chosen] = np.where(seat[chosen] == ABSENT, named, seat[chosen])
        unrecorded[open_] |= np.uint64(make_mask(step.events))
    if seat is events.seat:
        return scope
    recorded = replace(batch, events=replace(events, seat=seat), unrecorded=unrecorded)
    return EvaluationContext(
        recorded,
        scope.compiled_game,
        scope.configuration,
        waived_checks=scope.waived_checks,
        open_assumption=scope.open_assumption,
        denied_conditions=scope.denied_conditions,
    )


def _iter_unnamed_events(scope: EvaluationContext) -> Iterator[tuple[Act, Ints]]:
    """Yield each step per seat with its events that name no seat."""
    events = scope.batch.events
    for step, word, kinds in _list_acts_by_word(scope.compiled_game):
        if word in events.what.names:
            fits = (events.what.codes == events.what.code(word)) & (events.seat == ABSENT)
            chosen = find_true(fits & is_one_of(events.kind, kinds))
            if len(chosen):
                yield step, chosen


@cached_by_game
def _list_acts_by_word(prepared: CompiledGame) -> list[tuple[Act, str, list[int]]]:
    """Return the acts per seat whose events have one word and may name no seat, with the word and the kinds."""
    return [
        (step, step.word, [KIND_CODES[kind] for kind in step.events])
        for step in prepared.steps.values()
        if step.grain == "seat" and step.word is not None and MAY_NAME_A_SEAT.issuperset(step.events)
    ]


def _find_only_seat(scope: EvaluationContext, selected: Flags) -> tuple[Ints, Ints]:
    """Return how many of the selected seats each round has, and one of them."""
    rows, rounds = find_true(selected), len(scope.batch)
    owner = scope.batch.seats.round[rows]
    last = np.full(rounds, ABSENT, np.int64)
    last[owner] = rows
    return np.bincount(owner, minlength=rounds), last


def find_next_seat(scope: EvaluationContext, start: Bounds) -> Bounds:
    """Return the number of the next playing seat in each round.

    It is unknown if the number before it is, or if seats may follow after a truncated record.
    """
    low, high = start
    seats = scope.batch.seats
    number = find_next_numbers(seats.round[seats.playing], seats.number[seats.playing], np.where(low == high, low, 0))
    return bounds_where_known((low == high) & (number != ABSENT) & ~may_seats_follow(scope), number)


def find_next_numbers(owner: NDArray[np.integer], number: NDArray[np.integer], start: Ints) -> Ints:
    """Return the next seat number clockwise after a seat number, among some seats; ABSENT if there is none.

    Args:
        owner: the round of each seat.
        number: the number of each seat.
        start: int64[rounds], the seat numbers to start from.

    Returns:
        int64[rounds].
    """
    around = HIGHEST_SEAT + 1
    steps = np.full(len(start), around, np.int64)
    np.minimum.at(steps, owner, (number.astype(np.int64) - start[owner] - 1) % around)
    return np.where(steps < around, (start + 1 + steps) % around, ABSENT)


def is_seat_between(owner: NDArray[np.integer], number: NDArray[np.integer], start: Ints, end: Ints) -> Flags:
    """Return whether each seat is clockwise between two seat numbers, both excluded.

    If both numbers are the same, all other seats are between them.

    Args:
        owner: the round of each seat.
        number: the number of each seat.
        start: int64[rounds], the first seat number.
        end: int64[rounds], the second seat number.

    Returns:
        bool[seats].
    """
    around = HIGHEST_SEAT + 1
    result: Flags = (number - start[owner] - 1) % around < (end - start - 1)[owner] % around
    return result


@cached_fact
def banking_seats(scope: EvaluationContext, outcome: str) -> Ints:
    """Return the seat of each round whose number is the value of an outcome; ABSENT if there is none.

    Returns:
        int64[rounds].
    """
    seats, found = scope.batch.seats, np.full(len(scope.batch), ABSENT, np.int64)
    own = np.flatnonzero(is_banking_seat(scope, outcome) == YES)
    found[seats.round[own]] = own
    return found


@cached_fact
def is_banking_seat(scope: EvaluationContext, outcome: str) -> Truths:
    """Return whether the value of an outcome is the number of each seat.

    Returns:
        uint8[seats].
    """
    value, seats = outcome_values(scope, outcome)[scope.batch.seats.round], scope.batch.seats
    numbers = np.array(
        [ABSENT if number is None else number for number in (*scope.compiled_game.outcomes[outcome].numbers, None)]
    )
    return kleene.where_known(numbers[value] == seats.number, value != ABSENT)


@cached_fact
def is_house_banking(scope: EvaluationContext, wager: str) -> Truths:
    """Return whether stakes on a wager, or a bonus, are against the house; no if a seat of the round has the bank.

    Returns:
        uint8[rounds].
    """
    offered = scope.compiled_game.game.wagers.get(wager)
    if offered is None or offered.against is None:
        return kleene.constant(YES, len(scope.batch))
    outcome = offered.against.outcome
    numbers = scope.compiled_game.outcomes[outcome].numbers
    found = np.array([*(YES if number is None else UNKNOWN for number in numbers), UNKNOWN], np.uint8)
    return np.where(banking_seats(scope, outcome) != ABSENT, np.uint8(NO), found[outcome_values(scope, outcome)])


def take_of_banker(scope: EvaluationContext, outcome: str, values: Ints) -> Ints:
    """Return for each seat the value of the seat with the bank; ABSENT in rounds without such a seat.

    Args:
        scope: the rounds.
        outcome: the outcome that is the number of the seat.
        values: int[seats].
    """
    return np.append(values, ABSENT)[banking_seats(scope, outcome)][scope.batch.seats.round]
