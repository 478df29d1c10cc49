"""Parts of a log in JSON Lines, each to be decoded on its own, in another process too."""

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
    """The path or the address the file is opened by."""
    name: str
    """The name the file has in messages and results."""
    first_line: int
    offset: int
    size: int
    """The number of bytes of the lines."""
    digest: bytes
    """The SHA-256 of the lines as the reader of the log hashed them."""

    def decode(self, known_games: Collection[str]) -> Decoded:
        """The rounds of the lines, as `decode_lines` has them. Raises InputError as `held`."""
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
        """As `HeldLines`. Raises InputError as `held`."""
        return self.held().identity()


class HeldLines(Struct, frozen=True, kw_only=True):
    """Whole lines that cannot be read a second time: of standard input, a pipe or a compressed file.

    `size` is the number of bytes of the log they stand for, compressed as they may be.
    """

    name: str
    first_line: int
    text: bytes
    size: int

    def decode(self, known_games: Collection[str]) -> Decoded:
        """The rounds of the lines, as `decode_lines` has them."""
        return decode_lines(self.text, file=self.name, first_line=self.first_line, known_games=known_games)

    def lines(self) -> LogLines:
        """Return the lines with what belongs to each."""
        lines = self.text.split(b"\n")
        numbers = range(self.first_line, self.first_line + len(lines))
        return LogLines(file=self.name, lines=lines, numbers=numbers, dated=[MOMENT] * len(lines))

    def identity(self) -> str:
        """What tells the lines from all others."""
        return f"line {self.first_line} {sha256(self.text).hexdigest()}"


class RefusedLine(Struct, frozen=True, kw_only=True):
    """A line that was never taken in: longer than any record, or broken off with the file."""

    entry: Quarantined
    size: int = 0

    def decode(self, known_games: Collection[str]) -> Decoded:  # noqa: ARG002 - as every block is decoded
        """No rounds, and the line."""
        return Decoded(batches=(), quarantined=(self.entry,), read=1)

    def identity(self) -> None:
        """Nothing: there is no use in knowing it again."""


LineBlock = FileLines | HeldLines | RefusedLine
"""A part of a log in JSON Lines."""
