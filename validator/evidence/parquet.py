"""Hand logs in Parquet: row groups to batches, a run of rows at a time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from validator.evidence.arrow import batches_from_arrow
from validator.evidence.arrow_schema import EACH, REQUIRED, check_schema, nested
from validator.evidence.assemble import Decoded
from validator.evidence.columns import Batch
from validator.evidence.opening import opened
from validator.text.diagnostics import Diagnostic, InputError
from validator.verdicts import Quarantined

ROWS_AT_A_TIME = 8192
ROWS_A_BLOCK = 1 << 16
"""Of a row group that has more, each block reads what comes before it once more: slow, but not without bound."""
_NOT_CODED = frozenset(
    {
        "round", "cards", "discarded", "drawn", "dealer", "dealer-discarded", "dealer-drawn",
        "community", "community-discarded",
    }
)  # fmt: skip
"""Columns of text that hardly repeat; all others are read as codes."""


class Rows(Struct, frozen=True, kw_only=True):
    """Rows of one row group of a Parquet file: `rows` of them after the first `skip`, numbered in the file from
    `first_row`. `size` is their share of the bytes of the file."""

    path: str
    group: int
    skip: int
    rows: int
    first_row: int
    size: int

    def decode(self, known_games: Collection[str]) -> Decoded:
        """The rows as `batches_from_arrow` has them. Raises InputError where they are damaged."""
        batches: list[Batch] = []
        quarantined: list[Quarantined] = []
        row = self.first_row
        for table in _tables(self):
            try:
                decoded = batches_from_arrow(table, known_games=known_games, file=self.path, first_row=row)
            except pa.ArrowException as error:  # Arrow looks at what damaged pages hold only when it is used
                raise _damaged(self.path, self.group, error) from error
            batches += decoded.batches
            quarantined += decoded.quarantined
            row += table.num_rows
        return Decoded(batches=tuple(batches), quarantined=tuple(quarantined), read=row - self.first_row)


def read_parquet_blocks(path: str) -> Iterator[Rows]:
    """The rows of a file in blocks, in order.

    Raises InputError where it cannot be opened, is not a Parquet file or is cut off, or where its columns are
    not those of a hand log.
    """
    with _opened(path) as file:
        check_schema(file.schema_arrow, path)
        groups = [file.metadata.row_group(index).num_rows for index in range(file.num_row_groups)]
    size = Path(path).stat().st_size
    row = 1
    for group, held in enumerate(groups):
        for skip in range(0, held, ROWS_A_BLOCK):
            rows = min(ROWS_A_BLOCK, held - skip)
            share = size * rows // sum(groups)
            yield Rows(path=path, group=group, skip=skip, rows=rows, first_row=row, size=share)
            row += rows


def _tables(block: Rows) -> Iterator[pa.Table]:
    """The rows of a block, `ROWS_AT_A_TIME` or fewer at a time."""
    left = block.rows
    for run in islice(_runs(block.path, block.group), block.skip // ROWS_AT_A_TIME, None):
        yield run.slice(0, left)
        left -= run.num_rows
        if left <= 0:
            break


def _runs(path: str, group: int) -> Iterator[pa.Table]:
    with _opened(path) as file:
        try:
            # Across groups the codes of text change, which Arrow does not allow within nested columns.
            told = list(_told(file, group))
            runs = file.iter_batches(ROWS_AT_A_TIME, row_groups=[group], columns=told, use_threads=False)
            for batch in runs:
                yield pa.Table.from_batches([batch])
        except (pa.ArrowException, OSError, ValueError) as error:
            raise _damaged(path, group, error) from error


@contextmanager
def _opened(path: str) -> Iterator[pq.ParquetFile]:
    """The file, text that repeats being read as codes."""
    with opened(path) as stream:
        try:
            plain = pq.ParquetFile(stream)
            file = pq.ParquetFile(stream, metadata=plain.metadata, read_dictionary=_repeating(plain))
        except (pa.ArrowException, OSError, ValueError) as error:
            message = "this is not a Parquet file, or its end is missing"
            raise _refused(path, "not-parquet", message, "copy or write the file again") from error
        yield file


def _paths(file: pq.ParquetFile) -> list[str]:
    return [file.schema.column(index).path for index in range(len(file.schema))]


def _told(file: pq.ParquetFile, group: int) -> Iterator[str]:
    """The paths of the columns of a row group that are looked at.

    A column that need not be there and has only nulls by the statistics of the group is left out, which reads as nulls:
    telling over which lists they are spread takes as long as reading values does.
    """
    described = file.metadata.row_group(group)
    columns = zip(_paths(file), nested(file.schema_arrow), strict=True)
    for index, (path, name) in enumerate(columns):
        if name.startswith("annotations."):
            continue
        column = described.column(index)
        empty = column.is_stats_set and column.statistics.null_count == column.num_values
        if not empty or name in REQUIRED or name.endswith(EACH):
            yield path


def _repeating(file: pq.ParquetFile) -> list[str]:
    """The paths of the columns that are worth reading as codes, where they hold text."""
    return [path for path in _paths(file) if path.rpartition(".")[2] not in _NOT_CODED]


def _damaged(path: str, group: int, error: Exception) -> InputError:
    said = " ".join(str(error).split())
    return _refused(path, "damaged", f"row group {group + 1} cannot be read: {said}", "copy or write the file again")


def _refused(path: str, code: str, message: str, help_: str | None = None) -> InputError:
    return InputError((Diagnostic(code=code, message=message, file=path, help=help_),))
