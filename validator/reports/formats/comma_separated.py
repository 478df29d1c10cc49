"""The findings as CSV (RFC 4180, UTF-8), a line each under one heading.

A spreadsheet takes a cell that begins with one of a few characters for a formula. Such a cell, and any that begins with
an apostrophe, has one apostrophe put in front; so does what follows a semicolon, tab or line break within it, since
spreadsheets of some countries begin a cell there. Taking one apostrophe away in each of these places gives back the
text as it was.
"""

from __future__ import annotations

import csv
import re
from io import TextIOWrapper
from typing import BinaryIO

from validator.reports.encoding import scalar
from validator.reports.formats.columns import COLUMNS, row
from validator.results.results import Results

_BEGIN = r"(?:\A|(?<=[;\t\r\n]))"
_FORMULA = re.compile(_BEGIN + "(?=[ \u00a0]*[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|')")
_PLAIN = re.compile("(?:[^ \u00a0=+\\-@'\uff1d\uff0b\uff0d\uff20;\t\r\n][^;\t\r\n]*)?")
"""Most texts, which are told at once."""
_GUARD = re.compile(_BEGIN + "'")


def write_csv(results: Results, stream: BinaryIO) -> None:
    """Write the heading and a line for each finding."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(COLUMNS)
        for finding in results.findings:
            lines.writerow([guarded(scalar(one)) if isinstance(one, str) else one for one in row(finding, results)])
    finally:
        text.detach()  # or the stream would be closed with it


def guarded(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet could begin a formula."""
    return text if _PLAIN.fullmatch(text) else _FORMULA.sub("'", text)


def unguarded(cell: str) -> str:
    """What `guarded` was given."""
    return _GUARD.sub("", cell)
