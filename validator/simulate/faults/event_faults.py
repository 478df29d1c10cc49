"""Faults in the order and the manner in which things happened: the round itself comes out as it should.

Each function makes one kind of fault in every round that it fits and returns those rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from msgspec.structs import replace

from validator.evidence.consistency.order import DONE_WITH_CARDS
from validator.rules.model.faults import Alter, Insert, Move, WithdrawFault
from validator.simulate.faults.breach import Breach
from validator.simulate.faults.planting import Planting
from validator.simulate.procedure.steps import events_of_step
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, beside
from validator.simulate.table.view import View


def break_story(house: House, planting: Planting, rounds: list[Round], rng: Random) -> set[Round]:
    """Make the fault in every round that it fits; returns those rounds, which are told."""
    breach = _breach(View(house, rounds, events=True), planting, rng)
    return {*_BREAK[planting.fault.operator](breach)}


def break_events(view: View, planting: Planting, fits: set[Round]) -> list[Round]:
    """Leave out, alter or move events in every round that fits and has them; returns those rounds."""
    breach = replace(_breach(view, planting, Random(0)), fits=fits, all_of_it=True)
    return [*_BREAK[planting.fault.operator](breach)]


def rounds_to_break(view: View, planting: Planting) -> set[Round]:
    """The rounds that have events a fault would change."""
    fault, breach = planting.fault, _breach(view, planting, Random(0))
    if fault.operator == "omit":
        return {due for due, _, _ in _due(breach)}
    step = fault.operand if isinstance(fault.operand, str) else fault.operand.step
    return {*_of_step(breach, step, any_deck=fault.operator == "alter" and fault.operand.deck is not None)}


def _breach(view: View, planting: Planting, rng: Random) -> Breach:
    seats = view.seats_where(planting.fault.where)
    fits = {view.round_of[seat] for seat in seats}
    return Breach(view=view, operand=planting.fault.operand, seats=seats, fits=fits, rng=rng)


def deck_of(house: House, one: Round) -> str | None:
    """The name of the deck in play."""
    return None if one.in_play is None else house.decks[one.in_play]


def _of_step(breach: Breach, step: str, *, any_deck: bool = False) -> dict[Round, list[Event]]:
    """The events of a step in the rounds that fit; those about another deck than the one in play are another round's,
    unless `any_deck` is asked for."""
    found: dict[Round, list[Event]] = {}
    for one, events in breach.view.of_step(step).items():
        own = [event for event in events if any_deck or event.deck in (None, deck_of(breach.house, one))]
        if one in breach.fits and own:
            found[one] = own
    return found


def _beside(breach: Breach, change: Move | Insert | WithdrawFault) -> Callable[[Round, list[Event]], int | None]:
    """Where in the events of a round something is to happen beside a step, None where that is not among them."""
    anchors = _of_step(breach, change.operand)
    return lambda one, events: beside(events, anchors.get(one, []), after=change.operator == "after")


def _due(breach: Breach) -> list[tuple[Round, Round, Event]]:
    """The events of the step without which the rounds that fit are played, each with the round for which it is done,
    and its own. That is its own where it is about the deck in play or names none; else the next one of the table in
    which the deck is in play, if one comes before the table opens anew or the rounds end."""
    house, rounds, found = breach.house, breach.view.rounds, []
    place = {one: at for at, one in enumerate(rounds)}
    for own, event in ((own, event) for own, events in breach.view.of_step(breach.operand).items() for event in events):
        due: Round | None = own
        if event.deck not in (None, deck_of(house, own)):
            later = (one for one in rounds[place[own] + 1 :] if one.table == own.table)
            due = next((one for one in later if deck_of(house, one) == event.deck), None)
            if due is not None and (due.count or 0) <= (own.count or 0):
                due = None
        if due is not None and due in breach.fits:
            found.append((due, own, event))
    return found


def _omit(breach: Breach) -> Iterable[Round]:
    found = _due(breach)
    gone = {event: own for _, own, event in found if breach.befalls(event)}
    of_others = {own for _, own, event in found if event not in gone} - {*gone.values()}
    for one in dict.fromkeys(gone.values()):
        one.events = [event for event in one.events if event not in gone]
    broken = {due for due, _, _ in found} - of_others
    step = breach.house.prepared.steps[breach.operand]
    if "discard" in step.events and step.each == "round" and step.place in ("community", "dealer"):
        # What was not put aside was kept; a summary that said otherwise would contradict the events.
        for one in broken:
            (one.dealer if step.place == "dealer" else one.community).aside = []
    return broken


def _move(breach: Breach) -> Iterable[Round]:
    moving, place = _of_step(breach, breach.operand.step), _beside(breach, breach.operand)
    for one, events in moving.items():
        staying = [event for event in one.events if event not in events]
        at = place(one, staying)
        if at is not None:
            # What is done with cards comes after them, or the record would contradict itself: those stay.
            used = {(event.seat, event.place) for event in staying[:at] if event.kind in DONE_WITH_CARDS}
            moved = [event for event in events if event.kind != "deal" or (event.seat, event.place) not in used]
            staying = [event for event in one.events if event not in moved]
            at = place(one, staying)
        if at is not None:
            moved = [*staying[:at], *moved, *staying[at:]]
            if any(event is not other for event, other in zip(moved, one.events, strict=True)):
                one.events = moved
                yield one


def _insert(breach: Breach) -> Iterable[Round]:
    insert, place = breach.operand, _beside(breach, breach.operand)
    events = events_of_step(breach.house, breach.rounds, breach.house.prepared.steps[insert.step])
    for one in breach.rounds:
        at = place(one, one.events)
        event = next((event for event in events[one] if breach.befalls(event)), None)
        if at is not None and event is not None:
            one.events[at:at] = [replace(event) for _ in range(insert.times)]
            yield one


def _withdraw(breach: Breach) -> Iterable[Round]:
    """One seat's wager is told as larger by what is then taken back of it."""
    fault, place = breach.operand, _beside(breach, breach.operand)

    def wagers(one: Round) -> list[Event]:
        if place(one, one.events) is None:
            return []
        named = [event for event in one.events if event.kind == "wager" and event.wager == fault.wager]
        return [event for event in named if not event.tip and breach.befalls(event)]

    for one, wager in breach.one_of(wagers):
        wager.amount = (wager.amount or 0) + fault.amount
        back = replace(wager, kind="withdraw", means=None, amount=fault.amount)
        one.events.insert(place(one, one.events) or 0, back)
        yield one


def _expose(breach: Breach) -> Iterable[Round]:
    """The first card of one packet, which is not the last of the deal, comes to light: when the packet is dealt, or
    in the deck before that, where the step is one of cards that are set aside."""
    in_the_deck = breach.view.house.prepared.steps[breach.operand].place == "burn"
    packets = breach.one_of(lambda one: [it for it in one.events if it.kind == "deal" and it.place != "burn"][:-1])
    for one, packet in packets:
        shown = replace(packet, kind="expose", face=None, by=None, cards=(packet.cards or [])[:1])
        if in_the_deck:
            shown = replace(shown, place="burn", seat=None)
        one.events.insert(one.events.index(packet) + (not in_the_deck), shown)
        yield one


def _swap(breach: Breach) -> Iterable[Round]:
    """The first two seats of a step the other way round, and with it all that shares its turn."""
    of_step = _of_step(breach, breach.operand)
    along = _with_their_turn(breach.view, breach.operand, {event for events in of_step.values() for event in events})
    for one, events in of_step.items():
        seats = [*dict.fromkeys(event.seat for event in events if event.seat is not None)]
        if len(seats) > 1:
            first, second, *_ = seats
            at = [n for n, event in enumerate(one.events) if event in along and event.seat in (first, second)]
            turned = sorted((one.events[n] for n in at), key=lambda event: event.seat is first)
            for n, event in zip(at, turned, strict=True):
                one.events[n] = event
            yield one


def _with_their_turn(view: View, name: str, found: set[Event]) -> set[Event]:
    """The events of a step (`found`) and of those that share its turn; of a step aside from the course, of all turns in
    which its events stand."""
    step, members = view.house.prepared.steps[name], dict[str, set[Event]]()
    for one in view.house.prepared.steps.values():
        if one.turn is not None and not one.aside and (step.aside or one.turn == step.turn):
            members.setdefault(one.turn, set()).update(
                event for events in view.of_step(one.step).values() for event in events
            )
    return found.union(*(turn for turn in members.values() if turn & found))


def _alter(breach: Breach) -> Iterable[Round]:
    """The first event of a step told otherwise, where that makes a difference."""
    for one, events in _of_step(breach, breach.operand.step, any_deck=breach.operand.deck is not None).items():
        event = next((event for event in events if breach.befalls(event)), None)
        if event is not None:
            change = _change(event, breach.operand)
            differs = any(getattr(event, name) != value for name, value in change.items())
            for name, value in change.items():
                setattr(event, name, value)
            if differs:
                yield one


def _change(event: Event, change: Alter) -> dict[str, Any]:
    """The fields of an event that are told otherwise."""
    fields: dict[str, Any] = {
        "face": change.face,
        "by": change.by,
        "means": change.in_,
        "place": change.place,
        "amount": change.number,
        "pot": change.pot,
        "what": change.what,
        "positions": change.spots,
    }
    found = {name: value for name, value in fields.items() if value is not None}
    cards = event.cards or []
    ranks = [card >> 2 for card in cards]
    if change.cards == "reversed" and ranks != ranks[::-1]:  # which makes a difference where ranks do
        found["cards"] = cards[::-1]
    elif change.cards == "fewer" and len(cards) > 1:
        found["cards"] = cards[:-1]
    return found if change.deck is None else found | {"deck": None}


def _rename(breach: Breach) -> Iterable[Round]:
    """One seat's stake, and all that is told of it, under another name."""
    old, new = breach.operand.wager, breach.operand.operand
    for one, seat in breach.one_seat(lambda seat: bool(seat.on(old)) and not seat.on(old, tip=True)):
        seat.stakes[new, False] = seat.stakes.pop((old, False))
        for event in one.events:
            if event.seat is seat and event.wager == old:
                event.wager = new
        yield one


_BREAK: Mapping[str, Callable[[Breach], Iterable[Round]]] = {
    "omit": _omit,
    "move": _move,
    "insert": _insert,
    "withdraw": _withdraw,
    "expose": _expose,
    "swap": _swap,
    "alter": _alter,
    "stake": _rename,
}
"""What makes a fault, by its operator."""
