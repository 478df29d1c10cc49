"""Sampling plans are drawn evenly, the same for a seed whatever the order of the logs, and read again with answers."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.audit.round_sample import find_even_level
from tests.facade.commands import run
from tests.hold.logs import rounds, write_log

TABLES = {"S1": 40, "S2": 25, "S3": 3}


def _write(folder: Path, order: Sequence[str] = tuple(TABLES), prefix: str = "log") -> list[Path]:
    return [
        Path(write_log(folder / f"{prefix}-{table}.jsonl", rounds(TABLES[table], 5, table=table, dealer=f"={table}")))
        for table in order
    ]


def _draw(*arguments: str | Path | int) -> list[dict[str, Any]]:
    made = run("sample", *map(str, arguments), "-q", "-o", "csv")
    assert made.code == 0, made.err
    return list(csv.DictReader(io.StringIO(made.text)))


def test_each_group_gives_as_many_rounds_and_small_ones_all(tmp_path: Path) -> None:
    logs = _write(tmp_path)
    plan = _draw(*logs, "--rounds", 23, "--seed", 7, "--by", "table,dealer")
    assert Counter(row["table"] for row in plan) == {"S1": 10, "S2": 10, "S3": 3}
    assert {row["rounds in group"] for row in plan if row["table"] == "S2"} == {"25"}
    assert {row["seed"] for row in plan} == {"7"}
    assert all(row["dealer"].startswith("'=") for row in plan), "a name that begins like a formula stays text"
    recorded = {json.loads(line)["round"] for log in logs for line in log.read_text("utf-8").splitlines()}
    drawn = [row["round"] for row in plan]
    assert len(set(drawn)) == len(drawn)
    assert set(drawn) <= recorded


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_plan_does_not_depend_on_the_order_of_logs_or_processes(tmp_path: Path, jobs: int) -> None:
    logs = _write(tmp_path)
    whole = tmp_path / "whole.jsonl"
    whole.write_bytes(b"".join(log.read_bytes() for log in reversed(logs)))
    names = [
        sorted(row["round"] for row in _draw(*given_logs, "--rounds", 20, "--seed", 1, "--jobs", jobs))
        for given_logs in (logs, [*reversed(logs)], [whole])
    ]
    assert names[0] == names[1] == names[2]
    assert names[0] != sorted(row["round"] for row in _draw(*logs, "--rounds", 20, "--seed", 2))


def test_every_round_is_drawn_alike(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", rounds(40, 5))
    drawn = Counter(
        row["round"] for seed in range(60) for row in _draw(log, "--rounds", 10, "--seed", seed, "--jobs", 1)
    )
    assert sum(drawn.values()) == 600
    assert len(drawn) == 40
    # Without replacement counts spread less than independent ones: by the share that is not drawn, 30 of 39.
    statistic = sum((drawn[name] - 15) ** 2 / 15 for name in drawn) / (30 / 39)
    assert 0.001 < scipy.stats.chi2(39).sf(statistic) < 0.999


@given(st.lists(st.integers(0, 30), min_size=1, max_size=8), st.integers(0, 120))
def test_the_level_is_the_highest_that_does_not_draw_too_many(numbers: list[int], size: int) -> None:
    level = find_even_level(numbers, size)
    assert sum(min(number, level) for number in numbers) <= size
    if sum(numbers) > size:
        assert sum(min(number, level + 1) for number in numbers) > size
    else:
        assert level >= max(numbers)


def test_the_plan_names_its_logs_and_seed(tmp_path: Path) -> None:
    logs = _write(tmp_path)
    made = run("sample", *logs, "--rounds", "5", "--seed", "3", "-q", "-o", "json")
    plan = json.loads(made.text)
    assert (plan["seed"], plan["by"], plan["rounds"]) == (3, ["table"], 68)
    assert [given_log["file"] for given_log in plan["inputs"]] == sorted(map(str, logs))
    assert sum(len(group["review"]) for group in plan["groups"]) == 5
    assert (
        "Review 5 rounds of 68 rounds, drawn with seed 3."
        in run("sample", *logs, "--rounds", "5", "--seed", "3", "-q").text
    )


def test_answers_of_reviewers_bound_the_share_of_rounds_with_a_fault(tmp_path: Path) -> None:
    log = write_log(tmp_path / "log.jsonl", rounds(400, 5))
    plan = _draw(log, "--rounds", 300, "--seed", 1)
    filled = tmp_path / "plan.csv"

    def fill(answers: Sequence[str]) -> str:
        with filled.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, plan[0])
            writer.writeheader()
            writer.writerows({**row, "fault": answer} for row, answer in zip(plan, answers, strict=True))
        made = run("sample", "--reviewed", filled)
        assert made.code == 0, made.err
        return made.text

    # No fault in 300: 1 - 0.025^(1/300), the exact interval of Clopper and Pearson.
    assert f"between 0.00 % and {100 * (1 - 0.025 ** (1 / 300)):.2f} % of 400 rounds" in fill(["no"] * 300)
    some = fill(["Yes", "y", *["n"] * 98, *[""] * 200])
    assert "2 faults in 100 reviewed rounds of 300; between 0.24 % and 7.04 %" in some
    assert "in all: 2 faults in 100 of 300 rounds to review" in some


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\r\n1,2\r\n", "it has no column `fault`"),
        ("group,rounds in group,fault\r\nall,5,perhaps\r\n", "neither yes nor no"),
        ("group,rounds in group,fault\r\nall,-5,no\r\n", "is not a number"),
        ('group,rounds in group,fault\r\nall,5,"no\r\n', "cannot be read as CSV"),
        ("group,rounds in group,fault\r\nall\r\n", "is not a number"),
    ],
)
def test_what_is_no_plan_is_refused_in_words(tmp_path: Path, text: str, message: str) -> None:
    plan = tmp_path / "plan.csv"
    plan.write_text(text, "utf-8", newline="")
    made = run("sample", "--reviewed", plan)
    assert made.code == 3
    assert message in made.err


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("log.jsonl",),
        ("log.jsonl", "--rounds", "5"),
        ("--reviewed", "plan.csv", "--seed", "1"),
        ("log.jsonl", "--by", "a b"),
    ],
)
def test_usage_is_explained(arguments: tuple[str, ...]) -> None:
    made = run("sample", *arguments)
    assert made.code == 2
    assert "--rounds" in made.err or "is not a list" in made.err
