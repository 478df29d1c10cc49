"""Sound hands of a poker room with one thing changed: an event left out, doubled, swapped, or with another value."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime

from tests.lawful.poker_room import House, Table, submit
from tests.lawful.record import DECK, Clock, Event, Record, Round, Submission, join_cards, split_cards

Change = Callable[[random.Random, Round], bool]
DECISIONS = ("fold", "check", "call", "bet", "raise")


@dataclass
class Changed:
    """A record of a hand in which one thing was changed, and what kind of change it was."""

    change: str
    record: Record


def leave_out(rng: random.Random, round_: Round) -> bool:
    del round_.events[rng.randrange(len(round_.events))]
    return True


def double(rng: random.Random, round_: Round) -> bool:
    place = rng.randrange(len(round_.events))
    round_.events.insert(place, deepcopy(round_.events[place]))
    return True


def swap(rng: random.Random, round_: Round) -> bool:
    first, second = rng.sample(range(len(round_.events)), 2)
    if rng.random() < 0.6:
        second = first - 1 if first else 1
    events = round_.events
    events[first], events[second] = events[second], events[first]
    return events[first] != events[second]


def _any(rng: random.Random, round_: Round, key: str) -> Event | None:
    fitting = [event for event in round_.events if event.get(key) and "?" not in str(event[key])]
    return rng.choice(fitting) if fitting else None


def change_amount(rng: random.Random, round_: Round) -> bool:
    event = _any(rng, round_, "amount")
    if event is None:
        return False
    more = rng.choice([-200, -100, -50, 100, 200, 1000])
    event["amount"] += more if event["amount"] + more > 0 else abs(more)
    return True


def change_seat(rng: random.Random, round_: Round) -> bool:
    event = _any(rng, round_, "seat")
    others = [seat for seat in round_.seats if event is not None and seat != event["seat"]]
    if event is None or not others:
        return False
    event["seat"] = rng.choice(others)
    return True


def change_card(rng: random.Random, round_: Round) -> bool:
    event = _any(rng, round_, "cards")
    if event is None:
        return False
    cards = split_cards(event["cards"])
    place = rng.randrange(len(cards))
    cards[place] = rng.choice([card for card in DECK if card != cards[place]])
    event["cards"] = join_cards(cards)
    return True


def change_decision(rng: random.Random, round_: Round) -> bool:
    event = _any(rng, round_, "decision")
    if event is None:
        return False
    event["decision"] = rng.choice([word for word in DECISIONS if word != event["decision"]])
    return True


CHANGES: tuple[Change, ...] = (leave_out, double, swap, change_amount, change_seat, change_card, change_decision)


def write(seed: int, count: int) -> tuple[list[Changed], Submission]:
    """Return hands with one change each, all of them at tables of their own, and the submission of their room."""
    rng = random.Random(seed)
    house = House("Room 1", ("P1",))
    found: list[Changed] = []
    while len(found) < count:
        table = Table(house, "P1", Clock(datetime(2026, 3, 1, 10, tzinfo=UTC)), is_numbered=False)
        for number in range(4):
            round_ = table.play(rng, f"C{len(found)}", is_plain=rng.random() < 0.8)
            change = CHANGES[len(found) % len(CHANGES)]
            if number and change(rng, round_):
                found.append(Changed(change.__name__, round_.record() | {"table": f"T{len(found)}"}))
    return found[:count], submit(house)
