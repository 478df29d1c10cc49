"""SARIF 2.1.0: the findings for code-scanning services and editors.

The log has one run: its rules first, then a result on each line. Services refuse a run with more than 25,000 results.
Beyond that the least serious ones are left out; a notification and `properties` count them. Rules have all counts.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, BinaryIO
from urllib.parse import quote_from_bytes

from fairdeal.validator.reports import report_wording
from fairdeal.validator.reports.formats import code_review
from fairdeal.validator.reports.formats.markdown_summary import escape_markdown, escape_message, truncate_text
from fairdeal.validator.reports.json_format import encode_json, write_entries
from fairdeal.validator.reports.report_wording import CitedClause
from fairdeal.validator.results.findings import EvidencePlace, Finding, FindingState, Severity, Status
from fairdeal.validator.results.results import CRITERIA_KINDS, InputFile, RequirementResult, Results
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.plain_values import count_decimals
from fairdeal.validator.text.source import STANDARD_INPUT


def is_below(file: str) -> bool:
    """Return whether a path stays in the folder that it starts from."""
    path = PurePath(file)
    return not path.is_absolute() and ".." not in path.parts


def make_uri(file: str) -> str:
    """Return a file as a URI reference: `logs/a%20b.jsonl`, or `file:///srv/log.jsonl` for an absolute path.

    Names that are not valid Unicode keep the bytes they have on disk.
    """
    path = file.replace(os.sep, "/").removeprefix("./") or "."
    try:
        named = os.fsencode(path)
    except UnicodeEncodeError:
        named = path.encode(errors="replace")
    encoded = quote_from_bytes(named)
    if not PurePath(file).is_absolute():
        return encoded
    return f"file://{encoded}" if encoded.startswith("/") else f"file:///{encoded}"


NAME, DESCRIPTION = 255, 1_024
"""Characters that GitHub accepts in a name and in a description."""

SCORES: Mapping[Severity, str] = MappingProxyType(
    {Severity.CRITICAL: "9.5", Severity.MAJOR: "8.0", Severity.MINOR: "5.0"}
)
"""Score (0.0 to 10.0) that GitHub shows as critical, high or medium; it reads the scores of rules tagged `security`.

Levels alone do not distinguish critical from major."""

_PROBLEM = {
    code_review.Level.ERROR: "error",
    code_review.Level.WARNING: "warning",
    code_review.Level.NOTE: "recommendation",
}


def list_rules(results: Results, first: Mapping[str, Finding]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rules by id: first every requirement of the results, then those that only findings name.

    Args:
        first: the first finding of each requirement, for its message and corrective action.
    """
    cited = report_wording.cite_clauses(results)
    listed = {result.requirement: result for result in reversed(results.requirements)}
    for result in results.requirements:
        if listed.get(result.requirement) is result:
            yield result.requirement, _rule(result, first.get(result.requirement), cited)
    for requirement, finding in first.items():
        if requirement not in listed:
            yield requirement, _unlisted_rule(finding, cited)


def _rule(result: RequirementResult, finding: Finding | None, cited: Mapping[str, CitedClause]) -> dict[str, Any]:
    head = (result.requirement, result.title, result.document, result.clauses, result.severity)
    rule = _common(*head, finding, cited)
    about = {
        "title": sanitize(result.title),
        "evidence": result.evidence.value,
        "status": result.status.value,
        "reason": sanitize(result.reason),
        "totals": {status.value: count for status, count in result.totals.items()},
        "counted": report_wording.format_totals(result.totals),
        "reading": [sanitize(reading) for reading in result.reading],
    }
    return {**rule, "properties": {**rule["properties"], **about}}


def _unlisted_rule(finding: Finding, cited: Mapping[str, CitedClause]) -> dict[str, Any]:
    id_, document = finding.requirement, finding.document
    return _common(id_, finding.message, document, finding.clauses, finding.severity, finding, cited)


def _common(
    id_: str,
    title: str,
    document: str,
    clauses: tuple[str, ...],
    severity: Severity,
    finding: Finding | None,
    cited: Mapping[str, CitedClause],
) -> dict[str, Any]:
    level = code_review.choose_severity_level(severity)
    meaning = finding.message if finding else title
    remedy = finding.remedy if finding else None
    listed = [(clause, cited.get(clause)) for clause in clauses]
    plain = [meaning, *([f"Corrective action: {remedy}"] if remedy else []), "Clauses:", *map(_plain_clause, listed)]
    marked = [
        escape_markdown(meaning),
        *([f"**Corrective action:** {escape_markdown(remedy)}"] if remedy else []),
        "**Clauses**",
    ]
    return {
        "id": sanitize(id_),
        "name": truncate_text(make_pascal_case(id_), NAME),
        "shortDescription": {"text": escape_message(truncate_text(title, DESCRIPTION // 2))},
        "fullDescription": {"text": escape_message(truncate_text(meaning, DESCRIPTION // 2))},
        "help": {
            "text": "\n".join(map(escape_message, plain)),
            "markdown": "\n\n".join((*marked, "\n".join(map(_marked_clause, listed)))) + "\n",
        },
        "defaultConfiguration": {"level": level.value},
        "properties": {
            "tags": list(dict.fromkeys(("security", "casino-regulation", severity.value, sanitize(document)))),
            "precision": "very-high",
            "problem.severity": _PROBLEM[level],
            "security-severity": SCORES[severity],
            "severity": severity.value,
            "document": sanitize(document),
            "clauses": [sanitize(clause) for clause in clauses],
        },
    }


def make_pascal_case(id_: str) -> str:
    """Return the name of a rule from its id without its document: `law/cut-the-cards` becomes `CutTheCards`."""
    return "".join(word[:1].upper() + word[1:] for word in _words(id_.rpartition("/")[2])) or "Requirement"


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[0-9A-Za-z]+", text)


def _plain_clause(clause: tuple[str, CitedClause | None]) -> str:
    id_, known = clause
    if known is None:
        return f"- {id_}"
    return ": ".join(
        [f"- {id_}: {known.gist} ({known.regulation}, {known.label})", *([" ".join(known.text)] if known.text else [])]
    )


def _marked_clause(clause: tuple[str, CitedClause | None]) -> str:
    id_, known = clause
    if known is None:
        return f"- **{escape_markdown(id_)}**"
    quoted = "\n".join(f"  > {escape_markdown(line)}" for line in known.text)
    citation = escape_markdown(f"{known.regulation}, {known.label}")
    words = f"- **{escape_markdown(id_)}**: {escape_markdown(known.gist)} ({citation})"
    return f"{words}\n\n{quoted}\n" if quoted else words


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

_BASELINE = {FindingState.NEW: "new", FindingState.KNOWN: "unchanged"}
_UTC = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


def write_sarif(results: Results, stream: BinaryIO) -> None:
    """Write the log (JSON, UTF-8), in two passes over the findings: one to count and one to write."""
    first: dict[str, Finding] = {}
    found: Counter[code_review.FindingRank] = Counter()
    for finding in results.findings:
        first.setdefault(finding.requirement, finding)
        found[code_review.rank_finding(finding)] += 1
    room = _room(found)
    about = dict(list_rules(results, first))
    numbers = {id_: number for number, id_ in enumerate(about)}
    left_out = found.total() - room.total()
    artifacts = {file.file: _artifact(file) for file in reversed(results.provenance.inputs)}
    artifacts = dict(reversed(artifacts.items()))
    stream.write(b'{"$schema":%b,"version":"2.1.0","runs":[{\n' % encode_json(SCHEMA))
    # The driver is closed once its rules are written.
    stream.write(b'"tool":{"driver":%b,"rules":[' % encode_json(_driver(results)).removesuffix(b"}"))
    write_entries(stream, map(encode_json, about.values()))
    stream.write(b']}},\n"invocations":[%b],\n' % encode_json(_invocation(results, left_out)))
    stream.write(b'"originalUriBaseIds":%b,\n"artifacts":[' % encode_json(_BASES))
    write_entries(stream, map(encode_json, artifacts.values()))
    stream.write(b'],\n"columnKind":"unicodeCodePoints",\n"results":[')
    files = {file: number for number, file in enumerate(artifacts)}
    written = (_result(finding, results, numbers, files) for finding in _choose_findings(results, room))
    write_entries(stream, map(encode_json, written))
    stream.write(b'],\n"properties":%b}]}\n' % encode_json(_about(results, found.total(), left_out)))


def _room(found: Mapping[code_review.FindingRank, int]) -> Counter[code_review.FindingRank]:
    """Return how many findings of each rank are written, the worst first."""
    room: Counter[code_review.FindingRank] = Counter()
    for rank in code_review.FindingRank:
        room[rank] = min(found.get(rank, 0), MOST_RESULTS - room.total())
    return room


def _choose_findings(results: Results, room: Counter[code_review.FindingRank]) -> Iterator[Finding]:
    for finding in results.findings:
        rank = code_review.rank_finding(finding)
        if room[rank]:
            room[rank] -= 1
            yield finding


def _driver(results: Results) -> dict[str, Any]:
    name, _, version = results.provenance.program.rpartition(" ")
    return {"name": sanitize(name or version), "version": sanitize(version)}


def _invocation(results: Results, left_out: int) -> dict[str, Any]:
    """Return the invocation, with quarantined records and omitted results as notifications."""
    notes = [
        _note(f"A record was quarantined: {record.reason}", _spot(record.file, record.line, record.column))
        for record in results.quarantined
    ]
    notes += [
        _note(f"The file could not be read: {file.reason}", _spot(file.file, file.line, file.column), level="error")
        for file in results.unreadable
    ]
    unlisted = report_wording.count_quarantined(results) - len(results.quarantined)
    if unlisted > 0:
        notes.append(_note(f"{report_wording.format_count(unlisted, 'more record')} quarantined."))
    notes += [_note(f"{sentence_}.", level="note") for sentence_ in report_wording.describe_repeated_rounds(results)]
    if left_out:
        notes.append(
            _note(
                f"{report_wording.format_count(left_out, 'finding')} left out, the least serious, to keep to "
                f"{MOST_RESULTS:,}."
            )
        )
    ended = results.provenance.generated
    return {
        "executionSuccessful": not results.unreadable,
        **({"endTimeUtc": ended} if re.fullmatch(_UTC, ended) else {}),
        "toolExecutionNotifications": notes,
    }


def _note(text: str, spot: Mapping[str, Any] | None = None, *, level: str = "warning") -> dict[str, Any]:
    places = [] if spot is None else [{"physicalLocation": spot}]
    return {"level": level, "message": {"text": escape_message(text)}, "locations": places}


def _artifact(file: InputFile) -> dict[str, Any]:
    roles = ["userSpecifiedConfiguration" if file.kind in CRITERIA_KINDS else "analysisTarget"]
    return {
        "location": _artifact_location(file.file),
        "roles": [*roles, *(["standardStream"] if file.file == STANDARD_INPUT else [])],
        "hashes": {"sha-256": sanitize(file.sha256)},
        "properties": {
            "kind": sanitize(file.kind),
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
        "ruleId": sanitize(finding.requirement),
        "ruleIndex": numbers[finding.requirement],
        "kind": KINDS[finding.status],
        # The standard knows a level of failures alone (3.27.10).
        "level": code_review.choose_level(finding).value if failed else "none",
        "message": {"text": escape_message(code_review.describe_finding(finding))},
        "locations": [] if place is None else [place],
        **({"partialFingerprints": _fingerprints(finding)} if finding.id else {}),
        "suppressions": _suppressions(finding),
        **({} if finding.state is None else {"baselineState": _BASELINE[finding.state]}),
        **({"occurrenceCount": finding.count} if finding.count > 0 else {}),
        "properties": _properties(finding, results),
    }


def _fingerprints(finding: Finding) -> dict[str, str]:
    """Return the id, also under the only name that GitHub reads, so that moved lines make no new alert."""
    id_ = sanitize(finding.id)
    return {"fairdeal/v1": id_, "primaryLocationLineHash": id_}


def _suppressions(finding: Finding) -> list[dict[str, Any]]:
    if finding.waived is None:
        return []
    justification = escape_message(report_wording.describe_waiver(finding.waived))
    return [{"kind": "external", "status": "accepted", "justification": justification}]


def _location(where: EvidencePlace, results: Results, files: Mapping[str, int]) -> dict[str, Any] | None:
    file, line = code_review.locate_finding(where, results)
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
    return {"uri": make_uri(file), **({"uriBaseId": BASE} if is_below(file) and file != STANDARD_INPUT else {})}


def _logical(where: EvidencePlace) -> Iterator[dict[str, str]]:
    """Yield the place in play, from the casino down to the wager."""
    seat = None if where.seat is None else str(where.seat)
    path: list[str] = []
    levels = (("casino", where.casino), ("table", where.table), ("round", where.round), ("seat", seat))
    for kind, name in (*levels, ("wager", where.wager)):
        if name is not None:
            path.append(f"{kind} {sanitize(name)}")
            yield {"name": sanitize(name), "fullyQualifiedName": "/".join(path), "kind": kind}


def _properties(finding: Finding, results: Results) -> dict[str, Any]:
    """Return the details of a finding that SARIF has no property for."""
    where = finding.where
    currency = finding.currency or results.subject.currency
    return {
        "status": finding.status.value,
        "severity": finding.severity.value,
        "expected": sanitize(finding.expected),
        "observed": sanitize(finding.observed),
        "owed": finding.owed,
        "overpaid": finding.overpaid,
        "party": finding.party,
        "currency": _visible_or_none(currency),
        "currencyExponent": count_decimals(currency),
        "casino": _visible_or_none(where.casino),
        "submission": _visible_or_none(where.submission),
        "table": _visible_or_none(where.table),
        "round": _visible_or_none(where.round),
        "time": _visible_or_none(where.time),
        "localTime": _visible_or_none(where.local),
        "gamingDay": _visible_or_none(where.day),
        "seat": where.seat,
        "player": _visible_or_none(where.player),
        "wager": _visible_or_none(where.wager),
        "event": where.event,
        "pointer": _visible_or_none(where.pointer),
        "context": {sanitize(name): sanitize(value) for name, value in (where.context or {}).items()},
        "claimed": None if finding.claimed is None else sanitize(finding.claimed.reason),
    }


def _visible_or_none(text: str | None) -> str | None:
    return None if text is None else sanitize(text)


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
        "standing": report_wording.summarize_requirements(results),
        "findings": found,
        "findingsLeftOut": left_out,
        **_money(results),
        "currencyExponent": count_decimals(results.subject.currency),
        "rulebookVersion": _visible_or_none(results.provenance.rulebook_version),
        "rulebookDate": _visible_or_none(results.provenance.rulebook_date),
        "rulebookSha256": sanitize(results.provenance.rulebook_sha256),
        "profile": _visible_or_none(results.provenance.profile),
        "open": [
            {"cause": gap.cause.value, "says": sanitize(gap.says), "items": gap.items, "of": gap.of}
            for gap in results.open
        ],
    }
