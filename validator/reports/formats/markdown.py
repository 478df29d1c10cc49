"""A summary in Markdown, for a pull request, a merge request or the page of a job.

What matters most comes first, and it ends before the 65,536 characters that a comment may have: what finds no room is
counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import BinaryIO

from validator.reports.formats.levels import comparison, sentence, word_of, worst_rank
from validator.reports.formats.markdown_text import md
from validator.reports.formats.sarif_text import cut
from validator.reports.grouping import Group, groups
from validator.reports.statistics_words import looked_at, standing_out
from validator.reports.subject_words import since_the_baseline
from validator.reports.wording import (
    VERDICT_MEANING,
    counted,
    location,
    play_parts,
    reading_done,
    recorded_twice,
    standing,
    waiver_in_words,
)
from validator.results.findings import Where
from validator.results.results import RequirementResult, Results
from validator.results.statuses import Severity, Status
from validator.results.subject import Sum
from validator.text.values.money import format_money

MOST_BYTES = 65_000
"""The longest summary: no more characters than bytes."""
LONGEST = 300
"""Characters of one text of somebody's; what is longer is cut."""
PER_REQUIREMENT = 3
"""Findings of one requirement that are told."""
ROWS = 20
"""Requirements in the table of what failed."""
_TO_CLOSE = 200
"""Bytes kept for the line that counts what is left out and for what closes a part."""

_SEVERITIES = tuple(Severity)


class _Page:
    """Lines as far as there is room for them."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._room = MOST_BYTES

    def add(self, *lines: str) -> bool:
        """Add lines that belong together; whether there was room."""
        size = sum(len(line.encode()) + 1 for line in lines)
        if size > self._room - _TO_CLOSE:
            return False
        self._take(size, lines)
        return True

    def part(self, head: Iterable[str], entries: Iterable[str], *, tail: Iterable[str] = (), most: int = 1_000) -> None:
        """Add a part with its entries, which come last, and count those that find no room; nothing without entries."""
        missing = said = 0
        for number, entry in enumerate(entries):
            fits = not missing and number < most
            if not said and not self.add(*head):
                return
            said = 1
            missing += not (fits and self.add(entry))
        closing = [*(["", f"and {counted(missing, 'more entry', 'more entries')}"] if missing else []), *tail]
        if said:
            self._take(sum(len(line) + 1 for line in closing), closing)

    def _take(self, size: int, lines: Iterable[str]) -> None:
        self._room -= size
        self.lines += lines


def write_markdown(results: Results, stream: BinaryIO) -> None:
    """Write the summary (UTF-8)."""
    found = sorted(groups(results.findings, limit=PER_REQUIREMENT), key=worst_rank)
    titles = {one.requirement: one.title for one in results.requirements}
    page = _Page()
    page.add(f"## fairdeal: {results.verdict.value}", "", VERDICT_MEANING[results.verdict], "")
    page.part((), _about(results))
    head = ("", "### What failed", "", "| requirement | severity | findings | owed | overpaid |")
    page.part((*head, "| --- | --- | ---: | ---: | ---: |"), _failed(results, found), most=ROWS)
    page.part(("", "### What the evidence does not show", ""), _open(results))
    page.part(("", "### Statistics", ""), _statistics(results))
    _details(page, "Findings", _told(found, titles))
    _details(page, "Waived", _waived(results.requirements))
    _details(page, "Records set aside", _set_aside(results))
    inputs = (
        f"- {_text(one.file)} ({_text(one.kind)}), SHA-256 {_text(one.sha256)}" for one in results.provenance.inputs
    )
    _details(page, "Inputs", inputs)
    made = results.provenance
    page.add("", f"{_text(made.program)}, rulebook {_text(made.rulebook_sha256)}, {_text(made.generated)}")
    stream.write(("\n".join(page.lines) + "\n").encode())


def _details(page: _Page, name: str, entries: Iterable[str]) -> None:
    """A part that is folded until somebody opens it."""
    head = ("", "<details>", f"<summary>{name}</summary>", "")
    page.part(head, entries, tail=("", "</details>"))


def _about(results: Results) -> Iterator[str]:
    subject, money = results.subject, results.money
    casinos = [one.name for one in subject.licensees] or list(subject.casinos)
    if casinos:
        yield f"- **Casinos:** {_listed(casinos)}"
    if subject.law:
        yield f"- **Law:** {_listed([f'{one.title}, {one.citation}' for one in subject.law])}"
    if subject.first:
        last = f" to {_text(subject.last)}" if subject.last and subject.last != subject.first else ""
        yield f"- **Time:** {_text(subject.first)}{last}"
    yield f"- **Requirements:** {standing(results)}"
    yield f"- **Evidence:** {reading_done(results)}"
    if results.baseline is not None:
        states = Counter(finding.state for finding in results.findings if finding.state is not None)
        yield f"- **Since the baseline:** {md(since_the_baseline(results.baseline, states))}"
    yield from (f"- {_text(said)}." for said in recorded_twice(results))
    for one in () if money is None else money.by_currency:
        if one.findings:
            owed, overpaid = (_amount(value, one.currency or subject.currency) for value in (one.owed, one.overpaid))
            said = f"{owed} owed to players, {overpaid} overpaid"
            yield f"- **Money:** {said}, by {counted(one.findings, 'finding')}"


def _statistics(results: Results) -> Iterator[str]:
    """Yield how many were tested of each kind, and what stands out."""
    if results.statistics is None:
        return
    for one in results.statistics.looked_at:
        yield f"- {_text(looked_at(one, results.statistics.level))}"
        yield from (f"  - {_text(line)}" for line in standing_out(one))


def _failed(results: Results, found: list[Group]) -> Iterator[str]:
    """A row for each requirement that failed and is not waived, the worst first: by severity, money and number."""
    sums = _sums_by_requirement(results)
    counts = {group.requirement: group.total for group in found if group.status is Status.FAIL}
    failed = [one for one in results.requirements if one.status is Status.FAIL and one.waived is None]
    money = {name: max(one.owed + one.overpaid for one, _ in found) for name, found in sums.items()}

    def worst_first(one: RequirementResult) -> tuple[int, int, int, str]:
        known_by = one.requirement
        return _SEVERITIES.index(one.severity), -money.get(known_by, 0), -counts.get(known_by, 0), known_by

    for one in sorted(failed, key=worst_first):
        amounts = sums.get(one.requirement, [])
        owed = ", ".join(_amount(sum_.owed, currency) for sum_, currency in amounts)
        overpaid = ", ".join(_amount(sum_.overpaid, currency) for sum_, currency in amounts)
        name = f"{_text(one.title)} ({_text(one.requirement)})"
        yield f"| {name} | {one.severity.value} | {counts.get(one.requirement, 0):,} | {owed} | {overpaid} |"


def _sums_by_requirement(results: Results) -> dict[str | None, list[tuple[Sum, str | None]]]:
    """Return the sums of each requirement by currency; several currencies are named."""
    found: dict[str | None, list[tuple[Sum, str | None]]] = {}
    for money in () if results.money is None else results.money.by_currency:
        currency = money.currency if results.money is not None and results.money.others else None
        for one in money.sums:
            if one.by == "requirement":
                found.setdefault(one.name, []).append((one, currency))
    return found


def _open(results: Results) -> Iterator[str]:
    for one in results.open:
        first = "" if one.first is None else f", first at {_place(one.first)}"
        yield f"- {_text(one.says)} ({counted(len(one.requirements), 'requirement')}{first})"


def _told(found: list[Group], titles: Mapping[str, str]) -> Iterator[str]:
    for group in found:
        first = group.first
        title = titles.get(group.requirement, first.message)
        about = f"({_text(group.requirement)}, {word_of(first)}, {counted(group.total, 'finding')})"
        lines = [f"- **{_text(first.broken or title)}** {about}"]
        if first.broken:
            lines.append(f"  - Required: {_text(first.message)}")
        describe = comparison if first.broken else sentence
        lines += [f"  - {_place(one.where)}: {describe(one, _text)}" for one in group.shown]
        yield "\n".join(lines)


def _place(where: Where) -> str:
    play = " ".join(f"{name} {value}" for name, value in play_parts(where))
    return ", ".join(_text(part) for part in (location(where), play) if part) or "the evidence as a whole"


def _waived(requirements: Iterable[RequirementResult]) -> Iterator[str]:
    for one in requirements:
        if one.waived is not None:
            yield f"- **{_text(one.title)}** ({_text(one.requirement)}): {_text(waiver_in_words(one.waived))}"


def _set_aside(results: Results) -> Iterator[str]:
    for one in results.quarantined:
        yield f"- {_text(location(Where(file=one.file, line=one.line, column=one.column)))}: {_text(one.reason)}"


def _listed(texts: list[str]) -> str:
    """The first of some texts, and how many more there are."""
    more = f" and {len(texts) - 10:,} more" if len(texts) > 10 else ""
    return "; ".join(map(_text, texts[:10])) + more


def _amount(minor: int, currency: str | None) -> str:
    return format_money(minor) + (f" {_text(currency)}" if currency else "")


def _text(text: str) -> str:
    return md(cut(text, LONGEST))
