"""Rounds of which logs hold more than one record.

A round is known by its casino, table, game, id and day. A record that says what another of its round says is a
repetition: the first one read counts, the others are passed over. Records of one round that do not say the same
contradict each other: all of them are set aside, as none of them proves anything. Where no day is told, nobody can tell
whether records that differ are of one round.

While logs are read, only a number is kept of each round, most of them on disk. Where some come more than once the logs
are read again: to compare the records themselves, and to judge without those that do not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits64, Flags, Identities, Ints, Ints32, distinct
from validator.evidence.assembly.assemble import Decoded
from validator.evidence.columns.batch import UNDATED, Batch, Coded
from validator.evidence.columns.select import select
from validator.evidence.columns.surrogate_ids import numbers_of, numbers_of_column
from validator.evidence.writers.jsonl import to_lines
from validator.results.results import Quarantined
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


class SetAside(Struct, frozen=True, kw_only=True):
    """Records of a log that do not count: `record` is uint64[n], ascending, a number for the round and the line of
    each; `file` and `line` tell of the record that contradicts it: an index into `files` and int64[n], ABSENT where it
    is but repeated."""

    record: Identities
    file: Ints32
    line: Ints
    files: tuple[str, ...]

    @property
    def contradicted(self) -> int:
        """How many are contradicted."""
        return int(np.count_nonzero(self.file != ABSENT))

    @property
    def repeated(self) -> int:
        """How many are but repeated."""
        return len(self.file) - self.contradicted


class Noted(Struct, frozen=True, kw_only=True):
    """Records of rounds that may be recorded more than once: `round` and `says` are uint64[n, 2], digests of what each
    is known by and of all it says; `record` is as in `SetAside`; `file` and `line` tell where each stands."""

    round: Bits64
    says: Bits64
    record: Identities
    file: Coded
    line: Ints


def noted_in(batches: Sequence[Batch], wanted: Identities) -> tuple[Noted, ...]:
    """The records of rounds with these numbers, batch by batch."""
    return tuple(_noted(batch, wanted) for batch in batches)


def _noted(batch: Batch, wanted: Identities) -> Noted:
    numbers = _numbers(batch)
    chosen = np.isin(numbers, wanted)
    part = select(batch, chosen)
    lines = to_lines(part).splitlines() if chosen.any() else []
    return Noted(
        round=_digests(_known_by(part, index) or line for index, line in enumerate(lines)),
        says=_digests(lines),
        record=_records(numbers[chosen], part.line),
        file=part.file,
        line=part.line,
    )


def set_aside(noted: Sequence[Noted]) -> Mapping[str, SetAside]:
    """The records that do not count, by the log they stand in, of all that were noted in the order they were read."""
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
    against = _against(round_, says)
    found: dict[str, SetAside] = {}
    for number, log in enumerate(files):
        of_log = np.flatnonzero((file == number) & (against != _COUNTS))
        of_log = of_log[np.argsort(record[of_log], kind="stable")]
        other = against[of_log]
        if len(of_log):
            found[log] = SetAside(
                record=record[of_log],
                file=np.where(other == _REPEATED, np.int32(ABSENT), file[other]),
                line=np.where(other == _REPEATED, np.int64(ABSENT), line[other]),
                files=files,
            )
    return found


_COUNTS, _REPEATED = -1, -2


def _against(name: Bits64, says: Bits64) -> Ints:
    """int64[n]: the first record of the same round that says otherwise; or that a record counts, or is repeated."""
    found = np.full(len(name), _COUNTS, np.int64)
    order = np.lexsort((name[:, 1], name[:, 0]))
    same = (name[order][1:] == name[order][:-1]).all(axis=1)
    starts = np.flatnonzero(np.concatenate([np.ones(1, bool), ~same]))
    for start, end in zip(starts.tolist(), [*starts.tolist()[1:], len(order)], strict=True):
        if end - start < 2:
            continue
        rows = order[start:end]
        otherwise = (says[rows] != says[rows[0]]).any(axis=1)
        if otherwise.any():
            found[rows] = np.where(otherwise, rows[0], rows[np.argmax(otherwise)])
        else:
            found[rows[1:]] = _REPEATED
    return found


def sifted(decoded: Decoded, aside: Mapping[str, SetAside]) -> Decoded:
    """What was read, without records that do not count; those that are contradicted are quarantined."""
    if not aside:
        return decoded
    batches: list[Batch] = []
    quarantined = list(decoded.quarantined)
    for batch in decoded.batches:
        keep = np.ones(len(batch), bool)
        records = _records(_numbers(batch), batch.line)
        for code, log in enumerate(batch.file.names):
            if log in aside:
                at = np.flatnonzero(batch.file.codes == code)
                keep[at] = _sifted(batch, at, records[at], aside[log], quarantined)
        if keep.any():
            batches.append(select(batch, keep))
    quarantined.sort(key=lambda entry: (entry.file, entry.line))
    return replace(decoded, batches=tuple(batches), quarantined=tuple(quarantined))


def _sifted(batch: Batch, at: Ints, records: Identities, aside: SetAside, quarantined: list[Quarantined]) -> Flags:
    """bool[n]: which rounds of a batch count, of those at some places, whose records have these numbers."""
    place = np.searchsorted(aside.record, records).clip(max=len(aside.record) - 1)
    listed = aside.record[place] == records
    for index in np.flatnonzero(listed & (aside.file[place] != ABSENT)).tolist():
        other, round_ = int(place[index]), int(at[index])
        where = f"{aside.files[aside.file[other]]}:{aside.line[other]}"
        reason = f"another record of round {batch.round[round_]} says otherwise, at {where}: neither proves anything"
        file = batch.file.text(round_) or ""
        quarantined.append(Quarantined(file=file, line=int(batch.line[round_]), column=None, reason=reason))
    counts: Flags = ~listed
    return counts


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
