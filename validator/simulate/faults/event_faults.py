"""Faults in the order and manner of events, with a correct result of the round."""

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


def _find_step_events(breach: Breach, round_: Round, step: str, *, any_deck: bool = False) -> list[Event]:
    """Return the events of a step in a round. Events about another deck belong to another round, unless `any_deck`."""
    events = breach.view.of_step(step).get(round_, [])
    return [event for event in events if any_deck or event.deck in (None, round_.in_play)]


def _find_place(breach: Breach, round_: Round, events: list[Event]) -> int:
    """Return the index among events of a round before or after a step. Raises `UnfitRound` if the step is not there."""
    at = beside(
        events, _find_step_events(breach, round_, breach.operand.operand), after=breach.operand.operator == "after"
    )
    if at is None:
        raise Unfit
    return at


def _find_postponed_events(breach: Breach) -> dict[Round, dict[Event, Round]]:
    """Return the events of the step that is left out, each with its own round, by the round that needs them.

    An event about the deck in play, or no deck, is for its own round. Otherwise it is for the next round of the table
    with that deck, before the table opens anew.
    """
    rounds = breach.view.rounds
    by_round = defaultdict[Round, dict[Event, Round]](dict)
    place = {round_: at for at, round_ in enumerate(rounds)}
    for own, event in ((own, event) for own, events in breach.view.of_step(breach.operand).items() for event in events):
        due: Round | None = own
        if event.deck not in (None, own.in_play):
            later = (round_ for round_ in rounds[place[own] + 1 :] if round_.table == own.table)
            due = next((round_ for round_ in later if round_.in_play == event.deck), None)
        if due is own or (due is not None and (due.count or 0) > (own.count or 0)):
            by_round[due][event] = own
    return by_round


def _omit(breach: Breach, round_: Round) -> None:
    due = breach.view.scope.once(("due", breach.operand), lambda: _find_postponed_events(breach)).get(round_, {})
    for event in breach.befallen([*due]):
        due[event].events.remove(event)
    step = breach.house.prepared.steps[breach.operand]
    if "discard" in step.events and step.each == "round" and step.place in ("community", "dealer"):
        # Cards that were not discarded were kept; the summary must agree with the events.
        round_.hands_at(step.place)[0].aside = []


def _move(breach: Breach, round_: Round) -> None:
    moved = _find_step_events(breach, round_, breach.operand.step)
    staying = [event for event in round_.events if event not in moved]
    at = _find_place(breach, round_, staying)
    # Events of cards need the cards on the table, otherwise the record contradicts itself.
    kept = [event for event in staying[:at] if event.kind in DONE and event.what != "discards"]
    touched = {(event.seat, event.place) for event in kept}
    collected = {(event.seat, event.place) for event in kept if event.kind == "collect-cards"}
    barred = {"deal": touched, "reveal": collected}
    moved = [event for event in moved if (event.seat, event.place) not in barred.get(event.kind, ())]
    staying = [event for event in round_.events if event not in moved]
    at = _find_place(breach, round_, staying)
    before, round_.events = round_.events, [*staying[:at], *moved, *staying[at:]]
    if before == round_.events:
        raise Unfit


def _insert(breach: Breach, round_: Round) -> None:
    step, at = breach.house.prepared.steps[breach.operand.step], _find_place(breach, round_, round_.events)
    view = breach.view
    everywhere = view.scope.once(("everywhere", step.step), lambda: events_of_step(view.house, view.rounds, step))
    event, *_ = breach.befallen(everywhere[round_])
    round_.events[at:at] = [replace(event) for _ in range(breach.operand.times)]


def _withdraw(breach: Breach, round_: Round) -> None:
    """Raise one seat's recorded wager by an amount that is then withdrawn."""
    fault, at = breach.operand, _find_place(breach, round_, round_.events)
    wagers = [
        event for event in round_.events if event.kind == "wager" and event.wager == fault.wager and not event.tip
    ]
    wager = breach.one_of(breach.befallen(wagers))
    wager.amount = (wager.amount or 0) + fault.amount
    round_.events.insert(at, replace(wager, kind="withdraw", means=None, amount=fault.amount))


def _expose(breach: Breach, round_: Round) -> None:
    """Expose the first card of one packet: when it is dealt, or in the deck before, for a step on cards that are set
    aside.

    The last packet of the deal is not chosen.
    """
    in_the_deck = breach.house.prepared.steps[breach.operand].place == "burn"
    packet = breach.one_of([event for event in round_.events if event.kind == "deal" and event.place != "burn"][:-1])
    shown = replace(packet, kind="expose", face=None, by=None, cards=(packet.cards or [])[:1])
    if in_the_deck:
        shown = replace(shown, place="burn", seat=None)
    round_.events.insert(round_.events.index(packet) + (not in_the_deck), shown)


def _swap(breach: Breach, round_: Round) -> None:
    """Exchange the first two seats of a step, with all events that share its turn."""
    events = _find_step_events(breach, round_, breach.operand)
    seats = [*dict.fromkeys(event.seat for event in events if event.seat is not None)][:2]
    if len(seats) < 2:
        raise Unfit
    along = _find_shared_turns(breach, round_, events)
    at = [n for n, event in enumerate(round_.events) if event in along and event.seat in seats]
    turned = sorted((round_.events[n] for n in at), key=lambda event: event.seat is seats[0])
    for n, event in zip(at, turned, strict=True):
        round_.events[n] = event


def _find_shared_turns(breach: Breach, round_: Round, events: list[Event]) -> list[Event]:
    """Return the events of a step and of steps that share its turn; for a separate step, all turns with its events."""
    steps, turns = breach.house.prepared.steps, defaultdict[str, list[Event]](list)
    step = steps[breach.operand]
    for other in steps.values():
        if other.turn is not None and not other.aside and (step.aside or other.turn == step.turn):
            turns[other.turn] += breach.view.of_step(other.step).get(round_, [])
    return sum((turn for turn in turns.values() if any(event in events for event in turn)), events)


def _alter(breach: Breach, round_: Round) -> None:
    """Change fields of the first event of a step, if that makes a difference."""
    events = _find_step_events(breach, round_, breach.operand.step, any_deck=breach.operand.deck is not None)
    event, *_ = breach.befallen(events)
    change = _find_changes(event, breach.operand, round_.in_play)
    if all(getattr(event, name) == value for name, value in change.items()):
        raise Unfit
    for name, value in change.items():
        setattr(event, name, value)


_FIELDS = {"in_": "means", "number": "amount", "spots": "positions"}
"""Fields of events by their names in faults, where these differ."""


def _find_changes(event: Event, change: Alter, in_play: str | None) -> dict[str, Any]:
    """Return the fields of an event that change; `in_play` is the deck of the round."""
    fields: dict[str, Any] = {
        _FIELDS.get(name, name): value
        for name in ("face", "by", "in_", "place", "number", "pot", "what", "spots")
        if (value := getattr(change, name)) is not None
    }
    cards = event.cards or []
    ranks = [card >> 2 for card in cards]
    if change.cards == "reversed" and ranks != ranks[::-1]:  # no difference if the ranks are symmetric
        fields["cards"] = cards[::-1]
    elif change.cards == "fewer" and len(cards) > 1:
        fields["cards"] = cards[:-1]
    return fields if change.deck is None else fields | {"deck": in_play}


def _rename(breach: Breach, round_: Round) -> None:
    """Record one seat's stake, and all its events, under another name."""
    old, new = breach.operand.wager, breach.operand.operand
    seat = breach.one_seat(round_, lambda seat: bool(seat.on(old)) and not seat.on(old, tip=True))
    seat.stakes[new, False] = seat.stakes.pop((old, False))
    for event in round_.events:
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
"""Functions that plant a fault in recorded events, by operator."""
