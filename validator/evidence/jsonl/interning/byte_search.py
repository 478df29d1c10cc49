"""Bytes of many lines, looked through and compared all at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Flags, Ints

WIDEST = 256
"""The most bytes that are taken from one place."""
_STRETCH = 1 << 18
"""Bytes that are looked through at a time: what is made of them stays small."""


class UnusualError(Exception):
    """A text is not written as nearly all are, so that it is better decoded as it stands."""


class Text:
    """Some text. Places in it are int64[n]; from each, so many bytes can be taken as one item.

    `raw` is the text as it was given, `bytes` uint8[length + WIDEST] a copy that may be written over, zeros at its end.
    """

    __slots__ = ("bytes", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.bytes = np.zeros(len(raw) + WIDEST, np.uint8)
        self.bytes[: len(raw)] = np.frombuffer(raw, np.uint8)

    def where(self, *wanted: bytes) -> list[Ints]:
        """Everywhere each of some bytes stands, ascending."""
        found: list[list[Ints]] = [[] for _ in wanted]
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH]
            for places, byte in zip(found, wanted, strict=True):
                places.append(np.flatnonzero(stretch == ord(byte)) + start)
        return [np.concatenate(places) for places in found]

    def taken(self, places: Ints, width: int) -> NDArray[np.void]:
        """void[n]: the `width` bytes, WIDEST at most, from each place."""
        everywhere: NDArray[np.void] = np.ndarray((len(self.raw) + 1,), f"V{width}", self.bytes, 0, (1,))
        return everywhere[places]

    def ends(self, word: bytes, places: Ints) -> Flags:
        """bool[n]: whether a word stands right before each place."""
        letters = word[-8:]
        before = self.taken(np.maximum(places - len(letters), 0), 8).view("<u8")
        before &= np.uint64((1 << 8 * len(letters)) - 1)
        found = (before == int.from_bytes(letters, "little")) & (places >= len(word))
        for back in range(len(letters) + 1, len(word) + 1):
            found &= self.bytes[places - back] == word[-back]
        return found

    def ends_of(self, word: bytes) -> Ints:
        """Everywhere a word of at least two bytes ends, ascending: fast where its last two are rare."""
        found = []
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH + 1]
            both = stretch[1:] == word[-1]
            both &= stretch[:-1] == word[-2]
            found.append(np.flatnonzero(both) + (start + 2))
        places = np.concatenate(found)
        return places[self.ends(word, places)]

    def _starts(self) -> range:
        return range(0, len(self.bytes), _STRETCH)
