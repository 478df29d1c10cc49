"""Findings as rows, files in which they are written, and a SQLite database of the results.

The same results give the same bytes with the same version of SQLite.
"""

from __future__ import annotations

import csv
import errno
import os
import shutil
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import date
from enum import Enum
from functools import partial
from io import TextIOWrapper
from itertools import starmap
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, BinaryIO

from fairdeal.validator.reports.json_format import replace_surrogates
from fairdeal.validator.reports.report_wording import count_quarantined, describe_waiver
from fairdeal.validator.results.findings import Finding
from fairdeal.validator.results.results import InputFile, Results
from fairdeal.validator.text.diagnostics import guard_formulas
from fairdeal.validator.text.plain_values import count_decimals
from fairdeal.validator.text.source import report_temp_errors


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


SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
CREATE TABLE inputs (
  input INTEGER PRIMARY KEY, file TEXT NOT NULL, sha256 TEXT NOT NULL, kind TEXT NOT NULL,
  read INTEGER NOT NULL, checked INTEGER NOT NULL, quarantined INTEGER NOT NULL, repeated INTEGER NOT NULL,
  contradicted INTEGER NOT NULL
);
CREATE TABLE clauses (
  clause TEXT PRIMARY KEY, document TEXT, gist TEXT, source TEXT, first_line INTEGER, last_line INTEGER
) WITHOUT ROWID;
CREATE TABLE requirements (
  requirement TEXT PRIMARY KEY, document TEXT NOT NULL, title TEXT, evidence TEXT, severity TEXT NOT NULL,
  status TEXT, reason TEXT, waived TEXT
) WITHOUT ROWID;
CREATE TABLE requirement_clauses (
  requirement TEXT NOT NULL REFERENCES requirements, clause TEXT NOT NULL REFERENCES clauses,
  PRIMARY KEY (requirement, clause)
) WITHOUT ROWID;
CREATE TABLE totals (
  requirement TEXT NOT NULL REFERENCES requirements, status TEXT NOT NULL, items INTEGER NOT NULL,
  PRIMARY KEY (requirement, status)
) WITHOUT ROWID;
CREATE TABLE findings (
  finding INTEGER PRIMARY KEY, id TEXT NOT NULL, requirement TEXT NOT NULL REFERENCES requirements,
  status TEXT NOT NULL, severity TEXT NOT NULL, message TEXT NOT NULL, expected TEXT NOT NULL, observed TEXT NOT NULL,
  remedy TEXT, count INTEGER NOT NULL, owed INTEGER, overpaid INTEGER, casino TEXT, submission TEXT, table_name TEXT,
  round TEXT, day TEXT, time TEXT, seat INTEGER, wager TEXT, event INTEGER, file TEXT, line INTEGER, col INTEGER,
  pointer TEXT, waived TEXT, claimed TEXT, state TEXT, currency TEXT, version INTEGER, broken TEXT,
  party TEXT, player TEXT, local TEXT, sheet TEXT, cell TEXT
);
CREATE TABLE context (
  finding INTEGER NOT NULL REFERENCES findings, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (finding, name)
) WITHOUT ROWID;
CREATE TABLE sums (
  sum INTEGER PRIMARY KEY, by TEXT NOT NULL, name TEXT, casino TEXT, findings INTEGER NOT NULL,
  owed INTEGER NOT NULL, overpaid INTEGER NOT NULL, currency TEXT
);
CREATE TABLE open (
  open INTEGER PRIMARY KEY, document TEXT NOT NULL, cause TEXT NOT NULL, says TEXT NOT NULL,
  items INTEGER NOT NULL, judged INTEGER NOT NULL
);
CREATE TABLE open_requirements (
  open INTEGER NOT NULL REFERENCES open, requirement TEXT NOT NULL REFERENCES requirements,
  PRIMARY KEY (open, requirement)
) WITHOUT ROWID;
CREATE TABLE quarantined (
  quarantined INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, col INTEGER, reason TEXT NOT NULL
);
"""
"""Tables. Amounts are in minor units of the currency in the same row; days are written as `2026-01-31`."""

VERSION = 1
"""The `user_version` of these tables; it changes if a table or column is renamed or removed."""

INDEXES = """
CREATE INDEX findings_by_requirement ON findings (requirement);
CREATE INDEX findings_by_status ON findings (status, severity);
CREATE INDEX findings_by_table ON findings (casino, table_name, round);
CREATE INDEX findings_by_id ON findings (id);
CREATE INDEX context_by_name ON context (name, value);
CREATE INDEX sums_by ON sums (by, name);
"""
"""Indexes for common queries."""

_LARGEST = 2**63
_Row = Sequence[str | int | None]


def write_sqlite(results: Results, stream: BinaryIO) -> None:
    """Write the database.

    Raises:
        ResourceError: if the temporary folder is full.
        OSError: if the stream cannot take all of it.
    """
    write_through_file(stream, partial(_write, results))


def _write(results: Results, path: Path) -> None:
    try:
        _make(results, path)
    except sqlite3.OperationalError as error:
        raise OSError(str(error)) from error


def _make(results: Results, path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        # SQLite has opened the file. Without a name no file is left if the process is killed.
        with suppress(PermissionError):  # of Windows, where an open file keeps its name
            path.unlink()
        # A new file that no other process sees needs no journal: after a failure it is discarded.
        database.executescript("PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;")
        database.executescript(f"PRAGMA temp_store=FILE; PRAGMA user_version={VERSION}; BEGIN; {SCHEMA}")
        fill = partial(_fill, database)
        fill("meta", _meta(results))
        fill("inputs", starmap(_input, enumerate(results.provenance.inputs, 1)))
        fill(
            "clauses",
            ((c.clause, c.document, c.gist, c.source, c.first_line, c.last_line) for c in results.clauses),
        )
        _fill_requirements(database, results)
        _fill_findings(database, results)
        fill("sums", ((number, *sum_) for number, sum_ in enumerate(_sums(results), 1)))
        _fill_open(database, results)
        records = enumerate(results.quarantined, 1)
        fill("quarantined", ((n, r.file, r.line, r.column, r.reason) for n, r in records))
        database.executescript(f"BEGIN; {INDEXES} COMMIT;")


def _sums(results: Results) -> Iterator[_Row]:
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency or results.subject.currency
        for total in money.sums:
            yield total.by, total.name, total.casino, total.findings, total.owed, total.overpaid, currency


def _meta(results: Results) -> Iterator[_Row]:
    subject, provenance, money = results.subject, results.provenance, results.money
    yield "verdict", results.verdict.value
    yield "currency", subject.currency
    yield "currencies", ", ".join(subject.currencies) or subject.currency
    yield "exponent", str(count_decimals(subject.currency))
    yield "first_day", subject.first
    yield "last_day", subject.last
    yield "licensees", ", ".join(licensee.name for licensee in subject.licensees)
    yield "casinos", ", ".join(subject.casinos)
    yield "documents", ", ".join(provenance.documents)
    yield "owed", None if money is None or money.others else str(money.owed)
    yield "overpaid", None if money is None or money.others else str(money.overpaid)
    yield "quarantined", str(count_quarantined(results))
    yield "program", provenance.program
    yield "rulebook_version", provenance.rulebook_version
    yield "rulebook_date", provenance.rulebook_date
    yield "rulebook_sha256", provenance.rulebook_sha256
    yield "profile", provenance.profile
    yield "as_of", provenance.as_of
    yield "generated", provenance.generated


def _input(number: int, file: InputFile) -> _Row:
    counts = (file.read, file.checked, file.quarantined, file.repeated, file.contradicted)
    return number, file.file, file.sha256, file.kind.value, *counts


def _fill_requirements(database: sqlite3.Connection, results: Results) -> None:
    for result in results.requirements:
        name, waived = result.requirement, None if result.waived is None else describe_waiver(result.waived)
        about = (name, result.document, result.title, result.evidence.value, result.severity.value)
        _fill(database, "requirements", [(*about, result.status.value, result.reason, waived)])
        _fill(database, "clauses", ((clause, result.document, None, None, None, None) for clause in result.clauses))
        _fill(database, "requirement_clauses", ((name, clause) for clause in result.clauses))
        _fill(database, "totals", ((name, status.value, items) for status, items in result.totals.items()))


def _fill_findings(database: sqlite3.Connection, results: Results) -> None:
    """Write the findings, numbered in the order of the results, and a row for each requirement that is not listed."""
    listed = {result.requirement for result in results.requirements}
    for number, finding in enumerate(results.findings, 1):
        if finding.requirement not in listed:
            listed.add(finding.requirement)
            unlisted = (finding.requirement, finding.document, None, None, finding.severity.value, None, None, None)
            _fill(database, "requirements", [unlisted])
        _fill(database, "findings", [_finding(number, finding, results)])
        context = finding.where.context or {}
        _fill(database, "context", ((number, name, value) for name, value in context.items()))


def _finding(number: int, finding: Finding, results: Results) -> _Row:
    where = finding.where
    day = parse_day(where.played_on)
    return (
        number,
        finding.id,
        finding.requirement,
        finding.status.value,
        finding.severity.value,
        finding.message,
        finding.expected,
        finding.observed,
        finding.remedy,
        finding.count,
        finding.owed,
        finding.overpaid,
        where.casino,
        where.submission,
        where.table,
        where.round,
        None if day is None else day.isoformat(),
        where.time,
        where.seat,
        where.wager,
        where.event,
        where.file,
        where.line,
        where.column,
        where.pointer,
        None if finding.waived is None else describe_waiver(finding.waived),
        None if finding.claimed is None else finding.claimed.reason,
        None if finding.state is None else finding.state.value,
        None if finding.owed is None else finding.currency or results.subject.currency,
        finding.version,
        finding.broken,
        finding.party,
        where.player,
        where.local,
        where.sheet,
        where.cell,
    )


def _fill_open(database: sqlite3.Connection, results: Results) -> None:
    for number, gap in enumerate(results.open, 1):
        _fill(database, "open", [(number, gap.document, gap.cause.value, gap.says, gap.items, gap.of)])
        for requirement in gap.requirements:
            known = (requirement, gap.document, None, None, "", None, None, None)
            _fill(database, "requirements", [known])
            _fill(database, "open_requirements", [(number, requirement)])


def _fill(database: sqlite3.Connection, table: str, rows: Iterable[_Row]) -> None:
    """Insert rows into a table in order; the first of several rows with the same key stays."""
    for row in rows:
        places = ", ".join("?" * len(row))
        # The name of the table is a word of this module; all values are parameters.
        database.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", [_value(value) for value in row])


def _value(value: str | int | None) -> str | int | None:
    """Return a value that SQLite can store: text without half characters, whole numbers of 64 bits or else text."""
    if isinstance(value, str):
        return replace_surrogates(value)
    return value if value is None or -_LARGEST <= value < _LARGEST else str(value)
