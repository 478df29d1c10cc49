"""Hand logs as files: cut into blocks that any process can decode, and hashed as they are read.

What a file is, its first bytes say, not its name. Nothing is read or unpacked whole.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from io import BufferedIOBase
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

from validator.evidence.io.addresses import is_address, stored_at
from validator.evidence.io.decompress import BrokenStreamError, is_packed, unpacked
from validator.evidence.io.hashed_file import hash_pieces
from validator.evidence.io.open_file import opened_to_hash
from validator.evidence.io.other_files import foreign_format, other_than_log
from validator.evidence.jsonl.blocks import FileLines, HeldLines, LineBlock, RefusedLine
from validator.evidence.jsonl.split_lines import BYTE_ORDER_MARK, NoLine, whole_lines
from validator.evidence.phh.names import is_hand_history
from validator.evidence.phh.terms import Variants
from validator.results.results import Quarantined
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import STANDARD_INPUT, open_failed
from validator.text.unchanged import changed, opened_unchanged

if TYPE_CHECKING:
    from validator.evidence.arrow.parquet_reader import Rows
    from validator.evidence.phh.blocks import Hands

BLOCK_BYTES = 6 << 20
"""Larger ones are hardly judged faster, and several are held at once by every process."""
_PARQUET = b"PAR1"
FEW_BYTES = 1 << 16
"""The most bytes of a log that is small enough to be judged together with others."""
NO_LOG = "no-log"
"""The code of what is said of a file that is something else."""
_START = 64
"""The fewest bytes that are read first: more than enough to know what the file is."""


class HandLog:
    """A log to be read once. When its blocks have all been taken, its SHA-256 is known.

    Of poker hand histories, hands of `variants` are read, which nobody asks for unless the log holds some.
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
        """The name it has in messages and results, and by whose ending its format is known."""
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
        """Where it lies; `-` for standard input."""
        return self._path

    def size(self) -> int | None:
        """Bytes of the file; None where it cannot be read wherever one likes, or is not there."""
        if is_address(self._path):
            try:
                stored = stored_at(self._path)
            except InputError:
                return None  # likewise
            return None if stored is None or stored.is_folder else stored.size
        try:
            path = Path(self._path)
            return path.stat().st_size if self._path != "-" and path.is_file() else None
        except (OSError, ValueError):
            return None  # opening it says why

    def keep(self) -> None:
        """Ask for a copy, in a temporary file, of what can be read but once, so that it can be read `again`."""
        self._kept = self._saved is None and not self._rereadable()

    def close(self) -> None:
        """Give up the copy."""
        if self._copy is not None:
            self._copy.close()

    def again(self) -> HandLog:
        """The same log, to be read once more: of what can be read but once, the copy that was made of it."""
        other = HandLog(self._path, self.name, variants=self._variants, block_bytes=self._block_bytes)
        other._saved = self._saved or self._copy
        return other

    def sha256(self) -> str:
        """SHA-256 (hex) of the bytes of the file, compressed as they may be.

        Raises RuntimeError before the last block was taken.
        """
        if not self._finished:
            raise RuntimeError("the log was not read to its end")
        return self._digest.hexdigest()

    def whole(self) -> HeldLines | Hands | None:
        """Return all of the log, if it is a plain file of few bytes, no more than a block, that holds text; otherwise
        None, and nothing counts as read. What is wrong with such a file shows where its blocks are read."""
        path, most = Path(self._path), min(FEW_BYTES, self._block_bytes)
        try:
            if self._path == "-" or not path.is_file() or path.stat().st_size > most:
                return None
            with opened_unchanged(path) as stream:
                text = stream.read(most + 1)
        except (OSError, ValueError, InputError):
            return None
        if not text or len(text) > most or is_packed(text) or self._is_parquet(text):
            return None
        found: HeldLines | Hands
        try:
            if is_hand_history(self.name, text):
                from validator.evidence.phh.blocks import Hands  # noqa: PLC0415 - most logs are none

                found = Hands(name=self.name, first_line=1, text=text, size=len(text), variants=self._variants())
            else:
                self._refuse_others(text)
                found = HeldLines(name=self.name, first_line=1, text=text.removeprefix(BYTE_ORDER_MARK), size=len(text))
        except InputError:
            return None
        self._digest.update(text)
        self._finished = True
        return found

    def blocks(self) -> Iterator[LineBlock | Hands | Rows]:
        """The log in parts, in order; lines and hands in blocks of about `block_bytes`.

        Raises InputError where it cannot be opened or read, changes while it is read, is empty, or is a damaged Parquet
        file.
        """
        self._left = self.size() or None  # some systems state no size for files they make up
        try:
            with self._opened() as stream:
                start = self._take(stream)
                if not start:
                    raise self._refused("empty", "nothing is written in this file")
                if self._is_parquet(start):
                    yield from self._row_groups(stream, start)
                else:
                    yield from self._text(stream, start)
        except OSError as error:
            raise open_failed(self.name, error) from error
        self._finished = True

    @contextmanager
    def _opened(self) -> Iterator[BufferedIOBase]:
        if self._saved is not None:
            self._saved.seek(0)
            yield cast("BufferedIOBase", self._saved)
            return
        if self._path != "-":
            with opened_to_hash(self._path, name=self.name) as stream:
                yield stream
        elif sys.stdin is None:
            raise self._refused("not-readable", "standard input is closed", "name a file")
        else:
            yield cast("BufferedIOBase", sys.stdin.buffer)

    def _take(self, stream: BufferedIOBase) -> bytes:
        parts: list[bytes] = []
        left = self._block_bytes
        # Piece by piece as a pipe gives them: Python heeds no signal until a read is over.
        while left and (part := stream.read1(left)):
            parts.append(part)
            left -= len(part)
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        self._digest.update(data)
        if self._left is not None:
            self._left -= len(data)
            if self._left < 0:  # whoever writes to it may never end
                raise changed(self.name)
        if self._kept:
            if self._copy is None:
                self._copy = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the log
            self._copy.write(data)
        return data

    def _rereadable(self) -> bool:
        try:
            return is_address(self._path) or (self._path != "-" and Path(self._path).is_file())
        except (OSError, ValueError):
            return False  # opening it says why

    def _row_groups(self, stream: BufferedIOBase, start: bytes) -> Iterator[Rows]:
        from validator.evidence.arrow.parquet_reader import read_parquet_blocks  # noqa: PLC0415 - pyarrow takes time to import

        if not self._rereadable():
            where = "standard input" if self._path == "-" else "a pipe"
            raise self._refused("not-readable", f"Parquet cannot be read from {where}", "name the file")
        rest = iter(partial(self._take, stream), b"")
        yield from read_parquet_blocks(hash_pieces(self._path, self.name, chain((start,), rest)))

    def _text(self, stream: BufferedIOBase, start: bytes) -> Iterator[LineBlock | Hands]:
        taken = 0

        def chunks() -> Iterator[bytes]:
            nonlocal taken
            chunk = start
            while chunk:
                taken += len(chunk)
                yield chunk
                chunk = self._take(stream)

        def stands_for() -> int:
            nonlocal taken
            size, taken = taken, 0
            return size

        packed = is_packed(start)
        texts = unpacked(start, chunks(), size=self._block_bytes) if packed else chunks()
        first, texts = _peeked(texts)
        if is_hand_history(self.name, first):
            from validator.evidence.phh.blocks import hand_blocks  # noqa: PLC0415 - most logs are none

            yield from hand_blocks(texts, name=self.name, variants=self._variants(), stands_for=stands_for)
        else:
            self._refuse_others(first)
            again = not packed and self._rereadable()
            yield from self._lines(texts, stands_for, again=again)

    def _is_parquet(self, start: bytes) -> bool:
        return start.startswith(_PARQUET) or self.name.endswith(".parquet")

    def _refuse_others(self, start: bytes) -> None:
        """Raise InputError where a file begins as something that is no hand log."""
        other = other_than_log(start)
        if other is not None:
            what, help_ = other
            raise self._refused(NO_LOG, f"this is {what}, not a hand log", help_)
        foreign = foreign_format(start)
        if foreign is not None:
            what, help_ = foreign
            raise self._refused("unknown-format", f"this looks like {what}, not like a hand log", help_)

    def _lines(self, texts: Iterable[bytes], stands_for: Callable[[], int], *, again: bool) -> Iterator[LineBlock]:
        for part in whole_lines(texts):
            if isinstance(part, NoLine):
                entry = Quarantined(file=self.name, line=part.line, column=None, reason=part.reason)
                yield RefusedLine(entry=entry)
            elif again:
                digest = hashlib.sha256(part.head)
                digest.update(part.body)
                yield FileLines(
                    path=self._path,
                    name=self.name,
                    first_line=part.line,
                    offset=part.offset,
                    size=len(part),
                    digest=digest.digest(),
                )
            else:
                text = b"".join((part.head, part.body))
                yield HeldLines(name=self.name, first_line=part.line, text=text, size=stands_for())

    def _refused(self, code: str, message: str, help_: str | None = None) -> InputError:
        return InputError((Diagnostic(code=code, message=message, file=self.name, help=help_),))


def _peeked(texts: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first of some texts, and all of them; nothing and none where not even the first can be unpacked, which
    shows when they are taken."""
    try:
        first = next(texts, b"")
    except BrokenStreamError as error:
        return b"", _broken(error)
    return first, chain((first,), texts)


def _broken(error: BrokenStreamError) -> Iterator[bytes]:
    yield b""
    raise error
