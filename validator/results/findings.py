"""Findings and their statuses: requirements that failed or stay open, with place, waivers, money and stable ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from hashlib import blake2b, sha256

from msgspec import Struct, field
from msgspec.json import encode
from msgspec.structs import replace


class Status(StrEnum):
    """Result of one requirement for one item."""

    PASS = "pass"
    FAIL = "fail"
    NOT_APPLICABLE = "not-applicable"
    NOT_IN_FORCE = "not-in-force"
    NOT_EVIDENCED = "not-evidenced"
    NEEDS_ATTESTATION = "needs-attestation"
    ERROR = "error"


WORST_FIRST: tuple[Status, ...] = (
    Status.FAIL,
    Status.ERROR,
    Status.NOT_EVIDENCED,
    Status.NEEDS_ATTESTATION,
    Status.PASS,
    Status.NOT_APPLICABLE,
    Status.NOT_IN_FORCE,
)
"""Statuses from the worst to the best, for summing up several items in one status."""


UNPROVEN: frozenset[Status] = frozenset({Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION, Status.ERROR})
"""Statuses that never count as a pass. A run with one of them, and no failure, is inconclusive."""


class Severity(StrEnum):
    """Importance of a requirement: money or integrity, conduct of the game, or form."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


class Evidence(StrEnum):
    """Kind of evidence that a requirement is checked against."""

    SUBMISSION = "submission"
    ROUND = "round"
    SESSION = "session"
    ATTESTATION = "attestation"


class Verdict(StrEnum):
    """Verdict of a whole run."""

    COMPLIANT = "compliant"
    VIOLATIONS = "violations"
    INCONCLUSIVE = "inconclusive"


class FindingState(StrEnum):
    """Comparison of a finding with the baseline."""

    NEW = "new"
    KNOWN = "known"


class Cause(StrEnum):
    """Reason why the evidence leaves something open."""

    CONTRADICTED = "contradicted"
    """Another record of the round contradicts it."""
    NO_EVENTS = "no-events"
    """The record has no events."""
    KINDS_NOT_RECORDED = "kinds-not-recorded"
    """The log declares that it does not record some kinds of event."""
    RECORD_STOPS = "record-stops"
    """The record ends before the round is over."""
    NO_SUBMISSION = "no-submission"
    """No submission is in force for the round."""
    NOT_STATED = "not-stated"
    """The submission does not state it."""
    NO_ATTESTATION = "no-attestation"
    """Nobody has attested it."""
    NOT_GIVEN = "not-given"
    """No evidence of this kind was given."""
    OTHER = "other"
    """The requirement itself states what is missing."""


_DAY = re.compile(r"\d{4}-\d\d-\d\d")


class ResultRecord(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Record in `results.json`. Its keys are the names of the fields, with hyphens."""


def worst_status(statuses: Iterable[Status]) -> Status:
    """Return the worst of some statuses; `not-applicable` if there are none."""
    given = set(statuses)
    return next((status for status in WORST_FIRST if status in given), Status.NOT_APPLICABLE)


class EvidencePlace(ResultRecord, frozen=True, kw_only=True):
    """Place of a finding in a file and, for a log, in a round of play."""

    file: str | None = None
    line: int | None = None
    """Line in the file, counted from 1."""
    column: int | None = None
    """Column in the line, counted from 1."""
    sheet: str | None = None
    """Sheet of a workbook, which has no lines."""
    cell: str | None = None
    """Cell of the sheet, such as `C4`."""
    pointer: str | None = None
    """JSON Pointer into the document, or into the record of the round."""
    casino: str | None = None
    table: str | None = None
    round: str | None = None
    time: str | None = None
    """Time at which the round was played, as its log states it; the day alone if the log states no more."""
    local: str | None = None
    """The same time in the configured time zone; None if none is configured."""
    day: str | None = None
    """Gaming day of the round; None if neither a time zone nor the start of the day is configured."""
    seat: int | None = None
    player: str | None = None
    """Player at the seat, as the log names it."""
    wager: str | None = None
    event: int | None = None
    """Number of the event in the round, counted from 1."""
    submission: str | None = None
    """Name that the casino gave the submission."""
    context: Mapping[str, str] | None = None
    """Further notes of the log about the round, such as the dealer."""

    @property
    def clock(self) -> str | None:
        """Return the local time if it is known, else the time that the log states."""
        return self.local or self.time

    @property
    def played_on(self) -> str | None:
        """Return the gaming day if it is known, else the day that the log states."""
        if self.day is not None or self.time is None:
            return self.day
        return self.time[:10] if _DAY.match(self.time) else None


class Waiver(ResultRecord, frozen=True, kw_only=True):
    """Permission of a regulator to depart from a clause. It marks a result and never changes its status."""

    regulator: str
    """Regulator that granted it."""
    by: str
    """Person who granted it."""
    granted: str
    """Day on which it was granted."""
    file: str
    """File of the regulator that contains it."""
    reason: str | None = None
    from_: str | None = field(default=None, name="from")
    """First day on which it holds; None if it has no first day."""
    until: str | None = None
    """Last day on which it holds; None if it has no last day."""


class WaiverClaim(ResultRecord, frozen=True, kw_only=True):
    """Statement in a submission that a waiver was granted. It lifts nothing by itself."""

    reason: str
    by: str
    until: str | None = None


class WaiverClaimed(ResultRecord, frozen=True, kw_only=True):
    """Waiver that a submission claims, compared with the files of the regulator."""

    file: str
    line: int | None
    column: int | None
    casino: str
    document: str
    clauses: tuple[str, ...]
    claim: WaiverClaim
    granted: tuple[Waiver, ...]
    """Waivers of the regulator that lift some of these clauses for the casino in the claimed period."""
    not_granted: tuple[str, ...]
    """Clauses that no waiver of the regulator lifts."""


HOUSE, PLAYERS = "house", "players"
"""Parties of the money of a finding: the house and a player, or the players of a round."""


class Finding(ResultRecord, frozen=True, kw_only=True):
    """Requirement that failed, or that the evidence leaves open, with its place."""

    requirement: str
    clauses: tuple[str, ...]
    document: str
    status: Status
    severity: Severity
    message: str
    expected: str
    observed: str
    where: EvidencePlace
    reading: tuple[str, ...] = ()
    remedy: str | None = None
    waived: Waiver | None = None
    """Waiver of the regulator that lifts the finding."""
    claimed: WaiverClaim | None = None
    """Waiver that the casino claims, granted or not."""
    count: int = 1
    """Number of rounds or other items with this finding. It is 1 for a failure. A gap in the evidence is listed once,
    at its first place, and counts every item."""
    owed: int | None = None
    """Money that players were paid too little, or that was taken from them unduly, in minor units. It is 0 if they were
    paid too much, and None if the failure is not about money."""
    overpaid: int | None = None
    """Money that players were paid too much, in minor units. It is 0 if they were paid too little, and None if the
    failure is not about money."""
    id: str = ""
    """Identifier that stays the same from run to run (`finding_ids`)."""
    state: FindingState | None = None
    """Comparison with the baseline; None if no earlier run was given."""
    version: int | None = None
    """Number of the record of the round, counted from 1, if several records contradict each other. Money of such a
    round counts once: in the record whose failures amount to most."""
    currency: str | None = None
    """Currency of `owed` and `overpaid`, if the results are in several currencies."""
    between_players: bool = False
    """True if the money is that of other players of the round, such as a share of a pot, and not of the house."""
    broken: str | None = None
    """Sentence on what went wrong; None if the finding is no failure or the rules have no such sentence."""

    @property
    def headline(self) -> str:
        """First sentence of the finding: what went wrong, or else the message of the requirement."""
        return self.broken or self.message

    @property
    def party(self) -> str | None:
        """Party on the other side of the amounts, `HOUSE` or `PLAYERS`; None if the failure is not about money."""
        return None if self.owed is None else PLAYERS if self.between_players else HOUSE

    @property
    def is_on_money(self) -> bool:
        """Return whether the finding is a failure on money that no waiver lifts."""
        return self.owed is not None and self.status is Status.FAIL and self.waived is None


_DIGEST = 16


class VersionMoney(Struct):
    """Chooses the record of each round whose money counts: the one whose failures amount to most.

    If several amount to the same, the first counts.
    """

    _amounts: dict[bytes, dict[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._amounts)

    def add(self, finding: Finding) -> None:
        """Add a failure on money of a record."""
        if finding.version is not None:
            amounts = self._amounts.setdefault(digest_round(finding), {})
            amount = (finding.owed or 0) + (finding.overpaid or 0)
            amounts[finding.version] = amounts.get(finding.version, 0) + amount

    def is_counted(self, finding: Finding) -> bool:
        """Return whether the money of a finding counts, once all are added."""
        amounts = self._amounts.get(digest_round(finding)) if finding.version is not None else None
        return amounts is None or finding.version == min(amounts, key=lambda version: (-amounts[version], version))


def digest_round(finding: Finding) -> bytes:
    """Return a digest that identifies the round of a finding."""
    where = finding.where
    day = None if where.time is None else where.time[:10]
    known_by = (finding.document, where.casino, where.table, where.round, day)
    # Texts may have surrogates, which no encoding of JSON takes.
    return blake2b(repr(known_by).encode("utf-8", "surrogatepass"), digest_size=_DIGEST).digest()


_BYTES = 10


class FindingIds(Struct):
    """Assigns ids to findings. Findings of a requirement must arrive in the order of the log.

    An id identifies the document, requirement, casino, table, round, seat, and wager or pointer; for a submission also
    its name. Line numbers have no part in it. Several findings at one place are numbered in their order.

    A gap in the evidence is one finding per requirement, wherever it occurs first. If records of a round contradict
    each other, the first record has the ids of an ordinary round.
    """

    comparable_with_version_1: bool = False
    """True to make ids from what every version of the results contains, without casinos and names of submissions."""
    _round: dict[str, object] = field(default_factory=dict)
    _met: dict[str, dict[str, int]] = field(default_factory=dict)

    def assign_id(self, finding: Finding) -> Finding:
        """Return the finding with its id."""
        where = finding.where
        place: list[object] = [where.table, where.round, where.seat]
        if not self.comparable_with_version_1:
            place = [where.casino, where.table, where.round, where.submission, where.seat]
        place.append(where.wager if where.wager is not None or where.round is not None else where.pointer)
        if finding.version is not None and finding.version > 1:
            place.append(["version", finding.version])
        if finding.status is Status.NOT_EVIDENCED and where.round is not None:
            place = []
        key = sha256(encode([finding.requirement, finding.status, *place])).hexdigest()[: 2 * _BYTES]
        earlier = self._count_earlier(finding, key)
        return replace(finding, id=key if not earlier else f"{key}-{earlier + 1}")

    def _count_earlier(self, finding: Finding, key: str) -> int:
        """Count the earlier findings of the same place in the same round."""
        round_ = (finding.where.casino, finding.where.table, finding.where.round)
        if self._round.get(finding.requirement) != round_:
            self._round[finding.requirement] = round_
            self._met[finding.requirement] = {}
        counts = self._met[finding.requirement]
        counts[key] = counts.get(key, 0) + 1
        return counts[key] - 1
