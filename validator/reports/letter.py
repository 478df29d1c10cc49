"""Letter to the licensee: notice, request for information, schedule of violations and restitution list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator.reports import overview, report_wording
from fairdeal.validator.reports.finding_groups import FindingGroup, FindingsSummary, summarize_findings
from fairdeal.validator.reports.json_report import hash_results
from fairdeal.validator.reports.overview import build_overview, list_requests
from fairdeal.validator.reports.report_wording import format_amount, format_day, join_words, short_id, split_clock
from fairdeal.validator.results.findings import PLAYERS, EvidencePlace, Finding, Status, digest_round
from fairdeal.validator.results.results import Results

HEADINGS = MappingProxyType(
    {
        "number": "No.",
        "day": "Date",
        "time": "Local time",
        "table": "Table",
        "dealer": "Dealer",
        "round": "Round",
        "seat": "Seat",
        "player": "Player",
        "wager": "Wager",
        "due": "Due",
        "done": "Done",
        "difference": "Difference",
        "clauses": "Clauses",
        "video": "Video",
    }
)
"""Headings of the columns of the schedule, in order."""


class ScheduleRow(Struct, frozen=True, kw_only=True):
    """Violation in the schedule."""

    number: int
    """Number in the schedule, from 1."""
    day: str | None
    """Day of the round."""
    time: str | None
    """Local time of day; with its date if that differs from the gaming day."""
    casino: str | None
    """Casino of the round."""
    table: str | None
    """Table of the round."""
    dealer: str | None
    """Dealer, from the notes of the log."""
    round: str | None
    """Id of the round."""
    seat: int | None
    """Seat of the player."""
    player: str | None
    """Player at the seat."""
    wager: str | None
    """Wager in question."""
    due: str
    """Text on what the rules require."""
    done: str
    """Text on what the evidence shows."""
    difference: int | None
    """Amount in minor units: below 0 if owed to the player, above 0 if overpaid; None if not about money."""
    currency: str | None
    """Currency of the difference."""
    clauses: str
    """Clauses, without the id of their document."""
    video: str | None
    """Reference to the video, from the notes of the log."""

    def texts(self) -> tuple[str, ...]:
        """Return the cells as people read them, in the order of `HEADINGS`; unknown ones are empty."""
        difference = ""
        if self.difference:
            sign = "-" if self.difference < 0 else "+"
            difference = f"{sign}{format_amount(abs(self.difference), self.currency)}"
        cells = {name: getattr(self, name) for name in HEADINGS}
        cells |= {"day": None if self.day is None else format_day(self.day), "difference": difference}
        return tuple("" if cell is None else str(cell) for cell in cells.values())


def list_schedule(results: Results) -> Iterator[ScheduleRow]:
    """Yield the violations that no waiver lifts, in the order of the findings."""
    violations = (finding for finding in results.findings if finding.status is Status.FAIL and finding.waived is None)
    for number, finding in enumerate(violations, 1):
        yield _make_row(number, finding, results)


def _make_row(number: int, finding: Finding, results: Results) -> ScheduleRow:
    where, notes = finding.where, finding.where.context or {}
    day, clock = split_clock(where)
    return ScheduleRow(
        number=number,
        day=day,
        time=(clock or "").removeprefix("T").strip() or None,
        casino=where.casino,
        table=where.table,
        dealer=notes.get("dealer"),
        round=where.round,
        seat=where.seat,
        player=where.player,
        wager=where.wager,
        due=finding.expected,
        done=finding.observed,
        difference=None if finding.owed is None else (finding.overpaid or 0) - finding.owed,
        currency=finding.currency or results.subject.currency,
        clauses=", ".join(short_id(finding.document, clause) for clause in finding.clauses),
        video=notes.get("video"),
    )


class RestitutionRow(Struct, frozen=True, kw_only=True):
    """Debt of one debtor to a player, or the sum for players whom the log does not name."""

    player: str | None
    """Player; None for all whom the log does not name."""
    casino: str | None
    """Casino of the player."""
    debtor: str
    """Debtor in words: the house, or the players who received the money."""
    findings: int
    """Number of findings."""
    owed: int
    """Amount owed to the player, in minor units."""
    currency: str | None
    """Currency of the amount."""


HOUSE_OWES = "the house"
"""Debtor of what the house paid too little or took unduly."""
PLAYERS_OWE = "other players"
"""Debtors of money between players, where the log does not show who received it."""

_Player = tuple[str | None, str | None]
"""Casino and name of a player; the name is None if the log states none."""


class _PlayerDebts(Struct):
    """Money that players of a currency owe to each other."""

    findings: Counter[_Player] = field(default_factory=Counter)
    """Number of findings on money between players, by player."""
    owed: dict[_Player, dict[str, tuple[int, int]]] = field(default_factory=dict)
    """Number of findings and amount, by creditor and debtor."""

    def add(self, of_round: Sequence[Finding]) -> None:
        """Add the findings of a requirement on the money of a round."""
        self.findings.update(map(_find_player, of_round))
        creditors = [(finding, finding.owed) for finding in of_round if finding.owed]
        debtors = [(f"player {finding.where.player}", finding.overpaid) for finding in of_round if finding.overpaid]
        if len(creditors) > 1 and len(debtors) > 1:  # the log does not show whose chips went where
            debtors = [(join_words([name for name, _ in debtors]), sum(overpaid for _, overpaid in debtors))]
        left = [overpaid for _, overpaid in debtors]
        for finding, owed in creditors:
            player, missing = _find_player(finding), owed
            for at, (name, _) in enumerate(debtors):
                part = min(missing, left[at])
                left[at], missing = left[at] - part, missing - part
                self._add_debt(player, PLAYERS_OWE if player[1] is None else name, part)
            self._add_debt(player, PLAYERS_OWE, missing)

    def _add_debt(self, player: _Player, debtor: str, amount: int) -> None:
        if amount:
            debts = self.owed.setdefault(player, {})
            count, owed = debts.get(debtor, (0, 0))
            debts[debtor] = count + 1, owed + amount


def _find_player(finding: Finding) -> _Player:
    return finding.where.casino, finding.where.player


def list_restitution(results: Results) -> Iterator[RestitutionRow]:
    """Yield the players who are owed money with their debtors, the largest amount first, then those without a name."""
    between = _collect_debts(results)
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency or results.subject.currency
        players = [total for total in money.sums if total.by == "player"]
        debts = between.get(currency, _PlayerDebts())
        for total in players:
            yield from _list_debts(total.casino, total.name, total.findings, total.owed, currency, debts)
        rest = money.owed - sum(total.owed for total in players)
        findings = money.findings - sum(total.findings for total in players)
        named = {(total.casino, total.name) for total in players}
        unnamed = _PlayerDebts(
            findings=Counter({(None, None): sum(count for key, count in debts.findings.items() if key not in named)}),
            owed={(None, None): _add_up(owed for key, owed in debts.owed.items() if key not in named)},
        )
        yield from _list_debts(None, None, findings, rest, currency, unnamed)


def _add_up(owed: Iterable[dict[str, tuple[int, int]]]) -> dict[str, tuple[int, int]]:
    """Return what other players owe to players of whom the list has no rows."""
    amounts = [amount for debts in owed for amount in debts.values()]
    return {PLAYERS_OWE: (sum(count for count, _ in amounts), sum(amount for _, amount in amounts))} if amounts else {}


def _list_debts(
    casino: str | None, player: str | None, findings: int, owed: int, currency: str | None, debts: _PlayerDebts
) -> Iterator[RestitutionRow]:
    """Yield the rows of a player: first what the house owes, then what other players owe."""
    by_players = debts.owed.get((casino, player), {})
    of_house = owed - sum(amount for _, amount in by_players.values())
    rows = {HOUSE_OWES: (findings - debts.findings[casino, player], of_house), **by_players}
    for debtor, (count, amount) in rows.items():
        if amount > 0:
            yield RestitutionRow(
                player=player, casino=casino, debtor=debtor, findings=count, owed=amount, currency=currency
            )


def _collect_debts(results: Results) -> dict[str | None, _PlayerDebts]:
    """Return what players owe to each other, by currency. The findings of a round are next to each other."""
    debts: dict[str | None, _PlayerDebts] = {}
    if results.money is None or not any(
        total.by == "party" and total.name == PLAYERS for money in results.money.by_currency for total in money.sums
    ):
        return debts
    between = (finding for finding in results.findings if finding.between_players and finding.is_on_money)
    for _, of_round in groupby(between, lambda found: (found.requirement, digest_round(found), found.version)):
        findings = tuple(of_round)
        currency = findings[0].currency or results.subject.currency
        debts.setdefault(currency, _PlayerDebts()).add(findings)
    return debts


SCHEDULED = 1_000
"""Limit of the rows of the schedule in a letter; the workbook has all."""
_KEPT = 3
"""Findings of each kind from which an item takes its words."""
RULES_NAMED = 5
"""Limit of the rules that a request names."""


class LetterItem(Struct, frozen=True, kw_only=True):
    """Numbered item of a letter."""

    title: str
    """First sentence of the item."""
    lines: tuple[str, ...]
    """Further sentences."""


class LetterPart(Struct, frozen=True, kw_only=True):
    """Part of a letter."""

    title: str
    """Heading of the part."""
    paragraphs: tuple[str, ...]
    """Sentences above the items."""
    items: tuple[LetterItem, ...]
    """Numbered items."""


class Letter(Struct, frozen=True, kw_only=True):
    """Letter to a licensee."""

    title: str
    """Subject of the letter."""
    facts: tuple[tuple[str, str], ...]
    """Names and values at the head: licensee, game, regulation, period, date of the audit."""
    parts: tuple[LetterPart, ...]
    """Notice of violation and request for information."""
    schedule: tuple[ScheduleRow, ...]
    """Violations that no waiver lifts, at most `SCHEDULED`."""
    is_cut: bool
    """True if there are more violations than the schedule lists."""
    restitution: tuple[RestitutionRow, ...]
    """Players who are owed money, at most `SCHEDULED`."""
    sha256: str
    """SHA-256 of the results."""


def build_letter(results: Results) -> Letter:
    """Return the letter that results call for; without violations and gaps it has no parts."""
    subject = results.subject
    summary = summarize_findings(results, shown=_KEPT, violations=SCHEDULED + 1)
    parts = tuple(part for part in (_build_notice(results, summary), _build_request(results)) if part is not None)
    licensees = "; ".join(map(report_wording.format_licensee, report_wording.list_licensees(subject)))
    return Letter(
        title=" and ".join(part.title for part in parts).capitalize() or "Result of an audit",
        facts=(
            ("Licensee", licensees or report_wording.NOT_STATED),
            ("Game", "; ".join(report_wording.list_games(subject)) or report_wording.NOT_STATED),
            ("Regulation", "; ".join(law.citation for law in subject.law) or report_wording.NOT_STATED),
            ("Period", report_wording.format_period(subject.first, subject.last)),
            ("Extent", report_wording.capitalize_first(report_wording.count_tables_and_rounds(subject))),
            ("Audit", report_wording.format_time(results.provenance.generated)),
        ),
        parts=parts,
        schedule=tuple(list_schedule(replace(results, findings=summary.violations[:SCHEDULED]))),
        is_cut=len(summary.violations) > SCHEDULED,
        restitution=tuple(islice(list_restitution(results), SCHEDULED)),
        sha256=hash_results(results, summary.totals),
    )


def _build_notice(results: Results, summary: FindingsSummary) -> LetterPart | None:
    groups = [group for group in summary.groups if group.status is Status.FAIL and group.waived < group.total]
    if not groups:
        return None
    figures = [
        f"{figure.name}: {report_wording.join_words(figure.amounts)}."
        for figure in build_overview(results, summary).figures
        if figure.is_due
    ]
    titles = {result.requirement: result.title for result in results.requirements}
    return LetterPart(
        title="Notice of violation",
        paragraphs=(
            build_overview(results, summary).sentences[0],
            *figures,
            "Schedule A lists each violation. Schedule B lists the players who are owed money.",
            "Reply to each item, state the action taken, and name the day on which it was completed.",
        ),
        items=tuple(_describe_group(group, titles, results) for group in groups),
    )


def _describe_group(group: FindingGroup, titles: dict[str, str], results: Results) -> LetterItem:
    first = group.first
    clauses = ", ".join(report_wording.short_id(group.document, name) for name in group.clauses) or "none"
    law = next((law.citation for law in results.subject.law if law.document == group.document), group.document)
    remedies = group.distinct_values("remedy")
    return LetterItem(
        title=report_wording.format_sentence(first.broken or titles.get(group.requirement, group.requirement)),
        lines=(
            f"Rule: {report_wording.format_sentence(first.message)}",
            f"Regulation: {law}, {clauses}.",
            f"{report_wording.capitalize_first(overview.summarize_group(group, results.subject.currency))}.",
            *((f"Corrective action: {remedies[0]}",) if len(remedies) == 1 else ()),
        ),
    )


def _build_request(results: Results) -> LetterPart | None:
    items = tuple(_list_requested(results))
    if not items:
        return None
    return LetterPart(
        title="Request for information",
        paragraphs=("The evidence leaves the following open. Provide it, or state why it cannot be provided.",),
        items=items,
    )


def _list_requested(results: Results) -> Iterator[LetterItem]:
    titles = {result.requirement: result.title for result in results.requirements}
    for request in list_requests(results):
        named = [titles.get(name, name) for name in request.requirements[:RULES_NAMED]]
        beyond = len(request.requirements) - len(named)
        more = [f"{report_wording.format_count(beyond, 'further rule')}"] if beyond else []
        yield LetterItem(
            title=report_wording.capitalize_first(request.request.removeprefix("Request: ")),
            lines=(
                *request.says,
                *(() if request.first is None else (f"First: {_describe_place(request.first)}.",)),
                f"Rules: {'; '.join([*named, *more])}.",
            ),
        )
    for file in results.unreadable:
        yield LetterItem(title=f"A readable copy of {file.file}.", lines=(f"Line {file.line}: {file.reason}.",))
    quarantined = report_wording.count_quarantined(results)
    if quarantined:
        first = results.quarantined[:1]
        yield LetterItem(
            title=f"Readable copies of {report_wording.format_count(quarantined, 'quarantined record')}.",
            lines=tuple(f"First: {record.file}, line {record.line}: {record.reason}." for record in first),
        )
    for session in results.sessions:
        if session.gaps_found:
            gaps = [report_wording.describe_missing_rounds(gap) for gap in session.gaps[:1]]
            yield LetterItem(
                title=f"The missing rounds of table {session.table}, or proof that there are none.",
                lines=tuple(f"First: {gap}." for gap in gaps),
            )


def _describe_place(where: EvidencePlace) -> str:
    parts = [f"{name} {report_wording.format_time(value)}" for name, value in report_wording.list_place_parts(where)]
    return ", ".join([*parts, report_wording.format_location(where)]).strip(", ") or "no single place"
