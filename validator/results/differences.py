"""Comparison of two runs: requirements with another status, and findings whose content changed."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from msgspec import Struct
from msgspec.json import encode

from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import Status

MOST_CHANGED = 10_000
"""Largest number of findings that are listed as changed."""

_COMPARED_FIELDS = ("severity", "expected", "observed", "waived", "owed", "overpaid", "currency", "count")
"""Fields that may change while a finding keeps its id."""


class Moved(Struct, frozen=True, kw_only=True):
    """Requirement whose status differs from the earlier run."""

    requirement: str
    before: Status | None
    """Status in the earlier run; None if that run did not check the requirement."""
    now: Status | None
    """Status in this run; None if this run did not check the requirement."""


class Comparison(Struct, frozen=True, kw_only=True):
    """Differences between two runs, apart from findings that are new or gone."""

    moved: tuple[Moved, ...]
    """Requirements whose status changed, by name."""
    changed: tuple[Finding, ...]
    """Findings of both runs whose content changed, as they are now; at most `MOST_CHANGED`."""
    changed_found: int
    """Number of findings that changed."""


def compared(before: Results, now: Results) -> Comparison:
    """Compare a run with an earlier one. Findings are matched by their ids, where both runs have them."""
    statuses = [
        {requirement.requirement: requirement.status for requirement in results.requirements}
        for results in (before, now)
    ]
    names = sorted(statuses[0].keys() | statuses[1].keys())
    pairs = ((name, statuses[0].get(name), statuses[1].get(name)) for name in names)
    count = 0
    listed: list[Finding] = []
    for finding in _find_changes(before, now):
        count += 1
        if count <= MOST_CHANGED:
            listed.append(finding)
    return Comparison(
        moved=tuple(
            Moved(requirement=name, before=earlier, now=other) for name, earlier, other in pairs if earlier is not other
        ),
        changed=tuple(listed),
        changed_found=count,
    )


def _find_changes(before: Results, now: Results) -> Iterator[Finding]:
    digests = {finding.id: _digest(finding) for finding in before.findings if finding.id}
    return (finding for finding in now.findings if finding.id in digests and digests[finding.id] != _digest(finding))


def _digest(finding: Finding) -> bytes:
    return blake2b(encode([getattr(finding, name) for name in _COMPARED_FIELDS]), digest_size=16).digest()
