"""Submitted layouts as results hold them: areas, legends and signs, with what findings point at each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from validator.checks.submissions import Filed
from validator.evidence.submission import Area, Sign
from validator.text.money import format_money
from validator.verdicts import WORST_FIRST, Finding, Layout, LayoutArea, LayoutMark, LayoutSign, Per, TableShape

_LAYOUT = "/layout"
_OF_THE_TABLE = frozenset({"community", "discards"})
"""Uses for which a table has one area where the submission does not say otherwise."""

_OF_AREA = ("", "/wager", "/for", "/per")
_LEGEND = "/legend"

Marks = Mapping[str, tuple[LayoutMark, ...]]


def layout_of(filed: Filed, findings: Iterable[Finding]) -> Layout | None:
    """The layout of a submission, with the findings that point into it; None where none is submitted."""
    layout = filed.submission.layout
    if layout is None:
        return None
    marks = _marks(findings)
    areas = tuple(_area(area, f"{_LAYOUT}/areas/{index}", marks) for index, area in enumerate(layout.areas or ()))
    signage = tuple(
        LayoutSign(text=shown_on(sign), marks=_within(marks, f"{_LAYOUT}/signage/{index}"))
        for index, sign in enumerate(layout.signs)
    )
    parts = {
        *(f"{_LAYOUT}/areas/{index}{key}" for index in range(len(areas)) for key in (*_OF_AREA, _LEGEND)),
        *(place for index in range(len(signage)) for place in _places_within(marks, f"{_LAYOUT}/signage/{index}")),
    }
    return Layout(
        file=filed.tree.source_name,
        title=f"{filed.submission.submission}: layout in the style of {layout.style}",
        positions=layout.positions,
        areas=areas,
        signage=signage,
        marks=_joined(marks, marks.keys() - parts),
        shape=TableShape.HALF_ROUND if layout.shape is None else TableShape(layout.shape),
    )


def _area(area: Area, place: str, marks: Marks) -> LayoutArea:
    use = area.operand
    usual = Per.TABLE if area.operator == "for" and use in _OF_THE_TABLE else Per.POSITION
    return LayoutArea(
        area=use,
        legend=area.legend,
        wager=area.operator == "wager",
        per=usual if area.per is None else Per(area.per),
        marks=_joined(marks, [f"{place}{key}" for key in _OF_AREA]),
        legend_marks=marks.get(f"{place}{_LEGEND}", ()),
    )


def _marks(findings: Iterable[Finding]) -> Marks:
    """Requirements by the place in the layout that their findings point at."""
    found: dict[str, set[LayoutMark]] = {}
    for finding in findings:
        pointer = finding.where.pointer
        if pointer is not None and f"{pointer}/".startswith(f"{_LAYOUT}/"):
            mark = LayoutMark(requirement=finding.requirement, status=finding.status)
            found.setdefault(pointer, set()).add(mark)
    return {place: _sorted(marks) for place, marks in found.items()}


def shown_on(sign: Sign) -> str:
    """What stands on a sign: its words, or those of what it shows."""
    if sign.text is not None:
        return sign.text
    limits = " to ".join(format_money(one) for one in (sign.minimum, sign.maximum) if one is not None)
    rows = [f"{row.hand} {row.odds}" for row in sign.rows or ()]
    rake = [] if sign.rake is None else ["rake", *([sign.rake.kind] if sign.rake.kind else [])]
    rake += [f"{format_money(one.takes)} at {format_money(one.pot)}" for one in (sign.rake and sign.rake.levels) or ()]
    parts = [*([sign.wager] if sign.wager else []), *([limits] if limits else []), *rows, *rake]
    return ", ".join(parts) or "nothing stated"


def _within(marks: Marks, place: str) -> tuple[LayoutMark, ...]:
    return _joined(marks, _places_within(marks, place))


def _places_within(marks: Marks, place: str) -> list[str]:
    """The places that findings point at in a part of the layout."""
    return [one for one in marks if f"{one}/".startswith(f"{place}/")]


def _joined(marks: Marks, places: Iterable[str]) -> tuple[LayoutMark, ...]:
    return _sorted({mark for place in places for mark in marks.get(place, ())})


def _sorted(marks: Iterable[LayoutMark]) -> tuple[LayoutMark, ...]:
    """Marks worst first, then by requirement."""
    return tuple(sorted(marks, key=lambda mark: (WORST_FIRST.index(mark.status), mark.requirement)))
