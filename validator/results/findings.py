"""Findings: the place, what is asked, what the evidence shows, and what was waived."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import field

from validator.results.statuses import Recorded, Severity, State, Status


class Where(Recorded, frozen=True, kw_only=True):
    """The place a finding speaks of: a spot in a file and, for a log, a spot in a round of play.

    `line` and `column` count from 1; `pointer` is a JSON Pointer into the document or the round's record;
    `event` counts the round's events from 1. `time` is when the round was played, as its log has it: only the day where
    that is all that is told. `submission` is the casino's own name of a submission; `context` what the log notes of the
    round besides.
    """

    file: str | None = None
    line: int | None = None
    column: int | None = None
    pointer: str | None = None
    casino: str | None = None
    table: str | None = None
    round: str | None = None
    time: str | None = None
    seat: int | None = None
    wager: str | None = None
    event: int | None = None
    submission: str | None = None
    context: Mapping[str, str] | None = None


class Waiver(Recorded, frozen=True, kw_only=True):
    """A regulator's permission to depart from a clause; a mark on a result, never a result.

    It stands in the regulator's own file, `file`: who granted it, the `regulator` and `by` which person, and on which
    day. It holds from its first day to its last, both included; None is open.
    """

    regulator: str
    by: str
    granted: str
    file: str
    reason: str | None = None
    from_: str | None = field(default=None, name="from")
    until: str | None = None


class WaiverClaim(Recorded, frozen=True, kw_only=True):
    """What a casino says in its submission of a waiver: its own word, which lifts nothing."""

    reason: str
    by: str
    until: str | None = None


class Claim(Recorded, frozen=True, kw_only=True):
    """A waiver that a submission speaks of, and what the regulator's files say of it.

    `granted` are the waivers of those files that lift some of its clauses for the casino while it is claimed;
    `not_granted` the clauses that none of them lifts.
    """

    file: str
    line: int | None
    column: int | None
    casino: str
    document: str
    clauses: tuple[str, ...]
    claim: WaiverClaim
    granted: tuple[Waiver, ...]
    not_granted: tuple[str, ...]


class Finding(Recorded, frozen=True, kw_only=True):
    """One requirement that did not simply pass, and where.

    `waived` is the regulator's waiver that lifts it, `claimed` the one that the casino claims, be it granted or not.
    `count` is the number of rounds (or other items) this finding stands for: 1 for a single violation,
    more where the same gap in the evidence repeats and only its first place is shown. Of a failure on money `owed` is
    what players were paid too little (or what was taken of them too much) and `overpaid` what they were paid too much,
    in minor units, one of them 0; both are None of all others. `id` stays the same from run to run (`finding_ids`).
    `state` is what an earlier run, the baseline, says of it, None where none was given. `version` is of a round with
    records that contradict each other: which of them the finding is of, counted from 1. The money of such a
    round counts once: only the version that amounts to most has it. `currency` is that of `owed`
    and `overpaid` where the results are in several currencies.
    """

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
    claimed: WaiverClaim | None = None
    count: int = 1
    owed: int | None = None
    overpaid: int | None = None
    id: str = ""
    state: State | None = None
    version: int | None = None
    currency: str | None = None
    broken: str | None = None
    """What went wrong, in a sentence; None where the finding is no failure or the rules do not say it."""

    @property
    def headline(self) -> str:
        """What a reader is told first: what went wrong, or else what the requirement says."""
        return self.broken or self.message

    @property
    def is_on_money(self) -> bool:
        """Whether it is a failure on money that no waiver lifts."""
        return self.owed is not None and self.status is Status.FAIL and self.waived is None
