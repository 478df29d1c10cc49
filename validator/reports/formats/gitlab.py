"""Code quality report for GitLab: a JSON array with an issue on a line for each finding and quarantined record."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from itertools import chain
from types import MappingProxyType
from typing import Any, BinaryIO

from validator.reports.encoding import encode_json, write_entries
from validator.reports.formats.levels import FindingRank, describe_finding, locate_finding, rank_finding
from validator.results.findings import Finding
from validator.results.results import Quarantined, Results
from validator.text.visible import sanitize

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
    write_entries(stream, map(encode_json, chain(found, map(_quarantine_issue, results.quarantined))))
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
    return {
        "description": sanitize(f"A record was quarantined: {record.reason}"),
        "check_name": "quarantined",
        "fingerprint": sha256(encode_json(record)).hexdigest(),
        "severity": SEVERITIES[FindingRank.UNPROVEN],
        "location": _location(record.file or NO_FILE, max(record.line, 1)),
    }


def _location(file: str, line: int) -> dict[str, Any]:
    return {"path": sanitize(file.removeprefix("./")), "lines": {"begin": line}}


def make_fingerprint(finding: Finding) -> str:
    """Return the id of a finding, or a digest of the whole finding in results without ids."""
    return finding.id or sha256(encode_json(finding)).hexdigest()
