"""Rounds are grouped by the content of the submission in force, not by its file."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.facade.commands import run
from tests.facade.demo import GAME, comply, demo_round, to_log
from tests.facade.evidence import decode_lines
from tests.facade.rules import Rulebook
from tests.facade.submissions import AuditContext, BatchSlice, Submission, file_submission
from tests.facade.text import decode_source

RULEBOOK = Rulebook(folder=None)
FIRST = date(2026, 3, 1)


def submission(name: str, table: str, effective: date = FIRST, *edits: tuple[str, str]) -> str:
    text = comply()
    for old, new in edits:
        assert text.count(old) == 1
        text = text.replace(old, new)
    lines = [line for line in text.splitlines() if not line.startswith(("submission:", "effective:", "tables:"))]
    head = [f"submission: {name}", f"effective: {effective.isoformat()}", f"tables: [{table}]"]
    return "\n".join([*head, *lines, ""])


def read(text: str) -> Submission:
    return file_submission(decode_source("s.yaml", text.encode()))[0].submission


def record(table: str, day: date) -> dict[str, Any]:
    found = demo_round("hand-01")
    return {**found, "round": f"{table}-{day}", "table": table, "time": f"{day.isoformat()}T20:00:00Z"}


def split_by_submission(submissions: list[str], rounds: list[dict[str, Any]]) -> list[BatchSlice]:
    court = AuditContext(rulebook=RULEBOOK, submissions=list(map(read, submissions)), as_of=None)
    (batch,) = decode_lines(to_log(rounds), file="log", first_line=1, known_games=court.games).batches
    return list(court.split_by_submission(batch))


def test_submissions_that_say_the_same_are_one() -> None:
    days = [FIRST + timedelta(days=number) for number in range(3)]
    submissions = [submission(f"{table}-{day}", table, day) for table in "ABC" for day in days]
    rounds = [record(table, day + timedelta(days=after)) for day in days for table in "ABC" for after in (0, 9)]
    (whole,) = split_by_submission(submissions, rounds)
    assert len(whole.batch) == len(rounds)
    assert whole.configuration is not None


def test_who_vouches_and_what_else_is_said_of_the_file_makes_no_difference() -> None:
    other = comply().partition("\nattestations:")[0]
    lines = [line for line in other.splitlines() if not line.startswith(("submission:", "effective:", "tables:"))]
    silent = "\n".join(["submission: silent", "effective: 2026-03-01", "tables: [B]", *lines, ""])
    assert len(split_by_submission([submission("a", "A"), silent], [record("A", FIRST), record("B", FIRST)])) == 1


def test_submissions_that_differ_part_the_rounds() -> None:
    wider = submission("b", "B", FIRST, ("{wager: ante, minimum: 5,", "{wager: ante, minimum: 6,"))
    parts = split_by_submission([submission("a", "A"), wider], [record(table, FIRST) for table in "ABAB"])
    assert [part.batch.line.tolist() for part in parts] == [[1, 3], [2, 4]]
    names = [None if part.configuration is None else part.configuration.name for part in parts]
    assert names == ["a", "b"]


def test_rounds_before_the_first_submission_have_none() -> None:
    before, after = split_by_submission(
        [submission("a", "A")], [record("A", FIRST - timedelta(days=1)), record("A", FIRST)]
    )
    assert before.configuration is None
    assert after.configuration is not None
    # Two that take effect on one day, and a table of which none speaks.
    both = [submission("a", "A"), submission("b", "A")]
    (neither,) = split_by_submission(both, [record("A", FIRST), record("B", FIRST)])
    assert neither.configuration is None


@pytest.mark.usefixtures("place")
def test_a_round_is_told_by_the_submission_that_is_in_force() -> None:
    days = [FIRST, FIRST + timedelta(days=5)]
    for number, day in enumerate(days):
        Path(f"{number}.yaml").write_text(submission(f"number-{number}", "A", day))
    Path("log.jsonl").write_bytes(to_log([record("A", day) for day in days]))
    for number, day in enumerate(days):
        told = run("explain", "log.jsonl", "--round", f"A-{day}", "-s", "0.yaml", "-s", "1.yaml").text
        assert f"submission in force: number-{number}\n" in told


@pytest.mark.usefixtures("place")
def test_results_are_those_of_each_submission_by_itself() -> None:
    """Rounds that break a limit of the house, at the tables of three submissions."""
    edit = ("{wager: ante, minimum: 5,", "{wager: ante, minimum: 500,")
    rounds = [record(table, FIRST + timedelta(days=day)) for day in range(3) for table in "ABC"]
    found = []
    for table in "ABC":
        Path(f"{table}.yaml").write_text(submission(f"s-{table}", table, FIRST, edit))
        Path("log.jsonl").write_bytes(to_log([round_ for round_ in rounds if round_["table"] == table]))
        found += run("audit", "log.jsonl", "-s", f"{table}.yaml", "-o", "json").results["findings"]
    Path("log.jsonl").write_bytes(to_log(rounds))
    together = run("audit", "log.jsonl", "-s", "A.yaml", "-s", "B.yaml", "-s", "C.yaml", "-o", "json").results

    def failures(findings: list[Any]) -> list[str]:
        return sorted(
            json.dumps([finding["requirement"], finding["where"]["round"], finding["observed"]])
            for finding in findings
            if finding["where"]["round"] is not None and finding["status"] == "fail"
        )

    assert len(failures(found)) >= 9
    assert failures(together["findings"]) == failures(found)
    assert GAME in together["provenance"]["documents"]


@pytest.mark.usefixtures("place")
def test_a_failure_is_explained_by_the_submission_of_its_round() -> None:
    """The first round is at a table of the first submission and fine; the failure is at the table of the second."""
    for table in "AB":
        Path(f"{table}.yaml").write_text(submission(f"s-{table}", table))
    bad = {**demo_round("hand-16"), "table": "B", "time": f"{FIRST.isoformat()}T21:00:00Z"}
    Path("log.jsonl").write_bytes(to_log([record("A", FIRST), bad]))
    explained = run("audit", "log.jsonl", "-s", "A.yaml", "-s", "B.yaml", "-o", "json").text
    assert "submission in force: s-B" in explained
    assert "submission in force: s-A" not in explained
