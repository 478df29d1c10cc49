"""Hands of poker explained: nothing that the record holds is lost, whatever its order."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fairdeal.validator.audit.round_explanation import RoundExplanation
from tests.facade.evidence import Batch, decode_records
from tests.facade.rounds import explain_round
from tests.facade.rules import Rulebook, rules_folder
from tests.facade.submissions import AuditContext

Record = dict[str, Any]

DOCUMENT = "poker-room"
LINES = (rules_folder() / DOCUMENT / "demo" / "hand-log.jsonl").read_text("utf-8").splitlines()
ROUNDS: dict[str, Record] = {line["round"]: line for line in map(json.loads, LINES[:-1])}


@pytest.fixture(scope="module")
def court() -> AuditContext:
    return AuditContext(rulebook=Rulebook(), submissions=[], as_of=None)


def read_round(record: Record) -> Batch | None:
    """Read a round; return None if it contradicts itself, as cards shown before they were dealt do."""
    batches, _ = decode_records([record], file="log", games=[DOCUMENT])
    return batches[0] if batches else None


def explain(court: AuditContext, record: Record) -> RoundExplanation:
    batch = read_round(record)
    assert batch is not None
    return explain_round(court, batch)


def summarize_events(record: Record, events: list[Record]) -> Record:
    """Return a round of these events, with a summary that says no more than they do."""
    seats = []
    for seat in record["seats"]:
        put: dict[str, int] = {}
        for event in events:
            if event.get("seat") == seat["seat"] and event["event"] in {"wager", "decide"} and event.get("amount"):
                line = event.get("wager", "bets")
                put[line] = put.get(line, 0) + event["amount"]
        wagers = [{"wager": line, "amount": amount} for line, amount in put.items()]
        seats.append({"seat": seat["seat"], "stack": seat["stack"], "wagers": wagers})
    return {key: value for key, value in record.items() if key != "community"} | {"seats": seats, "events": events}


def lines(tale: RoundExplanation, title: str) -> list[str]:
    return [line for chapter in tale.chapters if chapter.title == title for line in chapter.lines]


@settings(max_examples=30)
@given(
    st.sampled_from(sorted(ROUNDS)),
    st.none() | st.randoms(use_true_random=False),
    st.integers(0, 50),
    st.lists(st.sampled_from(["deal", "decide", "wager", "award", "misdeal"]), unique=True),
)
def test_every_event_is_told_once_and_in_its_order(
    court: AuditContext, name: str, shuffling: Random | None, many: int, unrecorded: list[str]
) -> None:
    record = ROUNDS[name]
    events = list(record["events"])
    if shuffling is not None:
        shuffling.shuffle(events)
    events = events[:many]
    batch = read_round({**summarize_events(record, events), "unrecorded": unrecorded})
    assume(batch is not None)
    assert batch is not None
    tale = explain_round(court, batch)
    numbers = [int(found[1]) for part in tale.chapters for line in part.lines if (found := re.match(r"(\d+)\. ", line))]
    assert numbers == list(range(1, len(events) + 1))


def test_a_betting_round_begins_with_the_cards_that_it_follows(court: AuditContext) -> None:
    tale = explain(court, ROUNDS["P1-02"])
    assert [chapter.title for chapter in tale.chapters if "etting" in chapter.title] == [
        "Before the betting",
        "Betting before the flop",
        "Betting on the flop",
        "Betting on the turn",
        "Betting on the river",
    ]
    first, second = lines(tale, "Betting on the flop")[:2]
    assert first.endswith("deal, flop, the burn, ??, face down, by the dealer")
    assert second.endswith("deal, flop, the community, A♦ 9♥ 4♣, face up, by the dealer")


def test_what_the_record_leaves_open_is_not_told_as_known(court: AuditContext) -> None:
    record = ROUNDS["P1-02"]
    events = [dict(event) for event in record["events"]]
    del next(event for event in events if event["event"] == "decide")["amount"]
    tale = explain(court, {**record, "events": events})
    before_the_flop = lines(tale, "Betting before the flop")
    assert before_the_flop[1] == "13. seat 4: call (2.00 to call)"
    assert before_the_flop[-1] == "the pot at this point is not fully recorded"
    assert lines(tale, "Betting on the flop")[2] == "the amounts put in so far are not fully recorded"
    assert lines(tale, "Pots") == [
        "the amounts put in by the seats, and which seats may win them, are not fully recorded"
    ]


def test_without_a_button_nobody_is_told_to_be_due(court: AuditContext) -> None:
    tale = explain(court, {key: value for key, value in ROUNDS["P1-02"].items() if key != "button"})
    assert lines(tale, "Betting before the flop")[0] == "4 players left, 3.00 in the pot; whose turn it is: unknown"
    assert "out of turn" not in str(tale.chapters)


def test_what_is_not_as_due_is_marked(court: AuditContext) -> None:
    pots = lines(explain(court, ROUNDS["P2-04"]), "Pots")
    assert [line for line in pots if line.endswith("WRONG")] == [
        "uncalled bet: seat 3 should get back 50.00; returned: 0.00 - WRONG",
        "seat 2 should receive between 56.00 and 60.00 of the side pot (pair of kings, kickers jack, nine, seven); "
        "received 110.00 - WRONG",
    ]
    wrong = lines(explain(court, ROUNDS["P1-12"]), "Pots")
    assert sum(line.endswith("WRONG") for line in wrong) == 2
