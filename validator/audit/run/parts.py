"""Logs cut into parts, each to be judged by itself, in any process on any machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import TYPE_CHECKING

from msgspec import Struct

from validator.audit.run.block_audit import Block, BlockVerdict, LogEnd
from validator.evidence.io.open_file import opened
from validator.evidence.readers.open_log import HandLog
from validator.evidence.readers.small_logs import SmallLogs
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import open_failed

if TYPE_CHECKING:
    import pyarrow as pa

    from validator.evidence.jsonl.blocks import HeldLines
    from validator.evidence.phh.blocks import Hands

NO_FILE = "none: a table in memory"
"""What stands for the hash of rounds that are in no file."""
_CHUNK = 1 << 20
_SMALL_LOGS_BYTES = 1 << 20
"""Bytes of small logs that are judged together."""


class WholeLog(Struct, frozen=True, kw_only=True):
    """A log that is read, hashed and judged in one place, block by block. `size` is its number of bytes."""

    path: str
    size: int

    def identity(self) -> str:
        """The SHA-256 (hex) of its bytes. Raises InputError where it cannot be read."""
        digest = hashlib.sha256()
        try:
            with opened(self.path) as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
        except OSError as error:
            raise open_failed(self.path, error) from error
        return digest.hexdigest()


class Part(Struct, frozen=True, kw_only=True):
    """A part of a log. Parts stand in the order of `log`, the number of their log (the first of them, where several
    small ones are a part), then of its `name`, then of `number`, their own within it.

    `block` is what is read where it is judged: a run of lines or of rows, a whole log, several small ones; None where
    there is nothing more to read. `last` says that nothing of its log comes after it; `ends` are of the logs that are
    known to end with it.
    """

    log: int
    number: int
    name: str
    block: Block | WholeLog | None = None
    last: bool = False
    ends: tuple[LogEnd, ...] = ()

    @property
    def place(self) -> tuple[int, str, int]:
        """What parts are ordered by, and known by."""
        return self.log, self.name, self.number


class JudgedPart(Struct, frozen=True, kw_only=True):
    """What became of a part, block by block."""

    part: Part
    verdicts: tuple[BlockVerdict, ...]


class _Opened(Struct, frozen=True, kw_only=True):
    """A log whose turn has come, by its number."""

    place: int
    log: HandLog
    size: int | None = None
    """Its bytes, where it is one part."""
    text: HeldLines | Hands | None = None
    """All of it, where it is small."""


class Logs:
    """The logs of an audit in the order of their names, cut into parts as often as needed.

    A log that can be read where it is judged, and has at most `whole` bytes, is one part.
    """

    __slots__ = ("_logs", "_names", "_read", "_whole")

    def __init__(self, logs: Iterable[HandLog], *, whole: int = 0) -> None:
        self._logs = enumerate(sorted(logs, key=lambda log: log.name))
        self._whole = whole
        self._read: list[HandLog] = []
        self._names: dict[str, int] = {}

    def parts(self) -> Iterator[Part]:
        """All parts, in order. Logs are opened as they are come to; of one that cannot be read a part says why."""
        again = [(place, log.again()) for place, log in enumerate(self._read)]
        logs = self._opened(chain(again, self._come_to()))
        for small, some in groupby(logs, key=lambda one: one.text is not None):
            if small:
                yield from map(_small_logs, _several(some))
                continue
            for one in some:
                yield from self._parts(one)

    def close(self) -> None:
        """Give up the copies of what can be read but once."""
        for log in self._read:
            log.close()

    def _come_to(self) -> Iterator[tuple[int, HandLog]]:
        for place, log in self._logs:
            self._read.append(log)
            if self._names.setdefault(log.name, place) == place:
                log.keep()
            yield place, log

    def _opened(self, logs: Iterable[tuple[int, HandLog]]) -> Iterator[_Opened]:
        for place, log in logs:
            size = log.size() if self._whole else None
            if self._names[log.name] != place:
                yield _Opened(place=place, log=log)
            elif size is not None and size <= self._whole:
                yield _Opened(place=place, log=log, size=size)
            else:
                yield _Opened(place=place, log=log, text=log.whole())

    def _parts(self, one: _Opened) -> Iterator[Part]:
        if self._names[one.log.name] != one.place:
            message = "this log is named twice"
            yield _unreadable(
                one.log.name, one.place, 0, Diagnostic(code="named-twice", message=message, file=one.log.name)
            )
        elif one.size is not None:
            yield Part(
                log=one.place, number=0, name=one.log.name, block=WholeLog(path=one.log.path, size=one.size), last=True
            )
        else:
            yield from parts_of(one.log, one.place)


def parts_of(log: HandLog, place: int) -> Iterator[Part]:
    """A log cut into blocks, and its end."""
    number = 0
    try:
        for block in log.blocks():
            yield Part(log=place, number=number, name=log.name, block=block)
            number += 1
    except InputError as error:
        yield _unreadable(log.name, place, number, *error.diagnostics)
        return
    end = LogEnd(name=log.name, sha256=log.sha256())
    yield Part(log=place, number=number, name=log.name, last=True, ends=(end,))


def _unreadable(name: str, place: int, number: int, *diagnostics: Diagnostic) -> Part:
    return Part(log=place, number=number, name=name, last=True, ends=(LogEnd(name=name, refused=diagnostics),))


def _several(logs: Iterable[_Opened]) -> Iterator[list[_Opened]]:
    """Gather small logs until it is worthwhile to judge them."""
    some: list[_Opened] = []
    size = 0
    for one in logs:
        some.append(one)
        size += 0 if one.text is None else one.text.size
        if size >= _SMALL_LOGS_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


def _small_logs(some: Sequence[_Opened]) -> Part:
    return Part(
        log=some[0].place,
        number=0,
        name=some[0].log.name,
        block=SmallLogs(logs=tuple(one.text for one in some if one.text is not None)),
        last=True,
        ends=tuple(LogEnd(name=one.log.name, sha256=one.log.sha256()) for one in some),
    )


def table_part(table: pa.Table, *, name: str) -> Part:
    """An Arrow table of the form of a Parquet log, whole."""
    from validator.evidence.arrow.parquet_reader import HeldRows  # noqa: PLC0415 - pyarrow takes time to import

    block = HeldRows(name=name, table=table, part="the table", first_row=1, size=table.nbytes)
    return Part(log=0, number=0, name=name, block=block, last=True, ends=(LogEnd(name=name, sha256=NO_FILE),))
