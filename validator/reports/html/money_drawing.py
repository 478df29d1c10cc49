"""Money as bars: by table, by day and by what else sums are grouped; lengths in the units of each drawing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from msgspec import Struct

from validator.results.results import Results
from validator.results.subject import CurrencyMoney, Sum

WIDTH, HEIGHT = 1000, 200
"""Of the columns by day."""
BAR = 200
"""The length of the longest bar in a table."""
MOST_ROWS = 12
"""Rows of a table of sums that are shown."""
MOST_DAYS = 400
"""Days of the table of days that are shown."""
MOST_COLUMNS = 92
"""Days that have a column each; a longer time has one for each month, or each year."""
FEWEST_COLUMNS = 3
"""Fewer than these need no drawing."""
_UNITS = {10: "day", 7: "month", 4: "year"}

FIRST_KINDS = ("table", "day")
"""What sums are grouped by where they are shown at once; all else is folded up."""
MOST_KINDS = 20


class Row(Struct, frozen=True, kw_only=True):
    """A sum with its bars: how long, of `BAR`, that of what is owed and that of what was overpaid."""

    sum: Sum
    owed: float
    overpaid: float


class Chart(Struct, frozen=True, kw_only=True):
    """Sums of one kind. `rows` are the first, `beyond` says how many more there are."""

    by: str
    rows: tuple[Row, ...]
    beyond: int


class Column(Struct, frozen=True, kw_only=True):
    """A day (month, year) as a column: what is owed goes up from the line at `Columns.zero`, what was overpaid
    down."""

    name: str
    x: float
    width: float
    up: float
    down: float
    owed: int
    overpaid: int


class Columns(Struct, frozen=True, kw_only=True):
    """Money by `unit`: day, month or year."""

    columns: tuple[Column, ...]
    zero: float
    unit: str


class Part(Struct, frozen=True, kw_only=True):
    """The money of one currency, drawn. `first` is the number of its first chart among those of all parts."""

    currency: str | None
    charts: tuple[Chart, ...]
    columns: Columns | None
    first: int

    def number(self, chart: Chart) -> int:
        """Return the number of a chart among those of all parts."""
        return self.first + self.charts.index(chart)


def parts(results: Results) -> tuple[Part, ...]:
    """Draw the money of each currency of which there is any."""
    found: list[Part] = []
    first = 0
    for money in () if results.money is None else results.money.by_currency:
        drawn = charts(money)
        if drawn:
            currency = money.currency or results.subject.currency
            found.append(Part(currency=currency, charts=drawn, columns=columns(money), first=first))
            first += len(drawn)
    return tuple(found)


def charts(money: CurrencyMoney) -> tuple[Chart, ...]:
    """Sums of each kind: days in their order, everything else with the largest first."""
    found = []
    kinds = dict.fromkeys((*FIRST_KINDS, *(one.by for one in money.sums)))
    for kind in [*kinds][:MOST_KINDS]:
        sums = [one for one in money.sums if one.by == kind]
        if kind == "day":
            sums.sort(key=lambda one: (one.name is None, one.name or ""))
        most = MOST_DAYS if kind == "day" else MOST_ROWS
        longest = max((one.owed + one.overpaid for one in sums), default=0) or 1
        rows = tuple(
            Row(
                sum=one,
                owed=round(BAR * one.owed / longest, 1),
                overpaid=round(BAR * one.overpaid / longest, 1),
            )
            for one in sums[:most]
        )
        if rows:
            found.append(Chart(by=kind, rows=rows, beyond=len(sums) - len(rows)))
    return tuple(found)


def columns(money: CurrencyMoney) -> Columns | None:
    """Money by day from the first day to the last, those without any among them: by month or by year where those are
    many. None where there is too little, or too much, to draw."""
    sums = [(day, one) for one in money.sums if one.by == "day" and (day := _day(one.name)) is not None]
    if not sums:
        return None
    first, last = min(day for day, _ in sums), max(day for day, _ in sums)
    unit, names = next((unit, names) for unit, names in _units(first, last) if len(names) <= MOST_COLUMNS or unit == 4)
    if not FEWEST_COLUMNS <= len(names) <= MOST_COLUMNS:
        return None
    owed, overpaid = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for day, one in sums:
        owed[day.isoformat()[:unit]] += one.owed
        overpaid[day.isoformat()[:unit]] += one.overpaid
    return _drawn(names, list(owed.values()), list(overpaid.values()), _UNITS[unit])


def _units(first: date, last: date) -> Iterator[tuple[int, list[str]]]:
    """Names of all days, months and years from one to another, by their length in characters. Days and months are
    named no further than one more than are drawn."""
    few = MOST_COLUMNS + 1
    count = min((last - first).days + 1, few)
    yield 10, [(first + timedelta(days=at)).isoformat() for at in range(count)]
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    yield 7, [f"{month // 12:04}-{month % 12 + 1:02}" for month in months[:few]]
    yield 4, [f"{year:04}" for year in range(first.year, last.year + 1)]


def _drawn(names: Sequence[str], owed: Sequence[int], overpaid: Sequence[int], unit: str) -> Columns:
    scale = HEIGHT / ((max(owed) + max(overpaid)) or 1)
    step = WIDTH / len(names)
    return Columns(
        columns=tuple(
            Column(
                name=name,
                x=round(at * step + step * 0.12, 1),
                width=round(step * 0.76, 1),
                up=round(up * scale, 1),
                down=round(down * scale, 1),
                owed=up,
                overpaid=down,
            )
            for at, (name, up, down) in enumerate(zip(names, owed, overpaid, strict=True))
        ),
        zero=round(max(owed) * scale, 1),
        unit=unit,
    )


def _day(name: str | None) -> date | None:
    try:
        return None if name is None else date.fromisoformat(name)
    except ValueError:
        return None


def of_kind(charts: Iterable[Chart], kind: str) -> tuple[Chart, ...]:
    """The chart of a kind, if there is one."""
    return tuple(chart for chart in charts if chart.by == kind)


def folded_up(charts: Iterable[Chart]) -> tuple[Chart, ...]:
    """The charts of all other kinds."""
    return tuple(chart for chart in charts if chart.by not in FIRST_KINDS)
