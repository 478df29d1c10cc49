"""Failures of rounds with a single version that do not depend on which record of an earlier round is true."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.audit.sessions.rounds_in_order import Gathered
from validator.results.findings import Finding
from validator.rules.model.requirement import Requirement

SAME_ANYHOW = "it is so whichever record of the rounds before is true"
_Place = tuple[str | None, int | None]


class _Failure(Struct):
    """A failure that was found among each version up to `version`."""

    version: int
    findings: tuple[Finding, ...]


class CertainFailures(Struct):
    """Gathers failures version by version; those that every version of the rounds before leads to are certain."""

    versions: int
    """Number of versions that are judged."""
    _found: dict[str, dict[_Place, _Failure]] = field(default_factory=dict)

    def add(self, requirement: str, version: int, findings: tuple[Finding, ...]) -> None:
        """Add what a round fails for among a version of the rounds before it."""
        where = findings[0].where
        found = self._found.setdefault(requirement, {})
        failure = found.get((where.file, where.line))
        if version == 1:
            said = tuple(replace(one, observed=f"{one.observed}; {SAME_ANYHOW}") for one in findings)
            found[where.file, where.line] = _Failure(version=1, findings=said)
        elif failure is not None and failure.version == version - 1:
            failure.version = version

    def among(self, rounds: Gathered, requirement: str) -> Iterator[tuple[int, tuple[Finding, ...]]]:
        """Yield the rounds that certainly fail a requirement, by their places, with their findings."""
        found = {
            place: failure.findings
            for place, failure in self._found.get(requirement, {}).items()
            if failure.version == self.versions
        }
        if not found:
            return
        lines = np.array([line for _, line in found], np.int64)
        for place in np.flatnonzero(np.isin(rounds.line(), lines)).tolist():
            where = rounds.where(place)
            if (where.file, where.line) in found:
                yield place, found[where.file, where.line]


def may_be_certain(rounds: Gathered, requirement: Requirement) -> Flags:
    """Return which rounds with a single version are certain to fail if they fail among each version, bool[rounds].

    With one contradicted round before, its versions are all there is to try. With more of them, the audit does not try
    every combination of their versions. That makes no difference to checks that look at the round before alone, nor to
    those for something that happened in none of the rounds before.
    """
    order = rounds.order
    contradicted: Ints = np.cumsum(rounds.version > 0)
    starts = np.maximum.accumulate(np.where(order.first, np.arange(len(rounds)), 0))
    before = contradicted - (contradicted - (rounds.version > 0))[starts]
    found: Flags = (rounds.version == 0) & (before > 0) & (_is_simple(requirement) | (before == 1))
    return found


def _is_simple(requirement: Requirement) -> bool:
    """Return whether combinations of versions of several rounds make no difference to a requirement."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "succession":
            return check.operator == "number" or (check.operator == "deck" and check.deck == "same")
        case "every":
            return check.when is None and check.counts is None and check.of_each is None
    return False
