"""Check of the row groups in the footer of a Parquet file against the bounds of a round, before any is read."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.parquet as pq

from validator.evidence.arrow.schema import NOT_LOOKED_AT, nested
from validator.evidence.handlog.record import (
    MOST_CONTEXT,
    MOST_EVENTS,
    MOST_METERS,
    MOST_SEATS,
    MOST_STAKES,
    MOST_UNRECORDED,
)
from validator.text.diagnostics import Diagnostic, InputError, at_most
from validator.text.memory_bound import UNFOLDED_BYTES

_MOST_ENTRIES = {
    "events.": MOST_EVENTS,
    "seats.wagers.": MOST_SEATS * MOST_STAKES,
    "seats.bonuses.": MOST_SEATS * MOST_STAKES,
    "seats.": MOST_SEATS,
    "meters.": MOST_METERS,
    "unrecorded": MOST_UNRECORDED,
    "context": MOST_CONTEXT,
}
"""Most entries of a round in a column, by the beginning of its name; 1 for all other columns."""
_BYTES_A_VALUE = 1 << 10
"""Most bytes of a text of a round, with its overhead."""
_LEAST_BYTES_A_VALUE = 8
"""Fewest bytes that a reader holds for a value, even a missing one."""


def check_sizes(file: pq.ParquetFile, path: str) -> None:
    """Raise InputError if a row group holds more than its rounds can and more than the memory bound allows.

    Rounds that hold too much but fit into the bound are quarantined one by one by the reader.
    """
    problems = at_most(_find_oversize_columns(file, path))
    if problems:
        raise InputError(problems)


def _find_oversize_columns(file: pq.ParquetFile, path: str) -> Iterator[Diagnostic]:
    names = list(nested(file.schema_arrow))
    for index in range(file.num_row_groups):
        group = file.metadata.row_group(index)
        for place, name in enumerate(names):
            if name.startswith(NOT_LOOKED_AT):
                continue
            column = group.column(place)
            values, size = column.num_values, column.total_uncompressed_size
            most_values = group.num_rows * _most_entries(name)
            if values > max(most_values, UNFOLDED_BYTES // _LEAST_BYTES_A_VALUE):
                excess = (
                    f"{values:,} values of the column `{name}`: {group.num_rows:,} rounds have at most {most_values:,}"
                )
            elif size > max(values * _BYTES_A_VALUE, UNFOLDED_BYTES):
                excess = (
                    f"{size:,} bytes of the column `{name}`: {values:,} values take at most {_BYTES_A_VALUE:,} each"
                )
            else:
                continue
            message = f"row group {index + 1} holds {excess}"
            yield Diagnostic(code="too-large", message=message, file=path, help="remove the rows that are not rounds")


def _most_entries(name: str) -> int:
    return next((most for prefix, most in _MOST_ENTRIES.items() if name.startswith(prefix)), 1)
