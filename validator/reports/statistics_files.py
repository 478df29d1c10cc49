"""Files of statistics and of sampling plans: text, JSON, CSV and HTML."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import TextIOWrapper
from typing import BinaryIO

import msgspec
from msgspec import Struct

from fairdeal.validator.reports.formats.finding_rows import guard_formulas
from fairdeal.validator.reports.json_format import encode_json
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.reports.statistics_report import drop_lines, statistics_lines
from fairdeal.validator.results import game_statistics
from fairdeal.validator.results.findings import ResultRecord
from fairdeal.validator.results.game_statistics import PlannedGroup
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, limit_diagnostics, sanitize

HOLD_COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(game_statistics.HoldResult))
"""Columns of the CSV: the keys of a hold."""


class StatisticsReport(ResultRecord, frozen=True, kw_only=True):
    """Statistics of hand logs with their inputs."""

    program: str
    """Name and version of the program."""
    inputs: tuple[InputFile, ...]
    """Hand logs and submissions that were read."""
    currency: str | None
    """Currency of all amounts, or several with commas; None if none is stated."""
    statistics: game_statistics.Statistics
    """Hold, hands, cards and rake."""
    drop_sheet: game_statistics.DropSheet | None = None
    """Win to drop by the drop sheet; None if none was given."""

    @property
    def drops(self) -> tuple[game_statistics.DropResult, ...]:
        """Return the rows of the drop sheet."""
        return () if self.drop_sheet is None else self.drop_sheet.rows


StatisticsWriter = Callable[[StatisticsReport, BinaryIO], None]


def write_statistics_json(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write everything as a JSON object."""
    stream.write(msgspec.json.format(encode_json(report), indent=2) + b"\n")


def write_statistics_text(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write tables of hold, then of hands and cards, then of the drop sheet, as text."""
    stream.write("\n".join([*statistics_lines(report.statistics), *drop_lines(report.drops), ""]).encode())


def write_statistics_csv(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write a line for each hold, with amounts in minor units."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(HOLD_COLUMNS)
        for hold in report.statistics.hold:
            lines.writerow([_cell(value) for value in msgspec.structs.astuple(hold)])
    finally:
        text.detach()  # or the stream would be closed with it


def _cell(value: object) -> object:
    if isinstance(value, str):
        return guard_formulas(sanitize(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " to ".join(map(str, value)) if isinstance(value, tuple) else value


def write_statistics_html(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write an HTML page in the style of reports, without a script."""
    from fairdeal.validator.reports.html.html_pages import LISTED, build_environment  # noqa: PLC0415 - other forms need no templates

    page = build_environment().get_template("hold.html.j2")
    stream.write(
        page.render(
            statistics=report.statistics,
            drops=report.drops,
            inputs=report.inputs,
            currency=report.currency,
            program=report.program,
            listed=LISTED,
        ).encode()
    )


STATISTICS_WRITERS: Mapping[str, StatisticsWriter] = {
    "text": write_statistics_text,
    "json": write_statistics_json,
    "csv": write_statistics_csv,
    "html": write_statistics_html,
}


class SamplingPlan(ResultRecord, frozen=True, kw_only=True):
    """Rounds to review, with what is needed to draw the same ones again."""

    program: str
    """Name and version of the program."""
    inputs: tuple[InputFile, ...]
    """Hand logs that were read."""
    seed: int
    by: tuple[str, ...]
    """Keys that rounds are grouped by."""
    rounds: int
    """Number of rounds in the logs."""
    groups: tuple[PlannedGroup, ...]


PLAN_COLUMNS = (
    *("no", "group", "casino", "table", "time", "dealer", "round number", "round", "video", "file", "line"),
    *("rounds in group", "seed", "reviewer", "fault", "note"),
)
"""Columns of the CSV. Reviewers fill in the last three."""
ANSWERS: Mapping[str, bool | None] = {"": None, "yes": True, "y": True, "no": False, "n": False}
"""Answers in the column `fault`: whether the round has a fault; None for a round that nobody reviewed yet."""
MOST_BYTES = 16_000_000
"""Limit of the size of a plan that is read."""


def describe_group(group: PlannedGroup) -> str:
    """Return the names of a group: `table T1, dealer Ann`."""
    return (
        ", ".join(f"{key} {'not stated' if name is None else name}" for key, name in group.names.items())
        or "all rounds"
    )


def _write_plan_text(plan: SamplingPlan, stream: BinaryIO) -> None:
    stream.write("".join(f"{sanitize(line)}\n" for line in _list_plan_lines(plan)).encode())


def _list_plan_lines(plan: SamplingPlan) -> Iterator[str]:
    review = sum(len(group.review) for group in plan.groups)
    of = format_count(plan.rounds, "round")
    yield f"Review {format_count(review, 'round')} of {of}, drawn with seed {plan.seed}."
    for group in plan.groups:
        yield ""
        yield f"{describe_group(group)}: {len(group.review)} of {format_count(group.rounds, 'round')}"
        for row in group.review:
            where = (row.table, row.time, row.dealer, row.video)
            yield f"  {row.round}  ({', '.join(part for part in where if part) or 'place not stated'})"


def _write_plan_json(plan: SamplingPlan, stream: BinaryIO) -> None:
    stream.write(msgspec.json.format(encode_json(plan), indent=2) + b"\n")


def _write_plan_csv(plan: SamplingPlan, stream: BinaryIO) -> None:
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(PLAN_COLUMNS)
        number = 0
        for group in plan.groups:
            for row in group.review:
                number += 1
                cells = (
                    row.casino,
                    row.table,
                    row.time,
                    row.dealer,
                    row.number,
                    row.round,
                    row.video,
                    row.file,
                    row.line,
                )
                lines.writerow(
                    [number, *map(_plan_cell, (describe_group(group), *cells)), group.rounds, plan.seed, "", "", ""]
                )
    finally:
        text.detach()  # or the stream would be closed with it


def _plan_cell(value: str | int | None) -> str | int:
    return guard_formulas(sanitize(value)) if isinstance(value, str) else "" if value is None else value


PLAN_WRITERS: Mapping[str, Callable[[SamplingPlan, BinaryIO], None]] = {
    "text": _write_plan_text,
    "csv": _write_plan_csv,
    "json": _write_plan_json,
}
"""Writers of plans by format."""


class ReviewedGroup(Struct, kw_only=True):
    """Result of the review of the rounds of a group."""

    rounds: int
    """Number of rounds in the logs."""
    drawn: int = 0
    reviewed: int = 0
    faults: int = 0
    """Number of reviewed rounds with a fault."""


def read_reviews(lines: Iterable[str], name: str) -> dict[str, ReviewedGroup]:
    """Read the answers in a plan that reviewers filled in.

    Raises:
        InputError: If it is no plan, or an answer is neither yes nor no.
    """
    problems: list[Diagnostic] = []
    groups: dict[str, ReviewedGroup] = {}
    try:
        rows = csv.DictReader(lines, strict=True)
        missing = [column for column in ("group", "rounds in group", "fault") if column not in (rows.fieldnames or ())]
        if missing:
            raise InputError(tuple([_build_problem(name, 1, f"it has no column `{column}`") for column in missing]))
        for row in rows:
            answer = (row["fault"] or "").strip().lower()
            size = (row["rounds in group"] or "").strip()
            if answer not in ANSWERS:
                problems.append(_build_problem(name, rows.line_num, "the column `fault` is neither yes nor no"))
            elif not size.isascii() or not size.isdigit() or len(size) > 12:
                problems.append(_build_problem(name, rows.line_num, "the column `rounds in group` is not a number"))
            else:
                group = groups.setdefault(row["group"] or "", ReviewedGroup(rounds=int(size)))
                group.drawn += 1
                group.reviewed += ANSWERS[answer] is not None
                group.faults += ANSWERS[answer] is True
    except csv.Error as error:
        problems.append(_build_problem(name, 1, f"it cannot be read as CSV: {error}"))
    if problems:
        raise InputError(limit_diagnostics(problems))
    return groups


def _build_problem(name: str, line: int, message: str) -> Diagnostic:
    return Diagnostic(
        code="not-a-plan",
        message=message,
        file=name,
        line=line,
        help="fill in a plan that `fairdeal sample --output csv:FILE` wrote: `yes` or `no` under `fault`",
    )


def list_review_lines(
    groups: Mapping[str, ReviewedGroup], bound: Callable[[int, int], tuple[float, float]]
) -> Iterator[str]:
    """Yield what reviewers found, a line for each group and one for all.

    Args:
        groups: what they found.
        bound: returns the interval of the share of rounds with a fault, from the numbers of faults and of reviews.
    """
    for name, group in groups.items():
        yield f"{name}: {_describe_review(group, bound)}"
    total = ReviewedGroup(
        rounds=sum(group.rounds for group in groups.values()),
        drawn=sum(group.drawn for group in groups.values()),
        reviewed=sum(group.reviewed for group in groups.values()),
        faults=sum(group.faults for group in groups.values()),
    )
    yield f"in all: {format_count(total.faults, 'fault')} in {total.reviewed} of {total.drawn} rounds to review"


def _describe_review(group: ReviewedGroup, bound: Callable[[int, int], tuple[float, float]]) -> str:
    if not group.reviewed:
        return f"none of {format_count(group.drawn, 'round')} reviewed"
    low, high = bound(group.faults, group.reviewed)
    return (
        f"{format_count(group.faults, 'fault')} in {format_count(group.reviewed, 'reviewed round')} of {group.drawn}; "
        f"between {100 * low:.2f} % and {100 * high:.2f} % of {format_count(group.rounds, 'round')} have one"
    )
