"""Games whose rules span rounds: a few tables and rounds at a time give the same results as all at once."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from fairdeal.validator.audit.operators import partitioned_evaluation
from tests.facade.commands import run
from tests.facade.evidence import HandLog
from tests.facade.results import Evidence
from tests.facade.rules import Rulebook, find_needed_readings


@pytest.fixture(scope="module", params=[("poker-room", 175), ("s38", 280)], ids=lambda param: param[0])
def faulty(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the log of a run with faults that span rounds, and its submission, to a folder."""
    game, rounds = request.param
    folder = tmp_path_factory.mktemp(game)
    regulation = Rulebook(folder=None).regulation(game)
    names = [
        requirement.requirement
        for requirement in regulation.requirements
        if requirement.evidence is Evidence.SESSION
        and requirement.fault is not None
        and not find_needed_readings(regulation, requirement)
    ]
    planted = ["--fault-every", str(rounds * 2 // 35), *(part for name in names for part in ("--fault", name))]
    command = ["simulate", game, "--rounds", str(rounds), "--seed", "3", *planted]
    written = ["-o", str(folder / "log.jsonl"), "--write-submission", str(folder / "house.yaml")]
    assert run(*command, *written).code == 0
    return folder


@pytest.mark.parametrize("shuffled", [False, True])
def test_simulated_faults(faulty: Path, shuffled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shutil.copytree(faulty, tmp_path / "run"))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")
    if shuffled:
        lines = sorted(Path("log.jsonl").read_text().splitlines(), key=lambda line: json.loads(line)["round"][::-1])
        Path("log.jsonl").write_text("".join(f"{line}\n" for line in lines[:-50]))
    audit = ["audit", "log.jsonl", "-s", "house.yaml", "-j", "1", "-o", "json"]
    monkeypatch.setattr(HandLog.__init__, "__kwdefaults__", {"variants": dict, "block_bytes": 400_000})
    whole = run(*audit)
    assert whole.code == 1
    for few, length in ((1, 23), (10_000, 100), (10_000, 1)):
        monkeypatch.setattr(partitioned_evaluation, "ROUNDS_IN_MEMORY", 0)
        monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_PARTITION", few)
        monkeypatch.setattr(partitioned_evaluation, "ROUNDS_PER_RUN", length)
        assert run(*audit).out == whole.out
