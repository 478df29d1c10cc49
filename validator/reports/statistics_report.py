"""Statistics by themselves, as text, JSON, CSV or a page."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from io import TextIOWrapper
from typing import BinaryIO

import msgspec

from validator.reports.encoding import encoded
from validator.reports.formats.comma_separated import guarded
from validator.reports.statistics_text import statistics_lines
from validator.results.results import InputFile
from validator.results.statistics import Hold, Statistics
from validator.results.statuses import Recorded
from validator.text.visible import visible

COLUMNS = tuple(field.encode_name for field in msgspec.structs.fields(Hold))
"""Those of the CSV: the keys of a hold."""


class Report(Recorded, frozen=True, kw_only=True):
    """Statistics of hand logs, and what they are of."""

    program: str
    inputs: tuple[InputFile, ...]
    currency: str | None
    statistics: Statistics


Writer = Callable[[Report, BinaryIO], None]


def write_json(report: Report, stream: BinaryIO) -> None:
    """Everything, as an object of JSON."""
    stream.write(msgspec.json.format(encoded(report), indent=2) + b"\n")


def write_text(report: Report, stream: BinaryIO) -> None:
    """For people: tables of hold, then hands and cards."""
    stream.write("\n".join([*statistics_lines(report.statistics), ""]).encode())


def write_csv(report: Report, stream: BinaryIO) -> None:
    """A line for each hold; amounts in minor units."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(COLUMNS)
        for one in report.statistics.hold:
            lines.writerow([_cell(value) for value in msgspec.structs.astuple(one)])
    finally:
        text.detach()  # or the stream would be closed with it


def _cell(value: object) -> object:
    if isinstance(value, str):
        return guarded(visible(value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " to ".join(map(str, value)) if isinstance(value, tuple) else value


def write_html(report: Report, stream: BinaryIO) -> None:
    """A page of its own, in the style of reports, without a script."""
    from validator.reports.html.report import LISTED, environment  # noqa: PLC0415 - other forms need no templates

    page = environment().get_template("hold.html.j2")
    stream.write(
        page.render(
            statistics=report.statistics,
            inputs=report.inputs,
            currency=report.currency,
            program=report.program,
            listed=LISTED,
        ).encode()
    )


WRITERS: Mapping[str, Writer] = {"text": write_text, "json": write_json, "csv": write_csv, "html": write_html}
