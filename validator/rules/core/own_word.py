"""What a submission is held to by its own word, not by a clause."""

from __future__ import annotations

from msgspec import Struct

from validator.results.statuses import Evidence, Severity

STATED_ODDS = "stated-odds"
"""The requirement that a submission makes of itself, by the odds that it states; no document has one of that name."""


class OwnWord(Struct, frozen=True, kw_only=True):
    """A requirement that a submission makes of itself by what it states: it has a name and words as those of rule files
    have, and no clause."""

    requirement: str
    title: str
    severity: Severity
    message: str
    broken: str
    remedy: str
    clauses: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    evidence: Evidence = Evidence.SUBMISSION


OWN_WORD = OwnWord(
    requirement=STATED_ODDS,
    title="The odds that the submission states are those of its game",
    severity=Severity.MAJOR,
    message="The submission states odds that the game as it offers it does not have.",
    broken="The submission stated odds that differ from the odds of the game it offers.",
    remedy="State the figures that `fairdeal odds GAME --submission FILE` works out, or leave them out.",
)
