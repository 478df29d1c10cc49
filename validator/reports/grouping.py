"""Counting and grouping findings without ever holding them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby, islice

from msgspec import Struct, field

from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import WORST_FIRST, Recorded, Severity, Status

GroupKey = tuple[Status, str]
"""What findings are grouped by: a status and a requirement."""

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
"""The fields of a finding that several findings of a group may share, in the order they are shown."""


class Totals(Recorded, frozen=True, kw_only=True):
    """How many requirements and findings there are, by status; zeros are included, worst stands first.

    `severity` counts the findings that fail, waived ones among them; `waived` counts the findings of any
    status that carry a waiver.
    """

    requirements: Mapping[Status, int]
    findings: Mapping[Status, int]
    severity: Mapping[Severity, int]
    waived: int


class Group(Struct, frozen=True, kw_only=True):
    """Consecutive findings of one requirement with one status.

    `shown` are the first of them, `total` counts all. `items` adds up what the findings stand for.
    `varying` names the `DETAILS` in which they differ; the others read the same in every finding, shown
    or not.
    """

    number: int
    status: Status
    requirement: str
    shown: tuple[Finding, ...]
    total: int
    items: int
    varying: frozenset[str]

    @property
    def first(self) -> Finding:
        """The first finding, which speaks for all of them wherever `varying` does not say otherwise."""
        return self.shown[0]

    @property
    def unshown(self) -> int:
        """The number of findings beyond those shown."""
        return self.total - len(self.shown)


class Counts(Struct):
    """Findings counted as they go by."""

    findings: dict[Status, int] = field(default_factory=lambda: dict.fromkeys(WORST_FIRST, 0))
    severity: dict[Severity, int] = field(default_factory=lambda: dict.fromkeys(Severity, 0))
    waived: int = 0

    def add(self, finding: Finding) -> None:
        """Count a finding."""
        self.findings[finding.status] += 1
        self.waived += finding.waived is not None
        if finding.status is Status.FAIL:
            self.severity[finding.severity] += 1

    def totals(self, results: Results) -> Totals:
        """The totals once every finding of these results was counted."""
        return Totals(
            requirements=results.by_status(), findings=self.findings, severity=self.severity, waived=self.waived
        )


def tally(results: Results) -> Totals:
    """The totals, from one pass over the findings."""
    counts = Counts()
    for finding in results.findings:
        counts.add(finding)
    return counts.totals(results)


def groups(findings: Iterable[Finding], *, limit: int) -> Iterator[Group]:
    """The findings grouped as they come, at most `limit` of a group held at a time.

    Groups are numbered from 1. Findings are expected in the order of `Results`; where that order is broken
    a requirement simply has more than one group.
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
