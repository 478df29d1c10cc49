"""How a process that works through batch after batch holds its memory."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
from collections.abc import Iterable, Iterator
from typing import TypeVar

Batch = TypeVar("Batch")

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Names of settings of the C library (malloc.h of glibc; mallopt(3))."""
_KEPT_BYTES = 128 << 20
_LARGEST_KEPT_BYTES = 32 << 20
"""The most that the C library allows."""


_LEAST_BYTES = 128 << 20
"""Address space without which no library can be loaded."""


def need_memory() -> None:
    """Raise MemoryError where the system gives the program too little memory to begin with.

    Libraries end the process where memory runs out while they are loaded, with a code that would stand for violations.
    """
    try:
        private = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
        mmap.mmap(-1, _LEAST_BYTES, **private).close()
    except (OSError, ValueError) as error:
        raise MemoryError from error


def reuse_memory() -> None:
    """Have this process, and those it forks, use again for one batch what the batch before has freed.

    Unless told so, the C library gives arrays back to the system and asks for them anew, page by page, which takes an
    audit about a twentieth of its time. Nothing happens where the C library has no such settings. To be called before
    pyarrow is imported.
    """
    # Arrow's own allocators keep what they freed; over a long log that adds up in every process.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
    mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)


def collect_between(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield batches, and look for garbage only between them.

    While a batch is made nearly everything lives that was made for it, so that looking for garbage takes a tenth of the
    time and finds nothing.
    """
    gc.freeze()
    gc.disable()
    try:
        for batch in batches:
            yield batch
            del batch
            gc.collect()
    finally:
        gc.enable()
        gc.unfreeze()
