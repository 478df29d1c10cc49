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

SAME_ANYHOW = "this holds whichever record of the earlier rounds is true"
_Place = tuple[str | None, int | None]


class _Failure(Struct):
    """Failure that occurs with each version up to `version`."""

    version: int
    findings: tuple[Finding, ...]


class CertainFailures(Struct):
    """Collector of failures, version by version.

    Failures that occur with every version of the earlier rounds are certain.
    """

    versions: int
    """Number of versions that are evaluated."""
    _failures: dict[str, dict[_Place, _Failure]] = field(default_factory=dict)

    def add(self, requirement: str, version: int, findings: tuple[Finding, ...]) -> None:
        """Add the failures of a round that occur with a version of the earlier rounds."""
        where = findings[0].where
        failures = self._failures.setdefault(requirement, {})
        failure = failures.get((where.file, where.line))
        if version == 1:
            noted = tuple(replace(finding, observed=f"{finding.observed}; {SAME_ANYHOW}") for finding in findings)
            failures[where.file, where.line] = _Failure(version=1, findings=noted)
        elif failure is not None and failure.version == version - 1:
            failure.version = version

    def among(self, rounds: Gathered, requirement: str) -> Iterator[tuple[int, tuple[Finding, ...]]]:
        """Yield the rounds that certainly fail a requirement, by their places, with their findings."""
        certain = {
            place: failure.findings
            for place, failure in self._failures.get(requirement, {}).items()
            if failure.version == self.versions
        }
        if not certain:
            return
        lines = np.array([line for _, line in certain], np.int64)
        for place in np.flatnonzero(np.isin(rounds.line(), lines)).tolist():
            where = rounds.where(place)
            if (where.file, where.line) in certain:
                yield place, certain[where.file, where.line]


def may_be_certain(rounds: Gathered, requirement: Requirement) -> Flags:
    """Return which rounds with a single version certainly fail if they fail with each version.

    With one contradicted earlier round, its versions are all cases. With several, the audit does not try every
    combination of versions. The combination does not matter to checks that use only the previous round, nor to checks
    that something happened in an earlier round.

    Returns:
        bool[rounds].
    """
    order = rounds.order
    contradicted: Ints = np.cumsum(rounds.version > 0)
    starts = np.maximum.accumulate(np.where(order.first, np.arange(len(rounds)), 0))
    contradicted_before = contradicted - (contradicted - (rounds.version > 0))[starts]
    result: Flags = (
        (rounds.version == 0) & (contradicted_before > 0) & (_is_simple(requirement) | (contradicted_before == 1))
    )
    return result


def _is_simple(requirement: Requirement) -> bool:
    """Return whether combinations of versions of several rounds do not matter to a requirement."""
    check = requirement.check.operand
    match requirement.check.operator:
        case "succession":
            return check.operator == "number" or (check.operator == "deck" and check.deck == "same")
        case "every":
            return check.when is None and check.counts is None and check.of_each is None
    return False
