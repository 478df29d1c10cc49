"""Findings as rows of a table, with the columns of CSV and workbooks."""

from __future__ import annotations

from datetime import date
from enum import Enum
from types import MappingProxyType

from validator.reports.wording import describe_waiver
from validator.results.findings import Finding
from validator.results.results import Results
from validator.text.values.money import DECIMAL_PLACES

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
        "currency": ColumnKind.TEXT,
        "exponent": ColumnKind.NUMBER,
        "casino": ColumnKind.TEXT,
        "submission": ColumnKind.TEXT,
        "table": ColumnKind.TEXT,
        "round": ColumnKind.TEXT,
        "day": ColumnKind.DAY,
        "time": ColumnKind.TEXT,
        "seat": ColumnKind.NUMBER,
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
        (finding.currency or results.subject.currency) if money else None,
        DECIMAL_PLACES if money else None,
        where.casino,
        where.submission,
        where.table,
        where.round,
        parse_day(where.time),
        where.time,
        where.seat,
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
