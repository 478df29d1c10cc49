"""Writers of hand logs as Parquet files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from validator.evidence.columns.batch import Batch
from validator.evidence.writers.arrow import SCHEMA, to_table
from validator.text.whole_files import written_whole

ROUNDS_A_GROUP = 4096
"""Rounds in a row group, however they came in batches. A reader loads a group at a time, so it determines its memory;
larger groups are not faster."""


class ParquetLog:
    """Writer that collects batches into row groups of one size."""

    __slots__ = ("_tables", "_writer")

    def __init__(self, writer: pq.ParquetWriter) -> None:
        self._writer = writer
        self._tables: list[pa.Table] = []

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        """Append a batch. `planted` lists, for every round, the requirements that it was made to break."""
        self._tables.append(to_table(batch, planted))
        if sum(table.num_rows for table in self._tables) >= ROUNDS_A_GROUP:
            gathered = pa.concat_tables(self._tables)
            whole = gathered.num_rows - gathered.num_rows % ROUNDS_A_GROUP
            self._writer.write_table(gathered.slice(0, whole), row_group_size=ROUNDS_A_GROUP)
            self._tables = [gathered.slice(whole)]

    def finish(self) -> None:
        """Write the remaining rows."""
        if self._tables:
            self._writer.write_table(pa.concat_tables(self._tables), row_group_size=ROUNDS_A_GROUP)
            self._tables = []


@contextmanager
def parquet_writer(stream: BinaryIO) -> Iterator[ParquetLog]:
    """Open a writer of a Parquet file to a stream. Raises OSError if it cannot be written.

    Pages of version 1 are compressed whole. Pages of version 2 omit the list structure from compression, which is most
    of the file for nested columns like these.
    """
    with parquet_file(stream) as writer:
        log = ParquetLog(writer)
        yield log
        log.finish()


def parquet_file(stream: BinaryIO) -> pq.ParquetWriter:
    """Open a Parquet writer for tables of the schema of logs; the caller closes it."""
    return pq.ParquetWriter(stream, SCHEMA, compression="zstd", data_page_version="1.0")


def write_parquet(batches: Iterable[Batch], path: str) -> None:
    """Write batches to a Parquet file."""
    with written_whole(path) as stream, parquet_writer(stream) as log:
        for batch in batches:
            log.write(batch)
