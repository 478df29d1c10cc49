"""Rounds of which logs hold more than one record.

A round is identified by its casino, table, game, id and day. A record that agrees with another record of its round in
everything that rules use is a repetition: the first record counts, and the audit skips the others. Records of one round
that disagree are versions of it, and contradict each other. The audit checks every version. A violation in any of them
is a finding, and none of them proves that the round was in order. Without a day, records that differ may or may not be
of one round.

The first pass over the logs keeps only a hash of each round, most of them on disk. If a hash occurs more than once, the
audit reads the logs again: to compare the records themselves, and to check the rounds without repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Bits64, Flags, Identities, Ints, Ints32, find_distinct, mix_numbers
from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.columns.log_draft import hash_column, hash_texts
from fairdeal.validator.evidence.columns.round_batch import (
    UNDATED,
    Batch,
    CodedColumn,
    RecordVersions,
    no_names,
    select_rounds,
)
from fairdeal.validator.evidence.log_writers import to_lines
from fairdeal.validator.text.source import TempSpool

_STEP = np.uint64(0x9E3779B97F4A7C15)
IN_MEMORY = 1 << 18
"""Number of round hashes that are kept in memory."""
_PARTITIONS = 256
"""Number of partitions of all hashes, by their first eight bits. One partition is compared at a time."""
_FIRST_OF_PARTITION = np.arange(_PARTITIONS, dtype=np.uint64) << np.uint64(56)
_DIGEST_BYTES = 16
"""Length of a digest."""


def hash_rounds(batches: Sequence[Batch]) -> Identities:
    """Hash the rounds of batches.

    Returns:
        uint64[rounds]: equal for equal rounds, and rarely equal for different ones.
    """
    return np.concatenate([np.zeros(0, np.uint64), *map(_hash_batch, batches)])


def _hash_batch(batch: Batch) -> Identities:
    hashes = hash_texts(batch.round)
    # Mixed before each sum: names with the same number in them, as of a round and its table, would cancel each other.
    for codes in (hash_column(batch.table), hash_column(batch.casino), batch.day.astype(np.uint64)):
        hashes = mix_numbers(hashes) + codes
    return mix_numbers(hashes) + hash_texts([batch.game])[0]


class RoundHashStore:
    """Hashes of the rounds of all logs read so far, on disk beyond a bound so that memory does not grow.

    Raises ResourceError if the disk is full.
    """

    __slots__ = ("_kept", "_kept_count", "_runs", "_scratch")

    def __init__(self) -> None:
        self._kept: list[Identities] = []
        self._kept_count = 0
        self._scratch: TempSpool | None = None
        self._runs: list[Ints] = []
        """Offsets of the partitions of each sorted run on disk: int64[partitions + 1]."""

    def add(self, numbers: Identities) -> None:
        """Add the hashes of the rounds of one more block."""
        self._kept.append(numbers)
        self._kept_count += len(numbers)
        if self._kept_count > IN_MEMORY:
            run, places = self._take_sorted_run()
            self._scratch = self._scratch or TempSpool()
            start = self._scratch.append(run.tobytes())
            self._runs.append(start + run.itemsize * places)

    def duplicate_round_ids(self) -> Identities:
        """Return the hashes that were added more than once. Call it once, after the last `add`.

        Returns:
            uint64[n], ascending.
        """
        run, places = self._take_sorted_run()
        duplicates: list[Identities] = []
        for partition in range(_PARTITIONS):
            runs = [run[places[partition] : places[partition + 1]], *self._read_partition(partition)]
            numbers = np.sort(np.concatenate(runs))
            duplicates.append(find_distinct(numbers[1:][numbers[1:] == numbers[:-1]]))
        self.close()
        return np.concatenate(duplicates)

    def close(self) -> None:
        """Free the space on disk."""
        if self._scratch is not None:
            self._scratch.close()

    def _take_sorted_run(self) -> tuple[Identities, Ints]:
        """Remove the hashes from memory; return them sorted, with the offsets of the partitions."""
        run = np.sort(np.concatenate([np.zeros(0, np.uint64), *self._kept]))
        self._kept, self._kept_count = [], 0
        return run, np.append(np.searchsorted(run, _FIRST_OF_PARTITION), len(run))

    def _read_partition(self, partition: int) -> Iterator[Identities]:
        for places in self._runs:
            assert self._scratch is not None
            start, end = places[partition : partition + 2].tolist()
            yield np.frombuffer(self._scratch.read(start, end - start), np.uint64)


class DuplicateRecords(Struct, frozen=True, kw_only=True):
    """Records of a log whose rounds are recorded more than once. All arrays are parallel."""

    record: Identities
    """Hash of the round and line of each record, ascending."""
    version: Ints32
    """Number of the version that a record is of its round, from 1; 0 if it repeats another record."""
    last: Flags
    """True for the last version of a round."""
    file: Ints32
    """The file of another version: an index into `files`; ABSENT for a record that repeats another."""
    line: Ints
    """The line of another version; ABSENT for a record that repeats another."""
    files: tuple[str, ...]
    """Names of the files that `file` refers to."""

    @property
    def contradicted_count(self) -> int:
        """Count the records that another version of their round contradicts."""
        return int(np.count_nonzero(self.version))

    @property
    def repeated_count(self) -> int:
        """Count the records that repeat another one."""
        return len(self.version) - self.contradicted_count


class RecordDigests(Struct, frozen=True, kw_only=True):
    """Digests of records of rounds that may be recorded more than once. All arrays are parallel."""

    round: NDArray[np.uint64]
    """uint64[n, 2]: digest of the identity of each round."""
    says: NDArray[np.uint64]
    """uint64[n, 2]: digest of everything in each record that rules use."""
    record: NDArray[np.uint64]
    """Hash of the round and line of each record."""
    file: CodedColumn
    """File of each record."""
    line: NDArray[np.int64]
    """Line of each record, from 1."""


def digest_records(batches: Sequence[Batch], hashes: Identities) -> tuple[RecordDigests, ...]:
    """Digest the records of rounds with these hashes, batch by batch."""
    return tuple(_digest_batch(batch, hashes) for batch in batches)


def _digest_batch(batch: Batch, wanted_hashes: Identities) -> RecordDigests:
    hashes = _hash_batch(batch)
    chosen = np.isin(hashes, wanted_hashes)
    part = select_rounds(batch, chosen)
    # No rule uses the context.
    lines = to_lines(replace(part, context=no_names(len(part)))).splitlines() if chosen.any() else []
    return RecordDigests(
        round=_digest_texts(_round_identity(part, index) or line for index, line in enumerate(lines)),
        says=_digest_texts(lines),
        record=_hash_records(hashes[chosen], part.line),
        file=part.file,
        line=part.line,
    )


def find_duplicates(noted: Sequence[RecordDigests]) -> Mapping[str, DuplicateRecords]:
    """Return the records that repeat or contradict another one, by the names of their logs.

    Args:
        noted: digests of all rounds that may be recorded more than once, in the order they were read.
    """
    if not noted:
        return {}
    round_, says, record, line = (
        np.concatenate([getattr(digests, name) for digests in noted]) for name in ("round", "says", "record", "line")
    )
    files = tuple(dict.fromkeys(name for digests in noted for name in digests.file.names))
    place = {name: index for index, name in enumerate(files)}
    file = np.concatenate(
        [np.array([place[name] for name in digests.file.names], np.int32)[digests.file.codes] for digests in noted]
    )
    version, last, other = _versions(round_, says)
    duplicates: dict[str, DuplicateRecords] = {}
    for number, log in enumerate(files):
        of_log = np.flatnonzero((file == number) & (version != _UNIQUE))
        of_log = of_log[np.argsort(record[of_log], kind="stable")]
        repeats, others = version[of_log] == 0, other[of_log]
        if len(of_log):
            duplicates[log] = DuplicateRecords(
                record=record[of_log],
                version=version[of_log],
                last=last[of_log],
                file=np.where(repeats, np.int32(ABSENT), file[others]),
                line=np.where(repeats, np.int64(ABSENT), line[others]),
                files=files,
            )
    return duplicates


_UNIQUE = -1
"""Version of a record that counts and that no other record of its round contradicts."""


def _versions(name: Bits64, says: Bits64) -> tuple[Ints32, Flags, Ints]:
    """Compare records of the same rounds.

    Returns:
        int32[n], which version each record is, or 0 for a repetition; bool[n], whether it is the last version;
        int64[n], the record of another version.
    """
    version, other = np.full(len(name), _UNIQUE, np.int32), np.zeros(len(name), np.int64)
    last = np.zeros(len(name), bool)
    order = np.lexsort((name[:, 1], name[:, 0]))
    same = (name[order][1:] == name[order][:-1]).all(axis=1)
    starts = np.flatnonzero(np.concatenate([np.ones(1, bool), ~same]))
    for start, end in zip(starts.tolist(), [*starts.tolist()[1:], len(order)], strict=True):
        if end - start < 2:
            continue
        rows = order[start:end]
        first: dict[tuple[int, ...], int] = {}
        for row, content in zip(rows.tolist(), map(tuple, says[rows].tolist()), strict=True):
            first.setdefault(content, row)
        versions = np.array([*first.values()], np.int64)
        version[rows] = 0
        version[versions] = np.arange(1, len(versions) + 1) if len(versions) > 1 else _UNIQUE
        last[versions[-1]] = True
        other[versions] = versions[0]
        other[versions[0]] = versions[min(1, len(versions) - 1)]
    return version, last, other


def drop_repetitions(decoded: DecodedBlock, duplicates: Mapping[str, DuplicateRecords]) -> DecodedBlock:
    """Return decoded batches without repetitions.

    A record of a round with several versions refers to another version.
    """
    if not duplicates:
        return decoded
    batches = (part for batch in decoded.batches for part in _drop_repetitions_in(batch, duplicates))
    return replace(decoded, batches=tuple(batches))


def _drop_repetitions_in(batch: Batch, duplicates_of_log: Mapping[str, DuplicateRecords]) -> Iterator[Batch]:
    keep, last = np.ones(len(batch), bool), np.zeros(len(batch), bool)
    version, others = np.zeros(len(batch), np.int32), np.full(len(batch), ABSENT, np.int32)
    names: dict[str, int] = {}
    records = _hash_records(_hash_batch(batch), batch.line)
    for code, log in enumerate(batch.file.names):
        if log not in duplicates_of_log:
            continue
        of_log = np.flatnonzero(batch.file.codes == code)
        duplicates = duplicates_of_log[log]
        nearest = np.searchsorted(duplicates.record, records[of_log]).clip(max=len(duplicates.record) - 1)
        listed = duplicates.record[nearest] == records[of_log]
        for index, row in zip(of_log[listed].tolist(), nearest[listed].tolist(), strict=True):
            keep[index], version[index], last[index] = (
                duplicates.version[row] > 0,
                duplicates.version[row],
                duplicates.last[row],
            )
            if version[index]:
                other = f"{duplicates.files[duplicates.file[row]]}:{duplicates.line[row]}"
                others[index] = names.setdefault(other, len(names))
    if keep.any():
        other_ = CodedColumn(codes=others, names=tuple(names))
        versions = RecordVersions(number=version, last=last, other=other_) if names else None
        yield select_rounds(replace(batch, versions=versions), keep)


def _round_identity(batch: Batch, index: int) -> bytes | None:
    """Return the identity of a round; None if it has no day, because then only its whole record identifies it."""
    if batch.dated[index] == UNDATED:
        return None
    known_by = (
        batch.casino.text(index),
        batch.table.text(index),
        batch.game,
        batch.round[index],
        int(batch.day[index]),
    )
    return repr(known_by).encode("utf-8", "surrogatepass")


def _digest_texts(texts: Iterable[bytes]) -> Bits64:
    """Digest texts.

    Returns:
        uint64[n, 2].
    """
    digests = b"".join(blake2b(text, digest_size=_DIGEST_BYTES).digest() for text in texts)
    return np.frombuffer(digests, np.uint64).reshape(-1, _DIGEST_BYTES // 8)


def _hash_records(numbers: Identities, line: Ints) -> Identities:
    """Hash rounds together with their lines.

    Returns:
        uint64[n].
    """
    return numbers * _STEP + line.astype(np.uint64)
