"""Lawful rounds of a poker room whose records omit kinds of events: nothing fails."""

from __future__ import annotations

import json
import random

import pytest

from tests.facade.results import Status
from tests.facade.simulation import Record, audit_log, simulate_records
from tests.simulate.test_poker_room import room, rulebook

KINDS = (
    *("award", "return", "rake", "drop", "chips-in", "chips-out", "leave", "arrive", "misdeal", "fault", "remedy"),
    *("reveal", "decide", "collect-cards", "shuffle", "cut"),
)


def with_less(record: Record, chance: random.Random) -> Record:
    """Return a record without some kinds of events, which it does not record; it may sum up the chips instead."""
    gone = set(chance.sample(KINDS, chance.randint(1, 8)))
    events = record["events"]
    won, back = (_by_seat(events, kind) for kind in ("award", "return"))
    moved = any(event["event"] in ("chips-in", "chips-out", "leave") for event in events)
    sums_won, sums_stacks = chance.random() < 0.6, chance.random() < 0.7 and not moved
    seats = []
    for seat in record["seats"]:
        number, put = seat["seat"], sum(wager["amount"] for wager in seat["wagers"])
        more = {"won": won.get(number, 0)} if sums_won else {}
        if sums_stacks and "stack" in seat:
            more["stack-after"] = seat["stack"] - put + won.get(number, 0) + back.get(number, 0)
        seats.append({**more, **seat})
    kept = [event for event in events if event["event"] not in gone]
    return {**record, "seats": seats, "events": kept, "unrecorded": sorted({*record.get("unrecorded", ()), *gone})}


def _by_seat(events: list[Record], kind: str) -> dict[int, int]:
    found: dict[int, int] = {}
    for event in events:
        if event["event"] == kind:
            found[event["seat"]] = found.get(event["seat"], 0) + event["amount"]
    return found


@pytest.mark.parametrize("seed", range(2))
def test_nothing_fails_for_what_is_not_recorded(seed: int) -> None:
    chance = random.Random(seed)
    prepared, simulation = room()
    records = [with_less(record, chance) for record in simulate_records(prepared, simulation, rounds=150, seed=seed)]
    log = "".join(json.dumps(record) + "\n" for record in records).encode()
    results = audit_log(rulebook(), log, simulation.submission)
    assert [finding for finding in results.findings if finding.status is Status.FAIL] == []
