"""Further violations of each game are found, and the same rounds without them are clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lawful.judge import MODULES, judge_files, load_generator, read_files
from tests.lawful.known import POKER
from tests.lawful.violations import find_misses, judge_controls
from tests.lawful.violations_further import build_cases

BY_HAND = Path(__file__).parent / "violations_by_hand"
"""Logs in which the rounds of each case, named by the first part of their ids, break a rule, and no other if stated."""


@pytest.mark.parametrize("game", MODULES)
def test_every_further_violation_is_found(game: str) -> None:
    cases, profile = build_cases(game), getattr(load_generator(game), "PROFILE", None)
    assert len(cases) >= 5
    assert find_misses(cases, profile) == set()
    assert not judge_controls(cases, profile)


@pytest.mark.parametrize("name", sorted(path.stem for path in BY_HAND.glob("*.jsonl")))
def test_every_violation_that_was_written_by_hand_is_found(name: str) -> None:
    path = BY_HAND / f"{name}.jsonl"
    judgement = judge_files(path, load_generator(POKER).PROFILE if name == "poker" else None)
    records = read_files(path)[0]
    cases = {record["round"].split("/")[0] for record in records}
    assert len(cases) >= 12
    assert cases - {id_.split("/")[0] for id_ in judgement.failures} == set()
    assert not judgement.quarantined
    planted = {record["round"]: set(record["annotations"]["planted"]) for record in records if "annotations" in record}
    failed = {id_: {finding.requirement for finding in judgement.failures[id_]} for id_ in planted}
    assert failed == planted
