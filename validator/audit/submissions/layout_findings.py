"""Submitted table layouts for results: areas, legends and signs, with the findings on each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission, SubmissionVerdict
from fairdeal.validator.audit.submissions.submitted_amounts import describe_submitted_amounts
from fairdeal.validator.evidence.submission_model import Area, Sign, Submission
from fairdeal.validator.language.phrases import replace_hyphens
from fairdeal.validator.language.submission_conditions import MissingItem
from fairdeal.validator.results.findings import WORST_FIRST
from fairdeal.validator.results.results import AreaUnit, Layout, LayoutArea, LayoutMark, LayoutSign, TableShape
from fairdeal.validator.rules.regulation import Regulation, line_title
from fairdeal.validator.text.money import format_money

_LAYOUT = "/layout"
_AREAS = f"{_LAYOUT}/areas"
_USE_KEYS = ("wager", "for")
"""Keys of an area that state its use."""
_SHARED_USES = frozenset({"community", "discards"})
"""Uses for which a table has one area unless the submission states otherwise."""

_AREA_SUFFIXES = ("", "/wager", "/for", "/per")
_LEGEND = "/legend"

Use = tuple[str, str]
"""Use of an area: a key and its value."""
Marks = Mapping[str, set[LayoutMark]]
"""Requirements by the place in the layout that their findings refer to."""


def build_layout(filed: FiledSubmission, verdicts: Iterable[SubmissionVerdict]) -> Layout | None:
    """Build the layout of a submission, with its findings and missing areas; None if no layout is submitted."""
    layout = filed.submission.layout
    if layout is None:
        return None
    submitted = layout.areas or ()
    marks, missing = _collect_marks(verdicts, submitted)
    areas = tuple(_build_area(area, f"{_AREAS}/{index}", marks) for index, area in enumerate(submitted))
    signage = tuple(
        LayoutSign(text=describe_sign(sign), marks=_marks_within(marks, f"{_LAYOUT}/signage/{index}"))
        for index, sign in enumerate(layout.signs)
    )
    parts = {
        *(f"{_AREAS}/{index}{key}" for index in range(len(areas)) for key in (*_AREA_SUFFIXES, _LEGEND)),
        *(place for index in range(len(signage)) for place in _places_within(marks, f"{_LAYOUT}/signage/{index}")),
    }
    return Layout(
        file=filed.tree.source_name,
        title=f"{filed.submission.submission}: layout in the style of {layout.style}",
        positions=layout.positions,
        areas=areas,
        signage=signage,
        marks=_merge_marks(marks, marks.keys() - parts),
        shape=TableShape.HALF_ROUND if layout.shape is None else TableShape(layout.shape),
        lacks=missing,
    )


def _build_area(area: Area, place: str, marks: Marks) -> LayoutArea:
    return LayoutArea(
        area=area.operand,
        legend=area.legend,
        wager=area.operator == "wager",
        per=_default_per((area.operator, area.operand)) if area.per is None else AreaUnit(area.per),
        marks=_merge_marks(marks, [f"{place}{key}" for key in _AREA_SUFFIXES]),
        legend_marks=_merge_marks(marks, [f"{place}{_LEGEND}"]),
    )


def _default_per(use: Use) -> AreaUnit:
    return AreaUnit.TABLE if use[0] == "for" and use[1] in _SHARED_USES else AreaUnit.POSITION


def _collect_marks(
    verdicts: Iterable[SubmissionVerdict], submitted: Sequence[Area]
) -> tuple[Marks, tuple[LayoutArea, ...]]:
    """Return the findings by place, and the missing areas. An area that exists but is wrong is marked."""
    marks_by_place: dict[str, set[LayoutMark]] = {}
    missing: dict[Use, set[LayoutMark]] = {}
    legends: dict[Use, str] = {}
    for verdict in verdicts:
        for finding, sought in zip(verdict.findings, verdict.missing_items, strict=True):
            mark = LayoutMark(requirement=finding.requirement, status=finding.status)
            use = None if sought is None else _find_use(sought)
            existing = [index for index, area in enumerate(submitted) if (area.operator, area.operand) == use]
            pointer = finding.where.pointer
            for index in existing:
                marks_by_place.setdefault(f"{_AREAS}/{index}", set()).add(mark)
            if use is not None and sought is not None and not existing:
                missing.setdefault(use, set()).add(mark)
                legends[use] = dict(sought.values).get("legend", legends.get(use, use[1]))
            elif not existing and pointer is not None and f"{pointer}/".startswith(f"{_LAYOUT}/"):
                marks_by_place.setdefault(pointer, set()).add(mark)
    missing_areas = tuple(
        LayoutArea(
            area=use[1],
            legend=legends[use],
            wager=use[0] == "wager",
            per=_default_per(use),
            marks=_sort_marks(marks),
        )
        for use, marks in missing.items()
    )
    return marks_by_place, missing_areas


def _find_use(sought: MissingItem) -> Use | None:
    """Return the use of a missing area; None if it is not an area, or has no use."""
    if sought.list_path != ("layout", "areas"):
        return None
    return next(((key, value) for key, value in sought.values if key in _USE_KEYS), None)


def describe_terms(submission: Submission, regulation: Regulation) -> tuple[str, ...]:
    """Describe the limits and the pay tables of a submission, a sentence for each."""
    stated = describe_submitted_amounts(submission, regulation)
    tables = [
        f"{line_title(regulation.game, table.pays) if regulation.game else table.pays} pays"
        f" {', '.join(f'{replace_hyphens(row.hand)} {row.odds}' for row in table.rows)}"
        for _, table in submission.list_tables_in_use()
        if table.rows
    ]
    return (*(() if stated is None else stated.amounts), *tables)


def describe_sign(sign: Sign) -> str:
    """Describe a sign: its words, or those of its contents."""
    if sign.text is not None:
        return sign.text
    limits = " to ".join(format_money(limit) for limit in (sign.minimum, sign.maximum) if limit is not None)
    rows = [f"{row.hand} {row.odds}" for row in sign.rows or ()]
    rake = [] if sign.rake is None else ["rake", *([sign.rake.kind] if sign.rake.kind else [])]
    rake += [
        f"{format_money(level.takes)} at {format_money(level.pot)}" for level in (sign.rake and sign.rake.levels) or ()
    ]
    parts = [*([sign.wager] if sign.wager else []), *([limits] if limits else []), *rows, *rake]
    return ", ".join(parts) or "nothing stated"


def _marks_within(marks: Marks, place: str) -> tuple[LayoutMark, ...]:
    return _merge_marks(marks, _places_within(marks, place))


def _places_within(marks: Marks, place: str) -> list[str]:
    """Return the places in a part of the layout that findings refer to."""
    return [inner for inner in marks if f"{inner}/".startswith(f"{place}/")]


def _merge_marks(marks: Marks, places: Iterable[str]) -> tuple[LayoutMark, ...]:
    return _sort_marks({mark for place in places for mark in marks.get(place, ())})


def _sort_marks(marks: Iterable[LayoutMark]) -> tuple[LayoutMark, ...]:
    """Sort marks, worst first, then by requirement."""
    return tuple(sorted(marks, key=lambda mark: (WORST_FIRST.index(mark.status), mark.requirement)))
