"""Code quality report for GitLab: a JSON array with an issue on a line for each finding and quarantined record."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import Any, BinaryIO

from validator.reports.encoding import encoded, write_lines
from validator.reports.formats.levels import Rank, file_and_line, rank_of, sentence
from validator.results.findings import Finding
from validator.results.results import Quarantined, Results
from validator.text.visible import visible

SEVERITIES: Mapping[Rank, str] = MappingProxyType(
    {
        Rank.CRITICAL: "critical",
        Rank.MAJOR: "major",
        Rank.MINOR: "minor",
        Rank.ERROR: "info",
        Rank.UNPROVEN: "info",
        Rank.WAIVED: "info",
    }
)
"""Severity in GitLab for each rank."""

NO_FILE = "-"
"""Path of a finding if there is no file at all."""


def write_gitlab(results: Results, stream: BinaryIO) -> None:
    """Write the issues."""
    found = (_issue(finding, results) for finding in results.findings)
    stream.write(b"[")
    write_lines(stream, map(encoded, chain(found, map(_quarantine_issue, results.quarantined))))
    stream.write(b"]\n")


def _issue(finding: Finding, results: Results) -> dict[str, Any]:
    file, line = file_and_line(finding.where, results)
    return {
        "description": visible(sentence(finding)),
        "check_name": visible(finding.requirement),
        "fingerprint": fingerprint(finding),
        "severity": SEVERITIES[rank_of(finding)],
        "location": _location(file or NO_FILE, line),
    }


def _quarantine_issue(record: Quarantined) -> dict[str, Any]:
    return {
        "description": visible(f"A record was quarantined: {record.reason}"),
        "check_name": "quarantined",
        "fingerprint": sha256(encoded(record)).hexdigest(),
        "severity": SEVERITIES[Rank.UNPROVEN],
        "location": _location(record.file or NO_FILE, max(record.line, 1)),
    }


def _location(file: str, line: int) -> dict[str, Any]:
    return {"path": visible(file.removeprefix("./")), "lines": {"begin": line}}


def fingerprint(finding: Finding) -> str:
    """Return the id of a finding, or a digest of the whole finding in results without ids."""
    return finding.id or sha256(encoded(finding)).hexdigest()
