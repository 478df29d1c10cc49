"""Writers of batches as Arrow tables, as Parquet files, and as stores of many logs by document, casino and day.

A store takes rounds in any order, and its memory is bounded: rounds beyond the bound are spilled to a temporary file,
from which the files of the store are written one by one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO
from urllib.parse import quote

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bits64, Flags, Ints, Ints16, look_up, make_offsets
from fairdeal.validator.evidence.arrow.arrow_schema import PRECISIONS, build_arrow_schema
from fairdeal.validator.evidence.arrow.arrow_schema import QUARANTINE_SCHEMA as LISTED
from fairdeal.validator.evidence.columns.log_draft import encode_hand_bytes, format_utc_offset
from fairdeal.validator.evidence.columns.recorded_events import FIELD_RULES, decode_mask
from fairdeal.validator.evidence.columns.round_batch import (
    MOMENT,
    UNDATED,
    Batch,
    CodedColumn,
    Hands,
    Meters,
    Outcomes,
    Stakes,
    make_stake_offsets,
    take_rows,
)
from fairdeal.validator.evidence.event_kinds import ACTORS, FACES, MEANS, PLACES
from fairdeal.validator.evidence.io.named_files import QUARANTINE_FILE
from fairdeal.validator.evidence.log_events import KIND_CODES, KINDS
from fairdeal.validator.evidence.round_record import decode_context
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.source import sync_folder, write_atomically

SCHEMA = build_arrow_schema()


def to_table(batch: Batch, planted: Sequence[Sequence[str]] = (), *, origin: bool = False) -> pa.Table:
    """Convert the rounds of a batch to a table of the schema that logs are written with.

    Args:
        batch: the rounds.
        planted: for every round, the requirements that it was made to break; empty if none.
        origin: True to record the log and line of each round.

    Raises ValueError if `planted` has another length than the batch.
    """
    if planted and len(planted) != len(batch):
        raise ValueError(f"planted has {len(planted)} entries for {len(batch)} rounds")
    columns = {
        "round": pa.array(batch.round, pa.string()),
        "casino": _convert_texts(batch.casino),
        "table": _convert_texts(batch.table),
        "time": pa.array(batch.time, pa.int64()).cast(pa.timestamp("us")),
        "game": pa.repeat(pa.scalar(batch.game, pa.string()), len(batch)),
        "number": _convert_numbers(batch.number, pa.int32()),
        "deck": _convert_texts(batch.deck),
        "button": _convert_numbers(batch.button, pa.int8()),
        "small-bet": _convert_numbers(batch.small_bet, pa.int64()),
        "big-bet": _convert_numbers(batch.big_bet, pa.int64()),
        "after": _convert_texts(batch.after),
        "complete": _convert_default_true(batch.complete),
        "seats": _build_lists(batch.seats.offsets, _convert_seats(batch)),
        "dealer": _convert_hands(batch.dealer),
        "dealer-discarded": _convert_hands(batch.dealer_discarded),
        "dealer-drawn": _convert_hands(batch.dealer_drawn),
        "community": _convert_hands(batch.community),
        "community-discarded": _convert_hands(batch.community_discarded),
        "outcomes": _convert_outcomes(batch.outcomes),
        "meters": _build_lists(
            batch.meters.offsets, _convert_meters(batch.meters), absent=np.diff(batch.meters.offsets) == 0
        ),
        "events": _build_lists(batch.events.offsets, _convert_events(batch), absent=~batch.recorded),
        "unrecorded": _convert_unrecorded(batch.unrecorded),
        "currency": _convert_texts(batch.currency),
        "context": _convert_contexts(batch.context),
        "annotations": _convert_annotations(planted, len(batch)),
        "utc-offset": _convert_utc_offsets(batch.offset),
        "time-precision": _look_up(PRECISIONS, np.where(batch.dated == MOMENT, ABSENT, batch.dated.astype(np.int8))),
        "origin": _convert_origins(batch) if origin else pa.nulls(len(batch), SCHEMA.field("origin").type),
    }
    return pa.Table.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _build_struct(columns: dict[str, pa.Array], kind: pa.StructType) -> pa.StructArray:
    return pa.StructArray.from_arrays([columns[field.name] for field in kind], fields=list(kind))


def _build_lists(offsets: Ints, entries: pa.Array, absent: Flags | None = None) -> pa.ListArray:
    mask = None if absent is None or not absent.any() else pa.array(absent)
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), entries, mask=mask)


def _entry_type(name: str) -> pa.StructType:
    return SCHEMA.field(name).type.value_type


def _look_up(names: Sequence[str], codes: NDArray[Any]) -> pa.Array:
    indices = pa.array(codes.astype(np.int32), mask=codes < 0)
    return pa.array(names, pa.string()).take(indices)


def _convert_texts(column: CodedColumn) -> pa.Array:
    return _look_up(column.names, column.codes)


def _convert_numbers(values: NDArray[Any], kind: pa.DataType | None = None) -> pa.Array:
    return pa.array(values, kind or pa.int64(), mask=values < 0)


def _convert_default_true(flags: Flags) -> pa.Array:
    """Convert flags that are true if nothing is recorded."""
    return pa.array(flags, mask=flags)


def _convert_hands(hands: Hands) -> pa.Array:
    characters, lengths = encode_hand_bytes(hands)
    offsets = make_offsets(lengths).astype(np.int32)
    recorded = pa.array(hands.count >= 0).buffers()[1]
    return pa.StringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(characters), recorded)


def _convert_seats(batch: Batch) -> pa.StructArray:
    seats, stakes = batch.seats, batch.stakes
    wagers, bonuses = take_rows(stakes, ~stakes.bonus), take_rows(stakes, stakes.bonus)
    kind = _entry_type("seats")
    columns = {
        "seat": pa.array(seats.number, pa.int8()),
        "player": _convert_texts(seats.player),
        "cards": _convert_hands(seats.hands),
        "discarded": _convert_hands(seats.discarded),
        "drawn": _convert_hands(seats.drawn),
        "decision": _convert_texts(seats.decision),
        "stack": _convert_numbers(seats.stack),
        "stack-after": _convert_numbers(seats.stack_after),
        "won": _convert_numbers(seats.won),
        "playing": _convert_default_true(seats.playing),
        "split-of": _convert_numbers(seats.split_of, pa.int8()),
        "wagers": _build_lists(
            make_stake_offsets(wagers, seats), _convert_stakes(wagers, "wager", kind.field("wagers").type.value_type)
        ),
        "bonuses": _build_lists(
            make_stake_offsets(bonuses, seats), _convert_stakes(bonuses, "bonus", kind.field("bonuses").type.value_type)
        ),
    }
    return _build_struct(columns, kind)


def _convert_stakes(stakes: Stakes, name: str, kind: pa.StructType) -> pa.StructArray:
    columns = {
        name: _convert_texts(stakes.wager),
        "selection": _convert_texts(stakes.selection),
        "amount": _convert_numbers(stakes.amount),
        "brought": _convert_numbers(stakes.brought),
        "tip": pa.array(stakes.tip),
        "paid": _convert_numbers(stakes.paid),
        "taken": _convert_numbers(stakes.taken),
        "claimed": pa.array(stakes.claimed > 0, mask=stakes.claimed < 0),
    }
    return _build_struct(columns, kind)


def _convert_outcomes(outcomes: Outcomes) -> pa.MapArray:
    offsets, absent = outcomes.offsets.astype(np.int32), np.append(np.diff(outcomes.offsets) == 0, False)
    maps = pa.MapArray.from_arrays(
        pa.array(offsets, mask=absent), _convert_texts(outcomes.name), _convert_texts(outcomes.value)
    )
    return maps.cast(SCHEMA.field("outcomes").type)


def _convert_meters(meters: Meters) -> pa.StructArray:
    columns = {
        "meter": _convert_texts(meters.meter),
        "opening": _convert_numbers(meters.opening),
        "shown": _convert_numbers(meters.shown),
        "closing": _convert_numbers(meters.closing),
    }
    return _build_struct(columns, _entry_type("meters"))


def _convert_events(batch: Batch) -> pa.StructArray:
    events = batch.events
    with_tip = FIELD_RULES["tip"].has[events.kind]
    is_split = events.kind == KIND_CODES["split"]
    columns = {
        "event": _look_up(KINDS, events.kind.astype(np.int8)),
        "seat": _convert_numbers(look_up(batch.seats.number, events.seat, ABSENT), pa.int8()),
        "place": _look_up(PLACES, events.place),
        "cards": _convert_hands(events.hands).take(pa.array(events.cards_row, mask=events.cards_row < 0)),
        "face": _look_up(FACES, events.face),
        "by": _look_up(ACTORS, events.by),
        "in": _look_up(MEANS, events.means),
        "wager": _convert_texts(events.wager),
        "tip": pa.array(events.tip, mask=~with_tip),
        "amount": _convert_numbers(events.amount),
        "decision": _convert_texts(events.decision),
        "what": _convert_texts(events.what),
        "deck": _convert_texts(events.deck),
        "positions": _convert_texts(events.positions),
        "value": _convert_texts(events.value),
        "pot": _convert_numbers(events.pot, pa.int8()),
        "chips": _convert_numbers(np.where(is_split, np.int16(ABSENT), events.chips), pa.int16()),
        "to": _convert_numbers(np.where(is_split, events.chips, np.int16(ABSENT)), pa.int8()),
    }
    return _build_struct(columns, _entry_type("events"))


def _convert_unrecorded(masks: Bits64) -> pa.ListArray:
    distinct, codes = np.unique(masks, return_inverse=True)
    lists = pa.array([decode_mask(mask) or None for mask in distinct.tolist()], pa.list_(pa.string()))
    return lists.take(pa.array(codes))


def _convert_utc_offsets(offset: Ints16) -> pa.Array:
    distinct, codes = np.unique(offset, return_inverse=True)
    return pa.array(
        [format_utc_offset(minutes) if minutes else None for minutes in distinct.tolist()], pa.string()
    ).take(pa.array(codes))


def _convert_origins(batch: Batch) -> pa.StructArray:
    return _build_struct({"log": _convert_texts(batch.file), "line": pa.array(batch.line)}, SCHEMA.field("origin").type)


def _convert_contexts(column: CodedColumn) -> pa.MapArray:
    maps = [list(decode_context(text).items()) for text in column.names]
    return pa.array(maps, SCHEMA.field("context").type).take(pa.array(column.codes, mask=column.codes < 0))


def _convert_annotations(planted: Sequence[Sequence[str]], rounds: int) -> pa.StructArray:
    kind = SCHEMA.field("annotations").type
    each = planted or [()] * rounds
    lists = _build_lists(
        make_offsets(np.array([len(ids) for ids in each], np.int64)), pa.array(chain.from_iterable(each), pa.string())
    )
    none = pa.array([not ids for ids in each], pa.bool_())
    return pa.StructArray.from_arrays([lists], fields=list(kind), mask=none)


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
def open_parquet_writer(stream: BinaryIO) -> Iterator[ParquetLog]:
    """Open a writer of a Parquet file to a stream. Raises OSError if it cannot be written.

    Pages of version 1 are compressed whole. Pages of version 2 omit the list structure from compression, which is most
    of the file for nested columns like these.
    """
    with open_parquet_file(stream) as writer:
        log = ParquetLog(writer)
        yield log
        log.finish()


def open_parquet_file(stream: BinaryIO) -> pq.ParquetWriter:
    """Open a Parquet writer for tables of the schema of logs; the caller closes it."""
    return pq.ParquetWriter(stream, SCHEMA, compression="zstd", data_page_version="1.0")


def write_parquet(batches: Iterable[Batch], path: str) -> None:
    """Write batches to a Parquet file."""
    with write_atomically(path) as stream, open_parquet_writer(stream) as log:
        for batch in batches:
            log.write(batch)


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
