"""The compiled scanner, where the package `fairdeal-fast` is installed: it finds what is found here, only faster.

Its functions do what functions of `scan_lists` and `hash_table` do, which are its specification; what they answer is
equal in every byte. Without it, or where the environment variable FAIRDEAL_FAST is `off`, those do the work.
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
"""The environment variable that switches the compiled scanner off when it is `off`."""
INTERFACE = 1
"""The version of the functions that are called here; a library of another one is not used."""

_NUMBER, _PLACE = ctypes.c_int64, ctypes.c_void_p


class ListsFound(NamedTuple):
    """The lists of one key: where they start and end; where their objects start and end, and which are the last of
    their lists; and how many each list has. All as `scan_lists` has them."""

    start: Ints
    end: Ints
    object_start: Ints
    object_end: Ints
    object_last: Flags
    counts: Ints


class Table(NamedTuple):
    """What a hash table consists of: `factors` uint64[words] of the hash, `texts` uint64[rows, words], `codes`
    int64[rows], and `slots` int32, a power of two of them, the row that a hash leads to."""

    factors: Bits64
    texts: Bits64
    codes: Ints
    slots: Ints32


_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "interface": (),
    "count": (_PLACE, _NUMBER, _PLACE, _NUMBER, _PLACE),
    "lists": (_PLACE, _NUMBER, _PLACE, _PLACE, _NUMBER, _NUMBER, _NUMBER, *[_PLACE] * 8),
    "hands": (_PLACE, _NUMBER, _PLACE, _NUMBER, _NUMBER, _PLACE, _PLACE, _NUMBER, _NUMBER, *[_PLACE] * 3),
    "codes": (_PLACE, _NUMBER, _PLACE, _PLACE, *[_NUMBER] * 3, *[_PLACE] * 3, _NUMBER, _PLACE, _NUMBER, _PLACE),
}
"""The functions that are called, and what they take."""


class Scanner:
    """The functions of a library of `fairdeal-fast`."""

    __slots__ = ("_codes", "_count", "_hands", "_lists")

    def __init__(self, path: str) -> None:
        """Raises OSError where there is no library, ValueError where it has another interface."""
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
        """The lists of each key, and the text with all of them empty. Raises UnusualError."""
        size, rooms = len(text.raw), np.empty(2, np.int64)
        self._count(_at(text.bytes), size, b"[{", 2, _at(rooms))
        lists, objects = rooms.tolist()
        sizes = np.fromiter(map(len, keys), np.int64, len(keys))
        of_lists = np.empty((3, len(keys), lists), np.int64)
        of_objects = np.empty((2, len(keys), objects), np.int64)
        last = np.empty((len(keys), objects), np.bool_)
        found = np.empty((len(keys), 2), np.int64)
        rest = np.empty(size, np.uint8)
        length = self._lists(
            *(_at(text.bytes), size, b"".join(keys), _at(sizes), len(keys), lists, objects),
            *map(_at, (*of_lists, *of_objects, last, found, rest)),
        )
        rest = rest[: _sound(length)]
        every = [
            ListsFound(
                start=of_lists[0, key, :some],
                end=of_lists[1, key, :some],
                object_start=of_objects[0, key, :inside],
                object_end=of_objects[1, key, :inside],
                object_last=last[key, :inside],
                counts=of_lists[2, key, :some],
            )
            for key, (some, inside) in enumerate(found.tolist())
        ]
        return every, rest.tobytes()

    def hands(self, text: Text, word: bytes, width: int, start: Ints, end: Ints) -> tuple[Codes, Ints]:
        """The characters of the hands of a key (`word`, in its quotes) in lists that start and end so, and the length
        of each; unknown cards are written over them. Raises UnusualError where one has `width` bytes or more."""
        start, end = np.ascontiguousarray(start), np.ascontiguousarray(end)
        size = len(text.raw)
        room = size // len(word)
        starts, lengths = np.empty((2, room), np.int64)
        characters = np.empty(size, np.uint8)
        lists = (_at(start), _at(end), len(start))
        out = (_at(starts), _at(lengths), _at(characters))
        count = _sound(self._hands(_at(text.bytes), size, word, len(word), width, *lists, room, *out))
        lengths = lengths[:count].copy()
        return characters[: lengths.sum()].copy(), lengths

    def codes(self, text: Text, start: Ints, end: Ints, tables: Sequence[Table]) -> Ints:
        """int64[n]: the codes of stretches of a text by tables for ever longer ones; ABSENT where they have none."""
        start, end = np.ascontiguousarray(start), np.ascontiguousarray(end)
        found = np.full(len(start), ABSENT, np.int64)
        narrowest = 1
        for table in tables:
            width = table.texts.itemsize * table.texts.shape[1]
            _sound(
                self._codes(
                    *(_at(text.bytes), len(text.raw), _at(start), _at(end), len(start), narrowest, width),
                    *(_at(table.factors), _at(table.texts), _at(table.codes), len(table.codes)),
                    *(_at(table.slots), len(table.slots), _at(found)),
                )
            )
            narrowest = width
        return found


@cache
def scanner() -> Scanner | None:
    """The compiled scanner of this process; None where there is none, it is of another interface, or switched off."""
    if os.environ.get(SWITCH) == "off":
        return None
    try:
        import fairdeal_fast  # noqa: PLC0415 - few have it

        return Scanner(fairdeal_fast.LIBRARY)
    except (ImportError, OSError, ValueError):
        return None


def name() -> str | None:
    """The compiled scanner that is used, and its version; None where none is."""
    if scanner() is None:
        return None
    import fairdeal_fast  # noqa: PLC0415 - few have it

    return f"fairdeal-fast {fairdeal_fast.VERSION}"


def _at(array: NDArray[Any]) -> int:
    return array.ctypes.data


def _sound(answer: int) -> int:
    """What a function answers. Raises UnusualError: lines that it does not take are better decoded as they stand."""
    if answer < 0:
        raise UnusualError
    return answer
