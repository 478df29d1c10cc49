"""Annotations of GitHub Actions: workflow commands that show findings at the lines they refer to.

A step shows the first 10 errors, 10 warnings and 10 notices. The first finding of every requirement therefore comes
before any second one, worst first, with no more than `PER_REQUIREMENT` of each. Quarantined records are warnings,
after the findings.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import BinaryIO

from validator.reports.formats.levels import Level, level_of, sentence, word_of, worst_rank
from validator.reports.grouping import Group, groups
from validator.reports.wording import counted, play_parts, summary_line
from validator.results.findings import Finding, Where
from validator.results.results import Quarantined, Results
from validator.text.visible import visible

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
    found = sorted(groups(results.findings, limit=PER_REQUIREMENT), key=worst_rank)
    rounds = max((len(group.shown) for group in found), default=0)
    for turn in range(rounds):
        for group in found:
            if turn < len(group.shown):
                _annotate(group, turn, stream)
    unshown = sum(group.unshown for group in found)
    more = f"; {counted(unshown, 'finding')} more without an annotation" if unshown else ""
    for record in results.quarantined[:RECORDS]:
        _write_command("warning", {**_place(record), "title": "quarantined"}, visible(record.reason), stream)
    _write_command("notice", {"title": f"fairdeal: {results.verdict.value}"}, summary_line(results) + more, stream)


def _annotate(group: Group, turn: int, stream: BinaryIO) -> None:
    finding = group.shown[turn]
    parts = {**_place(finding.where), "title": f"{word_of(finding)}: {finding.requirement}"}
    _write_command(COMMANDS[level_of(finding)], parts, "\n".join(_lines(finding, group, turn)), stream)


def _place(where: Where | Quarantined) -> dict[str, str]:
    place = {"file": where.file, "line": where.line, "col": where.column if where.line else None}
    return {name: str(value) for name, value in place.items() if value}


def _lines(finding: Finding, group: Group, turn: int) -> list[str]:
    play = ", ".join(f"{name} {value}" for name, value in play_parts(finding.where))
    lines = [visible(sentence(finding)), *([visible(play)] if play else [])]
    if finding.remedy:
        lines.append(visible(f"Corrective action: {finding.remedy}"))
    if finding.clauses:
        lines.append(visible(f"Clauses: {', '.join(finding.clauses)}"))
    if turn == 0 and group.total > 1:
        lines.append(f"{counted(group.total - 1, 'finding')} more of this requirement")
    return lines


def _write_command(command: str, properties: Mapping[str, str], message: str, stream: BinaryIO) -> None:
    """Write one command, with the characters encoded that end a property or a line."""
    given = ",".join(f"{name}={_property(visible(value))}" for name, value in properties.items())
    text = message if len(message) <= LONGEST else f"{message[:LONGEST]}..."
    stream.write(f"::{command} {given}::{_data(text)}\n".encode())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
