"""Store of the rounds of many logs: Parquet files by document, casino and day, in the order in which they were read.

Rounds come in any order, and memory is bounded: rounds beyond the bound are spilled to a temporary file, from which the
files of the store are written one by one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO
from urllib.parse import quote

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct

from fairdeal.validator.arrays import Ints
from fairdeal.validator.evidence.arrow.arrow_schema import QUARANTINE_SCHEMA as LISTED
from fairdeal.validator.evidence.arrow.parquet_writer import ROUNDS_A_GROUP, SCHEMA, open_parquet_file, to_table
from fairdeal.validator.evidence.columns.batch import UNDATED, Batch
from fairdeal.validator.evidence.io.named_files import QUARANTINE_FILE
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.atomic_write import sync_folder

ROUNDS = "rounds.parquet"
"""Name of the file of a partition."""
MANIFEST = "_store.json"
"""Name of the manifest at the top of a store. Readers of partitions and of hand logs ignore it."""
NOT_RECORDED = "__HIVE_DEFAULT_PARTITION__"
"""Name that readers of partitions understand as no value."""
HELD_BYTES = 32 << 20
"""Most bytes of rounds in memory."""
_LEAST_BYTES = 16 << 10
"""Bytes of a small table of rounds in memory, due to the number of columns."""
_LONGEST_NAME = 180
"""Most characters of a value: file systems allow 255 bytes in a name."""
_NO_DAY = np.iinfo(np.int32).min
_LIST_AT_ONCE = 4096

Key = tuple[str, str | None, int | None]
"""Key of a partition: document, casino, days since 1970-01-01; None if not recorded."""


class StoredLog(Struct, frozen=True, kw_only=True):
    """Log that a store was made of."""

    file: str
    """Name of the log."""
    sha256: str
    """SHA-256 (hex) of its bytes."""
    read: int
    """Number of records read."""
    quarantined: int
    """Number of records quarantined."""


class StoreManifest(Struct, frozen=True, kw_only=True):
    """Logs that a store was made of, and the program."""

    program: str
    """Program and version."""
    logs: list[StoredLog]
    """The logs."""


def is_vacant(folder: str) -> bool:
    """Return whether a folder can become a store: it does not exist or is empty. Raises OSError if it cannot be
    read."""
    place = Path(folder)
    return not place.exists() or (place.is_dir() and not any(place.iterdir()))


@contextmanager
def create_store(folder: str) -> Iterator[LogStore]:
    """Open a store that becomes `folder` once all is written, or not at all; until then it has a hidden name next to
    it.

    Raises OSError if the store cannot be written, for example if the folder exists and is not empty.
    """
    place = Path(folder).absolute()
    place.parent.mkdir(parents=True, exist_ok=True)
    hidden = place.parent / f".fairdeal-{os.urandom(8).hex()}"
    hidden.mkdir()
    try:
        with tempfile.TemporaryFile() as spool, LogStore(hidden, spool) as store:
            yield store
            store.finish()
        _sync(hidden)
        hidden.rename(place)
        sync_folder(place.parent)
    except BaseException:
        shutil.rmtree(hidden, ignore_errors=True)
        raise


def _sync(folder: Path) -> None:
    """Wait until all files in a folder and below, and their names, are on disk."""
    for above, _, names in os.walk(folder):
        for name in names:
            with Path(above, name).open("rb+") as stream:
                os.fsync(stream.fileno())
        sync_folder(Path(above))


class LogStore:
    """Store of rounds and quarantined records, in the order in which they are read."""

    def __init__(self, folder: Path, spool: IO[bytes]) -> None:
        self.rounds = self.quarantined = self.files = 0
        """Number of rounds, of quarantined records and of files."""
        self._folder = folder
        self._held: dict[Key, list[pa.Table]] = {}
        self._bytes = 0
        self._spool = spool
        self._spooled: pa.RecordBatchFileWriter | None = None
        self._places: dict[Key, list[int]] = {}
        self._rows: dict[Key, int] = {}
        self._batches = 0
        self._list: pq.ParquetWriter | None = None
        self._listed: list[Quarantined] = []

    def __enter__(self) -> LogStore:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in (self._spooled, self._list):
            if writer is not None:
                writer.close()
        self._spooled = self._list = None

    def add(self, batch: Batch) -> None:
        """Add rounds of one game."""
        for key, table in _split_partitions(batch):
            self._held.setdefault(key, []).append(table)
            self._rows[key] = self._rows.get(key, 0) + table.num_rows
            self._bytes += max(table.nbytes, _LEAST_BYTES)
        self.rounds += len(batch)
        if self._bytes > HELD_BYTES:
            self._spill()

    def add_quarantined(self, entries: Iterable[Quarantined]) -> None:
        """Add quarantined records."""
        for entry in entries:
            self._listed.append(entry)
            self.quarantined += 1
            if len(self._listed) == _LIST_AT_ONCE:
                self._write_list()

    def write_manifest(self, manifest: StoreManifest) -> None:
        """Write the manifest of the store."""
        text = msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"
        (self._folder / MANIFEST).write_bytes(text)

    def finish(self) -> None:
        """Write the files of the store."""
        if self._listed:
            self._write_list()
        spooled: pa.RecordBatchFileReader | None = None
        if self._spooled is not None:
            self._spill()
            self._spooled.close()
            self._spooled = None
            self._spool.seek(0)
            spooled = pa.ipc.open_file(self._spool)
        folders = {_make_folder_name(key): key for key in self._rows}
        for folder, key in sorted(folders.items()):
            self._write_partition(self._folder / folder, self._read_pieces(key, spooled), self._rows[key])

    def _spill(self) -> None:
        """Move the rounds in memory to the temporary file."""
        if self._spooled is None:
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            self._spooled = pa.ipc.new_file(self._spool, SCHEMA, options=options)
        for key in list(self._held):
            (piece,) = pa.concat_tables(self._held.pop(key)).combine_chunks().to_batches()
            self._spooled.write_batch(piece)
            self._places.setdefault(key, []).append(self._batches)
            self._batches += 1
        self._bytes = 0

    def _read_pieces(self, key: Key, spooled: pa.RecordBatchFileReader | None) -> Iterator[pa.Table]:
        if spooled is not None:
            for place in self._places.get(key, ()):
                yield pa.Table.from_batches([spooled.get_batch(place)])
        yield from self._held.pop(key, ())

    def _write_partition(self, folder: Path, pieces: Iterable[pa.Table], rows: int) -> None:
        """Write a partition in row groups of about one size."""
        groups = -(-rows // ROUNDS_A_GROUP)
        size = -(-rows // groups)
        folder.mkdir(parents=True)
        pending: list[pa.Table] = []
        with (folder / ROUNDS).open("wb") as stream, open_parquet_file(stream) as file:
            for piece in pieces:
                pending.append(piece)
                if sum(table.num_rows for table in pending) >= size:
                    together = pa.concat_tables(pending)
                    whole = together.num_rows - together.num_rows % size
                    file.write_table(together.slice(0, whole), row_group_size=size)
                    pending = [together.slice(whole)] if whole < together.num_rows else []
            if pending:
                file.write_table(pa.concat_tables(pending), row_group_size=size)
        self.files += 1

    def _write_list(self) -> None:
        if self._list is None:
            self._list = pq.ParquetWriter(self._folder / QUARANTINE_FILE, LISTED, compression="zstd")
        rows = [(entry.file, entry.line, entry.column, entry.reason) for entry in self._listed]
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), LISTED, strict=True)]
        self._list.write_table(pa.Table.from_arrays(columns, schema=LISTED))
        self._listed = []


def _split_partitions(batch: Batch) -> Iterator[tuple[Key, pa.Table]]:
    """Yield the rounds of a batch by partition, in order."""
    table = to_table(batch, origin=True)
    day = np.where(batch.dated == UNDATED, _NO_DAY, batch.day).astype(np.int64)
    keys, inverse, counts = np.unique(
        (batch.casino.codes.astype(np.int64) << 32) + day - _NO_DAY, return_inverse=True, return_counts=True
    )
    if len(keys) > 1:
        table = table.take(pa.array(np.argsort(inverse, kind="stable")))
    for key, start, end in zip(keys.tolist(), *_make_bounds(counts), strict=True):
        casino, since = key >> 32, (key & 0xFFFFFFFF) + int(_NO_DAY)
        name = None if casino < 0 else batch.casino.names[casino]
        yield (batch.game, name, None if since == _NO_DAY else since), table.slice(start, end - start)


def _make_bounds(counts: Ints) -> tuple[list[int], list[int]]:
    ends = np.cumsum(counts).tolist()
    return [0, *ends[:-1]], ends


def _make_folder_name(key: Key) -> str:
    document, casino, day = key
    date = None if day is None else str(np.datetime64(day, "D"))
    return f"document={_encode_value(document)}/casino={_encode_value(casino)}/day={_encode_value(date)}"


def _encode_value(value: str | None) -> str:
    """Return a value for the name of a folder.

    Other characters than ASCII letters, digits and `_.-~` become `%` and their bytes in hexadecimal. A long value is
    cut and ends in its hash.
    """
    if value is None:
        return NOT_RECORDED
    if value == NOT_RECORDED:
        return f"%5F{value[1:]}"
    name = quote(value, safe="")
    if len(name) <= _LONGEST_NAME:
        return name
    short = ""
    for letter in value:
        if len(short) + len(quote(letter, safe="")) > _LONGEST_NAME:
            break
        short += quote(letter, safe="")
    return f"{short}~{sha256(value.encode()).hexdigest()[:32]}"
