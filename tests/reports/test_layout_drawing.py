"""Geometry of layouts: spots are on the felt and never touch, texts fit, marks lead to their findings."""

from __future__ import annotations

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.reports.html.layout_drawing import (
    HEIGHT,
    TABLE_AREA,
    WIDTH,
    DrawnArea,
    LayoutDrawing,
    Pointer,
    draw_layout,
    fit_text,
)
from tests.facade.reports import render
from tests.facade.results import AreaUnit, Layout, LayoutArea, LayoutMark, LayoutSign, Results, Status, TableShape
from tests.reports import sample

FAILED = LayoutMark(requirement="one", status=Status.FAIL)
UNPROVEN = LayoutMark(requirement="two", status=Status.NOT_EVIDENCED)
NUMBERS = {(Status.FAIL, "one"): 3}

AREAS = st.builds(
    LayoutArea,
    area=st.just("a"),
    legend=st.text(max_size=80),
    wager=st.booleans(),
    per=st.sampled_from(AreaUnit),
    marks=st.sampled_from([(), (FAILED,), (UNPROVEN,)]),
)


def layout(
    positions: int | None,
    areas: list[LayoutArea],
    signs: tuple[str, ...] = (),
    shape: TableShape = TableShape.HALF_ROUND,
) -> Layout:
    signage = tuple(LayoutSign(text=sign) for sign in signs)
    return Layout(file="f", title="t", positions=positions, areas=tuple(areas), signage=signage, shape=shape)


def box(spot: DrawnArea, radius: float) -> tuple[float, float, float, float]:
    """Return the left, upper, right and lower edge of a spot."""
    across, down = {
        "round": (radius, radius),
        "square": (0.78 * radius, 0.78 * radius),
        "wide": (TABLE_AREA[0] / 2, TABLE_AREA[1] / 2),
    }[spot.shape]
    return spot.x - across, spot.y - down, spot.x + across, spot.y + down


def are_disjoint(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@given(st.none() | st.integers(-3, 40), st.lists(AREAS, max_size=12), st.sampled_from(TableShape))
def test_spots_are_on_the_table_and_apart(positions: int | None, areas: list[LayoutArea], shape: TableShape) -> None:
    drawn = draw_layout(layout(positions, areas, shape=shape), NUMBERS)
    left, upper = drawn.form.tray
    tray = (left, upper, left + 160, upper + 26)
    own = [area for area in areas if area.per is AreaUnit.POSITION][:6]
    shared = [area for area in areas if area.per is AreaUnit.TABLE][:4]
    assert drawn.positions == len(drawn.seats) == min(max(1 if positions is None else positions, 0), 12)
    assert drawn.areas == len(own) + len(shared)
    assert [spot.area for spot in drawn.spots] == own * drawn.positions + shared
    boxes = [box(spot, drawn.radius) for spot in drawn.spots]
    for left, upper, right, lower in boxes:
        assert left >= 0
        assert upper >= 0
        assert right <= WIDTH
        assert lower <= HEIGHT
    for spot, here in zip(drawn.spots, boxes, strict=True):
        if spot.shape == "wide":
            assert are_disjoint(here, tray)
    for (combination, here), (other, there) in combinations(zip(drawn.spots, boxes, strict=True), 2):
        if combination.shape == other.shape == "round":
            assert (combination.x - other.x) ** 2 + (combination.y - other.y) ** 2 >= (2 * drawn.radius) ** 2
        elif "wide" in (combination.shape, other.shape):
            assert are_disjoint(here, there)


@pytest.mark.parametrize(("shape", "around"), [(TableShape.HALF_ROUND, False), (TableShape.OVAL, True)])
def test_players_sit_along_the_arc_or_all_around(shape: TableShape, around: bool) -> None:
    drawn = draw_layout(layout(11, [], shape=shape), {})
    middle = drawn.form.centre[1]
    assert any(seat.y < middle for seat in drawn.seats) is around
    assert all(seat.y > drawn.form.tray[1] for seat in drawn.seats)
    assert len({(seat.x, seat.y) for seat in drawn.seats}) == 11


@pytest.mark.parametrize(
    ("area", "shape"),
    [
        (LayoutArea(area="a", legend="A"), "round"),
        (LayoutArea(area="a", legend="A", wager=False), "square"),
        (LayoutArea(area="a", legend="A", wager=False, per=AreaUnit.TABLE), "wide"),
        (LayoutArea(area="a", legend="A", per=AreaUnit.TABLE), "wide"),
    ],
)
def test_the_shape_tells_what_an_area_is(area: LayoutArea, shape: str) -> None:
    assert [spot.shape for spot in draw_layout(layout(1, [area]), {}).spots] == [shape]


@pytest.mark.parametrize(
    ("marks", "legend_marks", "finding", "on_legend"),
    [
        ((), (), None, False),
        ((FAILED,), (), Pointer(status=Status.FAIL, number=3), False),
        ((UNPROVEN,), (), Pointer(status=Status.NOT_EVIDENCED, number=None), False),
        ((UNPROVEN,), (FAILED,), Pointer(status=Status.FAIL, number=3), False),
        ((), (FAILED,), Pointer(status=Status.FAIL, number=3), True),
    ],
)
def test_a_spot_shows_the_worst_that_points_at_it(
    marks: tuple[LayoutMark, ...], legend_marks: tuple[LayoutMark, ...], finding: Pointer | None, on_legend: bool
) -> None:
    area = LayoutArea(area="a", legend="A", marks=marks, legend_marks=legend_marks)
    (spot,) = draw_layout(layout(1, [area]), NUMBERS).spots
    assert (spot.finding, spot.on_legend) == (finding, on_legend)


def test_an_area_that_is_lacking_is_drawn_as_a_ghost_with_its_finding() -> None:
    lacking = LayoutArea(area="b", legend="B", marks=(FAILED,))
    discards = LayoutArea(area="c", legend="C", wager=False, per=AreaUnit.TABLE, marks=(UNPROVEN,))
    there = layout(2, [LayoutArea(area="a", legend="A")])
    drawn = draw_layout(replace(there, lacks=(lacking, discards)), NUMBERS)
    assert [(spot.area.area, spot.shape, spot.ghost) for spot in drawn.spots] == [
        *[("a", "round", False), ("b", "round", True)] * 2,
        ("c", "wide", True),
    ]
    assert [spot.finding for spot in drawn.spots if spot.ghost] == [
        *[Pointer(status=Status.FAIL, number=3)] * 2,
        Pointer(status=Status.NOT_EVIDENCED, number=None),
    ]
    assert drawn.whole
    page = render("html", sample.RESULTS).decode()
    assert len(re.findall(r'class="marked is-fail ghost"', page)) == 1
    assert '<strong>Missing</strong>; it should read <bdi class="said">METER</bdi>' in page


def words(drawn: LayoutDrawing) -> list[list[str]]:
    return [[line.text for line in spot.lines] for spot in drawn.spots]


def test_a_legend_is_written_in_the_spot_as_far_as_it_fits() -> None:
    legends = ["RED", "A LONGER ONE", "W" * 40, "ONE TWO THREE FOUR FIVE SIX SEVEN"]
    assert words(draw_layout(layout(1, [LayoutArea(area="a", legend=legend) for legend in legends[:3]]), {})) == [
        ["RED"],
        ["A LONGER", "ONE"],
        ["WWWWWWW…"],
    ]
    assert words(draw_layout(layout(1, [LayoutArea(area="a", legend=legends[3])]), {})) == [
        ["ONE TWO", "THREE", "FOUR …"]
    ]


def test_small_spots_carry_short_legends_or_numbers() -> None:
    legends = ["I", "BLUE", "GREEN", "WHITE", "BLACK", "GREY"]
    drawn = draw_layout(layout(12, [LayoutArea(area="a", legend=legend) for legend in legends]), {})
    assert words(drawn)[:6] == [["I"], ["BLUE"], ["3"], ["4"], ["5"], ["GREY"]]


@pytest.mark.parametrize(("many", "whole"), [(4, True), (5, False)])
def test_signs_stand_side_by_side_above_the_table(many: int, whole: bool) -> None:
    drawn = draw_layout(layout(6, [], ("No smoking at this table, please, and no calls",) * many), {})
    assert drawn.top == -58
    assert len(drawn.plates) == 4
    assert drawn.whole is whole
    for plate, other in zip(drawn.plates, drawn.plates[1:], strict=False):
        assert plate.x + plate.width < other.x
    assert drawn.plates[0].x >= 0
    assert drawn.plates[-1].x + drawn.plates[-1].width <= WIDTH
    assert drawn.plates[0].text == "No smoking at this table…"
    assert draw_layout(layout(6, []), {}).top == 0


@given(st.text(max_size=900), st.integers(10, 400), st.integers(1, 4))
def test_texts_fit(text: str, width: int, lines: int) -> None:
    found = fit_text(text, width=width, lines=lines, letter=6)
    assert len(found) <= lines
    room = max(width // 6, 1)
    assert all(len(line.encode("ascii", "ignore")) <= room for line in found)


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=4))
def test_what_fits_is_whole(words: list[str]) -> None:
    assert " ".join(fit_text(" ".join(words), width=200, lines=4, letter=6)) == " ".join(words)


def test_wide_letters_take_twice_the_room() -> None:
    assert fit_text("\u4e00" * 5, width=60, lines=1, letter=6) == ("\u4e00" * 5,)
    assert fit_text("\u4e00" * 6, width=60, lines=1, letter=6) == ("\u4e00" * 4 + "…",)


@pytest.mark.parametrize("results", [sample.RESULTS, sample.hostile(), sample.long_names()])
def test_every_link_of_a_layout_leads_to_a_group_of_findings(results: Results) -> None:
    page = render("html", results).decode()
    there = set(re.findall(r' id="(group-\d+)"', page))
    links = re.findall(r'href="#(group-\d+)"', page.partition('id="layouts"')[2])
    assert links
    assert set(links) <= there
    headings = dict(re.findall(r'id="(group-\d+)-title"><span class="no">\d+</span> <bdi>([^<]*)', page))
    if results is sample.RESULTS:
        assert headings["group-1"] == "Each betting area carries the legend of its wager"
        assert 'aria-label="second of layout 1: finding 1"' in page
