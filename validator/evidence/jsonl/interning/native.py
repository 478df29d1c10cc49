"""Compiled scanner of the optional package `fairdeal-fast`.

Its functions do the work of functions in `scan_lists` and `hash_table`, which are their specification; every result is
the same. Those functions run if the package is missing, or if the environment variable FAIRDEAL_FAST is `off`.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from validator.arrays import ABSENT, Bits64, Codes, Flags, Ints, Ints32
from validator.evidence.jsonl.interning.byte_search import Text, UnusualError

SWITCH = "FAIRDEAL_FAST"
"""Environment variable that switches the compiled scanner off if it is `off`."""
INTERFACE = 1
"""Version of the functions called here; a library with another version is not used."""

_NUMBER, _PLACE = ctypes.c_int64, ctypes.c_void_p


class ListsFound(NamedTuple):
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


class Table(NamedTuple):
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

    def lists(self, text: Text, keys: Sequence[bytes]) -> tuple[list[ListsFound], bytes]:
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
            ListsFound(
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

    def hands(self, text: Text, word: bytes, width: int, start: Ints, end: Ints) -> tuple[Codes, Ints]:
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

    def codes(self, text: Text, start: Ints, end: Ints, tables: Sequence[Table]) -> Ints:
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
def scanner() -> Scanner | None:
    """Return the compiled scanner of this process; None if it is missing, switched off or has another interface."""
    if os.environ.get(SWITCH) == "off":
        return None
    try:
        import fairdeal_fast  # noqa: PLC0415 - few have it

        return Scanner(fairdeal_fast.LIBRARY)
    except (ImportError, OSError, ValueError):
        return None


def name() -> str | None:
    """Return the name and version of the compiled scanner in use; None if there is none."""
    if scanner() is None:
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
