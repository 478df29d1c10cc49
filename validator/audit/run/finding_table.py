"""Findings as a table of Arrow: what findings of one requirement share stands once."""

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
_SAID = ("expected", "observed", "currency")
_AMOUNTS = ("count", "owed", "overpaid", "version")

_NOT_SHARED = {**dict.fromkeys((*_SAID, *_AMOUNTS)), "expected": "", "observed": "", "count": 1}
"""What stands in a shared finding for what rows say."""

_SCHEMA = pa.schema(
    [
        pa.field("list", pa.int32(), nullable=False),
        pa.field("shared", pa.int32(), nullable=False),
        pa.field("context", pa.int32()),
        *(pa.field(name, pa.dictionary(pa.int32(), pa.string())) for name in (*_SAID, *_TEXTS)),
        *(pa.field(name, pa.int64()) for name in (*_NUMBERS, *_AMOUNTS)),
    ]
)


class FindingTable(Struct, frozen=True, kw_only=True):
    """Lists of findings: a row each in `rows`, a stream of Arrow, with the number of its list; `shared` are findings
    without what the rows say, `contexts` what rows say of the context of a round."""

    rows: bytes
    shared: list[Finding]
    contexts: list[Mapping[str, str]]


def table_of(lists: Sequence[Sequence[Finding]]) -> FindingTable:
    """Lists of findings as a table."""
    shared: dict[Finding, int] = {}
    contexts: dict[tuple[tuple[str, str], ...], int] = {}
    columns: dict[str, list[object]] = {name: [] for name in _SCHEMA.names}
    for number, findings in enumerate(lists):
        for one in findings:
            where = one.where
            head = replace(one, where=_NOWHERE, **_NOT_SHARED)
            columns["list"].append(number)
            columns["shared"].append(shared.setdefault(head, len(shared)))
            context = None if where.context is None else tuple(where.context.items())
            columns["context"].append(None if context is None else contexts.setdefault(context, len(contexts)))
            for name in _PLACES:
                columns[name].append(getattr(where, name))
            for name in (*_SAID, *_AMOUNTS):
                columns[name].append(getattr(one, name))
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
    """So many lists of findings, as they were. Raises ValueError where the table is none of findings."""
    rows = pa.ipc.open_stream(table.rows).read_all()
    if rows.schema != _SCHEMA:
        raise ValueError("this is no table of findings")
    rows.validate(full=True)
    columns = {name: rows.column(name).to_pylist() for name in rows.column_names}
    found: list[list[Finding]] = [[] for _ in range(lists)]
    places, told = ([*zip(*(columns[name] for name in names), strict=True)] for names in (_PLACES, (*_SAID, *_AMOUNTS)))
    for row, (number, shared, context) in enumerate(
        zip(columns["list"], columns["shared"], columns["context"], strict=True)
    ):
        where = Where(**dict(zip(_PLACES, places[row], strict=True)))
        if context is not None:
            where = replace(where, context=dict(table.contexts[_within(context, table.contexts)]))
        found[_within(number, found)].append(
            replace(
                table.shared[_within(shared, table.shared)],
                where=where,
                **dict(zip((*_SAID, *_AMOUNTS), told[row], strict=True)),
            )
        )
    return map(tuple, found)


def _within(index: int, of: Sequence[object]) -> int:
    if not 0 <= index < len(of):
        raise ValueError("a finding names what is not there")
    return index
