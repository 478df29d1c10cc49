"""The simulator and the checks, which share one rulebook: a clean run has no finding, a fault its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.simulate.helpers import FOLLOWS, WITHOUT_SUPER_6, house_for, shipped
from validator.audit.examples.evidence import tree_of
from validator.audit.operators.round_requirements import weigh_batch
from validator.audit.statuses.status_codes import STATUSES
from validator.audit.submissions.requirements import Filed, judge_submission
from validator.engine.compiled.game import Prepared
from validator.engine.core.house_rules import configuration_of
from validator.results.results import Status
from validator.rules.simulation.simulation import Simulation
from validator.simulate.faults.planting import plantable
from validator.simulate.run import simulate

PREPARED, SIMULATION = shipped()
PLANTABLE = [one.requirement for one in PREPARED.regulation.requirements if plantable(one)]


def audited(
    house: str | None = None, **run: Any
) -> tuple[Counter[tuple[str, Status]], list[set[str]], list[Sequence[str]]]:
    """Rounds by requirement and status; for each round the requirements it fails; and those planted in it. They are
    played in the house in which a fault can be planted, if one is named."""
    submission = house_for(house)
    statuses: Counter[tuple[str, Status]] = Counter()
    failed: list[set[str]] = []
    planted: list[Sequence[str]] = []
    for batch, names in simulate(PREPARED, SIMULATION, submission=submission, **run):
        fails: list[set[str]] = [set() for _ in range(len(batch))]
        for weighed in weigh_batch(PREPARED, batch, configuration_of(submission)):
            requirement = PREPARED.regulation.full_id(weighed.requirement.requirement)
            marks = [STATUSES[mark] for mark in weighed.marks.tolist()]
            statuses.update((requirement, status) for status in marks)
            for at in np.flatnonzero([status in (Status.FAIL, Status.ERROR) for status in marks]).tolist():
                fails[at].add(requirement)
        failed += fails
        planted += names
    return statuses, failed, planted


def broken_by(planted: Sequence[str]) -> set[str]:
    """The full ids of all requirements that a round breaks with these planted in it."""
    names = {one.removeprefix(PREPARED.regulation.full_id("")) for one in planted}
    return set(map(PREPARED.regulation.full_id, names.union(*(FOLLOWS.get(name, set()) for name in names))))


def test_the_house_s_own_submission_complies(prepared: Prepared, simulation: Simulation) -> None:
    data = simulation.submission.model_dump(mode="json", by_alias=True, exclude_unset=True)
    filed = Filed(submission=simulation.submission, tree=tree_of(data, "submission"))
    verdicts = judge_submission(prepared.regulation, filed)
    found = {verdict.requirement: verdict.status for verdict in verdicts}
    assert set(found.values()) == {Status.PASS, Status.NOT_APPLICABLE}
    # What speaks of publications and of signs that show limits or odds: the house has neither.
    assert {name for name, status in found.items() if status is Status.NOT_APPLICABLE} <= {
        full for full in found if full.rpartition("/")[2].startswith(("publications-", "signs-"))
    }


def test_a_clean_run_has_no_finding_and_proves_every_requirement_it_can_reach() -> None:
    statuses, failed, planted = audited(rounds=5_000, seed=20)
    assert not any(failed) and not any(planted)
    assert {status for _, status in statuses} == {Status.PASS, Status.NOT_APPLICABLE}
    passed = {requirement for requirement, status in statuses if status is Status.PASS}
    # A Play wager beside a fold, and moving a wager once cards are dealt, are themselves against the rules; nobody is
    # asked when folded cards are racked, so no round tells it.
    assert {requirement for requirement, _ in statuses} - passed == {
        PREPARED.regulation.full_id(name)
        for name in ("folded-hand-keeps-its-play-wager", "wagers-stay-after-the-deal", "rack-after-all-folds")
    }


@pytest.mark.parametrize("name", PLANTABLE)
def test_a_fault_is_found_by_its_requirement_where_it_was_planted_and_by_no_other(name: str) -> None:
    _, failed, planted = audited(name, rounds=120, seed=21, faults=[name], every=3)
    assert any(planted)
    assert failed == [broken_by(names) for names in planted]


def test_all_faults_are_found_in_one_run() -> None:
    faults = [name for name in PLANTABLE if name != WITHOUT_SUPER_6]
    _, failed, planted = audited(rounds=2_000, seed=22, faults=faults, every=2)
    assert failed == [broken_by(names) for names in planted]
    assert {name for names in planted for name in names} == set(map(PREPARED.regulation.full_id, faults))
