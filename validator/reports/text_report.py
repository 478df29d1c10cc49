"""Plain text report for a terminal: the verdict first, then the findings, worst first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import BinaryIO

from validator.reports.grouping import DETAILS, Group, Totals, groups
from validator.reports.overview import TOLD_AT_ONCE, FindingGroup, Overview, overview
from validator.reports.subject_words import against_baseline, extent, law_in_words, money_in_words, subject_line
from validator.reports.text_style import PLAIN, SYMBOL, Style
from validator.reports.wording import (
    CLOSES,
    DAY_NOT_TOLD,
    LOG_MAY_BE_INCOMPLETE,
    STATUS_WORD,
    adds_to,
    as_sentence,
    breakdown,
    capital,
    claim_in_words,
    counted,
    location,
    missing_rounds,
    name_in,
    number,
    play_parts,
    reading_done,
    recorded_twice,
    set_aside,
    totals_line,
    verdict_in_words,
    waiver_in_words,
    what_was_granted,
)
from validator.results.findings import Finding, Waiver, WaiverClaim, Where
from validator.results.results import Results
from validator.results.statuses import Cause, Severity, Status, Verdict
from validator.text.diagnostics import render
from validator.text.plain_suits import plain_suits
from validator.text.trees.tree import Tree, parse_pointer
from validator.text.visible import visible

Sources = Mapping[str, Tree]
"""Documents that findings point into, by file name."""

NO_SOURCES: Sources = MappingProxyType({})

SHOWN = 20
"""Limit of the findings of a requirement, the quarantined records and the gaps of a table that are shown."""

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

_DETAILS = frozenset(DETAILS) - {"severity", "document"}
"""Details of each finding; the heading has severity and document unless findings differ in them."""


def write_text(results: Results, stream: BinaryIO, *, style: Style = PLAIN, sources: Sources = NO_SOURCES) -> None:
    """Write the results as UTF-8 text, one line at a time, with quoted text made visible.

    A finding with a place in one of the `sources` is shown with its line and a caret.
    """
    for line in _lines(results, style, sources):
        stream.write((plain_suits(line) if style.ascii else line).encode())
        stream.write(b"\n")


def _lines(results: Results, style: Style, sources: Sources) -> Iterator[str]:
    summary = overview(results, shown=1)
    titles = {result.requirement: result.title for result in results.requirements}
    yield from _head(results, summary, titles, style)
    explained = {name for cause in results.open for name in cause.requirements}
    for group in groups(results.findings, limit=SHOWN):
        if group.status in TOLD_AT_ONCE or group.requirement not in explained:
            yield ""
            yield from _group(group, _headline(group, titles), style, sources)
    yield from _open(results, titles, style)
    yield from _profile(results, style)
    yield from _claims(results, style)
    yield from _quarantine(results, style)
    yield from _recorded_twice(results, style)
    yield from _sessions(results, style)
    yield from _statistics(results, style)
    yield from _totals(summary.totals, style)


def _head(results: Results, summary: Overview, titles: Mapping[str, str], style: Style) -> Iterator[str]:
    """Yield the verdict, its subject, the amounts and the worst violations."""
    status, currency = _VERDICT_STATUS[results.verdict], results.subject.currency
    yield style.paint(f"{SYMBOL[status]} {results.verdict.value.upper()}", style.status[status])
    yield verdict_in_words(results)
    yield f"{visible(capital(subject_line(results)))}."
    for law in results.subject.law:
        yield f"{visible(law_in_words(law))}."
    yield f"{visible(capital(money_in_words(results.money, currency)))}."
    news = against_baseline(results, summary.states)
    if news:
        yield f"{visible(capital(news))}."
    if results.requirements:
        yield f"{breakdown(results)}."
    yield capital(reading_done(results)) + "."
    worst = summary.worst()
    if len(worst) > 1:
        yield ""
        yield style.paint("Most serious violations", style.strong)
        for at, group in enumerate(worst, 1):
            yield f"  {at}. {visible(_headline(group, titles))}"
            yield f"     {visible(extent(group, currency))}"


def _headline(group: FindingGroup, titles: Mapping[str, str]) -> str:
    """Return what went wrong, or else the title of the requirement."""
    return group.first.broken or titles.get(group.requirement, group.requirement)


def _label(status: Status, style: Style) -> str:
    return style.paint(f"{SYMBOL[status]} {STATUS_WORD[status].upper()}", style.status[status])


def _group(group: Group, title: str, style: Style, sources: Sources) -> Iterator[str]:
    heading = style.paint(visible(title), style.strong)
    waived = ", waived" if group.first.waived is not None and "waived" not in group.varying else ""
    yield f"{_label(group.status, style)} ({group.first.severity.value}{waived})  {heading}"
    places = counted(group.total, "finding")
    if group.items != group.total:
        places += f" for {number(group.items)} items"
    named = f"  {visible(group.requirement)} of {visible(group.first.document)}: {places}"
    yield style.paint(named, style.faint)
    if group.total == 1:
        yield f"  at {visible(place(group.first.where))}"
        yield from _excerpt(group.first.where, style, sources, indent="  ")
        yield from _details(group.first, _DETAILS, title, indent="  ")
        return
    yield from _details(group.first, _DETAILS - group.varying, title, indent="  ")
    for finding in group.shown:
        yield f"  at {visible(place(finding.where))}"
        yield from _excerpt(finding.where, style, sources, indent="    ")
        yield from _details(finding, group.varying, title, indent="    ")
        if finding.count != 1:
            yield f"    for {counted(finding.count, 'item')}"
    if group.unshown:
        yield f"  and {number(group.unshown)} more"


def _excerpt(where: Where, style: Style, sources: Sources, *, indent: str) -> Iterator[str]:
    """Yield the source line of a place with a caret, as in diagnostics; nothing if the source is not available."""
    tree = sources.get(where.file or "")
    if tree is None or where.pointer is None:
        return
    there = tree.diagnostic(parse_pointer(where.pointer), "", "")
    if (there.line, there.column) == (where.line, where.column):
        _message, _place, *excerpt = render(there, color=style is not PLAIN).split("\n")
        yield from (f"{indent}{row}" for row in excerpt)


def _details(finding: Finding, names: frozenset[str], title: str, *, indent: str) -> Iterator[str]:
    """Yield a line for each detail of a finding; its message only if it differs from the title above it."""
    for name in DETAILS:
        value = _detail(finding, name) if name in names else ""
        if value and (name != "message" or adds_to(value, title)):
            label = "rule" if name == "message" and finding.broken else _LABELS.get(name, name)
            yield f"{indent}{label + ':':<9} {visible(value)}"


def _detail(finding: Finding, name: str) -> str:
    """Return a detail of a finding in one line; empty if there is none."""
    match getattr(finding, name):
        case None:
            return ""
        case Waiver() as waiver:
            return waiver_in_words(waiver)
        case WaiverClaim() as claim:
            return claim_in_words(claim, granted=finding.waived is not None)
        case str() as text:
            return as_sentence(text)
        case names:
            return ", ".join(names)


def place(where: Where) -> str:
    """Return a place in one line: the place in the file, then the place in play, then the pointer."""
    parts = [location(where), " ".join(f"{name} {value}" for name, value in play_parts(where))]
    pointer = "" if where.pointer is None else f"({where.pointer or 'the whole document'})"
    return " ".join(part for part in (", ".join(filter(None, parts)), pointer) if part) or "no single place"


def _open(results: Results, titles: Mapping[str, str], style: Style) -> Iterator[str]:
    """Yield an entry for each cause that leaves requirements open, and the open requirements without a cause."""
    explained = {name for cause in results.open for name in cause.requirements}
    rest = [result for result in results.requirements if result.status in _OPEN and result.requirement not in explained]
    if not results.open and not rest:
        return
    yield ""
    yield style.paint("Could not be confirmed", style.strong)
    for cause in results.open:
        status = Status.NEEDS_ATTESTATION if cause.cause is Cause.NO_ATTESTATION else Status.NOT_EVIDENCED
        yield f"  {_label(status, style)}  {visible(cause.says)}"
        names = ", ".join(name_in(cause.document, name) for name in cause.requirements[:SHOWN])
        more = len(cause.requirements) - SHOWN
        beyond = f" and {number(more)} more" if more > 0 else ""
        count = counted(len(cause.requirements), "rule")
        yield f"    {count} of {visible(cause.document)}: {visible(names)}{beyond}"
        if cause.first is not None:
            yield f"    first at {visible(place(cause.first))}"
        yield f"    {CLOSES[cause.cause]}"
    for result in rest:
        yield f"  {_label(result.status, style)}  {visible(result.requirement)}: {visible(result.title)}"
        if result.reason:
            yield f"    {visible(result.reason)}"


def _profile(results: Results, style: Style) -> Iterator[str]:
    if results.provenance.profile is None:
        return
    yield ""
    yield style.paint(f"Readings chosen by the profile {visible(results.provenance.profile)}", style.strong)
    for reading in results.readings:
        if reading.from_profile:
            yield f"  {visible(reading.reading)}: {visible(reading.adopted)}"


def _claims(results: Results, style: Style) -> Iterator[str]:
    if not results.claims:
        return
    yield ""
    yield style.paint("Waivers claimed by the casino; only those granted by the regulator apply", style.strong)
    listed = results.claims[:SHOWN]
    for waiver in listed:
        spot, claim = location(Where(file=waiver.file, line=waiver.line, column=waiver.column)), waiver.claim
        until = f", until {claim.until}" if claim.until else ""
        clauses = ", ".join(waiver.clauses)
        yield f"  {visible(f'{spot}: {waiver.casino} claims {clauses}, by {claim.by}{until}: {claim.reason}')}"
        yield f"    {visible(what_was_granted(waiver))}"
    if len(results.claims) > len(listed):
        yield f"  and {number(len(results.claims) - len(listed))} more"


def _quarantine(results: Results, style: Style) -> Iterator[str]:
    total = set_aside(results)
    if not total:
        return
    yield ""
    heading = f"Quarantined: {counted(total, 'record')}, unreadable or contradictory, not checked"
    yield style.paint(heading, style.strong)
    listed = results.quarantined[:SHOWN]
    for record in listed:
        spot = location(Where(file=record.file, line=record.line, column=record.column))
        yield f"  {visible(spot)}: {visible(record.reason)}"
    if total > len(listed):
        yield f"  and {number(total - len(listed))} more"


def _recorded_twice(results: Results, style: Style) -> Iterator[str]:
    sentences = recorded_twice(results)
    if sentences:
        yield ""
        yield style.paint("Rounds recorded more than once", style.strong)
        yield from (f"  {visible(sentence)}" for sentence in sentences)


def _sessions(results: Results, style: Style) -> Iterator[str]:
    if not results.sessions:
        return
    yield ""
    tables = len(results.sessions)
    count = f": {counted(tables, 'table')}" if tables > TABLES_SHOWN else ""
    yield style.paint(f"Rounds in the logs{count}", style.strong)
    if any(session.gaps_found for session in results.sessions):
        yield f"  {LOG_MAY_BE_INCOMPLETE}"
    for session in results.sessions[:TABLES_SHOWN]:
        casino = "" if session.casino is None else f" of {visible(session.casino)}"
        table = f"table {visible(session.table)}{casino}, {visible(session.document)}"
        yield f"  {table}: {counted(session.rounds, 'round')}"
        yield (
            f"    from {visible(session.first)} ({visible(session.begins or DAY_NOT_TOLD)}) "
            f"to {visible(session.last)} ({visible(session.ends or DAY_NOT_TOLD)})"
            + (f", opened {counted(session.openings, 'time')}" if session.openings else "")
        )
        listed = session.gaps[:SHOWN]
        yield from (f"    {visible(missing_rounds(gap))}" for gap in listed)
        if session.gaps_found > len(listed):
            yield f"    and {counted(session.gaps_found - len(listed), 'more gap')}"
    if tables > TABLES_SHOWN:
        yield f"  and {counted(tables - TABLES_SHOWN, 'more table')}"


def _statistics(results: Results, style: Style) -> Iterator[str]:
    if results.statistics is None:
        return
    from validator.reports.statistics_text import statistics_lines  # noqa: PLC0415 - most results have none

    yield ""
    yield from statistics_lines(results.statistics, lambda text: style.paint(text, style.strong))


def _totals(totals: Totals, style: Style) -> Iterator[str]:
    yield ""
    yield style.paint("Totals", style.strong)
    yield f"  rules:        {totals_line(totals.requirements) or 'none'}"
    yield f"  findings:     {totals_line(totals.findings) or 'none'}"
    fails = ", ".join(f"{number(totals.severity[s])} {s.value}" for s in Severity if totals.severity[s])
    yield f"  violations:   {fails or 'none'}"
    if totals.waived:
        yield f"  waived:       {counted(totals.waived, 'finding')}"
