"""The results as one HTML page: no network, complete without its script, made to be printed and signed.

Whatever an expression in a template yields is first made visible and then escaped, both by the template
engine itself, so no expression can forget either. The page allows itself exactly one style sheet and one
script, each named by its hash.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, BinaryIO

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from msgspec import Struct

from validator.reports import drawing, layout_drawing, wording
from validator.reports.tally import Totals, groups, tally
from validator.text.visible import visible
from validator.verdicts import WORST_FIRST, Results, Severity, Status, Verdict

SHOWN = 200
"""The most findings shown of one requirement, and the most quarantined records."""

GAPS_SHOWN = 20
"""The most gaps shown of one table."""

TABLES_OPEN = 10
"""The most tables of the logs listed at once; a longer list, which would stand before the findings, is folded up."""

_BUFFERED = 256
_SIGN = {
    Verdict.COMPLIANT: Status.PASS,
    Verdict.VIOLATIONS: Status.FAIL,
    Verdict.INCONCLUSIVE: Status.NOT_EVIDENCED,
}


class StatusRow(Struct, frozen=True, kw_only=True):
    """One line of the table of counts: requirements by severity, findings, and how many are waived."""

    status: Status
    requirements: int
    by_severity: tuple[int, ...]
    waived: int
    findings: int


def write_html(results: Results, stream: BinaryIO) -> None:
    """Write the report as UTF-8 HTML, piece by piece; the same results give the same bytes.

    The findings are passed over twice, once to count and once to write; of each requirement's, at most
    `SHOWN` are held.
    """
    totals, numbers = tally(results)
    page = (
        environment()
        .get_template("report.html.j2")
        .stream(
            results=results,
            totals=totals,
            rows=_rows(results, totals),
            bar=drawing.bar(totals.requirements),
            sign=_SIGN[results.verdict],
            groups=groups(results.findings, limit=SHOWN),
            group_numbers=numbers,
            titles={result.requirement: result.title for result in results.requirements},
            reading_numbers={reading.reading: at for at, reading in enumerate(results.readings, 1)},
            layouts=tuple(layout_drawing.draw(layout, numbers) for layout in results.layouts),
            set_aside=wording.set_aside(results),
            shown=SHOWN,
            gaps_shown=GAPS_SHOWN,
            tables_open=TABLES_OPEN,
        )
    )
    page.enable_buffering(_BUFFERED)
    for piece in page:
        stream.write(piece.encode())


def _rows(results: Results, totals: Totals) -> tuple[StatusRow, ...]:
    rows: list[StatusRow] = []
    for status in WORST_FIRST:
        these = [result for result in results.requirements if result.status is status]
        rows.append(
            StatusRow(
                status=status,
                requirements=len(these),
                by_severity=tuple(sum(r.severity is severity for r in these) for severity in Severity),
                waived=sum(r.waived is not None for r in these),
                findings=totals.findings[status],
            )
        )
    return tuple(rows)


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """The templates, with what every one of them may use; whatever they yield is made visible and escaped."""
    environment = Environment(
        loader=PackageLoader("validator.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = own("report.css") + own("cloth.css"), own("report.js")
    environment.globals.update(
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        drawing=drawing,
        table=layout_drawing,
        w=wording,
        severities=tuple(Severity),
        statuses=WORST_FIRST,
    )
    return environment


def own(name: str) -> Markup:
    """A style sheet or script among the templates."""
    return Markup(files("validator.reports").joinpath("templates", name).read_text(encoding="utf-8"))


def _csp_hash(text: Markup) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
