"""Search and lookup of texts in the bytes of many lines, in NumPy and by the compiled scanner `fairdeal-fast`.

The functions in Python are the specification of the compiled ones; every result is the same. They run if the package is
missing, or if the environment variable FAIRDEAL_FAST is `off`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from fairdeal.validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Ints32, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_ITEM_BYTES = 256
"""Most bytes of an item."""
_STRETCH = 1 << 18
"""Bytes searched at a time, so that intermediate arrays stay small."""


class UnusualError(Exception):
    """Text is written in an unusual way, so that the strict decoder must read it."""


class LineText:
    """Bytes of some lines. Places are offsets, int64[n]; an item is a fixed number of bytes from a place."""

    __slots__ = ("bytes", "raw")

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        """Text as given."""
        self.bytes = np.zeros(len(raw) + MAX_ITEM_BYTES, np.uint8)
        """Writable copy with zeros at the end, uint8[length + MAX_ITEM_BYTES]."""
        self.bytes[: len(raw)] = np.frombuffer(raw, np.uint8)

    def find_bytes(self, *wanted: bytes) -> list[Ints]:
        """Return all offsets of each of some bytes, ascending."""
        found: list[list[Ints]] = [[] for _ in wanted]
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH]
            for places, byte in zip(found, wanted, strict=True):
                places.append(np.flatnonzero(stretch == ord(byte)) + start)
        return [np.concatenate(places) for places in found]

    def take(self, places: Ints, width: int) -> NDArray[np.void]:
        """Return the `width` bytes, at most MAX_ITEM_BYTES, from each place.

        Returns: void[n].
        """
        everywhere: NDArray[np.void] = np.ndarray((len(self.raw) + 1,), f"V{width}", self.bytes, 0, (1,))
        return everywhere[places]

    def is_preceded_by(self, word: bytes, places: Ints) -> Flags:
        """Return whether a word comes right before each place.

        Returns: bool[n].
        """
        letters = word[-8:]
        before = self.take(np.maximum(places - len(letters), 0), 8).view("<u8")
        before &= np.uint64((1 << 8 * len(letters)) - 1)
        matches = (before == int.from_bytes(letters, "little")) & (places >= len(word))
        for back in range(len(letters) + 1, len(word) + 1):
            matches &= self.bytes[places - back] == word[-back]
        return matches

    def find_word_ends(self, word: bytes) -> Ints:
        """Return all offsets at which a word of two or more bytes ends, ascending. Fast if its last two bytes are
        rare."""
        parts = []
        for start in self._starts():
            stretch = self.bytes[start : start + _STRETCH + 1]
            both = stretch[1:] == word[-1]
            both &= stretch[:-1] == word[-2]
            parts.append(np.flatnonzero(both) + (start + 2))
        places = np.concatenate(parts)
        return places[self.is_preceded_by(word, places)]

    def _starts(self) -> range:
        return range(0, len(self.bytes), _STRETCH)


SWITCH = "FAIRDEAL_FAST"
"""Environment variable that switches the compiled scanner off if it is `off`."""
INTERFACE = 1
"""Version of the functions called here; a library with another version is not used."""

_NUMBER, _PLACE = ctypes.c_int64, ctypes.c_void_p


class FoundLists(NamedTuple):
    """Lists of one key, as in `scan_lists`."""

    start: Ints
    """Start of each list."""
    end: Ints
    """End of each list."""
    object_start: Ints
    """Start of each object."""
    object_end: Ints
    """End of each object."""
    object_last: Flags
    """True for the last object of a list."""
    counts: Ints
    """Number of objects of each list."""


class HashTableArrays(NamedTuple):
    """Arrays of a hash table."""

    factors: Bits64
    """Factors of the hash, uint64[words]."""
    texts: Bits64
    """Padded texts, uint64[rows, words]."""
    codes: Ints
    """Code of each text, int64[rows]."""
    slots: Ints32
    """Row for each value of the hash, int32; the number of slots is a power of two."""


_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "interface": (),
    "count": (_PLACE, _NUMBER, _PLACE, _NUMBER, _PLACE),
    "lists": (_PLACE, _NUMBER, _PLACE, _PLACE, _NUMBER, _NUMBER, _NUMBER, *[_PLACE] * 8),
    "hands": (_PLACE, _NUMBER, _PLACE, _NUMBER, _NUMBER, _PLACE, _PLACE, _NUMBER, _NUMBER, *[_PLACE] * 3),
    "codes": (_PLACE, _NUMBER, _PLACE, _PLACE, *[_NUMBER] * 3, *[_PLACE] * 3, _NUMBER, _PLACE, _NUMBER, _PLACE),
}
"""Functions of the library and the types of their arguments."""


class Scanner:
    """Functions of a library of `fairdeal-fast`."""

    __slots__ = ("_codes", "_count", "_hands", "_lists")

    def __init__(self, path: str) -> None:
        """Load the library. Raises OSError if there is none, ValueError if it has another interface."""
        library = ctypes.CDLL(path)
        try:
            calls = {name: library[f"fairdeal_{name}"] for name in _FUNCTIONS}
        except AttributeError as error:
            raise ValueError(str(error)) from error
        for name, function in calls.items():
            function.argtypes, function.restype = [*_FUNCTIONS[name]], _NUMBER
        if (interface := calls["interface"]()) != INTERFACE:
            raise ValueError(f"its interface is {interface}, not {INTERFACE}")
        self._count, self._lists = calls["count"], calls["lists"]
        self._hands, self._codes = calls["hands"], calls["codes"]

    def lists(self, text: LineText, keys: Sequence[bytes]) -> tuple[list[FoundLists], bytes]:
        """Return the lists of each key, and the text with all of them empty. Raises UnusualError."""
        size, rooms = len(text.raw), np.empty(2, np.int64)
        self._count(_address(text.bytes), size, b"[{", 2, _address(rooms))
        lists, objects = rooms.tolist()
        sizes = np.fromiter(map(len, keys), np.int64, len(keys))
        of_lists = np.empty((3, len(keys), lists), np.int64)
        of_objects = np.empty((2, len(keys), objects), np.int64)
        last = np.empty((len(keys), objects), np.bool_)
        sizes_found = np.empty((len(keys), 2), np.int64)
        rest = np.empty(size, np.uint8)
        length = self._lists(
            *(_address(text.bytes), size, b"".join(keys), _address(sizes), len(keys), lists, objects),
            *map(_address, (*of_lists, *of_objects, last, sizes_found, rest)),
        )
        rest = rest[: _check_result(length)]
        every = [
            FoundLists(
                start=of_lists[0, key, :list_count],
                end=of_lists[1, key, :list_count],
                object_start=of_objects[0, key, :object_count],
                object_end=of_objects[1, key, :object_count],
                object_last=last[key, :object_count],
                counts=of_lists[2, key, :list_count],
            )
            for key, (list_count, object_count) in enumerate(sizes_found.tolist())
        ]
        return every, rest.tobytes()

    def hands(self, text: LineText, word: bytes, width: int, start: Ints, end: Ints) -> tuple[Codes, Ints]:
        """Return the characters of the hands of a key in some lists, and the length of each.

        Unknown cards overwrite the hands in the text. Raises UnusualError for a hand of `width` bytes or more.

        Args:
            text: the text.
            word: the key in its quotes.
            width: more bytes than any hand has.
            start: start of each list.
            end: end of each list.
        """
        start, end = np.ascontiguousarray(start), np.ascontiguousarray(end)
        size = len(text.raw)
        room = size // len(word)
        starts, lengths = np.empty((2, room), np.int64)
        characters = np.empty(size, np.uint8)
        lists = (_address(start), _address(end), len(start))
        out = (_address(starts), _address(lengths), _address(characters))
        count = _check_result(self._hands(_address(text.bytes), size, word, len(word), width, *lists, room, *out))
        lengths = lengths[:count].copy()
        return characters[: lengths.sum()].copy(), lengths

    def codes(self, text: LineText, start: Ints, end: Ints, tables: Sequence[HashTableArrays]) -> Ints:
        """Look up the codes of parts of a text in tables of increasing width; ABSENT if not found.

        Returns: int64[n].
        """
        start, end = np.ascontiguousarray(start), np.ascontiguousarray(end)
        codes_ = np.full(len(start), ABSENT, np.int64)
        narrowest = 1
        for table in tables:
            width = table.texts.itemsize * table.texts.shape[1]
            _check_result(
                self._codes(
                    *(
                        _address(text.bytes),
                        len(text.raw),
                        _address(start),
                        _address(end),
                        len(start),
                        narrowest,
                        width,
                    ),
                    *(_address(table.factors), _address(table.texts), _address(table.codes), len(table.codes)),
                    *(_address(table.slots), len(table.slots), _address(codes_)),
                )
            )
            narrowest = width
        return codes_


@cache
def load_scanner() -> Scanner | None:
    """Return the compiled scanner of this process; None if it is missing, switched off or has another interface."""
    if os.environ.get(SWITCH) == "off":
        return None
    try:
        import fairdeal_fast  # noqa: PLC0415 - few have it

        return Scanner(fairdeal_fast.LIBRARY)
    except (ImportError, OSError, ValueError):
        return None


def describe_scanner() -> str | None:
    """Return the name and version of the compiled scanner in use; None if there is none."""
    if load_scanner() is None:
        return None
    import fairdeal_fast  # noqa: PLC0415 - few have it

    return f"fairdeal-fast {fairdeal_fast.VERSION}"


def _address(array: NDArray[Any]) -> int:
    return array.ctypes.data


def _check_result(answer: int) -> int:
    """Return the result of a function. Raises UnusualError if it rejects the lines, which are then decoded strictly."""
    if answer < 0:
        raise UnusualError
    return answer


_ROOM = 8
"""Slots for each text, so that few texts share one."""
_AT_A_TIME = 1 << 12
"""Texts looked up at a time, so that they stay in the processor's cache."""
_FACTOR = 0x9E3779B97F4A7C15
"""Odd, with bits spread evenly: 2**64 divided by the golden ratio."""
_HALF = 32
_EIGHT_YES = 0x0101010101010101
"""Eight true flags in one number."""


class TextHashTable:
    """Hash table from texts to codes. A text has at least one and fewer than `width` bytes (a multiple of 64, at most
    256)."""

    __slots__ = ("_codes", "_factors", "_masks", "_rows", "_slots", "_texts", "_width")

    def __init__(self, width: int) -> None:
        self._width = width
        powers = [pow(_FACTOR, power, 1 << 64) for power in range(1, width // 8 + 1)]
        self._factors = np.array(powers, np.uint64)
        self._masks = (255 * np.tri(width, width, -1, np.uint8)).view(np.uint64)
        # All slots refer to a first row that holds no text.
        self._rows = 1
        self._texts: Bits64 = np.zeros((1 << 7, width // 8), np.uint64)
        self._codes = np.full(1 << 7, ABSENT, np.int64)
        self._slots = np.zeros(_ROOM << 7, np.int32)

    def get_arrays(self) -> HashTableArrays:
        """Return the arrays of the table; the next added text may replace them."""
        return HashTableArrays(self._factors, self._texts, self._codes, self._slots)

    def look_up(self, text: LineText, start: Ints, size: Ints) -> Ints:
        """Look up the codes of some parts of a text, with `size` bytes each; ABSENT if not found.

        Returns: int64[n].
        """
        codes_ = np.empty(len(start), np.int64)
        for first in range(0, len(start), _AT_A_TIME):
            part = slice(first, first + _AT_A_TIME)
            codes_[part] = self._looked_up(self._words(text, start[part], size[part]))
        return codes_

    def _looked_up(self, words: Bits64) -> Ints:
        first, second = self._places(words)
        row = self._slots.take(first)
        missed = np.flatnonzero(~self._same(row, words))
        if len(missed):
            second_row = self._slots.take(second.take(missed))
            second_row[~self._same(second_row, words.take(missed, axis=0))] = 0
            row[missed] = second_row
        return self._codes.take(row)

    def add(self, text: LineText, start: Ints, size: Ints, codes: Ints) -> None:
        """Add some distinct new parts of a text, with their codes."""
        known, self._rows = self._rows, self._rows + len(codes)
        while self._rows > len(self._codes):
            self._texts = np.concatenate([self._texts, np.zeros_like(self._texts)])
            self._codes = np.concatenate([self._codes, np.full_like(self._codes, ABSENT)])
        self._texts[known : self._rows] = self._words(text, start, size)
        self._codes[known : self._rows] = codes
        if _ROOM * len(self._codes) > len(self._slots):
            known = 1
            self._slots = np.zeros(_ROOM * len(self._codes), np.int32)
        rows = np.arange(known, self._rows, dtype=np.int32)
        first, second = self._places(self._texts[known : self._rows])
        self._settle(first, rows)
        unplaced = self._slots[first] != rows
        self._settle(second[unplaced], rows[unplaced])

    def _settle(self, places: Ints, rows: Ints32) -> None:
        free = self._slots[places] == 0
        self._slots[places[free]] = rows[free]

    def _words(self, text: LineText, start: Ints, size: Ints) -> Bits64:
        words: Bits64 = text.take(start, self._width).view(np.uint64).reshape(len(start), self._width // 8)
        words &= self._masks.take(size, axis=0)
        words.view(np.uint8)[:, -1] = size
        return words

    def _places(self, words: Bits64) -> tuple[Ints, Ints]:
        """Return the two slots that each text may have."""
        beyond = np.uint64(64 - (len(self._slots) - 1).bit_length())
        hashes = words @ self._factors
        mixed = (hashes ^ (hashes >> _HALF)) * self._factors[0]
        return (hashes >> beyond).view(np.int64), (mixed >> beyond).view(np.int64)

    def _same(self, rows: Ints32, words: Bits64) -> Flags:
        """Return whether each text equals the one in its row.

        Returns: bool[n].
        """
        equal = (self._texts.take(rows, axis=0) == words).view(np.uint64) == _EIGHT_YES
        same: Flags = equal[:, 0]
        for further in range(1, equal.shape[1]):
            same &= equal[:, further]
        return same
