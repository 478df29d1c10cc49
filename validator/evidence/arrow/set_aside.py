"""List of the records that were quarantined when a store was written. Its rows are read as quarantined records.

Without it, an audit of a store would claim that every record was read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection

import pyarrow as pa
from msgspec import Struct

from validator.evidence.assembly.assemble import Decoded
from validator.results.results import Quarantined
from validator.text.diagnostics import Diagnostic, InputError

SCHEMA = pa.schema(
    [
        pa.field("log", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("column", pa.int64()),
        pa.field("reason", pa.string(), nullable=False),
    ]
)
_LONGEST = 4096
"""Most characters that are read of a name or a reason."""


def is_list(schema: pa.Schema) -> bool:
    """Return whether a table is a quarantine list, by its columns."""
    return schema.names == SCHEMA.names and schema.types == SCHEMA.types


class SetAsideRows(Struct, frozen=True, kw_only=True):
    """Rows of a quarantine list."""

    name: str
    """Name of the file in messages and results."""
    table: pa.Table
    """The rows."""
    first_row: int
    """Number of the first row in the file."""
    size: int
    """Share of the rows in the bytes of the file."""

    def decode(self, known_games: Collection[str]) -> Decoded:  # noqa: ARG002 - there are no rounds
        """Return the quarantined records, each with its location and reason. Raises InputError if the list is
        damaged."""
        try:
            logs, lines, columns, reasons = (self.table.column(name).to_pylist() for name in SCHEMA.names)
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise _list_damaged_error(self.name) from error
        if None in logs or None in lines or None in reasons:
            raise _list_damaged_error(self.name)
        records = tuple(
            Quarantined(file=self.name, line=self.first_row + row, column=None, reason=_format_record(*entry))
            for row, entry in enumerate(zip(logs, lines, columns, reasons, strict=True))
        )
        return Decoded(batches=(), quarantined=records, read=len(records))

    def identity(self) -> str:
        """Return a text that identifies the content of the rows."""
        digest = hashlib.sha256(repr(self.table.to_pydict()).encode("utf-8", "surrogatepass")).hexdigest()
        return f"set aside {self.first_row} {digest}"


def _format_record(log: str, line: int, column: int | None, reason: str) -> str:
    place = f"{log[:_LONGEST]}:{line}" if column is None else f"{log[:_LONGEST]}:{line}:{column}"
    return f"{place}: {reason[:_LONGEST]}"


def _list_damaged_error(name: str) -> InputError:
    message = "this list of quarantined records has rows without values or with invalid text"
    return InputError((Diagnostic(code="damaged", message=message, file=name, help="write the store again"),))
