"""A store: rounds of many logs as Parquet files by document, casino and day, in the order in which they were read.

Rounds come in any order. What is held in memory is bounded: beyond it, rounds go to a temporary file, from which the
files of the store are then written one after the other.
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

from validator.arrays import Ints
from validator.evidence.arrow.set_aside import SCHEMA as LISTED
from validator.evidence.columns.batch import UNDATED, Batch
from validator.evidence.io.named_files import SET_ASIDE
from validator.evidence.writers.arrow import SCHEMA, to_table
from validator.evidence.writers.parquet import ROUNDS_A_GROUP, parquet_file
from validator.results.results import Quarantined
from validator.text.whole_files import sync_folder

ROUNDS = "rounds.parquet"
"""What the file of a partition is called."""
MANIFEST = "_store.json"
"""What a store was made of, at its top. Readers of partitions, and of hand logs, pass over it."""
NOT_RECORDED = "__HIVE_DEFAULT_PARTITION__"
"""The name by which readers of partitions know that there is no value."""
HELD_BYTES = 32 << 20
"""Rounds that are held in memory come to so many bytes."""
_LEAST_BYTES = 16 << 10
"""What a table of rounds takes in memory, however few they are: so many columns have to be kept."""
_LONGEST_NAME = 180
"""File systems allow 255 bytes in a name."""
_NO_DAY = np.iinfo(np.int32).min
_LIST_AT_ONCE = 4096

Key = tuple[str, str | None, int | None]
"""What a partition is of: document, casino, days since 1970-01-01; None where they are not recorded."""


class StoredLog(Struct, frozen=True, kw_only=True):
    """A log of which a store was made: its name, the SHA-256 (hex) of its bytes, its records and those set aside."""

    file: str
    sha256: str
    read: int
    quarantined: int


class StoreManifest(Struct, frozen=True, kw_only=True):
    """What a store was made of, and by which program."""

    program: str
    logs: list[StoredLog]


def is_vacant(folder: str) -> bool:
    """Whether a store may become this folder: it is not there, or nothing is in it. Raises OSError where it may not be
    looked into."""
    place = Path(folder)
    return not place.exists() or (place.is_dir() and not any(place.iterdir()))


@contextmanager
def new_store(folder: str) -> Iterator[Store]:
    """A store that becomes `folder` once all is written, or not at all: until then it has a hidden name beside it.

    Raises OSError where it cannot be written, as where the folder is there and something in it.
    """
    place = Path(folder).absolute()
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.parent / f".fairdeal-{os.urandom(8).hex()}"
    beside.mkdir()
    try:
        with tempfile.TemporaryFile() as spool, Store(beside, spool) as store:
            yield store
            store.finish()
        _sync(beside)
        beside.rename(place)
        sync_folder(place.parent)
    except BaseException:
        shutil.rmtree(beside, ignore_errors=True)
        raise


def _sync(folder: Path) -> None:
    """Wait until all files of a folder and below are on the disk, and their names."""
    for above, _, names in os.walk(folder):
        for name in names:
            with Path(above, name).open("rb+") as stream:
                os.fsync(stream.fileno())
        sync_folder(Path(above))


class Store:
    """Takes rounds, and records that were set aside, in the order in which they are read; `finish` writes the files.

    `rounds`, `set_aside` and `files` count what there is of each.
    """

    def __init__(self, folder: Path, spool: IO[bytes]) -> None:
        self.rounds = self.set_aside = self.files = 0
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

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        for writer in (self._spooled, self._list):
            if writer is not None:
                writer.close()
        self._spooled = self._list = None

    def add(self, batch: Batch) -> None:
        """Add rounds of one game."""
        for key, table in _parted(batch):
            self._held.setdefault(key, []).append(table)
            self._rows[key] = self._rows.get(key, 0) + table.num_rows
            self._bytes += max(table.nbytes, _LEAST_BYTES)
        self.rounds += len(batch)
        if self._bytes > HELD_BYTES:
            self._put_by()

    def list_set_aside(self, entries: Iterable[Quarantined]) -> None:
        """Add records that were set aside."""
        for entry in entries:
            self._listed.append(entry)
            self.set_aside += 1
            if len(self._listed) == _LIST_AT_ONCE:
                self._write_list()

    def note(self, manifest: StoreManifest) -> None:
        """Write down what the store was made of."""
        text = msgspec.json.format(msgspec.json.encode(manifest)) + b"\n"
        (self._folder / MANIFEST).write_bytes(text)

    def finish(self) -> None:
        """Write all that was added."""
        if self._listed:
            self._write_list()
        spooled: pa.RecordBatchFileReader | None = None
        if self._spooled is not None:
            self._put_by()
            self._spooled.close()
            self._spooled = None
            self._spool.seek(0)
            spooled = pa.ipc.open_file(self._spool)
        folders = {_folder_of(key): key for key in self._rows}
        for folder, key in sorted(folders.items()):
            self._write(self._folder / folder, self._pieces(key, spooled), self._rows[key])

    def _put_by(self) -> None:
        """Put the rounds that are held into the temporary file."""
        if self._spooled is None:
            options = pa.ipc.IpcWriteOptions(compression="zstd")
            self._spooled = pa.ipc.new_file(self._spool, SCHEMA, options=options)
        for key in list(self._held):
            (piece,) = pa.concat_tables(self._held.pop(key)).combine_chunks().to_batches()
            self._spooled.write_batch(piece)
            self._places.setdefault(key, []).append(self._batches)
            self._batches += 1
        self._bytes = 0

    def _pieces(self, key: Key, spooled: pa.RecordBatchFileReader | None) -> Iterator[pa.Table]:
        if spooled is not None:
            for place in self._places.get(key, ()):
                yield pa.Table.from_batches([spooled.get_batch(place)])
        yield from self._held.pop(key, ())

    def _write(self, folder: Path, pieces: Iterable[pa.Table], rows: int) -> None:
        """Write a partition in row groups of about one size."""
        groups = -(-rows // ROUNDS_A_GROUP)
        size = -(-rows // groups)
        folder.mkdir(parents=True)
        held: list[pa.Table] = []
        with (folder / ROUNDS).open("wb") as stream, parquet_file(stream) as file:
            for piece in pieces:
                held.append(piece)
                if sum(one.num_rows for one in held) >= size:
                    together = pa.concat_tables(held)
                    whole = together.num_rows - together.num_rows % size
                    file.write_table(together.slice(0, whole), row_group_size=size)
                    held = [together.slice(whole)] if whole < together.num_rows else []
            if held:
                file.write_table(pa.concat_tables(held), row_group_size=size)
        self.files += 1

    def _write_list(self) -> None:
        if self._list is None:
            self._list = pq.ParquetWriter(self._folder / SET_ASIDE, LISTED, compression="zstd")
        rows = [(one.file, one.line, one.column, one.reason) for one in self._listed]
        columns = [pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), LISTED, strict=True)]
        self._list.write_table(pa.Table.from_arrays(columns, schema=LISTED))
        self._listed = []


def _parted(batch: Batch) -> Iterator[tuple[Key, pa.Table]]:
    """The rounds of a batch by their partitions, in order."""
    table = to_table(batch, origin=True)
    day = np.where(batch.dated == UNDATED, _NO_DAY, batch.day).astype(np.int64)
    keys, inverse, counts = np.unique(
        (batch.casino.codes.astype(np.int64) << 32) + day - _NO_DAY, return_inverse=True, return_counts=True
    )
    if len(keys) > 1:
        table = table.take(pa.array(np.argsort(inverse, kind="stable")))
    for key, start, end in zip(keys.tolist(), *_bounds(counts), strict=True):
        casino, since = key >> 32, (key & 0xFFFFFFFF) + int(_NO_DAY)
        name = None if casino < 0 else batch.casino.names[casino]
        yield (batch.game, name, None if since == _NO_DAY else since), table.slice(start, end - start)


def _bounds(counts: Ints) -> tuple[list[int], list[int]]:
    ends = np.cumsum(counts).tolist()
    return [0, *ends[:-1]], ends


def _folder_of(key: Key) -> str:
    document, casino, day = key
    date = None if day is None else str(np.datetime64(day, "D"))
    return f"document={_named(document)}/casino={_named(casino)}/day={_named(date)}"


def _named(value: str | None) -> str:
    """A value in the name of a folder: whatever is no letter or digit of ASCII, nor `_.-~`, as `%` and its bytes in
    hexadecimal. What is too long ends in what stands for all of it."""
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
