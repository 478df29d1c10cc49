"""Games of a flop played forward from its rules: clean runs have no finding, a fault has its own."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.simulate.helpers import log_of, planted_in
from tests.variants.hands import GAMES, rulebook
from validator.api import audit
from validator.play.prepared import Prepared, prepare
from validator.play.simulate.planting import plantable
from validator.rulebook.language.simulation import Simulation
from validator.rulebook.load import load_regulation
from validator.rulebook.simulation import load_simulation
from validator.verdicts import Results, Status

FLOP = ("pot-limit-omaha", "omaha-eight", "short-deck")
FAULTS = [
    (name, one.requirement) for name in FLOP for one in load_regulation(name, GAMES).requirements if plantable(one)
]


@cache
def game(name: str) -> tuple[Prepared, Simulation]:
    """A game, and how it is simulated."""
    regulation = load_regulation(name, GAMES)
    return prepare(regulation), load_simulation(regulation, GAMES)


def judged(name: str, folder: Path, **run: Any) -> tuple[Results, list[Any]]:
    """What an audit finds in a run of a game, and the records of the run."""
    prepared, simulation = game(name)
    log = log_of(prepared, simulation, **run)
    (folder / "log.jsonl").write_bytes(log)
    (folder / "house.yaml").write_text(simulation.submission.model_dump_json(by_alias=True, exclude_unset=True))
    found = audit(rulebook(), folder / "log.jsonl", submissions=[folder / "house.yaml"])
    return found, [json.loads(line) for line in log.splitlines()]


@pytest.mark.parametrize("name", FLOP)
def test_a_clean_run_has_no_finding_and_shows_everything(name: str, tmp_path: Path) -> None:
    found, records = judged(name, tmp_path, rounds=1000, seed=5)
    assert not found.quarantined and not found.findings
    own = [one for one in found.requirements if one.document == name]
    assert all(one.totals.get(Status.PASS, 0) for one in own)
    assert len(records) == 1000


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_is_found_where_it_was_planted_and_nowhere_else(name: str, fault: str, tmp_path: Path) -> None:
    found, records = judged(name, tmp_path, rounds=120, seed=21, faults=[fault], every=6)
    planted = {record["round"] for record in records if planted_in(record)}
    assert not found.quarantined
    assert len(planted) >= 12
    failed = [one for one in found.findings if one.status is Status.FAIL]
    assert {one.requirement for one in failed} == {f"{name}/{fault}"}
    assert {one.where.round for one in failed} == planted
