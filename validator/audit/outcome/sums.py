"""Sums of the failures on money in each currency, by table, day, dealer and other groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import asdict

from validator.results.findings import Finding
from validator.results.subject import CurrencyMoney, Money, Sum

MOST_NAMES = 10_000
"""Maximum number of names of one kind that are distinguished, which bounds memory."""
BEYOND = "…"
"""Name under which all further names are summed."""

_CONTEXT = ("shift", "dealer", "pit")
"""Keys of a round's context that sums are grouped by."""

_ORDER = ("requirement", "casino", "table", "day", "wager", *_CONTEXT)
"""Groups of sums, in the order of results."""

_Key = tuple[str | None, str, str | None, str | None]
"""Currency, group, casino and name of a sum."""
_Total = tuple[int, int, int]
"""Number of findings, amount owed and amount overpaid."""


class Sums(Struct):
    """Running sums of failures on money. Amounts are in minor units."""

    _totals: dict[_Key, list[int]] = field(default_factory=dict)
    _names: dict[str, int] = field(default_factory=dict)
    _all: dict[str | None, list[int]] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        """Add a failure on money."""
        currency = finding.currency
        for total in (self._all.setdefault(currency, [0, 0, 0]), *map(self._find_total, _keys(finding))):
            _add(total, finding)

    def money(self, currencies: Collection[str]) -> Money:
        """Return the sums in each of some currencies, the largest of each group first.

        Amounts without a stated currency are in the only currency there is.
        """
        if len(currencies) <= 1:
            currency = next(iter(currencies), None)
            moneys = [self._of_currency(currency, {currency, None})]
        else:
            stated = sorted(name for name in self._all if name is not None)
            unstated = [None] if None in self._all or not stated else []
            moneys = [self._of_currency(name, {name}) for name in [*stated, *unstated]]
        return Money(**asdict(moneys[0]), others=tuple(moneys[1:]))

    def _of_currency(self, currency: str | None, named: Collection[str | None]) -> CurrencyMoney:
        totals: dict[tuple[str, str | None, str | None], _Total] = {}
        for (of, *key), total in self._totals.items():
            if of in named:
                by, casino, name = key
                totals[by or "", casino, name] = _plus(totals.get((by or "", casino, name), (0, 0, 0)), total)
        sums = [
            Sum(by=by, casino=casino, name=name, findings=count, owed=owed, overpaid=overpaid)
            for (by, casino, name), (count, owed, overpaid) in totals.items()
        ]
        sums.sort(
            key=lambda item: (_ORDER.index(item.by), -item.owed - item.overpaid, item.casino or "", item.name or "")
        )
        all_: _Total = (0, 0, 0)
        for of in named:
            all_ = _plus(all_, self._all.get(of, (0, 0, 0)))
        count, owed, overpaid = all_
        return CurrencyMoney(findings=count, owed=owed, overpaid=overpaid, sums=tuple(sums), currency=currency)

    def _find_total(self, key: _Key) -> list[int]:
        total = self._totals.get(key)
        if total is None:
            currency, by, _, _ = key
            self._names[by] = self._names.get(by, 0) + 1
            if self._names[by] > MOST_NAMES:
                return self._totals.setdefault((currency, by, None, BEYOND), [0, 0, 0])
            total = self._totals[key] = [0, 0, 0]
        return total


def _add(total: list[int], finding: Finding) -> None:
    total[0] += 1
    total[1] += finding.owed or 0
    total[2] += finding.overpaid or 0


def _plus(total: _Total, other: Sequence[int]) -> _Total:
    return total[0] + other[0], total[1] + other[1], total[2] + other[2]


def _keys(finding: Finding) -> Iterator[_Key]:
    where, context, currency = finding.where, finding.where.context or {}, finding.currency
    yield currency, "requirement", None, finding.requirement
    yield currency, "casino", None, where.casino
    yield currency, "table", where.casino, where.table
    yield currency, "day", None, None if where.time is None else where.time[:10]
    yield currency, "wager", None, None if where.wager is None else where.wager.removesuffix(" (tip)")
    for kind in _CONTEXT:
        if kind in context:
            yield currency, kind, None, context[kind]
