"""First screen of a report: what was found in two sentences, the amounts, the worst places, and what to request next.

Every format that shows these shows the same: the HTML report and the letters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.finding_groups import PLACE_KINDS, FindingsSummary, PlaceName
from fairdeal.validator.results.findings import HOUSE, PLAYERS, Cause, EvidencePlace, Status
from fairdeal.validator.results.results import CurrencyMoney, MoneySum, Results

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
