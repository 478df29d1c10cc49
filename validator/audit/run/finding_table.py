"""Findings as an Arrow table that stores the shared part of findings once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import pyarrow as pa
from msgspec import Struct
from msgspec.structs import replace

from validator.results.findings import Finding, Where

_NOWHERE = Where()
_TEXTS = ("file", "pointer", "casino", "table", "round", "time", "wager", "submission")
_NUMBERS = ("line", "column", "seat", "event")
_PLACES = (*_TEXTS, *_NUMBERS)
_ROW_TEXTS = ("expected", "observed", "currency")
_AMOUNTS = ("count", "owed", "overpaid", "version")

_ROW_DEFAULTS = {**dict.fromkeys((*_ROW_TEXTS, *_AMOUNTS)), "expected": "", "observed": "", "count": 1}
"""Values of a shared finding in the fields that rows hold."""

_SCHEMA = pa.schema(
    [
        pa.field("list", pa.int32(), nullable=False),
        pa.field("shared", pa.int32(), nullable=False),
        pa.field("context", pa.int32()),
        *(pa.field(name, pa.dictionary(pa.int32(), pa.string())) for name in (*_ROW_TEXTS, *_TEXTS)),
        *(pa.field(name, pa.int64()) for name in (*_NUMBERS, *_AMOUNTS)),
    ]
)


class FindingTable(Struct, frozen=True, kw_only=True):
    """Lists of findings in a compact form."""

    rows: bytes
    """Arrow stream with a row for each finding, including the number of its list."""
    shared: list[Finding]
    """Findings without the fields that the rows hold."""
    contexts: list[Mapping[str, str]]
    """Contexts of rounds that the rows refer to."""


def table_of(lists: Sequence[Sequence[Finding]]) -> FindingTable:
    """Store lists of findings as a table."""
    shared: dict[Finding, int] = {}
    contexts: dict[tuple[tuple[str, str], ...], int] = {}
    columns: dict[str, list[object]] = {name: [] for name in _SCHEMA.names}
    for number, findings in enumerate(lists):
        for finding in findings:
            where = finding.where
            head = replace(finding, where=_NOWHERE, **_ROW_DEFAULTS)
            columns["list"].append(number)
            columns["shared"].append(shared.setdefault(head, len(shared)))
            context = None if where.context is None else tuple(where.context.items())
            columns["context"].append(None if context is None else contexts.setdefault(context, len(contexts)))
            for name in _PLACES:
                columns[name].append(getattr(where, name))
            for name in (*_ROW_TEXTS, *_AMOUNTS):
                columns[name].append(getattr(finding, name))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, _SCHEMA) as stream:
        stream.write_table(pa.table([_column(name, columns[name]) for name in _SCHEMA.names], schema=_SCHEMA))
    return FindingTable(
        rows=sink.getvalue().to_pybytes(), shared=list(shared), contexts=[dict(items) for items in contexts]
    )


def _column(name: str, values: list[object]) -> pa.Array:
    type_ = _SCHEMA.field(name).type
    return (
        pa.array(values, pa.string()).dictionary_encode() if pa.types.is_dictionary(type_) else pa.array(values, type_)
    )


def findings_of(table: FindingTable, lists: int) -> Iterator[tuple[Finding, ...]]:
    """Yield the lists of findings of a table.

    Args:
        lists: number of lists.

    Raises:
        ValueError: If the table does not hold findings.
    """
    rows = pa.ipc.open_stream(table.rows).read_all()
    if rows.schema != _SCHEMA:
        raise ValueError("this is not a table of findings")
    rows.validate(full=True)
    columns = {name: rows.column(name).to_pylist() for name in rows.column_names}
    result: list[list[Finding]] = [[] for _ in range(lists)]
    places, values = (
        [*zip(*(columns[name] for name in names), strict=True)] for names in (_PLACES, (*_ROW_TEXTS, *_AMOUNTS))
    )
    for row, (number, shared, context) in enumerate(
        zip(columns["list"], columns["shared"], columns["context"], strict=True)
    ):
        where = Where(**dict(zip(_PLACES, places[row], strict=True)))
        if context is not None:
            where = replace(where, context=dict(table.contexts[_checked_index(context, table.contexts)]))
        result[_checked_index(number, result)].append(
            replace(
                table.shared[_checked_index(shared, table.shared)],
                where=where,
                **dict(zip((*_ROW_TEXTS, *_AMOUNTS), values[row], strict=True)),
            )
        )
    return map(tuple, result)


def _checked_index(index: int, of: Sequence[object]) -> int:
    if not 0 <= index < len(of):
        raise ValueError("a finding refers to an entry that does not exist")
    return index
