"""Findings, a line each, as compilers write and editors read: `file:line:column: word requirement message`."""

from __future__ import annotations

from typing import BinaryIO

from validator.reports.formats.levels import describe_finding, label_finding
from validator.reports.wording import count_quarantined, list_place_parts
from validator.results.findings import EvidencePlace
from validator.results.results import Results
from validator.text.visible import sanitize


def write_concise(results: Results, stream: BinaryIO) -> None:
    """Write a line for each finding and each quarantined record.

    An unknown line or column is written as 1 and an unknown file as `-`, so that every line has the same form.
    """
    for finding in results.findings:
        play = ", ".join(f"{name} {value}" for name, value in list_place_parts(finding.where))
        text = describe_finding(finding) + (f" ({play})" if play else "")
        text += "" if finding.state is None else f" [{finding.state.value}]"
        _write_line(f"{_spot(finding.where)}: {label_finding(finding)} {finding.requirement} {text}", stream)
    for record in results.quarantined:
        where = EvidencePlace(file=record.file, line=record.line, column=record.column)
        _write_line(f"{_spot(where)}: quarantined - {record.reason}", stream)
    unlisted = count_quarantined(results) - len(results.quarantined)
    if unlisted > 0:
        _write_line(f"-:1:1: quarantined - {unlisted:,} more", stream)


def _spot(where: EvidencePlace) -> str:
    return f"{where.file or '-'}:{where.line or 1}:{where.column or 1}"


def _write_line(line: str, stream: BinaryIO) -> None:
    stream.write(f"{sanitize(line)}\n".encode())
