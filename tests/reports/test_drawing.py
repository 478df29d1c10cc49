"""Geometry: slices fill the bar, spots lie on the felt and never touch."""

from __future__ import annotations

from itertools import combinations
from math import dist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.reports.drawing import BAR_WIDTH, HEIGHT, WIDTH, Slice, bar, draw
from validator.verdicts import Layout, LayoutArea, Status


def layout(positions: int, legends: list[str]) -> Layout:
    areas = tuple(LayoutArea(area=legend, legend=legend, flagged=len(legend) % 2 == 0) for legend in legends)
    return Layout(file="f", title="t", positions=positions, areas=areas)


def test_bar_is_in_proportion() -> None:
    assert bar({Status.FAIL: 1, Status.ERROR: 0, Status.PASS: 3}) == (
        Slice(status=Status.FAIL, x=0, width=250),
        Slice(status=Status.PASS, x=250, width=750),
    )
    assert bar(dict.fromkeys(Status, 0)) == ()


def test_one_in_a_million_can_be_seen() -> None:
    assert bar({Status.FAIL: 1, Status.PASS: 1_000_000}) == (
        Slice(status=Status.FAIL, x=0, width=8),
        Slice(status=Status.PASS, x=8, width=992),
    )


@given(st.dictionaries(st.sampled_from(Status), st.integers(1, 10**9), min_size=1))
def test_bar_is_filled_without_a_gap(counts: dict[Status, int]) -> None:
    slices = bar(counts)
    assert [one.status for one in slices] == list(counts)
    end = 0.0
    for one in slices:
        assert one.x == pytest.approx(end, abs=0.11)
        assert one.width >= 8
        end = one.x + one.width
    assert end == pytest.approx(BAR_WIDTH, abs=0.11)


@given(st.integers(-3, 40), st.lists(st.text(max_size=80), max_size=9))
def test_spots_are_on_the_table_and_apart(positions: int, legends: list[str]) -> None:
    drawn = draw(layout(positions, legends))
    assert drawn.positions == min(max(positions, 0), 12)
    assert drawn.areas == min(len(legends), 6)
    assert len(drawn.seats) == drawn.positions
    assert len(drawn.spots) == drawn.positions * drawn.areas
    for spot in drawn.spots:
        assert drawn.radius <= spot.x <= WIDTH - drawn.radius
        assert drawn.radius <= spot.y <= HEIGHT - drawn.radius
    for one, other in combinations(drawn.spots, 2):
        assert dist((one.x, one.y), (other.x, other.y)) >= 2 * drawn.radius


def test_a_legend_is_written_in_the_spot_where_it_fits() -> None:
    drawn = draw(layout(7, ["RED", "A LONGER ONE", "W" * 40]))
    assert [line.text for line in drawn.spots[0].lines] == ["RED"]
    assert [line.text for line in drawn.spots[1].lines] == ["A LONGER", "ONE", "flagged"]
    assert [line.text for line in drawn.spots[2].lines] == ["3", "flagged"]
    assert [spot.flagged for spot in drawn.spots[:3]] == [False, True, True]


def test_small_spots_carry_numbers() -> None:
    drawn = draw(layout(12, ["RED", "BLUE", "GREEN", "WHITE", "BLACK", "GREY"]))
    assert [[line.text for line in spot.lines] for spot in drawn.spots[:6]] == [
        ["1"],
        ["2"],
        ["3"],
        ["4"],
        ["5"],
        ["6"],
    ]
