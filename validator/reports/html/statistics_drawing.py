"""Drawings of statistics: wins with their ranges, and deviations of cards and hands."""

from __future__ import annotations

from msgspec import Struct

from validator.reports.statistics_words import OfWager, category_name
from validator.results.statistics import By, Frequencies, Hold

SPAN = 5.0
"""Standard deviations on either side of the expected value that are drawn; values further off are at the edge."""
HOLD_WIDTH = 200
"""Width of the drawing in a row."""
COLUMNS_WIDTH, COLUMNS_HEIGHT = 1000, 200
"""Size of the columns of cards and of hands."""
MOST_HOLDS = 50
"""Limit of the rows of a table."""
MOST_DRAWN = 6
"""Limit of the tables of cards, or of hands, that are drawn."""


class HoldRow(Struct, frozen=True, kw_only=True):
    """Row of a hold with its drawing, whose lengths are None if it was not tested."""

    hold: Hold
    """Hold of the row."""
    low: float | None
    """Start of its range, from 0 to `HOLD_WIDTH`."""
    high: float | None
    """End of its range."""
    at: float | None
    """Place of the win."""


class HoldTable(Struct, frozen=True, kw_only=True):
    """Table of the holds of a wager."""

    by: By
    """Group of stakes: casino, table, day or dealer."""
    rows: tuple[HoldRow, ...]
    """First rows."""
    beyond: int
    """Number of rows that are not shown."""


class OffColumn(Struct, frozen=True, kw_only=True):
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


class Drawn(Struct, frozen=True, kw_only=True):
    """Drawing of the cards, or the categories of a hand, at a table."""

    of: Frequencies
    """Frequencies that are drawn."""
    columns: tuple[OffColumn, ...]
    """Column of each card or category."""


def hold_tables(wager: OfWager) -> tuple[HoldTable, ...]:
    """Return the holds of a wager as tables."""
    return tuple(
        HoldTable(by=by, rows=tuple(map(_row, holds[:MOST_HOLDS])), beyond=max(len(holds) - MOST_HOLDS, 0))
        for by, holds in wager.holds.items()
    )


def _row(hold: Hold) -> HoldRow:
    if hold.interval is None or hold.theoretical_win is None or not hold.standard_deviation:
        return HoldRow(hold=hold, low=None, high=None, at=None)
    middle, unit = hold.theoretical_win + (hold.given_away or 0.0), hold.standard_deviation
    low, high, at = (_place((value - middle) / unit) for value in (*hold.interval, hold.win))
    return HoldRow(hold=hold, low=low, high=high, at=at)


def _place(off: float) -> float:
    return round((min(max(off, -SPAN), SPAN) + SPAN) / (2 * SPAN) * HOLD_WIDTH, 1)


def drawn(tables: tuple[Frequencies, ...]) -> tuple[Drawn, ...]:
    """Return the tables that are drawn: first those too far out for luck, then those outside their range."""
    return tuple(Drawn(of=table, columns=tuple(_columns(table))) for table in _sort_tables(tables)[:MOST_DRAWN])


def not_drawn(tables: tuple[Frequencies, ...]) -> list[Frequencies]:
    """Return the tables beyond `MOST_DRAWN`."""
    return _sort_tables(tables)[MOST_DRAWN:]


def _sort_tables(tables: tuple[Frequencies, ...]) -> list[Frequencies]:
    return sorted(tables, key=lambda table: (not table.stands_out, not table.outside))


def _columns(table: Frequencies) -> list[OffColumn]:
    middle, step = COLUMNS_HEIGHT / 2, COLUMNS_WIDTH / max(len(table.came), 1)
    columns = []
    for at, came in enumerate(table.came):
        height = round(min(abs(came.off), SPAN) / SPAN * middle, 1)
        columns.append(
            OffColumn(
                name=category_name(came.name),
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
