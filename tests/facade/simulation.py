"""Simulated logs: how a game is simulated, runs, what can be planted."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from fairdeal.api import audit
from fairdeal.validator.rulebook.rule_catalogue import is_plantable
from fairdeal.validator.rulebook.simulation_file import load_simulation
from fairdeal.validator.rules.simulation_model import (
    Occurrence,
    Simulation,
    StackedHand,
    StepHabit,
)
from fairdeal.validator.simulate.fault_planting import plan_faults
from fairdeal.validator.simulate.game_simulation import WorkPlan, simulate
from tests.facade.evidence import Batch, to_lines
from tests.facade.results import Results, Status, skip_explanations
from tests.facade.rounds import STATUSES, CompiledGame, evaluate_batch
from tests.facade.rules import Rulebook
from tests.facade.submissions import Submission, build_configuration

__all__ = [
    "Occurrence",
    "Record",
    "Simulation",
    "StackedHand",
    "StepHabit",
    "WorkPlan",
    "audit_log",
    "change_fields",
    "compare_planted_and_failed",
    "count_rounds",
    "is_plantable",
    "judge_rounds",
    "list_planted",
    "load_simulation",
    "plan_faults",
    "simulate",
    "simulate_log",
    "simulate_records",
]

Record = dict[str, Any]


def simulate_log(prepared: CompiledGame, simulation: Simulation, **run: Any) -> bytes:
    """Simulate a run and return its log, as JSON Lines."""
    run.setdefault("submission", simulation.submission)
    return b"".join(to_lines(batch, planted) for batch, planted in simulate(prepared, simulation, **run))


def simulate_records(prepared: CompiledGame, simulation: Simulation, **run: Any) -> list[Record]:
    """Simulate a run and return its rounds, as a reader of its log has them."""
    return [json.loads(line) for line in simulate_log(prepared, simulation, **run).splitlines()]


def list_planted(record: Record) -> Sequence[str]:
    """List the requirements that a round was made to break."""
    planted: list[str] = record.get("annotations", {"planted": []})["planted"]
    return planted


def change_fields(submission: Submission, **fields: Any) -> Submission:
    """Return a submission with some fields changed."""
    return submission.model_copy(update=fields)


def audit_log(rulebook: Rulebook, log: bytes, submission: Submission, *, explained: bool = False) -> Results:
    """Audit a log under a submission. Nothing in it may be quarantined.

    Args:
        rulebook: the rulebook.
        log: the log, as JSON Lines.
        submission: the submission.
        explained: True also explains the first failures, which takes as long as to find them.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "log.jsonl").write_bytes(log)
        (folder / "house.yaml").write_text(submission.model_dump_json(by_alias=True, exclude_unset=True), "utf-8")
        with nullcontext() if explained else skip_explanations():
            found = audit(rulebook, folder / "log.jsonl", submissions=[folder / "house.yaml"])
    assert not found.quarantined
    return found


def compare_planted_and_failed(log: bytes, found: Results) -> tuple[Mapping[str, Set[str]], Mapping[str, Set[str]]]:
    """Return the rounds in which each requirement was planted, and the requirements that each round fails. Both are of
    a log of one game and its audit, and empty for all others. Requirements are named without their document."""
    planted: dict[str, set[str]] = defaultdict(set)
    for record in map(json.loads, log.splitlines()):
        for name in list_planted(record):
            planted[name.partition("/")[2]].add(record["round"])
    failed: dict[str, set[str]] = defaultdict(set)
    for finding in found.findings:
        if finding.status is Status.FAIL and finding.where.round is not None:
            failed[finding.where.round].add(finding.requirement.partition("/")[2])
    return planted, failed


def count_rounds(found: Results, status: Status) -> Counter[str]:
    """Count the rounds that each requirement gives a status, by its name without its document. Requirements that give
    it to no round are left out."""
    totals = {
        requirement.requirement.partition("/")[2]: requirement.totals.get(status, 0)
        for requirement in found.requirements
    }
    return +Counter(totals)


def judge_rounds(
    prepared: CompiledGame, batches: Iterable[Batch], submission: Submission
) -> tuple[Counter[tuple[str, Status]], list[set[str]]]:
    """Count rounds by requirement and status, and return for each round the requirements it fails."""
    configuration = build_configuration(submission)
    statuses: Counter[tuple[str, Status]] = Counter()
    failed: list[set[str]] = []
    for batch in batches:
        fails: list[set[str]] = [set() for _ in range(len(batch))]
        for weighed in evaluate_batch(prepared, batch, configuration):
            name = weighed.requirement.requirement
            marks = [STATUSES[mark] for mark in weighed.status_codes.tolist()]
            statuses.update((name, status) for status in marks)
            for at in np.flatnonzero([status in (Status.FAIL, Status.ERROR) for status in marks]).tolist():
                fails[at].add(name)
        failed += fails
    return statuses, failed
