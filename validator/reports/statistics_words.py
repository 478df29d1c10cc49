"""Statistics in words and figures, alike in every report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from msgspec import Struct

from validator.reports.wording import counted, number
from validator.results.statistics import By, Came, Frequencies, Hold, Kind, LookedAt, Rake, Statistics, WagerInTheory
from validator.text.values.money import format_money

NO_FINDING = (
    "These are statistics and no findings: some lie outside of their interval by chance alone, and one that stands out "
    "is a reason to look closer, not a violation."
)
BY_NAME = {By.CASINO: "casino", By.TABLE: "table", By.DAY: "table and day", By.DEALER: "dealer"}
"""What stakes are put together by, in words."""
_KINDS = {
    Kind.HOLD: ("wager somewhere", "wagers somewhere"),
    Kind.HANDS: ("hand of a table and deck", "hands of tables and decks"),
    Kind.CARDS: ("deck of a table", "decks of tables"),
}
MOST_OFF = 5
"""The most categories, or cards, that are named of those that came too often or too seldom."""
MOST_STANDING = 20
"""The most of a kind that a summary names in words."""
_FAR = 2.0
"""So many standard deviations off, a card or category is named."""


class OfWager(Struct, frozen=True, kw_only=True):
    """The holds of a wager, by what stakes are put together by, under what is known of it in theory."""

    document: str
    wager: str
    theory: tuple[str, ...]
    holds: Mapping[By, tuple[Hold, ...]]


def by_wager(found: Statistics) -> Iterator[OfWager]:
    """Every wager with its holds: those that stand out first, then those outside."""
    for document, wager in dict.fromkeys((one.document, one.wager) for one in found.wagers):
        own = [one for one in found.hold if (one.document, one.wager) == (document, wager)]
        yield OfWager(
            document=document,
            wager=wager,
            theory=tuple(
                line for one in found.wagers if (one.document, one.wager) == (document, wager) for line in theory(one)
            ),
            holds={
                by: tuple(
                    sorted((one for one in own if one.by == by), key=lambda one: (not one.stands_out, not one.outside))
                )
                for by in dict.fromkeys(one.by for one in own)
            },
        )


def looked_at(one: LookedAt, level: float) -> str:
    """How many of a kind were tested, lie outside and stand out."""
    if not one.tested:
        return f"{one.kind}: nothing could be tested"
    said = counted(one.tested, *_KINDS[one.kind])
    expected = f"{one.expected_outside:,.1f}".removesuffix(".0")
    standing = f"{number(one.stand_out)} {'stands' if one.stand_out == 1 else 'stand'} out"
    return (
        f"{one.kind}: {said} tested at {of_level(level)}; {number(one.outside)} outside, {expected} expected by chance "
        f"alone; {standing} once that is corrected for"
    )


def standing_out(one: LookedAt) -> Iterator[str]:
    """Yield what stands out of a kind, by name, and how many more there are."""
    for found in one.standing_out[:MOST_STANDING]:
        place = [found.casino, None if found.table is None else f"table {found.table}", found.day]
        place += [None if found.dealer is None else f"dealer {found.dealer}"]
        place += [None if found.deck is None else f"deck {found.deck}"]
        of = {Kind.HOLD: f"hold of {found.of}", Kind.HANDS: f"hand {found.of}", Kind.CARDS: "cards"}[one.kind]
        where = ", ".join(part for part in place if part is not None) or "place not stated"
        yield f"stands out: {of} ({found.document}), {where}: p {chance(found.p)}, q {chance(found.q)}"
    if one.stand_out > MOST_STANDING:
        yield f"and {number(one.stand_out - MOST_STANDING)} more"


def percent(value: float | None, digits: int = 2) -> str:
    """A share in percent; a dash where there is none."""
    if value is None:
        return "-"
    return f"{100 * value:,.{digits}f} %"


def chance(value: float | None) -> str:
    """A probability as people read it."""
    if value is None:
        return "-"
    return f"{value:.4f}" if value >= 0.0001 else "< 0.0001"


def money(value: float | None) -> str:
    """An amount in minor units, rounded; a dash where there is none."""
    return "-" if value is None else format_money(round(value))


def several_casinos(found: Statistics) -> bool:
    """Whether places must be told by their casino."""
    of_money = {one.casino for one in found.hold} | {one.casino for one in found.rake}
    return len(of_money | {one.casino for one in (*found.hands, *found.cards)}) > 1


def where(one: Hold | Rake, *, casino: bool = True) -> str:
    """The casino, table, day and dealer that stakes are of; without the casino, where that is told."""
    parts = {
        By.CASINO: (one.casino,),
        By.TABLE: (one.casino if casino else None, one.table),
        By.DAY: (one.casino if casino else None, one.table, one.day),
        By.DEALER: (one.casino if casino else None, one.dealer),
    }[one.by]
    return ", ".join(part for part in parts if part is not None) or "not told"


def at_table(one: Frequencies, *, casino: bool = True) -> str:
    """The casino, table and deck that cards are of; without the casino, where that is told."""
    deck = None if one.deck is None else f"deck {one.deck}"
    return (
        ", ".join(part for part in (one.casino if casino else None, one.table, deck) if part is not None) or "not told"
    )


def within(interval: tuple[float, float] | None) -> str:
    """An interval of amounts."""
    return "-" if interval is None else f"{money(interval[0])} to {money(interval[1])}"


def verdict(one: Hold | Frequencies) -> str:
    """What is to be said of one: whether it stands out, lies outside, or was not tested."""
    if one.p is None:
        return one.why or "not tested"
    return "stands out" if one.stands_out else "outside" if one.outside else "inside"


def theory(one: WagerInTheory) -> Iterator[str]:
    """What is known of a wager in theory, and what that takes for granted."""
    if one.house_advantage is None:
        yield f"no theory: {one.why}"
        return
    table = "" if one.pay_table is None else f", table {one.pay_table}"
    under = "the only way that is permitted" if one.submission is None else f"submission {one.submission}"
    yield (
        f"house advantage {advantage(one.house_advantage)}, standard deviation of a unit "
        f"{one.standard_deviation or 0.0:.4f} ({under}{table})"
    )
    if one.with_:
        yield f"counted with it: {', '.join(one.with_)}"
    if one.interval is not None:
        low, high = one.interval
        yield f"simulated: the advantage lies from {percent(low, 3)} to {percent(high, 3)}; intervals are wider for it"
    if one.decided:
        yield (
            "theory is of players who do what is best; what others give away is added where the log shows cards and "
            "decisions; where it does not, only a win that is too small for any way to decide lies outside"
        )
    if one.together is not None:
        yield f"two stakes of one round come out alike by {one.together:.3f} (correlation by the rules)"


def advantage(value: str) -> str:
    """A fraction in percent; as it stands where it is none."""
    try:
        return percent(float(Fraction(value)), 4)
    except (ValueError, OverflowError, ZeroDivisionError):
        return value


def most_off(one: Frequencies) -> str:
    """The categories, or cards, that came too often or too seldom."""
    return ", ".join(came_in_words(came) for came in furthest(one.came))


def furthest(came: Iterable[Came]) -> list[Came]:
    """Those that are furthest off, as far as that is far."""
    far = [one for one in came if abs(one.off) >= _FAR]
    return sorted(far, key=lambda one: (-abs(one.off), one.name))[:MOST_OFF]


def came_in_words(came: Came) -> str:
    """How often something came, and how often it is expected to."""
    return f"{came.name} {number(came.count)} times, {came.expected:,.1f} expected"


def of_level(level: float) -> str:
    """How often chance leaves one inside, such as 95 %."""
    return f"{100 * level:g} %"
