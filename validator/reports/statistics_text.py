"""Statistics as lines of text: tables of hold, then of hands and cards."""

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
"""The most rows of a table that are shown: those that stand out, then those outside, then the others."""


def statistics_lines(found: Statistics, strong: Callable[[str], str] = str) -> Iterator[str]:
    """The statistics, line by line; `strong` sets headings off."""
    casino = several_casinos(found)
    yield strong("Statistics")
    yield f"  {NO_FINDING}"
    for one in found.looked_at:
        yield f"  {looked_at(one, found.level)}"
        yield from (f"    {visible(line)}" for line in standing_out(one))
    for wager in by_wager(found):
        yield ""
        yield strong(visible(f"Hold of {wager.wager} ({wager.document})"))
        yield from (f"  {visible(line)}" for line in wager.theory)
        for by, holds in wager.holds.items():
            yield ""
            yield from _hold(by, holds, casino=casino)
    if found.rake:
        yield ""
        yield strong("Rake")
        rows = [
            (
                one.by,
                where(one, casino=casino),
                number(one.rounds),
                money(one.pots),
                money(one.raked),
                percent(one.share),
            )
            for one in found.rake
        ]
        yield from _table(("by", "", "rounds", "pots", "rake", "share"), rows, right=range(2, 6))
    for name, some in (("Hands", found.hands), ("Cards", found.cards)):
        if some:
            yield ""
            yield strong(name)
            yield from _frequencies(some, casino=casino)


def _hold(by: By, holds: Sequence[Hold], *, casino: bool) -> Iterator[str]:
    cells = [
        (
            where(one, casino=casino),
            number(one.stakes),
            money(one.handle),
            money(one.win),
            percent(one.hold),
            money(one.theoretical_win),
            money(one.given_away),
            within(one.interval),
            chance(one.p),
            verdict(one),
        )
        for one in holds[:MOST_ROWS]
    ]
    heads = (f"by {BY_NAME[by]}", "stakes", "handle", "win", "hold", "theory", "given away", "interval", "p", "")
    yield from _table(heads, cells, right=range(1, 9))
    if len(holds) > MOST_ROWS:
        yield f"  and {number(len(holds) - MOST_ROWS)} more"


def _frequencies(found: Sequence[Frequencies], *, casino: bool) -> Iterator[str]:
    ordered = sorted(found, key=lambda one: (not one.stands_out, not one.outside))
    cells = [
        (
            f"{one.of or 'cards'}: {at_table(one, casino=casino)}",
            number(one.seen),
            "-" if one.chi_square is None else f"{one.chi_square:,.2f}",
            "-" if one.degrees is None else str(one.degrees),
            chance(one.p),
            verdict(one) if not one.outside else f"{verdict(one)}: {most_off(one)}".removesuffix(": "),
        )
        for one in ordered[:MOST_ROWS]
    ]
    yield from _table(("", "seen", "chi-square", "degrees", "p", ""), cells, right=range(1, 5))
    if len(found) > MOST_ROWS:
        yield f"  and {number(len(found) - MOST_ROWS)} more"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: range) -> Iterator[str]:
    shown = [[visible(text) for text in row] for row in rows]
    widths = [max(len(line[at]) for line in (heads, *shown)) for at in range(len(heads))]
    for line in (heads, *shown):
        cells = [text.rjust(widths[at]) if at in right else text.ljust(widths[at]) for at, text in enumerate(line)]
        yield f"  {'  '.join(cells)}".rstrip()
