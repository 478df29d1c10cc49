"""Submitted layouts as results hold them: areas, legends and signs, with what findings point at each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from validator.audit.submissions.requirements import Filed, SubmissionVerdict
from validator.evidence.submission.layout import Area, Sign
from validator.language.submission.answers import Sought
from validator.results.layouts import Layout, LayoutArea, LayoutMark, LayoutSign, Per, TableShape
from validator.results.statuses import WORST_FIRST
from validator.text.values.money import format_money

_LAYOUT = "/layout"
_AREAS = f"{_LAYOUT}/areas"
_USES = ("wager", "for")
"""The keys of an area that say what it is for."""
_OF_THE_TABLE = frozenset({"community", "discards"})
"""Uses for which a table has one area where the submission does not say otherwise."""

_OF_AREA = ("", "/wager", "/for", "/per")
_LEGEND = "/legend"

Use = tuple[str, str]
"""What an area is for: a key and its value."""
Marks = Mapping[str, set[LayoutMark]]
"""Requirements by the place in the layout that their findings point at."""


def layout_of(filed: Filed, verdicts: Iterable[SubmissionVerdict]) -> Layout | None:
    """The layout of a submission, with the findings that point into it and the areas that it lacks by them; None where
    none is submitted."""
    layout = filed.submission.layout
    if layout is None:
        return None
    submitted = layout.areas or ()
    marks, lacks = _marks(verdicts, submitted)
    areas = tuple(_area(area, f"{_AREAS}/{index}", marks) for index, area in enumerate(submitted))
    signage = tuple(
        LayoutSign(text=shown_on(sign), marks=_within(marks, f"{_LAYOUT}/signage/{index}"))
        for index, sign in enumerate(layout.signs)
    )
    parts = {
        *(f"{_AREAS}/{index}{key}" for index in range(len(areas)) for key in (*_OF_AREA, _LEGEND)),
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
        lacks=lacks,
    )


def _area(area: Area, place: str, marks: Marks) -> LayoutArea:
    return LayoutArea(
        area=area.operand,
        legend=area.legend,
        wager=area.operator == "wager",
        per=_usual((area.operator, area.operand)) if area.per is None else Per(area.per),
        marks=_joined(marks, [f"{place}{key}" for key in _OF_AREA]),
        legend_marks=_joined(marks, [f"{place}{_LEGEND}"]),
    )


def _usual(use: Use) -> Per:
    return Per.TABLE if use[0] == "for" and use[1] in _OF_THE_TABLE else Per.POSITION


def _marks(verdicts: Iterable[SubmissionVerdict], submitted: Sequence[Area]) -> tuple[Marks, tuple[LayoutArea, ...]]:
    """What findings point at, and the areas that are lacking. One that is there, but not as it should be, is marked."""
    found: dict[str, set[LayoutMark]] = {}
    lacking: dict[Use, set[LayoutMark]] = {}
    legends: dict[Use, str] = {}
    for verdict in verdicts:
        for finding, sought in zip(verdict.findings, verdict.lacks, strict=True):
            mark = LayoutMark(requirement=finding.requirement, status=finding.status)
            use = None if sought is None else _use(sought)
            there = [at for at, area in enumerate(submitted) if (area.operator, area.operand) == use]
            pointer = finding.where.pointer
            for at in there:
                found.setdefault(f"{_AREAS}/{at}", set()).add(mark)
            if use is not None and sought is not None and not there:
                lacking.setdefault(use, set()).add(mark)
                legends[use] = dict(sought.values).get("legend", legends.get(use, use[1]))
            elif not there and pointer is not None and f"{pointer}/".startswith(f"{_LAYOUT}/"):
                found.setdefault(pointer, set()).add(mark)
    lacks = tuple(
        LayoutArea(
            area=use[1],
            legend=legends[use],
            wager=use[0] == "wager",
            per=_usual(use),
            marks=_sorted(marks),
        )
        for use, marks in lacking.items()
    )
    return found, lacks


def _use(sought: Sought) -> Use | None:
    """What an area that is sought is for; None where it is no area, or one known by something else."""
    if sought.in_ != ("layout", "areas"):
        return None
    return next(((key, value) for key, value in sought.values if key in _USES), None)


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
