"""Statements that submissions still lack, place by place in the order of the file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from fairdeal.validator.reports.report_wording import capitalize_first, format_count
from fairdeal.validator.results.findings import EvidencePlace, Finding, Status
from fairdeal.validator.results.results import Results
from fairdeal.validator.text.positioned_document import PositionedDocument, parse_pointer

MOST_PLACES = 100
"""Limit of the places that are listed."""
_MOST_RULES = 6
"""Limit of the rules that are listed for a place."""
_OPEN = (Status.NOT_EVIDENCED, Status.NEEDS_ATTESTATION)


class OpenPlace(Struct, frozen=True, kw_only=True):
    """Place of a submission at which rules need a statement."""

    where: EvidencePlace
    """The place."""
    sentences: tuple[str, ...]
    """Messages of the rules that need it."""


def list_open_places(results: Results, sources: Mapping[str, PositionedDocument]) -> list[OpenPlace]:
    """Return the places of submissions at which a statement or an attestation is missing, in the order of the files."""
    places: dict[tuple[str, str], list[Finding]] = {}
    for finding in results.findings:
        where = finding.where
        if finding.status in _OPEN and where.submission is not None and where.file is not None and where.round is None:
            places.setdefault((where.file, where.pointer or ""), []).append(finding)
    files = {file: number for number, file in enumerate(dict.fromkeys(file for file, _ in places))}
    ordered = sorted(places.items(), key=lambda place: (files[place[0][0]], *_find_line(place[1][0], sources)))
    return [
        OpenPlace(where=findings[0].where, sentences=tuple(dict.fromkeys(map(_describe, findings))))
        for _, findings in ordered
    ]


def _find_line(finding: Finding, sources: Mapping[str, PositionedDocument]) -> tuple[int, int]:
    """Return the line and column of a finding; a workbook counts the rows of all its sheets."""
    where = finding.where
    tree = sources.get(where.file or "")
    if tree is None or where.pointer is None:
        return where.line or 0, where.column or 0
    position = tree.get_position(parse_pointer(where.pointer))
    return position.line, position.column


def _describe(finding: Finding) -> str:
    text = finding.expected if finding.status is Status.NEEDS_ATTESTATION else finding.message
    return capitalize_first(text)


def count_open_places(places: list[OpenPlace]) -> str:
    """Return how much is open, in words."""
    rules = format_count(sum(len(place.sentences) for place in places), "statement")
    return f"{rules} at {format_count(len(places), 'place')}"


def list_sentences(place: OpenPlace) -> Iterator[str]:
    """Yield what is missing at a place; of many sentences, only the number of the others."""
    yield from place.sentences[:_MOST_RULES]
    if len(place.sentences) > _MOST_RULES:
        yield f"and {format_count(len(place.sentences) - _MOST_RULES, 'more rule')}"
