"""Findings as CSV (RFC 4180, UTF-8), a line each under one heading.

A spreadsheet reads a cell that begins with certain characters as a formula. An apostrophe is put before them, and
before a leading apostrophe. The same is done after a semicolon, tab or line break, where some spreadsheets begin a
cell. Removing one apostrophe in each of these places restores the text.
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
"""Most texts, which need no apostrophe."""
_GUARD = re.compile(_BEGIN + "'")


def write_csv(results: Results, stream: BinaryIO) -> None:
    """Write the heading and a line for each finding."""
    text = TextIOWrapper(stream, "utf-8", newline="")
    try:
        lines = csv.writer(text, lineterminator="\r\n")
        lines.writerow(COLUMNS)
        for finding in results.findings:
            lines.writerow([guarded(scalar(cell)) if isinstance(cell, str) else cell for cell in row(finding, results)])
    finally:
        text.detach()  # or the stream would be closed with it


def guarded(text: str) -> str:
    """Return a text with an apostrophe wherever a spreadsheet could begin a formula."""
    return text if _PLAIN.fullmatch(text) else _FORMULA.sub("'", text)


def unguarded(cell: str) -> str:
    """Return the text that `guarded` was given."""
    return _GUARD.sub("", cell)
