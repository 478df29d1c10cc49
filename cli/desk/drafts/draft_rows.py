"""Rows of two keys, such as those of a pay table, as lines that people type: `flush: 5 to 1`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.rulebook.vocabulary.submission_places import SubmissionPlace, place_from_annotation
from fairdeal.validator.text.closed_model import to_key
from fairdeal.validator.text.positioned_document import Data, DataPath

SEPARATOR = ": "
"""Separator of the two values of a row."""


def format_rows(stated: Data) -> tuple[str, ...]:
    """Return rows as lines; a row of another form is shown as it is."""
    if not isinstance(stated, list):
        return () if stated is None else (str(stated),)
    return tuple(SEPARATOR.join(map(str, row.values())) if isinstance(row, dict) else str(row) for row in stated)


def parse_rows(path: DataPath, lines: Sequence[str]) -> list[Any]:
    """Return lines as rows with the two keys of a place; a line without a separator has the first key alone."""
    place = find_place(path)
    item = None if place is None else place.get_item()
    assert item is not None and item.fields is not None, path
    first, second = map(to_key, item.fields.model_fields)
    rows: list[Any] = []
    for line in lines:
        name, separator, value = line.partition(SEPARATOR.strip())
        rows.append({first: name.strip(), second: value.strip()} if separator else {first: name.strip()})
    return rows


def find_place(path: DataPath) -> SubmissionPlace | None:
    """Return the values that a place of a submission may have; None if there is no such place."""
    place: SubmissionPlace | None = place_from_annotation(Submission)
    for step in path:
        if place is None:
            return None
        place = place.get_item() if isinstance(step, int) else place.get_child(step)
    return place
