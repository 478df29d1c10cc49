"""Writing hand logs: JSON Lines, compressed by the suffix of the file, or Parquet. Same rounds, same bytes."""

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
    """Takes batches one after the other."""

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        """Append a batch. `planted` names, for every round, the requirements it was made to break."""


class _Lines:
    __slots__ = ("_stream",)

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, batch: Batch, planted: Sequence[Sequence[str]] = ()) -> None:
        self._stream.write(to_lines(batch, planted))


@contextmanager
def log_writer(path: str) -> Iterator[LogWriter]:
    """A writer to a file, whose suffix chooses the form: `.parquet`; `.gz` or `.zst` for compressed JSON Lines;
    any other, and `-` for standard output, for plain JSON Lines. A file is written whole or not at all. Raises OSError
    where it cannot be written."""
    suffix = Path(path).suffix
    if path == "-":
        yield _Lines(sys.stdout.buffer)
    elif suffix == ".parquet":
        from validator.evidence.writers.parquet import parquet_writer  # noqa: PLC0415 - pyarrow takes its time to import

        with written_whole(path) as file, parquet_writer(file) as writer:
            yield writer
    else:
        with written_whole(path) as file, _compressed(file, suffix) as stream:
            yield _Lines(stream)


def write_jsonl(batches: Iterable[Batch], stream: BinaryIO) -> None:
    """Write batches to a stream as JSON Lines."""
    for batch in batches:
        stream.write(to_lines(batch))


@contextmanager
def _compressed(file: BinaryIO, suffix: str) -> Iterator[BinaryIO]:
    if suffix == ".gz":
        with gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield packed  # type: ignore[misc]  # no BinaryIO by name, but writes like one
    elif suffix == ".zst":
        import zstandard  # noqa: PLC0415 - plain logs do without

        with zstandard.ZstdCompressor(level=3, write_checksum=True).stream_writer(file, closefd=False) as packed:
            yield packed
    else:
        yield file
