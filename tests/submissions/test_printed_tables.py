"""A pay table of a submission may name the printed one it copies: it is then judged by the rows of that table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run

GAME = "co-rule10-3card-shine"


def house(folder: Path, *tables: dict[str, Any]) -> Path:
    """Write the complying submission of the game with these pay tables instead of its own."""
    whole = run("new", GAME, "--example").text
    path = folder / "house.json"
    data = _data(whole)
    named = {table["pays"] for table in tables}
    data["pay-tables"] = [*(pay_table for pay_table in data["pay-tables"] if pay_table["pays"] not in named), *tables]
    path.write_text(json.dumps(data), "utf-8")
    return path


def _data(text: str) -> dict[str, Any]:
    from ruamel.yaml import YAML

    return json.loads(json.dumps(YAML(typ="safe").load(text), default=str))


def judge(path: Path) -> dict[str, Any]:
    results = run("check", path, "-o", "json").results
    return {requirement["requirement"]: requirement["status"] for requirement in results["requirements"]}


def rows_of(name: str) -> list[dict[str, str]]:
    from fairdeal import load_rulebook

    game = load_rulebook().regulation(GAME).game
    assert game is not None
    return [{"hand": hand, "odds": str(odds)} for hand, odds in game.pay_tables[name].rows.items()]


@pytest.mark.parametrize("name", ["pair-xxx-a", "pair-xxx-b", "pair-xxx-c", "pair-xxx-d"])
def test_a_name_says_what_its_rows_say(tmp_path: Path, name: str) -> None:
    table = {"pays": "pair-xxx", "displayed": ["signage"]}
    named = judge(house(tmp_path, {**table, "printed": name}))
    assert named == judge(house(tmp_path, {**table, "rows": rows_of(name)}))


def test_a_submission_is_written_with_the_name_and_without_the_rows() -> None:
    from fairdeal import load_rulebook
    from fairdeal.validator.evidence.submission_model import Submission
    from tests.facade.simulation import load_simulation

    told = load_simulation(load_rulebook().regulation(GAME)).submission.to_file_data()
    told["pay-tables"][0]["printed"] = "ante-bonus"
    rows = [table.get("rows") for table in Submission.model_validate(told).to_file_data()["pay-tables"]]
    assert rows[0] is None and all(rows[1:])


def test_a_table_of_another_wager_is_none_of_this_one(tmp_path: Path) -> None:
    named = house(tmp_path, {"pays": "pair-xxx", "displayed": ["signage"], "printed": "super-6-a"})
    spelt = house(tmp_path, {"pays": "pair-xxx", "displayed": ["signage"], "rows": rows_of("super-6-a")})
    assert judge(named) == judge(spelt)
    assert run("check", named).code == 1


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"printed": "pair-xxx-e"}, "did you mean `pair-xxx-"),
        ({"printed": "pair-xxx-a", "rows": []}, "either its own `rows` or the name of a `printed` one, not both"),
        ({}, "a pay table needs `rows` or the name of a `printed` table"),
    ],
)
def test_what_cannot_be_meant_is_refused_where_it_stands(tmp_path: Path, table: dict[str, Any], said: str) -> None:
    finished = run("check", house(tmp_path, {"pays": "pair-xxx", **table}))
    assert finished.code == 3 and said in finished.err and "house.json:1:" in finished.err
