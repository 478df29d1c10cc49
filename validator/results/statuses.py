"""Statuses, severities, verdicts, and the base of all that stands in `results.json`."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct


class Status(StrEnum):
    """How one requirement came out for one thing it was held against."""

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
"""The order in which statuses outweigh each other when several things are summed up in one."""


UNPROVEN: frozenset[Status] = frozenset({Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION, Status.ERROR})
"""Statuses that never count as pass: with one of them, and no failure, a run is inconclusive."""


class Severity(StrEnum):
    """How much hangs on a requirement: money or integrity, conduct of the game, form."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"


class Evidence(StrEnum):
    """What a requirement is judged on."""

    SUBMISSION = "submission"
    ROUND = "round"
    SESSION = "session"
    ATTESTATION = "attestation"


class Verdict(StrEnum):
    """The outcome of a whole run."""

    COMPLIANT = "compliant"
    VIOLATIONS = "violations"
    INCONCLUSIVE = "inconclusive"


class State(StrEnum):
    """Whether a finding was there in the run that is the baseline."""

    NEW = "new"
    KNOWN = "known"


class Cause(StrEnum):
    """Why the evidence leaves something open."""

    CONTRADICTED = "contradicted"
    """Another record of the round says otherwise."""
    NO_EVENTS = "no-events"
    """The record tells no events."""
    KINDS_NOT_RECORDED = "kinds-not-recorded"
    """The log says that it does not record some kinds of event."""
    RECORD_STOPS = "record-stops"
    """The record stops before the round is over."""
    NO_SUBMISSION = "no-submission"
    """No submission is in force for the round."""
    NOT_STATED = "not-stated"
    """The submission does not state it."""
    NO_ATTESTATION = "no-attestation"
    """Nobody has given their word."""
    NOT_GIVEN = "not-given"
    """No evidence of the kind was given at all."""
    OTHER = "other"
    """The requirement itself says what is not shown."""


class Recorded(Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True):
    """What stands in `results.json` as it is here: its keys are the names of the fields, with hyphens."""


def worst(statuses: Iterable[Status]) -> Status:
    """The status that outweighs the others; `not-applicable` where there are none."""
    found = set(statuses)
    return next((status for status in WORST_FIRST if status in found), Status.NOT_APPLICABLE)
