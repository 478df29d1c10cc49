"""JUnit reports, as build servers read them: every requirement is a test, every document a suite of them.

A requirement that failed is a failure; one that could not be judged is an error; one that is waived, not applicable,
not in force or left open by the evidence is skipped, since JUnit has no word for what is neither right nor wrong. Each
input is a test as well, an error where records of it were set aside. The form is the one that Jenkins publishes as
junit-10.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr

from msgspec import Struct

from validator.reports.formats.levels import sentence
from validator.reports.grouping import Group, groups
from validator.reports.wording import capital, counted, location, number, play_parts, summary_line, totals_line
from validator.results.findings import Finding, Where
from validator.results.results import InputFile, RequirementResult, Results
from validator.results.statuses import Status
from validator.text.visible import visible

PER_REQUIREMENT = 20
"""Findings of one requirement that a test tells."""

INPUTS = "inputs"
"""The suite of what was read."""

_Groups = Mapping[str, tuple[Group, ...]]


class Case(Struct, frozen=True, kw_only=True):
    """A test: how it came out (`failure`, `error`, `skipped`, None: passed), in one line and in many."""

    name: str
    outcome: str | None = None
    type: str = ""
    message: str = ""
    text: str = ""


def write_junit(results: Results, stream: BinaryIO) -> None:
    """Write the report (XML, UTF-8), a suite at a time."""
    by_requirement: dict[str, tuple[Group, ...]] = {}
    for group in groups(results.findings, limit=PER_REQUIREMENT):
        by_requirement[group.requirement] = (*by_requirement.get(group.requirement, ()), group)
    suites = [(name, list(cases)) for name, cases in _suites(results, by_requirement)]
    everything = [case for _, cases in suites for case in cases]
    stream.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    _open(stream, "testsuites", {"name": "fairdeal", **_counts(everything)})
    for name, cases in suites:
        _suite(stream, results, name, cases)
    stream.write(b"</testsuites>\n")


def _suites(results: Results, found: _Groups) -> Iterator[tuple[str, Iterator[Case]]]:
    """The suites by name with their tests: a suite of each document, and one of the inputs."""
    for document in dict.fromkeys(one.document for one in results.requirements):
        own = (one for one in results.requirements if one.document == document)
        yield document, (_case(one, found.get(one.requirement, ())) for one in own)
    if results.provenance.inputs:
        yield INPUTS, (_input(one, results) for one in results.provenance.inputs)


def _case(one: RequirementResult, found: tuple[Group, ...]) -> Case:
    """The test that a requirement is."""
    waived = one.status is Status.FAIL and one.waived is not None
    outcome = {Status.FAIL: "failure", Status.ERROR: "error", Status.PASS: None}.get(one.status, "skipped")
    status = "waived" if waived else one.status.value
    return Case(
        name=one.requirement.removeprefix(f"{one.document}/"),
        outcome="skipped" if waived else outcome,
        type=one.severity.value if outcome == "failure" and not waived else status,
        message=f"{capital(status.replace('-', ' '))}: {_summary(one, found)}",
        text="\n".join(_told(one, found)),
    )


def _summary(one: RequirementResult, found: tuple[Group, ...]) -> str:
    """Return what went wrong and what is required, or else what is required and why the status is as it is."""
    broken = next((group.first.broken for group in found if group.first.broken), None)
    return (
        f"{one.title}. {one.reason}" if broken is None or one.reason != broken else f"{broken} Required: {one.title}."
    )


def _told(one: RequirementResult, found: tuple[Group, ...]) -> Iterator[str]:
    if one.clauses:
        yield f"clauses: {', '.join(one.clauses)}"
    yield f"counted: {totals_line(one.totals) or 'nothing'}"
    for group in found:
        for finding in group.shown:
            yield ""
            yield from _finding(finding)
        if group.unshown:
            yield ""
            yield f"and {number(group.unshown)} more"


def _finding(finding: Finding) -> Iterator[str]:
    play = " ".join(f"{name} {value}" for name, value in play_parts(finding.where))
    yield ", ".join(part for part in (location(finding.where), play) if part) or "the evidence as a whole"
    yield sentence(finding)
    if finding.remedy:
        yield f"Remedy: {finding.remedy}"


def _input(one: InputFile, results: Results) -> Case:
    if not one.quarantined:
        return Case(name=one.file)
    listed = [
        f"{location(Where(file=record.file, line=record.line, column=record.column))}: {record.reason}"
        for record in results.quarantined
        if record.file == one.file
    ]
    return Case(
        name=one.file,
        outcome="error",
        type="quarantined",
        message=f"{counted(one.quarantined, 'record')} set aside",
        text="\n".join(listed),
    )


def _suite(stream: BinaryIO, results: Results, name: str, cases: list[Case]) -> None:
    skipped = sum(case.outcome == "skipped" for case in cases)
    _open(stream, "testsuite", {"name": name, **_counts(cases), "skipped": str(skipped)})
    if name != INPUTS:
        properties = {
            "verdict": results.verdict.value,
            "program": results.provenance.program,
            "rulebook-sha256": results.provenance.rulebook_sha256,
            "currency": results.subject.currency or ", ".join(results.subject.currencies),
        }
        _open(stream, "properties", {})
        for key, value in properties.items():
            _open(stream, "property", {"name": key, "value": value}, closed=True)
        stream.write(b"</properties>\n")
    for case in cases:
        attributes = {"classname": name, "name": case.name}
        if case.outcome is None:
            _open(stream, "testcase", attributes, closed=True)
            continue
        _open(stream, "testcase", attributes)
        said = {"type": case.type, "message": case.message}
        _open(stream, case.outcome, said, end=f"{_text(case.text)}</{case.outcome}>\n")
        stream.write(b"</testcase>\n")
    if name != INPUTS:
        stream.write(f"<system-out>{_text(summary_line(results))}</system-out>\n".encode())
    stream.write(b"</testsuite>\n")


def _counts(cases: list[Case]) -> dict[str, str]:
    outcomes = [case.outcome for case in cases]
    return {
        "tests": str(len(cases)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
    }


def _open(stream: BinaryIO, tag: str, attributes: Mapping[str, str], *, closed: bool = False, end: str = "\n") -> None:
    """Write a tag that opens, or an element without content, and what comes right after it."""
    said = "".join(f" {name}={quoteattr(visible(value))}" for name, value in attributes.items())
    stream.write(f"<{tag}{said}{'/' if closed else ''}>{end}".encode())


def _text(text: str) -> str:
    """Lines as XML text: whatever XML has no form for is shown by its number."""
    return "\n".join(escape(visible(line)) for line in text.split("\n"))
