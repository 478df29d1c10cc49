"""Money of rounds whose records contradict each other, counted once."""

from __future__ import annotations

from hashlib import blake2b

from msgspec import Struct, field
from msgspec.json import encode

from validator.results.findings import Finding

_DIGEST = 16


class MoneyOfVersions(Struct):
    """Chooses the record of each round whose money counts: the one whose failures amount to most.

    If several amount to the same, the first counts.
    """

    _amounts: dict[bytes, dict[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._amounts)

    def add(self, finding: Finding) -> None:
        """Add a failure on money of a record."""
        if finding.version is not None:
            amounts = self._amounts.setdefault(_round(finding), {})
            amount = (finding.owed or 0) + (finding.overpaid or 0)
            amounts[finding.version] = amounts.get(finding.version, 0) + amount

    def counts(self, finding: Finding) -> bool:
        """Return whether the money of a finding counts, once all are added."""
        amounts = self._amounts.get(_round(finding)) if finding.version is not None else None
        return amounts is None or finding.version == min(amounts, key=lambda version: (-amounts[version], version))


def _round(finding: Finding) -> bytes:
    where = finding.where
    day = None if where.time is None else where.time[:10]
    known_by = (finding.document, where.casino, where.table, where.round, day)
    return blake2b(encode(known_by), digest_size=_DIGEST).digest()
