"""Letter to the licensee, for every format: notice, request for information, schedule and restitution list."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.finding_groups import FindingGroup, FindingsSummary, summarize_findings
from fairdeal.validator.reports.finding_schedule import RestitutionRow, ScheduleRow, list_restitution, list_schedule
from fairdeal.validator.reports.json_report import hash_results
from fairdeal.validator.reports.overview import build_overview, list_requests
from fairdeal.validator.results.findings import EvidencePlace, Status
from fairdeal.validator.results.results import Results

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
            f"{report_wording.capitalize_first(report_wording.summarize_group(group, results.subject.currency))}.",
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
