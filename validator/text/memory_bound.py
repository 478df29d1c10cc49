"""The bound on the memory that an input may take, wherever it is read, and how a reader keeps to it."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFOLDED_BYTES = 64 << 20
"""The most memory that an input, or a part of one that is judged by itself, may unfold to before it is judged."""
ITEMS_AT_A_TIME = UNFOLDED_BYTES >> 9
"""Lines and objects that are judged together: each takes up to 512 bytes before it is judged, be it set aside."""


class UnfoldsTooFarError(MemoryError):
    """An input takes more memory than the bound allows."""


class _Limit:
    """The limit that this process sets itself while it reads, if the program has asked for one."""

    lock = threading.Lock()
    enforced = False
    readers = 0
    before = (0, 0)


def enforce_bound() -> None:
    """Let this process, and processes that it forks, keep to the bound by a limit of the system, where it has one.

    Programs call this, libraries do not: the limit holds for a whole process, if only while an input is unfolded.
    """
    _Limit.enforced = sys.platform == "linux"


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Let what is read inside take `UNFOLDED_BYTES` more than the process has now.

    Raises UnfoldsTooFarError where more is allocated. Nothing is bounded unless the program enforces the bound.
    """
    if not _Limit.enforced:
        yield
        return
    import resource  # noqa: PLC0415 - Windows has no such module

    with _Limit.lock:
        if not _Limit.readers:
            _Limit.before = resource.getrlimit(resource.RLIMIT_DATA)
            _limit_data(_used() + UNFOLDED_BYTES)
        _Limit.readers += 1
    try:
        yield
    except MemoryError as error:
        raise UnfoldsTooFarError(f"more than {UNFOLDED_BYTES >> 20} MiB of memory") from error
    finally:
        with _Limit.lock:
            _Limit.readers -= 1
            if not _Limit.readers:
                resource.setrlimit(resource.RLIMIT_DATA, _Limit.before)


def _limit_data(most: int) -> None:
    import resource  # noqa: PLC0415 - as above

    soft, hard = _Limit.before
    allowed = [limit for limit in (most, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(allowed), hard))


def _used() -> int:
    """Return the bytes that count for the limit: private memory that may be written to."""
    found = re.search(r"^VmData:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return 0 if found is None else int(found[1]) << 10
