"""Charts of the HTML report: statuses, amounts by table and day, wins with their ranges, and frequencies of cards.

Lengths are in the units of each drawing, rounded to a tenth so that the same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from msgspec import Struct

from fairdeal.validator.reports.statistics_report import WagerHolds, format_category, select_notable
from fairdeal.validator.results.findings import Status
from fairdeal.validator.results.game_statistics import FrequencyResult, Grouping, HoldResult
from fairdeal.validator.results.results import CurrencyMoney, MoneySum, Results

BAR_WIDTH = 1000
"""Width of the whole bar."""
_SLIMMEST = 8


class BarSlice(Struct, frozen=True, kw_only=True):
    """Slice of a status in the bar."""

    status: Status
    """Status of the slice."""
    x: float
    """Start, from 0 to `BAR_WIDTH`."""
    width: float
    """Width, of `BAR_WIDTH`."""


def build_bar(counts: Mapping[Status, int]) -> tuple[BarSlice, ...]:
    """Return the slices of the bar in the given order, without zeros.

    Widths are proportional, but every slice is wide enough to be seen; the widest slice makes up the difference.
    """
    present = {status: count for status, count in counts.items() if count}
    if not present:
        return ()
    total = sum(present.values())
    widths = {s: max(float(_SLIMMEST), BAR_WIDTH * count / total) for s, count in present.items()}
    widest = max(widths, key=lambda status: widths[status])
    widths[widest] -= sum(widths.values()) - BAR_WIDTH
    slices: list[BarSlice] = []
    x = 0.0
    for status, width in widths.items():
        slices.append(BarSlice(status=status, x=round(x, 1), width=round(width, 1)))
        x += width
    return tuple(slices)


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
LISTED_KINDS = ("party", "player")
"""Groups of sums that are no charts: the first screen and the restitution list show them."""
MOST_KINDS = 20
"""Limit of the groups of sums."""


class SumRow(Struct, frozen=True, kw_only=True):
    """Row of a sum with its bars."""

    sum: MoneySum
    """Sum of the row."""
    owed: float
    """Length of the bar of the amount owed, from 0 to `BAR`."""
    overpaid: float
    """Length of the bar of the amount overpaid."""


class SumChart(Struct, frozen=True, kw_only=True):
    """Chart of the sums by one group."""

    by: str
    """Group of the sums, such as `table`."""
    rows: tuple[SumRow, ...]
    """First rows."""
    beyond: int
    """Number of rows that are not shown."""


class TimeColumn(Struct, frozen=True, kw_only=True):
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


class TimeColumns(Struct, frozen=True, kw_only=True):
    """Columns of the amounts over time."""

    columns: tuple[TimeColumn, ...]
    """Column of each day, month or year."""
    zero: float
    """Distance of the line of zero from the top."""
    unit: str
    """`day`, `month` or `year`."""


class CurrencyCharts(Struct, frozen=True, kw_only=True):
    """Charts of the amounts in one currency."""

    currency: str | None
    """ISO 4217 code; None if none is stated."""
    charts: tuple[SumChart, ...]
    """Charts by group."""
    columns: TimeColumns | None
    """Columns over time; None if there are too few or too many days."""
    first: int
    """Number of the first chart among those of all currencies."""

    def number(self, chart: SumChart) -> int:
        """Return the number of a chart among those of all currencies."""
        return self.first + self.charts.index(chart)


def draw_amounts(results: Results) -> tuple[CurrencyCharts, ...]:
    """Draw the amounts of each currency that has sums."""
    drawings: list[CurrencyCharts] = []
    first = 0
    for money in () if results.money is None else results.money.by_currency:
        drawn = draw_charts(money)
        if drawn:
            currency = money.currency or results.subject.currency
            drawings.append(CurrencyCharts(currency=currency, charts=drawn, columns=draw_columns(money), first=first))
            first += len(drawn)
    return tuple(drawings)


def draw_charts(money: CurrencyMoney) -> tuple[SumChart, ...]:
    """Return a chart for each group of sums: days in their order, others with the largest first."""
    by_kind = []
    shown = (total.by for total in money.sums if total.by not in LISTED_KINDS)
    kinds = dict.fromkeys((*FIRST_KINDS, *shown))
    for kind in [*kinds][:MOST_KINDS]:
        sums = [total for total in money.sums if total.by == kind]
        if kind == "day":
            sums.sort(key=lambda total: (total.name is None, total.name or ""))
        most = MOST_DAYS if kind == "day" else MOST_SUMS
        longest = max((total.owed + total.overpaid for total in sums), default=0) or 1
        rows = tuple(
            SumRow(
                sum=total,
                owed=round(BAR * total.owed / longest, 1),
                overpaid=round(BAR * total.overpaid / longest, 1),
            )
            for total in sums[:most]
        )
        if rows:
            by_kind.append(SumChart(by=kind, rows=rows, beyond=len(sums) - len(rows)))
    return tuple(by_kind)


def draw_columns(money: CurrencyMoney) -> TimeColumns | None:
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


def _draw_columns(names: Sequence[str], owed: Sequence[int], overpaid: Sequence[int], unit: str) -> TimeColumns:
    scale = MONEY_HEIGHT / ((max(owed) + max(overpaid)) or 1)
    step = MONEY_WIDTH / len(names)
    return TimeColumns(
        columns=tuple(
            TimeColumn(
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


def select_charts(charts: Iterable[SumChart], kind: str) -> tuple[SumChart, ...]:
    """Return the chart of a group, if there is one."""
    return tuple(chart for chart in charts if chart.by == kind)


def select_folded_charts(charts: Iterable[SumChart]) -> tuple[SumChart, ...]:
    """Return the charts that are folded."""
    return tuple(chart for chart in charts if chart.by not in FIRST_KINDS)


SPAN = 5.0
"""Standard deviations on either side of the expected value that are drawn; values further off are at the edge."""
HOLD_WIDTH = 200
"""Width of the drawing in a row."""
COLUMNS_WIDTH, COLUMNS_HEIGHT = 1000, 200
"""Size of the columns of cards and of hands."""
MOST_DRAWN = 6
"""Limit of the tables of cards, or of hands, that are drawn."""


class HoldRow(Struct, frozen=True, kw_only=True):
    """Row of a hold with its drawing, whose lengths are None if it was not tested."""

    hold: HoldResult
    """Hold of the row."""
    low: float | None
    """Start of its range, from 0 to `HOLD_WIDTH`."""
    high: float | None
    """End of its range."""
    at: float | None
    """Place of the win."""


class HoldTable(Struct, frozen=True, kw_only=True):
    """Table of the holds of a wager."""

    by: Grouping
    """Group of stakes: casino, table, day or dealer."""
    rows: tuple[HoldRow, ...]
    """First rows."""
    beyond: int
    """Number of rows that are not shown."""


class DeviationColumn(Struct, frozen=True, kw_only=True):
    """Column of a card or category, up from the middle if it came too often, else down."""

    name: str
    """Name of the card or category."""
    x: float
    """Left edge."""
    width: float
    """Width of the column."""
    y: float
    """Upper edge."""
    height: float
    """Height of the column."""
    count: int
    """Number of times that it came."""
    expected: float
    """Expected number."""
    off: float
    """Deviation in standard deviations."""
    far: bool
    """True if the deviation is more than 3."""


class FrequencyDrawing(Struct, frozen=True, kw_only=True):
    """Drawing of the cards, or the categories of a hand, at a table."""

    of: FrequencyResult
    """Frequencies that are drawn."""
    columns: tuple[DeviationColumn, ...]
    """Column of each card or category."""


def build_hold_tables(wager: WagerHolds) -> tuple[HoldTable, ...]:
    """Return the holds of a wager as tables."""
    return tuple(
        HoldTable(by=by, rows=tuple(map(_row, holds)), beyond=wager.counts[by] - len(holds))
        for by, holds in wager.holds.items()
    )


def _row(hold: HoldResult) -> HoldRow:
    if hold.interval is None or hold.theoretical_win is None or not hold.standard_deviation:
        return HoldRow(hold=hold, low=None, high=None, at=None)
    middle, unit = hold.theoretical_win + (hold.given_away or 0.0), hold.standard_deviation
    low, high, at = (_place((value - middle) / unit) for value in (*hold.interval, hold.win))
    return HoldRow(hold=hold, low=low, high=high, at=at)


def _place(off: float) -> float:
    return round((min(max(off, -SPAN), SPAN) + SPAN) / (2 * SPAN) * HOLD_WIDTH, 1)


def draw_frequencies(tables: Sequence[FrequencyResult]) -> tuple[FrequencyDrawing, ...]:
    """Return the tables that are drawn: first those too far out for luck, then those outside their range."""
    return tuple(
        FrequencyDrawing(of=table, columns=tuple(_columns(table))) for table in select_notable(tables, MOST_DRAWN)
    )


def list_undrawn(tables: Sequence[FrequencyResult], most: int) -> list[FrequencyResult]:
    """Return the first tables beyond `MOST_DRAWN`."""
    return select_notable(tables, MOST_DRAWN + most)[MOST_DRAWN:]


def _columns(table: FrequencyResult) -> list[DeviationColumn]:
    middle, step = COLUMNS_HEIGHT / 2, COLUMNS_WIDTH / max(len(table.came), 1)
    columns = []
    for at, came in enumerate(table.came):
        height = round(min(abs(came.off), SPAN) / SPAN * middle, 1)
        columns.append(
            DeviationColumn(
                name=format_category(came.name),
                x=round(at * step + step * 0.12, 1),
                width=round(step * 0.76, 1),
                y=round(middle - height if came.off > 0 else middle, 1),
                height=height,
                count=came.count,
                expected=came.expected,
                off=came.off,
                far=abs(came.off) > 3,
            )
        )
    return columns
