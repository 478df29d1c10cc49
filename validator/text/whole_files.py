"""Files written whole or not at all, and read without following links."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

_NO_NAMELESS_FILES = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT})
"""How systems and file systems say that they have no files without a name."""


_WHERE_KNOWN = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
"""Flags of `os.open` that some systems lack: Windows has only the last one."""


def open_unlinked(path: str | Path) -> int:
    """Open a file for reading and return its descriptor, without following a link or waiting for a pipe's writer.

    Raises OSError if the file cannot be opened or is a link.
    """
    if not hasattr(os, "O_NOFOLLOW") and Path(path).is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    flags = os.O_RDONLY
    for name in _WHERE_KNOWN:
        flags |= getattr(os, name, 0)
    return os.open(path, flags)


@contextmanager
def written_whole(path: str | Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """A stream of bytes which become the file at a path once all are written: however the process ends, and if the disk
    is full, there is the old file or the new one.

    Links are followed, and the new file may be read and written by whom the old one could, or else by whom `mode` says.
    What is no ordinary file, such as a device or a pipe, is written to as it is. Raises OSError where the file cannot
    be written.
    """
    place = Path(path).resolve()
    if place.exists() and not place.is_file():
        with place.open("wb") as stream:
            yield stream
        return
    mode = place.stat().st_mode if place.exists() else mode
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
    beside = place.parent / f".fairdeal-{os.urandom(8).hex()}"
    handle, named = _opened(beside)
    try:
        with os.fdopen(handle, "wb") as stream:
            if mode is not None:
                os.chmod(handle if os.chmod in os.supports_fd else beside, mode & 0o777)  # noqa: PTH101
            yield stream
            stream.flush()
            os.fsync(handle)  # else the name may reach the disk before the bytes do
            if not named:
                # Python follows the link that the first path is only where a folder is given to begin from.
                os.link(f"/proc/self/fd/{handle}", beside, src_dir_fd=handle, follow_symlinks=True)
                named = True
        beside.replace(place)
        sync_folder(place.parent)
    except BaseException:
        if named:
            with suppress(OSError):
                beside.unlink()
        raise


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can do so."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):  # some file systems cannot, or let nobody read the folder
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _opened(beside: Path) -> tuple[int, bool]:
    """A new file to write to, and whether it has its name yet: without one nothing of it is left if the process is
    killed."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        try:
            return os.open(beside.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), False
        except OSError as error:
            if error.errno not in _NO_NAMELESS_FILES or not beside.parent.is_dir():
                raise
    return os.open(beside, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666), True
