"""HTML report: one page without network access, complete without its script, to be read, printed and signed.

The template engine makes the value of every expression visible and escapes it. The page permits one style sheet and
one script, each by its hash. The script searches all findings, which the page has as data.

Each line of the inflated data is a JSON object. The first applies to all findings. Each further one is a block with new
`texts` (numbered on from those before), its number of `rows`, and its `columns`. Columns without a value in the block
are left out. Columns hold:

- numbers of texts (`TEXTS`), None for none; several values are one text with a line for each;
- texts (`WORDS`), 0 for the text of the finding before;
- whole numbers (`NUMBERS`); `line` is the difference from the finding before.
"""

from __future__ import annotations

import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from itertools import islice
from typing import Any, BinaryIO, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec.json import encode
from msgspec.structs import replace

from fairdeal.validator.reports import overview, report_wording, statistics_report
from fairdeal.validator.reports.finding_groups import FindingsSummary, summarize_findings
from fairdeal.validator.reports.html import charts, layout_drawing
from fairdeal.validator.reports.json_report import hash_results
from fairdeal.validator.reports.letter import HEADINGS, build_letter, list_restitution, list_schedule
from fairdeal.validator.reports.overview import build_overview, list_requests
from fairdeal.validator.results.findings import WORST_FIRST, Evidence, Finding, FindingState, Severity, Status, Verdict
from fairdeal.validator.results.results import AreaUnit, Explanation, Layout, Results
from fairdeal.validator.text.diagnostics import sanitize

TEXTS = (
    *("requirement", "document", "status", "severity", "state", "message", "remedy", "clauses", "reading"),
    *("waived", "claimed", "casino", "table", "day", "player", "wager", "pointer", "submission", "context", "file"),
    "currency",
)
"""Columns of numbered texts."""
WORDS = ("expected", "observed", "round", "clock", "id")
"""Columns of texts."""
NUMBERS = ("line", "column", "seat", "event", "count", "owed", "overpaid")
"""Columns of whole numbers."""

BLOCK = 2_000
"""Findings in a block."""
_LEVEL = 6
_PIECE = 57 * 1_000
"""Bytes that are encoded at once: a multiple of three, so that base64 needs no padding."""


def encode_findings(findings: Iterable[Finding], about: Mapping[str, Any]) -> Iterator[str]:
    """Yield the data in base64, piece by piece.

    Args:
        about: the first line, with texts already made visible.
    """
    waiting = b""
    for piece in _deflate(_lines(findings, about)):
        waiting += piece
        whole = len(waiting) // _PIECE * _PIECE
        if whole:
            yield b64encode(waiting[:whole]).decode()
            waiting = waiting[whole:]
    yield b64encode(waiting).decode()


def _deflate(lines: Iterable[bytes]) -> Iterator[bytes]:
    deflate = zlib.compressobj(_LEVEL)
    for line in lines:
        yield deflate.compress(line + b"\n")
    yield deflate.flush()


def _lines(findings: Iterable[Finding], about: Mapping[str, Any]) -> Iterator[bytes]:
    yield encode(about)
    numbers: dict[str, int] = {}
    rest = iter(findings)
    while block := list(islice(rest, BLOCK)):
        yield encode(_block(block, numbers))


def _block(block: list[Finding], numbers: dict[str, int]) -> dict[str, Any]:
    rows = [_row(finding) for finding in block]
    known = len(numbers)
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in (*TEXTS, *WORDS, *NUMBERS)}
    for name in TEXTS:
        columns[name] = [None if text is None else numbers.setdefault(text, len(numbers)) for text in columns[name]]
    for name in WORDS:
        columns[name] = [_unless_as_before(text, before) for text, before in _with_before(columns[name])]
    before = 0
    for at, line in enumerate(columns["line"]):
        if line is not None:
            columns["line"][at], before = line - before, line
    return {
        "texts": list(islice(numbers, known, None)),
        "rows": len(block),
        "columns": {name: column for name, column in columns.items() if any(value is not None for value in column)},
    }


def _with_before(texts: list[str | None]) -> Iterator[tuple[str | None, str | None]]:
    return zip(texts, [None, *texts], strict=False)


def _unless_as_before(text: str | None, before: str | None) -> str | int | None:
    return 0 if text is not None and text == before else text


def _row(finding: Finding) -> dict[str, Any]:
    where, waived, claimed = finding.where, finding.waived, finding.claimed
    day, clock = report_wording.split_clock(where)
    claim = None if claimed is None else report_wording.describe_claim(claimed, granted=waived is not None)
    return {
        "requirement": sanitize(finding.requirement),
        "document": sanitize(finding.document),
        "status": finding.status.value,
        "severity": finding.severity.value,
        "state": None if finding.state is None else finding.state.value,
        "message": sanitize(finding.headline),
        "remedy": _visible_or_none(finding.remedy),
        "clauses": _lines_of(finding.clauses),
        "reading": _lines_of(finding.reading),
        "waived": None if waived is None else sanitize(report_wording.describe_waiver(waived)),
        "claimed": _visible_or_none(claim),
        "casino": _visible_or_none(where.casino),
        "table": _visible_or_none(where.table),
        "day": _visible_or_none(day),
        "player": _visible_or_none(where.player),
        "wager": _visible_or_none(where.wager),
        "pointer": _visible_or_none(where.pointer),
        "submission": _visible_or_none(where.submission),
        "context": _lines_of(part for pair in (where.context or {}).items() for part in pair),
        "file": _visible_or_none(where.file),
        "currency": _visible_or_none(finding.currency),
        "expected": sanitize(finding.expected),
        "observed": sanitize(finding.observed),
        "round": _visible_or_none(where.round),
        "clock": _visible_or_none(clock),
        "id": sanitize(finding.id),
        "line": where.line,
        "column": where.column,
        "seat": where.seat,
        "event": where.event,
        "count": None if finding.count == 1 else finding.count,
        "owed": finding.owed,
        "overpaid": finding.overpaid,
    }


def _visible_or_none(text: str | None) -> str | None:
    return None if text is None else sanitize(text)


def _lines_of(texts: Iterable[str]) -> str | None:
    """Join texts as lines of one text; visible texts contain no line breaks."""
    return "\n".join(map(sanitize, texts)) or None


SHOWN = 3
"""Limit of the findings of one requirement that the page shows without its script."""
LISTED = 200
"""Limit of the entries of any other list."""
GAPS_SHOWN = 20
"""Limit of the gaps of one table."""
OPENED = 4
"""Number of the groups of findings that are not folded."""
STEPS_SHOWN = 7
"""Limit of the requests on the first screen."""
AT_ONCE = 10
"""Limit of the entries of a long list that are shown at once; the others are folded."""

_BUFFERED = 256
_SIGN = {
    Verdict.COMPLIANT: Status.PASS,
    Verdict.VIOLATIONS: Status.FAIL,
    Verdict.INCONCLUSIVE: Status.NOT_EVIDENCED,
}


def write_html(results: Results, stream: BinaryIO) -> None:
    """Write the report as UTF-8 HTML, piece by piece; the same results give the same bytes.

    Three passes over the findings summarize them, hash the results, and write the data. Memory holds `SHOWN` findings
    of each requirement and one block of data.
    """
    summary = summarize_findings(results, shown=SHOWN, violations=LISTED + 1)
    numbers = summary.shown_numbers(results)
    titles = {result.requirement: result.title for result in results.requirements}
    page = (
        build_environment()
        .get_template("report.html.j2")
        .stream(
            results=results,
            statistics=results.statistics,
            found=summary,
            numbers=numbers,
            unexplained=summary.find_unexplained(results),
            worst=summary.worst(),
            overview=build_overview(results, summary),
            requests=list_requests(results),
            bar=charts.build_bar(summary.totals.requirements),
            sign=_SIGN[results.verdict],
            moneys=charts.draw_amounts(results),
            currency=results.subject.currency,
            titles=titles,
            clauses=report_wording.cite_clauses(results),
            told=_explanations_by_group(results, summary),
            reading_numbers={reading.reading: at for at, reading in enumerate(results.readings, 1)},
            layouts=tuple(layout_drawing.draw_layout(layout, numbers) for layout in results.layouts),
            vouched=[
                result
                for result in results.requirements
                if result.evidence is Evidence.ATTESTATION and result.status is Status.PASS and result.reason
            ],
            set_aside=report_wording.count_quarantined(results),
            results_sha256=hash_results(results, summary.totals),
            data=map(Markup, encode_findings(results.findings, _about(results, summary))),
            shown_of_each=SHOWN,
            listed=LISTED,
            gaps_shown=GAPS_SHOWN,
            steps_shown=STEPS_SHOWN,
            opened=OPENED,
            schedule=tuple(list_schedule(replace(results, findings=summary.violations))),
            headings=HEADINGS,
            restitution=tuple(list_restitution(results)),
            at_once=AT_ONCE,
        )
    )
    page.enable_buffering(_BUFFERED)
    for piece in page:
        stream.write(piece.encode())


def write_letter(results: Results, stream: BinaryIO) -> None:
    """Write the letter to the licensee as UTF-8 HTML; the same results give the same bytes."""
    page = (
        build_environment()
        .get_template("letter.html.j2")
        .render(results=results, letter=build_letter(results), headings=HEADINGS, titles={})
    )
    stream.write(page.encode())


def _explanations_by_group(results: Results, summary: FindingsSummary) -> Mapping[int, Explanation]:
    """Return the explained rounds by the number of a group of their findings; a negative number if there is none."""
    by_requirement = {
        group.requirement: group.number for group in reversed(summary.groups) if group.status is Status.FAIL
    }
    by_group: dict[int, Explanation] = {}
    for at, explanation in enumerate(results.explanations, 1):
        numbers = [by_requirement[name] for name in explanation.requirements if name in by_requirement]
        by_group[min((number for number in numbers if number not in by_group), default=-at)] = explanation
    return by_group


def _about(results: Results, summary: FindingsSummary) -> Mapping[str, Any]:
    """Return the first line of the data: currency, titles of requirements, and texts of clauses."""
    return {
        "total": summary.total,
        "currency": sanitize(results.subject.currency or ""),
        "titles": {sanitize(result.requirement): sanitize(result.title) for result in results.requirements},
        "clauses": {
            sanitize(name): [
                sanitize(clause.gist),
                sanitize(f"{clause.regulation}, {clause.label}"),
                *(["\n".join(map(sanitize, clause.text))] if clause.text else ()),
            ]
            for name, clause in report_wording.cite_clauses(results).items()
        },
        "readings": {sanitize(reading.reading): f"reading-{at}" for at, reading in enumerate(results.readings, 1)},
        "schedule": list(HEADINGS.values()),
        "states": {status.value: report_wording.STATUS_WORD[status] for status in WORST_FIRST},
    }


def _visible(value: Any) -> Any:
    return sanitize(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_TEMPLATE_NAMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "status_bar": {
        "BAR_WIDTH": charts.BAR_WIDTH,
    },
    "table": {
        "HEIGHT": layout_drawing.HEIGHT,
        "TABLE_AREA": layout_drawing.TABLE_AREA,
        "WIDTH": layout_drawing.WIDTH,
    },
    "money": {
        "BAR": charts.BAR,
        "HEIGHT": charts.MONEY_HEIGHT,
        "WIDTH": charts.MONEY_WIDTH,
        "select_charts": charts.select_charts,
        "select_folded_charts": charts.select_folded_charts,
    },
    "s": {
        "GROUP_NAMES": report_wording.GROUP_NAMES,
        "NOT_STATED": report_wording.NOT_STATED,
        "count_new_and_known": overview.count_new_and_known,
        "count_rules": report_wording.count_rules,
        "count_tables_and_rounds": report_wording.count_tables_and_rounds,
        "describe_amounts": report_wording.describe_amounts,
        "describe_comparison": overview.describe_comparison,
        "describe_edition": report_wording.describe_edition,
        "format_amount": report_wording.format_amount,
        "format_currencies": report_wording.format_currencies,
        "format_day": report_wording.format_day,
        "format_licensee": report_wording.format_licensee,
        "format_period": report_wording.format_period,
        "format_regulation": report_wording.format_regulation,
        "format_sums": report_wording.format_sums,
        "format_time": report_wording.format_time,
        "list_games": report_wording.list_games,
        "list_licensees": report_wording.list_licensees,
        "summarize_group": overview.summarize_group,
    },
    "sd": {
        "COLUMNS_HEIGHT": charts.COLUMNS_HEIGHT,
        "COLUMNS_WIDTH": charts.COLUMNS_WIDTH,
        "MOST_DRAWN": charts.MOST_DRAWN,
        "WIDTH": charts.HOLD_WIDTH,
        "build_hold_tables": charts.build_hold_tables,
        "draw_frequencies": charts.draw_frequencies,
        "list_undrawn": charts.list_undrawn,
    },
    "sw": {
        "BY_NAME": statistics_report.BY_NAME,
        "NO_FINDING": statistics_report.NO_FINDING,
        "describe_furthest": statistics_report.describe_furthest,
        "describe_result": statistics_report.describe_result,
        "describe_stakes": statistics_report.describe_stakes,
        "describe_table": statistics_report.describe_table,
        "describe_test": statistics_report.describe_test,
        "list_pack_outliers": statistics_report.list_pack_outliers,
        "describe_packs": statistics_report.describe_packs,
        "format_percent": statistics_report.format_percent,
        "format_probability": statistics_report.format_probability,
        "format_range": statistics_report.format_range,
        "format_rounded_money": statistics_report.format_rounded_money,
        "group_by_wager": statistics_report.group_by_wager,
        "has_several_casinos": statistics_report.has_several_casinos,
        "list_outliers": statistics_report.list_outliers,
        "DROP_HEADINGS": statistics_report.DROP_HEADINGS,
        "DROP_NOTE": statistics_report.DROP_NOTE,
        "list_drop_cells": statistics_report.list_drop_cells,
        "list_rate_cells": statistics_report.list_rate_cells,
        "select_notable": statistics_report.select_notable,
        "RATE_HEADINGS": statistics_report.RATE_HEADINGS,
    },
    "w": {
        "CHECKED_IN": report_wording.CHECKED_IN,
        "DAY_NOT_STATED": report_wording.DAY_NOT_STATED,
        "LOG_MAY_BE_INCOMPLETE": report_wording.LOG_MAY_BE_INCOMPLETE,
        "REQUESTS": report_wording.REQUESTS,
        "STATUS_MEANING": report_wording.STATUS_MEANING,
        "STATUS_WORD": report_wording.STATUS_WORD,
        "capitalize_first": report_wording.capitalize_first,
        "describe_claim": report_wording.describe_claim,
        "describe_grants": report_wording.describe_grants,
        "describe_missing_rounds": report_wording.describe_missing_rounds,
        "describe_repeated_rounds": report_wording.describe_repeated_rounds,
        "describe_submitted_amounts": report_wording.describe_submitted_amounts,
        "describe_verdict": report_wording.describe_verdict,
        "describe_waiver": report_wording.describe_waiver,
        "format_count": report_wording.format_count,
        "format_location": report_wording.format_location,
        "format_number": report_wording.format_number,
        "format_sentence": report_wording.format_sentence,
        "format_totals": report_wording.format_totals,
        "has_new_content": report_wording.has_new_content,
        "list_place_parts": report_wording.list_place_parts,
        "short_id": report_wording.short_id,
        "summarize_reading": report_wording.summarize_reading,
        "summarize_statuses": report_wording.summarize_statuses,
    },
}
"""Names in templates: words of statistics (`sw`), of the subject (`s`) and of all reports (`w`), and drawings."""


@cache
def build_environment() -> Environment:
    """Return the templates with their globals; the values of their expressions are made visible and escaped."""
    environment = Environment(
        loader=PackageLoader("fairdeal.validator.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = load_page_style(), load_asset("report.js")
    environment.globals.update(
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        **_TEMPLATE_NAMES,
        severities=tuple(Severity),
        states=tuple(FindingState),
        statuses=WORST_FIRST,
    )
    return environment


def load_page_style() -> Markup:
    """Return the style sheet of a report, with the styles of its drawings."""
    return load_asset("report.css") + load_asset("cloth.css")


def load_asset(name: str) -> Markup:
    """Return a style sheet or script, which is the same in every report."""
    return Markup(files("fairdeal.validator.reports.html").joinpath("templates", name).read_text(encoding="utf-8"))


def _csp_hash(text: Markup) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


_COLOUR = re.compile(r"--([a-z-]+): ([^;]+);")
_USED = re.compile(r"var\(--([a-z-]+)\)")


def write_layout(
    layout: Layout, stream: BinaryIO, *, title: str, sentences: Sequence[str]
) -> layout_drawing.LayoutDrawing:
    """Write a layout as a standalone SVG in UTF-8 and return the drawing; the same layout gives the same bytes.

    Args:
        layout: The layout.
        stream: The drawing.
        title: Name of the game, below the table.
        sentences: What else is written below the table, such as limits and odds.
    """
    drawing = layout_drawing.draw_layout(layout, {})
    caption = layout_drawing.draw_caption(title, sentences)
    page = build_environment().get_template("layout.svg.j2")
    stream.write(
        page.render(drawn=drawing, caption=caption, description=_description(layout), cloth_style=_style()).encode()
    )
    return drawing


def _description(layout: Layout) -> str:
    """Return the areas and signs in words, for readers who cannot see the drawing."""
    positions = "" if layout.positions is None else f" {layout.positions}"
    of_each = [area.legend for area in layout.areas if area.per is AreaUnit.POSITION]
    of_table = [area.legend for area in layout.areas if area.per is AreaUnit.TABLE]
    parts = [
        f"Positions:{positions or ' not stated'}",
        f"At each position, from the player: {', '.join(of_each) or 'nothing'}",
        f"On the table: {', '.join(of_table) or 'nothing'}",
        f"{report_wording.format_count(len(layout.signage), 'sign')}: "
        f"{'; '.join(sign.text for sign in layout.signage) or 'none'}",
    ]
    return ". ".join(parts) + "."


@cache
def _style() -> Markup:
    values = dict(_COLOUR.findall(load_asset("report.css").partition("}")[0]))
    return Markup(_USED.sub(lambda match: values[match[1]], load_asset("cloth.css")))
