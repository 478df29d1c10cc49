"""Logs split into parts, each of which can be checked by any process on any machine."""

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
"""Placeholder for the hash of rounds that are in no file."""
_CHUNK = 1 << 20
_SMALL_LOGS_BYTES = 1 << 20
"""Number of bytes of small logs that are checked together."""


class WholeLog(Struct, frozen=True, kw_only=True):
    """Log that one process reads, hashes and checks, block by block."""

    path: str
    size: int
    """Number of bytes."""

    def identity(self) -> str:
        """Return the SHA-256 (hex) of the bytes. Raises InputError if the log cannot be read."""
        digest = hashlib.sha256()
        try:
            with opened(self.path) as stream:
                while chunk := stream.read(_CHUNK):
                    digest.update(chunk)
        except OSError as error:
            raise open_failed(self.path, error) from error
        return digest.hexdigest()


class Part(Struct, frozen=True, kw_only=True):
    """Part of a log. Parts are ordered by `log`, `name` and `number`."""

    log: int
    """Number of the log; for several small logs in one part, that of the first."""
    number: int
    """Number of the part within its log."""
    name: str
    """Name of the log."""
    block: Block | WholeLog | None = None
    """Data that the process reads: lines, rows, a whole log, or several small ones; None if there is nothing left to
    read."""
    last: bool = False
    """True if it is the last part of its log."""
    ends: tuple[LogEnd, ...] = ()
    """Ends of the logs known to end with the part."""

    @property
    def place(self) -> tuple[int, str, int]:
        """Key by which parts are ordered and identified."""
        return self.log, self.name, self.number


class JudgedPart(Struct, frozen=True, kw_only=True):
    """Part with its verdicts, block by block."""

    part: Part
    verdicts: tuple[BlockVerdict, ...]


class _OpenLog(Struct, frozen=True, kw_only=True):
    """Log that is open, with its number."""

    place: int
    log: HandLog
    size: int | None = None
    """Number of bytes, if the log is one part."""
    text: HeldLines | Hands | None = None
    """Complete content, if the log is small."""


class Logs:
    """Logs of an audit in the order of their names, split into parts as often as needed.

    A log that workers can read, and that has at most `whole` bytes, is one part.
    """

    __slots__ = ("_logs", "_names", "_read", "_whole")

    def __init__(self, logs: Iterable[HandLog], *, whole: int = 0) -> None:
        self._logs = enumerate(sorted(logs, key=lambda log: log.name))
        self._whole = whole
        self._read: list[HandLog] = []
        self._names: dict[str, int] = {}

    def parts(self) -> Iterator[Part]:
        """Yield all parts in order.

        Each log is opened when it is reached; for an unreadable log a part gives the reason.
        """
        reread = [(place, log.again()) for place, log in enumerate(self._read)]
        logs = self._open_logs(chain(reread, self._take_unread()))
        for small, group in groupby(logs, key=lambda open_log: open_log.text is not None):
            if small:
                yield from map(_build_small_logs_part, _group_small_logs(group))
                continue
            for open_log in group:
                yield from self._split(open_log)

    def close(self) -> None:
        """Delete the copies of logs that can be read only once."""
        for log in self._read:
            log.close()

    def _take_unread(self) -> Iterator[tuple[int, HandLog]]:
        for place, log in self._logs:
            self._read.append(log)
            if self._names.setdefault(log.name, place) == place:
                log.keep()
            yield place, log

    def _open_logs(self, logs: Iterable[tuple[int, HandLog]]) -> Iterator[_OpenLog]:
        for place, log in logs:
            size = log.size() if self._whole else None
            if self._names[log.name] != place:
                yield _OpenLog(place=place, log=log)
            elif size is not None and size <= self._whole:
                yield _OpenLog(place=place, log=log, size=size)
            else:
                yield _OpenLog(place=place, log=log, text=log.whole())

    def _split(self, open_log: _OpenLog) -> Iterator[Part]:
        if self._names[open_log.log.name] != open_log.place:
            message = "this log is named twice"
            yield _build_unreadable_part(
                open_log.log.name,
                open_log.place,
                0,
                Diagnostic(code="named-twice", message=message, file=open_log.log.name),
            )
        elif open_log.size is not None:
            yield Part(
                log=open_log.place,
                number=0,
                name=open_log.log.name,
                block=WholeLog(path=open_log.log.path, size=open_log.size),
                last=True,
            )
        else:
            yield from parts_of(open_log.log, open_log.place)


def parts_of(log: HandLog, place: int) -> Iterator[Part]:
    """Yield the parts of a log: its blocks, and its end."""
    number = 0
    try:
        for block in log.blocks():
            yield Part(log=place, number=number, name=log.name, block=block)
            number += 1
    except InputError as error:
        yield _build_unreadable_part(log.name, place, number, *error.diagnostics)
        return
    end = LogEnd(name=log.name, sha256=log.sha256())
    yield Part(log=place, number=number, name=log.name, last=True, ends=(end,))


def _build_unreadable_part(name: str, place: int, number: int, *diagnostics: Diagnostic) -> Part:
    return Part(log=place, number=number, name=name, last=True, ends=(LogEnd(name=name, refused=diagnostics),))


def _group_small_logs(logs: Iterable[_OpenLog]) -> Iterator[list[_OpenLog]]:
    """Group small logs until a group is large enough for one part."""
    group: list[_OpenLog] = []
    size = 0
    for open_log in logs:
        group.append(open_log)
        size += 0 if open_log.text is None else open_log.text.size
        if size >= _SMALL_LOGS_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _build_small_logs_part(group: Sequence[_OpenLog]) -> Part:
    return Part(
        log=group[0].place,
        number=0,
        name=group[0].log.name,
        block=SmallLogs(logs=tuple(open_log.text for open_log in group if open_log.text is not None)),
        last=True,
        ends=tuple(LogEnd(name=open_log.log.name, sha256=open_log.log.sha256()) for open_log in group),
    )


def table_part(table: pa.Table, *, name: str) -> Part:
    """Build a part from an Arrow table in the form of a Parquet log."""
    from validator.evidence.arrow.parquet_reader import HeldRows  # noqa: PLC0415 - pyarrow takes time to import

    block = HeldRows(name=name, table=table, part="the table", first_row=1, size=table.nbytes)
    return Part(log=0, number=0, name=name, block=block, last=True, ends=(LogEnd(name=name, sha256=NO_FILE),))
