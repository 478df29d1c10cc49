"""Result model of every check; each report is made from it alone.

It imports nothing of fairdeal outside of this package, and knows neither rule files nor evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TypeAlias, TypeVar

from fairdeal.validator.results.findings import (
    UNPROVEN,
    WORST_FIRST,
    Cause,
    Evidence,
    EvidencePlace,
    Finding,
    ResultRecord,
    Severity,
    Status,
    Verdict,
    Waiver,
    WaiverClaimed,
)
from fairdeal.validator.results.game_statistics import Statistics


class SessionGap(ResultRecord, frozen=True, kw_only=True):
    """Rounds of a session that the logs lack, or may lack."""

    after: str | None
    """Id of the round before the gap; None if the gap is before the first round that was read."""
    before: str
    """Id of the round after the gap."""
    missing: int | None
    """Number of missing rounds; None if it is unknown, or if it is unknown whether any are missing."""
    why: str
    """Reason for the gap."""


class TableSession(ResultRecord, frozen=True, kw_only=True):
    """Rounds of one game at one table, in the order of play."""

    document: str
    casino: str | None
    table: str
    first: str
    """Id of the first round."""
    begins: str | None
    """Time of the first round, by the clock of the log; None if the log states no day."""
    last: str
    """Id of the last round."""
    ends: str | None
    """Time of the last round, by the clock of the log; None if the log states no day."""
    rounds: int
    openings: int
    """Number of times that the table was opened, where rounds are numbered."""
    gaps: tuple[SessionGap, ...]
    """First gaps."""
    gaps_found: int
    """Number of gaps."""


class AppliedDocument(ResultRecord, frozen=True, kw_only=True):
    """Document that the evidence was checked against."""

    document: str
    title: str
    citation: str
    regulator: str
    game: str | None
    """Title of its game; None if it has none."""


class LicenseeDetails(ResultRecord, frozen=True, kw_only=True):
    """Casino that handed in a submission."""

    name: str
    license: str | None


class TableCoverage(ResultRecord, frozen=True, kw_only=True):
    """Table whose rounds were checked."""

    document: str
    casino: str | None
    table: str
    rounds: int
    """Number of rounds."""
    first: str | None
    """First day; None if no day is stated."""
    last: str | None
    """Last day; None if no day is stated."""


class SubmittedAmounts(ResultRecord, frozen=True, kw_only=True):
    """Amounts of a submission as the program understood them."""

    submission: str
    """Name of the submission."""
    currency: str | None
    """Currency of the amounts; None if the submission states none."""
    amounts: tuple[str, ...]
    """Limits of wagers and other amounts, in words: `Ante $5.00 to $100.00`."""
    questions: tuple[str, ...]
    """Questions on amounts that may be a mistake."""


class Subject(ResultRecord, frozen=True, kw_only=True):
    """Licensees, documents, tables and period of a run."""

    licensees: tuple[LicenseeDetails, ...]
    law: tuple[AppliedDocument, ...]
    casinos: tuple[str, ...]
    tables: tuple[TableCoverage, ...]
    """First tables, by document, casino and name."""
    tables_read: int
    """Number of tables."""
    first: str | None
    """First day of the rounds or, without rounds, of the submissions."""
    last: str | None
    """Last day of the rounds or, without rounds, of the submissions."""
    currency: str | None
    """Currency code of all amounts; None if it is not stated, or if there are several (`currencies`)."""
    currencies: tuple[str, ...] = ()
    amounts: tuple[SubmittedAmounts, ...] = ()
    """Amounts of the first submissions that state any."""


class ClauseText(ResultRecord, frozen=True, kw_only=True):
    """Clause that requirements are based on."""

    clause: str
    document: str
    gist: str
    """Summary of the clause."""
    source: str
    """File with the text of the clause."""
    first_line: int
    """First line of the clause in the source."""
    last_line: int
    """Last line of the clause in the source."""


class MoneySum(ResultRecord, frozen=True, kw_only=True):
    """Money of the failures that have one value of what they are grouped by."""

    by: str
    """Property that failures are grouped by."""
    name: str | None
    """Value of that property; None for failures without one."""
    casino: str | None
    """Casino of a table or player."""
    findings: int
    owed: int
    """Money owed to players, in minor units."""
    overpaid: int
    """Money paid to players in excess, in minor units."""


class CurrencyMoney(ResultRecord, frozen=True, kw_only=True):
    """Money of all failures in one currency, in minor units, without waived failures."""

    findings: int
    owed: int
    overpaid: int
    sums: tuple[MoneySum, ...]
    currency: str | None = None
    """Currency code; None if it is not stated."""


class Money(CurrencyMoney, frozen=True, kw_only=True):
    """Money of all failures, in the first currency."""

    others: tuple[CurrencyMoney, ...] = ()
    """Money in other currencies."""

    @property
    def by_currency(self) -> tuple[CurrencyMoney, ...]:
        """Return the money of the failures in each currency."""
        return (self, *self.others)


class AreaUnit(StrEnum):
    """Owner of an area: each betting position has one, or the table as a whole."""

    POSITION = "position"
    TABLE = "table"


class TableShape(StrEnum):
    """Outline of a table."""

    HALF_ROUND = "half-round"
    OVAL = "oval"


class LayoutMark(ResultRecord, frozen=True, kw_only=True):
    """Status of a requirement whose findings point at a part of the layout."""

    requirement: str
    status: Status


class LayoutArea(ResultRecord, frozen=True, kw_only=True):
    """Area of a submitted layout with its legend."""

    area: str
    legend: str
    wager: bool = True
    """True if players place a wager there."""
    per: AreaUnit = AreaUnit.POSITION
    marks: tuple[LayoutMark, ...] = ()
    """Findings that point at the area."""
    legend_marks: tuple[LayoutMark, ...] = ()
    """Findings that point at the legend."""


class LayoutSign(ResultRecord, frozen=True, kw_only=True):
    """Sign at the table, with the findings that point at it."""

    text: str
    marks: tuple[LayoutMark, ...] = ()


class Layout(ResultRecord, frozen=True, kw_only=True):
    """Submitted table layout, with the parts that a report draws."""

    file: str
    title: str
    positions: int | None
    """Number of betting positions; None if the submission does not state it."""
    areas: tuple[LayoutArea, ...]
    signage: tuple[LayoutSign, ...] = ()
    marks: tuple[LayoutMark, ...] = ()
    """Findings that point at the layout as a whole."""
    shape: TableShape = TableShape.HALF_ROUND
    lacks: tuple[LayoutArea, ...] = ()
    """Required areas that are missing, each with its findings."""


class RequirementResult(ResultRecord, frozen=True, kw_only=True):
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


CRITERIA_KINDS = frozenset({InputKind.WAIVERS, InputKind.PROFILE})
"""Kinds of files that state criteria and contain no evidence."""


class InputFile(ResultRecord, frozen=True, kw_only=True):
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


class Quarantined(ResultRecord, frozen=True, kw_only=True):
    """Record of a hand log that was quarantined, with the reason."""

    file: str
    line: int
    column: int | None
    reason: str


class AppliedReading(ResultRecord, frozen=True, kw_only=True):
    """Reading of an ambiguous passage that some result depends on: the question, the chosen option and the reason."""

    reading: str
    document: str
    clauses: tuple[str, ...]
    question: str
    adopted: str
    why: str
    from_profile: bool = False


class Provenance(ResultRecord, frozen=True, kw_only=True):
    """Origin of a result: program, rulebook, input files and dates. The caller supplies the time."""

    program: str
    rulebook_version: str | None = None
    """Version of the rulebook; None if its rules folder states none."""
    rulebook_date: str | None = None
    """Day on which this version of the rulebook was published; None if its rules folder states none."""
    rulebook_sha256: str
    """SHA-256 over the rule files of all documents, their version included (hex)."""
    documents: tuple[str, ...]
    as_of: str | None
    generated: str
    inputs: tuple[InputFile, ...]
    profile: str | None = None
    timezone: str | None = None
    """Time zone of local times; None if the log states them."""
    day_starts: str | None = None
    """Time at which a gaming day starts; None for midnight."""


class Baseline(ResultRecord, frozen=True, kw_only=True):
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


class Results(ResultRecord, frozen=True, kw_only=True):
    """Results of a run, in the order in which every report shows them."""

    verdict: Verdict
    findings: Sequence[Finding]
    """Findings, worst status first, then by requirement and place. May be a lazy sequence that is read from disk:
    iterate it, do not copy it."""
    requirements: tuple[RequirementResult, ...]
    readings: tuple[AppliedReading, ...]
    quarantined: tuple[Quarantined, ...]
    unreadable: tuple[Quarantined, ...] = ()
    """Files that could not be read at all, with the reason; line 1 if no line is known."""
    provenance: Provenance
    layouts: Sequence[Layout] = ()
    sessions: Sequence[TableSession] = ()
    """Sessions in the order of documents, casinos and tables. May be a lazy sequence, as findings are."""
    claims: Sequence[WaiverClaimed] = ()
    subject: Subject
    money: Money | None
    """Money totals; None if an older file does not contain them."""
    baseline: Baseline | None = None
    open: tuple[UnresolvedItem, ...] = ()
    clauses: tuple[ClauseText, ...] = ()
    explanations: tuple[Explanation, ...] = ()
    statistics: Statistics | None = None
    """Statistics; None if they were not requested."""
    texts: Mapping[str, str] = {}
    """Words of clauses by id, quoted from the user's texts. Reports show them; saved results do not hold them."""

    def count_by_status(self) -> dict[Status, int]:
        """Count the requirements in each status, worst first, zeros included."""
        counts = dict.fromkeys(WORST_FIRST, 0)
        for requirement in self.requirements:
            counts[requirement.status] += 1
        return counts


def count_doubtful_records(inputs: Iterable[InputFile]) -> int:
    """Count the records that were quarantined, or that another record of their round contradicts."""
    return sum(file.quarantined + file.contradicted for file in inputs)


def decide_verdict(requirements: Iterable[RequirementResult], *, quarantined: int) -> Verdict:
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


class UnresolvedItem(ResultRecord, frozen=True, kw_only=True):
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
    first: EvidencePlace | None
    """First place where the gap left a requirement open."""


class ExplanationPart(ResultRecord, frozen=True, kw_only=True):
    """Part of the explanation of a round: a heading and its lines."""

    title: str
    lines: tuple[str, ...]


class Explanation(ResultRecord, frozen=True, kw_only=True):
    """Explanation, step by step, of the round with the first finding of some requirements."""

    requirements: tuple[str, ...]
    where: EvidencePlace
    """The place of the round."""
    chapters: tuple[ExplanationPart, ...]


PlaceKey: TypeAlias = tuple[bool, str] | tuple[bool, bool, str, str, timedelta, str, int]
"""Sort key of a place. Places without a round come first, by file; rounds follow by casino, table, time, file and line.
"""

Read = TypeVar("Read")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make_place_key(where: EvidencePlace) -> PlaceKey:
    """Return the sort key of a place. Places with one key keep the order in which they were found."""
    if where.round is None:
        return False, where.file or ""
    casino, table, time = where.casino, where.table or "", _time(where.time)
    return True, casino is not None, casino or "", table, time, where.file or "", where.line or 0


def _time(time: str | None) -> timedelta:
    if time is None:
        return timedelta.min
    parsed = datetime.fromisoformat(time)
    return (parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)) - _EPOCH


def sort_by_file(given: Iterable[tuple[Read, InputFile]]) -> tuple[tuple[Read, InputFile], ...]:
    """Sort what was read from files by file name, so that the order of arguments changes nothing."""
    return tuple(sorted(given, key=lambda entry: entry[1].file))
