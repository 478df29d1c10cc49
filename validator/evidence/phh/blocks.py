"""Blocks of a log of hand histories; each is decoded on its own, also in another process."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from hashlib import sha256

from msgspec import Struct

from validator.evidence.assembly.assemble import Decoded
from validator.evidence.io.decompress import BrokenStreamError
from validator.evidence.jsonl.blocks import RefusedLine
from validator.evidence.jsonl.log_lines import LogLines
from validator.evidence.phh.acts import Acts
from validator.evidence.phh.decode import convert_hands, decode_hands
from validator.evidence.phh.terms import Variants
from validator.evidence.phh.text import LONGEST_HAND, TOO_LONG, first_header, last_header
from validator.results.results import Quarantined
from validator.text.memory_bound import ITEMS_AT_A_TIME

_BLOCK_BYTES = 2 << 20
"""Bytes of hands that are decoded and judged at a time. Hands take longer than the same number of bytes of lines."""


class Hands(Struct, frozen=True, kw_only=True):
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

    def decode(self, known_games: Collection[str]) -> Decoded:
        """Decode the rounds of the hands, as `decode_hands` does."""
        return decode_hands(
            self.text, file=self.name, first_line=self.first_line, variants=self.variants, known_games=known_games
        )

    def lines(self, acts: Acts) -> LogLines:
        """Convert the hands to lines of a hand log, as `convert_hands` does."""
        return convert_hands(self.text, file=self.name, first_line=self.first_line, variants=self.variants, acts=acts)

    def identity(self) -> str:
        """Return a text that identifies the content of the hands."""
        return f"hands {self.first_line} {sha256(self.text).hexdigest()}"


def hand_blocks(
    chunks: Iterable[bytes], *, name: str, variants: Variants, count_read: Callable[[], int]
) -> Iterator[Hands | RefusedLine]:
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
                start = first_header(text)
                if not start:
                    rest = _last_line(text)
                    line += text.count(b"\n") - rest.count(b"\n")
                    continue
                line, text, skipping = line + text.count(b"\n", 0, start), text[start:], False
            cut = last_header(text)
            rest = text[cut:]
            for part in _split_blocks(text[:cut]):
                yield Hands(name=name, first_line=line, text=part, size=count_read(), variants=variants)
                line += part.count(b"\n")
            lines = rest.rfind(b"\n") + 1
            if max(lines, len(rest) - lines) > LONGEST_HAND:  # the text after the last line end may head another hand
                yield RefusedLine(
                    entry=Quarantined(file=name, line=line, column=None, reason=TOO_LONG), size=count_read()
                )
                skipping, text = True, rest
                rest = _last_line(text)
                line += text.count(b"\n") - rest.count(b"\n")
    except BrokenStreamError as error:
        yield RefusedLine(entry=Quarantined(file=name, line=line, column=None, reason=str(error)), size=count_read())
        return
    start = first_header(rest + b"\n") if skipping else 0
    if start or not skipping:
        line, rest = line + rest.count(b"\n", 0, start), rest[start:]
        yield Hands(name=name, first_line=line, text=rest, size=count_read(), variants=variants)


def _split_blocks(text: bytes) -> Iterator[bytes]:
    """Yield whole hands in parts of about one block each."""
    start = 0
    while start < len(text):
        most = _BLOCK_BYTES
        while text.count(b"\n[", start, start + most) > ITEMS_AT_A_TIME:
            most //= 2
        part = text[start : start + most]
        size = last_header(part) if start + most < len(text) else 0
        yield part[:size] if size else text[start:]
        start += size or len(text)


def _last_line(text: bytes) -> bytes:
    """Return the possible beginning of a line that heads a hand, with the line end before it."""
    start = text.rfind(b"\n")
    return text[start:] if start >= 0 and len(text) - start <= LONGEST_HAND else b""
