"""Rules of a SARIF log: every requirement with its meaning, its clauses and the corrective action."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from validator.reports.formats.levels import Level, severity_level
from validator.reports.formats.markdown_text import md
from validator.reports.formats.sarif_text import cut, message
from validator.reports.wording import totals_line
from validator.results.findings import Finding
from validator.results.results import RequirementResult, Results
from validator.results.statuses import Severity
from validator.results.subject import ClauseText
from validator.text.visible import visible

NAME, DESCRIPTION = 255, 1_024
"""Characters that GitHub accepts in a name and in a description."""

SCORES: Mapping[Severity, str] = MappingProxyType(
    {Severity.CRITICAL: "9.5", Severity.MAJOR: "8.0", Severity.MINOR: "5.0"}
)
"""Score (0.0 to 10.0) that GitHub shows as critical, high or medium; it reads the scores of rules tagged `security`.

Levels alone do not distinguish critical from major."""

_PROBLEM = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}


def rules(results: Results, first: Mapping[str, Finding]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rules by id: first every requirement of the results, then those that only findings name.

    Args:
        first: the first finding of each requirement, for its message and corrective action.
    """
    gists = {clause.clause: clause for clause in results.clauses}
    listed = {result.requirement: result for result in reversed(results.requirements)}
    for result in results.requirements:
        if listed.get(result.requirement) is result:
            yield result.requirement, _rule(result, first.get(result.requirement), gists)
    for requirement, finding in first.items():
        if requirement not in listed:
            yield requirement, _unlisted_rule(finding, gists)


def _rule(result: RequirementResult, finding: Finding | None, gists: Mapping[str, ClauseText]) -> dict[str, Any]:
    head = (result.requirement, result.title, result.document, result.clauses, result.severity)
    rule = _common(*head, finding, gists)
    about = {
        "title": visible(result.title),
        "evidence": result.evidence.value,
        "status": result.status.value,
        "reason": visible(result.reason),
        "totals": {status.value: count for status, count in result.totals.items()},
        "counted": totals_line(result.totals),
        "reading": [visible(reading) for reading in result.reading],
    }
    return {**rule, "properties": {**rule["properties"], **about}}


def _unlisted_rule(finding: Finding, gists: Mapping[str, ClauseText]) -> dict[str, Any]:
    id_, document = finding.requirement, finding.document
    return _common(id_, finding.message, document, finding.clauses, finding.severity, finding, gists)


def _common(
    id_: str,
    title: str,
    document: str,
    clauses: tuple[str, ...],
    severity: Severity,
    finding: Finding | None,
    gists: Mapping[str, ClauseText],
) -> dict[str, Any]:
    level = severity_level(severity)
    meaning = finding.message if finding else title
    remedy = finding.remedy if finding else None
    listed = [(clause, gists.get(clause)) for clause in clauses]
    plain = [meaning, *([f"Corrective action: {remedy}"] if remedy else []), "Clauses:", *map(_plain_clause, listed)]
    marked = [md(meaning), *([f"**Corrective action:** {md(remedy)}"] if remedy else []), "**Clauses**"]
    return {
        "id": visible(id_),
        "name": cut(pascal_case(id_), NAME),
        "shortDescription": {"text": message(cut(title, DESCRIPTION // 2))},
        "fullDescription": {"text": message(cut(meaning, DESCRIPTION // 2))},
        "help": {
            "text": "\n".join(map(message, plain)),
            "markdown": "\n\n".join((*marked, "\n".join(map(_marked_clause, listed)))) + "\n",
        },
        "defaultConfiguration": {"level": level.value},
        "properties": {
            "tags": list(dict.fromkeys(("security", "casino-regulation", severity.value, visible(document)))),
            "precision": "very-high",
            "problem.severity": _PROBLEM[level],
            "security-severity": SCORES[severity],
            "severity": severity.value,
            "document": visible(document),
            "clauses": [visible(clause) for clause in clauses],
        },
    }


def pascal_case(id_: str) -> str:
    """Return the name of a rule from its id without its document: `law/cut-the-cards` becomes `CutTheCards`."""
    return "".join(word[:1].upper() + word[1:] for word in _words(id_.rpartition("/")[2])) or "Requirement"


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[0-9A-Za-z]+", text)


def _plain_clause(clause: tuple[str, ClauseText | None]) -> str:
    id_, known = clause
    return f"- {id_}" if known is None else f"- {id_}: {known.gist} ({known.source}, {_lines(known)})"


def _marked_clause(clause: tuple[str, ClauseText | None]) -> str:
    id_, known = clause
    gist = "" if known is None else f": {md(known.gist)} ({md(known.source)}, {_lines(known)})"
    return f"- **{md(id_)}**{gist}"


def _lines(clause: ClauseText) -> str:
    first, last = clause.first_line, clause.last_line
    return f"line {first}" if first == last else f"lines {first} to {last}"
