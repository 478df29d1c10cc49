"""The rules of a SARIF log: every requirement with its meaning, its clauses and what to do, as viewers show it."""

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
"""The most characters that GitHub takes of a name and of a description."""

SCORES: Mapping[Severity, str] = MappingProxyType(
    {Severity.CRITICAL: "9.5", Severity.MAJOR: "8.0", Severity.MINOR: "5.0"}
)
"""Each severity as the score (0.0 to 10.0) that GitHub calls critical, high and medium: levels do not tell the first
two apart. It looks at the score of rules with the tag `security` alone."""

_PROBLEM = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "recommendation"}


def rules(results: Results, first: Mapping[str, Finding]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rules by id: first every requirement that was asked about, then those that only findings name.

    `first` is the first finding of each requirement, which says what a failure means and what to do.
    """
    gists = {one.clause: one for one in results.clauses}
    asked = {one.requirement: one for one in reversed(results.requirements)}
    for one in results.requirements:
        if asked.get(one.requirement) is one:
            yield one.requirement, _rule(one, first.get(one.requirement), gists)
    for requirement, finding in first.items():
        if requirement not in asked:
            yield requirement, _unlisted(finding, gists)


def _rule(one: RequirementResult, finding: Finding | None, gists: Mapping[str, ClauseText]) -> dict[str, Any]:
    rule = _common(one.requirement, one.title, one.document, one.clauses, one.severity, finding, gists)
    about = {
        "title": visible(one.title),
        "evidence": one.evidence.value,
        "status": one.status.value,
        "reason": visible(one.reason),
        "totals": {status.value: count for status, count in one.totals.items()},
        "counted": totals_line(one.totals),
        "reading": [visible(reading) for reading in one.reading],
    }
    return {**rule, "properties": {**rule["properties"], **about}}


def _unlisted(finding: Finding, gists: Mapping[str, ClauseText]) -> dict[str, Any]:
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
    plain = [meaning, *([f"Remedy: {remedy}"] if remedy else []), "Clauses:", *map(_plain_clause, listed)]
    marked = [md(meaning), *([f"**Remedy:** {md(remedy)}"] if remedy else []), "**Clauses**"]
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
    """The name of a rule from its id without its document: `law/cut-the-cards` is `CutTheCards`."""
    return "".join(word[:1].upper() + word[1:] for word in _words(id_.rpartition("/")[2])) or "Requirement"


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[0-9A-Za-z]+", text)


def _plain_clause(clause: tuple[str, ClauseText | None]) -> str:
    id_, known = clause
    return f"- {id_}" if known is None else f"- {id_}: {known.gist} ({known.source}, {_lines(known)})"


def _marked_clause(clause: tuple[str, ClauseText | None]) -> str:
    id_, known = clause
    told = "" if known is None else f": {md(known.gist)} ({md(known.source)}, {_lines(known)})"
    return f"- **{md(id_)}**{told}"


def _lines(clause: ClauseText) -> str:
    first, last = clause.first_line, clause.last_line
    return f"line {first}" if first == last else f"lines {first} to {last}"
