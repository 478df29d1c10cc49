"""HTML report: one page without network access, complete without its script, to be read, printed and signed.

The template engine makes the value of every expression visible and escapes it. The page permits one style sheet and
one script, each by its hash. The script searches all findings, which the page has as data (`finding_data`).
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, BinaryIO

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from validator.reports import statistics_words, subject_words, wording
from validator.reports.html import layout_drawing, money_drawing, statistics_drawing, status_bar
from validator.reports.html.finding_data import finding_data
from validator.reports.json_report import sha256_of
from validator.reports.overview import Overview, overview
from validator.results.results import Explanation, Results
from validator.results.statuses import WORST_FIRST, Evidence, Severity, State, Status, Verdict
from validator.results.subject import ClauseText
from validator.text.visible import visible

SHOWN = 3
"""Limit of the findings of one requirement that the page shows without its script."""
LISTED = 200
"""Limit of the entries of any other list."""
GAPS_SHOWN = 20
"""Limit of the gaps of one table."""
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
    summary = overview(results, shown=SHOWN)
    numbers = summary.shown_numbers(results)
    titles = {result.requirement: result.title for result in results.requirements}
    page = (
        environment()
        .get_template("report.html.j2")
        .stream(
            results=results,
            statistics=results.statistics,
            found=summary,
            numbers=numbers,
            unexplained=summary.unexplained(results),
            worst=summary.worst(),
            bar=status_bar.bar(summary.totals.requirements),
            sign=_SIGN[results.verdict],
            moneys=money_drawing.parts(results),
            currency=results.subject.currency,
            titles=titles,
            clauses={clause.clause: clause for clause in results.clauses},
            told=_explanations_by_group(results, summary),
            reading_numbers={reading.reading: at for at, reading in enumerate(results.readings, 1)},
            layouts=tuple(layout_drawing.draw(layout, numbers) for layout in results.layouts),
            vouched=[
                result
                for result in results.requirements
                if result.evidence is Evidence.ATTESTATION and result.status is Status.PASS and result.reason
            ],
            set_aside=wording.set_aside(results),
            results_sha256=sha256_of(results, summary.totals),
            data=map(Markup, finding_data(results.findings, _about(results, summary))),
            shown_of_each=SHOWN,
            listed=LISTED,
            gaps_shown=GAPS_SHOWN,
            at_once=AT_ONCE,
        )
    )
    page.enable_buffering(_BUFFERED)
    for piece in page:
        stream.write(piece.encode())


def _explanations_by_group(results: Results, summary: Overview) -> Mapping[int, Explanation]:
    """Return the explained rounds by the number of a group of their findings; a negative number if there is none."""
    by_requirement = {
        group.requirement: group.number for group in reversed(summary.groups) if group.status is Status.FAIL
    }
    by_group: dict[int, Explanation] = {}
    for at, explanation in enumerate(results.explanations, 1):
        numbers = [by_requirement[name] for name in explanation.requirements if name in by_requirement]
        by_group[min((number for number in numbers if number not in by_group), default=-at)] = explanation
    return by_group


def _about(results: Results, summary: Overview) -> Mapping[str, Any]:
    """Return the first line of the data: currency, titles of requirements, and texts of clauses."""
    return {
        "total": summary.total,
        "currency": visible(results.subject.currency or ""),
        "titles": {visible(result.requirement): visible(result.title) for result in results.requirements},
        "clauses": {
            visible(clause.clause): [visible(clause.gist), visible(_source_of(clause))] for clause in results.clauses
        },
        "readings": {visible(reading.reading): f"reading-{at}" for at, reading in enumerate(results.readings, 1)},
        "states": {status.value: wording.STATUS_WORD[status] for status in WORST_FIRST},
    }


def _source_of(clause: ClauseText) -> str:
    """Return the source of a clause and its lines."""
    return f"{clause.source}, {wording.lines_of(clause.first_line, clause.last_line)}"


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """Return the templates with their globals; the values of their expressions are made visible and escaped."""
    environment = Environment(
        loader=PackageLoader("validator.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    style, script = page_style(), own("report.js")
    environment.globals.update(
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        status_bar=status_bar,
        table=layout_drawing,
        money=money_drawing,
        s=subject_words,
        sd=statistics_drawing,
        sw=statistics_words,
        w=wording,
        stands=_source_of,
        severities=tuple(Severity),
        states=tuple(State),
        statuses=WORST_FIRST,
    )
    return environment


def page_style() -> Markup:
    """Return the style sheet of a report, with the styles of its drawings."""
    return own("report.css") + own("cloth.css")


def own(name: str) -> Markup:
    """Return a style sheet or script, which is the same in every report."""
    return Markup(files("validator.reports.html").joinpath("templates", name).read_text(encoding="utf-8"))


def _csp_hash(text: Markup) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
