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
from typing import Any, BinaryIO, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from validator.reports.html.finding_data import finding_data
from validator.reports.html.layout_drawing import HEIGHT, TABLE_AREA, WIDTH, draw
from validator.reports.html.money_drawing import BAR, MONEY_HEIGHT, MONEY_WIDTH, folded_up, of_kind, parts
from validator.reports.html.statistics_drawing import (
    COLUMNS_HEIGHT,
    COLUMNS_WIDTH,
    HOLD_WIDTH,
    drawn,
    hold_tables,
    not_drawn,
)
from validator.reports.html.status_bar import BAR_WIDTH, bar
from validator.reports.json_report import sha256_of
from validator.reports.overview import Overview, overview
from validator.reports.statistics_words import (
    BY_NAME,
    NO_FINDING,
    at_table,
    by_wager,
    chance,
    looked_at,
    money,
    most_off,
    percent,
    several_casinos,
    standing_out,
    verdict,
    where,
    within,
)
from validator.reports.subject_words import (
    GROUP_NAMES,
    NOT_TOLD,
    against_baseline,
    amount,
    currency_in_words,
    day_in_words,
    extent,
    games,
    house,
    houses,
    law_in_words,
    money_in_words,
    news,
    period,
    sums_in_words,
    tables_read,
    time_in_words,
)
from validator.reports.wording import (
    CLOSES,
    DAY_NOT_TOLD,
    JUDGED_ON,
    LOG_MAY_BE_INCOMPLETE,
    STATUS_MEANING,
    STATUS_WORD,
    adds_to,
    as_sentence,
    breakdown,
    capital,
    claim_in_words,
    counted,
    lines_of,
    location,
    missing_rounds,
    name_in,
    number,
    play_parts,
    reading_done,
    recorded_twice,
    set_aside,
    totals_line,
    verdict_in_words,
    waiver_in_words,
    what_was_granted,
)
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
            unexplained=summary.find_unexplained(results),
            worst=summary.worst(),
            bar=bar(summary.totals.requirements),
            sign=_SIGN[results.verdict],
            moneys=parts(results),
            currency=results.subject.currency,
            titles=titles,
            clauses={clause.clause: clause for clause in results.clauses},
            told=_explanations_by_group(results, summary),
            reading_numbers={reading.reading: at for at, reading in enumerate(results.readings, 1)},
            layouts=tuple(draw(layout, numbers) for layout in results.layouts),
            vouched=[
                result
                for result in results.requirements
                if result.evidence is Evidence.ATTESTATION and result.status is Status.PASS and result.reason
            ],
            set_aside=set_aside(results),
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
        "states": {status.value: STATUS_WORD[status] for status in WORST_FIRST},
    }


def _source_of(clause: ClauseText) -> str:
    """Return the source of a clause and its lines."""
    return f"{clause.source}, {lines_of(clause.first_line, clause.last_line)}"


def _visible(value: Any) -> Any:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


_TEMPLATE_NAMES: Final[Mapping[str, Mapping[str, Any]]] = {
    "status_bar": {
        "BAR_WIDTH": BAR_WIDTH,
    },
    "table": {
        "HEIGHT": HEIGHT,
        "TABLE_AREA": TABLE_AREA,
        "WIDTH": WIDTH,
    },
    "money": {
        "BAR": BAR,
        "HEIGHT": MONEY_HEIGHT,
        "WIDTH": MONEY_WIDTH,
        "folded_up": folded_up,
        "of_kind": of_kind,
    },
    "s": {
        "GROUP_NAMES": GROUP_NAMES,
        "NOT_TOLD": NOT_TOLD,
        "against_baseline": against_baseline,
        "amount": amount,
        "currency_in_words": currency_in_words,
        "day_in_words": day_in_words,
        "extent": extent,
        "games": games,
        "house": house,
        "houses": houses,
        "law_in_words": law_in_words,
        "money_in_words": money_in_words,
        "news": news,
        "period": period,
        "sums_in_words": sums_in_words,
        "tables_read": tables_read,
        "time_in_words": time_in_words,
    },
    "sd": {
        "COLUMNS_HEIGHT": COLUMNS_HEIGHT,
        "COLUMNS_WIDTH": COLUMNS_WIDTH,
        "WIDTH": HOLD_WIDTH,
        "drawn": drawn,
        "hold_tables": hold_tables,
        "not_drawn": not_drawn,
    },
    "sw": {
        "BY_NAME": BY_NAME,
        "NO_FINDING": NO_FINDING,
        "at_table": at_table,
        "by_wager": by_wager,
        "chance": chance,
        "looked_at": looked_at,
        "money": money,
        "most_off": most_off,
        "percent": percent,
        "several_casinos": several_casinos,
        "standing_out": standing_out,
        "verdict": verdict,
        "where": where,
        "within": within,
    },
    "w": {
        "CLOSES": CLOSES,
        "DAY_NOT_TOLD": DAY_NOT_TOLD,
        "JUDGED_ON": JUDGED_ON,
        "LOG_MAY_BE_INCOMPLETE": LOG_MAY_BE_INCOMPLETE,
        "STATUS_MEANING": STATUS_MEANING,
        "STATUS_WORD": STATUS_WORD,
        "adds_to": adds_to,
        "as_sentence": as_sentence,
        "breakdown": breakdown,
        "capital": capital,
        "claim_in_words": claim_in_words,
        "counted": counted,
        "lines_of": lines_of,
        "location": location,
        "missing_rounds": missing_rounds,
        "name_in": name_in,
        "number": number,
        "play_parts": play_parts,
        "reading_done": reading_done,
        "recorded_twice": recorded_twice,
        "set_aside": set_aside,
        "totals_line": totals_line,
        "verdict_in_words": verdict_in_words,
        "waiver_in_words": waiver_in_words,
        "what_was_granted": what_was_granted,
    },
}
"""Names in templates: words of statistics (`sw`), of the subject (`s`) and of all reports (`w`), and drawings."""


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
        **_TEMPLATE_NAMES,
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
