"""Hand logs put through the audit's counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from fairdeal.validator.audit.run.audit_plan import build_audit_plan
from fairdeal.validator.audit.run.run_engines import LocalEngine, audit_logs
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.audit.submissions_in_force import RoundCounter
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.hold.hold_counts import HoldCounts
from fairdeal.validator.hold.hold_statistics import compute_game_statistics
from fairdeal.validator.results.game_statistics import Statistics
from fairdeal.validator.rulebook.rulebook import Rulebook
from tests.facade.rules import rules_folder
from tests.hold.logs import write_log

GAME = "co-rule10-3card-shine"
Rounds = Iterator[dict[str, Any]]


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a submission for all tables of a licensee, with table B of Pair XXX."""
    stated = yaml.safe_load((rules_folder() / GAME / "simulation.yaml").read_text("utf-8"))["submission"]
    del stated["tables"]
    path = tmp_path_factory.mktemp("house") / "submission.yaml"
    path.write_text(yaml.safe_dump(stated), "utf-8")
    return str(path)


@pytest.fixture
def statistics(tmp_path: Path, house: str) -> Callable[..., Statistics]:
    """Return a function that makes statistics of rounds, under the licensee's submission or, with `filed=False`, under
    none."""

    def make_statistics(*parts: Rounds, jobs: int = 1, filed: bool = True, level: float = 0.95) -> Statistics:
        rulebook = Rulebook(folder=None)
        submissions = [read_submission(rulebook, house)] if filed else []
        plan = build_audit_plan(rulebook, submissions, counts=HoldCounts, judge=False)
        counted: list[RoundCounter] = []
        results = audit_logs(
            LocalEngine(jobs=jobs),
            plan,
            [HandLog(write_log(tmp_path / "log.jsonl", *parts))],
            program="test",
            generated="2026-03-03T00:00:00Z",
            refused=lambda error: pytest.fail(str(error)),
            counted=counted.append,
        )
        assert not results.quarantined, results.quarantined[:3]
        [counts] = counted
        assert isinstance(counts, HoldCounts)
        return compute_game_statistics(counts, rulebook, level=level)

    return make_statistics
