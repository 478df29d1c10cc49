"""The requirement that follows from odds stated in a submission, not from a clause."""

from __future__ import annotations

from msgspec import Struct

from validator.results.statuses import Evidence, Severity

STATED_ODDS = "stated-odds"
"""Id of the requirement on stated odds. No document may use it."""


class OwnWord(Struct, frozen=True, kw_only=True):
    """A requirement that follows from statements of the submission. It has the fields of a requirement of rule
    files."""

    requirement: str
    """Id of the requirement."""
    title: str
    """Title, as in reports."""
    severity: Severity
    """Severity of a failure."""
    message: str
    """Meaning of a failure, in a sentence."""
    broken: str
    """What went wrong, in a sentence."""
    remedy: str
    """Corrective action."""
    clauses: tuple[str, ...] = ()
    """Clauses: none."""
    readings: tuple[str, ...] = ()
    """Readings: none."""
    evidence: Evidence = Evidence.SUBMISSION
    """Kind of evidence that it is checked on."""


OWN_WORD = OwnWord(
    requirement=STATED_ODDS,
    title="Stated odds match the odds of the submitted game",
    severity=Severity.MAJOR,
    message="The submission states odds that differ from those of the game as submitted.",
    broken="The submission stated odds that differ from the odds of the game it offers.",
    remedy="State the figures that `fairdeal odds GAME --submission FILE` computes, or leave them out.",
)
