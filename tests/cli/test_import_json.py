"""JSON objects with bettors and bets become hand logs by a map of JSON Pointers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run
from tests.facade.rules import rules_folder

TEMPLATES = rules_folder() / "templates"
DEMO = TEMPLATES / "punto-banco" / "demo"
MAP = DEMO / "live-dealer-map.json"
OBJECTS = [json.loads(line) for line in (DEMO / "live-dealer.jsonl").read_text("utf-8").splitlines()]


def _import(folder: Path, text: str, map_: Path = MAP) -> tuple[list[dict[str, Any]], str, int]:
    (folder / "rounds.json").write_text(text, "utf-8")
    log = folder / "log.jsonl"
    made = run("import", folder / "rounds.json", "--map", map_, "-o", log, "--rules", TEMPLATES)
    records = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    return records, made.err, made.code


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, OBJECTS)),
        json.dumps(OBJECTS),
        json.dumps(OBJECTS, indent=2),
        "﻿" + "\n\n".join(json.dumps(entry, indent=4) for entry in OBJECTS),
    ],
)
def test_objects_become_rounds(tmp_path: Path, text: str) -> None:
    records, messages, code = _import(tmp_path, text)
    assert code == 0, messages
    first, second = records
    assert (first["community"], first["dealer"], first["currency"]) == ("9h7d", "Ks8c", "EUR")
    assert first["seats"][0]["wagers"] == [
        {"wager": "banker", "amount": 2000, "paid": 1900, "taken": 0},
        {"wager": "tie", "amount": 500, "paid": 0, "taken": 500},
    ]
    assert first["seats"][1]["wagers"] == [{"wager": "player", "amount": 1050, "paid": 0, "taken": 1050}]
    assert second["context"] == {"dealer": "Ida"}


def test_the_shipped_rounds_are_judged(tmp_path: Path) -> None:
    _import(tmp_path, json.dumps(OBJECTS))
    results = run("audit", tmp_path / "log.jsonl", "--rules", TEMPLATES, "-o", "json", "-q").results
    failures = [finding for finding in results["findings"] if finding["status"] == "fail"]
    assert [(finding["where"]["round"], finding["requirement"]) for finding in failures] == [
        ("pb-2", "punto-banco/player-settled")
    ]


def test_stakes_on_one_bet_add_up(tmp_path: Path) -> None:
    changed = json.loads(json.dumps(OBJECTS[1]))
    changed["participants"][0]["bets"] *= 3
    records, _, _ = _import(tmp_path, json.dumps(changed))
    assert records[0]["seats"][0]["wagers"] == [{"wager": "player", "amount": 6000, "paid": 0, "taken": 0}]


def test_a_round_without_bets_is_a_round(tmp_path: Path) -> None:
    records, messages, _ = _import(tmp_path, json.dumps({**OBJECTS[0], "participants": []}))
    assert records[0]["seats"] == [], messages


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        ('{"gameId": "x", ', "the record ends too early"),
        ('{"gameId": NaN}', "this is not JSON"),
        (json.dumps({**OBJECTS[0], "gameId": "x", "startedAt": "soon"}), "`soon` is not a time"),
        (json.dumps(OBJECTS[0]).replace("20,", '"many",').replace("pb-1", "x"), "`many` is not an amount"),
        (json.dumps(OBJECTS[0]).replace("BAC_Tie", "BAC_Dragon").replace("pb-1", "x"), "no wager `BAC_Dragon`"),
    ],
)
def test_a_broken_object_is_left_out_between_others(tmp_path: Path, broken: str, message: str) -> None:
    first, second = map(json.dumps, OBJECTS)
    records, messages, code = _import(tmp_path, f"{first}\n\n{broken}\n\n{second}\n")
    assert ([record["round"] for record in records], code) == (["pb-1", "pb-2"], 3), messages
    assert message in messages


def test_a_value_that_the_map_does_not_name_is_an_error(tmp_path: Path) -> None:
    changed = json.loads(json.dumps(OBJECTS[0]))
    changed["participants"][0]["bets"][0]["tip"] = 1
    records, messages, code = _import(tmp_path, json.dumps(changed))
    assert (records, code) == ([], 3)
    assert "the map does not name the value `/participants/*/bets/*/tip`" in messages


def test_a_map_is_guessed_from_the_first_objects(tmp_path: Path) -> None:
    made = run("import", DEMO / "live-dealer.jsonl", "--game", "punto-banco", "--rules", TEMPLATES)
    assert "rows: wager" in made.text
    assert '"/participants/*/seat": {into: seat}' in made.text
    assert '- "/participants/*/bets/*/payout" # 39.0, 0, 0' in made.text


def test_a_row_of_a_table_may_be_a_wager_too(tmp_path: Path) -> None:
    table, map_ = tmp_path / "t.csv", tmp_path / "map.json"
    columns = {"Round": "round", "Time": "time", "Box": "seat", "Bet": "wager", "Stake": "amount", "Back": "returned"}
    with table.open("w", newline="") as stream:
        csv.writer(stream).writerows(
            [[*columns], ["7", "2026-03-02T20:00:05Z", "2", "tie", "$1,000", "$9,000"]],
        )
    uses = {heading: {"into": key} for heading, key in columns.items()}
    map_.write_text(json.dumps({"game": "punto-banco", "rows": "wager", "table": "T", "columns": uses}))
    records, messages, _ = _import(tmp_path, table.read_text(), map_)
    assert records[0]["seats"][0]["wagers"] == [{"wager": "tie", "amount": 100_000, "paid": 800_000, "taken": 0}], (
        messages
    )
