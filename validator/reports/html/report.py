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

from validator.reports.html.finding_data import encode_findings
from validator.reports.html.layout_drawing import HEIGHT, TABLE_AREA, WIDTH, draw_layout
from validator.reports.html.money_drawing import (
    BAR,
    MONEY_HEIGHT,
    MONEY_WIDTH,
    draw_amounts,
    select_charts,
    select_folded_charts,
)
from validator.reports.html.statistics_drawing import (
    COLUMNS_HEIGHT,
    COLUMNS_WIDTH,
    HOLD_WIDTH,
    build_hold_tables,
    draw_frequencies,
    list_undrawn,
)
from validator.reports.html.status_bar import BAR_WIDTH, build_bar
from validator.reports.json_report import hash_results
from validator.reports.overview import FindingsSummary, summarize_findings
from validator.reports.statistics_words import (
    BY_NAME,
    NO_FINDING,
    describe_furthest,
    describe_result,
    describe_stakes,
    describe_table,
    describe_test,
    format_percent,
    format_probability,
    format_range,
    format_rounded_money,
    group_by_wager,
    has_several_casinos,
    list_outliers,
)
from validator.reports.subject_words import (
    GROUP_NAMES,
    NOT_STATED,
    count_new_and_known,
    count_tables_and_rounds,
    describe_amounts,
    describe_comparison,
    format_amount,
    format_currencies,
    format_day,
    format_licensee,
    format_period,
    format_regulation,
    format_sums,
    format_time,
    list_games,
    list_licensees,
    summarize_group,
)
from validator.reports.wording import (
    CHECKED_IN,
    DAY_NOT_STATED,
    LOG_MAY_BE_INCOMPLETE,
    REQUESTS,
    STATUS_MEANING,
    STATUS_WORD,
    capitalize_first,
    count_quarantined,
    describe_claim,
    describe_grants,
    describe_missing_rounds,
    describe_repeated_rounds,
    describe_verdict,
    describe_waiver,
    format_count,
    format_lines,
    format_location,
    format_number,
    format_sentence,
    format_totals,
    has_new_content,
    list_place_parts,
    short_id,
    summarize_reading,
    summarize_statuses,
)
from validator.results.results import Explanation, Results
from validator.results.statuses import WORST_FIRST, Evidence, FindingState, Severity, Status, Verdict
from validator.results.subject import ClauseText
from validator.text.visible import sanitize

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
    summary = summarize_findings(results, shown=SHOWN)
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
            bar=build_bar(summary.totals.requirements),
            sign=_SIGN[results.verdict],
            moneys=draw_amounts(results),
            currency=results.subject.currency,
            titles=titles,
            clauses={clause.clause: clause for clause in results.clauses},
            told=_explanations_by_group(results, summary),
            reading_numbers={reading.reading: at for at, reading in enumerate(results.readings, 1)},
            layouts=tuple(draw_layout(layout, numbers) for layout in results.layouts),
            vouched=[
                result
                for result in results.requirements
                if result.evidence is Evidence.ATTESTATION and result.status is Status.PASS and result.reason
            ],
            set_aside=count_quarantined(results),
            results_sha256=hash_results(results, summary.totals),
            data=map(Markup, encode_findings(results.findings, _about(results, summary))),
            shown_of_each=SHOWN,
            listed=LISTED,
            gaps_shown=GAPS_SHOWN,
            at_once=AT_ONCE,
        )
    )
    page.enable_buffering(_BUFFERED)
    for piece in page:
        stream.write(piece.encode())


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
            sanitize(clause.clause): [sanitize(clause.gist), sanitize(_source_of(clause))] for clause in results.clauses
        },
        "readings": {sanitize(reading.reading): f"reading-{at}" for at, reading in enumerate(results.readings, 1)},
        "states": {status.value: STATUS_WORD[status] for status in WORST_FIRST},
    }


def _source_of(clause: ClauseText) -> str:
    """Return the source of a clause and its lines."""
    return f"{clause.source}, {format_lines(clause.first_line, clause.last_line)}"


def _visible(value: Any) -> Any:
    return sanitize(value) if isinstance(value, str) and not isinstance(value, Markup) else value


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
        "folded_up": select_folded_charts,
        "of_kind": select_charts,
    },
    "s": {
        "GROUP_NAMES": GROUP_NAMES,
        "NOT_TOLD": NOT_STATED,
        "against_baseline": describe_comparison,
        "amount": format_amount,
        "currency_in_words": format_currencies,
        "day_in_words": format_day,
        "extent": summarize_group,
        "games": list_games,
        "house": format_licensee,
        "houses": list_licensees,
        "law_in_words": format_regulation,
        "money_in_words": describe_amounts,
        "news": count_new_and_known,
        "period": format_period,
        "sums_in_words": format_sums,
        "tables_read": count_tables_and_rounds,
        "time_in_words": format_time,
    },
    "sd": {
        "COLUMNS_HEIGHT": COLUMNS_HEIGHT,
        "COLUMNS_WIDTH": COLUMNS_WIDTH,
        "WIDTH": HOLD_WIDTH,
        "drawn": draw_frequencies,
        "hold_tables": build_hold_tables,
        "not_drawn": list_undrawn,
    },
    "sw": {
        "BY_NAME": BY_NAME,
        "NO_FINDING": NO_FINDING,
        "at_table": describe_table,
        "by_wager": group_by_wager,
        "chance": format_probability,
        "looked_at": describe_test,
        "money": format_rounded_money,
        "most_off": describe_furthest,
        "percent": format_percent,
        "several_casinos": has_several_casinos,
        "standing_out": list_outliers,
        "verdict": describe_result,
        "where": describe_stakes,
        "within": format_range,
    },
    "w": {
        "CLOSES": REQUESTS,
        "DAY_NOT_TOLD": DAY_NOT_STATED,
        "JUDGED_ON": CHECKED_IN,
        "LOG_MAY_BE_INCOMPLETE": LOG_MAY_BE_INCOMPLETE,
        "STATUS_MEANING": STATUS_MEANING,
        "STATUS_WORD": STATUS_WORD,
        "adds_to": has_new_content,
        "as_sentence": format_sentence,
        "breakdown": summarize_statuses,
        "capital": capitalize_first,
        "claim_in_words": describe_claim,
        "counted": format_count,
        "lines_of": format_lines,
        "location": format_location,
        "missing_rounds": describe_missing_rounds,
        "name_in": short_id,
        "number": format_number,
        "play_parts": list_place_parts,
        "reading_done": summarize_reading,
        "recorded_twice": describe_repeated_rounds,
        "set_aside": count_quarantined,
        "totals_line": format_totals,
        "verdict_in_words": describe_verdict,
        "waiver_in_words": describe_waiver,
        "what_was_granted": describe_grants,
    },
}
"""Names in templates: words of statistics (`sw`), of the subject (`s`) and of all reports (`w`), and drawings."""


@cache
def build_environment() -> Environment:
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
    style, script = load_page_style(), load_asset("report.js")
    environment.globals.update(
        style=style,
        style_hash=_csp_hash(style),
        script=script,
        script_hash=_csp_hash(script),
        **_TEMPLATE_NAMES,
        stands=_source_of,
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
    return Markup(files("validator.reports.html").joinpath("templates", name).read_text(encoding="utf-8"))


def _csp_hash(text: Markup) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()
