"""Guarded memory that ends, or begins, at a page that nobody may touch: an access outside it ends the process."""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from fairdeal.validator.evidence.jsonl.text_lookup import MAX_ITEM_BYTES, LineText

_PAGE = mmap.PAGESIZE
_NOTHING = 0
_mprotect = ctypes.CDLL(None, use_errno=True).mprotect
_mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_chance = random.Random(0)


def empty(shape: int | Sequence[int], dtype: DTypeLike = np.float64) -> NDArray[Any]:
    """Return an array of guarded memory, as `numpy.empty`."""
    kind = np.dtype(dtype)
    size = int(np.prod(shape)) * kind.itemsize
    pages = -(-size // _PAGE) * _PAGE
    memory = mmap.mmap(-1, pages + 2 * _PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (start, start + _PAGE + pages):
        if _mprotect(page, _PAGE, _NOTHING):
            raise OSError(ctypes.get_errno(), "mprotect")
    offset = _PAGE + (_chance.random() < 0.7) * (pages - size)
    return np.ndarray(shape, kind, memory, offset)


class GuardedNumPy:
    """NumPy, whose empty arrays are of guarded memory."""

    empty = staticmethod(empty)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


class GuardedText(LineText):
    """Text in guarded memory."""

    __slots__ = ()

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.bytes = empty(len(raw) + MAX_ITEM_BYTES, np.uint8)
        self.bytes[len(raw) :] = 0
        self.bytes[: len(raw)] = np.frombuffer(raw, np.uint8)
