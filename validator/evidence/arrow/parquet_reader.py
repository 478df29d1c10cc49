"""Reader of hand logs in Parquet: row groups of any size to blocks of some thousand rows."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, groupby
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from fairdeal.validator.evidence.arrow import arrow_schema
from fairdeal.validator.evidence.arrow.arrow_schema import is_list as is_nested
from fairdeal.validator.evidence.arrow.table_reader import batches_from_arrow
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.io.log_formats import HashedFile
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import (
    MAX_BATCH_ITEMS,
    MAX_UNPACKED_BYTES,
    MemoryBoundError,
    limit_memory,
    reports_change,
)

ROWS_AT_A_TIME = 4096
"""Most rows that are judged together."""
VALUES_AT_A_TIME = 2_000_000
"""Approximate number of values that are judged together at most: long rounds take more memory."""
ROWS_A_BLOCK = 8192
"""Most rows of a row group that the judging process reads by itself. A group cannot be read from the middle, so one
process reads a larger group in order and passes its rows on."""
ENTRIES_A_BLOCK = 4 * MAX_BATCH_ITEMS
"""Most entries of a list in such a group; a group with longer rounds is read in order too."""
FEW_ROWS = 2048
"""Rows below which a group takes longer to open than to read. Such groups are read in order, together."""
_FEWER = 16
"""Factor by which the number of rows is reduced if they exceed the memory bound together."""
_BUFFER_BYTES = 1 << 16
"""Bytes of the file held for each column of a group that is read in order."""
_READ_BEYOND = 128
"""Bytes that Arrow may read after a column chunk, whose size some writers understate, and before a footer."""
_LEAST_OF_FOOTER = 1 << 16
"""Bytes that Arrow reads of the end of a file, even if its footer is shorter."""
_NOT_CODED = frozenset(
    {
        "round", "cards", "discarded", "drawn", "dealer", "dealer-discarded", "dealer-drawn",
        "community", "community-discarded",
    }
)  # fmt: skip
"""Columns of text that rarely repeat; all others are read as codes."""


class GroupRows(Struct, frozen=True, kw_only=True):
    """Rows of one row group of a Parquet file, read where they are decoded."""

    file: HashedFile
    """File of the rows."""
    group: int
    """Index of the row group."""
    first_row: int
    """Number of the first row in the file."""
    size: int
    """Share of the rows in the bytes of the file."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rows as `batches_from_arrow` does. Raises InputError if they are damaged or changed."""
        batches: list[Batch] = []
        quarantined: list[Quarantined] = []
        row = self.first_row
        name = self.file.name
        with _open_parquet(self.file) as file:
            for table in _read_tables(file, name, [self.group]):
                decoded = _decode_table(table, known_games, name, _name_groups([self.group]), row)
                batches += decoded.batches
                quarantined += decoded.quarantined
                row += table.num_rows
        return DecodedBlock(batches=tuple(batches), quarantined=tuple(quarantined), read=row - self.first_row)

    def identity(self) -> str:
        """Return a text that identifies the content of the rows: all columns of the group, as stored.

        Raises InputError if the file cannot be read.
        """
        with _open_parquet(self.file) as file, self.file.open_verified() as stream:
            group = file.metadata.row_group(self.group)
            digest = hashlib.sha256(file.schema_arrow.serialize())
            for column in map(group.column, range(group.num_columns)):
                digest.update(f"{column.path_in_schema} {column.physical_type} {column.encodings}".encode())
                stream.seek(_chunk_start(column))
                try:
                    digest.update(stream.read(column.total_compressed_size))
                except OSError as error:
                    raise _damage_error(self.file.name, _name_groups([self.group]), error) from error
        return f"row {self.first_row} {digest.hexdigest()}"


class HeldRows(Struct, frozen=True, kw_only=True):
    """Rows that have been read."""

    name: str
    """Name of the file in messages and results."""
    table: pa.Table
    """The rows."""
    part: str
    """Row groups of the rows, for messages."""
    first_row: int
    """Number of the first row in the file."""
    size: int
    """Share of the rows in the bytes of the file."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rows as `batches_from_arrow` does. Raises InputError if they are damaged."""
        return _decode_table(self.table, known_games, self.name, self.part, self.first_row)

    def identity(self) -> str:
        """Return a text that identifies the content of the rows."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table)
        return f"row {self.first_row} {hashlib.sha256(sink.getvalue()).hexdigest()}"


ParquetBlock = GroupRows | HeldRows | arrow_schema.QuarantineRows
"""Block of a log in Parquet, or of the list of quarantined records of a store."""


def _decode_table(table: pa.Table, known_games: Collection[str], name: str, part: str, first_row: int) -> DecodedBlock:
    try:
        with limit_memory():
            return batches_from_arrow(table, known_games=known_games, file=name, first_row=first_row)
    except MemoryBoundError as error:
        half = table.num_rows // 2
        if not half:
            raise _memory_error(name, f"row {first_row}", error) from error
        upper = _decode_table(table.slice(0, half), known_games, name, part, first_row)
        lower = _decode_table(table.slice(half), known_games, name, part, first_row + half)
        return DecodedBlock(
            batches=upper.batches + lower.batches,
            quarantined=upper.quarantined + lower.quarantined,
            read=upper.read + lower.read,
        )
    except pa.ArrowMemoryError:
        raise
    except pa.ArrowException as error:  # Arrow detects damaged pages only when they are used
        raise _damage_error(name, part, error) from error


def read_parquet_blocks(file: HashedFile) -> Iterator[ParquetBlock]:
    """Yield the rows of a file in blocks, in order.

    Raises InputError if the file cannot be opened or is no Parquet file of a hand log, or if its rows are damaged.
    """
    with _open_parquet(file) as parquet:
        if arrow_schema.is_quarantine_list(parquet.schema.to_arrow_schema()):
            yield from _read_quarantine_list(parquet, file)
            return
        arrow_schema.check_schema(parquet.schema_arrow, file.name)
        arrow_schema.check_row_group_sizes(parquet, file.name)
        metadata = parquet.metadata
        described = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
        rows, ways = [group.num_rows for group in described], [_choose_way(group) for group in described]
    share, row = file.size / max(sum(rows), 1), 1
    for kind, run_of_groups in groupby(range(len(rows)), key=ways.__getitem__):
        groups = list(run_of_groups)
        for run in [groups] if kind is _TOGETHER else [[group] for group in groups]:
            if kind is _BY_ITSELF or (kind is _TOGETHER and len(run) == 1):  # the last group is often small
                row_count = rows[run[0]]
                needed = file.restrict(_byte_ranges(file, metadata, run[0]))
                yield GroupRows(file=needed, group=run[0], first_row=row, size=int(share * row_count))
                row += row_count
                continue
            for table in chain.from_iterable(map(_limit_items, _read_in_order(file, run))):
                size = int(share * table.num_rows)
                yield HeldRows(name=file.name, table=table, part=_name_groups(run), first_row=row, size=size)
                row += table.num_rows


def _byte_ranges(file: HashedFile, metadata: pq.FileMetaData, group: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of a file that are read for a row group: its columns and the footer."""
    described = metadata.row_group(group)
    for column in map(described.column, range(described.num_columns)):
        start = _chunk_start(column)
        yield start, start + column.total_compressed_size + _READ_BEYOND
    yield file.size - max(metadata.serialized_size + _READ_BEYOND, _LEAST_OF_FOOTER), file.size


def _chunk_start(column: pq.ColumnChunkMetaData) -> int:
    """Return the offset of the pages of a column chunk."""
    starts = [column.data_page_offset]
    if column.has_dictionary_page and column.dictionary_page_offset > 0:
        starts.append(column.dictionary_page_offset)
    return min(starts)


def _read_quarantine_list(parquet: pq.ParquetFile, file: HashedFile) -> Iterator[arrow_schema.QuarantineRows]:
    row, share = 1, file.size / max(parquet.metadata.num_rows, 1)
    try:
        read = _Batches(parquet, range(parquet.num_row_groups), arrow_schema.QUARANTINE_SCHEMA.names, ROWS_AT_A_TIME)
        while True:
            with limit_memory():
                batch = read.next()
            if batch is None:
                return
            table = pa.Table.from_batches([batch])
            yield arrow_schema.QuarantineRows(
                name=file.name, table=table, first_row=row, size=int(share * table.num_rows)
            )
            row += table.num_rows
    except MemoryBoundError as error:
        raise _memory_error(file.name, "this list", error) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damage_error(file.name, "this list", error) from error


_BY_ITSELF, _TOGETHER, _IN_ORDER = range(3)
"""Ways to read a row group: each where it is judged; many small groups together; a large group run by run."""


def _choose_way(group: pq.RowGroupMetaData) -> int:
    entries = max((group.column(index).num_values for index in range(group.num_columns)), default=0)
    if group.num_rows > ROWS_A_BLOCK or entries > ENTRIES_A_BLOCK:
        return _IN_ORDER
    return _TOGETHER if group.num_rows < FEW_ROWS else _BY_ITSELF


def _limit_items(table: pa.Table) -> Iterator[pa.Table]:
    """Split rows into parts with about `ITEMS_AT_A_TIME` entries of lists at most."""
    if table.num_rows < 2 or sum(map(_count_entries, table.columns)) <= MAX_BATCH_ITEMS:
        yield table
        return
    half = table.num_rows // 2
    for part in (table.slice(0, half), table.slice(half)):
        yield from map(_copy, _limit_items(part))


def _copy(table: pa.Table) -> pa.Table:
    """Copy rows without the table that they were cut from, which would be pickled with them."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def _count_entries(column: pa.ChunkedArray) -> int:
    return sum(len(chunk.flatten()) for chunk in column.chunks) if is_nested(column.type) else 0


def _read_in_order(file: HashedFile, groups: Sequence[int]) -> Iterator[pa.Table]:
    with _open_parquet(file, coded=len(groups) == 1, buffer_size=_BUFFER_BYTES) as parquet:
        done = 0
        try:
            for table in _read_tables(parquet, file.name, groups):
                yield table
                done += table.num_rows
        except InputError as error:
            if len(groups) == 1 or reports_change(error.diagnostics):
                raise
            # One by one, so that the rows before the damage count.
            for group in groups:
                for table in _read_tables(parquet, file.name, [group]):
                    if table.num_rows > done:
                        yield table.slice(done)
                    done = max(done - table.num_rows, 0)


def _read_tables(file: pq.ParquetFile, name: str, groups: Sequence[int]) -> Iterator[pa.Table]:
    """Yield the rows of some groups, at most `ROWS_AT_A_TIME` at a time.

    Text may be read as codes from one group only: codes change between groups, which Arrow does not support in nested
    columns. Rows that exceed the memory bound together are read again, fewer at a time.
    """
    try:
        columns_needed, size = list(_needed_columns(file, groups)), _rows_at_a_time(file, groups)
        done, read = 0, _Batches(file, groups, columns_needed, size)
        while True:
            try:
                with limit_memory():
                    batch = read.next()
            except MemoryBoundError as error:
                if size == 1:
                    raise _memory_error(name, f"a row of {_name_groups(groups)}", error) from error
                size = max(size // _FEWER, 1)
                read = _Batches(file, groups, columns_needed, size)
                read.skip(done)
                continue
            if batch is None:
                return
            done += batch.num_rows
            yield pa.Table.from_batches([batch])
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damage_error(name, _name_groups(groups), error) from error


class _Batches:
    """Batches of rows of some groups; rows may be skipped."""

    def __init__(self, file: pq.ParquetFile, groups: Sequence[int], columns_needed: list[str], size: int) -> None:
        self._batches = file.iter_batches(size, row_groups=groups, columns=columns_needed, use_threads=False)
        self._skipped = 0

    def skip(self, rows: int) -> None:
        """Skip rows; they are read all the same."""
        self._skipped += rows

    def next(self) -> pa.RecordBatch | None:
        """Return the next batch; None at the end."""
        for batch in self._batches:
            if batch.num_rows > self._skipped:
                rest = batch.slice(self._skipped)
                self._skipped = 0
                return rest
            self._skipped -= batch.num_rows
        return None


def _rows_at_a_time(file: pq.ParquetFile, groups: Sequence[int]) -> int:
    """Return the number of rows of some groups to read at a time, so that all runs have about the same length."""
    described = [file.metadata.row_group(group) for group in groups]
    rows = max(sum(group.num_rows for group in described), 1)
    values = sum(group.column(index).num_values for group in described for index in range(group.num_columns))
    runs = max(-(-rows // ROWS_AT_A_TIME), -(-values // VALUES_AT_A_TIME))
    return min(-(-rows // runs), ROWS_AT_A_TIME)


class _Footer(Struct, frozen=True, kw_only=True):
    """Footer of a file."""

    metadata: pq.FileMetaData
    """Metadata of the file."""
    repeating: list[str]
    """Paths of the columns that are read as codes."""


@dataclass(frozen=True, slots=True)
class _OpenFile:
    """Open file, identified by its content."""

    content: bytes
    """Hash of the file."""
    stream: BinaryIO = field(compare=False)
    """The file."""


MAX_FOOTER_BYTES = 8 << 20
"""Maximum size of the footer of a file: some 1,300 row groups. It takes ten times as much memory."""
_FOOTER_MEMORY = 2 * MAX_UNPACKED_BYTES
"""Maximum memory for a footer. Arrow may end the process if there is less, so its size is checked before."""
_FOOTER_LENGTH = 4
_MAGIC = b"PAR1"


def _check_footer_size(stream: BinaryIO, name: str) -> None:
    """Raise InputError if the footer of a file is too large. Arrow reports any other fault in it."""
    length = _FOOTER_LENGTH + len(_MAGIC)
    if stream.seek(0, os.SEEK_END) < length:
        return
    stream.seek(-length, os.SEEK_END)
    size = int.from_bytes(stream.read(_FOOTER_LENGTH), "little")
    if stream.read() == _MAGIC and size > MAX_FOOTER_BYTES:
        message = f"the footer of this file has {size:,} bytes: more than {MAX_FOOTER_BYTES >> 20} MiB"
        raise _build_error(name, "too-large", message, "write more rows to a row group, or several files")


@lru_cache(maxsize=1)
def _load_footer(file: _OpenFile) -> _Footer:
    """Return the footer of a file. With many row groups it is large and slow to read, so the last one is cached."""
    plain = pq.ParquetFile(file.stream, pre_buffer=False)
    return _Footer(metadata=plain.metadata, repeating=_coded_columns(plain))


@contextmanager
def _open_parquet(file: HashedFile, *, coded: bool = True, buffer_size: int = 0) -> Iterator[pq.ParquetFile]:
    """Open a file; repeated text is read as codes if `coded`."""
    with file.open_verified() as stream:
        try:
            _check_footer_size(stream, file.name)
            with limit_memory(_FOOTER_MEMORY):
                footer = _load_footer(_OpenFile(file.content, stream))
                parquet = pq.ParquetFile(
                    stream,
                    metadata=footer.metadata,
                    read_dictionary=footer.repeating if coded else None,
                    buffer_size=buffer_size,
                    pre_buffer=False,
                )
        except MemoryBoundError as error:
            raise _memory_error(file.name, "the end of this file", error) from error
        except pa.ArrowMemoryError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            message = "this is not a Parquet file, or its end is missing"
            raise _build_error(file.name, "not-parquet", message, "copy or write the file again") from error
        yield parquet


def _column_paths(file: pq.ParquetFile) -> list[str]:
    return [file.schema.column(index).path for index in range(len(file.schema))]


def _needed_columns(file: pq.ParquetFile, groups: Sequence[int]) -> Iterator[str]:
    """Yield the paths of the columns of some row groups that the reader needs.

    An optional column that has only nulls by the statistics of each group is skipped and reads as nulls: to spread
    nulls over lists takes as long as to read values.
    """
    described = [file.metadata.row_group(group) for group in groups]
    columns = zip(_column_paths(file), arrow_schema.list_column_names(file.schema_arrow), strict=True)
    for index, (path, name) in enumerate(columns):
        if name.startswith(arrow_schema.UNCHECKED_PREFIXES):
            continue
        columns_of_groups = (group.column(index) for group in described)
        if (
            name in arrow_schema.REQUIRED_COLUMNS
            or name.endswith(arrow_schema.ENTRY_SUFFIX)
            or not all(map(_is_empty, columns_of_groups))
        ):
            yield path


def _is_empty(column: pq.ColumnChunkMetaData) -> bool:
    return bool(column.is_stats_set and column.statistics.null_count == column.num_values)


def _coded_columns(file: pq.ParquetFile) -> list[str]:
    """Return the paths of the columns that are worth reading as codes if they hold text."""
    return [path for path in _column_paths(file) if path.rpartition(".")[2] not in _NOT_CODED]


def _name_groups(groups: Sequence[int]) -> str:
    first, last = groups[0] + 1, groups[-1] + 1
    return f"row group {first}" if first == last else f"one of the row groups {first} to {last}"


def _damage_error(name: str, part: str, error: Exception) -> InputError:
    reason = " ".join(str(error).split())
    return _build_error(name, "damaged", f"{part} cannot be read: {reason}", "copy or write the file again")


def _memory_error(name: str, part: str, error: MemoryBoundError) -> InputError:
    help_ = "remove rows that are not rounds, or write fewer rows to a row group"
    return _build_error(name, "too-large", f"{part} unpacks to {error}", help_)


def _build_error(name: str, code: str, message: str, help_: str | None = None) -> InputError:
    return InputError((Diagnostic(code=code, message=message, file=name, help=help_),))
