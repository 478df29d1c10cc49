"""Statuses, severities and verdicts, and the base class of records in `results.json`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct


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


class State(StrEnum):
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


class Recorded(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """Record in `results.json`. Its keys are the names of the fields, with hyphens."""


def worst(statuses: Iterable[Status]) -> Status:
    """Return the worst of some statuses; `not-applicable` if there are none."""
    given = set(statuses)
    return next((status for status in WORST_FIRST if status in given), Status.NOT_APPLICABLE)
