"""The same rounds without some of the evidence, as in a log that records less."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.facade.records import copy_record

Event = dict[str, Any]


def _add_unrecorded(record: Event, *kinds: str) -> None:
    record["unrecorded"] = sorted({*record.get("unrecorded", ()), *kinds})


def _remove(record: Event, kind: str, place: str | None = None) -> None:
    record["events"] = [
        event for event in record["events"] if event["event"] != kind or (place is not None and event["place"] != place)
    ]
    _add_unrecorded(record, kind if place is None else f"{kind}/{place}")


def _some(record: Event, chance: random.Random, kind: str) -> list[Event]:
    found = [event for event in record["events"] if event["event"] == kind]
    share = chance.choice([0.1, 1.0])
    return [event for event in found if chance.random() < share]


def no_faces(record: Event, chance: random.Random) -> None:
    for event in _some(record, chance, "deal"):
        event.pop("face", None)


def no_amounts(record: Event, chance: random.Random) -> None:
    for event in _some(record, chance, "decide"):
        if event["amount"] == 0:  # the stakes of a seat would contradict others
            del event["amount"]


def hidden_cards(record: Event, chance: random.Random) -> None:
    """Hide the cards of a seat."""
    seat = chance.choice(record["seats"])
    for event in [*record["events"], seat]:
        if event.get("seat") == seat["seat"] and event.get("face") != "up" and "cards" in event:
            event["cards"] = "??" * (len(event["cards"]) // 2)
    record["events"] = [
        event for event in record["events"] if event["event"] != "reveal" or event["seat"] != seat["seat"]
    ]
    _add_unrecorded(record, "reveal")


def hidden_open_card(record: Event, chance: random.Random) -> None:
    """Hide the face of an open card."""
    at = chance.choice([event for event in record["events"] if event["event"] == "deal" and event["place"] == "player"])
    at["cards"] = "??" * (len(at["cards"]) // 2)
    for event in record["seats"]:
        event.pop("cards", None)
    _remove(record, "reveal")


def no_summary_cards(record: Event, chance: random.Random) -> None:
    for seat in record["seats"]:
        seat.pop("cards", None)


def no_stack(record: Event, chance: random.Random) -> None:
    chance.choice(record["seats"]).pop("stack", None)


def no_button(record: Event, chance: random.Random) -> None:
    record.pop("button", None)


def as_listed(record: Event, chance: random.Random) -> None:
    """List cards as hand histories do: all cards a seat is dealt between two acts in one place."""
    _add_unrecorded(record, "deal/order")


def no_burns(record: Event, chance: random.Random) -> None:
    _remove(record, "deal", "burn")


def no_deals(record: Event, chance: random.Random) -> None:
    _remove(record, "deal", "player")


def nothing_dealt(record: Event, chance: random.Random) -> None:
    no_deals(record, chance)
    no_summary_cards(record, chance)


def no_decisions(record: Event, chance: random.Random) -> None:
    _remove(record, "decide")
    _remove(record, "return")
    for seat in record["seats"]:
        seat["wagers"] = [wager for wager in seat["wagers"] if wager["wager"] == "ante"]


def no_wagers(record: Event, chance: random.Random) -> None:
    _remove(record, "wager")


def no_awards(record: Event, chance: random.Random) -> None:
    _remove(record, "award")


def no_returns(record: Event, chance: random.Random) -> None:
    _remove(record, "return")


def no_reveals(record: Event, chance: random.Random) -> None:
    _remove(record, "reveal")


def no_events(record: Event, chance: random.Random) -> None:
    del record["events"]
    del record["unrecorded"]


LESS: dict[str, Callable[[Event, random.Random], None]] = {
    no_face.__name__: no_face
    for no_face in (
        no_faces, no_amounts, hidden_cards, hidden_open_card, no_summary_cards, no_stack, no_button, as_listed,
        no_burns, no_deals, nothing_dealt, no_decisions, no_wagers, no_awards, no_returns, no_reveals, no_events,
    )
}  # fmt: skip


def withhold(record: Event, how: str, seed: int) -> Event:
    found = copy_record(record)
    LESS[how](found, random.Random(seed))
    return found
