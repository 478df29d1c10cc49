"""Faults in the order and the manner in which things happened: the round itself comes out as it should."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from validator.evidence.consistency.followed import DONE
from validator.rules.model.faults import Alter
from validator.simulate.faults.planting import Breach, Unfit, Way
from validator.simulate.procedure.steps import events_of_step
from validator.simulate.table.records import Event, Round, beside


def _of_step(breach: Breach, one: Round, step: str, *, any_deck: bool = False) -> list[Event]:
    """The events of a step in a round; those about another deck than the one in play are another round's, unless
    `any_deck` is asked for."""
    events = breach.view.of_step(step).get(one, [])
    return [event for event in events if any_deck or event.deck in (None, one.in_play)]


def _place(breach: Breach, one: Round, events: list[Event]) -> int:
    """Where among events of a round something is to happen beside a step. Raises Unfit where that is not among them."""
    at = beside(events, _of_step(breach, one, breach.operand.operand), after=breach.operand.operator == "after")
    if at is None:
        raise Unfit
    return at


def _due(breach: Breach) -> dict[Round, dict[Event, Round]]:
    """The events of the step that is left out, each with its own round, by the round for which it is done. That is its
    own where it is about the deck in play or names none; else the next one of the table in which the deck is in play,
    if one comes before the table opens anew or the rounds end."""
    rounds = breach.view.rounds
    found = defaultdict[Round, dict[Event, Round]](dict)
    place = {round_: at for at, round_ in enumerate(rounds)}
    for own, event in ((own, event) for own, events in breach.view.of_step(breach.operand).items() for event in events):
        due: Round | None = own
        if event.deck not in (None, own.in_play):
            later = (round_ for round_ in rounds[place[own] + 1 :] if round_.table == own.table)
            due = next((round_ for round_ in later if round_.in_play == event.deck), None)
        if due is own or (due is not None and (due.count or 0) > (own.count or 0)):
            found[due][event] = own
    return found


def _omit(breach: Breach, one: Round) -> None:
    due = breach.view.scope.once(("due", breach.operand), lambda: _due(breach)).get(one, {})
    for event in breach.befallen([*due]):
        due[event].events.remove(event)
    step = breach.house.prepared.steps[breach.operand]
    if "discard" in step.events and step.each == "round" and step.place in ("community", "dealer"):
        # What was not put aside was kept; a summary that said otherwise would contradict the events.
        one.hands_at(step.place)[0].aside = []


def _move(breach: Breach, one: Round) -> None:
    moved = _of_step(breach, one, breach.operand.step)
    staying = [event for event in one.events if event not in moved]
    at = _place(breach, one, staying)
    # What is done with cards comes after them and before they are gone, or the record would contradict itself.
    kept = [event for event in staying[:at] if event.kind in DONE and event.what != "discards"]
    used = {(event.seat, event.place) for event in kept}
    gone = {(event.seat, event.place) for event in kept if event.kind == "collect-cards"}
    barred = {"deal": used, "reveal": gone}
    moved = [event for event in moved if (event.seat, event.place) not in barred.get(event.kind, ())]
    staying = [event for event in one.events if event not in moved]
    at = _place(breach, one, staying)
    before, one.events = one.events, [*staying[:at], *moved, *staying[at:]]
    if before == one.events:
        raise Unfit


def _insert(breach: Breach, one: Round) -> None:
    step, at = breach.house.prepared.steps[breach.operand.step], _place(breach, one, one.events)
    view = breach.view
    everywhere = view.scope.once(("everywhere", step.step), lambda: events_of_step(view.house, view.rounds, step))
    event, *_ = breach.befallen(everywhere[one])
    one.events[at:at] = [replace(event) for _ in range(breach.operand.times)]


def _withdraw(breach: Breach, one: Round) -> None:
    """One seat's wager is told as larger by what is then taken back of it."""
    fault, at = breach.operand, _place(breach, one, one.events)
    wagers = [event for event in one.events if event.kind == "wager" and event.wager == fault.wager and not event.tip]
    wager = breach.one_of(breach.befallen(wagers))
    wager.amount = (wager.amount or 0) + fault.amount
    one.events.insert(at, replace(wager, kind="withdraw", means=None, amount=fault.amount))


def _expose(breach: Breach, one: Round) -> None:
    """The first card of one packet, which is not the last of the deal, comes to light: when the packet is dealt, or
    in the deck before that, where the step is one of cards that are set aside."""
    in_the_deck = breach.house.prepared.steps[breach.operand].place == "burn"
    packet = breach.one_of([event for event in one.events if event.kind == "deal" and event.place != "burn"][:-1])
    shown = replace(packet, kind="expose", face=None, by=None, cards=(packet.cards or [])[:1])
    if in_the_deck:
        shown = replace(shown, place="burn", seat=None)
    one.events.insert(one.events.index(packet) + (not in_the_deck), shown)


def _swap(breach: Breach, one: Round) -> None:
    """The first two seats of a step the other way round, and with it all that shares its turn."""
    events = _of_step(breach, one, breach.operand)
    seats = [*dict.fromkeys(event.seat for event in events if event.seat is not None)][:2]
    if len(seats) < 2:
        raise Unfit
    along = _with_their_turn(breach, one, events)
    at = [n for n, event in enumerate(one.events) if event in along and event.seat in seats]
    turned = sorted((one.events[n] for n in at), key=lambda event: event.seat is seats[0])
    for n, event in zip(at, turned, strict=True):
        one.events[n] = event


def _with_their_turn(breach: Breach, one: Round, found: list[Event]) -> list[Event]:
    """The events of a step (`found`) and of those that share its turn; of a step aside from the course, of all turns in
    which its events stand."""
    steps, turns = breach.house.prepared.steps, defaultdict[str, list[Event]](list)
    step = steps[breach.operand]
    for other in steps.values():
        if other.turn is not None and not other.aside and (step.aside or other.turn == step.turn):
            turns[other.turn] += breach.view.of_step(other.step).get(one, [])
    return sum((turn for turn in turns.values() if any(event in found for event in turn)), found)


def _alter(breach: Breach, one: Round) -> None:
    """The first event of a step told otherwise, where that makes a difference."""
    events = _of_step(breach, one, breach.operand.step, any_deck=breach.operand.deck is not None)
    event, *_ = breach.befallen(events)
    change = _change(event, breach.operand, one.in_play)
    if all(getattr(event, name) == value for name, value in change.items()):
        raise Unfit
    for name, value in change.items():
        setattr(event, name, value)


_FIELDS = {"in_": "means", "number": "amount", "spots": "positions"}
"""The fields of events that have other names in recipes, by those."""


def _change(event: Event, change: Alter, in_play: str | None) -> dict[str, Any]:
    """Return the fields of an event that are recorded otherwise; `in_play` is the deck of the round."""
    found: dict[str, Any] = {
        _FIELDS.get(name, name): value
        for name in ("face", "by", "in_", "place", "number", "pot", "what", "spots")
        if (value := getattr(change, name)) is not None
    }
    cards = event.cards or []
    ranks = [card >> 2 for card in cards]
    if change.cards == "reversed" and ranks != ranks[::-1]:  # which makes a difference where ranks do
        found["cards"] = cards[::-1]
    elif change.cards == "fewer" and len(cards) > 1:
        found["cards"] = cards[:-1]
    return found if change.deck is None else found | {"deck": in_play}


def _rename(breach: Breach, one: Round) -> None:
    """One seat's stake, and all that is told of it, under another name."""
    old, new = breach.operand.wager, breach.operand.operand
    seat = breach.one_seat(one, lambda seat: bool(seat.on(old)) and not seat.on(old, tip=True))
    seat.stakes[new, False] = seat.stakes.pop((old, False))
    for event in one.events:
        if event.seat is seat and event.wager == old:
            event.wager = new


EVENT_FAULTS: Mapping[str, Way] = {
    "omit": _omit,
    "move": _move,
    "insert": _insert,
    "withdraw": _withdraw,
    "expose": _expose,
    "swap": _swap,
    "alter": _alter,
    "stake": _rename,
}
"""What makes a fault in the events of rounds, which are told, by its operator."""
