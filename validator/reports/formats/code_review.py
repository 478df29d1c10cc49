"""Findings for editors, code review and build servers: one line each, annotations, and JUnit reports.

A step of GitHub Actions shows the first 10 errors, 10 warnings and 10 notices. The first finding of every requirement
therefore comes before any second one, worst first, with no more than `PER_REQUIREMENT` of each.

A violated requirement is a failure, and a requirement that could not be checked is an error. Waived, inapplicable and
unconfirmed requirements are skipped. Each input is a test as well, an error if records of it were quarantined. The
format is the one that Jenkins publishes as junit-10.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum, StrEnum
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import Any, BinaryIO

from msgspec import Struct

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.finding_groups import FindingRun, group_findings
from fairdeal.validator.reports.json_format import encode_json, write_entries
from fairdeal.validator.results.findings import EvidencePlace, Finding, Severity, Status
from fairdeal.validator.results.results import InputFile, Quarantined, RequirementResult, Results
from fairdeal.validator.text.diagnostics import sanitize


class Level(StrEnum):
    """Level of a finding as most programs know it."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class FindingRank(IntEnum):
    """Rank of a finding, worst first, by which formats with limited room choose."""

    CRITICAL = 0
    MAJOR = 1
    MINOR = 2
    ERROR = 3
    UNPROVEN = 4
    WAIVED = 5


def rank_finding(finding: Finding) -> FindingRank:
    """Return the rank of a finding: by severity for a violation, unless a waiver applies."""
    if finding.waived is not None:
        return FindingRank.WAIVED
    if finding.status is Status.FAIL:
        return FindingRank[finding.severity.name]
    return FindingRank.ERROR if finding.status is Status.ERROR else FindingRank.UNPROVEN


def find_worst_rank(group: FindingRun) -> FindingRank:
    """Return the rank of the worst shown finding of a group."""
    return min(map(rank_finding, group.shown))


def choose_level(finding: Finding) -> Level:
    """Return an error for a critical or major violation, a warning for a minor one, and else a note."""
    rank = rank_finding(finding)
    return choose_severity_level(finding.severity) if rank <= FindingRank.MINOR else Level.NOTE


def choose_severity_level(severity: Severity) -> Level:
    """Return the level of violations of a severity."""
    return Level.WARNING if severity is Severity.MINOR else Level.ERROR


def label_finding(finding: Finding) -> str:
    """Return `waived`, the severity of a violation, or any other status."""
    if finding.waived is not None:
        return "waived"
    return finding.severity.value if finding.status is Status.FAIL else finding.status.value


def describe_finding(finding: Finding, shown: Callable[[str], str] = str, *, title: str = "") -> str:
    """Return what went wrong, or else the message of a finding, with what is required and what was observed.

    Args:
        shown: escapes each part for its format.
        title: text that the reader sees with it; a message that only repeats it is left out.
    """
    message = [finding.headline] if report_wording.has_new_content(finding.headline, title) else []
    parts = (*message, f"Required: {finding.expected}", f"Observed: {finding.observed}")
    return " ".join(shown(part if part.endswith((".", "!", "?")) else f"{part}.") for part in parts)


def locate_finding(where: EvidencePlace, results: Results) -> tuple[str | None, int]:
    """Return a file and line for programs that need both: line 1 if none is known.

    A place without a file gets the first file of evidence, None if there is none.
    """
    line = where.line if where.line is not None and where.line > 0 else 1
    if where.file:
        return where.file, line
    return next((file.file for file in report_wording.list_evidence_files(results) if file.file), None), 1


def write_concise(results: Results, stream: BinaryIO) -> None:
    """Write a line for each finding and each quarantined record.

    An unknown line or column is written as 1 and an unknown file as `-`, so that every line has the same form.
    """
    for finding in results.findings:
        play = ", ".join(f"{name} {value}" for name, value in report_wording.list_place_parts(finding.where))
        text = describe_finding(finding) + (f" ({play})" if play else "")
        text += "" if finding.state is None else f" [{finding.state.value}]"
        _write_line(f"{_spot(finding.where)}: {label_finding(finding)} {finding.requirement} {text}", stream)
    for record in results.quarantined:
        where = EvidencePlace(file=record.file, line=record.line, column=record.column)
        _write_line(f"{_spot(where)}: quarantined - {record.reason}", stream)
    for file in results.unreadable:
        where = EvidencePlace(file=file.file, line=file.line, column=file.column)
        _write_line(f"{_spot(where)}: unreadable - {file.reason}", stream)
    unlisted = report_wording.count_quarantined(results) - len(results.quarantined)
    if unlisted > 0:
        _write_line(f"-:1:1: quarantined - {unlisted:,} more", stream)


def _spot(where: EvidencePlace) -> str:
    return f"{where.file or '-'}:{where.line or 1}:{where.column or 1}"


def _write_line(line: str, stream: BinaryIO) -> None:
    stream.write(f"{sanitize(line)}\n".encode())


PER_REQUIREMENT = 10
"""Findings of one requirement that are annotated."""
RECORDS = 10
"""Quarantined records that are annotated; the last line counts all."""
LONGEST = 4_000
"""Characters of a message; longer ones are cut."""

COMMANDS: Mapping[Level, str] = MappingProxyType({Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"})
"""Workflow command for each level."""


def write_github(results: Results, stream: BinaryIO) -> None:
    """Write the annotations, and the run in one line as a notice at the end."""
    found = sorted(group_findings(results.findings, limit=PER_REQUIREMENT), key=find_worst_rank)
    rounds = max((len(group.shown) for group in found), default=0)
    for turn in range(rounds):
        for group in found:
            if turn < len(group.shown):
                _annotate(group, turn, stream)
    unshown = sum(group.unshown for group in found)
    more = f"; {report_wording.format_count(unshown, 'finding')} more without an annotation" if unshown else ""
    for file in results.unreadable[:RECORDS]:
        _write_command("error", {**_place(file), "title": "unreadable"}, sanitize(file.reason), stream)
    for record in results.quarantined[:RECORDS]:
        _write_command("warning", {**_place(record), "title": "quarantined"}, sanitize(record.reason), stream)
    _write_command(
        "notice", {"title": f"fairdeal: {results.verdict.value}"}, report_wording.summarize_run(results) + more, stream
    )


def _annotate(group: FindingRun, turn: int, stream: BinaryIO) -> None:
    finding = group.shown[turn]
    parts = {**_place(finding.where), "title": f"{label_finding(finding)}: {finding.requirement}"}
    _write_command(COMMANDS[choose_level(finding)], parts, "\n".join(_lines(finding, group, turn)), stream)


def _place(where: EvidencePlace | Quarantined) -> dict[str, str]:
    place = {"file": where.file, "line": where.line, "col": where.column if where.line else None}
    return {name: str(value) for name, value in place.items() if value}


def _lines(finding: Finding, group: FindingRun, turn: int) -> list[str]:
    play = ", ".join(f"{name} {value}" for name, value in report_wording.list_place_parts(finding.where))
    lines = [sanitize(describe_finding(finding)), *([sanitize(play)] if play else [])]
    if finding.remedy:
        lines.append(sanitize(f"Corrective action: {finding.remedy}"))
    if finding.clauses:
        lines.append(sanitize(f"Clauses: {', '.join(finding.clauses)}"))
    if turn == 0 and group.total > 1:
        lines.append(f"{report_wording.format_count(group.total - 1, 'finding')} more of this requirement")
    return lines


def _write_command(command: str, properties: Mapping[str, str], message: str, stream: BinaryIO) -> None:
    """Write one command, with the characters encoded that end a property or a line."""
    given = ",".join(f"{name}={_property(sanitize(value))}" for name, value in properties.items())
    text = message if len(message) <= LONGEST else f"{message[:LONGEST]}..."
    stream.write(f"::{command} {given}::{_data(text)}\n".encode())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


SEVERITIES: Mapping[FindingRank, str] = MappingProxyType(
    {
        FindingRank.CRITICAL: "critical",
        FindingRank.MAJOR: "major",
        FindingRank.MINOR: "minor",
        FindingRank.ERROR: "info",
        FindingRank.UNPROVEN: "info",
        FindingRank.WAIVED: "info",
    }
)
"""Severity in GitLab for each rank."""

NO_FILE = "-"
"""Path of a finding if there is no file at all."""


def write_gitlab(results: Results, stream: BinaryIO) -> None:
    """Write the issues."""
    found = (_issue(finding, results) for finding in results.findings)
    stream.write(b"[")
    records = map(_quarantine_issue, results.quarantined)
    files = map(_unreadable_issue, results.unreadable)
    write_entries(stream, map(encode_json, chain(found, records, files)))
    stream.write(b"]\n")


def _issue(finding: Finding, results: Results) -> dict[str, Any]:
    file, line = locate_finding(finding.where, results)
    return {
        "description": sanitize(describe_finding(finding)),
        "check_name": sanitize(finding.requirement),
        "fingerprint": make_fingerprint(finding),
        "severity": SEVERITIES[rank_finding(finding)],
        "location": _location(file or NO_FILE, line),
    }


def _quarantine_issue(record: Quarantined) -> dict[str, Any]:
    return _input_issue(record, "quarantined", f"A record was quarantined: {record.reason}", FindingRank.UNPROVEN)


def _unreadable_issue(file: Quarantined) -> dict[str, Any]:
    return _input_issue(file, "unreadable", f"The file could not be read: {file.reason}", FindingRank.CRITICAL)


def _input_issue(record: Quarantined, check: str, description: str, rank: FindingRank) -> dict[str, Any]:
    return {
        "description": sanitize(description),
        "check_name": check,
        "fingerprint": sha256(encode_json(record)).hexdigest(),
        "severity": SEVERITIES[rank],
        "location": _location(record.file or NO_FILE, max(record.line, 1)),
    }


def _location(file: str, line: int) -> dict[str, Any]:
    return {"path": sanitize(file.removeprefix("./")), "lines": {"begin": line}}


def make_fingerprint(finding: Finding) -> str:
    """Return the id of a finding, or a digest of the whole finding in results without ids."""
    return finding.id or sha256(encode_json(finding)).hexdigest()


PER_TEST = 20
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
    for group in group_findings(results.findings, limit=PER_TEST):
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
    from xml.sax.saxutils import quoteattr  # noqa: PLC0415 - it imports urllib, which annotations do not need

    written = "".join(f" {name}={quoteattr(sanitize(value))}" for name, value in attributes.items())
    stream.write(f"<{tag}{written}{'/' if closed else ''}>{end}".encode())


def _text(text: str) -> str:
    """Return lines as XML text, with characters that XML does not allow shown by their numbers."""
    from xml.sax.saxutils import escape  # noqa: PLC0415 - as above

    return "\n".join(escape(sanitize(line)) for line in text.split("\n"))
