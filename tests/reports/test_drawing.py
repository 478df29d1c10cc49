"""Geometry of the bar: slices fill it, in proportion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.reports.html.charts import BAR_WIDTH, BarSlice, build_bar
from tests.facade.results import Status


def test_bar_is_in_proportion() -> None:
    assert build_bar({Status.FAIL: 1, Status.ERROR: 0, Status.PASS: 3}) == (
        BarSlice(status=Status.FAIL, x=0, width=250),
        BarSlice(status=Status.PASS, x=250, width=750),
    )
    assert build_bar(dict.fromkeys(Status, 0)) == ()


def test_one_in_a_million_can_be_seen() -> None:
    assert build_bar({Status.FAIL: 1, Status.PASS: 1_000_000}) == (
        BarSlice(status=Status.FAIL, x=0, width=8),
        BarSlice(status=Status.PASS, x=8, width=992),
    )


@given(st.dictionaries(st.sampled_from(Status), st.integers(1, 10**9), min_size=1))
def test_bar_is_filled_without_a_gap(counts: dict[Status, int]) -> None:
    slices = build_bar(counts)
    assert [part.status for part in slices] == list(counts)
    end = 0.0
    for part in slices:
        assert part.x == pytest.approx(end, abs=0.11)
        assert part.width >= 8
        end = part.x + part.width
    assert end == pytest.approx(BAR_WIDTH, abs=0.11)
