"""Words that all reports share for the licensee, the regulation, the period, the tables and the amounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from validator.reports.overview import FindingGroup, Table
from validator.reports.wording import counted, in_a_row, number
from validator.results.results import Baseline, Results
from validator.results.statuses import State
from validator.results.subject import CurrencyMoney, Law, LicenseeNamed, Money, Subject
from validator.text.values.money import format_money

NOT_TOLD = "not stated"
"""Text for something that the results do not state."""

GROUP_NAMES = {"requirement": "rule"}
"""Names of groups of sums that are not their keys."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def amount(minor: int, currency: str | None) -> str:
    """Return an amount in minor units with the sign or code of its currency, if that is known."""
    return format_money(minor, currency)


def day_in_words(day: str) -> str:
    """Return a day as people write it: `2026-03-02` becomes `2 March 2026`. Any other text is returned unchanged."""
    year, _, rest = day.partition("-")
    month, _, of_month = rest.partition("-")
    plain = all(part.isascii() and part.isdigit() for part in (year, month, of_month))
    if not plain or len(of_month) != 2 or not 1 <= int(month) <= len(_MONTHS):
        return day
    return f"{int(of_month)} {_MONTHS[int(month) - 1]} {year}"


def time_in_words(time: str) -> str:
    """Return a time of a log with a blank between day and clock."""
    return time.replace("T", " ", 1) if time[4:5] == "-" and time[10:11] == "T" else time


def period(first: str | None, last: str | None) -> str:
    """Return the days from the first to the last in words."""
    if first is None or last is None:
        return NOT_TOLD if first is None and last is None else day_in_words(first or last or "")
    return day_in_words(first) if first == last else f"{day_in_words(first)} to {day_in_words(last)}"


def short_period(first: str, last: str) -> str:
    """Return the days from the first to a later one, with a common month or year once: `2 to 25 March 2026`."""
    begins, ends = day_in_words(first), day_in_words(last)
    for digits, common in ((7, ends.partition(" ")[2]), (4, ends.rpartition(" ")[2])):
        if first != begins and last != ends and first[:digits] == last[:digits]:
            return f"{begins.removesuffix(f' {common}')} to {ends}"
    return f"{begins} to {ends}"


def houses(subject: Subject) -> tuple[LicenseeNamed, ...]:
    """Return the licensees of submissions, and the casinos that only logs name."""
    named = {licensee.name for licensee in subject.licensees}
    rest = (LicenseeNamed(name=name, license=None) for name in subject.casinos if name not in named)
    return (*subject.licensees, *rest)


def house(licensee: LicenseeNamed) -> str:
    """Return a licensee with the number of its license."""
    return licensee.name if licensee.license is None else f"{licensee.name} (license {licensee.license})"


def law_in_words(law: Law) -> str:
    """Return the citation of a regulation and its regulator."""
    return f"{law.citation}; {law.regulator}"


def games(subject: Subject) -> tuple[str, ...]:
    """Return the names of the games."""
    return tuple(dict.fromkeys(law.game or law.title for law in subject.law))


def tables_read(subject: Subject) -> str:
    """Return how many tables and rounds were checked."""
    if not subject.tables_read:
        return "no rounds of play"
    rounds = sum(table.rounds for table in subject.tables)
    beyond = " or more" if subject.tables_read > len(subject.tables) else ""
    return f"{counted(subject.tables_read, 'table')}, {counted(rounds, 'round')}{beyond}"


def subject_line(results: Results) -> str:
    """Return licensee, game, period and tables in one line."""
    subject = results.subject
    whose = "; ".join(map(house, houses(subject))) or f"casino {NOT_TOLD}"
    parts = [whose, "; ".join(games(subject)) or f"game {NOT_TOLD}", period(subject.first, subject.last)]
    return ", ".join([*parts, tables_read(subject)])


def currency_in_words(subject: Subject) -> str:
    """Return the currency of all amounts, or their several currencies."""
    return in_a_row(subject.currencies) if subject.currencies else subject.currency or NOT_TOLD


def money_in_words(money: Money | None, currency: str | None) -> str:
    """Return the sums of all violations that concern money, by currency.

    Args:
        currency: that of amounts that state none.
    """
    if money is None:
        return "an older version wrote these results, without amounts"
    sums = [_money_in_words(part, part.currency or currency) for part in money.by_currency if part.findings]
    return "; ".join(sums) or "no finding concerns money"


def _money_in_words(money: CurrencyMoney, currency: str | None) -> str:
    parts = [f"{amount(money.owed, currency)} too little"] if money.owed else []
    parts += [f"{amount(money.overpaid, currency)} too much"] if money.overpaid else []
    concerned = counted(money.findings, "finding")
    return (
        f"players received {' and '.join(parts)} ({concerned})"
        if parts
        else f"{concerned} on money, none with an amount"
    )


def sums_in_words(owed: int, overpaid: int, currency: str | None) -> str:
    """Return the sums of some findings in words; empty if they are zero."""
    parts = [f"{amount(owed, currency)} owed to players"] if owed else []
    parts += [f"{amount(overpaid, currency)} overpaid"] if overpaid else []
    return ", ".join(parts)


def tables_in_words(tables: Counter[Table], beyond: int, *, most: int = 6) -> str:
    """Return the tables with their numbers of findings, the most first."""
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
    """Return the days of some findings in words; empty if no day is known."""
    if group.first_day is None or group.last_day is None:
        return ""
    if group.first_day == group.last_day:
        return f"on {day_in_words(group.first_day)}"
    return f"from {short_period(group.first_day, group.last_day)}"


def extent(group: FindingGroup, currency: str | None) -> str:
    """Return the number of findings, their amounts, tables and days in one clause."""
    parts = [
        counted(group.total, "finding"),
        *(sums_in_words(*money, named or currency) for named, money in _by_name(group.money)),
        tables_in_words(group.tables, group.tables_beyond),
        since_when(group),
    ]
    return ", ".join(filter(None, parts))


def _by_name(money: Mapping[str | None, tuple[int, int]]) -> list[tuple[str | None, tuple[int, int]]]:
    """Return the currencies in alphabetical order, and amounts without one last."""
    return sorted(money.items(), key=lambda entry: (entry[0] is None, entry[0] or ""))


def news(states: Mapping[State, int]) -> str:
    """Return how many findings are new and how many known; empty without a baseline."""
    return ", ".join(f"{number(states[state])} {state.value}" for state in State if states.get(state))


def against_baseline(results: Results, states: Mapping[State, int]) -> str:
    """Return the comparison with an earlier audit in one clause; empty if there was none."""
    baseline = results.baseline
    if baseline is None:
        return ""
    made = time_in_words(baseline.generated)
    return f"compared with the audit of {made} ({baseline.file}): {since_the_baseline(baseline, states)}"


def since_the_baseline(baseline: Baseline, states: Mapping[State, int]) -> str:
    """Return how many findings are new, known and gone, and how many records are newly quarantined."""
    parts = ", ".join(f"{number(states.get(state, 0))} {state.value}" for state in State)
    parts += f", {number(baseline.gone_found)} no longer found"
    if baseline.set_aside:
        parts += f"; {counted(baseline.set_aside, 'record')} newly quarantined"
    return parts
