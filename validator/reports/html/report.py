"""The results as one HTML page: no network, complete without its script, made to be read, printed and signed.

Whatever an expression in a template yields is first made visible and then escaped, both by the template
engine itself, so no expression can forget either. The page allows itself exactly one style sheet and one
script, each named by its hash. Every finding is in the page as data (`finding_data`), which the script searches.
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
"""The most findings of one requirement that are on the page without its script."""
LISTED = 200
"""The most entries of any other list."""
GAPS_SHOWN = 20
"""The most gaps shown of one table."""
AT_ONCE = 10
"""The most entries of a long list that are shown at once; the others are folded up."""

_BUFFERED = 256
_SIGN = {
    Verdict.COMPLIANT: Status.PASS,
    Verdict.VIOLATIONS: Status.FAIL,
    Verdict.INCONCLUSIVE: Status.NOT_EVIDENCED,
}


def write_html(results: Results, stream: BinaryIO) -> None:
    """Write the report as UTF-8 HTML, piece by piece; the same results give the same bytes.

    The findings are passed over to sum them up, to hash the results, and to write them as data; of each requirement's
    at most `SHOWN` are held, and a block of those that are written.
    """
    found = overview(results, shown=SHOWN)
    numbers = found.shown_numbers(results)
    titles = {result.requirement: result.title for result in results.requirements}
    page = (
        environment()
        .get_template("report.html.j2")
        .stream(
            results=results,
            statistics=results.statistics,
            found=found,
            numbers=numbers,
            unexplained=found.unexplained(results),
            worst=found.worst(),
            bar=status_bar.bar(found.totals.requirements),
            sign=_SIGN[results.verdict],
            moneys=money_drawing.parts(results),
            currency=results.subject.currency,
            titles=titles,
            clauses={clause.clause: clause for clause in results.clauses},
            told=_told(results, found),
            reading_numbers={reading.reading: at for at, reading in enumerate(results.readings, 1)},
            layouts=tuple(layout_drawing.draw(layout, numbers) for layout in results.layouts),
            vouched=[
                one
                for one in results.requirements
                if one.evidence is Evidence.ATTESTATION and one.status is Status.PASS and one.reason
            ],
            set_aside=wording.set_aside(results),
            results_sha256=sha256_of(results, found.totals),
            data=map(Markup, finding_data(results.findings, _about(results, found))),
            shown_of_each=SHOWN,
            listed=LISTED,
            gaps_shown=GAPS_SHOWN,
            at_once=AT_ONCE,
        )
    )
    page.enable_buffering(_BUFFERED)
    for piece in page:
        stream.write(piece.encode())


def _told(results: Results, found: Overview) -> Mapping[int, Explanation]:
    """The rounds that are told, by the number of the first group of findings they are of; those of none by numbers that
    no group has."""
    by_requirement = {
        group.requirement: group.number for group in reversed(found.groups) if group.status is Status.FAIL
    }
    told: dict[int, Explanation] = {}
    for at, one in enumerate(results.explanations, 1):
        numbers = [by_requirement[name] for name in one.requirements if name in by_requirement]
        told[min((number for number in numbers if number not in told), default=-at)] = one
    return told


def _about(results: Results, found: Overview) -> Mapping[str, Any]:
    """What holds for all findings of the data: titles of requirements, and the words of clauses."""
    return {
        "total": found.total,
        "currency": visible(results.subject.currency or ""),
        "titles": {visible(one.requirement): visible(one.title) for one in results.requirements},
        "clauses": {visible(one.clause): [visible(one.gist), visible(_stands(one))] for one in results.clauses},
        "readings": {visible(one.reading): f"reading-{at}" for at, one in enumerate(results.readings, 1)},
        "states": {status.value: wording.STATUS_WORD[status] for status in WORST_FIRST},
    }


def _stands(clause: ClauseText) -> str:
    """Where a clause stands in its source."""
    return f"{clause.source}, {wording.lines_of(clause.first_line, clause.last_line)}"


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """The templates, with what every one of them may use; whatever they yield is made visible and escaped."""
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
        stands=_stands,
        severities=tuple(Severity),
        states=tuple(State),
        statuses=WORST_FIRST,
    )
    return environment


def page_style() -> Markup:
    """The styles of a report, those of what is drawn in it among them."""
    return own("report.css") + own("cloth.css")


def own(name: str) -> Markup:
    """A part of the page that is the same in every report: a style sheet or a script."""
    return Markup(files("validator.reports.html").joinpath("templates", name).read_text(encoding="utf-8"))


def _csp_hash(text: Markup) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
