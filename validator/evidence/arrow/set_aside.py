"""The list of records that were set aside when a store was written: read as records of its own that are set aside.

Without it an audit of a store would say less than one of the logs: that all was read.
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
"""Of a name or a reason, so many characters are read."""


def is_list(schema: pa.Schema) -> bool:
    """Whether a table is such a list by its columns."""
    return schema.names == SCHEMA.names and schema.types == SCHEMA.types


class SetAsideRows(Struct, frozen=True, kw_only=True):
    """Rows of such a list, numbered in the file from `first_row`. `size` is their share of the bytes of the file."""

    name: str
    table: pa.Table
    first_row: int
    size: int

    def decode(self, known_games: Collection[str]) -> Decoded:  # noqa: ARG002 - there are no rounds
        """The records set aside, each with where it stood and why. Raises InputError where the list is damaged."""
        try:
            logs, lines, columns, reasons = (self.table.column(name).to_pylist() for name in SCHEMA.names)
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise _damaged(self.name) from error
        if None in logs or None in lines or None in reasons:
            raise _damaged(self.name)
        found = tuple(
            Quarantined(file=self.name, line=self.first_row + row, column=None, reason=_told(*one))
            for row, one in enumerate(zip(logs, lines, columns, reasons, strict=True))
        )
        return Decoded(batches=(), quarantined=found, read=len(found))

    def identity(self) -> str:
        """What tells the rows from all others."""
        said = hashlib.sha256(repr(self.table.to_pydict()).encode("utf-8", "surrogatepass")).hexdigest()
        return f"set aside {self.first_row} {said}"


def _told(log: str, line: int, column: int | None, reason: str) -> str:
    place = f"{log[:_LONGEST]}:{line}" if column is None else f"{log[:_LONGEST]}:{line}:{column}"
    return f"{place}: {reason[:_LONGEST]}"


def _damaged(name: str) -> InputError:
    message = "this list of records set aside has rows that say nothing, or that are no text"
    return InputError((Diagnostic(code="damaged", message=message, file=name, help="write the store again"),))
