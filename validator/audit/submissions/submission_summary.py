"""Summary of submissions for results: amounts as they were understood, and layouts with their findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission, SubmissionVerdict
from fairdeal.validator.evidence.submission_model import Area, Sign, Submission, SubmittedWager
from fairdeal.validator.evidence.submission_reader import collect_stated_values, find_money_keys
from fairdeal.validator.language.phrases import replace_hyphens
from fairdeal.validator.language.submission_conditions import MissingItem
from fairdeal.validator.results import results
from fairdeal.validator.results.findings import WORST_FIRST
from fairdeal.validator.rules.regulation import Regulation, line_title
from fairdeal.validator.text.plain_values import count_decimals, format_money

_SEPARATE_KEYS = frozenset({"wagers", "layout"})
"""Keys whose amounts are limits of wagers, or repeat them."""


def describe_submitted_amounts(submission: Submission, regulation: Regulation) -> results.SubmittedAmounts | None:
    """Return the limits of wagers and the other amounts of a submission in words; None if it states none."""
    titles = {} if regulation.game is None else {name: line.title for name, line in regulation.game.wagers.items()}
    offers = [offer for offer in submission.wagers or () if (offer.minimum, offer.maximum) != (None, None)]
    amounts = [
        f"{titles.get(offer.wager, offer.wager)} {_format_limits(offer, submission.currency)}" for offer in offers
    ]
    for key, value in collect_stated_values(submission).items():
        parts = [] if key in _SEPARATE_KEYS else list(_list_amounts(key, value, submission.currency))
        if parts:
            prefix = "" if key in find_money_keys() else f"{replace_hyphens(key)}: "
            amounts.append(f"{prefix}{', '.join(parts)}")
    unit = 10 ** count_decimals(submission.currency)
    questions = [
        f"{titles.get(offer.wager, offer.wager)}: a limit of {format_money(limit, submission.currency)} is less than"
        " one unit of the currency; is that what is meant?"
        for offer in offers
        for limit in dict.fromkeys((offer.minimum, offer.maximum))
        if limit is not None and 0 < limit < unit
    ]
    if not amounts:
        return None
    return results.SubmittedAmounts(
        submission=submission.submission,
        currency=submission.currency,
        amounts=tuple(amounts),
        questions=tuple(questions),
    )


def _format_limits(offer: SubmittedWager, currency: str | None) -> str:
    least, most = (None if limit is None else format_money(limit, currency) for limit in (offer.minimum, offer.maximum))
    if least is None:
        return f"up to {most}"
    if most is None:
        return f"from {least}"
    return least if least == most else f"{least} to {most}"


def _list_amounts(key: str, value: Any, currency: str | None) -> Iterator[str]:
    """Yield the amounts within the value of a key, each with its own key."""
    if key in find_money_keys() and type(value) is int:
        yield f"{replace_hyphens(key)} {format_money(value, currency)}"
    elif isinstance(value, Mapping):
        for inner, part in value.items():
            yield from _list_amounts(inner, part, currency)
    elif isinstance(value, list):
        for part in value:
            yield from _list_amounts("", part, currency)


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
Marks = Mapping[str, set[results.LayoutMark]]
"""Requirements by the place in the layout that their findings refer to."""


def build_layout(filed: FiledSubmission, verdicts: Iterable[SubmissionVerdict]) -> results.Layout | None:
    """Build the layout of a submission, with its findings and missing areas; None if no layout is submitted."""
    layout = filed.submission.layout
    if layout is None:
        return None
    submitted = layout.areas or ()
    marks, missing = _collect_marks(verdicts, submitted)
    areas = tuple(_build_area(area, f"{_AREAS}/{index}", marks) for index, area in enumerate(submitted))
    signage = tuple(
        results.LayoutSign(text=describe_sign(sign), marks=_marks_within(marks, f"{_LAYOUT}/signage/{index}"))
        for index, sign in enumerate(layout.signs)
    )
    parts = {
        *(f"{_AREAS}/{index}{key}" for index in range(len(areas)) for key in (*_AREA_SUFFIXES, _LEGEND)),
        *(place for index in range(len(signage)) for place in _places_within(marks, f"{_LAYOUT}/signage/{index}")),
    }
    return results.Layout(
        file=filed.tree.source_name,
        title=f"{filed.submission.submission}: layout in the style of {layout.style}",
        positions=layout.positions,
        areas=areas,
        signage=signage,
        marks=_merge_marks(marks, marks.keys() - parts),
        shape=results.TableShape.HALF_ROUND if layout.shape is None else results.TableShape(layout.shape),
        lacks=missing,
    )


def _build_area(area: Area, place: str, marks: Marks) -> results.LayoutArea:
    return results.LayoutArea(
        area=area.operand,
        legend=area.legend,
        wager=area.operator == "wager",
        per=_default_per((area.operator, area.operand)) if area.per is None else results.AreaUnit(area.per),
        marks=_merge_marks(marks, [f"{place}{key}" for key in _AREA_SUFFIXES]),
        legend_marks=_merge_marks(marks, [f"{place}{_LEGEND}"]),
    )


def _default_per(use: Use) -> results.AreaUnit:
    return results.AreaUnit.TABLE if use[0] == "for" and use[1] in _SHARED_USES else results.AreaUnit.POSITION


def _collect_marks(
    verdicts: Iterable[SubmissionVerdict], submitted: Sequence[Area]
) -> tuple[Marks, tuple[results.LayoutArea, ...]]:
    """Return the findings by place, and the missing areas. An area that exists but is wrong is marked."""
    marks_by_place: dict[str, set[results.LayoutMark]] = {}
    missing: dict[Use, set[results.LayoutMark]] = {}
    legends: dict[Use, str] = {}
    for verdict in verdicts:
        for finding, sought in zip(verdict.findings, verdict.missing_items, strict=True):
            mark = results.LayoutMark(requirement=finding.requirement, status=finding.status)
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
        results.LayoutArea(
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


def _marks_within(marks: Marks, place: str) -> tuple[results.LayoutMark, ...]:
    return _merge_marks(marks, _places_within(marks, place))


def _places_within(marks: Marks, place: str) -> list[str]:
    """Return the places in a part of the layout that findings refer to."""
    return [inner for inner in marks if f"{inner}/".startswith(f"{place}/")]


def _merge_marks(marks: Marks, places: Iterable[str]) -> tuple[results.LayoutMark, ...]:
    return _sort_marks({mark for place in places for mark in marks.get(place, ())})


def _sort_marks(marks: Iterable[results.LayoutMark]) -> tuple[results.LayoutMark, ...]:
    """Sort marks, worst first, then by requirement."""
    return tuple(sorted(marks, key=lambda mark: (WORST_FIRST.index(mark.status), mark.requirement)))
