"""Writers of hand logs: JSON Lines, compressed by the ending of the file, or Parquet. The same rounds give the same
bytes."""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from validator.evidence.columns.batch import Batch
from validator.evidence.writers.jsonl import to_lines
from validator.text.whole_files import written_whole


class LogWriter(Protocol):
    """Writer that takes batches one by one."""

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        """Append a batch. `planted` lists, for every round, the requirements that it was made to break."""


class _LineWriter:
    __slots__ = ("_stream",)

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        self._stream.write(to_lines(batch, planted))


@contextmanager
def log_writer(path: str) -> Iterator[LogWriter]:
    """Open a writer to a file. A file is written whole or not at all. Raises OSError if it cannot be written.

    The ending chooses the format: `.parquet`; `.gz` or `.zst` for compressed JSON Lines; plain JSON Lines for any other
    ending, and for `-` (standard output).
    """
    suffix = Path(path).suffix
    if path == "-":
        yield _LineWriter(sys.stdout.buffer)
    elif suffix == ".parquet":
        from validator.evidence.writers.parquet import parquet_writer  # noqa: PLC0415 - pyarrow is slow to import

        with written_whole(path) as file, parquet_writer(file) as writer:
            yield writer
    else:
        with written_whole(path) as file, _compress(file, suffix) as stream:
            yield _LineWriter(stream)


def write_jsonl(batches: Iterable[Batch], stream: BinaryIO) -> None:
    """Write batches to a stream as JSON Lines."""
    for batch in batches:
        stream.write(to_lines(batch))


@contextmanager
def _compress(file: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # not a BinaryIO, but writes like one
    elif suffix == ".zst":
        import zstandard  # noqa: PLC0415 - plain logs do not need it

        with zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file
