"""Win on a wager whose decisions take cards: what decisions cost, honest tables, and tables that break the rules."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from fairdeal.validator.rules.rule_files import list_templates, rules_folder
from tests.facade.commands import run
from tools.hold_calibration import shoe_rounds as shoe
from tools.hold_calibration.shoe_rounds import GAME

UNRECORDED = ["deal", "wager", "pay", "collect", "return"]
MADE = {
    # A hand of the box, the dealer's cards, the decisions of each hand, and what the decisions cost a unit.
    "stands on 16": (["Ts6h"], "Th7d", {1: ["stand"]}, 0.041),
    "gives up 16": (["Ts6h"], "Th7d", {1: ["surrender"]}, 0.0),
    "hides a card": (["Ts6h"], "Th??", {1: ["stand"]}, 0.041),
    "hits 20": (["TsTh5d"], "6h7dTc", {1: ["hit"]}, 1.54),
    "keeps aces": (["AsAh8d"], "6h7dTc", {1: ["hit", "stand"]}, 0.48),
    "splits tens": (["TsThTc", "Td"], "6h7dTc", {1: ["split", "stand"], 8: ["stand"]}, 0.14),
    "splits eights": (["8s8hTc", "Td"], "6h7dTc", {1: ["split", "stand"], 8: ["stand"]}, 0.0),
    "splits eights once": (["8s8h8c", "Td"], "6h7dTc", {1: ["split", "stand"], 8: ["stand"]}, 0.5),
}


def write_round(name: str) -> dict[str, Any]:
    """Return a round at a table of its own."""
    hands, dealer, decisions, _ = MADE[name]
    seats: list[dict[str, Any]] = [
        {"seat": seat, "cards": cards, "wagers": [{"wager": "main", "amount": 1000, "paid": 0, "taken": 0}]}
        for seat, cards in zip((1, 8), hands, strict=False)
    ]
    events = [
        {"event": "decide", "seat": seat, "decision": decision} for seat, made in decisions.items() for decision in made
    ]
    if len(hands) > 1:
        seats[1]["split-of"] = 1
        events.insert(1, {"event": "split", "seat": 1, "to": 8})
    found = {"round": name, "casino": shoe.CASINO, "table": name, "time": "2026-03-02T12:00:00Z", "game": GAME}
    return found | {"seats": seats, "dealer": dealer, "events": events, "unrecorded": UNRECORDED}


def write_months() -> Iterator[dict[str, Any]]:
    """Yield rounds of honest tables and of tables that break the rules."""
    yield from map(write_round, MADE)
    yield from shoe.rounds(2000, 1, table="mixed")
    yield from shoe.rounds(1200, 2, table="skilled", policies=[shoe.play_basic])
    yield from shoe.rounds(2400, 3, table="no naturals", house=shoe.TableHabits(natural_pays=0.0))
    for record in shoe.rounds(400, 4, table="silent"):
        record["events"] = [event for event in record["events"] if event["event"] == "split"]
        yield record | {"unrecorded": [*UNRECORDED, "decide"]}


@pytest.fixture(scope="module")
def holds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Return the hold of Main by table."""
    folder = tmp_path_factory.mktemp("taken")
    shutil.copytree(list_templates()[GAME], folder / "rules" / GAME)
    shutil.copy(rules_folder() / "rulebook.yaml", folder / "rules")
    stated = yaml.safe_load((list_templates()[GAME] / "simulation.yaml").read_text("utf-8"))["submission"]
    del stated["tables"]
    (folder / "house.yaml").write_text(yaml.safe_dump(stated), "utf-8")
    lines = [json.dumps(record) for record in write_months()]
    (folder / "log.jsonl").write_text("\n".join(lines), "utf-8")
    given = ("--rules", folder / "rules", "-s", folder / "house.yaml")
    # One process: each would weigh all hands and splits anew.
    found = run("hold", folder / "log.jsonl", *given, "-j", "1", "-o", "json", "-q").results["statistics"]["hold"]
    return {row["table"]: row for row in found if row["by"] == "table" and row["wager"] == "main"}


@pytest.mark.parametrize("name", MADE)
def test_decisions_cost_what_is_published(holds: dict[str, dict[str, Any]], name: str) -> None:
    row = holds[name]
    assert (row["stakes"], row["handle"], row["left-out"]) == (1, 1000, 0)
    assert row["given-away"] / 1000 == pytest.approx(MADE[name][3], abs=0.03)
    assert row["why"] == "fewer than 100 rounds, too few for a test"


@pytest.mark.parametrize(("name", "low", "high"), [("mixed", 0.02, 0.12), ("skilled", 0.0, 0.002)])
def test_honest_tables_win_what_they_should(
    holds: dict[str, dict[str, Any]], name: str, low: float, high: float
) -> None:
    row = holds[name]
    assert low < row["given-away"] / row["handle"] < high
    assert row["interval"][0] < row["win"] < row["interval"][1]
    assert row["p"] > 0.05
    assert not row["outside"]


def test_a_table_that_pays_no_naturals_is_found(holds: dict[str, dict[str, Any]]) -> None:
    row = holds["no naturals"]
    assert row["win"] > row["interval"][1]
    assert row["p"] < 0.001
    assert row["stands-out"]


def test_without_decisions_a_win_is_never_too_large(holds: dict[str, dict[str, Any]]) -> None:
    row = holds["silent"]
    assert row["given-away"] is None
    assert row["interval"][1] == row["at-risk"]
    assert row["p"] > 0.5
