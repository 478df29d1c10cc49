"""Statistics as text: tables of hold, then of hands and cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from validator.reports.statistics_words import (
    BY_NAME,
    NO_FINDING,
    describe_furthest,
    describe_result,
    describe_stakes,
    describe_table,
    describe_test,
    format_percent,
    format_probability,
    format_range,
    format_rounded_money,
    group_by_wager,
    has_several_casinos,
    list_outliers,
)
from validator.reports.wording import format_number
from validator.results.statistics import FrequencyResult, Grouping, HoldResult, Statistics
from validator.text.visible import sanitize

MOST_ROWS = 20
"""Limit of the rows of a table: first those too far out for luck, then those outside their range."""


def statistics_lines(statistics: Statistics, strong: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the statistics line by line; `strong` emphasizes headings."""
    casino = has_several_casinos(statistics)
    yield strong("Statistics")
    yield f"  {NO_FINDING}"
    for tested in statistics.looked_at:
        yield f"  {describe_test(tested, statistics.level)}"
        yield from (f"    {sanitize(line)}" for line in list_outliers(tested))
    for wager in group_by_wager(statistics):
        yield ""
        yield strong(sanitize(f"Hold of {wager.wager} ({wager.document})"))
        yield from (f"  {sanitize(line)}" for line in wager.theory)
        for by, holds in wager.holds.items():
            yield ""
            yield from _hold(by, holds, casino=casino)
    if statistics.rake:
        yield ""
        yield strong("Rake")
        rows = [
            (
                rake.by,
                describe_stakes(rake, casino=casino),
                format_number(rake.rounds),
                format_rounded_money(rake.pots),
                format_rounded_money(rake.raked),
                format_percent(rake.share),
            )
            for rake in statistics.rake
        ]
        yield from _table(("by", "", "rounds", "pots", "rake", "share"), rows, right=range(2, 6))
    for name, tables in (("Hands", statistics.hands), ("Cards", statistics.cards)):
        if tables:
            yield ""
            yield strong(name)
            yield from _frequencies(tables, casino=casino)


def _hold(by: Grouping, holds: Sequence[HoldResult], *, casino: bool) -> Iterator[str]:
    cells = [
        (
            describe_stakes(hold, casino=casino),
            format_number(hold.stakes),
            format_rounded_money(hold.handle),
            format_rounded_money(hold.win),
            format_percent(hold.hold),
            format_rounded_money(hold.theoretical_win),
            format_rounded_money(hold.given_away),
            format_range(hold.interval),
            format_probability(hold.p),
            describe_result(hold),
        )
        for hold in holds[:MOST_ROWS]
    ]
    heads = (f"by {BY_NAME[by]}", "stakes", "handle", "win", "hold", "theory", "given away", "range", "p", "")
    yield from _table(heads, cells, right=range(1, 9))
    if len(holds) > MOST_ROWS:
        yield f"  and {format_number(len(holds) - MOST_ROWS)} more"


def _frequencies(tables: Sequence[FrequencyResult], *, casino: bool) -> Iterator[str]:
    ordered = sorted(tables, key=lambda table: (not table.stands_out, not table.outside))
    cells = [
        (
            f"{table.of or 'cards'}: {describe_table(table, casino=casino)}",
            format_number(table.seen),
            "-" if table.chi_square is None else f"{table.chi_square:,.2f}",
            "-" if table.degrees is None else str(table.degrees),
            format_probability(table.p),
            describe_result(table)
            if not table.outside
            else f"{describe_result(table)}: {describe_furthest(table)}".removesuffix(": "),
        )
        for table in ordered[:MOST_ROWS]
    ]
    yield from _table(("", "seen", "chi-square", "degrees", "p", ""), cells, right=range(1, 5))
    if len(tables) > MOST_ROWS:
        yield f"  and {format_number(len(tables) - MOST_ROWS)} more"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: range) -> Iterator[str]:
    shown = [[sanitize(text) for text in row] for row in rows]
    widths = [max(len(line[at]) for line in (heads, *shown)) for at in range(len(heads))]
    for line in (heads, *shown):
        cells = [text.rjust(widths[at]) if at in right else text.ljust(widths[at]) for at, text in enumerate(line)]
        yield f"  {'  '.join(cells)}".rstrip()
