"""SARIF 2.1.0: the findings as code-scanning services and editors read them.

One run, its rules first, then a result on each line. Services refuse a run with more than 25,000 results; beyond that
the least bad ones are left out, and the run says how many (in a notification and in `properties`). Rules tell all
counts.
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
"""The schema of the standard."""

MOST_RESULTS = 25_000
"""Results of a run that code-scanning services take."""

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
"""What SARIF calls each status."""

BASE = "%SRCROOT%"
"""What services take for the folder of the sources; here it is the one the program ran in."""
_BASES = {BASE: {"description": {"text": "The folder in which fairdeal ran."}}}

_BASELINE = {State.NEW: "new", State.KNOWN: "unchanged"}
_UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def write_sarif(results: Results, stream: BinaryIO) -> None:
    """Write the log (JSON, UTF-8). The findings are passed over twice, once to count and once to write."""
    first: dict[str, Finding] = {}
    found: Counter[Rank] = Counter()
    for finding in results.findings:
        first.setdefault(finding.requirement, finding)
        found[rank_of(finding)] += 1
    room = _room(found)
    about = dict(rules(results, first))
    numbers = {id_: number for number, id_ in enumerate(about)}
    left_out = found.total() - room.total()
    artifacts = {one.file: _artifact(one) for one in reversed(results.provenance.inputs)}
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
    written = (_result(one, results, numbers, files) for one in _chosen(results, room))
    write_lines(stream, map(encoded, written))
    stream.write(b'],\n"properties":%b}]}\n' % encoded(_about(results, found.total(), left_out)))


def _room(found: Mapping[Rank, int]) -> Counter[Rank]:
    """How many findings of each rank are written: as many as there is room for, the worst first."""
    room: Counter[Rank] = Counter()
    for rank in Rank:
        room[rank] = min(found.get(rank, 0), MOST_RESULTS - room.total())
    return room


def _chosen(results: Results, room: Counter[Rank]) -> Iterator[Finding]:
    for finding in results.findings:
        rank = rank_of(finding)
        if room[rank]:
            room[rank] -= 1
            yield finding


def _driver(results: Results) -> dict[str, Any]:
    name, _, version = results.provenance.program.rpartition(" ")
    return {"name": visible(name or version), "version": visible(version)}


def _invocation(results: Results, left_out: int) -> dict[str, Any]:
    """What ran: records that were set aside, and results that were left out, are its notifications."""
    notes = [
        _note(f"A record was set aside: {record.reason}", _spot(record.file, record.line, record.column))
        for record in results.quarantined
    ]
    unlisted = set_aside(results) - len(results.quarantined)
    if unlisted > 0:
        notes.append(_note(f"{counted(unlisted, 'more record')} set aside."))
    notes += [_note(f"{said}.", level="note") for said in recorded_twice(results)]
    if left_out:
        notes.append(_note(f"{counted(left_out, 'finding')} left out, the least bad, to keep to {MOST_RESULTS:,}."))
    ended = results.provenance.generated
    return {
        "executionSuccessful": True,
        **({"endTimeUtc": ended} if re.fullmatch(_UTC, ended) else {}),
        "toolExecutionNotifications": notes,
    }


def _note(text: str, spot: Mapping[str, Any] | None = None, *, level: str = "warning") -> dict[str, Any]:
    places = [] if spot is None else [{"physicalLocation": spot}]
    return {"level": level, "message": {"text": message(text)}, "locations": places}


def _artifact(one: InputFile) -> dict[str, Any]:
    roles = ["userSpecifiedConfiguration" if one.kind in JUDGED_BY else "analysisTarget"]
    return {
        "location": _at(one.file),
        "roles": [*roles, *(["standardStream"] if one.file == STANDARD_INPUT else [])],
        "hashes": {"sha-256": visible(one.sha256)},
        "properties": {
            "kind": visible(one.kind),
            "read": one.read,
            "checked": one.checked,
            "quarantined": one.quarantined,
            "repeated": one.repeated,
            "contradicted": one.contradicted,
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
    """The id, also under the one name that GitHub looks at: lines that move make no new alert."""
    id_ = visible(finding.id)
    return {"fairdeal/v1": id_, "primaryLocationLineHash": id_}


def _suppressions(finding: Finding) -> list[dict[str, Any]]:
    if finding.waived is None:
        return []
    said = message(waiver_in_words(finding.waived))
    return [{"kind": "external", "status": "accepted", "justification": said}]


def _location(where: Where, results: Results, files: Mapping[str, int]) -> dict[str, Any] | None:
    file, line = file_and_line(where, results)
    logical = list(_logical(where))
    if file is None:
        return {"logicalLocations": logical} if logical else None
    place: dict[str, Any] = {"physicalLocation": _spot(file, line, where.column if where.line else None)}
    if file in files:
        place["physicalLocation"]["artifactLocation"]["index"] = files[file]
    if not where.file:
        place["message"] = {"text": "About the evidence as a whole, not about this file alone."}
    return {**place, **({"logicalLocations": logical} if logical else {})}


def _spot(file: str, line: int | None, column: int | None) -> dict[str, Any]:
    """A place in a file; services ask for a line, so it is 1 where none is known."""
    region = {"startLine": line if line is not None and line > 0 else 1}
    if column is not None and column > 0:
        region["startColumn"] = column
    return {"artifactLocation": _at(file), "region": region}


def _at(file: str) -> dict[str, Any]:
    return {"uri": uri_of(file), **({"uriBaseId": BASE} if is_below(file) and file != STANDARD_INPUT else {})}


def _logical(where: Where) -> Iterator[dict[str, str]]:
    """The spot in play, from the casino down to the wager."""
    seat = None if where.seat is None else str(where.seat)
    path: list[str] = []
    levels = (("casino", where.casino), ("table", where.table), ("round", where.round), ("seat", seat))
    for kind, name in (*levels, ("wager", where.wager)):
        if name is not None:
            path.append(f"{kind} {visible(name)}")
            yield {"name": visible(name), "fullyQualifiedName": "/".join(path), "kind": kind}


def _properties(finding: Finding, results: Results) -> dict[str, Any]:
    """What SARIF has no word for."""
    where = finding.where
    return {
        "status": finding.status.value,
        "severity": finding.severity.value,
        "expected": visible(finding.expected),
        "observed": visible(finding.observed),
        "owed": finding.owed,
        "overpaid": finding.overpaid,
        "currency": _shown(finding.currency or results.subject.currency),
        "currencyExponent": EXPONENT,
        "casino": _shown(where.casino),
        "submission": _shown(where.submission),
        "table": _shown(where.table),
        "round": _shown(where.round),
        "time": _shown(where.time),
        "seat": where.seat,
        "wager": _shown(where.wager),
        "event": where.event,
        "pointer": _shown(where.pointer),
        "context": {visible(name): visible(value) for name, value in (where.context or {}).items()},
        "claimed": None if finding.claimed is None else visible(finding.claimed.reason),
    }


def _shown(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _money(results: Results) -> dict[str, Any]:
    """Return the sums of failures on money; a list of them for several currencies."""
    if results.money is None:
        return {"owed": None, "overpaid": None, "currency": _shown(results.subject.currency)}
    sums = [
        {
            "owed": money.owed,
            "overpaid": money.overpaid,
            "currency": _shown(money.currency or results.subject.currency),
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
        "profile": _shown(results.provenance.profile),
        "open": [
            {"cause": one.cause.value, "says": visible(one.says), "items": one.items, "of": one.of}
            for one in results.open
        ],
    }
