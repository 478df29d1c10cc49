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
"""The most entries that a round has of a column, by what the name of the column begins with; of all others, one."""
_BYTES_A_VALUE = 1 << 10
"""No text of a round takes more bytes, with all that is stored about it."""
_LEAST_BYTES_A_VALUE = 8
"""Of each value, be it missing, a reader holds so many bytes."""


def check_sizes(file: pq.ParquetFile, path: str) -> None:
    """Raise InputError if a row group holds more than as many rounds can and than the bound allows.

    Where rounds hold too much that can be read within the bound, the reader sets them aside one by one.
    """
    problems = at_most(_problems(file, path))
    if problems:
        raise InputError(problems)


def _problems(file: pq.ParquetFile, path: str) -> Iterator[Diagnostic]:
    names = list(nested(file.schema_arrow))
    for index in range(file.num_row_groups):
        group = file.metadata.row_group(index)
        for place, name in enumerate(names):
            if name.startswith(NOT_LOOKED_AT):
                continue
            column = group.column(place)
            values, size = column.num_values, column.total_uncompressed_size
            most = group.num_rows * _most_entries(name)
            if values > max(most, UNFOLDED_BYTES // _LEAST_BYTES_A_VALUE):
                what = f"{values:,} values of the column `{name}`: {group.num_rows:,} rounds have at most {most:,}"
            elif size > max(values * _BYTES_A_VALUE, UNFOLDED_BYTES):
                what = f"{size:,} bytes of the column `{name}`: {values:,} values take at most {_BYTES_A_VALUE:,} each"
            else:
                continue
            message = f"row group {index + 1} holds {what}"
            yield Diagnostic(code="too-large", message=message, file=path, help="leave out the rounds that are none")


def _most_entries(name: str) -> int:
    return next((most for begins, most in _MOST_ENTRIES.items() if name.startswith(begins)), 1)
