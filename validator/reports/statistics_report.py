"""Words and tables of statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from heapq import nsmallest
from itertools import islice
from typing import TypeVar

from msgspec import Struct

from fairdeal.validator.cards.ranking_models import RANKS, SUIT_SYMBOLS, SUITS
from fairdeal.validator.reports.report_wording import format_count, format_number
from fairdeal.validator.results import game_statistics
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.plain_values import format_money

NO_FINDING = (
    "Statistics are not findings. Some results fall outside their range by luck; "
    "a result too far out for luck is a reason to look closer, not a violation."
)
BY_NAME = {
    game_statistics.Grouping.CASINO: "casino",
    game_statistics.Grouping.TABLE: "table",
    game_statistics.Grouping.DAY: "table and day",
    game_statistics.Grouping.DEALER: "dealer",
}
"""Groups of stakes, in words."""
_KINDS = {
    game_statistics.TestKind.HOLD: ("win total", "win totals"),
    game_statistics.TestKind.HANDS: ("table of hands", "tables of hands"),
    game_statistics.TestKind.CARDS: ("deck of cards", "decks of cards"),
    game_statistics.TestKind.RATES: ("rate of violations", "rates of violations"),
}
MOST_OFF = 5
"""Limit of the categories or cards that are named as too frequent or too rare."""
MOST_STANDING = 20
"""Limit of the results of a kind that a summary names."""
MOST_HOLDS = 50
"""Limit of the holds of a wager that are listed for a group of stakes."""
_FAR = 2.0
"""Standard deviations from which a card or category is named."""

_Tested = TypeVar("_Tested", game_statistics.HoldResult, game_statistics.FrequencyResult, game_statistics.RoundRate)


class WagerHolds(Struct, frozen=True, kw_only=True):
    """Holds of a wager with its theory."""

    document: str
    """Id of the document of the game."""
    wager: str
    """Name of the wager."""
    theory: tuple[str, ...]
    """Sentences on the odds of the wager."""
    holds: Mapping[game_statistics.Grouping, Sequence[game_statistics.HoldResult]]
    """First holds by the group of stakes: those too far out for luck, then those outside their range."""
    counts: Mapping[game_statistics.Grouping, int]
    """Number of holds by the group of stakes."""


def group_by_wager(statistics: game_statistics.Statistics) -> Iterator[WagerHolds]:
    """Yield every wager with at most `MOST_HOLDS` holds of each group of stakes."""
    first: dict[tuple[str, str], dict[game_statistics.Grouping, list[game_statistics.HoldResult]]] = {}
    counts: dict[tuple[str, str], Counter[game_statistics.Grouping]] = {}
    for hold in statistics.hold:
        wager = (hold.document, hold.wager)
        counts.setdefault(wager, Counter())[hold.by] += 1
        rows = first.setdefault(wager, {}).setdefault(hold.by, [])
        rows.append(hold)
        if len(rows) > 10 * MOST_HOLDS:
            rows[:] = select_notable(rows, MOST_HOLDS)
    for document, wager_name in dict.fromkeys((known.document, known.wager) for known in statistics.wagers):
        wager = (document, wager_name)
        yield WagerHolds(
            document=document,
            wager=wager_name,
            theory=tuple(
                line
                for known in statistics.wagers
                if (known.document, known.wager) == wager
                for line in describe_theory(known)
            ),
            holds={by: select_notable(rows, MOST_HOLDS) for by, rows in first.get(wager, {}).items()},
            counts=counts.get(wager, {}),
        )


def select_notable(results: Iterable[_Tested], most: int) -> list[_Tested]:
    """Return the first results: those too far out for luck, then those outside their range, then all others."""
    return nsmallest(most, results, key=lambda result: (not result.stands_out, not result.outside))


def describe_test(tested: game_statistics.TestSummary, level: float) -> str:
    """Return how many results of a kind were tested, fall outside their range, and are too far out for luck."""
    if not tested.tested:
        return f"{tested.kind}: nothing could be tested"
    compared = format_count(tested.tested, *_KINDS[tested.kind])
    expected = format_number(round(tested.expected_outside))
    far = (
        f"{format_number(tested.stand_out)} {'is' if tested.stand_out == 1 else 'are'}"
        if tested.stand_out
        else "none is"
    )
    other = "other rounds of the casino" if tested.kind is game_statistics.TestKind.RATES else "theory"
    falls = "falls" if expected == "1" else "fall"
    return (
        f"{tested.kind}: {compared} compared with {other}. About {expected} {falls} outside "
        f"the {format_level(level)} range by luck; {format_number(tested.outside)} did, and {far} too far out for luck"
    )


def list_outliers(tested: game_statistics.TestSummary) -> Iterator[str]:
    """Yield the results of a kind that are too far out for luck, by name, and how many more there are."""
    for result in tested.standing_out[:MOST_STANDING]:
        place = [result.casino, None if result.table is None else f"table {result.table}", result.day]
        place += [None if result.dealer is None else f"dealer {result.dealer}"]
        place += [None if result.deck is None else f"deck {result.deck}"]
        of = {
            game_statistics.TestKind.HOLD: f"hold of {result.of}",
            game_statistics.TestKind.HANDS: f"hand {result.of}",
            game_statistics.TestKind.CARDS: "cards",
            game_statistics.TestKind.RATES: f"violations, {result.of}",
        }[tested.kind]
        where = ", ".join(part for part in place if part is not None) or "place not stated"
        yield (
            f"too far out for luck: {of} ({result.document}), {where}: p "
            f"{format_probability(result.p)}, q {format_probability(result.q)}"
        )
    if tested.stand_out > MOST_STANDING:
        yield f"and {format_number(tested.stand_out - MOST_STANDING)} more"


def describe_packs(statistics: game_statistics.Statistics) -> str:
    """Return how many cards did not come for longer than luck explains, and how many orders of cards came again."""
    packs = format_count(len(statistics.cards), "deck of cards", "decks of cards")
    absent, repeated = len(statistics.absent_cards), len(statistics.repeated_orders)
    most = " or more" if game_statistics.MOST_OUTLIERS in (absent, repeated) else ""
    return (
        f"packs: {packs} searched for a card that stays away and for an order of cards that comes again. "
        f"{format_count(absent, 'card')} stayed away and {format_count(repeated, 'order')} came again{most} "
        f"where chance would do so in fewer than one log in a million"
    )


def list_pack_outliers(statistics: game_statistics.Statistics) -> Iterator[str]:
    """Yield what to look for at a pack: the cards that stayed away, and the rounds with the same order of cards."""
    for absent in statistics.absent_cards[:MOST_STANDING]:
        span = f", from {absent.first} to the quarter of an hour from {absent.last}" if absent.first else ""
        yield (
            f"{format_category(absent.card)} did not come in {format_count(absent.rounds, 'round')} "
            f"({absent.document}), {_describe_pack(absent)}{span}: count the pack; "
            f"probability {absent.chance:.1e} in an honest log"
        )
    for again in statistics.repeated_orders[:MOST_STANDING]:
        yield (
            f"{format_count(again.cards, 'card')} came in the same order in two rounds ({again.document}), "
            f"{_describe_pack(again)}: {_describe_moment(again.first, again.first_number)} and "
            f"{_describe_moment(again.second, again.second_number)}; one round may be recorded twice, or the cards "
            f"were not shuffled; probability {again.chance:.1e} in an honest log"
        )
    more = max(len(statistics.absent_cards) - MOST_STANDING, 0) + max(
        len(statistics.repeated_orders) - MOST_STANDING, 0
    )
    if more:
        yield f"and {format_number(more)} more"


def _describe_pack(pack: game_statistics.AbsentCard | game_statistics.RepeatedOrder) -> str:
    table = None if pack.table is None else f"table {pack.table}"
    deck = None if pack.deck is None else f"deck {pack.deck}"
    return ", ".join(part for part in (pack.casino, table, deck) if part is not None) or "place not stated"


def _describe_moment(time: str | None, number: int | None) -> str:
    parts = ("" if time is None else time, "" if number is None else f"round number {format_number(number)}")
    return ", ".join(filter(None, parts)) or "at a time not stated"


def format_percent(value: float | None, digits: int = 2) -> str:
    """Return a share in percent, or a dash for None."""
    if value is None:
        return "-"
    return f"{100 * value:,.{digits}f} %"


def format_probability(value: float | None) -> str:
    """Return a probability with four decimals, or a dash for None."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def format_rounded_money(value: float | None) -> str:
    """Return an amount in minor units, rounded, or a dash for None."""
    return "-" if value is None else format_money(round(value))


def has_several_casinos(statistics: game_statistics.Statistics) -> bool:
    """Return whether the statistics are of several casinos, so that places need their names."""
    of_money = {hold.casino for hold in statistics.hold} | {rake.casino for rake in statistics.rake}
    return len(of_money | {table.casino for table in (*statistics.hands, *statistics.cards)}) > 1


def describe_stakes(group: game_statistics.HoldResult | game_statistics.RakeResult, *, casino: bool = True) -> str:
    """Return the casino (unless `casino` is false), table, day and dealer of a group of stakes."""
    name = group.casino if casino else None
    parts = {
        game_statistics.Grouping.CASINO: (group.casino,),
        game_statistics.Grouping.TABLE: (name, group.table),
        game_statistics.Grouping.DAY: (name, group.table, group.day),
        game_statistics.Grouping.DEALER: (name, group.dealer),
    }[group.by]
    return ", ".join(part for part in parts if part is not None) or "not stated"


def describe_table(table: game_statistics.FrequencyResult, *, casino: bool = True) -> str:
    """Return the casino (unless `casino` is false), table and deck of counted cards."""
    deck = None if table.deck is None else f"deck {table.deck}"
    parts = (table.casino if casino else None, table.table, deck)
    return ", ".join(part for part in parts if part is not None) or "not stated"


def format_range(interval: tuple[float, float] | None) -> str:
    """Return a range of amounts in words."""
    return "-" if interval is None else f"{format_rounded_money(interval[0])} to {format_rounded_money(interval[1])}"


def describe_result(
    result: game_statistics.HoldResult | game_statistics.FrequencyResult | game_statistics.RoundRate,
) -> str:
    """Return whether a result is inside its range, outside, too far out for luck, or not tested."""
    if result.p is None:
        return result.why or "not tested"
    return "too far out for luck" if result.stands_out else "outside" if result.outside else "inside"


def describe_theory(wager: game_statistics.WagerTheory) -> Iterator[str]:
    """Yield the odds of a wager and their assumptions, a sentence each."""
    if wager.house_advantage is None:
        yield f"no theory: {wager.why}"
        return
    table = "" if wager.pay_table is None else f", table {wager.pay_table}"
    under = "the only permitted pay table" if wager.submission is None else f"submission {wager.submission}"
    yield (
        f"house advantage {format_advantage(wager.house_advantage)}, standard deviation per unit "
        f"{wager.standard_deviation or 0.0:.4f} ({under}{table})"
    )
    if wager.with_:
        yield f"counted with it: {', '.join(wager.with_)}"
    if wager.interval is not None:
        low, high = wager.interval
        yield (
            f"the advantage is only known to be between {format_percent(low, 3)} and "
            f"{format_percent(high, 3)}, which widens the ranges"
        )
    if wager.decided:
        yield "theory assumes players who decide best; losses by other decisions are added where the log shows them"
        yield "where the log does not show decisions, only a win too small for any way to decide is outside"
    if wager.followed:
        yield "hands are followed card by card, and ranges are as wide as the results of rounds differ"
        yield "players who stake more while the cards left favour them may win more than any decision explains"
    if wager.together is not None:
        yield f"correlation of two stakes in one round: {wager.together:.3f}"


def format_advantage(value: str) -> str:
    """Return a fraction in percent; any other text is returned unchanged."""
    try:
        return format_percent(float(Fraction(value)), 4)
    except (ValueError, OverflowError, ZeroDivisionError):
        return value


def describe_furthest(table: game_statistics.FrequencyResult) -> str:
    """Return the categories or cards that came too often or too seldom."""
    return ", ".join(map(describe_frequency, find_furthest(table.came)))


def find_furthest(came: Iterable[game_statistics.OutcomeCount]) -> list[game_statistics.OutcomeCount]:
    """Return the categories or cards that are far from their expected numbers, the furthest first."""
    far = [category for category in came if abs(category.off) >= _FAR]
    return sorted(far, key=lambda category: (-abs(category.off), category.name))[:MOST_OFF]


def describe_frequency(came: game_statistics.OutcomeCount) -> str:
    """Return how often something came, and how often it was expected."""
    times = "once" if came.count == 1 else f"{format_number(came.count)} times"
    return f"{format_category(came.name)} {times} ({came.expected:,.1f} expected)"


def format_category(name: str) -> str:
    """Return a category of hands in words, or a card with its suit as a symbol."""
    if len(name) == 2 and name[0] in RANKS and name[1] in SUITS:
        return f"{name[0]}{SUIT_SYMBOLS[SUITS.index(name[1])]}"
    return name.replace("-", " ")


def format_level(level: float) -> str:
    """Return the level of a range in percent, such as 95 %."""
    return f"{100 * level:g} %"


RATE_HEADINGS = ("by", "", "rounds", "an hour", "violations", "in 1,000", "violated rounds", "range in 1,000", "p", "")
"""Headings of the rates of violations."""


def list_rate_cells(rate: game_statistics.RoundRate, *, casino: bool = True) -> tuple[str, ...]:
    """Return the cells of a rate, with the name of its casino unless `casino` is false."""
    name = ", ".join(part for part in (rate.casino if casino else None, rate.name) if part is not None)
    numbers = ["-" if number is None else format_number(number) for number in (rate.violations, rate.violated)]
    return (
        rate.by,
        name,
        format_number(rate.rounds),
        _format_decimals(rate.pace),
        numbers[0],
        _format_decimals(rate.per_thousand),
        numbers[1],
        "-" if rate.interval is None else " to ".join(map(_format_decimals, rate.interval)),
        format_probability(rate.p),
        "" if rate.violations is None else describe_result(rate),
    )


def _format_decimals(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


MOST_RAKES = 200
"""Limit of the rows of rake."""
MOST_ROWS = 20
"""Limit of the rows of a table: first those too far out for luck, then those outside their range."""


def statistics_lines(statistics: game_statistics.Statistics, strong: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the statistics line by line; `strong` emphasizes headings."""
    casino = has_several_casinos(statistics)
    yield strong("Statistics")
    yield f"  {NO_FINDING}"
    for tested in statistics.looked_at:
        yield f"  {describe_test(tested, statistics.level)}"
        yield from (f"    {sanitize(line)}" for line in list_outliers(tested))
    if statistics.cards:
        yield f"  {describe_packs(statistics)}"
        yield from (f"    {sanitize(line)}" for line in list_pack_outliers(statistics))
    for wager in group_by_wager(statistics):
        yield ""
        yield strong(sanitize(f"Hold of {wager.wager} ({wager.document})"))
        yield from (f"  {sanitize(line)}" for line in wager.theory)
        for by, holds in wager.holds.items():
            yield ""
            yield from _hold(by, holds, wager.counts[by], casino=casino)
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
            for rake in islice(statistics.rake, MOST_RAKES)
        ]
        yield from _table(("by", "", "rounds", "pots", "rake", "share"), rows, right=range(2, 6))
        yield from _count_further(len(statistics.rake) - MOST_RAKES)
    if statistics.rates:
        yield ""
        yield strong("Rounds and violations")
        shown = select_notable(statistics.rates, MOST_RAKES)
        yield from _table(RATE_HEADINGS, [list_rate_cells(rate, casino=casino) for rate in shown], right=range(2, 9))
        yield from _count_further(len(statistics.rates) - MOST_RAKES)
    for name, tables in (("Hands", statistics.hands), ("Cards", statistics.cards)):
        if tables:
            yield ""
            yield strong(name)
            yield from _frequencies(tables, casino=casino)


DROP_HEADINGS = ("table and day", "drop", "win", "win to drop", "of the table", "off", "win in the logs", "difference")
"""Headings of the drop sheet."""
DROP_NOTE = (
    "off: deviation from the table's own win to drop, in standard deviations of its days. "
    "The win in the logs is that of the days that the logs state"
)


def list_drop_cells(row: game_statistics.DropResult) -> tuple[str, ...]:
    """Return the cells of a row of the drop sheet."""
    return (
        ", ".join(part for part in (row.casino, row.table, row.day) if part is not None),
        format_rounded_money(row.drop),
        format_rounded_money(row.win),
        format_percent(row.win_to_drop),
        format_percent(row.of_table),
        "-" if row.off is None else f"{row.off:+.1f}",
        format_rounded_money(row.logged_win),
        "-" if row.logged_win is None else format_rounded_money(row.win - row.logged_win),
    )


def drop_lines(drops: Sequence[game_statistics.DropResult], strong: Callable[[str], str] = str) -> Iterator[str]:
    """Yield the drop sheet line by line; `strong` emphasizes the heading."""
    if drops:
        yield ""
        yield strong("Drop sheet")
        yield f"  {DROP_NOTE}."
        yield from _table(DROP_HEADINGS, [list_drop_cells(row) for row in drops[:MOST_RAKES]], right=range(1, 8))
        yield from _count_further(len(drops) - MOST_RAKES)


def _hold(
    by: game_statistics.Grouping, holds: Sequence[game_statistics.HoldResult], count: int, *, casino: bool
) -> Iterator[str]:
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
    yield from _count_further(count - MOST_ROWS)


def _frequencies(tables: Sequence[game_statistics.FrequencyResult], *, casino: bool) -> Iterator[str]:
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
        for table in select_notable(tables, MOST_ROWS)
    ]
    yield from _table(("", "seen", "chi-square", "degrees", "p", ""), cells, right=range(1, 5))
    yield from _count_further(len(tables) - MOST_ROWS)


def _count_further(count: int) -> Iterator[str]:
    if count > 0:
        yield f"  and {format_number(count)} more"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, right: range) -> Iterator[str]:
    shown = [[sanitize(text) for text in row] for row in rows]
    widths = [max(len(line[at]) for line in (heads, *shown)) for at in range(len(heads))]
    for line in (heads, *shown):
        cells = [text.rjust(widths[at]) if at in right else text.ljust(widths[at]) for at, text in enumerate(line)]
        yield f"  {'  '.join(cells)}".rstrip()
