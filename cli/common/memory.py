"""Memory settings of processes that evaluate batches."""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
from collections.abc import Iterable, Iterator
from typing import TypeVar

Batch = TypeVar("Batch")
"""Batch of any kind."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Settings of the C library (malloc.h of glibc; mallopt(3))."""
_KEPT_BYTES = 128 << 20
_LARGEST_KEPT_BYTES = 32 << 20
"""Limit of the C library."""


_LEAST_BYTES = 128 << 20
"""Address space that libraries need to load."""


def need_memory() -> None:
    """Raise MemoryError if the program has too little memory to start.

    Without this check, libraries that run out of memory while they load end the process with the exit code of
    violations.
    """
    try:
        private = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
        mmap.mmap(-1, _LEAST_BYTES, **private).close()
    except (OSError, ValueError) as error:
        raise MemoryError from error


def reuse_memory() -> None:
    """Make this process, and those it forks, reuse the memory of one batch for the next.

    By default, the C library returns arrays to the system and requests them again page by page. That takes a
    twentieth of the time of an audit. Call this before pyarrow is imported. It does nothing on other C libraries.
    """
    # Arrow's own allocators keep freed memory; over a long log that adds up in every process.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
    mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)


def collect_between(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield batches, and collect garbage only between them.

    While a batch is made, nearly all its objects are alive, so collecting garbage takes a tenth of the time in vain.
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
