"""Findings as rows, and files in which they are written."""

from __future__ import annotations

import csv
import errno
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from enum import Enum
from io import TextIOWrapper
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, BinaryIO

from fairdeal.validator.reports.json_format import replace_surrogates
from fairdeal.validator.reports.report_wording import describe_waiver
from fairdeal.validator.results.findings import Finding
from fairdeal.validator.results.results import Results
from fairdeal.validator.text.money import count_decimals
from fairdeal.validator.text.temp_spool import report_temp_errors


def write_through_file(stream: BinaryIO, write: Callable[[Path], None]) -> None:
    """Write a temporary file, which may lose its name meanwhile, and copy it to the stream.

    Raises:
        ResourceError: if the temporary folder is full.
        OSError: if the stream cannot take all of it.
    """
    with report_temp_errors():
        handle, name = tempfile.mkstemp(prefix="fairdeal-")
    path = Path(name)
    with os.fdopen(handle, "rb") as written:
        try:
            with report_temp_errors():
                write(path)
            shutil.copyfileobj(written, stream)
        finally:
            path.unlink(missing_ok=True)


class UnnamedFiles:
    """Replacement of the modules `os` and `tempfile` in XlsxWriter, which makes temporary files by name.

    The names lead to open files without a name on disk, so that no file is left if the process is killed.
    """

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, IO[bytes]]] = {}

    def mkstemp(self, **options: Any) -> tuple[int, str]:
        """Make a file, and return a descriptor of it and its substitute name."""
        file = tempfile.TemporaryFile(**options)  # noqa: SIM115 - it is open until it is removed
        name = f"/proc/self/fd/{file.fileno()}"
        self._files[name] = threading.get_ident(), file
        return os.dup(file.fileno()), name

    def remove(self, name: str) -> None:
        """Remove a file that was made here. Raises FileNotFoundError for any other, as `os.remove`."""
        if name not in self._files:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        self._files.pop(name)[1].close()

    unlink = remove

    def close(self, descriptor: int) -> None:
        """Close a descriptor."""
        os.close(descriptor)

    def remove_all(self) -> None:
        """Remove the files that this thread has made."""
        for name, (thread, _) in list(self._files.items()):
            if thread == threading.get_ident():
                self.remove(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


_FILES = UnnamedFiles()


@contextmanager
def open_parts_folder() -> Iterator[str]:
    """Yield the folder in which XlsxWriter makes its files: without names on Linux, elsewhere in their own folder."""
    if sys.platform != "linux" or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        with tempfile.TemporaryDirectory(prefix="fairdeal-") as folder:
            yield folder
        return
    import xlsxwriter.packager  # noqa: PLC0415 - most outputs are no workbooks
    import xlsxwriter.workbook  # noqa: PLC0415
    import xlsxwriter.worksheet  # noqa: PLC0415

    files: Any = _FILES
    xlsxwriter.packager.tempfile = xlsxwriter.packager.os = files
    xlsxwriter.worksheet.tempfile = xlsxwriter.worksheet.os = files
    xlsxwriter.workbook.os = files
    try:
        yield tempfile.gettempdir()
    finally:
        _FILES.remove_all()


CellValue = str | int | date | None
"""Value of a cell."""


class ColumnKind(Enum):
    """Type of the values of a column."""

    TEXT = "text"
    LONG = "long text"
    NUMBER = "whole number"
    MONEY = "whole number of minor units of a currency"
    DAY = "day"
    SHARE = "number with a fraction"


FINDING_COLUMNS = MappingProxyType(
    {
        "id": ColumnKind.TEXT,
        "status": ColumnKind.TEXT,
        "severity": ColumnKind.TEXT,
        "requirement": ColumnKind.TEXT,
        "document": ColumnKind.TEXT,
        "clauses": ColumnKind.TEXT,
        "message": ColumnKind.LONG,
        "expected": ColumnKind.LONG,
        "observed": ColumnKind.LONG,
        "remedy": ColumnKind.LONG,
        "count": ColumnKind.NUMBER,
        "owed": ColumnKind.MONEY,
        "overpaid": ColumnKind.MONEY,
        "party": ColumnKind.TEXT,
        "currency": ColumnKind.TEXT,
        "exponent": ColumnKind.NUMBER,
        "casino": ColumnKind.TEXT,
        "submission": ColumnKind.TEXT,
        "table": ColumnKind.TEXT,
        "round": ColumnKind.TEXT,
        "day": ColumnKind.DAY,
        "time": ColumnKind.TEXT,
        "local": ColumnKind.TEXT,
        "seat": ColumnKind.NUMBER,
        "player": ColumnKind.TEXT,
        "wager": ColumnKind.TEXT,
        "event": ColumnKind.NUMBER,
        "context": ColumnKind.TEXT,
        "file": ColumnKind.TEXT,
        "line": ColumnKind.NUMBER,
        "column": ColumnKind.NUMBER,
        "pointer": ColumnKind.TEXT,
        "reading": ColumnKind.TEXT,
        "waived": ColumnKind.LONG,
        "claimed": ColumnKind.LONG,
        "state": ColumnKind.TEXT,
        "broken": ColumnKind.LONG,
    }
)
"""Columns of a finding, in order."""


def make_row(finding: Finding, results: Results) -> tuple[CellValue, ...]:
    """Return the cells of a finding in the order of `COLUMNS`, None for an unknown value."""
    where = finding.where
    money = finding.owed is not None or finding.overpaid is not None
    currency = finding.currency or results.subject.currency
    return (
        finding.id,
        finding.status.value,
        finding.severity.value,
        finding.requirement,
        finding.document,
        ", ".join(finding.clauses),
        finding.message,
        finding.expected,
        finding.observed,
        finding.remedy,
        finding.count,
        finding.owed,
        finding.overpaid,
        finding.party,
        currency if money else None,
        count_decimals(currency) if money else None,
        where.casino,
        where.submission,
        where.table,
        where.round,
        parse_day(where.played_on),
        where.time,
        where.local,
        where.seat,
        where.player,
        where.wager,
        where.event,
        "; ".join(f"{name}: {value}" for name, value in (where.context or {}).items()),
        where.file,
        where.line,
        where.column,
        where.pointer,
        ", ".join(finding.reading),
        None if finding.waived is None else describe_waiver(finding.waived),
        None if finding.claimed is None else finding.claimed.reason,
        None if finding.state is None else finding.state.value,
        finding.broken,
    )


def parse_day(time: str | None) -> date | None:
    """Return the day of a time of a log; None if it has none."""
    try:
        return None if time is None else date.fromisoformat(time[:10])
    except ValueError:
        return None


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
        lines.writerow(FINDING_COLUMNS)
        for finding in results.findings:
            lines.writerow(
                [
                    guard_formulas(replace_surrogates(cell)) if isinstance(cell, str) else cell
                    for cell in make_row(finding, results)
                ]
            )
    finally:
        text.detach()  # or the stream would be closed with it


def guard_formulas(text: str) -> str:
    """Return a text with an apostrophe wherever a spreadsheet could begin a formula."""
    return text if _PLAIN.fullmatch(text) else _FORMULA.sub("'", text)


def unguard_formulas(cell: str) -> str:
    """Return the text that `guarded` was given."""
    return _GUARD.sub("", cell)
