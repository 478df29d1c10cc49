"""Games of this folder played forward: what is simulated is in order, and all of it is shown."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.simulate.helpers import log_of
from tests.variants.hands import GAMES, rulebook
from validator import api
from validator.play.prepared import prepare
from validator.rulebook.load import load_regulation
from validator.rulebook.simulation import load_simulation
from validator.verdicts import Status

SIMULATED = sorted(path.parent.name for path in GAMES.glob("*/simulation.yaml"))


@cache
def simulated(name: str, rounds: int = 1000) -> tuple[bytes, str]:
    """A log, and the submission under which it was played."""
    regulation = load_regulation(name, GAMES)
    simulation = load_simulation(regulation, GAMES)
    log = log_of(prepare(regulation), simulation, rounds=rounds, seed=11)
    return log, simulation.submission.model_dump_json(by_alias=True, exclude_unset=True)


@pytest.mark.parametrize("name", SIMULATED)
def test_a_clean_run_has_no_finding_and_leaves_nothing_open(name: str, tmp_path: Path) -> None:
    log, submission = simulated(name)
    (tmp_path / "log.jsonl").write_bytes(log)
    (tmp_path / "house.yaml").write_text(submission)
    found = api.audit(rulebook(), tmp_path / "log.jsonl", submissions=[tmp_path / "house.yaml"])
    assert not found.quarantined and not found.findings
    ours = [one for one in found.requirements if one.document == name]
    statuses = {status for one in ours for status, count in one.totals.items() if count}
    assert statuses == {Status.PASS, Status.NOT_APPLICABLE}
    assert all(one.totals.get(Status.PASS, 0) for one in ours)
