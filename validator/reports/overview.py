"""Overview of results: what was found and is new, the worst places, what to request, statements still lacking.

Every format that shows these shows the same: the HTML report and the letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.finding_groups import PLACE_KINDS, FindingGroup, FindingsSummary, PlaceName, Table
from fairdeal.validator.reports.report_wording import format_number
from fairdeal.validator.results import findings
from fairdeal.validator.results.findings import HOUSE, PLAYERS, Cause, EvidencePlace, Finding, Status
from fairdeal.validator.results.results import Baseline, CurrencyMoney, MoneySum, Results
from fairdeal.validator.text.positioned_document import PositionedDocument, parse_pointer


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
        words.append("others" if beyond else report_wording.format_count(rest, "more table"))
    name = "table" if len(order) == 1 else "tables"
    return f"{name} {report_wording.join_words(words)}" if words else ""


def _table(table: Table, several: bool) -> str:
    casino, name = table
    return f"{name} of {casino}" if several and casino is not None else name


def format_days(group: FindingGroup) -> str:
    """Return the days of some findings in words; empty if no day is known."""
    if group.first_day is None or group.last_day is None:
        return ""
    if group.first_day == group.last_day:
        return f"on {report_wording.format_day(group.first_day)}"
    return f"from {report_wording.format_short_period(group.first_day, group.last_day)}"


def summarize_group(group: FindingGroup, currency: str | None) -> str:
    """Return the number of findings, their amounts, tables and days in one clause."""
    parts = [
        report_wording.format_count(group.total, "finding"),
        *(report_wording.format_sums(*money, named or currency) for named, money in _by_name(group.money)),
        format_tables(group.tables, group.tables_beyond),
        format_days(group),
    ]
    return ", ".join(filter(None, parts))


def _by_name(money: Mapping[str | None, tuple[int, int]]) -> list[tuple[str | None, tuple[int, int]]]:
    """Return the currencies in alphabetical order, and amounts without one last."""
    return sorted(money.items(), key=lambda entry: (entry[0] is None, entry[0] or ""))


def count_new_and_known(states: Mapping[findings.FindingState, int]) -> str:
    """Return how many findings are new and how many known; empty without a baseline."""
    return ", ".join(
        f"{format_number(states[state])} {state.value}" for state in findings.FindingState if states.get(state)
    )


def describe_comparison(results: Results, states: Mapping[findings.FindingState, int]) -> str:
    """Return the comparison with an earlier audit in one clause; empty if there was none."""
    baseline = results.baseline
    if baseline is None:
        return ""
    made = report_wording.format_time(baseline.generated)
    return f"compared with the audit of {made} ({baseline.file}): {count_since_baseline(baseline, states)}"


def count_since_baseline(baseline: Baseline, states: Mapping[findings.FindingState, int]) -> str:
    """Return how many findings are new, known and gone, and how many records are newly quarantined."""
    parts = ", ".join(f"{format_number(states.get(state, 0))} {state.value}" for state in findings.FindingState)
    parts += f", {format_number(baseline.gone_found)} no longer found"
    if baseline.set_aside:
        parts += f"; {report_wording.format_count(baseline.set_aside, 'record')} newly quarantined"
    return parts


PLACES_SHOWN = 3
"""Number of tables, days and dealers that are shown."""
LICENSEES_NAMED = 3
"""Number of licensees that are named in a sentence."""
NAME_LENGTH = 80
"""Length of a name in a sentence."""


class AmountFigure(Struct, frozen=True, kw_only=True):
    """Amount with its name, in each currency."""

    name: str
    """Name of the amount."""
    amounts: tuple[str, ...]
    """Amount in each currency."""
    is_due: bool
    """True if any of the amounts is not zero."""


class PlaceBar(Struct, frozen=True, kw_only=True):
    """Table, day or dealer with its violations."""

    name: str
    """Name of the place."""
    casino: str | None
    """Casino of a table; None if there is only one."""
    findings: int
    """Number of violations."""
    share: float
    """Length of the bar in percent."""
    money: str
    """Amounts of its violations in words; empty if they are zero."""


class PlaceBars(Struct, frozen=True, kw_only=True):
    """Places of one kind with the most violations."""

    kind: str
    """`table`, `day` or `dealer`."""
    bars: tuple[PlaceBar, ...]
    """First places."""
    beyond: int
    """Number of places that are not shown."""


class EvidenceRequest(Struct, frozen=True, kw_only=True):
    """Evidence to request, for everything that one root leaves open."""

    cause: Cause
    """Root of what is open."""
    request: str
    """Evidence to request, in a sentence."""
    says: tuple[str, ...]
    """Descriptions of what is missing."""
    requirements: tuple[str, ...]
    """Requirements that could not be confirmed."""
    first: EvidencePlace | None
    """First place where evidence is missing."""


class Overview(Struct, frozen=True, kw_only=True):
    """First screen of a report."""

    sentences: tuple[str, ...]
    """Sentences on the outcome, one or two."""
    figures: tuple[AmountFigure, ...]
    """Amounts owed, overpaid and between players; empty if the results state no amounts."""
    places: tuple[PlaceBars, ...]
    """Tables, days and dealers with the most violations."""
    steps: tuple[str, ...]
    """Requests to the licensee, in sentences."""


def build_overview(results: Results, summary: FindingsSummary) -> Overview:
    """Return the first screen of a report."""
    places = tuple(_rank_places(results, summary))
    return Overview(
        sentences=tuple(filter(None, (_describe_outcome(results, summary), _describe_extent(results, places)))),
        figures=tuple(_list_figures(results)),
        places=places,
        steps=tuple(_list_steps(results, summary)),
    )


def list_requests(results: Results) -> tuple[EvidenceRequest, ...]:
    """Return what to request, once for each root of what is open, in the order of the results."""
    by_cause: dict[Cause, list[int]] = {}
    for at, item in enumerate(results.open):
        by_cause.setdefault(item.cause, []).append(at)
    several = len({item.document for item in results.open}) > 1
    requests = []
    for cause, places in by_cause.items():
        items = [results.open[at] for at in places]
        says = dict.fromkeys(f"{item.document}: {item.says}" if several else item.says for item in items)
        requests.append(
            EvidenceRequest(
                cause=cause,
                request=report_wording.REQUESTS[cause],
                says=tuple(says),
                requirements=tuple(dict.fromkeys(name for item in items for name in item.requirements)),
                first=next((item.first for item in items if item.first is not None), None),
            )
        )
    return tuple(requests)


def _describe_outcome(results: Results, summary: FindingsSummary) -> str:
    """Return who, when, and how many rules and rounds, in a sentence."""
    subject = results.subject
    names = [_shorten(licensee.name) for licensee in report_wording.list_licensees(subject)]
    if len(names) > LICENSEES_NAMED:
        beyond = report_wording.format_number(len(names) - LICENSEES_NAMED)
        names = [*names[:LICENSEES_NAMED], f"{beyond} more"]
    whose = report_wording.join_words(names) if names else "The casino"
    period = _describe_period(subject.first, subject.last)
    rounds = sum(table.rounds for table in subject.tables)
    played = report_wording.format_count(rounds, "round")
    failed = sum(result.status is Status.FAIL for result in results.requirements)
    checked = report_wording.format_count(len(results.requirements), "rule")
    if not failed:
        where = f" in {played}" if rounds else ""
        outcome = report_wording.describe_verdict(results).removesuffix(".")
        return f"{whose}{period}: {outcome[:1].lower()}{outcome[1:]}{where}."
    more = " or more" if summary.rounds_beyond else ""
    of_rounds = f" {report_wording.format_number(summary.violated_rounds)}{more} of {played}"
    where = " and ".join(
        (*([f"in{of_rounds}"] if rounds else []), *(["in the submission"] if summary.is_submission_violated else []))
    )
    return (
        f"{whose} violated {report_wording.format_number(failed)} of {checked}{period}{', ' if where else ''}{where}."
    )


def _shorten(name: str) -> str:
    return name if len(name) <= NAME_LENGTH else f"{name[:NAME_LENGTH]}…"


def _describe_period(first: str | None, last: str | None) -> str:
    if first is None or last is None:
        return ""
    if first == last:
        return f" on {report_wording.format_day(first)}"
    return f" from {report_wording.format_short_period(first, last)}"


def _describe_extent(results: Results, places: Iterable[PlaceBars]) -> str:
    """Return how much, at which tables, on which days and with which dealers, in a sentence."""
    amounts = report_wording.describe_amounts(results.money, results.subject.currency)
    parts = []
    for ranked in places:
        top = ranked.bars[0]
        preposition = {"table": "at table", "day": "on", "dealer": "with dealer"}[ranked.kind]
        parts.append(f"{preposition} {_shorten(top.name)} ({report_wording.format_number(top.findings)})")
    most = f"; the most violations are {report_wording.join_words(parts)}" if parts else ""
    return f"{report_wording.capitalize_first(amounts)}{most}."


def _list_figures(results: Results) -> Iterator[AmountFigure]:
    """Yield the amounts owed by the house, overpaid by it, and in the wrong hands among players."""
    if results.money is None:
        return
    currencies = [(money, money.currency or results.subject.currency) for money in results.money.by_currency]
    parties = [(_find_party(money, HOUSE), _find_party(money, PLAYERS), currency) for money, currency in currencies]
    for name, field in (("Owed to players by the house", "owed"), ("Overpaid by the house", "overpaid")):
        yield AmountFigure(
            name=name,
            amounts=tuple(report_wording.format_amount(getattr(house, field), code) for house, _, code in parties),
            is_due=any(getattr(house, field) for house, _, _ in parties),
        )
    yield AmountFigure(
        name="Wrong between players",
        amounts=tuple(report_wording.format_amount(max(own.owed, own.overpaid), code) for _, own, code in parties),
        is_due=any(own.owed or own.overpaid for _, own, _ in parties),
    )


def _find_party(money: CurrencyMoney, name: str) -> MoneySum:
    """Return the sum of a party. Results of older versions state none; all their amounts count for the house."""
    sums = [total for total in money.sums if total.by == "party"]
    found = next((total for total in sums if total.name == name), None)
    if found is not None:
        return found
    whole = money if name == HOUSE and not sums else None
    return MoneySum(
        by="party",
        name=name,
        casino=None,
        findings=whole.findings if whole else 0,
        owed=whole.owed if whole else 0,
        overpaid=whole.overpaid if whole else 0,
    )


def _rank_places(results: Results, summary: FindingsSummary) -> Iterator[PlaceBars]:
    """Yield the tables, days and dealers with the most violations."""
    money = _index_money(results)
    several = len(results.subject.casinos) > 1
    for kind in PLACE_KINDS:
        counts: Counter[PlaceName] = summary.places[kind]
        order = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0][1], entry[0][0] or ""))
        bars = tuple(
            PlaceBar(
                name=report_wording.format_day(name) if kind == "day" else name,
                casino=casino if several else None,
                findings=count,
                share=round(100 * count / order[0][1], 1),
                money="; ".join(filter(None, money.get((kind, casino, name), ()))),
            )
            for (casino, name), count in order[:PLACES_SHOWN]
        )
        if bars:
            yield PlaceBars(kind=kind, bars=bars, beyond=len(order) - len(bars))


def _index_money(results: Results) -> Mapping[tuple[str, str | None, str | None], list[str]]:
    """Return the amounts of each table, day and dealer in words, one for each currency."""
    amounts: dict[tuple[str, str | None, str | None], list[str]] = {}
    for money in () if results.money is None else results.money.by_currency:
        for total in money.sums:
            if total.by in PLACE_KINDS:
                words = report_wording.format_sums(
                    total.owed, total.overpaid, money.currency or results.subject.currency
                )
                amounts.setdefault((total.by, total.casino, total.name), []).append(words)
    return amounts


def _list_steps(results: Results, summary: FindingsSummary) -> Iterator[str]:
    """Yield what to request of the licensee next: payment and replies, then evidence."""
    house, _, players = (*_list_figures(results), None, None, None)[:3]
    if house is not None and house.is_due:
        yield f"Payment of {report_wording.join_words(house.amounts)} by the house to players on the restitution list."
    if players is not None and players.is_due:
        yield f"A settlement of {report_wording.join_words(players.amounts)} between players."
    violations = summary.totals.findings[Status.FAIL]
    if violations:
        yield f"A reply to {report_wording.format_count(violations, 'finding')} on the schedule."
    for request in list_requests(results):
        text = report_wording.capitalize_first(request.request.removeprefix("Request: ").removesuffix("."))
        yield f"{text} ({report_wording.format_count(len(request.requirements), 'rule')})."
    if results.unreadable:
        files = len({file.file for file in results.unreadable})
        yield f"Readable copies of {report_wording.format_count(files, 'file')}."
    quarantined = report_wording.count_quarantined(results)
    if quarantined:
        yield f"Readable copies of {report_wording.format_count(quarantined, 'quarantined record')}."
    gaps = sum(bool(session.gaps_found) for session in results.sessions)
    if gaps:
        yield f"The missing rounds of {report_wording.format_count(gaps, 'table')}, or proof that there are none."


MOST_PLACES = 100
"""Limit of the places that are listed."""
_MOST_RULES = 6
"""Limit of the rules that are listed for a place."""
_OPEN = (Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION)


class OpenPlace(Struct, frozen=True, kw_only=True):
    """Place of a submission at which rules need a statement."""

    where: EvidencePlace
    """The place."""
    sentences: tuple[str, ...]
    """Messages of the rules that need it."""


def list_open_places(results: Results, sources: Mapping[str, PositionedDocument]) -> list[OpenPlace]:
    """Return the places of submissions at which a statement or an attestation is missing, in the order of the files."""
    places: dict[tuple[str, str], list[Finding]] = {}
    for finding in results.findings:
        where = finding.where
        if finding.status in _OPEN and where.submission is not None and where.file is not None and where.round is None:
            places.setdefault((where.file, where.pointer or ""), []).append(finding)
    files = {file: number for number, file in enumerate(dict.fromkeys(file for file, _ in places))}
    ordered = sorted(places.items(), key=lambda place: (files[place[0][0]], *_find_line(place[1][0], sources)))
    return [
        OpenPlace(where=findings[0].where, sentences=tuple(dict.fromkeys(map(_describe, findings))))
        for _, findings in ordered
    ]


def _find_line(finding: Finding, sources: Mapping[str, PositionedDocument]) -> tuple[int, int]:
    """Return the line and column of a finding; a workbook counts the rows of all its sheets."""
    where = finding.where
    tree = sources.get(where.file or "")
    if tree is None or where.pointer is None:
        return where.line or 0, where.column or 0
    position = tree.get_position(parse_pointer(where.pointer))
    return position.line, position.column


def _describe(finding: Finding) -> str:
    text = finding.expected if finding.status is Status.NEEDS_ATTESTATION else finding.message
    return report_wording.capitalize_first(text)


def count_open_places(places: list[OpenPlace]) -> str:
    """Return how much is open, in words."""
    rules = report_wording.format_count(sum(len(place.sentences) for place in places), "statement")
    return f"{rules} at {report_wording.format_count(len(places), 'place')}"


def list_sentences(place: OpenPlace) -> Iterator[str]:
    """Yield what is missing at a place; of many sentences, only the number of the others."""
    yield from place.sentences[:_MOST_RULES]
    if len(place.sentences) > _MOST_RULES:
        yield f"and {report_wording.format_count(len(place.sentences) - _MOST_RULES, 'more rule')}"
