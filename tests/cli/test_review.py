"""Review of a clause: every requirement, example and reading of it, and words that none of them mentions."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest
import yaml

from tests.facade.commands import run
from tests.facade.rules import rules_folder

SHINE = rules_folder() / "co-rule10-3card-shine"
CLAUSES = ("(10)", "(7)")


@cache
def review(clause: str) -> dict[str, Any]:
    """Return the review of a clause of the game as data."""
    (found,) = json.loads(run("rules", "show", f"{SHINE.name}/{clause}", "--review", "--output", "json").text)
    return dict(found)


@cache
def read_examples() -> dict[str, dict[str, Any]]:
    """Read all examples of the game as YAML, by name."""
    files = [yaml.safe_load(path.read_text("utf-8")) for path in sorted((SHINE / "examples").glob("*.yaml"))]
    return {item["example"]: item for file in files for item in file.get("examples", ())}


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_requirement_that_cites_the_clause_is_there(clause: str) -> None:
    listed = json.loads(run("rules", "list", SHINE.name, "--output", "json").text)
    citing = [item["requirement"].split("/")[1] for item in listed if f"{SHINE.name}/{clause}" in item["clauses"]]
    assert [item["requirement"] for item in review(clause)["requirements"]] == citing
    assert all(item["sentences"] for item in review(clause)["requirements"])


@pytest.mark.parametrize("clause", CLAUSES)
def test_examples_satisfy_and_break_the_requirement(clause: str) -> None:
    listed = json.loads(run("rules", "list", SHINE.name, "--output", "json").text)
    attested = {item["requirement"].split("/")[1] for item in listed if item["evidence"] == "attestation"}
    for item in review(clause)["requirements"]:
        name = item["requirement"]
        if name in attested:  # no evidence breaks it
            assert item["broken-by"] is None
            continue
        passing, failing = read_examples()[item["satisfied-by"]], item["broken-by"]
        assert name in passing["about"]
        assert name not in [finding["requirement"] for finding in passing.get("findings", ())]
        assert name in [finding["requirement"] for finding in read_examples()[failing["example"]]["findings"]]
        assert failing["expected"]
        assert failing["observed"]


@pytest.mark.parametrize("clause", CLAUSES)
def test_readings_of_the_clause_are_there_with_their_options(clause: str) -> None:
    stated = yaml.safe_load((SHINE / "readings.yaml").read_text("utf-8"))["readings"]
    shown = {item["reading"]: item for item in review(clause)["readings"]}
    assert {item["reading"] for item in stated if clause in item["clauses"]} <= shown.keys()
    for item in stated:
        if item["reading"] in shown:
            ((chosen, meaning),) = item["adopted"].items()
            reading = shown[item["reading"]]
            assert reading["chosen"] == chosen
            assert reading["options"] == {chosen: meaning} | item.get("alternatives", {})
            used = {name for name, example in read_examples().items() if item["reading"] in example.get("readings", {})}
            assert used <= set(reading["examples"])


def test_the_parts_of_the_game_that_cite_the_clause_are_there() -> None:
    game = yaml.safe_load((SHINE / "game.yaml").read_text("utf-8"))
    cases = [item["case"] for item in game["settlement"]["cases"] if "(10)" in item["clauses"]]
    assert cases
    shown = [part.split(" [")[0] for part in review("(10)")["also-encoded-by"]]
    assert {f"case {name}" for name in cases} <= set(shown)


def test_the_text_shows_sentences_and_readings_in_their_order() -> None:
    lines = run("rules", "show", f"{SHINE.name}/(10)", "--review").text.splitlines()
    assert lines[0].startswith(f"clause {SHINE.name}/(10) [")
    numbered = [line.split()[1] for line in lines if line.startswith("  ") and line.split()[0].rstrip(".").isdigit()]
    assert numbered == [item["requirement"] for item in review("(10)")["requirements"]]
    chosen = [line.split()[1].rstrip(":") for line in lines if line.startswith("      chosen ")]
    assert chosen == [item["chosen"] for item in review("(10)")["readings"]]


def test_only_clauses_are_reviewed() -> None:
    refused = run("rules", "show", "play-equals-ante", "--review")
    assert refused.code == 2
    assert "only clauses can be reviewed" in refused.err
