"""Money as bars: in proportion, in order, and bounded."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairdeal.validator.reports.html import charts
from fairdeal.validator.reports.html.charts import (
    BAR,
    MONEY_HEIGHT,
    MONEY_WIDTH,
    draw_charts,
    draw_columns,
    select_folded_charts,
)
from tests.facade.results import Money, MoneySum
from tests.reports.sample import build_sums


def money(*of: MoneySum) -> Money:
    return Money(findings=0, owed=0, overpaid=0, sums=of)


def days(count: int, step: int = 1) -> tuple[MoneySum, ...]:
    first = date(2026, 1, 30)
    names = ((first + timedelta(days=step * at)).isoformat() for at in range(count))
    return build_sums("day", *((None, name, 1, 100 * at, 50) for at, name in enumerate(names)))


def test_the_longest_bar_is_as_long_as_there_is_room() -> None:
    (chart,) = draw_charts(money(*build_sums("table", ("A", "1", 2, 300, 100), ("A", "2", 1, 0, 200))))
    assert [(row.owed, row.overpaid) for row in chart.rows] == [(0.75 * BAR, 0.25 * BAR), (0.0, 0.5 * BAR)]


def test_tables_and_days_come_first_and_all_else_is_folded_up() -> None:
    found = draw_charts(
        money(*build_sums("dealer", (None, "Ann", 1, 1, 0)), *days(2), *build_sums("table", (None, "1", 1, 1, 0)))
    )
    assert [chart.by for chart in found] == ["table", "day", "dealer"]
    assert [chart.by for chart in select_folded_charts(found)] == ["dealer"]


def test_a_long_list_is_cut_and_counted() -> None:
    (chart,) = draw_charts(money(*build_sums("table", *((None, str(at), 1, 100 - at, 0) for at in range(15)))))
    assert (len(chart.rows), chart.beyond) == (12, 3)
    assert draw_charts(money()) == ()


@pytest.mark.parametrize(
    ("sums_", "unit", "count"),
    [
        (days(31), "day", 31),
        (days(3, step=10), "day", 21),
        (days(92), "day", 92),
        (days(93), "month", 5),
        (days(2, step=365 * 20), "year", 21),
    ],
)
def test_days_become_months_and_years_where_they_are_many(sums_: tuple[MoneySum, ...], unit: str, count: int) -> None:
    drawn = draw_columns(money(*sums_))
    assert drawn is not None
    assert (drawn.unit, len(drawn.columns)) == (unit, count)
    assert sum(column.owed for column in drawn.columns) == sum(total.owed for total in sums_)


@pytest.mark.parametrize("sums_", [(), days(2), days(2, step=365 * 300), build_sums("day", (None, None, 1, 5, 0))])
def test_too_few_or_too_many_are_not_drawn(sums_: tuple[MoneySum, ...]) -> None:
    assert draw_columns(money(*sums_)) is None


@given(st.lists(st.tuples(st.dates(), st.integers(0, 10**12), st.integers(0, 10**12)), max_size=8))
def test_columns_stay_in_the_drawing(of: list[tuple[date, int, int]]) -> None:
    drawn = draw_columns(money(*build_sums("day", *((None, day.isoformat(), 1, owed, over) for day, owed, over in of))))
    if drawn is None:
        return
    assert charts.FEWEST_COLUMNS <= len(drawn.columns) <= charts.MOST_COLUMNS
    for column in drawn.columns:
        assert 0 <= column.x <= column.x + column.width <= MONEY_WIDTH
        assert drawn.zero - column.up >= -0.2
        assert drawn.zero + column.down <= MONEY_HEIGHT + 0.2
