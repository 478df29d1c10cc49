"""SARIF 2.1.0: the findings for code-scanning services and editors.

The log has one run: its rules first, then a result on each line. Services refuse a run with more than 25,000 results.
Beyond that the least serious ones are left out; a notification and `properties` count them. Rules have all counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, BinaryIO

from validator.reports.encoding import encoded, write_lines
from validator.reports.formats.levels import Rank, file_and_line, level_of, rank_of, sentence
from validator.reports.formats.sarif_rules import rules
from validator.reports.formats.sarif_text import message
from validator.reports.formats.uris import is_below, uri_of
from validator.reports.wording import counted, recorded_twice, set_aside, standing, waiver_in_words
from validator.results.findings import Finding, Where
from validator.results.results import JUDGED_BY, InputFile, Results
from validator.results.statuses import State, Status
from validator.text.source import STANDARD_INPUT
from validator.text.values.money import EXPONENT
from validator.text.visible import visible

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
"""Schema of the standard."""

MOST_RESULTS = 25_000
"""Limit of the results that code-scanning services accept in a run."""

KINDS: Mapping[Status, str] = MappingProxyType(
    {
        Status.FAIL: "fail",
        Status.ERROR: "open",
        Status.NOT_EVIDENCED: "open",
        Status.NEEDS_ATTESTATION: "review",
        Status.PASS: "pass",
        Status.NOT_APPLICABLE: "notApplicable",
        Status.NOT_IN_FORCE: "notApplicable",
    }
)
"""Kind in SARIF for each status."""

BASE = "%SRCROOT%"
"""Name that services give to the folder of the sources; here the working folder of the run."""
_BASES = {BASE: {"description": {"text": "The folder in which fairdeal ran."}}}

_BASELINE = {State.NEW: "new", State.KNOWN: "unchanged"}
_UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def write_sarif(results: Results, stream: BinaryIO) -> None:
    """Write the log (JSON, UTF-8), in two passes over the findings: one to count and one to write."""
    first: dict[str, Finding] = {}
    found: Counter[Rank] = Counter()
    for finding in results.findings:
        first.setdefault(finding.requirement, finding)
        found[rank_of(finding)] += 1
    room = _room(found)
    about = dict(rules(results, first))
    numbers = {id_: number for number, id_ in enumerate(about)}
    left_out = found.total() - room.total()
    artifacts = {file.file: _artifact(file) for file in reversed(results.provenance.inputs)}
    artifacts = dict(reversed(artifacts.items()))
    stream.write(b'{"$schema":%b,"version":"2.1.0","runs":[{\n' % encoded(SCHEMA))
    # The driver is closed once its rules are written.
    stream.write(b'"tool":{"driver":%b,"rules":[' % encoded(_driver(results)).removesuffix(b"}"))
    write_lines(stream, map(encoded, about.values()))
    stream.write(b']}},\n"invocations":[%b],\n' % encoded(_invocation(results, left_out)))
    stream.write(b'"originalUriBaseIds":%b,\n"artifacts":[' % encoded(_BASES))
    write_lines(stream, map(encoded, artifacts.values()))
    stream.write(b'],\n"columnKind":"unicodeCodePoints",\n"results":[')
    files = {file: number for number, file in enumerate(artifacts)}
    written = (_result(finding, results, numbers, files) for finding in _choose_findings(results, room))
    write_lines(stream, map(encoded, written))
    stream.write(b'],\n"properties":%b}]}\n' % encoded(_about(results, found.total(), left_out)))


def _room(found: Mapping[Rank, int]) -> Counter[Rank]:
    """Return how many findings of each rank are written, the worst first."""
    room: Counter[Rank] = Counter()
    for rank in Rank:
        room[rank] = min(found.get(rank, 0), MOST_RESULTS - room.total())
    return room


def _choose_findings(results: Results, room: Counter[Rank]) -> Iterator[Finding]:
    for finding in results.findings:
        rank = rank_of(finding)
        if room[rank]:
            room[rank] -= 1
            yield finding


def _driver(results: Results) -> dict[str, Any]:
    name, _, version = results.provenance.program.rpartition(" ")
    return {"name": visible(name or version), "version": visible(version)}


def _invocation(results: Results, left_out: int) -> dict[str, Any]:
    """Return the invocation, with quarantined records and omitted results as notifications."""
    notes = [
        _note(f"A record was quarantined: {record.reason}", _spot(record.file, record.line, record.column))
        for record in results.quarantined
    ]
    unlisted = set_aside(results) - len(results.quarantined)
    if unlisted > 0:
        notes.append(_note(f"{counted(unlisted, 'more record')} quarantined."))
    notes += [_note(f"{sentence_}.", level="note") for sentence_ in recorded_twice(results)]
    if left_out:
        notes.append(_note(f"{counted(left_out, 'finding')} left out, the least serious, to keep to {MOST_RESULTS:,}."))
    ended = results.provenance.generated
    return {
        "executionSuccessful": True,
        **({"endTimeUtc": ended} if re.fullmatch(_UTC, ended) else {}),
        "toolExecutionNotifications": notes,
    }


def _note(text: str, spot: Mapping[str, Any] | None = None, *, level: str = "warning") -> dict[str, Any]:
    places = [] if spot is None else [{"physicalLocation": spot}]
    return {"level": level, "message": {"text": message(text)}, "locations": places}


def _artifact(file: InputFile) -> dict[str, Any]:
    roles = ["userSpecifiedConfiguration" if file.kind in JUDGED_BY else "analysisTarget"]
    return {
        "location": _artifact_location(file.file),
        "roles": [*roles, *(["standardStream"] if file.file == STANDARD_INPUT else [])],
        "hashes": {"sha-256": visible(file.sha256)},
        "properties": {
            "kind": visible(file.kind),
            "read": file.read,
            "checked": file.checked,
            "quarantined": file.quarantined,
            "repeated": file.repeated,
            "contradicted": file.contradicted,
        },
    }


def _result(finding: Finding, results: Results, numbers: Mapping[str, int], files: Mapping[str, int]) -> dict[str, Any]:
    failed = finding.status is Status.FAIL
    place = _location(finding.where, results, files)
    return {
        "ruleId": visible(finding.requirement),
        "ruleIndex": numbers[finding.requirement],
        "kind": KINDS[finding.status],
        # The standard knows a level of failures alone (3.27.10).
        "level": level_of(finding).value if failed else "none",
        "message": {"text": message(sentence(finding))},
        "locations": [] if place is None else [place],
        **({"partialFingerprints": _fingerprints(finding)} if finding.id else {}),
        "suppressions": _suppressions(finding),
        **({} if finding.state is None else {"baselineState": _BASELINE[finding.state]}),
        **({"occurrenceCount": finding.count} if finding.count > 0 else {}),
        "properties": _properties(finding, results),
    }


def _fingerprints(finding: Finding) -> dict[str, str]:
    """Return the id, also under the only name that GitHub reads, so that moved lines make no new alert."""
    id_ = visible(finding.id)
    return {"fairdeal/v1": id_, "primaryLocationLineHash": id_}


def _suppressions(finding: Finding) -> list[dict[str, Any]]:
    if finding.waived is None:
        return []
    justification = message(waiver_in_words(finding.waived))
    return [{"kind": "external", "status": "accepted", "justification": justification}]


def _location(where: Where, results: Results, files: Mapping[str, int]) -> dict[str, Any] | None:
    file, line = file_and_line(where, results)
    logical = list(_logical(where))
    if file is None:
        return {"logicalLocations": logical} if logical else None
    place: dict[str, Any] = {"physicalLocation": _spot(file, line, where.column if where.line else None)}
    if file in files:
        place["physicalLocation"]["artifactLocation"]["index"] = files[file]
    if not where.file:
        place["message"] = {"text": "Concerns the evidence as a whole, not this file alone."}
    return {**place, **({"logicalLocations": logical} if logical else {})}


def _spot(file: str, line: int | None, column: int | None) -> dict[str, Any]:
    """Return a place in a file; services need a line, so an unknown one is 1."""
    region = {"startLine": line if line is not None and line > 0 else 1}
    if column is not None and column > 0:
        region["startColumn"] = column
    return {"artifactLocation": _artifact_location(file), "region": region}


def _artifact_location(file: str) -> dict[str, Any]:
    return {"uri": uri_of(file), **({"uriBaseId": BASE} if is_below(file) and file != STANDARD_INPUT else {})}


def _logical(where: Where) -> Iterator[dict[str, str]]:
    """Yield the place in play, from the casino down to the wager."""
    seat = None if where.seat is None else str(where.seat)
    path: list[str] = []
    levels = (("casino", where.casino), ("table", where.table), ("round", where.round), ("seat", seat))
    for kind, name in (*levels, ("wager", where.wager)):
        if name is not None:
            path.append(f"{kind} {visible(name)}")
            yield {"name": visible(name), "fullyQualifiedName": "/".join(path), "kind": kind}


def _properties(finding: Finding, results: Results) -> dict[str, Any]:
    """Return the details of a finding that SARIF has no property for."""
    where = finding.where
    return {
        "status": finding.status.value,
        "severity": finding.severity.value,
        "expected": visible(finding.expected),
        "observed": visible(finding.observed),
        "owed": finding.owed,
        "overpaid": finding.overpaid,
        "currency": _visible_or_none(finding.currency or results.subject.currency),
        "currencyExponent": EXPONENT,
        "casino": _visible_or_none(where.casino),
        "submission": _visible_or_none(where.submission),
        "table": _visible_or_none(where.table),
        "round": _visible_or_none(where.round),
        "time": _visible_or_none(where.time),
        "seat": where.seat,
        "wager": _visible_or_none(where.wager),
        "event": where.event,
        "pointer": _visible_or_none(where.pointer),
        "context": {visible(name): visible(value) for name, value in (where.context or {}).items()},
        "claimed": None if finding.claimed is None else visible(finding.claimed.reason),
    }


def _visible_or_none(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _money(results: Results) -> dict[str, Any]:
    """Return the sums of violations that concern money; a list for several currencies."""
    if results.money is None:
        return {"owed": None, "overpaid": None, "currency": _visible_or_none(results.subject.currency)}
    sums = [
        {
            "owed": money.owed,
            "overpaid": money.overpaid,
            "currency": _visible_or_none(money.currency or results.subject.currency),
        }
        for money in results.money.by_currency
    ]
    return sums[0] if len(sums) == 1 else {"money": sums}


def _about(results: Results, found: int, left_out: int) -> dict[str, Any]:
    return {
        "verdict": results.verdict.value,
        "standing": standing(results),
        "findings": found,
        "findingsLeftOut": left_out,
        **_money(results),
        "currencyExponent": EXPONENT,
        "rulebookSha256": visible(results.provenance.rulebook_sha256),
        "profile": _visible_or_none(results.provenance.profile),
        "open": [
            {"cause": gap.cause.value, "says": visible(gap.says), "items": gap.items, "of": gap.of}
            for gap in results.open
        ],
    }
