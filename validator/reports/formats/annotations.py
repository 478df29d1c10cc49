"""Findings for editors and code review: their levels, one line each, and the annotations of GitHub and GitLab.

A step of GitHub Actions shows the first 10 errors, 10 warnings and 10 notices. The first finding of every requirement
therefore comes before any second one, worst first, with no more than `PER_REQUIREMENT` of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum, StrEnum
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import Any, BinaryIO

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.finding_groups import FindingRun, group_findings
from fairdeal.validator.reports.json_format import encode_json, write_entries
from fairdeal.validator.results.findings import EvidencePlace, Finding, Severity, Status
from fairdeal.validator.results.results import Quarantined, Results
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
