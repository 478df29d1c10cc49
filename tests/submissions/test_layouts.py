"""Submitted layouts in results: the elements that findings point at, and those of the table."""

from __future__ import annotations

from msgspec.structs import replace

from fairdeal.validator.audit.submissions.submission_summary import build_layout
from tests.facade.results import AreaUnit, Layout, LayoutArea, LayoutMark, LayoutSign, Status
from tests.facade.submissions import evaluate_submission

from .helpers import file_text, regulation, requirement

LAYOUT = """layout:
  style: rules
  positions: 6
  areas:
  - {wager: main, legend: Main}
  - {wager: side, legend: Sid}
  - {for: community, legend: Cards}
  - {for: community, legend: Cards, per: position}
  - {for: cards, legend: Yours}
  - {for: slot, legend: Slot, per: table}
  signage: [Welcome, No tips]
"""


def draw(text: str, *checks: str) -> Layout | None:
    """Build the layout after a submission was checked by the requirements `asked-0`, `asked-1` and so on."""
    asked = tuple(requirement(check, requirement=f"asked-{at}") for at, check in enumerate(checks))
    house = file_text(text)
    verdicts = evaluate_submission(replace(regulation(), requirements=asked), house)
    return build_layout(house, verdicts)


def must(condition: str) -> str:
    return f"{{each: submission, must: {condition}}}"


def mark(at: int, status: Status = Status.FAIL) -> LayoutMark:
    return LayoutMark(requirement=f"rules/asked-{at}", status=status)


def test_a_layout_bears_the_marks_of_what_points_at_it() -> None:
    found = draw(
        LAYOUT,
        must("{every: layout.areas, when: {at: .wager, equals: side}, must: {at: .legend, reads: side}}"),
        must("{every: layout.areas, when: {given: .wager}, must: {at: .wager, one-of: [main]}}"),
        must("{every: layout.signage, must: {at: .text, reads: welcome}}"),
        must("{some: layout.areas, when: {at: .for, equals: discards}}"),
        must("{at: layout.positions, at-most: 5}"),
        must("{every: layout.areas, must: {given: .per}}"),
        must("{at: deck.decks, equals: 1}"),
    )
    per = (mark(5),)
    assert found == Layout(
        file="house.yaml",
        title="spring: layout in the style of rules",
        positions=6,
        areas=(
            LayoutArea(area="main", legend="Main", marks=per),
            LayoutArea(area="side", legend="Sid", marks=(mark(1), mark(5)), legend_marks=(mark(0),)),
            LayoutArea(area="community", legend="Cards", wager=False, per=AreaUnit.TABLE, marks=per),
            LayoutArea(area="community", legend="Cards", wager=False),
            LayoutArea(area="cards", legend="Yours", wager=False, marks=per),
            LayoutArea(area="slot", legend="Slot", wager=False, per=AreaUnit.TABLE),
        ),
        signage=(LayoutSign(text="Welcome"), LayoutSign(text="No tips", marks=(mark(2),))),
        marks=(mark(4),),
        lacks=(LayoutArea(area="discards", legend="discards", wager=False, per=AreaUnit.TABLE, marks=(mark(3),)),),
    )


def test_an_area_that_a_layout_lacks_is_told_with_what_asks_for_it() -> None:
    found = draw(
        "wagers: [{wager: main}, {wager: side}]\n"
        "layout: {style: rules, areas: [{wager: main, legend: Maine}, {for: cards, legend: Cards}]}",
        must("{every: wagers, must: {some: layout.areas, when: {at: .wager, equals: {at: ..wager}}}}"),
        must(
            "[{some: layout.areas, when: [{at: .wager, equals: side}, "
            "{at: .legend, reads: The Side}]}, {some: layout.areas, when: "
            "[{at: .wager, equals: main}, {at: .legend, reads: main}]}]"
        ),
        must("{some: layout.areas, when: {at: .wager, equals: side}}"),
        must("{some: wagers, when: {at: .wager, equals: third}}"),
    )
    assert found is not None
    assert found.lacks == (LayoutArea(area="side", legend="The Side", marks=(mark(0), mark(1), mark(2))),)
    assert [area.marks for area in found.areas] == [(mark(1),), ()]
    assert found.marks == ()


def test_what_is_not_stated_is_marked_as_not_evidenced() -> None:
    found = draw("layout: {style: rules}", must("{some: layout.areas, when: {given: .wager}}"))
    assert found == Layout(
        file="house.yaml",
        title="spring: layout in the style of rules",
        positions=None,
        areas=(),
        marks=(mark(0, Status.NOT_EVIDENCED),),
    )


def test_without_a_layout_there_is_nothing_to_draw() -> None:
    assert draw("dealing: by-hand", must("{given: layout}")) is None


def test_the_worst_mark_stands_first() -> None:
    found = draw(
        "layout: {style: rules, areas: [{wager: main, legend: Main}]}",
        must("{every: layout.areas, must: {at: .wager, equals: {at: dealing}}}"),
        must("{every: layout.areas, must: {at: .wager, equals: side}}"),
        must("{every: layout.areas, must: {at: .per, equals: table}}"),
    )
    assert found is not None
    assert found.areas[0].marks == (mark(1), mark(2, Status.NOT_EVIDENCED))
    assert found.marks == ()
