"""Totals and groups of findings, from a stream of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby, islice

from msgspec import Struct, field

from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import WORST_FIRST, Recorded, Severity, Status

GroupKey = tuple[Status, str]
"""Key of a group of findings: a status and a requirement."""

DETAILS = (
    "severity",
    "message",
    "expected",
    "observed",
    "remedy",
    "clauses",
    "document",
    "reading",
    "waived",
    "claimed",
)
"""Fields that findings of a group may share, in the order in which reports show them."""


class Totals(Recorded, frozen=True, kw_only=True):
    """Numbers of requirements and findings."""

    requirements: Mapping[Status, int]
    """Requirements by status, worst first, with zeros."""
    findings: Mapping[Status, int]
    """Findings by status, worst first, with zeros."""
    severity: Mapping[Severity, int]
    """Violations by severity, waived ones included."""
    waived: int
    """Findings of any status that have a waiver."""


class Group(Struct, frozen=True, kw_only=True):
    """Consecutive findings of one requirement with one status."""

    number: int
    """Number of the group, from 1."""
    status: Status
    """Status of all its findings."""
    requirement: str
    """Full id of the requirement."""
    shown: tuple[Finding, ...]
    """First findings of the group."""
    total: int
    """Number of findings."""
    items: int
    """Sum of the counts of its findings."""
    varying: frozenset[str]
    """Names of the `DETAILS` in which its findings differ."""

    @property
    def first(self) -> Finding:
        """First finding; its details are those of all findings but for the `varying` ones."""
        return self.shown[0]

    @property
    def unshown(self) -> int:
        """Number of findings that are not shown."""
        return self.total - len(self.shown)


class Counts(Struct):
    """Counter of findings."""

    findings: dict[Status, int] = field(default_factory=lambda: dict.fromkeys(WORST_FIRST, 0))
    """Findings by status."""
    severity: dict[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    """Violations by severity."""
    waived: int = 0
    """Findings that have a waiver."""

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        self.findings[finding.status] += 1
        self.waived += finding.waived is not None
        if finding.status is Status.FAIL:
            self.severity[finding.severity] += 1

    def totals(self, results: Results) -> Totals:
        """Return the totals, once every finding of the results was counted."""
        return Totals(
            requirements=results.by_status(), findings=self.findings, severity=self.severity, waived=self.waived
        )


def tally(results: Results) -> Totals:
    """Return the totals in one pass over the findings."""
    counts = Counts()
    for finding in results.findings:
        counts.add(finding)
    return counts.totals(results)


def groups(findings: Iterable[Finding], *, limit: int) -> Iterator[Group]:
    """Yield the groups of findings in their order, each with its first `limit` findings.

    A requirement has more than one group if its findings are not in the order of `Results`.
    """
    for number, (key, run) in enumerate(groupby(findings, _key), 1):
        shown = tuple(islice(run, limit))
        first = shown[0]
        total = items = 0
        varying: set[str] = set()
        for finding in chain(shown, run):
            total += 1
            items += finding.count
            varying.update(name for name in DETAILS if getattr(finding, name) != getattr(first, name))
        yield Group(
            number=number,
            status=key[0],
            requirement=key[1],
            shown=shown,
            total=total,
            items=items,
            varying=frozenset(varying),
        )


def _key(finding: Finding) -> GroupKey:
    return finding.status, finding.requirement
