"""Levels and ranks of findings for other programs, and the sentence that describes a finding."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, StrEnum

from validator.reports.grouping import Group
from validator.reports.wording import adds_to, evidence_read
from validator.results.findings import Finding, Where
from validator.results.results import Results
from validator.results.statuses import Severity, Status


class Level(StrEnum):
    """Level of a finding as most programs know it."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rank(IntEnum):
    """Rank of a finding, worst first, by which formats with limited room choose."""

    CRITICAL = 0
    MAJOR = 1
    MINOR = 2
    ERROR = 3
    UNPROVEN = 4
    WAIVED = 5


def rank_of(finding: Finding) -> Rank:
    """Return the rank of a finding: by severity for a violation, unless a waiver applies."""
    if finding.waived is not None:
        return Rank.WAIVED
    if finding.status is Status.FAIL:
        return Rank[finding.severity.name]
    return Rank.ERROR if finding.status is Status.ERROR else Rank.UNPROVEN


def worst_rank(group: Group) -> Rank:
    """Return the rank of the worst shown finding of a group."""
    return min(map(rank_of, group.shown))


def level_of(finding: Finding) -> Level:
    """Return an error for a critical or major violation, a warning for a minor one, and else a note."""
    rank = rank_of(finding)
    return severity_level(finding.severity) if rank <= Rank.MINOR else Level.NOTE


def severity_level(severity: Severity) -> Level:
    """Return the level of violations of a severity."""
    return Level.WARNING if severity is Severity.MINOR else Level.ERROR


def word_of(finding: Finding) -> str:
    """Return `waived`, the severity of a violation, or any other status."""
    if finding.waived is not None:
        return "waived"
    return finding.severity.value if finding.status is Status.FAIL else finding.status.value


def sentence(finding: Finding, shown: Callable[[str], str] = str, *, title: str = "") -> str:
    """Return what went wrong, or else the message of a finding, with what is required and what was observed.

    Args:
        shown: escapes each part for its format.
        title: text that the reader sees with it; a message that only repeats it is left out.
    """
    message = [finding.headline] if adds_to(finding.headline, title) else []
    parts = (*message, f"Required: {finding.expected}", f"Observed: {finding.observed}")
    return " ".join(shown(part if part.endswith((".", "!", "?")) else f"{part}.") for part in parts)


def file_and_line(where: Where, results: Results) -> tuple[str | None, int]:
    """Return a file and line for programs that need both: line 1 if none is known.

    A place without a file gets the first file of evidence, None if there is none.
    """
    line = where.line if where.line is not None and where.line > 0 else 1
    if where.file:
        return where.file, line
    return next((file.file for file in evidence_read(results) if file.file), None), 1
