"""Summary in Markdown, for a pull request, a merge request or the page of a job.

The most important parts come first. The summary keeps to the 65,536 characters of a comment and counts what it omits.
Quoted text is escaped so that it stays text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from fairdeal.validator.reports import overview, report_wording
from fairdeal.validator.reports.finding_groups import FindingRun, group_findings
from fairdeal.validator.reports.formats.code_review import describe_finding, find_worst_rank, label_finding
from fairdeal.validator.reports.statistics_report import describe_test, list_outliers
from fairdeal.validator.results.findings import EvidencePlace, Severity, Status
from fairdeal.validator.results.results import MoneySum, RequirementResult, Results
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.plain_values import format_money


def escape_message(text: str) -> str:
    """Return a text as a plain message without placeholders and links (SARIF 2.1.0, 3.11.5 and 3.11.6)."""
    return sanitize(text).replace("{", "{{").replace("}", "}}").replace("](", "] (")


def truncate_text(text: str, length: int) -> str:
    """Return a text cut to a number of characters."""
    return text if len(text) <= length else f"{text[: length - 3]}..."


_MARKS = re.compile(r"[\\`*_\[\]|~]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_BREAK = "&#8203;"
"""Blank without width that breaks up names, numbers and addresses without changing how they look."""


def escape_markdown(text: str) -> str:
    """Return a text in which nothing is markup: no link, table, HTML, formula, emoji, mention or reference."""
    safe = re.sub("[&<>]", lambda match: _ENTITIES[match[0]], sanitize(text).strip(" "))
    safe = re.sub(r"^(\d{1,9})(?=[.)](?: |$))|^(?=[-+=#])", r"\1" + r"\\", _MARKS.sub(r"\\\g<0>", safe))
    safe = re.sub(r"(?i)(?<=\bwww)(?=\.)|(?=://)|(?<=\bmailto)(?=:)|(?<=\bxmpp)(?=:)|(?<=\bGH)(?=-)", _BREAK, safe)
    safe = re.sub(r"(?<!&)[@#]|[!%](?=[\w\"])|:(?=[\w+-]+:)", rf"\g<0>{_BREAK}", safe)
    return safe.replace("$", "<span>$</span>")


MOST_BYTES = 65_000
"""Limit of the summary in bytes, of which it has no fewer than characters."""
LONGEST = 300
"""Characters of one quoted text; longer texts are cut."""
PER_REQUIREMENT = 3
"""Findings of one requirement that are listed."""
ROWS = 20
"""Requirements in the table of violations."""
_TO_CLOSE = 200
"""Bytes reserved for the line that counts omitted entries and for the end of a part."""

_SEVERITIES = tuple(Severity)


class _Page:
    """Lines of the summary, within its limit."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._room = MOST_BYTES

    def add(self, *lines: str) -> bool:
        """Add lines that belong together and return whether there was room."""
        size = sum(len(line.encode()) + 1 for line in lines)
        if size > self._room - _TO_CLOSE:
            return False
        self._take(size, lines)
        return True

    def part(self, head: Iterable[str], entries: Iterable[str], *, tail: Iterable[str] = (), most: int = 1_000) -> None:
        """Add a part with its entries, and count the entries without room; add nothing without entries."""
        missing, begun = 0, False
        for number, entry in enumerate(entries):
            fits = not missing and number < most
            if not begun and not self.add(*head):
                return
            begun = True
            missing += not (fits and self.add(entry))
        closing = [
            *(["", f"and {report_wording.format_count(missing, 'more entry', 'more entries')}"] if missing else []),
            *tail,
        ]
        if begun:
            self._take(sum(len(line) + 1 for line in closing), closing)

    def _take(self, size: int, lines: Iterable[str]) -> None:
        self._room -= size
        self.lines += lines


def write_markdown(results: Results, stream: BinaryIO) -> None:
    """Write the summary (UTF-8)."""
    found = sorted(group_findings(results.findings, limit=PER_REQUIREMENT), key=find_worst_rank)
    titles = {result.requirement: result.title for result in results.requirements}
    page = _Page()
    page.add(f"## fairdeal: {results.verdict.value}", "", report_wording.describe_verdict(results), "")
    page.part((), _about(results))
    head = ("", "### Violations", "", "| rule | severity | findings | owed | overpaid |")
    page.part((*head, "| --- | --- | ---: | ---: | ---: |"), _failed_rows(results, found), most=ROWS)
    page.part(("", "### Could not be confirmed", ""), _open(results))
    page.part(("", "### Statistics", ""), _statistics(results))
    _details(page, "Findings", _findings(found, titles))
    _details(page, "Waived", _waiver_lines(results.requirements))
    _details(
        page,
        "Unreadable files and quarantined records" if results.unreadable else "Quarantined records",
        _quarantine_lines(results),
    )
    inputs = (
        f"- {_text(file.file)} ({_text(file.kind)}), SHA-256 {_text(file.sha256)}" for file in results.provenance.inputs
    )
    _details(page, "Inputs", inputs)
    made = results.provenance
    rulebook = f"rulebook {_text(report_wording.describe_edition(made))}, SHA-256 {_text(made.rulebook_sha256)}"
    page.add("", f"{_text(made.program)}, {rulebook}, {_text(made.generated)}")
    stream.write(("\n".join(page.lines) + "\n").encode())


def _details(page: _Page, name: str, entries: Iterable[str]) -> None:
    """Add a part that is folded until a reader opens it."""
    head = ("", "<details>", f"<summary>{name}</summary>", "")
    page.part(head, entries, tail=("", "</details>"))


def _about(results: Results) -> Iterator[str]:
    subject, money = results.subject, results.money
    casinos = [licensee.name for licensee in subject.licensees] or list(subject.casinos)
    if casinos:
        yield f"- **Casinos:** {_join_first(casinos)}"
    if subject.law:
        yield f"- **Regulation:** {_join_first([f'{law.title}, {law.citation}' for law in subject.law])}"
    if subject.first:
        last = f" to {_text(subject.last)}" if subject.last and subject.last != subject.first else ""
        yield f"- **Period:** {_text(subject.first)}{last}"
    if results.requirements:
        yield f"- **Rules:** {report_wording.summarize_statuses(results)}"
    yield f"- **Evidence:** {report_wording.summarize_reading(results)}"
    if results.baseline is not None:
        states = Counter(finding.state for finding in results.findings if finding.state is not None)
        yield (
            f"- **Since the earlier audit:** {escape_markdown(overview.count_since_baseline(results.baseline, states))}"
        )
    yield from (f"- {_text(sentence)}." for sentence in report_wording.describe_repeated_rounds(results))
    for part in () if money is None else money.by_currency:
        if part.findings:
            owed, overpaid = (_amount(value, part.currency or subject.currency) for value in (part.owed, part.overpaid))
            findings = report_wording.format_count(part.findings, "finding")
            yield f"- **Amounts:** {owed} owed to players, {overpaid} overpaid ({findings})"


def _statistics(results: Results) -> Iterator[str]:
    """Yield the number of tested results of each kind, and those too far out for luck."""
    if results.statistics is None:
        return
    for tested in results.statistics.looked_at:
        yield f"- {_text(describe_test(tested, results.statistics.level))}"
        yield from (f"  - {_text(line)}" for line in list_outliers(tested))


def _failed_rows(results: Results, found: list[FindingRun]) -> Iterator[str]:
    """Yield a row for each violated and unwaived requirement, ordered by severity, amount and number of findings."""
    sums = _sums_by_requirement(results)
    counts = {group.requirement: group.total for group in found if group.status is Status.FAIL}
    failed = [result for result in results.requirements if result.status is Status.FAIL and result.waived is None]
    money = {name: max(total.owed + total.overpaid for total, _ in totals) for name, totals in sums.items()}

    def worst_first(result: RequirementResult) -> tuple[int, int, int, str]:
        name = result.requirement
        return _SEVERITIES.index(result.severity), -money.get(name, 0), -counts.get(name, 0), name

    for result in sorted(failed, key=worst_first):
        amounts = sums.get(result.requirement, [])
        owed = ", ".join(_amount(total.owed, currency) for total, currency in amounts)
        overpaid = ", ".join(_amount(total.overpaid, currency) for total, currency in amounts)
        name = f"{_text(result.title)} ({_text(result.requirement)})"
        yield f"| {name} | {result.severity.value} | {counts.get(result.requirement, 0):,} | {owed} | {overpaid} |"


def _sums_by_requirement(results: Results) -> dict[str | None, list[tuple[MoneySum, str | None]]]:
    """Return the sums of each requirement with their currencies."""
    by_requirement: dict[str | None, list[tuple[MoneySum, str | None]]] = {}
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency or results.subject.currency
        for total in money.sums:
            if total.by == "requirement":
                by_requirement.setdefault(total.name, []).append((total, currency))
    return by_requirement


def _open(results: Results) -> Iterator[str]:
    for cause in results.open:
        first = "" if cause.first is None else f", first at {_place(cause.first)}"
        yield f"- {_text(cause.says)} ({report_wording.format_count(len(cause.requirements), 'rule')}{first})"


def _findings(found: list[FindingRun], titles: Mapping[str, str]) -> Iterator[str]:
    for group in found:
        first = group.first
        title = titles.get(group.requirement, first.message)
        headline = first.broken or title
        about = (
            f"({_text(group.requirement)}, {label_finding(first)}, "
            f"{report_wording.format_count(group.total, 'finding')})"
        )
        rule = [f"  - Rule: {_text(title)}"] if first.broken else []
        places = (
            f"  - {_place(finding.where)}: {describe_finding(finding, _text, title=headline)}"
            for finding in group.shown
        )
        yield "\n".join((f"- **{_text(headline)}** {about}", *rule, *places))


def _place(where: EvidencePlace) -> str:
    play = " ".join(f"{name} {value}" for name, value in report_wording.list_place_parts(where))
    return (
        ", ".join(_text(part) for part in (report_wording.format_location(where), play) if part)
        or "the evidence as a whole"
    )


def _waiver_lines(requirements: Iterable[RequirementResult]) -> Iterator[str]:
    for result in requirements:
        if result.waived is not None:
            yield (
                f"- **{_text(result.title)}** ({_text(result.requirement)}): "
                f"{_text(report_wording.describe_waiver(result.waived))}"
            )


def _quarantine_lines(results: Results) -> Iterator[str]:
    for file in results.unreadable:
        where = EvidencePlace(file=file.file, line=file.line, column=file.column)
        yield f"- {_text(report_wording.format_location(where))}: could not be read: {_text(file.reason)}"
    for record in results.quarantined:
        where = EvidencePlace(file=record.file, line=record.line, column=record.column)
        yield f"- {_text(report_wording.format_location(where))}: {_text(record.reason)}"


def _join_first(texts: list[str]) -> str:
    """Return the first of some texts, and how many more there are."""
    more = f" and {len(texts) - 10:,} more" if len(texts) > 10 else ""
    return "; ".join(map(_text, texts[:10])) + more


def _amount(minor: int, currency: str | None) -> str:
    return _text(format_money(minor, currency))


def _text(text: str) -> str:
    return escape_markdown(truncate_text(text, LONGEST))
