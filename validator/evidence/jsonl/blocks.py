"""Blocks of a log in JSON Lines; each is decoded on its own, also in another process."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import sha256

from msgspec import Struct

from validator.evidence.assembly.assemble import Decoded
from validator.evidence.columns.batch import MOMENT
from validator.evidence.io.open_file import opened
from validator.evidence.jsonl.log_lines import LogLines
from validator.evidence.jsonl.reader import decode_lines
from validator.results.results import Quarantined
from validator.text.source import open_failed
from validator.text.unchanged import changed


class FileLines(Struct, frozen=True, kw_only=True):
    """Whole lines of a plain file, read again when they are decoded."""

    path: str
    """Path or address of the file."""
    name: str
    """Name of the file in messages and results."""
    first_line: int
    """Number of the first line."""
    offset: int
    """Offset of the first byte in the file."""
    size: int
    """Number of bytes of the lines."""
    digest: bytes
    """SHA-256 of the lines, as hashed by the reader of the log."""

    def decode(self, known_games: Collection[str]) -> Decoded:
        """Decode the rounds of the lines, as `decode_lines` does. Raises InputError as `read_lines` does."""
        return self.held().decode(known_games)

    def held(self) -> HeldLines:
        """Read the lines. Raises InputError if the file cannot be read or the lines are not those that were hashed."""
        try:
            with opened(self.path) as stream:
                stream.seek(self.offset)
                text = stream.read(self.size)
        except OSError as error:
            raise open_failed(self.path, error) from error
        if sha256(text).digest() != self.digest:
            raise changed(self.name)
        return HeldLines(name=self.name, first_line=self.first_line, text=text, size=self.size)

    def identity(self) -> str:
        """Return an identity as for `HeldLines`. Raises InputError as `read_lines` does."""
        return self.held().identity()


class HeldLines(Struct, frozen=True, kw_only=True):
    """Whole lines that cannot be read a second time: of standard input, a pipe or a compressed file."""

    name: str
    """Name of the log in messages and results."""
    first_line: int
    """Number of the first line."""
    text: bytes
    """Bytes of the lines."""
    size: int
    """Number of bytes of the log for these lines, possibly compressed."""

    def decode(self, known_games: Collection[str]) -> Decoded:
        """Decode the rounds of the lines, as `decode_lines` does."""
        return decode_lines(self.text, file=self.name, first_line=self.first_line, known_games=known_games)

    def lines(self) -> LogLines:
        """Return the lines with their numbers and precisions."""
        lines = self.text.split(b"\n")
        numbers = range(self.first_line, self.first_line + len(lines))
        return LogLines(file=self.name, lines=lines, numbers=numbers, dated=[MOMENT] * len(lines))

    def identity(self) -> str:
        """Return a text that identifies the content of the lines."""
        return f"line {self.first_line} {sha256(self.text).hexdigest()}"


class RefusedLine(Struct, frozen=True, kw_only=True):
    """Line that was not read: longer than any record, or cut off with the file."""

    entry: Quarantined
    """Record of the quarantined line."""
    size: int = 0
    """Number of bytes of the log for this line."""

    def decode(self, known_games: Collection[str]) -> Decoded:  # noqa: ARG002 - the signature of every block
        """Return a block without rounds, with the line quarantined."""
        return Decoded(batches=(), quarantined=(self.entry,), read=1)

    def identity(self) -> None:
        """Return None: the line need not be recognised."""


LineBlock = FileLines | HeldLines | RefusedLine
"""Block of a log in JSON Lines."""
