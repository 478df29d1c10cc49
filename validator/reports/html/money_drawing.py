"""Charts of amounts by table, day and other groups; lengths are in the units of each drawing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from msgspec import Struct

from validator.results.results import Results
from validator.results.subject import CurrencyMoney, Sum

MONEY_WIDTH, MONEY_HEIGHT = 1000, 200
"""Size of the columns by day."""
BAR = 200
"""Length of the longest bar in a table."""
MOST_SUMS = 12
"""Rows of a table of sums that are shown."""
MOST_DAYS = 400
"""Days of the table of days that are shown."""
MOST_COLUMNS = 92
"""Limit of the days with a column each; a longer period has one for each month or year."""
FEWEST_COLUMNS = 3
"""Number of columns from which they are drawn."""
_UNITS = {10: "day", 7: "month", 4: "year"}

FIRST_KINDS = ("table", "day")
"""Groups of sums that are shown at once; all others are folded."""
MOST_KINDS = 20
"""Limit of the groups of sums."""


class Row(Struct, frozen=True, kw_only=True):
    """Row of a sum with its bars."""

    sum: Sum
    """Sum of the row."""
    owed: float
    """Length of the bar of the amount owed, from 0 to `BAR`."""
    overpaid: float
    """Length of the bar of the amount overpaid."""


class Chart(Struct, frozen=True, kw_only=True):
    """Chart of the sums by one group."""

    by: str
    """Group of the sums, such as `table`."""
    rows: tuple[Row, ...]
    """First rows."""
    beyond: int
    """Number of rows that are not shown."""


class Column(Struct, frozen=True, kw_only=True):
    """Column of a day, month or year."""

    name: str
    """Day, month or year."""
    x: float
    """Left edge."""
    width: float
    """Width of the column."""
    up: float
    """Height of the amount owed, above the line at `Columns.zero`."""
    down: float
    """Height of the amount overpaid, below that line."""
    owed: int
    """Amount owed, in minor units."""
    overpaid: int
    """Amount overpaid, in minor units."""


class Columns(Struct, frozen=True, kw_only=True):
    """Columns of the amounts over time."""

    columns: tuple[Column, ...]
    """Column of each day, month or year."""
    zero: float
    """Distance of the line of zero from the top."""
    unit: str
    """`day`, `month` or `year`."""


class Part(Struct, frozen=True, kw_only=True):
    """Charts of the amounts in one currency."""

    currency: str | None
    """ISO 4217 code; None if none is stated."""
    charts: tuple[Chart, ...]
    """Charts by group."""
    columns: Columns | None
    """Columns over time; None if there are too few or too many days."""
    first: int
    """Number of the first chart among those of all currencies."""

    def number(self, chart: Chart) -> int:
        """Return the number of a chart among those of all currencies."""
        return self.first + self.charts.index(chart)


def parts(results: Results) -> tuple[Part, ...]:
    """Draw the amounts of each currency that has sums."""
    drawings: list[Part] = []
    first = 0
    for money in () if results.money is None else results.money.by_currency:
        drawn = charts(money)
        if drawn:
            currency = money.currency or results.subject.currency
            drawings.append(Part(currency=currency, charts=drawn, columns=columns(money), first=first))
            first += len(drawn)
    return tuple(drawings)


def charts(money: CurrencyMoney) -> tuple[Chart, ...]:
    """Return a chart for each group of sums: days in their order, others with the largest first."""
    by_kind = []
    kinds = dict.fromkeys((*FIRST_KINDS, *(total.by for total in money.sums)))
    for kind in [*kinds][:MOST_KINDS]:
        sums = [total for total in money.sums if total.by == kind]
        if kind == "day":
            sums.sort(key=lambda total: (total.name is None, total.name or ""))
        most = MOST_DAYS if kind == "day" else MOST_SUMS
        longest = max((total.owed + total.overpaid for total in sums), default=0) or 1
        rows = tuple(
            Row(
                sum=total,
                owed=round(BAR * total.owed / longest, 1),
                overpaid=round(BAR * total.overpaid / longest, 1),
            )
            for total in sums[:most]
        )
        if rows:
            by_kind.append(Chart(by=kind, rows=rows, beyond=len(sums) - len(rows)))
    return tuple(by_kind)


def columns(money: CurrencyMoney) -> Columns | None:
    """Return the amounts by day from the first to the last, by month or year for a longer period.

    Returns:
        None if there are too few or too many columns to draw.
    """
    sums = [(day, total) for total in money.sums if total.by == "day" and (day := _day(total.name)) is not None]
    if not sums:
        return None
    first, last = min(day for day, _ in sums), max(day for day, _ in sums)
    unit, names = next((unit, names) for unit, names in _units(first, last) if len(names) <= MOST_COLUMNS or unit == 4)
    if not FEWEST_COLUMNS <= len(names) <= MOST_COLUMNS:
        return None
    owed, overpaid = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for day, total in sums:
        owed[day.isoformat()[:unit]] += total.owed
        overpaid[day.isoformat()[:unit]] += total.overpaid
    return _draw_columns(names, list(owed.values()), list(overpaid.values()), _UNITS[unit])


def _units(first: date, last: date) -> Iterator[tuple[int, list[str]]]:
    """Yield the days, months and years of a period, each with the length of their names in characters.

    No more than `MOST_COLUMNS` + 1 days or months are named.
    """
    few = MOST_COLUMNS + 1
    count = min((last - first).days + 1, few)
    yield 10, [(first + timedelta(days=at)).isoformat() for at in range(count)]
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month)
    yield 7, [f"{month // 12:04}-{month % 12 + 1:02}" for month in months[:few]]
    yield 4, [f"{year:04}" for year in range(first.year, last.year + 1)]


def _draw_columns(names: Sequence[str], owed: Sequence[int], overpaid: Sequence[int], unit: str) -> Columns:
    scale = MONEY_HEIGHT / ((max(owed) + max(overpaid)) or 1)
    step = MONEY_WIDTH / len(names)
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
    """Return the chart of a group, if there is one."""
    return tuple(chart for chart in charts if chart.by == kind)


def folded_up(charts: Iterable[Chart]) -> tuple[Chart, ...]:
    """Return the charts that are folded."""
    return tuple(chart for chart in charts if chart.by not in FIRST_KINDS)
