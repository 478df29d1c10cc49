"""Identifiers of findings that stay the same from run to run."""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct, field
from msgspec.json import encode
from msgspec.structs import replace

from validator.results.findings import Finding
from validator.results.statuses import Status

_BYTES = 10


class FindingIds(Struct):
    """Assigns ids to findings. Findings of a requirement must arrive in the order of the log.

    An id identifies the document, requirement, casino, table, round, seat, and wager or pointer; for a submission also
    its name. Line numbers have no part in it. Several findings at one place are numbered in their order.

    A gap in the evidence is one finding per requirement, wherever it occurs first. If records of a round contradict
    each other, the first record has the ids of an ordinary round.
    """

    common: bool = False
    """True to make ids from what every version of the results contains, without casinos and names of submissions."""
    _round: dict[str, object] = field(default_factory=dict)
    _met: dict[str, dict[str, int]] = field(default_factory=dict)

    def named(self, finding: Finding) -> Finding:
        """Return the finding with its id."""
        where = finding.where
        place: list[object] = [where.table, where.round, where.seat]
        if not self.common:
            place = [where.casino, where.table, where.round, where.submission, where.seat]
        place.append(where.wager if where.wager is not None or where.round is not None else where.pointer)
        if finding.version is not None and finding.version > 1:
            place.append(["version", finding.version])
        if finding.status is Status.NOT_EVIDENCED and where.round is not None:
            place = []
        key = sha256(encode([finding.requirement, finding.status, *place])).hexdigest()[: 2 * _BYTES]
        earlier = self._count_earlier(finding, key)
        return replace(finding, id=key if not earlier else f"{key}-{earlier + 1}")

    def _count_earlier(self, finding: Finding, key: str) -> int:
        """Count the earlier findings of the same place in the same round."""
        round_ = (finding.where.casino, finding.where.table, finding.where.round)
        if self._round.get(finding.requirement) != round_:
            self._round[finding.requirement] = round_
            self._met[finding.requirement] = {}
        counts = self._met[finding.requirement]
        counts[key] = counts.get(key, 0) + 1
        return counts[key] - 1
