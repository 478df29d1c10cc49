"""Findings: failed or open requirements, with their place, the expectation, the evidence and the waivers."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from validator.results.statuses import Recorded, Severity, State, Status


class Where(Recorded, frozen=True, kw_only=True):
    """Place of a finding in a file and, for a log, in a round of play."""

    file: str | None = None
    line: int | None = None
    """Line in the file, counted from 1."""
    column: int | None = None
    """Column in the line, counted from 1."""
    pointer: str | None = None
    """JSON Pointer into the document, or into the record of the round."""
    casino: str | None = None
    table: str | None = None
    round: str | None = None
    time: str | None = None
    """Time at which the round was played, as its log states it; the day alone if the log states no more."""
    seat: int | None = None
    wager: str | None = None
    event: int | None = None
    """Number of the event in the round, counted from 1."""
    submission: str | None = None
    """Name that the casino gave the submission."""
    context: Mapping[str, str] | None = None
    """Further notes of the log about the round, such as the dealer."""


class Waiver(Recorded, frozen=True, kw_only=True):
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


class WaiverClaim(Recorded, frozen=True, kw_only=True):
    """Statement in a submission that a waiver was granted. It lifts nothing by itself."""

    reason: str
    by: str
    until: str | None = None


class Claim(Recorded, frozen=True, kw_only=True):
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


class Finding(Recorded, frozen=True, kw_only=True):
    """Requirement that failed, or that the evidence leaves open, with its place."""

    requirement: str
    clauses: tuple[str, ...]
    document: str
    status: Status
    severity: Severity
    message: str
    expected: str
    observed: str
    where: Where
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
    state: State | None = None
    """Comparison with the baseline; None if no earlier run was given."""
    version: int | None = None
    """Number of the record of the round, counted from 1, if several records contradict each other. Money of such a
    round counts once: in the record whose failures amount to most."""
    currency: str | None = None
    """Currency of `owed` and `overpaid`, if the results are in several currencies."""
    broken: str | None = None
    """What went wrong, in a sentence; None if the finding is no failure or the rules have no such sentence."""

    @property
    def headline(self) -> str:
        """First sentence of the finding: what went wrong, or else the message of the requirement."""
        return self.broken or self.message

    @property
    def is_on_money(self) -> bool:
        """Return whether the finding is a failure on money that no waiver lifts."""
        return self.owed is not None and self.status is Status.FAIL and self.waived is None
