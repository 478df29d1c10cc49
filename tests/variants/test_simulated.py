"""Games of this folder played forward: what is simulated is in order, and a fault is found where it was planted."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from fairdeal import api
from tests.simulate.helpers import log_of, planted_in
from tests.variants.hands import GAMES, rulebook
from validator.engine.compiled.game import Prepared, prepare
from validator.results.results import Results, Status
from validator.rules.loading.load import load_regulation
from validator.rules.loading.simulation_file import load_simulation
from validator.rules.simulation.simulation import Simulation
from validator.simulate.faults.planting import plantable

SIMULATED = sorted(path.parent.name for path in GAMES.glob("*/simulation.yaml"))
FAULTS = [
    (name, one.requirement) for name in SIMULATED for one in load_regulation(name, GAMES).requirements if plantable(one)
]
BESIDES = {
    "five-cards": {"whole-hand-shown"},
    "only-players-act": {"no-act-after-the-end"},
    "words-in-turn": {"drawn-in-turn"},
    "as-many-as-put-away": {"no-more-than-may-be"},
    "once": {"words-in-turn"},
}
"""What is broken besides by the fault of a requirement."""


@cache
def game(name: str) -> tuple[Prepared, Simulation]:
    """A game, and how it is simulated."""
    regulation = load_regulation(name, GAMES)
    return prepare(regulation), load_simulation(regulation, GAMES)


@cache
def simulated(name: str, **run: Any) -> bytes:
    """The log of a run of a game."""
    return log_of(*game(name), seed=11, **run)


def audited(name: str, log: bytes, folder: Path) -> Results:
    """What an audit finds in a log, under the submission that the game is simulated under."""
    (folder / "log.jsonl").write_bytes(log)
    submission = game(name)[1].submission.model_dump_json(by_alias=True, exclude_unset=True)
    (folder / "house.yaml").write_text(submission)
    return api.audit(rulebook(), folder / "log.jsonl", submissions=[folder / "house.yaml"])


@pytest.mark.parametrize("name", SIMULATED)
def test_a_clean_run_has_no_finding_and_leaves_nothing_open(name: str, tmp_path: Path) -> None:
    found = audited(name, simulated(name, rounds=1000), tmp_path)
    assert not found.quarantined and not found.findings
    ours = [one for one in found.requirements if one.document == name]
    statuses = {status for one in ours for status, count in one.totals.items() if count}
    assert statuses == {Status.PASS, Status.NOT_APPLICABLE}
    assert all(one.totals.get(Status.PASS, 0) for one in ours)


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_fault_is_found_where_it_was_planted(name: str, fault: str, tmp_path: Path) -> None:
    log = simulated(name, rounds=150, faults=(fault,), every=8)
    planted = {record["round"] for record in map(json.loads, log.splitlines()) if planted_in(record)}
    found = audited(name, log, tmp_path)
    assert not found.quarantined and len(planted) >= 12
    failed = [one for one in found.findings if one.status is Status.FAIL]
    own = {one.where.round for one in failed if one.requirement == f"{name}/{fault}"}
    assert own == planted == {one.where.round for one in failed}
    names = {one.requirement.partition("/")[2] for one in failed}
    assert names - {fault} <= BESIDES.get(fault, set())
