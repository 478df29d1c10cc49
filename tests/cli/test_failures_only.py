"""Tests that `--failures-only` and `explain` put violations first and hide nothing that counts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from fairdeal.validator.results.derived_results import FindingsWithState, select_failures
from tests.facade.commands import run
from tests.facade.results import Status
from tests.reports import sample


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the demo and its saved results."""
    place = tmp_path_factory.mktemp("demo") / "demo"
    assert run("demo", place).code == 0
    return place


def test_outputs_for_people_have_violations_alone(demo: Path) -> None:
    results = json.loads((demo / "results.json").read_text("utf-8"))
    failures = [finding["id"] for finding in results["findings"] if finding["status"] == "fail"]
    assert 0 < len(failures) < len(results["findings"])
    short = run("report", demo / "results.json", "--failures-only", "-o", "csv")
    rows = list(csv.DictReader(io.StringIO(short.text)))
    assert [row["id"] for row in rows] == failures
    text = run("report", demo / "results.json", "--failures-only", "-o", "text").text
    assert "NOT EVIDENCED" not in text
    assert "VIOLATIONS" in text
    whole = run("report", demo / "results.json", "-o", "text").text
    assert "NOT EVIDENCED" in whole


def test_results_and_the_exit_code_stay_whole(demo: Path, tmp_path: Path) -> None:
    audit = ("audit", demo / "hand-log.jsonl", "-s", demo / "submission.yaml", "-q")
    short = run(*audit, "--failures-only", "-o", f"json:{tmp_path / 'short.json'}")
    whole = run(*audit, "-o", f"json:{tmp_path / 'whole.json'}")
    assert short.code == whole.code == 1
    findings = [json.loads((tmp_path / f"{name}.json").read_text("utf-8"))["findings"] for name in ("short", "whole")]
    assert findings[0] == findings[1]


def test_an_index_gives_the_finding_that_iteration_gives() -> None:
    states = bytearray([0] * len(sample.RESULTS.findings))
    for findings in (FindingsWithState(sample.RESULTS.findings, states), select_failures(sample.RESULTS).findings):
        every = list(findings)
        assert [findings[at] for at in range(len(findings))] == every
        assert findings[-1] == every[-1]
        assert list(findings[1:]) == every[1:]
        with pytest.raises(IndexError):
            findings[len(findings)]
    assert {finding.status for finding in select_failures(sample.RESULTS).findings} == {Status.FAIL}


def test_explain_begins_with_violations(demo: Path) -> None:
    command = ("explain", demo / "hand-log.jsonl", "--round", "hand-17", "-s", demo / "submission.yaml")
    short, whole = run(*command), run(*command, "--all")
    rules = short.text.partition("Requirements\n")[2].splitlines()
    assert rules[0].startswith("  fail: ")
    assert rules[-1] == "  (--all lists these rules)"
    assert not any(line.startswith(("  pass: ", "  not-applicable: ")) for line in rules)
    every = whole.text.partition("Requirements\n")[2].splitlines()
    statuses = [line.split(":")[0].strip() for line in every if line.startswith("  ") and line[2] != " "]
    worst_first = ["fail", "error", "not-evidenced", "needs-attestation", "pass", "not-applicable"]
    assert statuses == sorted(statuses, key=worst_first.index)
    assert set(rules[:-2]) <= set(every)
    assert f"{statuses.count('pass')} without violation" in rules[-2]
