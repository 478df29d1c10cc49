"""Lawful rounds that were accused once are clean, and those still accused are all listed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.lawful.judge import Judgement, judge, judge_files, load_generator, read_files
from tests.lawful.known import FAILURES, POKER
from tests.lawful.violations import rename, rename_submission

FOLDER = Path(__file__).parent
CORRECTED = sorted(path.stem for path in (FOLDER / "reproductions").glob("*.jsonl"))
KNOWN = {name: kind for failures in FAILURES.values() for name, (kind, _) in failures.items()}


def judge_reproduction(folder: str, name: str) -> Judgement:
    profile = load_generator(POKER).PROFILE if name.startswith("poker") else None
    return judge_files(FOLDER / folder / f"{name}.jsonl", profile)


def judge_together(names: list[str], profile: str | None, least_ante: int | None = None) -> Judgement:
    """Return the judgement of many files at once, each as a casino of its own.

    Args:
        least_ante: minimum of the Ante that every casino posts instead of its own, in units of the currency.
    """
    records, submissions = [], []
    for name in names:
        own_records, own_submissions = read_files(FOLDER / "reproductions" / f"{name}.jsonl")
        records += [rename(record, name) for record in own_records]
        submissions += [rename_submission(submission, name) for submission in own_submissions]
    for submission in submissions if least_ante is not None else ():
        for wager in submission["wagers"]:
            if wager["wager"] == "ante":
                wager |= {"minimum": least_ante, "maximum": least_ante}
    return judge(records, submissions, profile)


@pytest.mark.parametrize("is_poker", [False, True])
def test_lawful_rounds_that_were_accused_once_are_clean(is_poker: bool) -> None:
    names = [name for name in CORRECTED if name.startswith("poker") == is_poker]
    assert names
    alone = [name for name in names if not belongs_to_one_casino(name)]
    judgements = {name: judge_reproduction("reproductions", name) for name in alone}
    profile = load_generator(POKER).PROFILE if is_poker else None
    judgements["together"] = judge_together([name for name in names if name not in alone], profile)
    accused = [f"{name}: {judgement.describe()}" for name, judgement in judgements.items() if not judgement.is_clean()]
    assert not accused, "\n".join(accused)
    assert all(judgement.passed for judgement in judgements.values())


def test_a_violation_of_another_kind_proves_nothing_that_the_record_leaves_open() -> None:
    names = [name for name in CORRECTED if not name.startswith("poker") and belongs_to_one_casino(name)]
    judgement = judge_together(names, None, least_ante=100_000)
    failed = {finding.requirement for findings in judgement.failures.values() for finding in findings}
    assert len(judgement.failures) > 20
    assert {requirement for requirement in failed if not requirement.endswith("limits")} == set()


def belongs_to_one_casino(name: str) -> bool:
    """Return whether all records and submissions of a file are those of one named casino."""
    records, submissions = read_files(FOLDER / "reproductions" / f"{name}.jsonl")
    casinos = {record.get("casino") for record in records}
    return len(casinos) == 1 and None not in casinos and {item["licensee"]["name"] for item in submissions} <= casinos


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
