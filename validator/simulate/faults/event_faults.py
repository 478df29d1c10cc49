"""Faults in the order and the manner in which things happened: the round itself comes out as it should.

Each function makes one kind of fault in every round that it fits and returns those rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.evidence.consistency.order import DONE_WITH_CARDS
from validator.rules.model.faults import Alter, EarlierFault, Fault, Insert, Move, WithdrawFault
from validator.simulate.faults.planting import Planting
from validator.simulate.procedure.steps import events_of_step
from validator.simulate.table.house import House
from validator.simulate.table.records import Event, Round, Seat
from validator.simulate.table.view import View


def alter(event: Event, change: Alter) -> bool:
    """Alter an event; returns whether it differs from before."""
    fields = {
        "face": change.face,
        "by": change.by,
        "means": change.in_,
        "place": change.place,
        "amount": change.number,
        "pot": change.pot,
        "what": change.what,
        "positions": change.spots,
    }
    differs = False
    for name, value in fields.items():
        if value is not None:
            differs |= getattr(event, name) != value
            setattr(event, name, value)
    if change.deck is not None:
        differs |= event.deck is not None
        event.deck = None
    cards = event.cards or []
    if change.cards == "reversed":  # which makes a difference where ranks do
        differs |= [card >> 2 for card in cards] != [card >> 2 for card in reversed(cards)]
        event.cards = cards[::-1]
    elif change.cards == "fewer" and len(cards) > 1:
        differs = True
        event.cards = cards[:-1]
    return differs


class EventBreach(Struct, frozen=True, kw_only=True):
    """What is needed to break rounds that are told: the recipe, the rounds that fit, opened for questions, and the
    seats that it may befall, None for all that happens."""

    view: View
    operand: Any
    fits: set[Round]
    seats: set[Seat] | None
    rng: Random | None = None

    def of_step(self, step: str, *, any_deck: bool = False) -> dict[Round, list[Event]]:
        """The events of a step in the rounds that fit; those about another deck than the one in play are another
        round's, unless `any_deck` is asked for."""
        found: dict[Round, list[Event]] = {}
        for one, event in self.view.of_step(step):
            if one in self.fits and (any_deck or event.deck in (None, deck_of(self.view.house, one))):
                found.setdefault(one, []).append(event)
        return found

    def befalls(self, event: Event) -> bool:
        """Whether an event is of a seat that fits, or of none."""
        return self.seats is None or event.seat is None or event.seat in self.seats

    def beside(self, change: Move | Insert | WithdrawFault) -> Callable[[Round, list[Event]], int | None]:
        """Where in the events of a round something is to happen beside a step, None where that is not among them."""
        first, anchors = change.operator == "before", self.of_step(change.operand)

        def place(one: Round, events: list[Event]) -> int | None:
            found = [at for event in anchors.get(one, ()) for at, other in enumerate(events) if other is event]
            return None if not found else found[0] if first else found[-1] + 1

        return place


def deck_of(house: House, one: Round) -> str | None:
    """The name of the deck in play."""
    return None if one.in_play is None else house.decks[one.in_play]


def break_story(house: House, planting: Planting, rounds: list[Round], rng: Random) -> set[Round]:
    """Make the fault in every round that it fits; returns those rounds, which are told."""
    view, fault = View(house, rounds, events=True), planting.fault
    seats = view.seats_where(fault.where)
    fits = {view.round_of[seat] for seat in view.seats if seat in seats}
    return {*_BREAK[fault.operator](EventBreach(view=view, operand=fault.operand, fits=fits, seats=seats, rng=rng))}


def break_events(view: View, fault: Fault | EarlierFault, fits: set[Round]) -> list[Round]:
    """Leave out, alter or move events in every round that fits and has them; returns those rounds."""
    return [*_BREAK[fault.operator](EventBreach(view=view, operand=fault.operand, fits=fits, seats=None))]


def rounds_to_break(view: View, planting: Planting) -> set[Round]:
    """The rounds that have events a fault would change."""
    fault = planting.fault
    fits = {view.round_of[seat] for seat in view.seats_where(fault.where)}
    breach = EventBreach(view=view, operand=fault.operand, fits=fits, seats=None)
    if fault.operator == "omit":
        return {due for due, _, _ in _due(breach)}
    step = fault.operand if isinstance(fault.operand, str) else fault.operand.step
    return {*breach.of_step(step, any_deck=fault.operator == "alter" and fault.operand.deck is not None)}


def _due(breach: EventBreach) -> list[tuple[Round, Round, Event]]:
    """The events of the step without which the rounds that fit are played, each with the round for which it is done,
    and its own. That is its own where it is about the deck in play or names none; else the next one of the table in
    which the deck is in play, if one comes before the table opens anew or the rounds end."""
    house, rounds, found = breach.view.house, breach.view.rounds, []
    place = {one: at for at, one in enumerate(rounds)}
    for own, event in breach.view.of_step(breach.operand):
        due: Round | None = own
        if event.deck not in (None, deck_of(house, own)):
            later = (one for one in rounds[place[own] + 1 :] if one.table == own.table)
            due = next((one for one in later if deck_of(house, one) == event.deck), None)
            if due is not None and (due.count or 0) <= (own.count or 0):
                due = None
        if due is not None and due in breach.fits:
            found.append((due, own, event))
    return found


def _omit(breach: EventBreach) -> Iterable[Round]:
    found = _due(breach)
    gone = {event: own for _, own, event in found if breach.befalls(event)}
    of_others = {own for _, own, event in found if event not in gone} - {*gone.values()}
    for one in dict.fromkeys(gone.values()):
        one.events = [event for event in one.events if event not in gone]
    broken = {due for due, _, _ in found} - of_others
    step = breach.view.house.prepared.steps[breach.operand]
    if "discard" in step.events and step.each == "round" and step.place in ("community", "dealer"):
        # What was not put aside was kept; a summary that said otherwise would contradict the events.
        for one in broken:
            (one.dealer if step.place == "dealer" else one.community).aside = []
    return broken


def _move(breach: EventBreach) -> Iterable[Round]:
    moving, place = breach.of_step(breach.operand.step), breach.beside(breach.operand)
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


def _insert(breach: EventBreach) -> Iterable[Round]:
    insert, house, place = breach.operand, breach.view.house, breach.beside(breach.operand)
    events = events_of_step(house, [*breach.view.rounds], house.prepared.steps[insert.step])
    for one in breach.view.rounds:
        at = place(one, one.events)
        fitting = (event for event in events[one] if event.seat is None or event.seat.playing)
        event = next((event for event in fitting if breach.befalls(event)), None)
        if at is not None and event is not None:
            one.events[at:at] = [replace(event) for _ in range(insert.times)]
            yield one


def _withdraw(breach: EventBreach) -> Iterable[Round]:
    """One seat's wager is told as larger by what is then taken back of it."""
    fault, rng = breach.operand, breach.rng
    place = replace(breach, fits={*breach.view.rounds}).beside(fault)
    for one in breach.view.rounds:
        at = place(one, one.events)
        wagers = [
            event
            for event in one.events
            if event.kind == "wager" and event.wager == fault.wager and not event.tip and breach.befalls(event)
        ]
        if at is not None and wagers and rng is not None:
            wager = rng.choice(wagers)
            wager.amount = (wager.amount or 0) + fault.amount
            back = replace(wager, kind="withdraw", means=None, amount=fault.amount)
            one.events.insert(at, back)
            yield one


def _expose(breach: EventBreach) -> Iterable[Round]:
    """The first card of one packet, which is not the last of the deal, comes to light: when the packet is dealt, or
    in the deck before that, where the step is one of cards that are set aside."""
    in_the_deck = breach.view.house.prepared.steps[breach.operand].place == "burn"
    for one in breach.view.rounds:
        deals = [at for at, event in enumerate(one.events) if event.kind == "deal" and event.place != "burn"][:-1]
        if one in breach.fits and deals and breach.rng is not None:
            at = breach.rng.choice(deals)
            packet = one.events[at]
            shown = replace(packet, kind="expose", face=None, by=None, cards=(packet.cards or [])[:1])
            if in_the_deck:
                shown = replace(shown, place="burn", seat=None)
            one.events.insert(at if in_the_deck else at + 1, shown)
            yield one


def _swap(breach: EventBreach) -> Iterable[Round]:
    """The first two seats of a step the other way round, and with it all that shares its turn."""
    view, of_step = breach.view, breach.of_step(breach.operand)
    along = _with_their_turn(view, breach.operand, {event for events in of_step.values() for event in events})
    for one, events in of_step.items():
        seats = [*dict.fromkeys(event.seat for event in events if event.seat is not None)]
        if len(seats) > 1:
            first, second = seats[:2]
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
            members.setdefault(one.turn, set()).update(event for _, event in view.of_step(one.step))
    return found.union(*(turn for turn in members.values() if turn & found))


def _alter(breach: EventBreach) -> Iterable[Round]:
    for one, events in breach.of_step(breach.operand.step, any_deck=breach.operand.deck is not None).items():
        event = next((event for event in events if breach.befalls(event)), None)
        if event is not None and alter(event, breach.operand):
            yield one


def _rename(breach: EventBreach) -> Iterable[Round]:
    """One seat's stake, and all that is told of it, under another name."""
    old, new = breach.operand.wager, breach.operand.operand
    for one in breach.view.rounds:
        able = [seat for seat in one.seats if breach.seats is None or seat in breach.seats]
        able = [seat for seat in able if seat.on(old) and not seat.on(old, tip=True)]
        if able and breach.rng is not None:
            seat = breach.rng.choice(able)
            seat.stakes[new, False] = seat.stakes.pop((old, False))
            for event in one.events:
                if event.seat is seat and event.wager == old:
                    event.wager = new
            yield one


_BREAK: Mapping[str, Callable[[EventBreach], Iterable[Round]]] = {
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
