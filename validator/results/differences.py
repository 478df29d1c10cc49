"""Two runs side by side: which requirements came out otherwise, and which findings of both do not say the same."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from msgspec import Struct
from msgspec.json import encode

from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import Status

MOST_CHANGED = 10_000
"""The most findings that are listed as changed."""

_SAID = ("severity", "expected", "observed", "waived", "owed", "overpaid", "currency", "count")
"""What of a finding may change while it stays the same finding."""


class Moved(Struct, frozen=True, kw_only=True):
    """A requirement that came out otherwise than before; None where a run did not hold anything against it."""

    requirement: str
    before: Status | None
    now: Status | None


class Comparison(Struct, frozen=True, kw_only=True):
    """How a run differs from an earlier one, besides findings that are new or gone: requirements by name, and the first
    of `changed_found` findings that both have and that do not say the same, as they are now."""

    moved: tuple[Moved, ...]
    changed: tuple[Finding, ...]
    changed_found: int


def compared(before: Results, now: Results) -> Comparison:
    """A run and the earlier one that it is held against. Findings are known by their ids, where both have them."""
    statuses = [
        {requirement.requirement: requirement.status for requirement in results.requirements}
        for results in (before, now)
    ]
    names = sorted(statuses[0].keys() | statuses[1].keys())
    pairs = ((name, statuses[0].get(name), statuses[1].get(name)) for name in names)
    found = 0
    listed: list[Finding] = []
    for finding in _changed(before, now):
        found += 1
        if found <= MOST_CHANGED:
            listed.append(finding)
    return Comparison(
        moved=tuple(
            Moved(requirement=name, before=earlier, now=other) for name, earlier, other in pairs if earlier is not other
        ),
        changed=tuple(listed),
        changed_found=found,
    )


def _changed(before: Results, now: Results) -> Iterator[Finding]:
    said = {finding.id: _digest(finding) for finding in before.findings if finding.id}
    return (finding for finding in now.findings if finding.id in said and said[finding.id] != _digest(finding))


def _digest(finding: Finding) -> bytes:
    return blake2b(encode([getattr(finding, name) for name in _SAID]), digest_size=16).digest()
