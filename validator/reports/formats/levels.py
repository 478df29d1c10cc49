"""How bad a finding is, in the words that other programs sort by, and what it says in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, StrEnum

from validator.reports.grouping import Group
from validator.reports.wording import evidence_read
from validator.results.findings import Finding, Where
from validator.results.results import Results
from validator.results.statuses import Severity, Status


class Level(StrEnum):
    """What most programs know: an error, a warning, a note."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Rank(IntEnum):
    """How bad a finding is, worst first: which ones stay where a format has no room for all."""

    CRITICAL = 0
    MAJOR = 1
    MINOR = 2
    ERROR = 3
    UNPROVEN = 4
    WAIVED = 5


def rank_of(finding: Finding) -> Rank:
    """The rank of a finding: of a failure by severity, unless a waiver lifts it."""
    if finding.waived is not None:
        return Rank.WAIVED
    if finding.status is Status.FAIL:
        return Rank[finding.severity.name]
    return Rank.ERROR if finding.status is Status.ERROR else Rank.UNPROVEN


def worst_rank(group: Group) -> Rank:
    """The rank of the worst finding of a group that is shown."""
    return min(map(rank_of, group.shown))


def level_of(finding: Finding) -> Level:
    """An error for a critical or major failure, a warning for a minor one; a note for what is not shown to be wrong,
    or waived."""
    rank = rank_of(finding)
    return severity_level(finding.severity) if rank <= Rank.MINOR else Level.NOTE


def severity_level(severity: Severity) -> Level:
    """The level of failures of that severity."""
    return Level.WARNING if severity is Severity.MINOR else Level.ERROR


def word_of(finding: Finding) -> str:
    """The one word that stands for how bad a finding is: `waived`, the severity of a failure, or any other status."""
    if finding.waived is not None:
        return "waived"
    return finding.severity.value if finding.status is Status.FAIL else finding.status.value


def sentence(finding: Finding, shown: Callable[[str], str] = str) -> str:
    """Return what went wrong, what was expected and what was observed, each as it is `shown`."""
    return " ".join((_as_sentence(finding.headline, shown), comparison(finding, shown)))


def comparison(finding: Finding, shown: Callable[[str], str] = str) -> str:
    """Return what was expected and what was observed, each as it is `shown`."""
    parts = (f"Expected: {finding.expected}", f"Observed: {finding.observed}")
    return " ".join(_as_sentence(part, shown) for part in parts)


def _as_sentence(text: str, shown: Callable[[str], str]) -> str:
    return shown(text if text.endswith((".", "!", "?")) else f"{text}.")


def file_and_line(where: Where, results: Results) -> tuple[str | None, int]:
    """The file and line for programs that ask for both: line 1 where none is known, and where no file is named the
    first file of evidence; None where there is none."""
    line = where.line if where.line is not None and where.line > 0 else 1
    if where.file:
        return where.file, line
    return next((one.file for one in evidence_read(results) if one.file), None), 1
