"""Motions at a table that no text fixes: in parts, twice, one by one, or by mistake and corrected at once."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.lawful.record import Event, Round, join_cards, split_amount, split_cards

Motion = Callable[[random.Random, Round, Event], list[Event] | None]


def pay_in_parts(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Split a payment or a collection in two; an award of a jackpot is paid at once."""
    if event["event"] not in {"pay", "collect"} or event["wager"] == "progressive" or event["amount"] < 2:
        return None
    return [event | {"amount": part} for part in split_amount(rng, event["amount"], 2)]


def take_by_mistake(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Take a winning stake by mistake and put it back before it is paid."""
    if event["event"] != "pay" or event["wager"] == "progressive":
        return None
    stake = round_.stakes()[event["seat"], event["wager"], bool(event.get("tip"))].amount
    taken = event | {"event": "collect", "amount": stake}
    return [taken, taken | {"event": "return"}, event]


def hand_back_the_stake(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Record that the stake of a winner goes back to the player."""
    if event["event"] != "pay" or event["wager"] == "progressive":
        return None
    key = (event["seat"], event["wager"], bool(event.get("tip")))
    if any(e["event"] in {"return", "collect"} and _line(e) == key for e in round_.events):
        return None
    return [event, event | {"event": "return", "amount": round_.stakes()[key].amount}]


def _line(event: Event) -> tuple[int, str, bool]:
    return event["seat"], event["wager"], bool(event.get("tip"))


def show_one_by_one(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Turn up the cards of a hand one by one."""
    if event["event"] != "reveal" or len(event["cards"]) < 4:
        return None
    return [event | {"cards": card} for card in split_cards(event["cards"])]


def show_twice(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    return [event, dict(event)] if event["event"] == "reveal" else None


def take_up_in_two_motions(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Take up cards in two motions."""
    if event["event"] != "collect-cards" or len(event.get("cards") or "") < 4:
        return None
    cards = split_cards(event["cards"])
    cut = rng.randrange(1, len(cards))
    return [event | {"cards": join_cards(lot)} for lot in (cards[:cut], cards[cut:])]


def put_down_one_by_one(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Put discards down one by one."""
    if event["event"] != "discard" or len(event.get("cards") or "") < 4:
        return None
    return [event | {"cards": card} for card in split_cards(event["cards"])]


def say_twice(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Say a decision, or that no more bets are taken, once more."""
    is_said = event["event"] == "decide" or event.get("what") == "no-more-bets"
    return [event, dict(event)] if is_said else None


def wager_in_parts(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Place a wager in two motions; Bonus and token are one chip."""
    if event["event"] != "wager" or event["wager"] not in {"ante", "bet"} or event["amount"] < 2:
        return None
    return [event | {"amount": part} for part in split_amount(rng, event["amount"], 2)]


def note_something_else(rng: random.Random, round_: Round, event: Event) -> list[Event] | None:
    """Add a note of the licensee's own to any act."""
    if event["event"] in {"expose", "fault"}:
        return None
    note = (
        {"event": "device", "what": "camera-on"} if rng.random() < 0.5 else {"event": "announce", "what": "good luck"}
    )
    return [event, note]


MOTIONS: tuple[Motion, ...] = (
    pay_in_parts,
    take_by_mistake,
    hand_back_the_stake,
    show_one_by_one,
    show_twice,
    take_up_in_two_motions,
    put_down_one_by_one,
    say_twice,
    wager_in_parts,
    note_something_else,
)


def vary(rng: random.Random, round_: Round, motions: tuple[Motion, ...] = MOTIONS) -> None:
    """Replace one act of a round by another motion to the same end, where it has an act of the kind."""
    motion = rng.choice(motions)
    found = [(index, varied) for index, event in enumerate(round_.events) if (varied := motion(rng, round_, event))]
    if found:
        index, events = rng.choice(found)
        round_.events[index : index + 1] = events
