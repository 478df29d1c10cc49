"""Lawful rounds that were accused once are clean, and those still accused are all listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lawful.judge import Judgement, judge_files, load_generator
from tests.lawful.known import FAILURES, POKER

FOLDER = Path(__file__).parent
CORRECTED = sorted(path.stem for path in (FOLDER / "reproductions").glob("*.jsonl"))
KNOWN = {name: kind for failures in FAILURES.values() for name, (kind, _) in failures.items()}


def judge_reproduction(folder: str, name: str) -> Judgement:
    profile = load_generator(POKER).PROFILE if name.startswith("poker") else None
    return judge_files(FOLDER / folder / f"{name}.jsonl", profile)


@pytest.mark.parametrize("name", CORRECTED)
def test_a_lawful_round_that_was_accused_once_is_clean(name: str) -> None:
    judgement = judge_reproduction("reproductions", name)
    assert judgement.is_clean(), judgement.describe()
    assert judgement.passed


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_failure_is_removed_from_the_list_once_it_is_corrected(name: str) -> None:
    assert judge_reproduction("known", name).has_kind(KNOWN[name])


def test_all_known_failures_are_listed() -> None:
    assert {path.stem for path in (FOLDER / "known").glob("*.jsonl")} == set(KNOWN)


def test_more_than_a_stake_given_back_at_once_is_a_contradiction_without_collections_too(tmp_path: Path) -> None:
    name = "shine-returned-collect-unrecorded.jsonl"
    record = json.loads((FOLDER / "reproductions" / name).read_text(encoding="utf-8"))
    (returned,) = [event for event in record["events"] if event["event"] == "return"]
    returned["amount"] += 1
    path = tmp_path / name
    path.write_text(json.dumps(record), encoding="utf-8")
    assert judge_files(path).has_kind("quarantined: given back")
