"""Words and figures of statistics that all reports share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from msgspec import Struct

from validator.cards.names import RANKS, SUIT_SYMBOLS, SUITS
from validator.reports.wording import counted, number
from validator.results.statistics import By, Came, Frequencies, Hold, Kind, LookedAt, Rake, Statistics, WagerInTheory
from validator.text.values.money import format_money

NO_FINDING = (
    "Statistics are not findings. Some results fall outside their range by luck; "
    "a result too far out for luck is a reason to look closer, not a violation."
)
BY_NAME = {By.CASINO: "casino", By.TABLE: "table", By.DAY: "table and day", By.DEALER: "dealer"}
"""Groups of stakes, in words."""
_KINDS = {
    Kind.HOLD: ("win total", "win totals"),
    Kind.HANDS: ("table of hands", "tables of hands"),
    Kind.CARDS: ("deck of cards", "decks of cards"),
}
MOST_OFF = 5
"""Limit of the categories or cards that are named as too frequent or too rare."""
MOST_STANDING = 20
"""Limit of the results of a kind that a summary names."""
_FAR = 2.0
"""Standard deviations from which a card or category is named."""


class OfWager(Struct, frozen=True, kw_only=True):
    """Holds of a wager with its theory."""

    document: str
    """Id of the document of the game."""
    wager: str
    """Name of the wager."""
    theory: tuple[str, ...]
    """Sentences on the odds of the wager."""
    holds: Mapping[By, tuple[Hold, ...]]
    """Holds by the group of stakes: casino, table, day or dealer."""


def by_wager(statistics: Statistics) -> Iterator[OfWager]:
    """Yield every wager with its holds: first those too far out for luck, then those outside their range."""
    for document, wager in dict.fromkeys((known.document, known.wager) for known in statistics.wagers):
        own = [hold for hold in statistics.hold if (hold.document, hold.wager) == (document, wager)]
        yield OfWager(
            document=document,
            wager=wager,
            theory=tuple(
                line
                for known in statistics.wagers
                if (known.document, known.wager) == (document, wager)
                for line in theory(known)
            ),
            holds={
                by: tuple(
                    sorted(
                        (hold for hold in own if hold.by == by),
                        key=lambda hold: (not hold.stands_out, not hold.outside),
                    )
                )
                for by in dict.fromkeys(hold.by for hold in own)
            },
        )


def looked_at(tested: LookedAt, level: float) -> str:
    """Return how many results of a kind were tested, fall outside their range, and are too far out for luck."""
    if not tested.tested:
        return f"{tested.kind}: nothing could be tested"
    compared = counted(tested.tested, *_KINDS[tested.kind])
    expected = number(round(tested.expected_outside))
    far = f"{number(tested.stand_out)} {'is' if tested.stand_out == 1 else 'are'}" if tested.stand_out else "none is"
    falls = "falls" if expected == "1" else "fall"
    return (
        f"{tested.kind}: {compared} compared with theory. About {expected} {falls} outside "
        f"the {of_level(level)} range by luck; {number(tested.outside)} did, and {far} too far out for luck"
    )


def standing_out(tested: LookedAt) -> Iterator[str]:
    """Yield the results of a kind that are too far out for luck, by name, and how many more there are."""
    for result in tested.standing_out[:MOST_STANDING]:
        place = [result.casino, None if result.table is None else f"table {result.table}", result.day]
        place += [None if result.dealer is None else f"dealer {result.dealer}"]
        place += [None if result.deck is None else f"deck {result.deck}"]
        of = {Kind.HOLD: f"hold of {result.of}", Kind.HANDS: f"hand {result.of}", Kind.CARDS: "cards"}[tested.kind]
        where = ", ".join(part for part in place if part is not None) or "place not stated"
        yield f"too far out for luck: {of} ({result.document}), {where}: p {chance(result.p)}, q {chance(result.q)}"
    if tested.stand_out > MOST_STANDING:
        yield f"and {number(tested.stand_out - MOST_STANDING)} more"


def percent(value: float | None, digits: int = 2) -> str:
    """Return a share in percent, or a dash for None."""
    if value is None:
        return "-"
    return f"{100 * value:,.{digits}f} %"


def chance(value: float | None) -> str:
    """Return a probability with four decimals, or a dash for None."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def money(value: float | None) -> str:
    """Return an amount in minor units, rounded, or a dash for None."""
    return "-" if value is None else format_money(round(value))


def several_casinos(statistics: Statistics) -> bool:
    """Return whether the statistics are of several casinos, so that places need their names."""
    of_money = {hold.casino for hold in statistics.hold} | {rake.casino for rake in statistics.rake}
    return len(of_money | {table.casino for table in (*statistics.hands, *statistics.cards)}) > 1


def where(group: Hold | Rake, *, casino: bool = True) -> str:
    """Return the casino (unless `casino` is false), table, day and dealer of a group of stakes."""
    name = group.casino if casino else None
    parts = {
        By.CASINO: (group.casino,),
        By.TABLE: (name, group.table),
        By.DAY: (name, group.table, group.day),
        By.DEALER: (name, group.dealer),
    }[group.by]
    return ", ".join(part for part in parts if part is not None) or "not stated"


def at_table(table: Frequencies, *, casino: bool = True) -> str:
    """Return the casino (unless `casino` is false), table and deck of counted cards."""
    deck = None if table.deck is None else f"deck {table.deck}"
    parts = (table.casino if casino else None, table.table, deck)
    return ", ".join(part for part in parts if part is not None) or "not stated"


def within(interval: tuple[float, float] | None) -> str:
    """Return a range of amounts in words."""
    return "-" if interval is None else f"{money(interval[0])} to {money(interval[1])}"


def verdict(result: Hold | Frequencies) -> str:
    """Return whether a result is inside its range, outside, too far out for luck, or not tested."""
    if result.p is None:
        return result.why or "not tested"
    return "too far out for luck" if result.stands_out else "outside" if result.outside else "inside"


def theory(wager: WagerInTheory) -> Iterator[str]:
    """Yield the odds of a wager and their assumptions, a sentence each."""
    if wager.house_advantage is None:
        yield f"no theory: {wager.why}"
        return
    table = "" if wager.pay_table is None else f", table {wager.pay_table}"
    under = "the only permitted pay table" if wager.submission is None else f"submission {wager.submission}"
    yield (
        f"house advantage {advantage(wager.house_advantage)}, standard deviation per unit "
        f"{wager.standard_deviation or 0.0:.4f} ({under}{table})"
    )
    if wager.with_:
        yield f"counted with it: {', '.join(wager.with_)}"
    if wager.interval is not None:
        low, high = wager.interval
        yield f"simulated: the advantage is between {percent(low, 3)} and {percent(high, 3)}, which widens the ranges"
    if wager.decided:
        yield "theory assumes players who decide best; losses by other decisions are added where the log shows them"
        yield "where the log does not show decisions, only a win too small for any way to decide is outside"
    if wager.together is not None:
        yield f"correlation of two stakes in one round: {wager.together:.3f}"


def advantage(value: str) -> str:
    """Return a fraction in percent; any other text is returned unchanged."""
    try:
        return percent(float(Fraction(value)), 4)
    except (ValueError, OverflowError, ZeroDivisionError):
        return value


def most_off(table: Frequencies) -> str:
    """Return the categories or cards that came too often or too seldom."""
    return ", ".join(map(came_in_words, furthest(table.came)))


def furthest(came: Iterable[Came]) -> list[Came]:
    """Return the categories or cards that are far from their expected numbers, the furthest first."""
    far = [category for category in came if abs(category.off) >= _FAR]
    return sorted(far, key=lambda category: (-abs(category.off), category.name))[:MOST_OFF]


def came_in_words(came: Came) -> str:
    """Return how often something came, and how often it was expected."""
    times = "once" if came.count == 1 else f"{number(came.count)} times"
    return f"{category_name(came.name)} {times} ({came.expected:,.1f} expected)"


def category_name(name: str) -> str:
    """Return a category of hands in words, or a card with its suit as a symbol."""
    if len(name) == 2 and name[0] in RANKS and name[1] in SUITS:
        return f"{name[0]}{SUIT_SYMBOLS[SUITS.index(name[1])]}"
    return name.replace("-", " ")


def of_level(level: float) -> str:
    """Return the level of a range in percent, such as 95 %."""
    return f"{100 * level:g} %"
