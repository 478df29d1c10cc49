"""Findings as rows of a table, with the columns of CSV and workbooks."""

from __future__ import annotations

from datetime import date
from enum import Enum
from types import MappingProxyType

from validator.reports.wording import waiver_in_words
from validator.results.findings import Finding
from validator.results.results import Results
from validator.text.values.money import EXPONENT

Value = str | int | date | None
"""Value of a cell."""


class Kind(Enum):
    """Type of the values of a column."""

    TEXT = "text"
    LONG = "long text"
    NUMBER = "whole number"
    MONEY = "whole number of minor units of a currency"
    DAY = "day"
    SHARE = "number with a fraction"


COLUMNS = MappingProxyType(
    {
        "id": Kind.TEXT,
        "status": Kind.TEXT,
        "severity": Kind.TEXT,
        "requirement": Kind.TEXT,
        "document": Kind.TEXT,
        "clauses": Kind.TEXT,
        "message": Kind.LONG,
        "expected": Kind.LONG,
        "observed": Kind.LONG,
        "remedy": Kind.LONG,
        "count": Kind.NUMBER,
        "owed": Kind.MONEY,
        "overpaid": Kind.MONEY,
        "currency": Kind.TEXT,
        "exponent": Kind.NUMBER,
        "casino": Kind.TEXT,
        "submission": Kind.TEXT,
        "table": Kind.TEXT,
        "round": Kind.TEXT,
        "day": Kind.DAY,
        "time": Kind.TEXT,
        "seat": Kind.NUMBER,
        "wager": Kind.TEXT,
        "event": Kind.NUMBER,
        "context": Kind.TEXT,
        "file": Kind.TEXT,
        "line": Kind.NUMBER,
        "column": Kind.NUMBER,
        "pointer": Kind.TEXT,
        "reading": Kind.TEXT,
        "waived": Kind.LONG,
        "claimed": Kind.LONG,
        "state": Kind.TEXT,
        "broken": Kind.LONG,
    }
)
"""Columns of a finding, in order."""


def row(finding: Finding, results: Results) -> tuple[Value, ...]:
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
        EXPONENT if money else None,
        where.casino,
        where.submission,
        where.table,
        where.round,
        day_of(where.time),
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
        None if finding.waived is None else waiver_in_words(finding.waived),
        None if finding.claimed is None else finding.claimed.reason,
        None if finding.state is None else finding.state.value,
        finding.broken,
    )


def day_of(time: str | None) -> date | None:
    """Return the day of a time of a log; None if it has none."""
    try:
        return None if time is None else date.fromisoformat(time[:10])
    except ValueError:
        return None
