"""Findings, a line each, as compilers write and editors read: `file:line:column: word requirement message`."""

from __future__ import annotations

from typing import BinaryIO

from validator.reports.formats.levels import sentence, word_of
from validator.reports.wording import play_parts, set_aside
from validator.results.findings import Where
from validator.results.results import Results
from validator.text.visible import visible


def write_concise(results: Results, stream: BinaryIO) -> None:
    """Write a line for each finding and each quarantined record.

    An unknown line or column is written as 1 and an unknown file as `-`, so that every line has the same form.
    """
    for finding in results.findings:
        play = ", ".join(f"{name} {value}" for name, value in play_parts(finding.where))
        text = sentence(finding) + (f" ({play})" if play else "")
        text += "" if finding.state is None else f" [{finding.state.value}]"
        _write_line(f"{_spot(finding.where)}: {word_of(finding)} {finding.requirement} {text}", stream)
    for record in results.quarantined:
        where = Where(file=record.file, line=record.line, column=record.column)
        _write_line(f"{_spot(where)}: quarantined - {record.reason}", stream)
    unlisted = set_aside(results) - len(results.quarantined)
    if unlisted > 0:
        _write_line(f"-:1:1: quarantined - {unlisted:,} more", stream)


def _spot(where: Where) -> str:
    return f"{where.file or '-'}:{where.line or 1}:{where.column or 1}"


def _write_line(line: str, stream: BinaryIO) -> None:
    stream.write(f"{visible(line)}\n".encode())
