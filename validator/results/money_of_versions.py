"""Money of rounds with records that contradict each other, which must not count twice."""

from __future__ import annotations

from hashlib import blake2b

from msgspec import Struct, field
from msgspec.json import encode

from validator.results.findings import Finding

_DIGEST = 16


class MoneyOfVersions(Struct):
    """Chooses the version of each round that counts in sums of money: the one whose failures amount to most.

    Of versions that amount to the same, the first counts.
    """

    _amounts: dict[bytes, dict[int, int]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self._amounts)

    def add(self, finding: Finding) -> None:
        """Weigh a failure on money of a version."""
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
