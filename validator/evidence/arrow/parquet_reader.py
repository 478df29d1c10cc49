"""Hand logs in Parquet: row groups of any size to blocks of some thousand rows."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, groupby
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from validator.evidence.arrow.parquet_bounds import check_sizes
from validator.evidence.arrow.reader import batches_from_arrow
from validator.evidence.arrow.schema import EACH, NOT_LOOKED_AT, REQUIRED, check_schema, nested
from validator.evidence.arrow.schema import is_list as is_nested
from validator.evidence.arrow.set_aside import SCHEMA, SetAsideRows, is_list
from validator.evidence.assembly.assemble import Decoded
from validator.evidence.columns.batch import Batch
from validator.evidence.io.hashed_file import HashedFile
from validator.results.results import Quarantined
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.memory_bound import ITEMS_AT_A_TIME, UnfoldsTooFarError, bounded_memory
from validator.text.unchanged import is_changed

ROWS_AT_A_TIME = 4096
"""The most rows that are judged together."""
VALUES_AT_A_TIME = 4_000_000
"""About as many values are judged together at most: rounds in which much happens take more memory."""
ROWS_A_BLOCK = 8192
"""The most rows of a row group that the process that judges them reads by itself. Nothing can be read from the middle
of a group: of a larger one all rows are read in order, by one process, and handed to those that judge."""
ENTRIES_A_BLOCK = 2 * ITEMS_AT_A_TIME
"""The most entries of a list in such a group: rounds in which more happens are read in order too."""
FEW_ROWS = 2048
"""Of a group with fewer, more goes into opening than into reading it: such groups are read in order too, together."""
_FEWER = 16
"""If rows unfold too far together, so many times fewer of them are read at a time."""
_BUFFER_BYTES = 1 << 16
"""Of each column of a group that is read in order, so many bytes of the file are held at a time."""
_READ_BEYOND = 128
"""Arrow may read so many bytes behind a column chunk, whose size some writers state too small, and before a footer."""
_LEAST_OF_FOOTER = 1 << 16
"""Arrow reads so many bytes of the end of a file, even if its footer is shorter."""
_NOT_CODED = frozenset(
    {
        "round", "cards", "discarded", "drawn", "dealer", "dealer-discarded", "dealer-drawn",
        "community", "community-discarded",
    }
)  # fmt: skip
"""Columns of text that hardly repeat; all others are read as codes."""


class GroupRows(Struct, frozen=True, kw_only=True):
    """The rows of one row group of a Parquet file, read where they are decoded; numbered in the file from `first_row`.
    `size` is their share of the bytes of the file."""

    file: HashedFile
    group: int
    first_row: int
    size: int

    def decode(self, known_games: Collection[str]) -> Decoded:
        """The rows as `batches_from_arrow` has them. Raises InputError if they are damaged or changed."""
        batches: list[Batch] = []
        quarantined: list[Quarantined] = []
        row = self.first_row
        name = self.file.name
        with _opened(self.file) as file:
            for table in _tables(file, name, [self.group]):
                decoded = _decoded(table, known_games, name, _named([self.group]), row)
                batches += decoded.batches
                quarantined += decoded.quarantined
                row += table.num_rows
        return Decoded(batches=tuple(batches), quarantined=tuple(quarantined), read=row - self.first_row)

    def identity(self) -> str:
        """What tells the rows from all others: all columns of their group, as they are stored. Raises InputError where
        the file cannot be read."""
        with _opened(self.file) as file, self.file.opened() as stream:
            group = file.metadata.row_group(self.group)
            digest = hashlib.sha256(file.schema_arrow.serialize())
            for column in map(group.column, range(group.num_columns)):
                digest.update(f"{column.path_in_schema} {column.physical_type} {column.encodings}".encode())
                stream.seek(_start(column))
                try:
                    digest.update(stream.read(column.total_compressed_size))
                except OSError as error:
                    raise _damaged(self.file.name, _named([self.group]), error) from error
        return f"row {self.first_row} {digest.hexdigest()}"


class HeldRows(Struct, frozen=True, kw_only=True):
    """Rows that have been read, `part` of the file saying where they stood; otherwise as `GroupRows`."""

    name: str
    table: pa.Table
    part: str
    first_row: int
    size: int

    def decode(self, known_games: Collection[str]) -> Decoded:
        """The rows as `batches_from_arrow` has them. Raises InputError where they are damaged."""
        return _decoded(self.table, known_games, self.name, self.part, self.first_row)

    def identity(self) -> str:
        """What tells the rows from all others."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table)
        return f"row {self.first_row} {hashlib.sha256(sink.getvalue()).hexdigest()}"


Rows = GroupRows | HeldRows | SetAsideRows
"""A part of a log in Parquet, or of the list of records set aside that belongs to a store."""


def _decoded(table: pa.Table, known_games: Collection[str], name: str, part: str, first_row: int) -> Decoded:
    try:
        with bounded_memory():
            return batches_from_arrow(table, known_games=known_games, file=name, first_row=first_row)
    except UnfoldsTooFarError as error:
        half = table.num_rows // 2
        if not half:
            raise _unfolds_too_far(name, f"row {first_row}", error) from error
        one = _decoded(table.slice(0, half), known_games, name, part, first_row)
        other = _decoded(table.slice(half), known_games, name, part, first_row + half)
        return Decoded(
            batches=one.batches + other.batches,
            quarantined=one.quarantined + other.quarantined,
            read=one.read + other.read,
        )
    except pa.ArrowMemoryError:
        raise
    except pa.ArrowException as error:  # Arrow looks at what damaged pages hold only when it is used
        raise _damaged(name, part, error) from error


def read_parquet_blocks(file: HashedFile) -> Iterator[Rows]:
    """The rows of a file in blocks, in order.

    Raises InputError where it cannot be opened, is not a Parquet file or is cut off, where its columns are not those of
    a hand log, or where rows that are read here are damaged.
    """
    with _opened(file) as parquet:
        if is_list(parquet.schema.to_arrow_schema()):
            yield from _set_aside(parquet, file)
            return
        check_schema(parquet.schema_arrow, file.name)
        check_sizes(parquet, file.name)
        metadata = parquet.metadata
        described = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
        rows, ways = [group.num_rows for group in described], [_way(group) for group in described]
    share, row = file.size / max(sum(rows), 1), 1
    for kind, some in groupby(range(len(rows)), key=ways.__getitem__):
        groups = list(some)
        for run in [groups] if kind is _TOGETHER else [[group] for group in groups]:
            if kind is _BY_ITSELF:
                held = rows[run[0]]
                needed = file.restrict(_ranges(file, metadata, run[0]))
                yield GroupRows(file=needed, group=run[0], first_row=row, size=int(share * held))
                row += held
                continue
            for table in chain.from_iterable(map(_few_items, _in_order(file, run))):
                size = int(share * table.num_rows)
                yield HeldRows(name=file.name, table=table, part=_named(run), first_row=row, size=size)
                row += table.num_rows


def _ranges(file: HashedFile, metadata: pq.FileMetaData, group: int) -> Iterator[tuple[int, int]]:
    """Return the ranges of a file that are read for one of its row groups: its columns and the footer."""
    described = metadata.row_group(group)
    for column in map(described.column, range(described.num_columns)):
        start = _start(column)
        yield start, start + column.total_compressed_size + _READ_BEYOND
    yield file.size - max(metadata.serialized_size + _READ_BEYOND, _LEAST_OF_FOOTER), file.size


def _start(column: pq.ColumnChunkMetaData) -> int:
    """Return where the pages of a column chunk begin."""
    starts = [column.data_page_offset]
    if column.has_dictionary_page and column.dictionary_page_offset > 0:
        starts.append(column.dictionary_page_offset)
    return min(starts)


def _set_aside(parquet: pq.ParquetFile, file: HashedFile) -> Iterator[SetAsideRows]:
    row, share = 1, file.size / max(parquet.metadata.num_rows, 1)
    try:
        read = _Batches(parquet, range(parquet.num_row_groups), SCHEMA.names, ROWS_AT_A_TIME)
        while True:
            with bounded_memory():
                batch = read.next()
            if batch is None:
                return
            table = pa.Table.from_batches([batch])
            yield SetAsideRows(name=file.name, table=table, first_row=row, size=int(share * table.num_rows))
            row += table.num_rows
    except UnfoldsTooFarError as error:
        raise _unfolds_too_far(file.name, "this list", error) from error
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(file.name, "this list", error) from error


_BY_ITSELF, _TOGETHER, _IN_ORDER = range(3)
"""How row groups are read: each where it is judged; many small ones as one; a large one run by run."""


def _way(group: pq.RowGroupMetaData) -> int:
    entries = max((group.column(index).num_values for index in range(group.num_columns)), default=0)
    if group.num_rows > ROWS_A_BLOCK or entries > ENTRIES_A_BLOCK:
        return _IN_ORDER
    return _TOGETHER if group.num_rows < FEW_ROWS else _BY_ITSELF


def _few_items(table: pa.Table) -> Iterator[pa.Table]:
    """Rows in parts that hold about `ITEMS_AT_A_TIME` entries of lists or fewer."""
    if table.num_rows < 2 or sum(map(_entries, table.columns)) <= ITEMS_AT_A_TIME:
        yield table
        return
    half = table.num_rows // 2
    for part in (table.slice(0, half), table.slice(half)):
        yield from map(_copied, _few_items(part))


def _copied(table: pa.Table) -> pa.Table:
    """The rows without what they were cut from: pickled, they would take it along."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return pa.ipc.open_stream(sink.getvalue()).read_all()


def _entries(column: pa.ChunkedArray) -> int:
    return sum(len(chunk.flatten()) for chunk in column.chunks) if is_nested(column.type) else 0


def _in_order(file: HashedFile, groups: Sequence[int]) -> Iterator[pa.Table]:
    with _opened(file, coded=len(groups) == 1, buffer_size=_BUFFER_BYTES) as parquet:
        done = 0
        try:
            for table in _tables(parquet, file.name, groups):
                yield table
                done += table.num_rows
        except InputError as error:
            if len(groups) == 1 or is_changed(error.diagnostics):
                raise
            # One by one, so that what comes before the damage counts.
            for group in groups:
                for table in _tables(parquet, file.name, [group]):
                    if table.num_rows > done:
                        yield table.slice(done)
                    done = max(done - table.num_rows, 0)


def _tables(file: pq.ParquetFile, name: str, groups: Sequence[int]) -> Iterator[pa.Table]:
    """The rows of some groups, `ROWS_AT_A_TIME` or fewer at a time. Text may be read as codes from one group alone:
    across groups the codes change, which Arrow does not allow within nested columns.

    Rows that together unfold too far are read again, fewer at a time.
    """
    try:
        told, size = list(_told(file, groups)), _rows_at_a_time(file, groups)
        done, read = 0, _Batches(file, groups, told, size)
        while True:
            try:
                with bounded_memory():
                    batch = read.next()
            except UnfoldsTooFarError as error:
                if size == 1:
                    raise _unfolds_too_far(name, f"a row of {_named(groups)}", error) from error
                size = max(size // _FEWER, 1)
                read = _Batches(file, groups, told, size)
                read.skip(done)
                continue
            if batch is None:
                return
            done += batch.num_rows
            yield pa.Table.from_batches([batch])
    except pa.ArrowMemoryError:
        raise
    except (pa.ArrowException, OSError, ValueError) as error:
        raise _damaged(name, _named(groups), error) from error


class _Batches:
    """Batches of rows of some groups, of which some may be skipped."""

    def __init__(self, file: pq.ParquetFile, groups: Sequence[int], told: list[str], size: int) -> None:
        self._batches = file.iter_batches(size, row_groups=groups, columns=told, use_threads=False)
        self._skipped = 0

    def skip(self, rows: int) -> None:
        """Pass over rows, which are read all the same."""
        self._skipped += rows

    def next(self) -> pa.RecordBatch | None:
        """Return the next batch, None where there is none."""
        for batch in self._batches:
            if batch.num_rows > self._skipped:
                rest = batch.slice(self._skipped)
                self._skipped = 0
                return rest
            self._skipped -= batch.num_rows
        return None


def _rows_at_a_time(file: pq.ParquetFile, groups: Sequence[int]) -> int:
    """How many rows of some groups to read at a time, so that they come to runs of about one length."""
    described = [file.metadata.row_group(group) for group in groups]
    rows = max(sum(group.num_rows for group in described), 1)
    values = sum(group.column(index).num_values for group in described for index in range(group.num_columns))
    runs = max(-(-rows // ROWS_AT_A_TIME), -(-values // VALUES_AT_A_TIME))
    return min(-(-rows // runs), ROWS_AT_A_TIME)


class _Footer(Struct, frozen=True, kw_only=True):
    """Footer of a file, with the hash of the file."""

    content: bytes
    metadata: pq.FileMetaData
    repeating: list[str]


_read_last: _Footer | None = None
"""The footer of the file that this process has read last: of many row groups it is large, and slow to read."""


def _footer(stream: BinaryIO, file: HashedFile) -> _Footer:
    global _read_last  # noqa: PLW0603 - a block is all that a process is given, and many are of one file
    if _read_last is None or _read_last.content != file.content:
        _read_last = None
        plain = pq.ParquetFile(stream, pre_buffer=False)
        _read_last = _Footer(content=file.content, metadata=plain.metadata, repeating=_repeating(plain))
    return _read_last


@contextmanager
def _opened(file: HashedFile, *, coded: bool = True, buffer_size: int = 0) -> Iterator[pq.ParquetFile]:
    """The file, text that repeats being read as codes if that is wanted."""
    with file.opened() as stream:
        try:
            with bounded_memory():
                footer = _footer(stream, file)
                parquet = pq.ParquetFile(
                    stream,
                    metadata=footer.metadata,
                    read_dictionary=footer.repeating if coded else None,
                    buffer_size=buffer_size,
                    pre_buffer=False,
                )
        except UnfoldsTooFarError as error:
            raise _unfolds_too_far(file.name, "the end of this file", error) from error
        except pa.ArrowMemoryError:
            raise
        except (pa.ArrowException, OSError, ValueError) as error:
            message = "this is not a Parquet file, or its end is missing"
            raise _refused(file.name, "not-parquet", message, "copy or write the file again") from error
        yield parquet


def _paths(file: pq.ParquetFile) -> list[str]:
    return [file.schema.column(index).path for index in range(len(file.schema))]


def _told(file: pq.ParquetFile, groups: Sequence[int]) -> Iterator[str]:
    """The paths of the columns of some row groups that are looked at.

    A column that need not be there and has only nulls by the statistics of each is left out, which reads as nulls:
    telling over which lists they are spread takes as long as reading values does.
    """
    described = [file.metadata.row_group(group) for group in groups]
    columns = zip(_paths(file), nested(file.schema_arrow), strict=True)
    for index, (path, name) in enumerate(columns):
        if name.startswith(NOT_LOOKED_AT):
            continue
        columns_of_groups = (group.column(index) for group in described)
        if name in REQUIRED or name.endswith(EACH) or not all(map(_is_empty, columns_of_groups)):
            yield path


def _is_empty(column: pq.ColumnChunkMetaData) -> bool:
    return bool(column.is_stats_set and column.statistics.null_count == column.num_values)


def _repeating(file: pq.ParquetFile) -> list[str]:
    """The paths of the columns that are worth reading as codes, where they hold text."""
    return [path for path in _paths(file) if path.rpartition(".")[2] not in _NOT_CODED]


def _named(groups: Sequence[int]) -> str:
    first, last = groups[0] + 1, groups[-1] + 1
    return f"row group {first}" if first == last else f"one of the row groups {first} to {last}"


def _damaged(name: str, part: str, error: Exception) -> InputError:
    said = " ".join(str(error).split())
    return _refused(name, "damaged", f"{part} cannot be read: {said}", "copy or write the file again")


def _unfolds_too_far(name: str, part: str, error: UnfoldsTooFarError) -> InputError:
    help_ = "leave out rounds that are none, or write fewer rows to a row group"
    return _refused(name, "too-large", f"{part} unfolds to {error}", help_)


def _refused(name: str, code: str, message: str, help_: str | None = None) -> InputError:
    return InputError((Diagnostic(code=code, message=message, file=name, help=help_),))
