"""JUnit report for build servers: every requirement is a test, every document a suite.

A violated requirement is a failure, and a requirement that could not be checked is an error. Waived, inapplicable and
unconfirmed requirements are skipped. Each input is a test as well, an error if records of it were quarantined. The
format is the one that Jenkins publishes as junit-10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.finding_groups import FindingRun, group_findings
from fairdeal.validator.reports.formats.annotations import describe_finding
from fairdeal.validator.results.findings import EvidencePlace, Finding, Status
from fairdeal.validator.results.results import InputFile, Quarantined, RequirementResult, Results
from fairdeal.validator.text.diagnostics import sanitize

PER_REQUIREMENT = 20
"""Findings of one requirement that a test lists."""

INPUTS = "inputs"
"""Name of the suite of inputs."""

_Groups = Mapping[str, tuple[FindingRun, ...]]


class JunitCase(Struct, frozen=True, kw_only=True):
    """Test of a JUnit report."""

    name: str
    """Name of the requirement or input."""
    outcome: str | None = None
    """Name of the element: `failure`, `error` or `skipped`; None if the test passed."""
    type: str = ""
    """Severity or status."""
    message: str = ""
    """Outcome in one line."""
    text: str = ""
    """Outcome in many lines."""


def write_junit(results: Results, stream: BinaryIO) -> None:
    """Write the report (XML, UTF-8), a suite at a time."""
    by_requirement: dict[str, tuple[FindingRun, ...]] = {}
    for group in group_findings(results.findings, limit=PER_REQUIREMENT):
        by_requirement[group.requirement] = (*by_requirement.get(group.requirement, ()), group)
    suites = [(name, list(cases)) for name, cases in _suites(results, by_requirement)]
    everything = [case for _, cases in suites for case in cases]
    stream.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    _open(stream, "testsuites", {"name": "fairdeal", **_counts(everything)})
    for name, cases in suites:
        _suite(stream, results, name, cases)
    stream.write(b"</testsuites>\n")


def _suites(results: Results, found: _Groups) -> Iterator[tuple[str, Iterator[JunitCase]]]:
    """Yield a suite for each document, and one for the inputs: its name and its tests."""
    for document in dict.fromkeys(result.document for result in results.requirements):
        own = (result for result in results.requirements if result.document == document)
        yield document, (_case(result, found.get(result.requirement, ())) for result in own)
    if results.provenance.inputs or results.unreadable:
        cases = chain(
            (_input(file, results) for file in results.provenance.inputs), map(_unreadable, results.unreadable)
        )
        yield INPUTS, cases


def _case(result: RequirementResult, found: tuple[FindingRun, ...]) -> JunitCase:
    """Return the test of a requirement."""
    waived = result.status is Status.FAIL and result.waived is not None
    outcome = {Status.FAIL: "failure", Status.ERROR: "error", Status.PASS: None}.get(result.status, "skipped")
    status = "waived" if waived else result.status.value
    reason = f" {result.reason}" if report_wording.has_new_content(result.reason, result.title) else ""
    return JunitCase(
        name=result.requirement.removeprefix(f"{result.document}/"),
        outcome="skipped" if waived else outcome,
        type=result.severity.value if outcome == "failure" and not waived else status,
        message=f"{report_wording.capitalize_first(status.replace('-', ' '))}: {_summary(result, found, reason)}",
        text="\n".join(_case_lines(result, found)),
    )


def _summary(result: RequirementResult, found: tuple[FindingRun, ...], reason: str) -> str:
    """Return what went wrong and what is required, or else what is required and why the status is as it is."""
    broken = next((group.first.broken for group in found if group.first.broken), None)
    return f"{result.title}.{reason}" if broken is None else f"{broken} Rule: {result.title}."


def _case_lines(result: RequirementResult, found: tuple[FindingRun, ...]) -> Iterator[str]:
    if result.clauses:
        yield f"clauses: {', '.join(result.clauses)}"
    yield f"counted: {report_wording.format_totals(result.totals) or 'nothing'}"
    for group in found:
        for finding in group.shown:
            yield ""
            yield from _finding(finding, result.title)
        if group.unshown:
            yield ""
            yield f"and {report_wording.format_number(group.unshown)} more"


def _finding(finding: Finding, title: str) -> Iterator[str]:
    play = " ".join(f"{name} {value}" for name, value in report_wording.list_place_parts(finding.where))
    yield (
        ", ".join(part for part in (report_wording.format_location(finding.where), play) if part)
        or "the evidence as a whole"
    )
    yield describe_finding(finding, title=title)
    if finding.remedy:
        yield f"Corrective action: {finding.remedy}"


def _input(file: InputFile, results: Results) -> JunitCase:
    if not file.quarantined:
        return JunitCase(name=file.file)
    listed = [
        f"{report_wording.format_location(EvidencePlace(file=record.file, line=record.line, column=record.column))}: "
        f"{record.reason}"
        for record in results.quarantined
        if record.file == file.file
    ]
    return JunitCase(
        name=file.file,
        outcome="error",
        type="quarantined",
        message=f"{report_wording.format_count(file.quarantined, 'record')} quarantined",
        text="\n".join(listed),
    )


def _unreadable(file: Quarantined) -> JunitCase:
    place = report_wording.format_location(EvidencePlace(file=file.file, line=file.line, column=file.column))
    return JunitCase(
        name=file.file,
        outcome="error",
        type="unreadable",
        message="the file could not be read",
        text=f"{place}: {file.reason}",
    )


def _suite(stream: BinaryIO, results: Results, name: str, cases: list[JunitCase]) -> None:
    skipped = sum(case.outcome == "skipped" for case in cases)
    _open(stream, "testsuite", {"name": name, **_counts(cases), "skipped": str(skipped)})
    if name != INPUTS:
        properties = {
            "verdict": results.verdict.value,
            "program": results.provenance.program,
            "rulebook-version": results.provenance.rulebook_version,
            "rulebook-date": results.provenance.rulebook_date,
            "rulebook-sha256": results.provenance.rulebook_sha256,
            "currency": results.subject.currency or ", ".join(results.subject.currencies),
        }
        _open(stream, "properties", {})
        for key, value in properties.items():
            if value is not None:
                _open(stream, "property", {"name": key, "value": value}, closed=True)
        stream.write(b"</properties>\n")
    for case in cases:
        attributes = {"classname": name, "name": case.name}
        if case.outcome is None:
            _open(stream, "testcase", attributes, closed=True)
            continue
        _open(stream, "testcase", attributes)
        details = {"type": case.type, "message": case.message}
        _open(stream, case.outcome, details, end=f"{_text(case.text)}</{case.outcome}>\n")
        stream.write(b"</testcase>\n")
    if name != INPUTS:
        stream.write(f"<system-out>{_text(report_wording.summarize_run(results))}</system-out>\n".encode())
    stream.write(b"</testsuite>\n")


def _counts(cases: list[JunitCase]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
    }


def _open(stream: BinaryIO, tag: str, attributes: Mapping[str, str], *, closed: bool = False, end: str = "\n") -> None:
    """Write an opening tag, or an element without content, and the text right after it."""
    written = "".join(f" {name}={quoteattr(sanitize(value))}" for name, value in attributes.items())
    stream.write(f"<{tag}{written}{'/' if closed else ''}>{end}".encode())


def _text(text: str) -> str:
    """Return lines as XML text, with characters that XML does not allow shown by their numbers."""
    return "\n".join(escape(sanitize(line)) for line in text.split("\n"))
