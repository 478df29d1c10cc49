"""Statistics as text: tables of hold, then of hands and cards."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from validator.reports.statistics_words import (
    BY_NAME,
    NO_FINDING,
    at_table,
    by_wager,
    chance,
    looked_at,
    money,
    most_off,
    percent,
    several_casinos,
    standing_out,
    verdict,
    where,
    within,
)
from validator.reports.wording import number
from validator.results.statistics import By, Frequencies, Hold, Statistics
from validator.text.visible import visible

MOST_ROWS = 20
"""Limit of the rows of a table: first those too far out for luck, then those outside their range."""


def statistics_lines(statistics: Statistics, strong: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the statistics line by line; `strong` emphasizes headings."""
    casino = several_casinos(statistics)
    yield strong("Statistics")
    yield f"  {NO_FINDING}"
    for tested in statistics.looked_at:
        yield f"  {looked_at(tested, statistics.level)}"
        yield from (f"    {visible(line)}" for line in standing_out(tested))
    for wager in by_wager(statistics):
        yield ""
        yield strong(visible(f"Hold of {wager.wager} ({wager.document})"))
        yield from (f"  {visible(line)}" for line in wager.theory)
        for by, holds in wager.holds.items():
            yield ""
            yield from _hold(by, holds, casino=casino)
    if statistics.rake:
        yield ""
        yield strong("Rake")
        rows = [
            (
                rake.by,
                where(rake, casino=casino),
                number(rake.rounds),
                money(rake.pots),
                money(rake.raked),
                percent(rake.share),
            )
            for rake in statistics.rake
        ]
        yield from _table(("by", "", "rounds", "pots", "rake", "share"), rows, right=range(2, 6))
    for name, tables in (("Hands", statistics.hands), ("Cards", statistics.cards)):
        if tables:
            yield ""
            yield strong(name)
            yield from _frequencies(tables, casino=casino)


def _hold(by: By, holds: Sequence[Hold], *, casino: bool) -> Iterator[str]:
    cells = [
        (
            where(hold, casino=casino),
            number(hold.stakes),
            money(hold.handle),
            money(hold.win),
            percent(hold.hold),
            money(hold.theoretical_win),
            money(hold.given_away),
            within(hold.interval),
            chance(hold.p),
            verdict(hold),
        )
        for hold in holds[:MOST_ROWS]
    ]
    heads = (f"by {BY_NAME[by]}", "stakes", "handle", "win", "hold", "theory", "given away", "range", "p", "")
    yield from _table(heads, cells, right=range(1, 9))
    if len(holds) > MOST_ROWS:
        yield f"  and {number(len(holds) - MOST_ROWS)} more"


def _frequencies(tables: Sequence[Frequencies], *, casino: bool) -> Iterator[str]:
    ordered = sorted(tables, key=lambda table: (not table.stands_out, not table.outside))
    cells = [
        (
            f"{table.of or 'cards'}: {at_table(table, casino=casino)}",
            number(table.seen),
            "-" if table.chi_square is None else f"{table.chi_square:,.2f}",
            "-" if table.degrees is None else str(table.degrees),
            chance(table.p),
            verdict(table) if not table.outside else f"{verdict(table)}: {most_off(table)}".removesuffix(": "),
        )
        for table in ordered[:MOST_ROWS]
    ]
    yield from _table(("", "seen", "chi-square", "degrees", "p", ""), cells, right=range(1, 5))
    if len(tables) > MOST_ROWS:
        yield f"  and {number(len(tables) - MOST_ROWS)} more"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: range) -> Iterator[str]:
    shown = [[visible(text) for text in row] for row in rows]
    widths = [max(len(line[at]) for line in (heads, *shown)) for at in range(len(heads))]
    for line in (heads, *shown):
        cells = [text.rjust(widths[at]) if at in right else text.ljust(widths[at]) for at, text in enumerate(line)]
        yield f"  {'  '.join(cells)}".rstrip()
