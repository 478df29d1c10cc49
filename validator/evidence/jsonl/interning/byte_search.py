"""Search in the bytes of many lines at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from validator.arrays import Flags, Ints

WIDEST = 256
"""Most bytes of an item."""
_STRETCH = 1 << 18
"""Bytes searched at a time, so that intermediate arrays stay small."""


class UnusualError(Exception):
    """Text is written in an unusual way, so that the strict decoder must read it."""


class Text:
    """Bytes of some lines. Places are offsets, int64[n]; an item is a fixed number of bytes from a place."""

    __slots__ = ("bytes", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        """Text as given."""
        self.bytes = np.zeros(len(raw) + WIDEST, np.uint8)
        """Writable copy with zeros at the end, uint8[length + MAX_ITEM_BYTES]."""
        self.bytes[: len(raw)] = np.frombuffer(raw, np.uint8)

    def where(self, *wanted: bytes) -> list[Ints]:
        """Return all offsets of each of some bytes, ascending."""
        found: list[list[Ints]] = [[] for _ in wanted]
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH]
            for places, byte in zip(found, wanted, strict=True):
                places.append(np.flatnonzero(stretch == ord(byte)) + start)
        return [np.concatenate(places) for places in found]

    def taken(self, places: Ints, width: int) -> NDArray[np.void]:
        """Return the `width` bytes, at most MAX_ITEM_BYTES, from each place.

        Returns: void[n].
        """
        everywhere: NDArray[np.void] = np.ndarray((len(self.raw) + 1,), f"V{width}", self.bytes, 0, (1,))
        return everywhere[places]

    def ends(self, word: bytes, places: Ints) -> Flags:
        """Return whether a word comes right before each place.

        Returns: bool[n].
        """
        letters = word[-8:]
        before = self.taken(np.maximum(places - len(letters), 0), 8).view("<u8")
        before &= np.uint64((1 << 8 * len(letters)) - 1)
        matches = (before == int.from_bytes(letters, "little")) & (places >= len(word))
        for back in range(len(letters) + 1, len(word) + 1):
            matches &= self.bytes[places - back] == word[-back]
        return matches

    def ends_of(self, word: bytes) -> Ints:
        """Return all offsets at which a word of two or more bytes ends, ascending. Fast if its last two bytes are
        rare."""
        parts = []
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH + 1]
            both = stretch[1:] == word[-1]
            both &= stretch[:-1] == word[-2]
            parts.append(np.flatnonzero(both) + (start + 2))
        places = np.concatenate(parts)
        return places[self.ends(word, places)]

    def _starts(self) -> range:
        return range(0, len(self.bytes), _STRETCH)
