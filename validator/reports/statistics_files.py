"""Files of statistics: text, JSON, CSV and HTML."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from typing import BinaryIO

import msgspec

from fairdeal.validator.reports.formats.finding_rows import guard_formulas
from fairdeal.validator.reports.json_format import encode_json
from fairdeal.validator.reports.statistics_report import statistics_lines
from fairdeal.validator.results import game_statistics
from fairdeal.validator.results.findings import ResultRecord
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.text.diagnostics import sanitize

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


StatisticsWriter = Callable[[StatisticsReport, BinaryIO], None]


def write_statistics_json(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write everything as a JSON object."""
    stream.write(msgspec.json.format(encode_json(report), indent=2) + b"\n")


def write_statistics_text(report: StatisticsReport, stream: BinaryIO) -> None:
    """Write tables of hold, then of hands and cards, as text."""
    stream.write("\n".join([*statistics_lines(report.statistics), ""]).encode())


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
