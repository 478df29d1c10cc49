"""Random choice of what a log keeps of a round: all of it, a summary, some kinds of event, or its beginning."""

from __future__ import annotations

import random
from collections.abc import Sequence

from tests.facade.records import copy_record
from tests.lawful.record import (
    Record,
    Round,
    drop_all_events,
    drop_events,
    drop_keys,
    hide_cards,
    shuffle_deck,
)

KINDS = (
    *(
        "shuffle",
        "cut",
        "wager",
        "withdraw",
        "decide",
        "collect",
        "pay",
        "return",
        "tuck",
        "arrive",
        "leave",
        "announce",
    ),
    *("device", "deck", "fault", "remedy", "count", "deal", "deal/player", "deal/dealer", "deal/community", "reveal"),
    *("reveal/dealer", "reveal/community", "discard", "discard/community", "discard/deck", "misdeal", "misdeal/player"),
    *("expose", "turn-down", "collect-cards", "collect-cards/player", "collect-cards/dealer"),
)
KEYS = (
    *("dealer", "community", "community-discarded", "number", "deck", "meters", "seat/player"),
    *("seat/cards", "seat/decision", "event/by", "event/face", "event/in", "wager/paid", "wager/taken"),
)


def hide_deal_order(rng: random.Random, record: Record) -> Record:
    """Return a record that lists dealt cards in packets of any order, if nothing happened between the deals."""
    copy = copy_record(record)
    events = copy.get("events", [])
    places = [index for index, event in enumerate(events) if event["event"] == "deal"]
    if not places or places[-1] - places[0] != len(places) - 1:
        return copy
    packets: dict[tuple[str, int | None], Record] = {}
    for event in events[places[0] : places[-1] + 1]:
        key = (event["place"], event.get("seat"))
        if key in packets:
            packets[key]["cards"] += event["cards"]
        else:
            packets[key] = event
    order = list(packets.values())
    rng.shuffle(order)
    copy["events"] = [*events[: places[0]], *order, *events[places[-1] + 1 :]]
    copy["unrecorded"] = sorted({*copy.get("unrecorded", ()), "deal/order"})
    return copy


def project(rng: random.Random, round_: Round, kinds: Sequence[str] = KINDS, keys: Sequence[str] = KEYS) -> Record:
    """Return what one log keeps of a round: mostly everything."""
    mode = rng.random()
    if mode < 0.10:
        record = round_.record(stop=rng.randrange(1, len(round_.events) + 1))
    elif mode < 0.18:
        record = drop_all_events(round_.record(outcomes="net"))
    else:
        dropped = rng.sample(kinds, rng.choice([1, 1, 2, 4])) if rng.random() < 0.15 else []
        outcomes = rng.choice(["gross", "gross", "net"]) if rng.random() < 0.9 else "none"
        if "return" in dropped and outcomes == "gross":
            outcomes = "net"  # nothing else then records what was put back
        record = round_.record(outcomes=outcomes)
        if dropped:
            record = drop_events(record, dropped)
        elif rng.random() < 0.05:
            record = hide_deal_order(rng, record)
        if rng.random() < 0.05:
            record["complete"] = True
    if rng.random() < 0.08:
        share = rng.choice([0.1, 0.5, 1.0])
        hidden = {card for card in shuffle_deck(rng) if rng.random() < share}
        record = hide_cards(record, hidden.__contains__)
    if rng.random() < 0.2:
        record = drop_keys(record, rng.sample(keys, rng.choice([1, 1, 2, 4])))
    if rng.random() < 0.05:
        rng.shuffle(record["seats"])
    return record
