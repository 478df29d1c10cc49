"""Words that all reports share for the licensee, the regulation, the period, the tables and the amounts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from validator.reports.overview import FindingGroup, Table
from validator.reports.wording import format_count, format_number, join_words
from validator.results.results import Baseline, Results
from validator.results.statuses import FindingState
from validator.results.subject import AppliedDocument, CurrencyMoney, LicenseeDetails, Money, Subject
from validator.text.values.money import format_money

NOT_STATED = "not stated"
"""Text for something that the results do not state."""

GROUP_NAMES = {"requirement": "rule"}
"""Names of groups of sums that are not their keys."""

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)


def format_amount(minor: int, currency: str | None) -> str:
    """Return an amount in minor units with the sign or code of its currency, if that is known."""
    return format_money(minor, currency)


def format_day(day: str) -> str:
    """Return a day as people write it: `2026-03-02` becomes `2 March 2026`. Any other text is returned unchanged."""
    year, _, rest = day.partition("-")
    month, _, of_month = rest.partition("-")
    plain = all(part.isascii() and part.isdigit() for part in (year, month, of_month))
    if not plain or len(of_month) != 2 or not 1 <= int(month) <= len(_MONTHS):
        return day
    return f"{int(of_month)} {_MONTHS[int(month) - 1]} {year}"


def format_time(time: str) -> str:
    """Return a time of a log with a blank between day and clock."""
    return time.replace("T", " ", 1) if time[4:5] == "-" and time[10:11] == "T" else time


def format_period(first: str | None, last: str | None) -> str:
    """Return the days from the first to the last in words."""
    if first is None or last is None:
        return NOT_STATED if first is None and last is None else format_day(first or last or "")
    return format_day(first) if first == last else f"{format_day(first)} to {format_day(last)}"


def format_short_period(first: str, last: str) -> str:
    """Return the days from the first to a later one, with a common month or year once: `2 to 25 March 2026`."""
    begins, ends = format_day(first), format_day(last)
    for digits, common in ((7, ends.partition(" ")[2]), (4, ends.rpartition(" ")[2])):
        if first != begins and last != ends and first[:digits] == last[:digits]:
            return f"{begins.removesuffix(f' {common}')} to {ends}"
    return f"{begins} to {ends}"


def list_licensees(subject: Subject) -> tuple[LicenseeDetails, ...]:
    """Return the licensees of submissions, and the casinos that only logs name."""
    named = {licensee.name for licensee in subject.licensees}
    rest = (LicenseeDetails(name=name, license=None) for name in subject.casinos if name not in named)
    return (*subject.licensees, *rest)


def format_licensee(licensee: LicenseeDetails) -> str:
    """Return a licensee with the number of its license."""
    return licensee.name if licensee.license is None else f"{licensee.name} (license {licensee.license})"


def format_regulation(law: AppliedDocument) -> str:
    """Return the citation of a regulation and its regulator."""
    return f"{law.citation}; {law.regulator}"


def list_games(subject: Subject) -> tuple[str, ...]:
    """Return the names of the games."""
    return tuple(dict.fromkeys(law.game or law.title for law in subject.law))


def count_tables_and_rounds(subject: Subject) -> str:
    """Return how many tables and rounds were checked."""
    if not subject.tables_read:
        return "no rounds of play"
    rounds = sum(table.rounds for table in subject.tables)
    beyond = " or more" if subject.tables_read > len(subject.tables) else ""
    return f"{format_count(subject.tables_read, 'table')}, {format_count(rounds, 'round')}{beyond}"


def summarize_subject(results: Results) -> str:
    """Return licensee, game, period and tables in one line."""
    subject = results.subject
    whose = "; ".join(map(format_licensee, list_licensees(subject))) or f"casino {NOT_STATED}"
    parts = [whose, "; ".join(list_games(subject)) or f"game {NOT_STATED}", format_period(subject.first, subject.last)]
    return ", ".join([*parts, count_tables_and_rounds(subject)])


def format_currencies(subject: Subject) -> str:
    """Return the currency of all amounts, or their several currencies."""
    return join_words(subject.currencies) if subject.currencies else subject.currency or NOT_STATED


def describe_amounts(money: Money | None, currency: str | None) -> str:
    """Return the sums of all violations that concern money, by currency.

    Args:
        currency: that of amounts that state none.
    """
    if money is None:
        return "an older version wrote these results, without amounts"
    sums = [_money_in_words(part, part.currency or currency) for part in money.by_currency if part.findings]
    return "; ".join(sums) or "no finding concerns money"


def _money_in_words(money: CurrencyMoney, currency: str | None) -> str:
    parts = [f"{format_amount(money.owed, currency)} too little"] if money.owed else []
    parts += [f"{format_amount(money.overpaid, currency)} too much"] if money.overpaid else []
    concerned = format_count(money.findings, "finding")
    return (
        f"players received {' and '.join(parts)} ({concerned})"
        if parts
        else f"{concerned} on money, none with an amount"
    )


def format_sums(owed: int, overpaid: int, currency: str | None) -> str:
    """Return the sums of some findings in words; empty if they are zero."""
    parts = [f"{format_amount(owed, currency)} owed to players"] if owed else []
    parts += [f"{format_amount(overpaid, currency)} overpaid"] if overpaid else []
    return ", ".join(parts)


def format_tables(tables: Counter[Table], beyond: int, *, most: int = 6) -> str:
    """Return the tables with their numbers of findings, the most first."""
    order = sorted(tables.items(), key=lambda entry: (-entry[1], entry[0][1], entry[0][0] or ""))
    several = len({casino for casino, _ in tables}) > 1
    words = [
        _table(table, several) + (f" ({format_number(count)})" if len(order) > 1 else "")
        for table, count in order[:most]
    ]
    rest = len(order) - most
    if rest > 0 or beyond:
        words.append("others" if beyond else format_count(rest, "more table"))
    name = "table" if len(order) == 1 else "tables"
    return f"{name} {join_words(words)}" if words else ""


def _table(table: Table, several: bool) -> str:
    casino, name = table
    return f"{name} of {casino}" if several and casino is not None else name


def format_days(group: FindingGroup) -> str:
    """Return the days of some findings in words; empty if no day is known."""
    if group.first_day is None or group.last_day is None:
        return ""
    if group.first_day == group.last_day:
        return f"on {format_day(group.first_day)}"
    return f"from {format_short_period(group.first_day, group.last_day)}"


def summarize_group(group: FindingGroup, currency: str | None) -> str:
    """Return the number of findings, their amounts, tables and days in one clause."""
    parts = [
        format_count(group.total, "finding"),
        *(format_sums(*money, named or currency) for named, money in _by_name(group.money)),
        format_tables(group.tables, group.tables_beyond),
        format_days(group),
    ]
    return ", ".join(filter(None, parts))


def _by_name(money: Mapping[str | None, tuple[int, int]]) -> list[tuple[str | None, tuple[int, int]]]:
    """Return the currencies in alphabetical order, and amounts without one last."""
    return sorted(money.items(), key=lambda entry: (entry[0] is None, entry[0] or ""))


def count_new_and_known(states: Mapping[FindingState, int]) -> str:
    """Return how many findings are new and how many known; empty without a baseline."""
    return ", ".join(f"{format_number(states[state])} {state.value}" for state in FindingState if states.get(state))


def describe_comparison(results: Results, states: Mapping[FindingState, int]) -> str:
    """Return the comparison with an earlier audit in one clause; empty if there was none."""
    baseline = results.baseline
    if baseline is None:
        return ""
    made = format_time(baseline.generated)
    return f"compared with the audit of {made} ({baseline.file}): {count_since_baseline(baseline, states)}"


def count_since_baseline(baseline: Baseline, states: Mapping[FindingState, int]) -> str:
    """Return how many findings are new, known and gone, and how many records are newly quarantined."""
    parts = ", ".join(f"{format_number(states.get(state, 0))} {state.value}" for state in FindingState)
    parts += f", {format_number(baseline.gone_found)} no longer found"
    if baseline.set_aside:
        parts += f"; {format_count(baseline.set_aside, 'record')} newly quarantined"
    return parts
