"""Hand logs as files, split into blocks that any process can decode, and hashed as they are read.

The first bytes of a file determine its format, not its name. No file is read or decompressed whole.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from msgspec import Struct

from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.io import log_formats
from fairdeal.validator.evidence.io.log_formats import hash_pieces, open_for_hashing
from fairdeal.validator.evidence.io.named_files import is_address, stat_address
from fairdeal.validator.evidence.jsonl import line_blocks
from fairdeal.validator.evidence.jsonl.line_reader import LogLines, decode_logs
from fairdeal.validator.evidence.poker.hand_recorder import Variants
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.source import STANDARD_INPUT, build_changed_error, build_open_error, open_unchanged

if TYPE_CHECKING:
    from fairdeal.validator.evidence.arrow.parquet_reader import ParquetBlock
    from fairdeal.validator.evidence.poker.phh_blocks import PhhHands
    from fairdeal.validator.evidence.poker.phh_rounds import PhhActionCache


BLOCK_BYTES = 6 << 20
"""Bytes of a block. Evaluation has a price for each block, and memory grows with it."""
_PARQUET = b"PAR1"
FEW_BYTES = 1 << 16
"""Most bytes of a log that is small enough to be judged together with others."""
NOT_A_LOG = "no-log"
"""Code of the message about a file that is not a hand log."""
_START = 64
"""Fewest bytes that are read first, more than enough to recognise the format."""


class HandLog:
    """Hand log that is read once. Its SHA-256 is known after its last block.

    Hands of poker hand histories are read with the vocabularies of `variants`, which is called only if the log has such
    hands.
    """

    __slots__ = (
        "_block_bytes",
        "_copy",
        "_digest",
        "_finished",
        "_kept",
        "_left",
        "_path",
        "_saved",
        "_variants",
        "name",
    )

    def __init__(
        self,
        path: str,
        name: str | None = None,
        *,
        variants: Callable[[], Variants] = dict,
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self.name = name or (STANDARD_INPUT if path == "-" else path)
        """Name of the log in messages and results; its ending helps to recognise the format."""
        self._path = path
        self._variants = variants
        self._block_bytes = max(block_bytes, _START)
        self._digest = hashlib.sha256()
        self._finished = False
        self._left: int | None = None
        self._kept = False
        self._copy: IO[bytes] | None = None
        self._saved: IO[bytes] | None = None

    @property
    def path(self) -> str:
        """Path of the log; `-` for standard input."""
        return self._path

    def size(self) -> int | None:
        """Return the bytes of the file; None if it does not exist or cannot be read at any place."""
        if is_address(self._path):
            try:
                stored = stat_address(self._path)
            except InputError:
                return None  # opening it reports the reason
            return None if stored is None or stored.is_folder else stored.size
        try:
            path = Path(self._path)
            return path.stat().st_size if self._path != "-" and path.is_file() else None
        except (OSError, ValueError):
            return None  # opening it reports the reason

    def keep_copy(self) -> None:
        """Request a copy in a temporary file if the log can be read only once, so that it can be reopened."""
        self._kept = self._saved is None and not self._rereadable()

    def close(self) -> None:
        """Delete the copy."""
        if self._copy is not None:
            self._copy.close()

    def reopen(self) -> HandLog:
        """Return the same log, to be read once more: from the copy, if it could be read only once."""
        other = HandLog(self._path, self.name, variants=self._variants, block_bytes=self._block_bytes)
        other._saved = self._saved or self._copy
        return other

    def sha256(self) -> str:
        """Return the SHA-256 (hex) of the bytes of the file, possibly compressed.

        Raises RuntimeError before the last block was read.
        """
        if not self._finished:
            raise RuntimeError("the log was not read to its end")
        return self._digest.hexdigest()

    def read_small_log(self) -> line_blocks.HeldLines | PhhHands | None:
        """Return the whole log if it is a small plain text file of at most one block, otherwise None.

        With None, nothing counts as read; faults of such a file appear when its blocks are read.
        """
        path, most = Path(self._path), min(FEW_BYTES, self._block_bytes)
        try:
            if self._path == "-" or not path.is_file() or path.stat().st_size > most:
                return None
            with open_unchanged(path) as stream:
                text = stream.read(most + 1)
        except (OSError, ValueError, InputError):
            return None
        if not text or len(text) > most or log_formats.is_packed(text) or self._is_parquet(text):
            return None
        log: line_blocks.HeldLines | PhhHands
        try:
            if log_formats.is_hand_history(self.name, text):
                from fairdeal.validator.evidence.poker.phh_blocks import PhhHands  # noqa: PLC0415 - few logs are hand histories

                log = PhhHands(name=self.name, first_line=1, text=text, size=len(text), variants=self._variants())
            else:
                self._refuse_others(text)
                log = line_blocks.HeldLines(
                    name=self.name, first_line=1, text=text.removeprefix(line_blocks.BYTE_ORDER_MARK), size=len(text)
                )
        except InputError:
            return None
        self._digest.update(text)
        self._finished = True
        return log

    def blocks(self) -> Iterator[line_blocks.LineBlock | PhhHands | ParquetBlock]:
        """Yield the log in parts, in order; lines and hands in blocks of about `block_bytes`.

        Raises InputError if the log cannot be opened or read, changes while it is read, is empty, or is a damaged
        Parquet file.
        """
        self._left = self.size() or None  # some systems state no size for virtual files
        try:
            with self._open() as stream:
                start = self._take(stream)
                if not start:
                    raise self._build_error("empty", "this file is empty")
                if self._is_parquet(start):
                    yield from self._read_row_groups(stream, start)
                else:
                    yield from self._read_text(stream, start)
        except OSError as error:
            raise build_open_error(self.name, error) from error
        self._finished = True

    @contextmanager
    def _open(self) -> Iterator[BufferedIOBase]:
        if self._saved is not None:
            self._saved.seek(0)
            yield cast("BufferedIOBase", self._saved)
            return
        if self._path != "-":
            with open_for_hashing(self._path, name=self.name) as stream:
                yield stream
        elif sys.stdin is None:
            raise self._build_error("not-readable", "standard input is closed", "name a file")
        else:
            yield cast("BufferedIOBase", sys.stdin.buffer)

    def _take(self, stream: BufferedIOBase) -> bytes:
        parts: list[bytes] = []
        left = self._block_bytes
        # Read piece by piece as a pipe delivers: Python handles no signal during a read.
        while left and (part := stream.read1(left)):
            parts.append(part)
            left -= len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._digest.update(data)
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:  # the writer may never stop
                raise build_changed_error(self.name)
        if self._kept:
            if self._copy is None:
                import tempfile  # noqa: PLC0415 - few logs are copied

                self._copy = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the log
            self._copy.write(data)
        return data

    def _rereadable(self) -> bool:
        try:
            return is_address(self._path) or (self._path != "-" and Path(self._path).is_file())
        except (OSError, ValueError):
            return False  # opening it reports the reason

    def _read_row_groups(self, stream: BufferedIOBase, start: bytes) -> Iterator[ParquetBlock]:
        from fairdeal.validator.evidence.arrow.parquet_reader import read_parquet_blocks  # noqa: PLC0415 - pyarrow takes time to import

        if not self._rereadable():
            where = "standard input" if self._path == "-" else "a pipe"
            raise self._build_error("not-readable", f"Parquet cannot be read from {where}", "name the file")
        rest = iter(partial(self._take, stream), b"")
        yield from read_parquet_blocks(hash_pieces(self._path, self.name, chain((start,), rest)))

    def _read_text(self, stream: BufferedIOBase, start: bytes) -> Iterator[line_blocks.LineBlock | PhhHands]:
        taken = 0

        def chunks() -> Iterator[bytes]:
            nonlocal taken
            chunk = start
            while chunk:
                taken += len(chunk)
                yield chunk
                chunk = self._take(stream)

        def count_read() -> int:
            nonlocal taken
            size, taken = taken, 0
            return size

        packed = log_formats.is_packed(start)
        texts = log_formats.unpack(start, chunks(), size=self._block_bytes) if packed else chunks()
        first, texts = _peek(texts)
        if log_formats.is_hand_history(self.name, first):
            from fairdeal.validator.evidence.poker.phh_blocks import hand_blocks  # noqa: PLC0415 - few logs are hand histories

            yield from hand_blocks(texts, name=self.name, variants=self._variants(), count_read=count_read)
        else:
            self._refuse_others(first)
            rereadable = not packed and self._rereadable()
            yield from self._read_lines(texts, count_read, rereadable=rereadable)

    def _is_parquet(self, start: bytes) -> bool:
        return start.startswith(_PARQUET) or self.name.endswith(".parquet")

    def _refuse_others(self, start: bytes) -> None:
        """Raise InputError if a file starts like something other than a hand log."""
        other = log_formats.identify_own_document(start)
        if other is not None:
            description, help_ = other
            raise self._build_error(NOT_A_LOG, f"this is {description}, not a hand log", help_)
        foreign = log_formats.identify_foreign_format(start)
        if foreign is not None:
            description, help_ = foreign
            raise self._build_error("unknown-format", f"this looks like {description}, not like a hand log", help_)

    def _read_lines(
        self, texts: Iterable[bytes], count_read: Callable[[], int], *, rereadable: bool
    ) -> Iterator[line_blocks.LineBlock]:
        for part in line_blocks.split_whole_lines(texts):
            if isinstance(part, line_blocks.UnreadableLine):
                entry = Quarantined(file=self.name, line=part.line, column=None, reason=part.reason)
                yield line_blocks.RefusedLine(entry=entry)
            elif rereadable:
                digest = hashlib.sha256(part.head)
                digest.update(part.body)
                yield line_blocks.FileLines(
                    path=self._path,
                    name=self.name,
                    first_line=part.line,
                    offset=part.offset,
                    size=len(part),
                    digest=digest.digest(),
                )
            else:
                text = b"".join((part.head, part.body))
                yield line_blocks.HeldLines(name=self.name, first_line=part.line, text=text, size=count_read())

    def _build_error(self, code: str, message: str, help_: str | None = None) -> InputError:
        return InputError((Diagnostic(code=code, message=message, file=self.name, help=help_),))


def _peek(texts: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """Return the first of some texts, and all of them.

    The first is empty if it cannot be decompressed; the error is then raised when the texts are read.
    """
    try:
        first = next(texts, b"")
    except log_formats.BrokenStreamError as error:
        return b"", _raise_later(error)
    return first, chain((first,), texts)


def _raise_later(error: log_formats.BrokenStreamError) -> Iterator[bytes]:
    yield b""
    raise error


class SmallLogs(Struct, frozen=True, kw_only=True):
    """Several small logs, in the order of their names."""

    logs: tuple[line_blocks.HeldLines | PhhHands, ...]
    """The logs."""

    @property
    def size(self) -> int:
        """Number of bytes of the logs."""
        return sum(log.size for log in self.logs)

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rounds of all logs, as `decode_logs` does."""
        return decode_logs(list(self._lines()), known_games=known_games)

    def _lines(self) -> Iterator[LogLines]:
        acts: PhhActionCache | None = None
        for log in self.logs:
            if isinstance(log, line_blocks.HeldLines):
                yield log.lines()
                continue
            if acts is None:
                from fairdeal.validator.evidence.poker.phh_rounds import PhhActionCache  # noqa: PLC0415 - few logs are hand histories

                acts = PhhActionCache()
            yield log.lines(acts)

    def identity(self) -> str:
        """Return a text that identifies the content of the logs."""
        return "".join(f"{log.name}\n{log.identity()}\n" for log in self.logs)
