"""The one result model: what every check answers with and every report is rendered from.

This is the ground floor of the house. It imports nothing of fairdeal and knows neither rule files
nor evidence; everything above speaks in its words.
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
    """How one requirement came out over everything it was held against.

    `totals` counts items by status: rounds for a hand log, 1 for a submission. They add up to what was
    selected. `status` is the worst of them; `reason` says in a sentence why it is not a plain pass.
    """

    requirement: str
    title: str
    document: str
    clauses: tuple[str, ...]
    evidence: Evidence
    severity: Severity
    status: Status
    reason: str
    totals: Mapping[Status, int]
    reading: tuple[str, ...] = ()
    waived: Waiver | None = None


class InputKind(StrEnum):
    """What an input was read as."""

    SUBMISSION = "submission"
    HAND_LOG = "hand log"
    WAIVERS = "waivers"
    PROFILE = "profile"


JUDGED_BY = frozenset({InputKind.WAIVERS, InputKind.PROFILE})
"""Kinds that hold what evidence is judged by, and none themselves."""


class InputFile(Recorded, frozen=True, kw_only=True):
    """One input that was read: its name as given, its SHA-256 (hex) and what it was read as. No two have one name.

    `read` counts records (lines of a log, 1 for a submission), `checked` those that were judged, `quarantined` those
    that were set aside, `repeated` those that only say again what another record of their round says.
    `read == checked + quarantined + repeated`. Of the checked, `contradicted` prove nothing in favour of the casino, as
    another record of their round says otherwise.
    """

    file: str
    sha256: str
    kind: InputKind
    read: int
    checked: int
    quarantined: int
    repeated: int = 0
    contradicted: int = 0


class Quarantined(Recorded, frozen=True, kw_only=True):
    """A record of a hand log that was set aside unjudged, and why."""

    file: str
    line: int
    column: int | None
    reason: str


class ReadingRelied(Recorded, frozen=True, kw_only=True):
    """A reading of the text some result rests on: the question, the option applied and why."""

    reading: str
    document: str
    clauses: tuple[str, ...]
    question: str
    adopted: str
    why: str
    from_profile: bool = False


class Provenance(Recorded, frozen=True, kw_only=True):
    """What made this result: program, rulebook, inputs, dates. The clock is injected, never read here."""

    program: str
    rulebook_sha256: str
    documents: tuple[str, ...]
    as_of: str | None
    generated: str
    inputs: tuple[InputFile, ...]
    profile: str | None = None


class Baseline(Recorded, frozen=True, kw_only=True):
    """An earlier run that the findings are held against: its results `file`, the SHA-256 (hex) of that, and when it was
    generated. `gone` are the first of its `gone_found` findings that are here no more; `set_aside` is how many records
    were set aside, or contradicted by others, that it did not set aside for the same reason.
    """

    file: str
    sha256: str
    generated: str
    gone: tuple[Finding, ...]
    gone_found: int
    set_aside: int


class Results(Recorded, frozen=True, kw_only=True):
    """Everything a run found out, in the order every report shows it.

    `findings` is sorted worst first, then by requirement, then by place; it may be a lazy sequence read
    back from disk, so reports iterate it and never ask for a copy. `money` is None where an older file does not tell,
    `statistics` where they were not asked for.
    """

    verdict: Verdict
    findings: Sequence[Finding]
    requirements: tuple[RequirementResult, ...]
    readings: tuple[ReadingRelied, ...]
    quarantined: tuple[Quarantined, ...]
    provenance: Provenance
    layouts: tuple[Layout, ...] = ()
    sessions: tuple[Session, ...] = ()
    claims: tuple[Claim, ...] = ()
    subject: Subject
    money: Money | None
    baseline: Baseline | None = None
    open: tuple[Open, ...] = ()
    clauses: tuple[ClauseText, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    statistics: Statistics | None = None

    def by_status(self) -> dict[Status, int]:
        """Number of requirements in each status, worst first, zeros included."""
        counts = dict.fromkeys(WORST_FIRST, 0)
        for requirement in self.requirements:
            counts[requirement.status] += 1
        return counts


def count_doubtful_records(inputs: Iterable[InputFile]) -> int:
    """Count the records that were set aside, and those that another record of their round contradicts."""
    return sum(file.quarantined + file.contradicted for file in inputs)


def verdict_of(requirements: Iterable[RequirementResult], *, quarantined: int) -> Verdict:
    """The outcome of a run: any failure that is not waived is a violation; anything unproven, unread or
    empty leaves it inconclusive. `quarantined` are all doubtful records, as in `count_doubtful_records`."""
    # A waiver lifts the failures of a requirement, not what of it is left unproven beside them.
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
    """Something the evidence does not show, once for all requirements of a document that it leaves open.

    `items` are the rounds (or submissions) it is true of, of `of` that were judged; `first` is the first place where it
    left something open.
    """

    document: str
    cause: Cause
    says: str
    items: int
    of: int
    requirements: tuple[str, ...]
    first: Where | None


class Chapter(Recorded, frozen=True, kw_only=True):
    """A part of what is told of a round: a heading and its lines."""

    title: str
    lines: tuple[str, ...]


class Explanation(Recorded, frozen=True, kw_only=True):
    """The round of the first finding of some requirements, told step by step."""

    requirements: tuple[str, ...]
    where: Where
    chapters: tuple[Chapter, ...]
