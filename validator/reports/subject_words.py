"""Whose evidence, under which law, for which time, and what it comes to in money, in the words all reports use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from validator.reports.overview import FindingGroup, Table
from validator.reports.wording import counted, in_a_row, number
from validator.results.results import Baseline, Results
from validator.results.statuses import State
from validator.results.subject import CurrencyMoney, Law, LicenseeNamed, Money, Subject
from validator.text.values.money import format_money

NOT_TOLD = "not told"
"""What stands for something that results do not say."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def amount(minor: int, currency: str | None) -> str:
    """An amount in minor units with the code of its currency, where that is known."""
    return f"{format_money(minor)} {currency}" if currency else format_money(minor)


def day_in_words(day: str) -> str:
    """A day as people write it: `2026-03-02` is `2 March 2026`. Anything else stays as it is."""
    year, _, rest = day.partition("-")
    month, _, of_month = rest.partition("-")
    plain = all(part.isascii() and part.isdigit() for part in (year, month, of_month))
    if not plain or len(of_month) != 2 or not 1 <= int(month) <= len(_MONTHS):
        return day
    return f"{int(of_month)} {_MONTHS[int(month) - 1]} {year}"


def time_in_words(time: str) -> str:
    """A time as logs write it with a blank between day and clock."""
    return time.replace("T", " ", 1) if time[4:5] == "-" and time[10:11] == "T" else time


def period(first: str | None, last: str | None) -> str:
    """The days from the first to the last."""
    if first is None or last is None:
        return NOT_TOLD if first is None and last is None else day_in_words(first or last or "")
    return day_in_words(first) if first == last else f"{day_in_words(first)} to {day_in_words(last)}"


def short_period(first: str, last: str) -> str:
    """The days from the first to a later one, with the month and the year they have in common said once:
    `2 to 25 March 2026`."""
    begins, ends = day_in_words(first), day_in_words(last)
    for digits, common in ((7, ends.partition(" ")[2]), (4, ends.rpartition(" ")[2])):
        if first != begins and last != ends and first[:digits] == last[:digits]:
            return f"{begins.removesuffix(f' {common}')} to {ends}"
    return f"{begins} to {ends}"


def houses(subject: Subject) -> tuple[LicenseeNamed, ...]:
    """Everybody whose evidence it is: licensees of submissions, and casinos that only logs name."""
    named = {one.name for one in subject.licensees}
    rest = (LicenseeNamed(name=name, license=None) for name in subject.casinos if name not in named)
    return (*subject.licensees, *rest)


def house(one: LicenseeNamed) -> str:
    """A house with its licence."""
    return one.name if one.license is None else f"{one.name} (license {one.license})"


def law_in_words(one: Law) -> str:
    """A law as it is cited, and whose it is."""
    return f"{one.citation}; {one.regulator}"


def games(subject: Subject) -> tuple[str, ...]:
    """The names of the games."""
    return tuple(dict.fromkeys(one.game or one.title for one in subject.law))


def tables_read(subject: Subject) -> str:
    """How many tables and rounds were judged."""
    if not subject.tables_read:
        return "no rounds of play"
    rounds = sum(one.rounds for one in subject.tables)
    beyond = " or more" if subject.tables_read > len(subject.tables) else ""
    return f"{counted(subject.tables_read, 'table')}, {counted(rounds, 'round')}{beyond}"


def subject_line(results: Results) -> str:
    """The subject in one line."""
    subject = results.subject
    whose = "; ".join(map(house, houses(subject))) or f"casino {NOT_TOLD}"
    parts = [whose, "; ".join(games(subject)) or f"game {NOT_TOLD}", period(subject.first, subject.last)]
    return ", ".join([*parts, tables_read(subject)])


def currency_in_words(subject: Subject) -> str:
    """The currency of amounts, or the several that they are in."""
    return in_a_row(subject.currencies) if subject.currencies else subject.currency or NOT_TOLD


def money_in_words(money: Money | None, currency: str | None) -> str:
    """Return the sums of all failures on money, by currency. Amounts that name no currency are in `currency`."""
    if money is None:
        return "these results were written by an older version and do not tell what it comes to in money"
    said = [_money_in_words(one, one.currency or currency) for one in money.by_currency if one.findings]
    return "; ".join(said) or "no finding is about money"


def _money_in_words(money: CurrencyMoney, currency: str | None) -> str:
    owed, overpaid = amount(money.owed, currency), amount(money.overpaid, currency)
    return f"players are owed {owed} and were overpaid {overpaid} ({counted(money.findings, 'finding')})"


def sums_in_words(owed: int, overpaid: int, currency: str | None) -> str:
    """What some findings come to; empty where that is nothing."""
    parts = [f"{amount(owed, currency)} owed to players"] if owed else []
    parts += [f"{amount(overpaid, currency)} overpaid"] if overpaid else []
    return ", ".join(parts)


def tables_in_words(tables: Counter[Table], beyond: int, *, most: int = 6) -> str:
    """At which tables how often, the most first."""
    order = sorted(tables.items(), key=lambda entry: (-entry[1], entry[0][1], entry[0][0] or ""))
    several = len({casino for casino, _ in tables}) > 1
    words = [
        _table(table, several) + (f" ({number(count)})" if len(order) > 1 else "") for table, count in order[:most]
    ]
    rest = len(order) - most
    if rest > 0 or beyond:
        words.append("others" if beyond else counted(rest, "more table"))
    name = "table" if len(order) == 1 else "tables"
    return f"{name} {in_a_row(words)}" if words else ""


def _table(table: Table, several: bool) -> str:
    casino, name = table
    return f"{name} of {casino}" if several and casino is not None else name


def since_when(group: FindingGroup) -> str:
    """From which day to which findings were made; empty where no day is told."""
    if group.first_day is None or group.last_day is None:
        return ""
    if group.first_day == group.last_day:
        return f"on {day_in_words(group.first_day)}"
    return f"from {short_period(group.first_day, group.last_day)}"


def extent(group: FindingGroup, currency: str | None) -> str:
    """How many findings, what they come to, where and since when, in one clause."""
    parts = [
        counted(group.total, "finding"),
        *(sums_in_words(*money, named or currency) for named, money in _by_name(group.money)),
        tables_in_words(group.tables, group.tables_beyond),
        since_when(group),
    ]
    return ", ".join(filter(None, parts))


def _by_name(money: Mapping[str | None, tuple[int, int]]) -> list[tuple[str | None, tuple[int, int]]]:
    """The currencies in alphabetical order, that which nobody states last."""
    return sorted(money.items(), key=lambda entry: (entry[0] is None, entry[0] or ""))


def news(states: Mapping[State, int]) -> str:
    """How many findings are new and how many known; empty where no baseline was given."""
    return ", ".join(f"{number(states[state])} {state.value}" for state in State if states.get(state))


def against_baseline(results: Results, states: Mapping[State, int]) -> str:
    """How the findings stand against the baseline, in one clause; empty where none was given."""
    baseline = results.baseline
    if baseline is None:
        return ""
    made = time_in_words(baseline.generated)
    return f"against the baseline {baseline.file}, made {made}: {since_the_baseline(baseline, states)}"


def since_the_baseline(baseline: Baseline, states: Mapping[State, int]) -> str:
    """How many findings are new, known and gone, and how many records are newly set aside."""
    said = ", ".join(f"{number(states.get(state, 0))} {state.value}" for state in State)
    said += f", {number(baseline.gone_found)} gone"
    if baseline.set_aside:
        said += f"; {counted(baseline.set_aside, 'record')} newly set aside"
    return said
