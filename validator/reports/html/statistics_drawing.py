"""Statistics as drawings: wins beside their intervals, and how far off cards and hands came."""

from __future__ import annotations

from msgspec import Struct

from validator.reports.statistics_words import OfWager
from validator.results.statistics import By, Frequencies, Hold

SPAN = 5.0
"""Standard deviations on either side of what is expected that are drawn; what is further off lies at the edge."""
WIDTH = 200
"""Of the drawing in a row."""
COLUMNS_WIDTH, COLUMNS_HEIGHT = 1000, 200
"""Of the columns of cards and of hands."""
MOST_ROWS = 50
"""The most rows of a table."""
MOST_DRAWN = 6
"""The most tables of cards, or of hands, that are drawn."""


class HoldRow(Struct, frozen=True, kw_only=True):
    """A hold with its drawing: where its interval begins and ends and where it lies, of `WIDTH`; None where it was not
    tested."""

    hold: Hold
    low: float | None
    high: float | None
    at: float | None


class HoldTable(Struct, frozen=True, kw_only=True):
    """The stakes on a wager put together by something; `beyond` says how many rows more there are."""

    by: By
    rows: tuple[HoldRow, ...]
    beyond: int


class OffColumn(Struct, frozen=True, kw_only=True):
    """A card or a category as a column, up from the middle where it came too often, else down."""

    name: str
    x: float
    width: float
    y: float
    height: float
    count: int
    expected: float
    off: float
    far: bool


class Drawn(Struct, frozen=True, kw_only=True):
    """How far off the cards, or the categories of a hand, came at a table."""

    of: Frequencies
    columns: tuple[OffColumn, ...]


def hold_tables(wager: OfWager) -> tuple[HoldTable, ...]:
    """The holds of a wager as tables."""
    return tuple(
        HoldTable(by=by, rows=tuple(map(_row, holds[:MOST_ROWS])), beyond=max(len(holds) - MOST_ROWS, 0))
        for by, holds in wager.holds.items()
    )


def _row(one: Hold) -> HoldRow:
    if one.interval is None or one.theoretical_win is None or not one.standard_deviation:
        return HoldRow(hold=one, low=None, high=None, at=None)
    middle, unit = one.theoretical_win + (one.given_away or 0.0), one.standard_deviation
    low, high, at = (_place((value - middle) / unit) for value in (*one.interval, one.win))
    return HoldRow(hold=one, low=low, high=high, at=at)


def _place(off: float) -> float:
    return round((min(max(off, -SPAN), SPAN) + SPAN) / (2 * SPAN) * WIDTH, 1)


def drawn(found: tuple[Frequencies, ...]) -> tuple[Drawn, ...]:
    """The tables that are drawn: those that stand out first, then those outside."""
    return tuple(Drawn(of=one, columns=tuple(_columns(one))) for one in _ordered(found)[:MOST_DRAWN])


def not_drawn(found: tuple[Frequencies, ...]) -> list[Frequencies]:
    """The tables beyond those."""
    return _ordered(found)[MOST_DRAWN:]


def _ordered(found: tuple[Frequencies, ...]) -> list[Frequencies]:
    return sorted(found, key=lambda one: (not one.stands_out, not one.outside))


def _columns(one: Frequencies) -> list[OffColumn]:
    middle, step = COLUMNS_HEIGHT / 2, COLUMNS_WIDTH / max(len(one.came), 1)
    found = []
    for at, came in enumerate(one.came):
        height = round(min(abs(came.off), SPAN) / SPAN * middle, 1)
        found.append(
            OffColumn(
                name=came.name,
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
    return found
