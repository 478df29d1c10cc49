"""What a finding is known by from run to run: what it is about, and never where in a file that stood."""

from __future__ import annotations

from hashlib import sha256

from msgspec import Struct, field
from msgspec.json import encode
from msgspec.structs import replace

from validator.results.findings import Finding
from validator.results.statuses import Status

_BYTES = 10


class FindingIds(Struct):
    """Gives findings their ids as they come in, those of a requirement in the order of the log.

    An id stands for the document, requirement, casino, table, round, seat, and wager or pointer; of a submission for
    its name as well. Several findings of one such place are told apart by their order in it. What the evidence does not
    show is one gap of a requirement, wherever it was first met. With `common`, ids stand for what every version of the
    results tells, without casinos and names of submissions. Of a round with records that contradict each other, the
    first has the ids of any other round.
    """

    common: bool = False
    _round: dict[str, object] = field(default_factory=dict)
    _met: dict[str, dict[str, int]] = field(default_factory=dict)

    def named(self, finding: Finding) -> Finding:
        """The finding with its id."""
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
        before = self._before(finding, key)
        return replace(finding, id=key if not before else f"{key}-{before + 1}")

    def _before(self, finding: Finding, key: str) -> int:
        """How many findings of the same place came before, in the same round."""
        round_ = (finding.where.casino, finding.where.table, finding.where.round)
        if self._round.get(finding.requirement) != round_:
            self._round[finding.requirement] = round_
            self._met[finding.requirement] = {}
        met = self._met[finding.requirement]
        met[key] = met.get(key, 0) + 1
        return met[key] - 1
