"""Local times and gaming days of rounds, by the time zone and the hour at which a gaming day starts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.results.findings import EvidencePlace, Finding
from fairdeal.validator.results.results import CurrencyMoney, Money, MoneySum, Results
from fairdeal.validator.results.run_comparison import DerivedFindings

MAX_DAYS = 10_000
"""Limit of the days that are distinguished."""
OTHER_DAYS = "…"
"""Name under which all further days are summed."""


class GamingClock(Struct, frozen=True, kw_only=True):
    """Clock of a casino."""

    timezone: str | None
    """Time zone by its IANA name; None for the clock that the log states."""
    day_starts: str | None
    """Time of day at which a gaming day starts, such as `06:00`; None for midnight."""

    def is_known(self) -> bool:
        """Return whether this system knows the time zone and can read the start of the day."""
        try:
            _ = None if self.timezone is None else ZoneInfo(self.timezone)
            datetime.strptime(self.day_starts or "00:00", "%H:%M")
        except (ValueError, KeyError, OSError):
            return False
        return True

    def localize(self, where: EvidencePlace) -> EvidencePlace:
        """Return a place with its local time and gaming day; unchanged if its time of day is unknown."""
        if where.time is None or len(where.time) <= len("2026-03-02"):
            return where
        try:
            time = datetime.fromisoformat(where.time)
            local = time if self.timezone is None or time.tzinfo is None else time.astimezone(ZoneInfo(self.timezone))
            starts = datetime.strptime(self.day_starts or "00:00", "%H:%M")
            day = (local.replace(tzinfo=None) - timedelta(hours=starts.hour, minutes=starts.minute)).date()
        except (ValueError, OverflowError, KeyError, OSError):
            return where
        return replace(where, local=local.isoformat(), day=day.isoformat())


class _LocalFindings(DerivedFindings):
    """Findings with local times and gaming days."""

    __slots__ = ("_clock", "_findings")

    def __init__(self, findings: Sequence[Finding], clock: GamingClock) -> None:
        self._findings = findings
        self._clock = clock

    def __len__(self) -> int:
        return len(self._findings)

    def __iter__(self) -> Iterator[Finding]:
        for finding in self._findings:
            yield replace(finding, where=self._clock.localize(finding.where))


def apply_gaming_clock(results: Results, clock: GamingClock) -> Results:
    """Return results with local times and gaming days, and money summed by gaming day."""
    findings = _LocalFindings(results.findings, clock)
    return replace(
        results,
        findings=findings,
        money=None if results.money is None else _sum_by_day(results.money, findings),
        open=tuple(
            replace(item, first=None if item.first is None else clock.localize(item.first)) for item in results.open
        ),
        explanations=tuple(
            replace(explanation, where=clock.localize(explanation.where)) for explanation in results.explanations
        ),
        provenance=replace(results.provenance, timezone=clock.timezone, day_starts=clock.day_starts),
    )


def _sum_by_day(money: Money, findings: Sequence[Finding]) -> Money:
    """Return sums with the groups by day made anew from the findings."""
    totals: dict[tuple[str | None, str | None], tuple[int, int, int]] = {}
    for finding in findings:
        if finding.is_on_money:
            key = finding.currency, finding.where.played_on
            if key not in totals and len(totals) >= MAX_DAYS:
                key = finding.currency, OTHER_DAYS
            count, owed, overpaid = totals.get(key, (0, 0, 0))
            totals[key] = count + 1, owed + (finding.owed or 0), overpaid + (finding.overpaid or 0)
    others = tuple(replace(part, sums=_replace_days(part, totals, {part.currency})) for part in money.others)
    named = {money.currency} if money.others else {money.currency, None}
    return replace(money, sums=_replace_days(money, totals, named), others=others)


def _replace_days(
    money: CurrencyMoney,
    totals: dict[tuple[str | None, str | None], tuple[int, int, int]],
    named: set[str | None],
) -> tuple[MoneySum, ...]:
    days = [
        MoneySum(by="day", name=day, casino=None, findings=count, owed=owed, overpaid=overpaid)
        for (currency, day), (count, owed, overpaid) in totals.items()
        if currency in named
    ]
    days.sort(key=lambda total: (-total.owed - total.overpaid, total.name or ""))
    place = next((at for at, total in enumerate(money.sums) if total.by == "day"), len(money.sums))
    rest = [total for total in money.sums if total.by != "day"]
    return (*rest[:place], *days, *rest[place:])
