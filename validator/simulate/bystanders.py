"""People at the table who take no part in a round and are dealt cards all the same.

They come in once the round is told: nothing in it hangs on them.
"""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Codes, Ints, Ints32
from validator.cards.cards import NO_CARD
from validator.engine.core.context import Scope
from validator.engine.timeline.step_events import events_of
from validator.evidence.columns.batch import Batch, Events, Hands
from validator.evidence.columns.tables import end_to_end, rows
from validator.evidence.handlog.event_values import PLACES, WIDEST_HAND
from validator.evidence.handlog.events import KIND
from validator.simulate.house import House
from validator.simulate.irregularities import BYSTANDER, may_happen, remedied
from validator.simulate.parts import in_order
from validator.simulate.posting import stacks_of
from validator.simulate.rounds import Rounds
from validator.simulate.sequences import sequenced

_RESERVED = 1
"""So many of the last cards of each deck are put to other uses."""


def with_bystanders(house: House, rounds: Rounds, batch: Batch) -> Batch:
    """The rounds, told, with somebody who takes no part in those in which that goes wrong and there is a position
    free."""
    if rounds.irregular is None:
        return batch
    for number, wrong in enumerate(house.simulation.irregularities):
        if wrong.of != BYSTANDER:
            continue
        befalls = (rounds.irregular.of == number) & may_happen(house, rounds, wrong)
        at = np.flatnonzero(befalls & (np.diff(batch.seats.offsets) < house.positions))
        if len(at):
            batch, seat = _seated(house, rounds, batch, at)
            batch = _dealt(house, rounds, batch, at, seat)
            told = in_order([*remedied(house, rounds, wrong, at, seat)], len(batch), house.texts)
            scope = Scope(batch, house.prepared, house.configuration)
            batch = _with_events(batch, told, _last(batch, events_of(scope, wrong.after))[told.round], 1)
    return batch


def _seated(house: House, rounds: Rounds, batch: Batch, at: Ints) -> tuple[Batch, Ints]:
    """The rounds with one more seat in some of them, int64[m], and int64[m], which seats those are: at the first free
    position clockwise from some seat."""
    assert rounds.irregular is not None
    taken = np.zeros((len(batch), house.positions), np.bool_)
    taken[batch.seats.round, batch.seats.number - 1] = True
    beside = rounds.number[rounds.irregular.seat[at]].astype(np.int64)
    around = (beside[:, None] + np.arange(house.positions)) % house.positions
    free = around[np.arange(len(at)), taken[at[:, None], around].argmin(axis=1)]
    like = rows(batch.seats, batch.seats.offsets[at], offsets=batch.seats.offsets)
    nothing = Hands(cards=np.full((len(at), WIDEST_HAND), NO_CARD, np.uint8), count=np.full(len(at), ABSENT, np.int16))
    chips = np.full(len(at), stacks_of(house).least, np.int64)
    more = replace(
        like,
        number=(free + 1).astype(np.int16),
        player=replace(like.player, codes=free.astype(np.int32)),
        decision=replace(like.decision, codes=np.full(len(at), ABSENT, np.int32)),
        discarded=nothing,
        drawn=nothing,
        stack=chips,
        stack_after=chips,
        won=np.zeros(len(at), np.int64),
        playing=np.zeros(len(at), np.bool_),
    )
    both = end_to_end([batch.seats, more])
    order = np.lexsort((both.number, both.round))
    place = np.empty(len(order) + 1, np.int32)  # an entry more than there are seats: where ABSENT finds itself
    place[order], place[-1] = np.arange(len(order)), ABSENT
    offsets = np.searchsorted(both.round[order], np.arange(len(batch) + 1)).astype(np.int64)
    moved = replace(
        batch,
        seats=rows(both, order, offsets=offsets),
        stakes=replace(batch.stakes, seat=place[batch.stakes.seat]),
        events=replace(batch.events, seat=place[batch.events.seat]),
    )
    return moved, place[len(batch.seats.round) : -1].astype(np.int64)


def _dealt(house: House, rounds: Rounds, batch: Batch, at: Ints, seat: Ints) -> Batch:
    """The rounds with cards for these seats, one in each of the rounds `at`, in their turn and from the end of the
    deck."""
    events, seats = batch.events, batch.seats
    of_seat = np.full(len(batch), ABSENT, np.int64)
    of_seat[at] = seat
    packets = np.flatnonzero((events.kind == KIND["deal"]) & (events.place == PLACES.index("player")))
    packets = packets[of_seat[events.round[packets]] != ABSENT]
    turn = _occurrence(events.seat[packets])
    owner = events.round[packets]
    clockwise = (seats.number - 1 - batch.button[seats.round]) % house.positions
    ahead = clockwise[events.seat[packets]] < clockwise[of_seat[owner]]
    # In every turn the packet before the seat's own, or, where it is served first, the one after.
    key = owner.astype(np.int64) * (int(turn.max(initial=0)) + 1) + turn
    beside = np.lexsort((np.where(ahead, -packets, packets), ~ahead, key))
    beside = beside[np.unique(key[beside], return_index=True)[1]]
    chosen = packets[beside]
    size = events.hands.count[events.cards_row[chosen]].astype(np.int64)
    owner = events.round[chosen]
    start = np.cumsum(size) - size
    start = start - start[np.searchsorted(owner, owner)]
    cards = _from_the_end(rounds.deck[owner], start, size)
    told = sequenced(events, chosen, len(batch))
    told = replace(
        told,
        seat=of_seat[owner].astype(np.int32),
        cards_row=np.arange(len(chosen), dtype=np.int32),
        hands=cards,
    )
    batch = _with_events(batch, told, chosen, np.where(ahead[beside], 1, -1))
    whole = np.zeros(len(batch), np.int64)
    np.add.at(whole, owner, size)
    held = _from_the_end(rounds.deck[at], np.zeros(len(at), np.int64), whole[at])
    hands = Hands(cards=batch.seats.hands.cards.copy(), count=batch.seats.hands.count.copy())
    hands.cards[seat], hands.count[seat] = held.cards, held.count
    return replace(batch, seats=replace(batch.seats, hands=hands))


def _occurrence(seat: Ints32) -> Ints:
    """int64[n]: how often the seat of each event has come before."""
    order = np.argsort(seat, kind="stable")
    found = np.empty(len(seat), np.int64)
    found[order] = np.arange(len(seat)) - np.searchsorted(seat[order], seat[order])
    return found


def _from_the_end(deck: Codes, start: Ints, size: Ints) -> Hands:
    """So many cards of each deck, counted from its end."""
    place = np.arange(WIDEST_HAND)
    column = np.maximum(deck.shape[1] - 1 - _RESERVED - start[:, None] - place, 0)
    cards = np.where(place < size[:, None], np.take_along_axis(deck, column, axis=1), NO_CARD)
    return Hands(cards=cards.astype(np.uint8), count=size.astype(np.int16))


def _last(batch: Batch, events: Ints) -> Ints:
    """int64[rounds]: the last of some events in each round."""
    last = np.full(len(batch), ABSENT, np.int64)
    last[batch.events.round[events]] = events
    return last


def _with_events(batch: Batch, told: Events, anchor: Ints, side: int | Ints) -> Batch:
    """The rounds with more events, each after or before another one of its round: `side` is 1 or -1."""
    events = batch.events
    rows_of_cards = np.where(told.cards_row == ABSENT, ABSENT, told.cards_row + len(events.hands.count))
    both = end_to_end([events, replace(told, cards_row=rows_of_cards.astype(np.int32))])
    place = np.concatenate([2 * np.arange(len(events.round)), 2 * anchor + side])
    return replace(batch, events=sequenced(both, np.argsort(place, kind="stable"), len(batch)))
