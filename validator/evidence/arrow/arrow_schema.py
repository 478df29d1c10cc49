"""Schemas of Parquet hand logs and quarantine lists, and checks of files against schema and size bounds."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pat
from msgspec import Struct

from fairdeal.validator.evidence import round_record
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics, quote
from fairdeal.validator.text.source import MAX_UNPACKED_BYTES

REQUIRED_COLUMNS = frozenset(
    {
        "round", "table", "time", "game", "seats", "seats.seat", "seats.wagers",
        "seats.wagers.wager", "seats.wagers.amount", "seats.bonuses.bonus", "meters.meter", "events.event",
    }
)  # fmt: skip
"""Required columns; one below a list is required if the list is there."""

PRECISIONS = ("none", "day")
"""Values of `time-precision` for a round without a day, or with the day only, by the codes of `Batch.dated`."""

UNCHECKED_PREFIXES = ("annotations.", "origin.")
"""Prefixes of the names of columns that no check reads."""

ENTRY_SUFFIX = "[]"
"""Suffix of the name of a list for the column of its entries."""


def build_arrow_schema() -> pa.Schema:
    """Build the schema that logs are written with.

    Amounts are in minor units; `events.amount` also holds counts, and `events.value` the selections of stakes. `time`
    is by the clock of the log, which is ahead of UTC by `utc-offset`.
    """
    text, amount, flag, seat = pa.string(), pa.int64(), pa.bool_(), pa.int8()
    wager = pa.struct(
        [
            ("wager", text),
            ("selection", text),
            ("amount", amount),
            ("brought", amount),
            ("tip", flag),
            ("paid", amount),
            ("taken", amount),
            ("claimed", flag),
        ]
    )
    bonus = pa.struct([("bonus", text), ("tip", flag), ("paid", amount)])
    listed = pa.struct(
        [
            ("seat", seat),
            ("player", text),
            ("cards", text),
            ("discarded", text),
            ("drawn", text),
            ("decision", text),
            ("stack", amount),
            ("stack-after", amount),
            ("won", amount),
            ("playing", flag),
            ("split-of", seat),
            ("wagers", pa.list_(wager)),
            ("bonuses", pa.list_(bonus)),
        ]
    )
    meter = pa.struct([("meter", text), ("opening", amount), ("shown", amount), ("closing", amount)])
    event = pa.struct(
        [
            ("event", text),
            ("seat", seat),
            ("place", text),
            ("cards", text),
            ("face", text),
            ("by", text),
            ("in", text),
            ("wager", text),
            ("tip", flag),
            ("amount", amount),
            ("decision", text),
            ("what", text),
            ("deck", text),
            ("positions", text),
            ("value", text),
            ("pot", pa.int8()),
            ("chips", pa.int16()),
            ("to", seat),
        ]
    )
    return pa.schema(
        [
            pa.field("round", text, nullable=False),
            pa.field("casino", text),
            pa.field("table", text, nullable=False),
            pa.field("time", pa.timestamp("us"), nullable=False),
            pa.field("game", text, nullable=False),
            pa.field("number", pa.int32()),
            pa.field("deck", text),
            pa.field("button", seat),
            pa.field("small-bet", amount),
            pa.field("big-bet", amount),
            pa.field("after", text),
            pa.field("complete", flag),
            pa.field("seats", pa.list_(listed), nullable=False),
            pa.field("dealer", text),
            pa.field("dealer-discarded", text),
            pa.field("dealer-drawn", text),
            pa.field("community", text),
            pa.field("community-discarded", text),
            pa.field("outcomes", pa.map_(text, text)),
            pa.field("meters", pa.list_(meter)),
            pa.field("events", pa.list_(event)),
            pa.field("unrecorded", pa.list_(text)),
            pa.field("currency", text),
            pa.field("context", pa.map_(text, text)),
            pa.field("annotations", pa.struct([("planted", pa.list_(text))])),
            pa.field("utc-offset", text),
            pa.field("time-precision", text),
            pa.field("origin", pa.struct([("log", text), ("line", pa.int64())])),
        ]
    )


def check_schema(schema: pa.Schema, file: str) -> None:
    """Raise InputError unless the columns are those of a hand log.

    Optional columns may be missing. Text, integers and lists may have any width, text may be dictionary-coded, and an
    empty column may have no type.
    """
    problems = limit_diagnostics(_find_problems("", list(schema), list(build_arrow_schema()), file))
    if problems:
        raise InputError(problems)


def list_column_names(fields: Iterable[pa.Field], above: str = "") -> Iterator[str]:
    """Yield the names of the leaf columns of a schema, in order.

    Plain entries of a list have the name of the list and `ENTRY_SUFFIX`.
    """
    for field in fields:
        name, kind, entries = above + field.name, field.type, ""
        while is_list(kind):
            kind, entries = kind.value_type, ENTRY_SUFFIX
        if pat.is_struct(kind):
            yield from list_column_names(kind, f"{name}.")
        elif pat.is_map(kind):
            yield from (name + ENTRY_SUFFIX, name + ENTRY_SUFFIX)  # keys and values
        else:
            yield name + entries


def _find_problems(above: str, fields: list[pa.Field], expected: list[pa.Field], file: str) -> Iterable[Diagnostic]:
    known = {field.name: field for field in expected}
    names = {field.name for field in fields}
    for name in known:
        if name not in names and above + name in REQUIRED_COLUMNS:
            yield _build_problem(file, "missing-column", f"there is no column `{above}{name}`", None)
    seen = set()
    for field in fields:
        path = above + field.name
        if field.name in seen:
            yield _build_problem(file, "column-twice", f"the column `{path}` occurs twice", None)
        elif field.name not in known:
            near = find_similar(field.name, known)
            help_ = f"did you mean `{above}{near}`?" if near else "a hand log has no such column; remove it"
            yield _build_problem(file, "unknown-column", f"unknown column `{path}`", help_)
        else:
            yield from _find_misfits(path, field.type, known[field.name].type, file)
        seen.add(field.name)


def _find_misfits(path: str, actual: pa.DataType, expected_type: pa.DataType, file: str) -> Iterable[Diagnostic]:
    if pat.is_null(actual) and path not in REQUIRED_COLUMNS:
        return
    if pat.is_map(expected_type):
        if not _is_free(actual):
            yield _build_problem(
                file, "wrong-type", f"the column `{path}` holds {actual}", None, _describe_type(expected_type)
            )
    elif pat.is_list(expected_type) and is_list(actual):
        yield from _find_misfits(path, actual.value_type, expected_type.value_type, file)
    elif pat.is_struct(expected_type) and pat.is_struct(actual):
        yield from _find_problems(f"{path}.", list(actual), list(expected_type), file)
    elif not _fits(actual, expected_type):
        yield _build_problem(
            file, "wrong-type", f"the column `{path}` holds {actual}", None, f"{_describe_type(expected_type)}"
        )
    elif pat.is_timestamp(actual) and actual.tz and not _has_known_offsets(actual):
        message = f"the column `{path}` has the unknown time zone {quote(actual.tz)}"
        yield _build_problem(file, "unknown-time-zone", message, "use a time zone such as `America/Denver` or `-07:00`")


def _fits(actual: pa.DataType, expected: pa.DataType) -> bool:
    if pat.is_string(expected):
        return is_text(actual.value_type if pat.is_dictionary(actual) else actual)
    if pat.is_timestamp(expected):
        return bool(pat.is_timestamp(actual))
    if pat.is_integer(expected):
        return bool(pat.is_integer(actual))
    return bool(pat.is_boolean(expected) and pat.is_boolean(actual))


def _is_free(kind: pa.DataType) -> bool:
    """Return whether a type has free keys: a struct of text and whole numbers, or a map of them."""
    if pat.is_map(kind):
        return _is_plain(kind.key_type) and _is_plain(kind.item_type)
    return bool(pat.is_struct(kind)) and all(_is_plain(field.type) for field in kind)


def _is_plain(kind: pa.DataType) -> bool:
    kind = kind.value_type if pat.is_dictionary(kind) else kind
    return is_text(kind) or bool(pat.is_integer(kind) or pat.is_null(kind))


def _has_known_offsets(kind: pa.TimestampType) -> bool:
    """Return whether the offsets of a time zone are known."""
    import pyarrow.compute as pc  # noqa: PLC0415 - as slow to import as the rest of pyarrow

    try:
        pc.local_timestamp(pa.array([0], kind))
    except pa.ArrowInvalid:
        return False
    return True


def is_list(kind: pa.DataType) -> bool:
    """Return whether a type is a list, with any length and offset width."""
    return bool(pat.is_list(kind) or pat.is_large_list(kind))


def is_text(kind: pa.DataType) -> bool:
    """Return whether a type is text, with any offset width."""
    return bool(pat.is_string(kind) or pat.is_large_string(kind) or pat.is_string_view(kind))


def _describe_type(kind: pa.DataType) -> str:
    if pat.is_map(kind):
        return "a struct, or a map, of text and integers"
    if pat.is_list(kind):
        return f"a list, each {_describe_type(kind.value_type)}"
    if pat.is_struct(kind):
        return f"a struct of {', '.join(field.name for field in kind)}"
    return {"string": "text", "bool": "booleans", "timestamp[us]": "timestamps"}.get(str(kind), "integers")


def _build_problem(file: str, code: str, message: str, help_: str | None, expected: str | None = None) -> Diagnostic:
    return Diagnostic(code=code, message=message, file=file, help=help_, expected=expected)


_MOST_ENTRIES = {
    "events.": round_record.MOST_EVENTS,
    "seats.wagers.": round_record.MOST_SEATS * round_record.MOST_STAKES,
    "seats.bonuses.": round_record.MOST_SEATS * round_record.MOST_STAKES,
    "seats.": round_record.MOST_SEATS,
    "meters.": round_record.MOST_METERS,
    "unrecorded": round_record.MOST_UNRECORDED,
    "context": round_record.MOST_CONTEXT,
    "outcomes": round_record.MOST_OUTCOMES,
}
"""Most entries of a round in a column, by the beginning of its name; 1 for all other columns."""
_BYTES_A_VALUE = 1 << 10
"""Most bytes of a text of a round, with its overhead."""
_LEAST_BYTES_A_VALUE = 8
"""Fewest bytes that a reader holds for a value, even a missing one."""


def check_row_group_sizes(file: pq.ParquetFile, path: str) -> None:
    """Raise InputError if a row group holds more than its rounds can and more than the memory bound allows.

    Rounds that hold too much but fit into the bound are quarantined one by one by the reader.
    """
    problems = limit_diagnostics(_find_oversize_columns(file, path))
    if problems:
        raise InputError(problems)


def _find_oversize_columns(file: pq.ParquetFile, path: str) -> Iterator[Diagnostic]:
    names = list(list_column_names(file.schema_arrow))
    for index in range(file.num_row_groups):
        group = file.metadata.row_group(index)
        for place, name in enumerate(names):
            if name.startswith(UNCHECKED_PREFIXES):
                continue
            column = group.column(place)
            values, size = column.num_values, column.total_uncompressed_size
            most_values = group.num_rows * _most_entries(name)
            if values > max(most_values, MAX_UNPACKED_BYTES // _LEAST_BYTES_A_VALUE):
                excess = (
                    f"{values:,} values of the column `{name}`: {group.num_rows:,} rounds have at most {most_values:,}"
                )
            elif size > max(values * _BYTES_A_VALUE, MAX_UNPACKED_BYTES):
                excess = (
                    f"{size:,} bytes of the column `{name}`: {values:,} values take at most {_BYTES_A_VALUE:,} each"
                )
            else:
                continue
            message = f"row group {index + 1} holds {excess}"
            yield Diagnostic(code="too-large", message=message, file=path, help="remove the rows that are not rounds")


def _most_entries(name: str) -> int:
    return next((most for prefix, most in _MOST_ENTRIES.items() if name.startswith(prefix)), 1)


QUARANTINE_SCHEMA = pa.schema(
    [
        pa.field("log", pa.string(), nullable=False),
        pa.field("line", pa.int64(), nullable=False),
        pa.field("column", pa.int64()),
        pa.field("reason", pa.string(), nullable=False),
    ]
)
_LONGEST = 4096
"""Most characters that are read of a name or a reason."""


def is_quarantine_list(schema: pa.Schema) -> bool:
    """Return whether a table is a quarantine list, by its columns."""
    return schema.names == QUARANTINE_SCHEMA.names and schema.types == QUARANTINE_SCHEMA.types


class QuarantineRows(Struct, frozen=True, kw_only=True):
    """Rows of a quarantine list."""

    name: str
    """Name of the file in messages and results."""
    table: pa.Table
    """The rows."""
    first_row: int
    """Number of the first row in the file."""
    size: int
    """Share of the rows in the bytes of the file."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:  # noqa: ARG002 - there are no rounds
        """Return the quarantined records, each with its location and reason. Raises InputError if the list is
        damaged."""
        try:
            logs, lines, columns, reasons = (self.table.column(name).to_pylist() for name in QUARANTINE_SCHEMA.names)
        except (pa.ArrowException, UnicodeDecodeError) as error:
            raise _list_damaged_error(self.name) from error
        if None in logs or None in lines or None in reasons:
            raise _list_damaged_error(self.name)
        records = tuple(
            Quarantined(file=self.name, line=self.first_row + row, column=None, reason=_format_record(*entry))
            for row, entry in enumerate(zip(logs, lines, columns, reasons, strict=True))
        )
        return DecodedBlock(batches=(), quarantined=records, read=len(records))

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
