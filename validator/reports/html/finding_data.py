"""Data of all findings in the HTML page: columns in blocks, with numbered texts, deflated, in base64.

Each line of the inflated data is a JSON object. The first applies to all findings. Each further one is a block with new
`texts` (numbered on from those before), its number of `rows`, and its `columns`. Columns without a value in the block
are left out. Columns hold:

- numbers of texts (`TEXTS`), None for none; several values are one text with a line for each;
- texts (`WORDS`), 0 for the text of the finding before;
- whole numbers (`NUMBERS`); `line` is the difference from the finding before.

All texts are made visible first. Memory holds one block and the numbered texts.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec.json import encode

from validator.reports.overview import day_of
from validator.reports.wording import claim_in_words, waiver_in_words
from validator.results.findings import Finding
from validator.text.visible import visible

TEXTS = (
    *("requirement", "document", "status", "severity", "state", "message", "remedy", "clauses", "reading"),
    *("waived", "claimed", "casino", "table", "day", "wager", "pointer", "submission", "context", "file", "currency"),
)
"""Columns of numbered texts."""
WORDS = ("expected", "observed", "round", "clock", "id")
"""Columns of texts."""
NUMBERS = ("line", "column", "seat", "event", "count", "owed", "overpaid")
"""Columns of whole numbers."""

BLOCK = 2_000
"""Findings in a block."""
_LEVEL = 6
_PIECE = 57 * 1_000
"""Bytes that are encoded at once: a multiple of three, so that base64 needs no padding."""


def finding_data(findings: Iterable[Finding], about: Mapping[str, Any]) -> Iterator[str]:
    """Yield the data in base64, piece by piece.

    Args:
        about: the first line, with texts already made visible.
    """
    waiting = b""
    for piece in _deflate(_lines(findings, about)):
        waiting += piece
        whole = len(waiting) // _PIECE * _PIECE
        if whole:
            yield b64encode(waiting[:whole]).decode()
            waiting = waiting[whole:]
    yield b64encode(waiting).decode()


def _deflate(lines: Iterable[bytes]) -> Iterator[bytes]:
    deflate = zlib.compressobj(_LEVEL)
    for line in lines:
        yield deflate.compress(line + b"\n")
    yield deflate.flush()


def _lines(findings: Iterable[Finding], about: Mapping[str, Any]) -> Iterator[bytes]:
    yield encode(about)
    numbers: dict[str, int] = {}
    rest = iter(findings)
    while block := list(islice(rest, BLOCK)):
        yield encode(_block(block, numbers))


def _block(block: list[Finding], numbers: dict[str, int]) -> dict[str, Any]:
    rows = [_row(finding) for finding in block]
    known = len(numbers)
    columns: dict[str, list[Any]] = {name: [row[name] for row in rows] for name in (*TEXTS, *WORDS, *NUMBERS)}
    for name in TEXTS:
        columns[name] = [None if text is None else numbers.setdefault(text, len(numbers)) for text in columns[name]]
    for name in WORDS:
        columns[name] = [_unless_as_before(text, before) for text, before in _with_before(columns[name])]
    before = 0
    for at, line in enumerate(columns["line"]):
        if line is not None:
            columns["line"][at], before = line - before, line
    return {
        "texts": list(islice(numbers, known, None)),
        "rows": len(block),
        "columns": {name: column for name, column in columns.items() if any(value is not None for value in column)},
    }


def _with_before(texts: list[str | None]) -> Iterator[tuple[str | None, str | None]]:
    return zip(texts, [None, *texts], strict=False)


def _unless_as_before(text: str | None, before: str | None) -> str | int | None:
    return 0 if text is not None and text == before else text


def _row(finding: Finding) -> dict[str, Any]:
    where, waived, claimed = finding.where, finding.waived, finding.claimed
    day = day_of(where.time)
    claim = None if claimed is None else claim_in_words(claimed, granted=waived is not None)
    return {
        "requirement": visible(finding.requirement),
        "document": visible(finding.document),
        "status": finding.status.value,
        "severity": finding.severity.value,
        "state": None if finding.state is None else finding.state.value,
        "message": visible(finding.headline),
        "remedy": _visible_or_none(finding.remedy),
        "clauses": _lines_of(finding.clauses),
        "reading": _lines_of(finding.reading),
        "waived": None if waived is None else visible(waiver_in_words(waived)),
        "claimed": _visible_or_none(claim),
        "casino": _visible_or_none(where.casino),
        "table": _visible_or_none(where.table),
        "day": day,
        "wager": _visible_or_none(where.wager),
        "pointer": _visible_or_none(where.pointer),
        "submission": _visible_or_none(where.submission),
        "context": _lines_of(part for pair in (where.context or {}).items() for part in pair),
        "file": _visible_or_none(where.file),
        "currency": _visible_or_none(finding.currency),
        "expected": visible(finding.expected),
        "observed": visible(finding.observed),
        "round": _visible_or_none(where.round),
        "clock": _visible_or_none(where.time if day is None or where.time is None else where.time[10:]),
        "id": visible(finding.id),
        "line": where.line,
        "column": where.column,
        "seat": where.seat,
        "event": where.event,
        "count": None if finding.count == 1 else finding.count,
        "owed": finding.owed,
        "overpaid": finding.overpaid,
    }


def _visible_or_none(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _lines_of(texts: Iterable[str]) -> str | None:
    """Join texts as lines of one text; visible texts contain no line breaks."""
    return "\n".join(map(visible, texts)) or None
