"""Plain text reports for a terminal: results with the findings, worst first, and the comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import BinaryIO, TextIO

from msgspec import Struct

from fairdeal.validator.reports import finding_groups, overview, report_wording
from fairdeal.validator.reports.overview import (
    MOST_PLACES,
    count_open_places,
    list_open_places,
    list_sentences,
)
from fairdeal.validator.results.derived_results import RunComparison
from fairdeal.validator.results.findings import (
    Cause,
    EvidencePlace,
    Finding,
    FindingState,
    Severity,
    Status,
    Verdict,
    Waiver,
    WaiverClaim,
)
from fairdeal.validator.results.results import Provenance, Results
from fairdeal.validator.text.diagnostics import plain_suits, render_diagnostic, sanitize
from fairdeal.validator.text.positioned_document import PositionedDocument, parse_pointer

SYMBOL: Mapping[Status, str] = MappingProxyType(
    {
        Status.FAIL: "x",
        Status.ERROR: "!",
        Status.NOT_EVIDENCED: "?",
        Status.NEEDS_ATTESTATION: "*",
        Status.PASS: "+",
        Status.NOT_APPLICABLE: "-",
        Status.NOT_IN_FORCE: "~",
    }
)
"""Plain sign before the word of each status."""


class TextStyle(Struct, frozen=True, kw_only=True):
    """Options of a text report: parts to leave out, and terminal codes before and after its texts."""

    status: Mapping[Status, str]
    """Code before a text in the colour of its status."""
    strong: str
    """Code before a heading."""
    faint: str
    """Code before a less important text."""
    end: str
    """Code after each of them."""
    failures_only: bool = False
    """True to leave out what could not be confirmed."""
    ascii: bool = False
    """True if suits of cards are printed as letters."""

    def paint(self, text: str, code: str) -> str:
        """Return a text between one of the codes and `end`; unchanged if the code is empty."""
        return f"{code}{text}{self.end}" if code else text


PLAIN = TextStyle(status=MappingProxyType(dict.fromkeys(Status, "")), strong="", faint="", end="")
"""Style without codes, for files, pipes and `NO_COLOR`."""


COLOR = TextStyle(
    status=MappingProxyType(
        {
            Status.FAIL: "\x1b[1;31m",
            Status.ERROR: "\x1b[1;35m",
            Status.NOT_EVIDENCED: "\x1b[33m",
            Status.NEEDS_ATTESTATION: "\x1b[36m",
            Status.PASS: "\x1b[32m",
            Status.NOT_APPLICABLE: "\x1b[2m",
            Status.NOT_IN_FORCE: "\x1b[2m",
        }
    ),
    strong="\x1b[1m",
    faint="\x1b[2m",
    end="\x1b[0m",
)
"""Style in the eight colours of every terminal."""


FINDINGS_PRINTED = 20
"""Findings of a kind that are printed; more are only counted."""


def write_comparison(before: Results, now: Results, comparison: RunComparison, stream: TextIO) -> None:
    """Write how `now` differs from `before`, which is its `baseline`."""
    for line in _comparison_lines(before, now, comparison):
        stream.write(f"{sanitize(line)}\n")


def _comparison_lines(before: Results, now: Results, comparison: RunComparison) -> Iterator[str]:
    for name, results in (("before", before), ("now", now)):
        made = f"{results.verdict.value}, generated {report_wording.format_time(results.provenance.generated)}"
        yield f"{name + ':':<8}{made}: {report_wording.summarize_subject(results)}"
        yield f"        {report_wording.describe_amounts(results.money, results.subject.currency)}"
    yield from _changed_conditions(before, now)
    baseline = now.baseline
    assert baseline is not None
    known = sum(finding.state is FindingState.KNOWN for finding in now.findings)
    changed = f" ({report_wording.format_number(comparison.changed_found)} changed)" if comparison.changed_found else ""
    new = len(now.findings) - known
    yield (
        f"findings: {report_wording.format_number(new)} new, {report_wording.format_number(known)} known{changed}, "
        f"{report_wording.format_number(baseline.gone_found)} no longer found"
    )
    if comparison.moved:
        yield ""
        yield "rules with another status"
        for moved in comparison.moved:
            was, is_ = ("not checked" if status is None else status.value for status in (moved.before, moved.now))
            yield f"  {moved.requirement}: {was} -> {is_}"
    yield from _list_findings("new", (finding for finding in now.findings if finding.state is FindingState.NEW), new)
    yield from _list_findings("changed", comparison.changed, comparison.changed_found)
    yield from _list_findings("no longer found", baseline.gone, baseline.gone_found)


def _changed_conditions(before: Results, now: Results) -> Iterator[str]:
    """Yield the differences of the runs other than their evidence."""
    one, other = before.provenance, now.provenance
    for name, was, is_ in (
        ("rulebook", _name_rulebook(one), _name_rulebook(other)),
        ("profile", one.profile or "none", other.profile or "none"),
        ("regulation as of", one.as_of or "the day of each round", other.as_of or "the day of each round"),
        ("program", one.program, other.program),
    ):
        if was != is_:
            yield f"changed: {name} {was} -> {is_}"


def _name_rulebook(provenance: Provenance) -> str:
    """Return the version of a rulebook with the beginning of its hash."""
    return f"{report_wording.describe_edition(provenance)} ({provenance.rulebook_sha256[:12]})"


def _list_findings(title: str, findings: Iterable[Finding], total: int) -> Iterator[str]:
    if not total:
        return
    yield ""
    yield f"{title}: {report_wording.format_count(total, 'finding')}"
    for finding in islice(findings, FINDINGS_PRINTED):
        place = " ".join(f"{name} {value}" for name, value in report_wording.list_place_parts(finding.where))
        place = place or finding.where.submission or finding.where.file or ""
        status = f"{finding.status.value} ({finding.severity.value})"
        yield f"  {status} {finding.requirement} at {place}: required: {finding.expected}; observed: {finding.observed}"
    if total > FINDINGS_PRINTED:
        yield f"  and {report_wording.format_number(total - FINDINGS_PRINTED)} more"


SourceDocuments = Mapping[str, PositionedDocument]
"""Documents that findings point into, by file name."""

NO_SOURCES: SourceDocuments = MappingProxyType({})

SHOWN = 20
"""Limit of the findings of a requirement, the quarantined records and the gaps of a table that are shown."""

AMOUNTS_SHOWN = 10
"""Limit of the sentences on amounts of submissions that are shown."""

TABLES_SHOWN = 10
"""Limit of the tables that are shown."""


_VERDICT_STATUS: Mapping[Verdict, Status] = MappingProxyType(
    {
        Verdict.COMPLIANT: Status.PASS,
        Verdict.VIOLATIONS: Status.FAIL,
        Verdict.INCONCLUSIVE: Status.NOT_EVIDENCED,
    }
)

_OPEN = (Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION)

_LABELS = {"claimed": "waiver", "expected": "required", "remedy": "action"}
"""Labels of details that are not labelled by their keys."""

_DETAILS = frozenset(finding_groups.DETAILS) - {"severity", "document"}
"""Details of each finding; the heading has severity and document unless findings differ in them."""


def write_text(
    results: Results, stream: BinaryIO, *, style: TextStyle = PLAIN, sources: SourceDocuments = NO_SOURCES
) -> None:
    """Write the results as UTF-8 text, one line at a time, with quoted text made visible.

    A finding with a place in one of the `sources` is shown with its line and a caret.
    """
    for line in _lines(results, style, sources):
        stream.write((plain_suits(line) if style.ascii else line).encode())
        stream.write(b"\n")


def _lines(results: Results, style: TextStyle, sources: SourceDocuments) -> Iterator[str]:
    summary = finding_groups.summarize_findings(results, shown=1)
    titles = {result.requirement: result.title for result in results.requirements}
    yield from _head(results, summary, titles, style)
    explained = {name for cause in results.open for name in cause.requirements}
    for group in finding_groups.group_findings(results.findings, limit=SHOWN):
        if group.status in finding_groups.LISTED_STATUSES or group.requirement not in explained:
            yield ""
            yield from _group(group, _headline(group, titles), style, sources)
    if not style.failures_only:
        yield from _open(results, titles, style)
        yield from _list_open_places(results, style, sources)
    yield from _profile(results, style)
    yield from _claims(results, style)
    yield from _quarantine(results, style)
    yield from _recorded_twice(results, style)
    yield from _sessions(results, style)
    yield from _statistics(results, style)
    yield from _totals(summary.totals, style)


def _head(
    results: Results, summary: finding_groups.FindingsSummary, titles: Mapping[str, str], style: TextStyle
) -> Iterator[str]:
    """Yield the verdict, its subject, the amounts and the worst violations."""
    status, currency = _VERDICT_STATUS[results.verdict], results.subject.currency
    yield style.paint(f"{SYMBOL[status]} {results.verdict.value.upper()}", style.status[status])
    yield report_wording.describe_verdict(results)
    yield f"{sanitize(report_wording.capitalize_first(report_wording.summarize_subject(results)))}."
    for law in results.subject.law:
        yield f"{sanitize(report_wording.format_regulation(law))}."
    yield f"{sanitize(report_wording.capitalize_first(report_wording.describe_amounts(results.money, currency)))}."
    news = overview.describe_comparison(results, summary.states)
    if news:
        yield f"{sanitize(report_wording.capitalize_first(news))}."
    if results.requirements:
        yield f"{report_wording.summarize_statuses(results)}."
    yield report_wording.capitalize_first(report_wording.summarize_reading(results)) + "."
    for sentence in islice(report_wording.describe_submitted_amounts(results), AMOUNTS_SHOWN):
        yield sanitize(sentence)
    worst = summary.worst()
    if len(worst) > 1:
        yield ""
        yield style.paint("Most serious violations", style.strong)
        for at, group in enumerate(worst, 1):
            yield f"  {at}. {sanitize(_headline(group, titles))}"
            yield f"     {sanitize(overview.summarize_group(group, currency))}"


def _headline(group: finding_groups.FindingGroup | finding_groups.FindingRun, titles: Mapping[str, str]) -> str:
    """Return what went wrong, or else the title of the requirement."""
    return group.first.broken or titles.get(group.requirement, group.requirement)


def _label(status: Status, style: TextStyle) -> str:
    return style.paint(f"{SYMBOL[status]} {report_wording.STATUS_WORD[status].upper()}", style.status[status])


def _group(group: finding_groups.FindingRun, title: str, style: TextStyle, sources: SourceDocuments) -> Iterator[str]:
    heading = style.paint(sanitize(title), style.strong)
    waived = ", waived" if group.first.waived is not None and "waived" not in group.varying else ""
    yield f"{_label(group.status, style)} ({group.first.severity.value}{waived})  {heading}"
    places = report_wording.format_count(group.total, "finding")
    if group.items != group.total:
        places += f" for {report_wording.format_number(group.items)} items"
    document = group.first.document
    elsewhere = "" if group.requirement.startswith(f"{document}/") else f" under {document}"
    yield style.paint(f"  Rule {sanitize(group.requirement + elsewhere)}: {places}", style.faint)
    if group.total == 1:
        yield f"  at {sanitize(format_place(group.first.where))}"
        yield from _excerpt(group.first.where, style, sources, indent="  ")
        yield from _details(group.first, _DETAILS, title, indent="  ")
        return
    yield from _details(group.first, _DETAILS - group.varying, title, indent="  ")
    for finding in group.shown:
        yield f"  at {sanitize(format_place(finding.where))}"
        yield from _excerpt(finding.where, style, sources, indent="    ")
        yield from _details(finding, group.varying, title, indent="    ")
        if finding.count != 1:
            yield f"    for {report_wording.format_count(finding.count, 'item')}"
    if group.unshown:
        yield f"  and {report_wording.format_number(group.unshown)} more"


def _excerpt(where: EvidencePlace, style: TextStyle, sources: SourceDocuments, *, indent: str) -> Iterator[str]:
    """Yield the source line of a place with a caret, as in diagnostics; nothing if the source is not available."""
    tree = sources.get(where.file or "")
    if tree is None or where.pointer is None:
        return
    there = tree.build_diagnostic(parse_pointer(where.pointer), "", "")
    is_same_cell = there.cell is not None and there.cell == f"sheet {where.sheet}, cell {where.cell}"
    if is_same_cell or (there.line, there.column) == (where.line, where.column):
        _message, _place, *excerpt = render_diagnostic(there, color=bool(style.end)).split("\n")
        yield from (f"{indent}{row}" for row in excerpt)


def _details(finding: Finding, names: frozenset[str], title: str, *, indent: str) -> Iterator[str]:
    """Yield a line for each detail of a finding; its message only if it differs from the title above it."""
    for name in finding_groups.DETAILS:
        value = _detail(finding, name) if name in names else ""
        if value and (name != "message" or report_wording.has_new_content(value, title)):
            label = "rule" if name == "message" and finding.broken else _LABELS.get(name, name)
            yield f"{indent}{label + ':':<9} {sanitize(value)}"


def _detail(finding: Finding, name: str) -> str:
    """Return a detail of a finding in one line; empty if there is none."""
    match getattr(finding, name):
        case None:
            return ""
        case Waiver() as waiver:
            return report_wording.describe_waiver(waiver)
        case WaiverClaim() as claim:
            return report_wording.describe_claim(claim, granted=finding.waived is not None)
        case str() as text:
            return report_wording.format_sentence(text)
        case names:
            return ", ".join(names)


def format_place(where: EvidencePlace) -> str:
    """Return a place in one line: the place in the file, then the place in play, then the pointer."""
    parts = [
        report_wording.format_location(where),
        " ".join(f"{name} {value}" for name, value in report_wording.list_place_parts(where)),
    ]
    pointer = "" if where.pointer is None else f"({where.pointer or 'the whole document'})"
    return " ".join(part for part in (", ".join(filter(None, parts)), pointer) if part) or "no single place"


def _open(results: Results, titles: Mapping[str, str], style: TextStyle) -> Iterator[str]:
    """Yield an entry for each cause that leaves requirements open, and the open requirements without a cause."""
    explained = {name for cause in results.open for name in cause.requirements}
    rest = [result for result in results.requirements if result.status in _OPEN and result.requirement not in explained]
    if not results.open and not rest:
        return
    yield ""
    yield style.paint("Could not be confirmed", style.strong)
    for cause in results.open:
        status = Status.NEEDS_ATTESTATION if cause.cause is Cause.NO_ATTESTATION else Status.NOT_EVIDENCED
        yield f"  {_label(status, style)}  {sanitize(cause.says)}"
        names = ", ".join(report_wording.short_id(cause.document, name) for name in cause.requirements[:SHOWN])
        more = len(cause.requirements) - SHOWN
        beyond = f" and {report_wording.format_number(more)} more" if more > 0 else ""
        count = report_wording.format_count(len(cause.requirements), "rule")
        yield f"    {count} of {sanitize(cause.document)}: {sanitize(names)}{beyond}"
        if cause.first is not None:
            yield f"    first at {sanitize(format_place(cause.first))}"
        yield f"    {report_wording.REQUESTS[cause.cause]}"
    for result in rest:
        yield f"  {_label(result.status, style)}  {sanitize(result.requirement)}: {sanitize(result.title)}"
        if result.reason:
            yield f"    {sanitize(result.reason)}"


def _list_open_places(results: Results, style: TextStyle, sources: SourceDocuments) -> Iterator[str]:
    """Yield what submissions still have to state, in the order of the files."""
    places = list_open_places(results, sources)
    if not places:
        return
    yield ""
    yield style.paint(f"To do in the submission: {count_open_places(places)}", style.strong)
    for number, place in enumerate(places[:MOST_PLACES], 1):
        yield f"  {number}. {sanitize(format_place(place.where))}"
        yield from (f"     {sanitize(sentence)}" for sentence in list_sentences(place))
    if len(places) > MOST_PLACES:
        yield f"  and {report_wording.format_count(len(places) - MOST_PLACES, 'more place')}"


def _profile(results: Results, style: TextStyle) -> Iterator[str]:
    if results.provenance.profile is None:
        return
    yield ""
    yield style.paint(f"Readings chosen by the profile {sanitize(results.provenance.profile)}", style.strong)
    for reading in results.readings:
        if reading.from_profile:
            yield f"  {sanitize(reading.reading)}: {sanitize(reading.adopted)}"


def _claims(results: Results, style: TextStyle) -> Iterator[str]:
    if not results.claims:
        return
    yield ""
    yield style.paint("Waivers claimed by the casino; only those granted by the regulator apply", style.strong)
    listed = results.claims[:SHOWN]
    for waiver in listed:
        spot, claim = (
            report_wording.format_location(EvidencePlace(file=waiver.file, line=waiver.line, column=waiver.column)),
            waiver.claim,
        )
        until = f", until {claim.until}" if claim.until else ""
        clauses = ", ".join(waiver.clauses)
        yield f"  {sanitize(f'{spot}: {waiver.casino} claims {clauses}, by {claim.by}{until}: {claim.reason}')}"
        yield f"    {sanitize(report_wording.describe_grants(waiver))}"
    if len(results.claims) > len(listed):
        yield f"  and {report_wording.format_number(len(results.claims) - len(listed))} more"


def _quarantine(results: Results, style: TextStyle) -> Iterator[str]:
    if results.unreadable:
        yield ""
        yield style.paint("Files that could not be read", style.strong)
    for file in results.unreadable:
        spot = report_wording.format_location(EvidencePlace(file=file.file, line=file.line, column=file.column))
        yield f"  {sanitize(spot)}: {sanitize(file.reason)}"
    total = report_wording.count_quarantined(results)
    if not total:
        return
    yield ""
    heading = f"Quarantined: {report_wording.format_count(total, 'record')}, unreadable or contradictory, not checked"
    yield style.paint(heading, style.strong)
    listed = results.quarantined[:SHOWN]
    for record in listed:
        spot = report_wording.format_location(EvidencePlace(file=record.file, line=record.line, column=record.column))
        yield f"  {sanitize(spot)}: {sanitize(record.reason)}"
    if total > len(listed):
        yield f"  and {report_wording.format_number(total - len(listed))} more"


def _recorded_twice(results: Results, style: TextStyle) -> Iterator[str]:
    sentences = report_wording.describe_repeated_rounds(results)
    if sentences:
        yield ""
        yield style.paint("Rounds recorded more than once", style.strong)
        yield from (f"  {sanitize(sentence)}" for sentence in sentences)


def _sessions(results: Results, style: TextStyle) -> Iterator[str]:
    if not results.sessions:
        return
    yield ""
    tables = len(results.sessions)
    count = f": {report_wording.format_count(tables, 'table')}" if tables > TABLES_SHOWN else ""
    yield style.paint(f"Rounds in the logs{count}", style.strong)
    if any(session.gaps_found for session in results.sessions):
        yield f"  {report_wording.LOG_MAY_BE_INCOMPLETE}"
    for session in results.sessions[:TABLES_SHOWN]:
        casino = "" if session.casino is None else f" of {sanitize(session.casino)}"
        table = f"table {sanitize(session.table)}{casino}, {sanitize(session.document)}"
        yield f"  {table}: {report_wording.format_count(session.rounds, 'round')}"
        yield (
            f"    from {sanitize(session.first)} ({sanitize(session.begins or report_wording.DAY_NOT_STATED)}) "
            f"to {sanitize(session.last)} ({sanitize(session.ends or report_wording.DAY_NOT_STATED)})"
            + (f", opened {_format_times(session.openings)}" if session.openings else "")
        )
        listed = session.gaps[:SHOWN]
        yield from (f"    {sanitize(report_wording.describe_missing_rounds(gap))}" for gap in listed)
        if session.gaps_found > len(listed):
            yield f"    and {report_wording.format_count(session.gaps_found - len(listed), 'more gap')}"
    if tables > TABLES_SHOWN:
        yield f"  and {report_wording.format_count(tables - TABLES_SHOWN, 'more table')}"


def _format_times(number: int) -> str:
    return "once" if number == 1 else report_wording.format_count(number, "time")


def _statistics(results: Results, style: TextStyle) -> Iterator[str]:
    if results.statistics is None:
        return
    from fairdeal.validator.reports.statistics_report import statistics_lines  # noqa: PLC0415 - most results have none

    yield ""
    yield from statistics_lines(results.statistics, lambda text: style.paint(text, style.strong))


def _totals(totals: finding_groups.Totals, style: TextStyle) -> Iterator[str]:
    yield ""
    yield style.paint("Totals", style.strong)
    yield f"  rules:        {report_wording.format_totals(totals.requirements) or 'none'}"
    yield f"  findings:     {report_wording.format_totals(totals.findings) or 'none'}"
    fails = ", ".join(
        f"{report_wording.format_number(totals.severity[s])} {s.value}" for s in Severity if totals.severity[s]
    )
    yield f"  violations:   {fails or 'none'}"
    if totals.waived:
        yield f"  waived:       {report_wording.format_count(totals.waived, 'finding')}"
