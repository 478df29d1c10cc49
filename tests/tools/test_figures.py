"""Benchmarks say of every line with a target whether it is met."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.figures import Figure, print_figures


def figure(value: float = 1.0, *, ratio: float | None = None, target: float | None = None) -> Figure:
    return Figure(name="a line", value=value, unit="ms", against="others", ratio=ratio, target=target)


def test_a_ratio_is_to_be_reached_and_a_value_not_to_be_passed() -> None:
    assert figure(ratio=2.0, target=2.0).met is True
    assert figure(ratio=1.9, target=2.0).met is False
    assert figure(250.0, target=250.0).met is True
    assert figure(251.0, target=250.0).met is False
    assert figure().met is None


def test_a_table_tells_targets_and_what_is_worked_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    year = Figure(name="a year", value=3.0, unit="days", extrapolated=True)
    print_figures([figure(ratio=1.5, target=2.0), figure(9.0, target=10.0), year], str(tmp_path / "out" / "bench.json"))
    lines = capsys.readouterr().out.splitlines()
    assert "[MISSED: at least 2 x]" in lines[0]
    assert "[met: at most 10 ms]" in lines[1]
    assert "~" in lines[2]
    assert lines[-1] == "1 of 2 targets are met"
    written = json.loads((tmp_path / "out" / "bench.json").read_text())
    assert [figure["met"] for figure in written] == [False, True, None]
    assert [figure["extrapolated"] for figure in written] == [False, False, True]
