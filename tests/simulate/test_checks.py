"""Simulator and checks, which share one rulebook: a clean run has no finding, a fault only its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from fairdeal.api import load_rulebook
from tests.facade.results import Evidence, Status
from tests.facade.rounds import CompiledGame
from tests.facade.rules import build_tree
from tests.facade.simulation import Simulation, compare_planted_and_failed, judge_rounds, simulate, simulate_log
from tests.facade.simulation import audit_log as audited_log
from tests.facade.submissions import FiledSubmission, evaluate_submission
from tests.simulate.helpers import FOLLOWS, IN_ANOTHER_HOUSE, house_for, list_plantable, load_first

PREPARED, SIMULATION = load_first()
PLANTABLE = list_plantable()
SPANNING = {
    requirement.requirement
    for requirement in PREPARED.regulation.requirements
    if requirement.evidence is Evidence.SESSION
}
"""Requirements that an audit checks from round to round."""
FOUND_HERE = [name for name in PLANTABLE if name not in SPANNING]


def audit_run(
    house: str | None = None, **run: Any
) -> tuple[Counter[tuple[str, Status]], list[set[str]], list[Sequence[str]]]:
    """Return the rounds by requirement and status, and for each round its failed and its planted requirements.

    The rounds are played in the house in which the fault `house`, if any, can be planted.
    """
    submission = house_for(house)
    batches, planted = zip(*simulate(PREPARED, SIMULATION, submission=submission, **run), strict=True)
    statuses, failed = judge_rounds(PREPARED, batches, submission)
    full = PREPARED.regulation.qualify
    named = Counter({(full(name), status): count for (name, status), count in statuses.items()})
    return named, [set(map(full, names)) for names in failed], [name for names in planted for name in names]


def broken_by(planted: Sequence[str]) -> set[str]:
    """Return the full ids of all requirements that a round breaks with these planted in it."""
    names = {fault.removeprefix(PREPARED.regulation.qualify("")) for fault in planted}
    return set(map(PREPARED.regulation.qualify, names.union(*(FOLLOWS.get(name, set()) for name in names))))


def test_the_house_s_own_submission_complies(first_game: CompiledGame, simulation: Simulation) -> None:
    data = simulation.submission.model_dump(mode="json", by_alias=True, exclude_unset=True)
    filed = FiledSubmission(submission=simulation.submission, tree=build_tree(data, "submission"))
    verdicts = evaluate_submission(first_game.regulation, filed)
    found = {verdict.requirement: verdict.status for verdict in verdicts}
    assert set(found.values()) == {Status.PASS, Status.NOT_APPLICABLE}
    # Requirements on publications and on signs with limits or odds: the house has neither. Under the adopted reading
    # it may omit an Ante or Pair XXX.
    assert {name for name, status in found.items() if status is Status.NOT_APPLICABLE} <= {
        full
        for full in found
        if full.rpartition("/")[2].startswith(("publications-", "signs-", "both-opening-wagers-offered"))
    }


def test_a_clean_run_has_no_finding_and_proves_every_requirement_it_can_reach() -> None:
    statuses, failed, planted = audit_run(rounds=2_500, seed=20)
    assert not any(failed) and not any(planted)
    assert {status for _, status in statuses} == {Status.PASS, Status.NOT_APPLICABLE}
    passed = {requirement for requirement, status in statuses if status is Status.PASS}
    # A Play wager with a fold, and moving a wager once cards are dealt, are themselves against the rules. No round
    # records when folded cards are racked, since no rule requires it. The house deals packets. A misdeal must be
    # announced once only under another reading.
    assert {requirement for requirement, _ in statuses} - passed == {
        PREPARED.regulation.qualify(name)
        for name in (
            "folded-hand-keeps-its-play-wager",
            "wagers-stay-after-the-deal",
            "rack-after-all-folds",
            "folded-cards-racked-whole",
            "single-cards-by-the-dealer",
            "misdeal-declared-once",
        )
    }


@pytest.mark.parametrize("name", [name for name in FOUND_HERE if name in IN_ANOTHER_HOUSE])
def test_a_fault_is_found_by_its_requirement_where_it_was_planted_and_by_no_other(name: str) -> None:
    _, failed, planted = audit_run(name, rounds=48, seed=21, faults=[name], every=3)
    assert any(planted)
    assert failed == [broken_by(names) for names in planted]


@pytest.mark.parametrize("name", sorted(SPANNING & {*PLANTABLE}))
def test_what_spans_rounds_is_found_in_its_round(name: str) -> None:
    log = simulate_log(PREPARED, SIMULATION, rounds=64, seed=21, faults=[name], every=8)
    planted, failed = compare_planted_and_failed(log, audited_log(load_rulebook(), log, SIMULATION.submission))
    assert len(planted[name]) == 8
    assert failed == {fault: {name} for fault in planted[name]}


def test_all_faults_are_found_where_they_were_planted_and_nothing_else() -> None:
    faults = [name for name in FOUND_HERE if name not in IN_ANOTHER_HOUSE]
    _, failed, planted = audit_run(rounds=6 * len(faults), seed=22, faults=faults, every=2)
    assert failed == [broken_by(names) for names in planted]
    assert {name for names in planted for name in names} == set(map(PREPARED.regulation.qualify, faults))
