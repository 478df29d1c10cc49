"""Text of hand histories, split into hands and blocks, parsed as TOML and decoded like lines of a hand log."""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation
from hashlib import sha256
from typing import Any, NamedTuple

import toml_rs
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.evidence.assembly import DecodedBlock
from fairdeal.validator.evidence.io.log_formats import BrokenStreamError
from fairdeal.validator.evidence.jsonl.line_blocks import RefusedLine
from fairdeal.validator.evidence.jsonl.line_reader import LogLines, decode_logs
from fairdeal.validator.evidence.poker.hand_recorder import UnreadableHandError, Variants
from fairdeal.validator.evidence.poker.phh_fields import USER_FIELD
from fairdeal.validator.evidence.poker.phh_rounds import PhhActionCache, convert_hand, date_precision_of
from fairdeal.validator.results.results import Quarantined
from fairdeal.validator.text.source import MAX_BATCH_ITEMS

LONGEST_HAND = 1 << 16
"""Most bytes of a hand."""
HAND_TOO_LONG = f"the hand is longer than {LONGEST_HAND >> 10} KiB"
_MOST_BRACKETS = 500
"""Most brackets in a hand: the parser recurses for each open bracket, without a limit of its own."""
_HEADER = re.compile(
    rb"""\n\[[ \t]*(?:[A-Za-z0-9_-]+|"[^"\n\\]*"|'[^'\n]*')[ \t]*\][ \t]*(?:\#[^\n]*)?\r?(?=\n|$)""",
    re.VERBOSE,
)
_NO_SUCH_TIME = re.compile(
    rb"(?<![\w:.-])(?:0000-[0-9]{2}-[0-9]{2}|(?:[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ])?[0-9]{2}:[0-9]{2}:60)"
)
"""Dates and times that TOML allows and Python does not: the year 0, and leap seconds."""


class HandText(NamedTuple):
    """Part of a text."""

    line: int
    """Number of the first line."""
    text: bytes
    """Bytes of the part."""


class TomlError(Exception):
    """Text that is not TOML."""

    def __init__(self, reason: str, line: int = 1, column: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        """Line in the text, from 1."""
        self.column = column
        """Column, from 1, if known."""


def find_first_header(text: bytes) -> int:
    """Return the offset of the first line that heads a hand, or 0.

    The very first line is not considered, nor a line without its end, which may continue in another way.
    """
    match = _HEADER.search(text, 0, text.rfind(b"\n") + 1)
    return 0 if match is None else match.start() + 1


def find_last_header(text: bytes) -> int:
    """Return the offset of the last line that heads a hand, or 0. Lines are skipped as by `find_first_header`."""
    at = text.rfind(b"\n[", 0, text.rfind(b"\n") + 1)
    while at >= 0:
        if _HEADER.match(text, at):
            return at + 1
        at = text.rfind(b"\n[", 0, at)
    return 0


def split_hands(text: bytes, first_line: int) -> Iterator[HandText]:
    """Yield the text, split before each line that heads a hand."""
    start, line = 0, first_line
    for header in _HEADER.finditer(text):
        end = header.start() + 1
        piece = text[start:end]
        yield HandText(line, piece)
        start, line = end, line + piece.count(b"\n")
    yield HandText(line, text[start:])


def parse_tables(text: bytes) -> dict[str, Any]:
    """Parse TOML text; fractions are Decimals. Raises TomlError."""
    if len(text) > LONGEST_HAND:
        raise TomlError(HAND_TOO_LONG)
    if text.count(b"[") + text.count(b"{") > _MOST_BRACKETS:
        raise TomlError(f"the hand has more than {_MOST_BRACKETS} brackets")
    try:
        return toml_rs.loads(text.decode(), parse_float=Decimal, toml_version="1.0.0")
    except UnicodeDecodeError as error:
        raise TomlError("this is not UTF-8 text", text.count(b"\n", 0, error.start) + 1) from error
    except toml_rs.TOMLDecodeError as error:
        reason = " ".join(str(error).rstrip().rpartition("\n")[2].split())
        last = text.rstrip().count(b"\n") + 1
        if error.lineno > last:  # if the hand ends too early, its last line is at fault
            raise TomlError(f"this is not TOML: {reason}", last) from error
        raise TomlError(f"this is not TOML: {reason}", error.lineno, error.colno) from error
    except InvalidOperation as error:
        raise TomlError("a number has too large an exponent") from error
    except (ValueError, ArithmeticError, RecursionError) as error:
        # The parser passes values to Python, which cannot represent some that TOML allows.
        match = _NO_SUCH_TIME.search(text)
        if match is None:
            raise TomlError(f"a value cannot be read: {error}") from error
        value = match.group().decode()
        raise TomlError(f"there is no such date or time as {value}", text.count(b"\n", 0, match.start()) + 1) from error


_LONE = "variant"
"""Field that identifies a file with a single hand."""


def decode_hands(
    text: bytes, *, file: str, first_line: int, variants: Variants, known_games: Collection[str]
) -> DecodedBlock:
    """Decode the hands of `text`, whose first line is line `first_line` of `file`.

    A hand is a table of its own, or the whole text if that has no tables. Each is in a batch or quarantined with the
    reason: not TOML, not a hand history, a variant outside `variants`, or a fault of its line.
    """
    lines = convert_hands(text, file=file, first_line=first_line, variants=variants, acts=PhhActionCache())
    return replace(decode_logs([lines], known_games=known_games), logs=())


def convert_hands(text: bytes, *, file: str, first_line: int, variants: Variants, acts: PhhActionCache) -> LogLines:
    """Convert the hands of `text` to lines of a hand log. `acts` caches actions from one text to the next."""
    converted = _Converted(file, variants, acts)
    collecting = gc.isenabled()
    gc.disable()  # as for lines: nothing created here can form a cycle
    try:
        for piece in split_hands(text, first_line):
            converted.add(piece)
    finally:
        if collecting:
            gc.enable()
    return LogLines(
        file=file, lines=converted.lines, numbers=converted.numbers, dated=converted.dated, refused=converted.bad
    )


class _Converted:
    """Hands converted to lines of a hand log, and hands that cannot be read."""

    __slots__ = ("_acts", "_file", "_variants", "bad", "dated", "lines", "numbers")

    def __init__(self, file: str, variants: Variants, acts: PhhActionCache) -> None:
        self.lines: list[bytes] = []
        """Converted lines."""
        self.numbers: list[int] = []
        """Line at which each hand begins."""
        self.dated: list[int] = []
        """Precision of the time of each hand."""
        self.bad: list[Quarantined] = []
        """Hands that cannot be read."""
        self._file = file
        self._variants = variants
        self._acts = acts

    def add(self, piece: HandText) -> None:
        """Convert the hands of a part of the text."""
        try:
            hands = parse_tables(piece.text)
        except TomlError as error:
            self._refuse(piece.line + error.line - 1, error.column, error.reason)
            return
        for name, hand in _list_hands(hands):
            try:
                line = convert_hand(hand, self._variants, self._acts, file=self._file, name=name)
            except UnreadableHandError as refused:
                self._refuse(_find_line(piece, refused.at), None, refused.reason)
            else:
                self.lines.append(line)
                self.numbers.append(piece.line)
                self.dated.append(date_precision_of(hand))

    def _refuse(self, line: int, column: int | None, reason: str) -> None:
        self.bad.append(Quarantined(file=self._file, line=line, column=column, reason=reason))


def _list_hands(tables_by_name: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the hands of a part of the text by name; the name is empty if the part is one hand."""
    if _LONE in tables_by_name:
        yield "", tables_by_name
        return
    for name, hand in tables_by_name.items():
        if isinstance(hand, dict):
            if not name.startswith(USER_FIELD):
                yield name, hand
        else:
            yield "", tables_by_name  # a later check reports the missing fields
            return


def _find_line(piece: HandText, at: str) -> int:
    return piece.line + max(piece.text.count(b"\n", 0, piece.text.find(at.encode())), 0) if at else piece.line


_BLOCK_BYTES = 2 << 20
"""Bytes of hands that are decoded and judged at a time. Hands take longer than the same number of bytes of lines."""


class PhhHands(Struct, frozen=True, kw_only=True):
    """Whole hands of a log."""

    name: str
    """Name of the log in messages and results."""
    first_line: int
    """Number of the first line."""
    text: bytes
    """Bytes of the hands."""
    size: int
    """Number of bytes of the log for these hands, possibly compressed."""
    variants: Variants
    """Vocabularies of the games, by variant."""

    def decode(self, known_games: Collection[str]) -> DecodedBlock:
        """Decode the rounds of the hands, as `decode_hands` does."""
        return decode_hands(
            self.text, file=self.name, first_line=self.first_line, variants=self.variants, known_games=known_games
        )

    def lines(self, acts: PhhActionCache) -> LogLines:
        """Convert the hands to lines of a hand log, as `convert_hands` does."""
        return convert_hands(self.text, file=self.name, first_line=self.first_line, variants=self.variants, acts=acts)

    def identity(self) -> str:
        """Return a text that identifies the content of the hands."""
        return f"hands {self.first_line} {sha256(self.text).hexdigest()}"


def hand_blocks(
    chunks: Iterable[bytes], *, name: str, variants: Variants, count_read: Callable[[], int]
) -> Iterator[PhhHands | RefusedLine]:
    """Split a stream into blocks of whole hands, as many at a time as a chunk holds.

    Memory holds one chunk and one hand that is not too long. If the stream breaks off, its last hand is rejected.

    Args:
        chunks: the bytes of the stream.
        name: the name of the log in messages and results.
        variants: the vocabularies of the games.
        count_read: returns the number of bytes of the log that were read since the last call.
    """
    line, rest, skipping = 1, b"", False
    try:
        for chunk in chunks:
            text = rest + chunk
            if skipping:
                start = find_first_header(text)
                if not start:
                    rest = _last_line(text)
                    line += text.count(b"\n") - rest.count(b"\n")
                    continue
                line, text, skipping = line + text.count(b"\n", 0, start), text[start:], False
            cut = find_last_header(text)
            rest = text[cut:]
            for part in _split_blocks(text[:cut]):
                yield PhhHands(name=name, first_line=line, text=part, size=count_read(), variants=variants)
                line += part.count(b"\n")
            lines = rest.rfind(b"\n") + 1
            if max(lines, len(rest) - lines) > LONGEST_HAND:  # the text after the last line end may head another hand
                yield RefusedLine(
                    entry=Quarantined(file=name, line=line, column=None, reason=HAND_TOO_LONG), size=count_read()
                )
                skipping, text = True, rest
                rest = _last_line(text)
                line += text.count(b"\n") - rest.count(b"\n")
    except BrokenStreamError as error:
        yield RefusedLine(entry=Quarantined(file=name, line=line, column=None, reason=str(error)), size=count_read())
        return
    start = find_first_header(rest + b"\n") if skipping else 0
    if start or not skipping:
        line, rest = line + rest.count(b"\n", 0, start), rest[start:]
        yield PhhHands(name=name, first_line=line, text=rest, size=count_read(), variants=variants)


def _split_blocks(text: bytes) -> Iterator[bytes]:
    """Yield whole hands in parts of about one block each."""
    start = 0
    while start < len(text):
        most = _BLOCK_BYTES
        while text.count(b"\n[", start, start + most) > MAX_BATCH_ITEMS:
            most //= 2
        part = text[start : start + most]
        size = find_last_header(part) if start + most < len(text) else 0
        yield part[:size] if size else text[start:]
        start += size or len(text)


def _last_line(text: bytes) -> bytes:
    """Return the possible beginning of a line that heads a hand, with the line end before it."""
    start = text.rfind(b"\n")
    return text[start:] if start >= 0 and len(text) - start <= LONGEST_HAND else b""
