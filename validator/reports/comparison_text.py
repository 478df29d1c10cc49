"""Comparison of two runs as text: new and resolved findings, and requirements whose status changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TextIO

from validator.reports.subject_words import money_in_words, subject_line, time_in_words
from validator.reports.wording import counted, number, play_parts
from validator.results.differences import Comparison
from validator.results.findings import Finding
from validator.results.results import Results
from validator.results.statuses import State
from validator.text.visible import visible

MOST = 20
"""Findings of a kind that are printed; more are only counted."""


def write_comparison(before: Results, now: Results, comparison: Comparison, stream: TextIO) -> None:
    """Write how `now` differs from `before`, which is its `baseline`."""
    for line in _comparison_lines(before, now, comparison):
        stream.write(f"{visible(line)}\n")


def _comparison_lines(before: Results, now: Results, comparison: Comparison) -> Iterator[str]:
    for name, results in (("before", before), ("now", now)):
        made = f"{results.verdict.value}, generated {time_in_words(results.provenance.generated)}"
        yield f"{name + ':':<8}{made}: {subject_line(results)}"
        yield f"        {money_in_words(results.money, results.subject.currency)}"
    yield from _changed_conditions(before, now)
    baseline = now.baseline
    assert baseline is not None
    known = sum(finding.state is State.KNOWN for finding in now.findings)
    changed = f" ({number(comparison.changed_found)} changed)" if comparison.changed_found else ""
    new = len(now.findings) - known
    yield f"findings: {number(new)} new, {number(known)} known{changed}, {number(baseline.gone_found)} no longer found"
    if comparison.moved:
        yield ""
        yield "rules with another status"
        for moved in comparison.moved:
            was, is_ = ("not checked" if status is None else status.value for status in (moved.before, moved.now))
            yield f"  {moved.requirement}: {was} -> {is_}"
    yield from _list_findings("new", (finding for finding in now.findings if finding.state is State.NEW), new)
    yield from _list_findings("changed", comparison.changed, comparison.changed_found)
    yield from _list_findings("no longer found", baseline.gone, baseline.gone_found)


def _changed_conditions(before: Results, now: Results) -> Iterator[str]:
    """Yield the differences of the runs other than their evidence."""
    one, other = before.provenance, now.provenance
    for name, was, is_ in (
        ("rulebook", one.rulebook_sha256[:12], other.rulebook_sha256[:12]),
        ("profile", one.profile or "none", other.profile or "none"),
        ("regulation as of", one.as_of or "the day of each round", other.as_of or "the day of each round"),
        ("program", one.program, other.program),
    ):
        if was != is_:
            yield f"changed: {name} {was} -> {is_}"


def _list_findings(title: str, findings: Iterable[Finding], total: int) -> Iterator[str]:
    if not total:
        return
    yield ""
    yield f"{title}: {counted(total, 'finding')}"
    for finding in islice(findings, MOST):
        place = " ".join(f"{name} {value}" for name, value in play_parts(finding.where))
        place = place or finding.where.submission or finding.where.file or ""
        status = f"{finding.status.value} ({finding.severity.value})"
        yield f"  {status} {finding.requirement} at {place}: required: {finding.expected}; observed: {finding.observed}"
    if total > MOST:
        yield f"  and {number(total - MOST)} more"
