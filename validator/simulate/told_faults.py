"""Faults in the order and the manner in which things happened: the round itself comes out as it should."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace

from validator.arrays import ABSENT, Flags, Ints
from validator.cards.cards import NO_CARD
from validator.engine.core.context import Scope
from validator.engine.timeline.step_events import events_of, events_of_kinds
from validator.evidence.columns.batch import Batch, Coded, Events, Hands
from validator.evidence.columns.tables import end_to_end
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.rules.model.faults import Alter, EarlierFault, Fault, Insert, Move, StakeFault, WithdrawFault
from validator.simulate.altering import altered
from validator.simulate.decks import dealt_next
from validator.simulate.draws import one_of_each
from validator.simulate.house import House
from validator.simulate.parts import of_one_card
from validator.simulate.planting import Planting
from validator.simulate.rounds import Rounds, seats_where
from validator.simulate.sequences import sequenced
from validator.simulate.telling import told_of_step


def break_story(
    house: House, planting: Planting, rounds: Rounds, batch: Batch, rng: np.random.Generator
) -> tuple[Batch, Flags]:
    """The batch with the fault in every round that it fits, and bool[rounds], which those are. `rounds` is
    what the batch was made of."""
    scope = Scope(batch, house.prepared, house.configuration)
    seats = seats_where(scope, planting.fault.where)
    if planting.fault.operator == "stake":
        return _renamed(house, planting.fault.operand, scope, seats, rng)
    if planting.fault.operator == "withdraw":
        return _withdrawn(house, planting.fault.operand, scope, seats, rng)
    if planting.fault.operator == "insert":
        events, broken = _inserted(house, rounds, planting.fault.operand, scope, seats)
        return replace(batch, events=events), broken
    fits = np.zeros(len(batch), np.bool_)
    fits[batch.seats.round[seats]] = True
    if planting.fault.operator == "expose":
        return _exposed(scope, fits, rng)
    return break_events(scope, planting.fault, fits, seats)


def break_events(
    scope: Scope, fault: Fault | EarlierFault, fits: Flags, seats: Flags | None = None
) -> tuple[Batch, Flags]:
    """The batch with events left out, altered or in another order in every round that fits (bool[rounds]) and has
    them; and bool[rounds], which those are. Only those of certain seats (bool[seats]) are left out or altered, if any
    are named."""
    operand = fault.operand
    match fault.operator:
        case "omit":
            events, broken = _omitted(scope, operand, fits, seats)
            return _undiscarded(scope, operand, replace(scope.batch, events=events), broken), broken
        case "move":
            events, broken = _moved(scope, operand, fits)
        case "swap":
            events, broken = _swapped(scope, operand, fits)
        case _:
            events, broken = _altered(scope, operand, fits, seats)
    return replace(scope.batch, events=events), broken


def rounds_to_break(scope: Scope, planting: Planting) -> Flags:
    """bool[rounds]: the rounds that have events a fault would change."""
    fault = planting.fault
    fits = np.zeros(scope.length("round"), np.bool_)
    fits[scope.batch.seats.round[seats_where(scope, fault.where)]] = True
    step = fault.operand if isinstance(fault.operand, str) else fault.operand.step
    if fault.operator == "omit":
        return _left_out(scope, step, fits)[1]
    return _rounds_with(scope, _of_step(scope, step, fits, any_deck=_is_of_decks(fault)))


def _is_of_decks(fault: Fault | EarlierFault) -> bool:
    return fault.operator == "alter" and fault.operand.deck is not None


def _of_step(scope: Scope, step: str, fits: Flags, *, any_deck: bool = False) -> Ints:
    """int64[m]: the events of a step in the rounds that fit, in log order; those about another deck than the one in
    play are another round's, unless `any_deck` is asked for."""
    found = events_of(scope, step)
    if any_deck:
        return found[fits[scope.batch.events.round[found]]]
    owner = scope.batch.events.round[found]
    deck = scope.batch.events.deck.codes[found]
    return found[fits[owner] & ((deck == ABSENT) | (deck == scope.batch.deck.codes[owner]))]


def _rounds_with(scope: Scope, events: Ints) -> Flags:
    """bool[rounds]: the rounds of these events."""
    found = np.zeros(scope.length("round"), np.bool_)
    found[scope.batch.events.round[events]] = True
    return found


def _omitted(scope: Scope, step: str, fits: Flags, seats: Flags | None) -> tuple[Events, Flags]:
    gone, broken = _left_out(scope, step, fits)
    events = scope.batch.events
    if seats is not None:
        of_others = (events.seat[gone] != ABSENT) & ~seats[events.seat[gone]]
        broken &= ~_rounds_with(scope, gone[of_others]) | _rounds_with(scope, gone[~of_others])
        gone = gone[~of_others]
    keep = np.ones(len(events.round), np.bool_)
    keep[gone] = False
    return sequenced(events, np.flatnonzero(keep), len(fits)), broken


def _undiscarded(scope: Scope, step: str, batch: Batch, broken: Flags) -> Batch:
    """The batch in which the dealer or the community kept what was not put aside, in rounds without the step that does;
    a summary that said otherwise would contradict the events."""
    told = scope.prepared.steps[step]
    if "discard" not in told.events or told.each != "round":
        return batch
    match told.place:
        case "community":
            return replace(batch, community_discarded=_emptied(batch.community_discarded, broken))
        case "dealer":
            return replace(batch, dealer_discarded=_emptied(batch.dealer_discarded, broken))
        case _:
            return batch


def _emptied(hands: Hands, where: Flags) -> Hands:
    """The hands, no card in those of some rows (bool[n])."""
    cards, count = np.where(where[:, None], NO_CARD, hands.cards), np.where(where, 0, hands.count)
    return Hands(cards=cards.astype(np.uint8), count=count.astype(np.int16))


def _left_out(scope: Scope, step: str, fits: Flags) -> tuple[Ints, Flags]:
    """int64[m]: the events of a step without which the rounds that fit are played; and bool[rounds], those that would
    have had any."""
    found = events_of(scope, step)
    due = dealt_next(scope, found)
    found = found[due != ABSENT]
    due = due[due != ABSENT]
    missed = np.zeros(len(fits), np.bool_)
    missed[due[fits[due]]] = True
    return found[fits[due]], missed


def _anchors(scope: Scope, change: Move | Insert | WithdrawFault, fits: Flags, moving: Ints) -> tuple[Ints, int]:
    """int64[rounds]: the event beside which something is to happen, ABSENT where there is none; and the side,
    -1 before it and 1 after it."""
    events = scope.batch.events
    beside = np.setdiff1d(_of_step(scope, change.operand, fits), moving, assume_unique=True)
    anchor = np.full(len(fits), ABSENT, np.int64)
    if change.operator == "before":
        beside = beside[::-1]
    anchor[events.round[beside]] = beside  # the last one written stays
    return anchor, -1 if change.operator == "before" else 1


def _moved(scope: Scope, move: Move, fits: Flags) -> tuple[Events, Flags]:
    events = scope.batch.events
    moving = _of_step(scope, move.step, fits)
    anchor, side = _anchors(scope, move, fits, moving)
    moving = moving[anchor[events.round[moving]] != ABSENT]
    place = 2 * np.arange(len(events.round))
    place[moving] = 2 * anchor[events.round[moving]] + side
    sequence = np.argsort(place, kind="stable")
    changed = np.flatnonzero(sequence != np.arange(len(sequence)))
    return sequenced(events, sequence, len(fits)), _rounds_with(scope, changed)


def _inserted(house: House, rounds: Rounds, insert: Insert, scope: Scope, seats: Flags) -> tuple[Events, Flags]:
    events = scope.batch.events
    fits = np.zeros(len(scope.batch), np.bool_)
    fits[scope.batch.seats.round[seats]] = True
    anchor, side = _anchors(scope, insert, fits, np.zeros(0, np.int64))
    told = told_of_step(house, rounds, house.prepared.steps[insert.step])
    there = np.append(np.flatnonzero(scope.batch.seats.playing), ABSENT)  # the seats that the rounds were played with
    told = replace(told, seat=there[told.seat].astype(np.int32))
    fitting = np.flatnonzero((told.seat == ABSENT) | seats[told.seat])
    owner, first = np.unique(told.round[fitting], return_index=True)
    told = sequenced(told, np.repeat(fitting[first[anchor[owner] != ABSENT]], insert.times), len(fits))
    told = replace(told, cards_row=np.where(told.cards_row == ABSENT, ABSENT, told.cards_row + len(events.hands.count)))
    both = end_to_end([events, told])
    place = np.concatenate([2 * np.arange(len(events.round)), 2 * anchor[told.round] + side])
    found = np.zeros(len(fits), np.bool_)
    found[told.round] = True
    return sequenced(both, np.argsort(place, kind="stable"), len(fits)), found


def _withdrawn(
    house: House, fault: WithdrawFault, scope: Scope, seats: Flags, rng: np.random.Generator
) -> tuple[Batch, Flags]:
    """One seat's wager is told as larger by what is then taken back of it."""
    events, rounds = scope.batch.events, len(scope.batch)
    fits = np.ones(rounds, np.bool_)
    anchor, side = _anchors(scope, fault, fits, np.zeros(0, np.int64))
    code = house.names.index(fault.wager)
    placed = (events.kind == KIND["wager"]) & (events.wager.codes == code) & ~events.tip
    placed &= seats[events.seat] & (anchor[events.round] != ABSENT)
    candidates = np.flatnonzero(placed)
    chosen = one_of_each(rng, candidates, events.round[candidates])
    amount = events.amount.copy()
    amount[chosen] += fault.amount
    back = sequenced(events, chosen, rounds)
    back = replace(
        back,
        kind=np.full_like(back.kind, KIND["withdraw"]),
        means=np.full_like(back.means, ABSENT),
        amount=np.full_like(back.amount, fault.amount),
        hands=replace(back.hands, cards=back.hands.cards[:0], count=back.hands.count[:0]),
    )
    both = end_to_end([replace(events, amount=amount), back])
    place = np.concatenate([2 * np.arange(len(events.round)), 2 * anchor[back.round] + side])
    found = np.zeros(rounds, np.bool_)
    found[back.round] = True
    told = sequenced(both, np.argsort(place, kind="stable"), rounds)
    return replace(scope.batch, events=told), found


def _exposed(scope: Scope, fits: Flags, rng: np.random.Generator) -> tuple[Batch, Flags]:
    """The first card of one packet comes to light when the packet, which is not the last of the deal, is dealt."""
    events, rounds = scope.batch.events, len(fits)
    packets = events_of_kinds(scope, ("deal",))
    packets = packets[fits[events.round[packets]] & (events.place[packets] != PLACES.index("burn"))]
    packets = packets[np.diff(events.round[packets], append=-1) == 0]
    chosen = one_of_each(rng, packets, events.round[packets])
    shown = sequenced(events, chosen, rounds)
    shown = replace(
        shown,
        kind=np.full_like(shown.kind, KIND["expose"]),
        face=np.full_like(shown.face, ABSENT),
        by=np.full_like(shown.by, ABSENT),
        cards_row=np.arange(len(chosen), dtype=np.int32) + len(events.hands.count),
        hands=of_one_card(events.hands.cards[events.cards_row[chosen], 0]),
    )
    both = end_to_end([events, shown])
    place = np.concatenate([2 * np.arange(len(events.round)), 2 * chosen + 1])
    told = sequenced(both, np.argsort(place, kind="stable"), rounds)
    return replace(scope.batch, events=told), _rounds_with(scope, chosen)


def _swapped(scope: Scope, step: str, fits: Flags) -> tuple[Events, Flags]:
    events = scope.batch.events
    found = _of_step(scope, step, fits)
    found = found[events.seat[found] != ABSENT]
    first = _first_seats(scope, found, len(fits))
    others = found[events.seat[found] != first[events.round[found]]]
    second = _first_seats(scope, others, len(fits))
    chosen = second != ABSENT
    found = _with_their_turn(scope, step, found)
    owner, seat = events.round[found], events.seat[found]
    ours = found[chosen[owner] & ((seat == first[owner]) | (seat == second[owner]))]
    later = events.seat[ours] == first[events.round[ours]]
    sequence = np.arange(len(events.round))
    sequence[ours] = ours[np.lexsort((later, events.round[ours]))]
    return sequenced(events, sequence, len(fits)), chosen


def _with_their_turn(scope: Scope, name: str, found: Ints) -> Ints:
    """int64[m]: the events of a step (`found`) and of those that share its turn; of a step aside from the course, of
    all turns in which its events stand."""
    step, members = scope.prepared.steps[name], dict[str, Ints]()
    for one in scope.prepared.steps.values():
        if one.turn is not None and not one.aside and (step.aside or one.turn == step.turn):
            members[one.turn] = np.union1d(members.get(one.turn, found[:0]), events_of(scope, one.step))
    within = [turn for turn in members.values() if len(np.intersect1d(turn, found))]
    chosen: Ints = np.unique(np.concatenate([found, *within]))
    return chosen[scope.batch.events.seat[chosen] != ABSENT]


def _first_seats(scope: Scope, found: Ints, rounds: int) -> Ints:
    """int64[rounds]: the seat of the first of some events in each round, ABSENT where there is none."""
    seat = np.full(rounds, ABSENT, np.int64)
    backwards = found[::-1]
    seat[scope.batch.events.round[backwards]] = scope.batch.events.seat[backwards]
    return seat


def _altered(scope: Scope, alter: Alter, fits: Flags, seats: Flags | None) -> tuple[Events, Flags]:
    events = scope.batch.events
    found = _of_step(scope, alter.step, fits, any_deck=alter.deck is not None)
    if seats is not None:
        found = found[(events.seat[found] == ABSENT) | seats[events.seat[found]]]
    _, first = np.unique(events.round[found], return_index=True)
    found = found[first]
    events, changed = altered(events, alter, found)
    return events, _rounds_with(scope, found[changed])


def _renamed(
    house: House, fault: StakeFault, scope: Scope, seats: Flags, rng: np.random.Generator
) -> tuple[Batch, Flags]:
    """One seat's stake, and all that is told of it, under another name."""
    batch = scope.batch
    own, tip = scope.amount(fault.wager, tip=False), scope.amount(fault.wager, tip=True)
    chosen = np.flatnonzero(seats & (own > 0) & (tip == 0))
    seat = one_of_each(rng, chosen, batch.seats.round[chosen])
    there = np.zeros(len(seats) + 1, np.bool_)  # the last entry is for events of no seat
    there[seat] = True
    code, new = house.names.index(fault.wager), house.names.index(fault.operand)

    def renamed(wager: Coded, owner: Any) -> Coded:
        return Coded(codes=np.where(there[owner] & (wager.codes == code), new, wager.codes), names=wager.names)

    broken = np.zeros(len(batch), np.bool_)
    broken[batch.seats.round[seat]] = True
    stakes = replace(batch.stakes, wager=renamed(batch.stakes.wager, batch.stakes.seat))
    events = replace(batch.events, wager=renamed(batch.events.wager, batch.events.seat))
    return replace(batch, stakes=stakes, events=events), broken
