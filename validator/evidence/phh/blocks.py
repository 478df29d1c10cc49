"""Parts of a log of hand histories, each to be decoded on its own, in another process too."""

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
"""Bytes of hands that are decoded and judged at a time: they take longer than as many bytes of lines."""


class Hands(Struct, frozen=True, kw_only=True):
    """Whole hands of a log. `size` is the number of bytes of the log they stand for, compressed as they may be."""

    name: str
    first_line: int
    text: bytes
    size: int
    variants: Variants

    def decode(self, known_games: Collection[str]) -> Decoded:
        """The rounds of the hands, as `decode_hands` has them."""
        return decode_hands(
            self.text, file=self.name, first_line=self.first_line, variants=self.variants, known_games=known_games
        )

    def lines(self, acts: Acts) -> LogLines:
        """Return the hands as lines of a hand log, as `convert_hands` has them."""
        return convert_hands(self.text, file=self.name, first_line=self.first_line, variants=self.variants, acts=acts)

    def identity(self) -> str:
        """What tells the hands from all others."""
        return f"hands {self.first_line} {sha256(self.text).hexdigest()}"


def hand_blocks(
    chunks: Iterable[bytes], *, name: str, variants: Variants, stands_for: Callable[[], int]
) -> Iterator[Hands | RefusedLine]:
    """The hands of a stream, as many at a time as its chunks hold.

    `stands_for` tells how many bytes of the log were taken since it was last asked. No more is held than one chunk
    and one hand that is not too long. Where the stream breaks off, the hand it breaks off in is refused.
    """
    line, held, skipping = 1, b"", False
    try:
        for chunk in chunks:
            text = held + chunk
            if skipping:
                start = first_header(text)
                if not start:
                    held = _last_line(text)
                    line += text.count(b"\n") - held.count(b"\n")
                    continue
                line, text, skipping = line + text.count(b"\n", 0, start), text[start:], False
            cut = last_header(text)
            held = text[cut:]
            for part in _parts(text[:cut]):
                yield Hands(name=name, first_line=line, text=part, size=stands_for(), variants=variants)
                line += part.count(b"\n")
            lines = held.rfind(b"\n") + 1
            if max(lines, len(held) - lines) > LONGEST_HAND:  # what follows the last line end may head another hand
                yield RefusedLine(
                    entry=Quarantined(file=name, line=line, column=None, reason=TOO_LONG), size=stands_for()
                )
                skipping, text = True, held
                held = _last_line(text)
                line += text.count(b"\n") - held.count(b"\n")
    except BrokenStreamError as error:
        yield RefusedLine(entry=Quarantined(file=name, line=line, column=None, reason=str(error)), size=stands_for())
        return
    start = first_header(held + b"\n") if skipping else 0
    if start or not skipping:
        line, held = line + held.count(b"\n", 0, start), held[start:]
        yield Hands(name=name, first_line=line, text=held, size=stands_for(), variants=variants)


def _parts(text: bytes) -> Iterator[bytes]:
    """Whole hands cut into parts of about a block each, none where there is no text."""
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
    """What may be the beginning of a line that heads a hand, its line end before it."""
    start = text.rfind(b"\n")
    return text[start:] if start >= 0 and len(text) - start <= LONGEST_HAND else b""
