"""What failures on money come to, by what they can be grouped by."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct, field

from validator.results.findings import Finding
from validator.results.statuses import Status
from validator.results.subject import Money, Sum

MOST_NAMES = 10_000
"""Different values of one kind that are told apart; what comes beyond is put together, so that memory is bounded."""
BEYOND = "…"
"""The name of what is put together."""

_CONTEXT = ("shift", "dealer", "pit")
"""What of a round's context sums are grouped by."""

_ORDER = ("requirement", "casino", "table", "day", "wager", *_CONTEXT)
"""By what sums are grouped, in the order of results."""

_Key = tuple[str, str | None, str | None]


class Sums(Struct):
    """Failures on money added up as they come in. Amounts are in minor units."""

    _totals: dict[_Key, list[int]] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)
    _all: list[int] = field(default_factory=lambda: [0, 0, 0])

    def add(self, finding: Finding) -> None:
        """Count a finding, where it is a failure on money that no waiver lifts."""
        if finding.owed is None or finding.overpaid is None:
            return
        if finding.status is not Status.FAIL or finding.waived is not None:
            return
        for total in (self._all, *map(self._total, _keys(finding))):
            total[0] += 1
            total[1] += finding.owed
            total[2] += finding.overpaid

    def money(self) -> Money:
        """The sums: of each kind the largest first."""
        sums = [
            Sum(by=by, casino=casino, name=name, findings=count, owed=owed, overpaid=overpaid)
            for (by, casino, name), (count, owed, overpaid) in self._totals.items()
        ]
        sums.sort(key=lambda one: (_ORDER.index(one.by), -one.owed - one.overpaid, one.casino or "", one.name or ""))
        count, owed, overpaid = self._all
        return Money(findings=count, owed=owed, overpaid=overpaid, sums=tuple(sums))

    def _total(self, key: _Key) -> list[int]:
        found = self._totals.get(key)
        if found is None:
            by = key[0]
            self._names[by] = self._names.get(by, 0) + 1
            if self._names[by] > MOST_NAMES:
                return self._totals.setdefault((by, None, BEYOND), [0, 0, 0])
            found = self._totals[key] = [0, 0, 0]
        return found


def _keys(finding: Finding) -> Iterator[_Key]:
    where, context = finding.where, finding.where.context or {}
    yield "requirement", None, finding.requirement
    yield "casino", None, where.casino
    yield "table", where.casino, where.table
    yield "day", None, None if where.time is None else where.time[:10]
    yield "wager", None, None if where.wager is None else where.wager.removesuffix(" (tip)")
    for kind in _CONTEXT:
        if kind in context:
            yield kind, None, context[kind]
