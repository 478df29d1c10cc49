"""The demo of the poker room: the audit finds the faults that its page lists, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.helpers import read_statuses, read_table
from tests.facade.commands import ROOT, Finished, run

DEMO = ROOT / "rules_data" / "poker-room" / "demo"


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DEMO)


def list_failed(results: dict[str, Any]) -> dict[str, set[str]]:
    """Return the requirements that fail, by round."""
    found: dict[str, set[str]] = {}
    for finding in results["findings"]:
        if finding["status"] == "fail" and finding["where"]["round"]:
            found.setdefault(finding["where"]["round"], set()).add(finding["requirement"].partition("/")[2])
    return found


def read_planted(heading: str, column: int) -> dict[str, set[str]]:
    """Read a table of the page: the entries of a column for every round that breaks something."""
    told = {row[0]: set(filter(None, row[column].split(", "))) for row in read_table(DEMO / "README.md", heading)}
    return {name: names for name, names in told.items() if names}


def test_every_round_breaks_what_its_page_says() -> None:
    results = run("audit", "hand-log.jsonl", "-s", "submission.yaml", "-o", "json").results
    assert list_failed(results) == read_planted("The rounds of", 3)
    assert [entry["line"] for entry in results["quarantined"]] == [18, 24]
    assert [(session["table"], session["rounds"], session["gaps"]) for session in results["sessions"]] == [
        ("P1", 17, []),
        ("P2", 5, []),
    ]


def test_the_submission_breaks_what_its_page_says() -> None:
    finished = run("check", "submission.yaml", "-o", "json")
    told = {name.strip("`"): status for _, _, name, status in read_table(DEMO / "README.md", "What is wrong with")}
    assert read_statuses(finished.results, *told) == told
    assert {finding["requirement"].partition("/")[2] for finding in finished.results["findings"]} == set(told)


@pytest.mark.parametrize(("options", "column"), [((), 2), (("--profile", "card-room-custom"), 3)])
def test_the_histories_break_what_their_page_says(options: tuple[str, ...], column: int) -> None:
    results = run("audit", "hands.phhs", *options, "-o", "json").results
    assert list_failed(results) == read_planted("The hands of", column)


def read_explanation(finished: Finished) -> str:
    """Return the text of an explanation, without its part on the rules."""
    assert finished.code == 0
    return finished.text.partition("Requirements\n")[0]


def test_the_readme_quotes_a_hand() -> None:
    section = (ROOT / "README.md").read_text("utf-8").partition("\n## The poker room\n")[2].partition("\n## ")[0]
    lines = [line[4:] for line in section.splitlines() if line.startswith("    ")]
    assert lines[0] == "$ cd rules_data/poker-room/demo"
    printed = read_explanation(run(*lines[1].removeprefix("$ fairdeal ").split()))
    assert "\n".join(lines[2:]).strip() in printed
