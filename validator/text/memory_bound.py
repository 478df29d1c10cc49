"""The bound on the memory that an input may take while it is read."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

UNFOLDED_BYTES = 64 << 20
"""Maximum memory that an input, or a part that is judged on its own, may take when unpacked."""
ITEMS_AT_A_TIME = UNFOLDED_BYTES >> 9
"""Maximum number of lines or objects that are judged together; each takes up to 512 bytes before that."""


class UnfoldsTooFarError(MemoryError):
    """An input takes more memory than the bound allows."""


class _Limit:
    """State of the limit of this process."""

    lock = threading.Lock()
    enforced = False
    """True if the program enforces the bound."""
    readers = 0
    """Number of readers inside `bounded_memory`."""
    before = (0, 0)
    """Limit of the process before the first reader: soft and hard."""


def enforce_bound() -> None:
    """Enforce the bound in this process and its forks by a limit of the system, if there is one.

    Only programs call this, not libraries: the limit affects the whole process, though only while an input is read.
    """
    _Limit.enforced = sys.platform == "linux"


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Limit the memory for reading to `UNFOLDED_BYTES` more than the process has now.

    Raises UnfoldsTooFarError if more is allocated. Nothing is limited unless the program enforces the bound.
    """
    if not _Limit.enforced:
        yield
        return
    import resource  # noqa: PLC0415 - Windows has no such module

    with _Limit.lock:
        if not _Limit.readers:
            _Limit.before = resource.getrlimit(resource.RLIMIT_DATA)
            _set_limit(_measure_data() + UNFOLDED_BYTES)
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


def _set_limit(most: int) -> None:
    import resource  # noqa: PLC0415 - as above

    soft, hard = _Limit.before
    allowed = [limit for limit in (most, soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(allowed), hard))


def _measure_data() -> int:
    """Return the bytes that count for the limit: private writable memory."""
    match = re.search(r"^VmData:\s+(\d+) kB$", Path("/proc/self/status").read_text(), re.MULTILINE)
    return 0 if match is None else int(match[1]) << 10
