"""Result model of every check; each report is made from it alone.

It imports nothing of fairdeal outside of this package, and knows neither rule files nor evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

from validator.results.findings import Claim, Finding, Waiver, Where
from validator.results.layouts import Layout
from validator.results.statistics import Statistics
from validator.results.statuses import (
    UNPROVEN,
    WORST_FIRST,
    Cause,
    Evidence,
    Recorded,
    Severity,
    Status,
    Verdict,
)
from validator.results.subject import ClauseText, Money, Session, Subject


class RequirementResult(Recorded, frozen=True, kw_only=True):
    """Result of one requirement for everything that it was checked against."""

    requirement: str
    title: str
    document: str
    clauses: tuple[str, ...]
    evidence: Evidence
    severity: Severity
    status: Status
    """Worst status among `totals`."""
    reason: str
    """Sentence that states why the result is not a plain pass."""
    totals: Mapping[Status, int]
    """Number of items in each status: rounds of a hand log, or 1 for a submission. They add up to the number of
    selected items."""
    reading: tuple[str, ...] = ()
    waived: Waiver | None = None


class InputKind(StrEnum):
    """Kind of an input file."""

    SUBMISSION = "submission"
    HAND_LOG = "hand log"
    WAIVERS = "waivers"
    PROFILE = "profile"


JUDGED_BY = frozenset({InputKind.WAIVERS, InputKind.PROFILE})
"""Kinds of files that state criteria and contain no evidence."""


class InputFile(Recorded, frozen=True, kw_only=True):
    """Input that was read. File names are unique; `read == checked + quarantined + repeated`."""

    file: str
    """Name as given."""
    sha256: str
    """SHA-256 of the content (hex)."""
    kind: InputKind
    read: int
    """Number of records: lines of a log, or 1 for a submission."""
    checked: int
    """Number of records that were checked."""
    quarantined: int
    """Number of records that could not be checked and were quarantined."""
    repeated: int = 0
    """Number of records that only repeat another record of their round."""
    contradicted: int = 0
    """Number of checked records that another record of their round contradicts. They prove nothing in favour of the
    casino."""


class Quarantined(Recorded, frozen=True, kw_only=True):
    """Record of a hand log that was quarantined, with the reason."""

    file: str
    line: int
    column: int | None
    reason: str


class ReadingRelied(Recorded, frozen=True, kw_only=True):
    """Reading of an ambiguous passage that some result depends on: the question, the chosen option and the reason."""

    reading: str
    document: str
    clauses: tuple[str, ...]
    question: str
    adopted: str
    why: str
    from_profile: bool = False


class Provenance(Recorded, frozen=True, kw_only=True):
    """Origin of a result: program, rulebook, input files and dates. The caller supplies the time."""

    program: str
    rulebook_sha256: str
    documents: tuple[str, ...]
    as_of: str | None
    generated: str
    inputs: tuple[InputFile, ...]
    profile: str | None = None


class Baseline(Recorded, frozen=True, kw_only=True):
    """Earlier run that the findings are compared with."""

    file: str
    """File with the results of the earlier run."""
    sha256: str
    """SHA-256 of that file (hex)."""
    generated: str
    """Time at which the earlier results were generated."""
    gone: tuple[Finding, ...]
    """Findings of the earlier run that no longer occur; at most `MOST_GONE`."""
    gone_found: int
    """Number of findings that no longer occur."""
    set_aside: int
    """Number of records that are newly quarantined, or contradicted by others."""


class Results(Recorded, frozen=True, kw_only=True):
    """Results of a run, in the order in which every report shows them."""

    verdict: Verdict
    findings: Sequence[Finding]
    """Findings, worst status first, then by requirement and place. May be a lazy sequence that is read from disk:
    iterate it, do not copy it."""
    requirements: tuple[RequirementResult, ...]
    readings: tuple[ReadingRelied, ...]
    quarantined: tuple[Quarantined, ...]
    provenance: Provenance
    layouts: tuple[Layout, ...] = ()
    sessions: tuple[Session, ...] = ()
    claims: tuple[Claim, ...] = ()
    subject: Subject
    money: Money | None
    """Money totals; None if an older file does not contain them."""
    baseline: Baseline | None = None
    open: tuple[Open, ...] = ()
    clauses: tuple[ClauseText, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    statistics: Statistics | None = None
    """Statistics; None if they were not requested."""

    def by_status(self) -> dict[Status, int]:
        """Count the requirements in each status, worst first, zeros included."""
        counts = dict.fromkeys(WORST_FIRST, 0)
        for requirement in self.requirements:
            counts[requirement.status] += 1
        return counts


def count_doubtful_records(inputs: Iterable[InputFile]) -> int:
    """Count the records that were quarantined, or that another record of their round contradicts."""
    return sum(file.quarantined + file.contradicted for file in inputs)


def verdict_of(requirements: Iterable[RequirementResult], *, quarantined: int) -> Verdict:
    """Return the verdict of a run.

    A failure that is not waived is a violation. Otherwise the run is inconclusive if anything is unproven or unread, or
    if nothing passed.

    Args:
        requirements: results of the requirements.
        quarantined: number of doubtful records, as in `count_doubtful_records`.
    """
    # A waiver lifts the failures of a requirement. What else is unproven stays unproven.
    statuses = {
        status
        for requirement in requirements
        for status in (requirement.status, *requirement.totals)
        if not (requirement.waived and status is Status.FAIL)
    }
    if Status.FAIL in statuses:
        return Verdict.VIOLATIONS
    if quarantined or Status.PASS not in statuses or not UNPROVEN.isdisjoint(statuses):
        return Verdict.INCONCLUSIVE
    return Verdict.COMPLIANT


class Open(Recorded, frozen=True, kw_only=True):
    """Gap in the evidence, listed once for all requirements of a document that it leaves open."""

    document: str
    cause: Cause
    says: str
    """Description of the gap."""
    items: int
    """Number of rounds (or submissions) with the gap."""
    of: int
    """Number of rounds (or submissions) that were checked."""
    requirements: tuple[str, ...]
    first: Where | None
    """First place where the gap left a requirement open."""


class Chapter(Recorded, frozen=True, kw_only=True):
    """Part of the explanation of a round: a heading and its lines."""

    title: str
    lines: tuple[str, ...]


class Explanation(Recorded, frozen=True, kw_only=True):
    """Explanation, step by step, of the round with the first finding of some requirements."""

    requirements: tuple[str, ...]
    where: Where
    chapters: tuple[Chapter, ...]
