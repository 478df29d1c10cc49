"""Mutants of the evidence: the changes, the findings, and the explanations in a list of freedoms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.facade.rules import list_games, load_regulation
from tools.evidence_mutants.changes import label_event, list_mutants
from tools.evidence_mutants.freedoms import Freedom, load_freedoms
from tools.evidence_mutants.run import run

GAME = "co-rule10-3card-shine"
EXPLAINED = {
    "caribbean-draw": 0.93,
    "co-rule10-3card-shine": 0.97,
    "co-rule10-flushes-gone-wild": 0.97,
    "poker-room": 0.92,
    "s38": 0.93,
}
"""Documents in which every mutant is found, or free by a clause, a reading or the form of a record.

The value is the least share of failing mutants that a single requirement finds.
"""
MOST = 70
"""Mutants of a document that are tried here; `make mutants` tries all of them, which takes long."""
RECORD: dict[str, Any] = {
    "round": "1",
    "seats": [{"seat": 1}, {"seat": 4}],
    "events": [
        {"event": "wager", "seat": 1, "wager": "ante", "amount": 500},
        {"event": "wager", "seat": 4, "wager": "ante", "amount": 500},
        {"event": "deal", "place": "dealer", "cards": "AsKd", "face": "down", "by": "dealer"},
    ],
}


def changed_to(name: str) -> list[list[dict[str, Any]]]:
    """Return the events of the record under a class of mutants."""
    return [mutant.record["events"] for mutant in list_mutants(RECORD, ["cut"]) if name in mutant.classes]


def test_an_event_is_named_by_its_kind_and_what_it_is_about() -> None:
    assert [label_event(event) for event in RECORD["events"]] == ["wager ante", "wager ante", "deal dealer"]


def test_an_event_is_dropped_doubled_and_altered() -> None:
    first, second, third = RECORD["events"]
    assert changed_to("dropped: deal dealer") == [[first, second]]
    assert changed_to("doubled: deal dealer") == [[first, second, third, third]]
    assert changed_to("face otherwise: deal dealer") == [[first, second, {**third, "face": "up"}]]
    assert [event[0]["seat"] for event in changed_to("seat otherwise: wager ante")] == [4, 1]
    assert changed_to("in otherwise: wager ante")[1] == [{**first, "in": "plaques"}, second, third]
    assert changed_to("tip otherwise: wager ante")[0] == [{**first, "tip": True}, second, third]
    assert [event[2]["cards"] for event in changed_to("a card fewer: deal dealer")] == ["Kd"]
    assert "dealer" not in [event[2]["by"] for event in changed_to("by otherwise: deal dealer")]


def test_an_event_is_moved_to_every_other_place() -> None:
    first, second, third = RECORD["events"]
    assert changed_to("deal dealer earlier than wager ante") == [[third, first, second], [first, third, second]]
    assert changed_to("wager ante later than deal dealer") == [[second, third, first], [first, third, second]]
    assert changed_to("wager ante later than wager ante (another seat)")[0] == [second, first, third]


def test_a_kind_that_the_game_does_not_know_is_put_in() -> None:
    assert [[event["event"] for event in events].index("cut") for events in changed_to("foreign: cut")] == [0, 1, 3]


def test_what_is_free_is_told_from_what_is_unexplained() -> None:
    found = run(GAME, most=60, free=[])
    assert found.count("free") == 0 and found.unexplained
    freedom = Freedom(document=GAME, clauses=["(2)"], why="Everything is free here.", classes=["*", "never met"])
    again = run(GAME, most=60, free=[freedom])
    assert again.count("free") == found.count("unexplained") and not again.unexplained
    assert again.stale == ("never met",)
    assert again.tried == found.tried


@pytest.mark.parametrize("document", EXPLAINED)
def test_every_mutant_is_explained(document: str) -> None:
    report = run(document, most=MOST)
    assert not report.unexplained
    assert report.found_once >= EXPLAINED[document]


@pytest.mark.parametrize("document", sorted(list_games()))
def test_a_freedom_names_clauses_and_readings(document: str) -> None:
    regulation = load_regulation(document)
    known = {*regulation.readings, *(clause.clause for clause in regulation.document.clauses)}
    assert [name for freedom in load_freedoms(document) for name in freedom.clauses if name not in known] == []
