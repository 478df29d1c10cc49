"""Rounds of which logs hold more than one record.

A round is known by its casino, table, game, id and day. A record that agrees with another record of its round in all
that is judged repeats it: the first one counts, and the others are passed over. Records of one round that do not agree
are versions of it, and contradict each other. Every version is judged: a violation in any of them is a finding, and
none of them proves that the round was in order. Without a day, nobody can tell whether records that differ are of one
round.

The first reading of the logs keeps only a number of each round, most of them on disk. If some come more than once, the
logs are read again: to compare the records themselves, and to judge without repetitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits64, Flags, Identities, Ints, Ints32, distinct
from validator.evidence.assembly.assemble import Decoded
from validator.evidence.columns.batch import UNDATED, Batch, Coded, Versions
from validator.evidence.columns.select import select
from validator.evidence.columns.surrogate_ids import numbers_of, numbers_of_column
from validator.evidence.writers.jsonl import to_lines
from validator.text.scratch import Scratch

_STEP = np.uint64(0x9E3779B97F4A7C15)
IN_MEMORY = 1 << 18
"""Numbers of rounds that are kept in memory."""
_PARTS = 256
"""Parts of all numbers, by their first eight bits, of which one is looked at at a time."""
_FIRST_OF_PART = np.arange(_PARTS, dtype=np.uint64) << np.uint64(56)
_DIGEST = 16
"""Bytes that stand for a text."""


def rounds_known_by(batches: Sequence[Batch]) -> Identities:
    """uint64[rounds]: numbers that are equal wherever rounds are the same, and may be where they are not."""
    return np.concatenate([np.zeros(0, np.uint64), *map(_numbers, batches)])


def _numbers(batch: Batch) -> Identities:
    found = numbers_of(batch.round)
    for part in (numbers_of_column(batch.table), numbers_of_column(batch.casino), batch.day.astype(np.uint64)):
        found = _mixed(found) + part
    return _mixed(found) + numbers_of([batch.game])[0]


def _mixed(numbers: Identities) -> Identities:
    """uint64[n]: numbers in which what is added next cannot make up for what was added before, letter by letter."""
    return (numbers ^ numbers >> np.uint64(32)) * _STEP


class Seen:
    """The rounds of all logs that were read, by their numbers: on disk beyond a bound, so that memory does not grow.

    Raises ResourceError where there is no room.
    """

    __slots__ = ("_held", "_kept", "_runs", "_scratch")

    def __init__(self) -> None:
        self._kept: list[Identities] = []
        self._held = 0
        self._scratch: Scratch | None = None
        self._runs: list[Ints] = []
        """Of each run on disk, whose numbers ascend, int64[parts + 1], where its parts begin and end."""

    def add(self, numbers: Identities) -> None:
        """Rounds of one more block."""
        self._kept.append(numbers)
        self._held += len(numbers)
        if self._held > IN_MEMORY:
            run, places = self._taken()
            self._scratch = self._scratch or Scratch()
            start = self._scratch.append(run.tobytes())
            self._runs.append(start + run.itemsize * places)

    def more_than_once(self) -> Identities:
        """uint64[n], ascending: the numbers that came more than once. To be asked for once, when no more come."""
        run, places = self._taken()
        found: list[Identities] = []
        for part in range(_PARTS):
            of_part = [run[places[part] : places[part + 1]], *self._on_disk(part)]
            numbers = np.sort(np.concatenate(of_part))
            found.append(distinct(numbers[1:][numbers[1:] == numbers[:-1]]))
        self.close()
        return np.concatenate(found)

    def close(self) -> None:
        """Give the room on disk back."""
        if self._scratch is not None:
            self._scratch.close()

    def _taken(self) -> tuple[Identities, Ints]:
        """What is held in memory, ascending, and where each part of it begins and ends; it is held no more."""
        run = np.sort(np.concatenate([np.zeros(0, np.uint64), *self._kept]))
        self._kept, self._held = [], 0
        return run, np.append(np.searchsorted(run, _FIRST_OF_PART), len(run))

    def _on_disk(self, part: int) -> Iterator[Identities]:
        for places in self._runs:
            assert self._scratch is not None
            start, end = places[part : part + 2].tolist()
            yield np.frombuffer(self._scratch.read(start, end - start), np.uint64)


class RecordedAgain(Struct, frozen=True, kw_only=True):
    """Records of a log whose rounds are recorded more than once. All arrays are parallel."""

    record: Identities
    """A number for the round and the line of each record, ascending."""
    version: Ints32
    """Number of the version of its round that a record is, from 1; 0 if it repeats another record."""
    last: Flags
    """True for the last version of a round."""
    file: Ints32
    """The file of another version: an index into `files`; ABSENT for a record that repeats another."""
    line: Ints
    """The line of another version; ABSENT for a record that repeats another."""
    files: tuple[str, ...]

    @property
    def contradicted(self) -> int:
        """Count the records that another version of their round contradicts."""
        return int(np.count_nonzero(self.version))

    @property
    def repeated(self) -> int:
        """Count the records that repeat another one."""
        return len(self.version) - self.contradicted


class Noted(Struct, frozen=True, kw_only=True):
    """Records of rounds that may be recorded more than once. All arrays are parallel."""

    round: Bits64
    """uint64[n, 2]: digests of what each round is known by."""
    says: Bits64
    """uint64[n, 2]: digests of all that each record says and that is judged."""
    record: Identities
    """As in `RecordedAgain`."""
    file: Coded
    line: Ints


def noted_in(batches: Sequence[Batch], wanted: Identities) -> tuple[Noted, ...]:
    """The records of rounds with these numbers, batch by batch."""
    return tuple(_noted(batch, wanted) for batch in batches)


def _noted(batch: Batch, wanted: Identities) -> Noted:
    numbers = _numbers(batch)
    chosen = np.isin(numbers, wanted)
    part = select(batch, chosen)
    lines = to_lines(_as_judged(part)).splitlines() if chosen.any() else []
    return Noted(
        round=_digests(_known_by(part, index) or line for index, line in enumerate(lines)),
        says=_digests(lines),
        record=_records(numbers[chosen], part.line),
        file=part.file,
        line=part.line,
    )


def _as_judged(batch: Batch) -> Batch:
    """Return a batch without what no rule looks at."""
    context = Coded(codes=np.full(len(batch), ABSENT, np.int32), names=())
    return replace(batch, context=context)


def recorded_again(noted: Sequence[Noted]) -> Mapping[str, RecordedAgain]:
    """Return the records that repeat or contradict another one, by their logs.

    Args:
        noted: the records of all rounds that may be recorded more than once, in the order they were read.
    """
    if not noted:
        return {}
    round_, says, record, line = (
        np.concatenate([getattr(one, name) for one in noted]) for name in ("round", "says", "record", "line")
    )
    files = tuple(dict.fromkeys(name for one in noted for name in one.file.names))
    place = {name: index for index, name in enumerate(files)}
    file = np.concatenate(
        [np.array([place[name] for name in one.file.names], np.int32)[one.file.codes] for one in noted]
    )
    version, last, other = _versions(round_, says)
    found: dict[str, RecordedAgain] = {}
    for number, log in enumerate(files):
        of_log = np.flatnonzero((file == number) & (version != _ALONE))
        of_log = of_log[np.argsort(record[of_log], kind="stable")]
        repeats, others = version[of_log] == 0, other[of_log]
        if len(of_log):
            found[log] = RecordedAgain(
                record=record[of_log],
                version=version[of_log],
                last=last[of_log],
                file=np.where(repeats, np.int32(ABSENT), file[others]),
                line=np.where(repeats, np.int64(ABSENT), line[others]),
                files=files,
            )
    return found


_ALONE = -1
"""Stands for the version of a record that counts, and that no other record of its round contradicts."""


def _versions(name: Bits64, says: Bits64) -> tuple[Ints32, Flags, Ints]:
    """Compare records of the same rounds.

    Returns:
        int32[n], which version each record is, or 0 for a repetition; bool[n], whether it is the last version;
        int64[n], the record of another version.
    """
    version, other = np.full(len(name), _ALONE, np.int32), np.zeros(len(name), np.int64)
    last = np.zeros(len(name), bool)
    order = np.lexsort((name[:, 1], name[:, 0]))
    same = (name[order][1:] == name[order][:-1]).all(axis=1)
    starts = np.flatnonzero(np.concatenate([np.ones(1, bool), ~same]))
    for start, end in zip(starts.tolist(), [*starts.tolist()[1:], len(order)], strict=True):
        if end - start < 2:
            continue
        rows = order[start:end]
        first: dict[tuple[int, ...], int] = {}
        for row, said in zip(rows.tolist(), map(tuple, says[rows].tolist()), strict=True):
            first.setdefault(said, row)
        versions = np.array([*first.values()], np.int64)
        version[rows] = 0
        version[versions] = np.arange(1, len(versions) + 1) if len(versions) > 1 else _ALONE
        last[versions[-1]] = True
        other[versions] = versions[0]
        other[versions[0]] = versions[min(1, len(versions) - 1)]
    return version, last, other


def sifted(decoded: Decoded, again: Mapping[str, RecordedAgain]) -> Decoded:
    """Return what was read without repetitions; records of rounds with several versions know of each other."""
    if not again:
        return decoded
    return replace(decoded, batches=tuple(one for batch in decoded.batches for one in _sifted(batch, again)))


def _sifted(batch: Batch, again: Mapping[str, RecordedAgain]) -> Iterator[Batch]:
    keep, last = np.ones(len(batch), bool), np.zeros(len(batch), bool)
    version, others = np.zeros(len(batch), np.int32), np.full(len(batch), ABSENT, np.int32)
    names: dict[str, int] = {}
    records = _records(_numbers(batch), batch.line)
    for code, log in enumerate(batch.file.names):
        if log not in again:
            continue
        of_log = np.flatnonzero(batch.file.codes == code)
        found = again[log]
        place = np.searchsorted(found.record, records[of_log]).clip(max=len(found.record) - 1)
        listed = found.record[place] == records[of_log]
        for index, at in zip(of_log[listed].tolist(), place[listed].tolist(), strict=True):
            keep[index], version[index], last[index] = found.version[at] > 0, found.version[at], found.last[at]
            if version[index]:
                other = f"{found.files[found.file[at]]}:{found.line[at]}"
                others[index] = names.setdefault(other, len(names))
    if keep.any():
        other_ = Coded(codes=others, names=tuple(names))
        versions = Versions(number=version, last=last, other=other_) if names else None
        yield select(replace(batch, versions=versions), keep)


def _known_by(batch: Batch, index: int) -> bytes | None:
    """What a round of a batch is known by; None where no day is told, so that it is known only by all it says."""
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


def _digests(texts: Iterable[bytes]) -> Bits64:
    """uint64[n, 2]: numbers that stand for texts."""
    digests = b"".join(blake2b(text, digest_size=_DIGEST).digest() for text in texts)
    return np.frombuffer(digests, np.uint64).reshape(-1, _DIGEST // 8)


def _records(numbers: Identities, line: Ints) -> Identities:
    """uint64[n]: numbers for rounds, each at its line of a log."""
    return numbers * _STEP + line.astype(np.uint64)
