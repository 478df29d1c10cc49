"""Files written whole or not at all, and read without following links.

Pipes, devices and the descriptors of this process are written to as they are.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

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


_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)(?:/task/\d+)?/fd")
"""Folders whose files are the open descriptors of a process."""
_MOST_LINKS = 40
"""Links that lead from one to the next before a system gives up."""
_SHARED = (1, 2)
"""Descriptors that the program inherits and goes on writing to: standard output and standard error."""


class _DescriptorName(Struct, frozen=True):
    """A path that names an open descriptor of a process, such as /dev/stdout or /dev/fd/63."""

    number: int
    is_own: bool
    """True if the descriptor is of this process."""


def descriptor_at(path: str | Path) -> int | None:
    """Return the descriptor of this process that a path names, links followed; None for any other path."""
    named = _find_descriptor_name(path)
    return named.number if named is not None and named.is_own else None


def _find_descriptor_name(path: str | Path) -> _DescriptorName | None:
    place = os.fspath(path)
    try:
        for _ in range(_MOST_LINKS):
            folder, name = os.path.split(place)
            folder = os.path.realpath(folder)
            found = _DESCRIPTORS.fullmatch(folder)
            if found and name.isdecimal():
                return _DescriptorName(number=int(name), is_own=found[1] is None or int(found[1]) == os.getpid())
            place = os.path.join(folder, os.readlink(os.path.join(folder, name)))  # noqa: PTH115, PTH118
    except (OSError, ValueError):
        pass  # no link, or nothing at all
    return None


@contextmanager
def written_whole(path: str | Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """A stream of bytes which become the file at a path once all are written: however the process ends, and if the disk
    is full, there is the old file or the new one.

    Links are followed, and the new file may be read and written by whom the old one could, or else by whom `mode` says.
    The stream goes straight to a pipe, a device or an open descriptor. It also goes straight to a file that standard
    output or standard error is redirected to: the redirect would lose a file that is replaced. Raises OSError if the
    file cannot be written.
    """
    handle = _open_as_it_is(path)
    if handle is not None:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        return
    place = Path(path).resolve()
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


def _open_as_it_is(path: str | Path) -> int | None:
    """Return a descriptor to write to what must not be replaced; None for a regular file and for a new one."""
    try:
        about = os.stat(path)  # noqa: PTH116 - it does not care which kind of path it is given
    except FileNotFoundError:
        return None
    named = _find_descriptor_name(path)
    if named is not None and named.is_own:
        return os.dup(named.number)
    if named is not None or not stat.S_ISREG(about.st_mode):
        truncated = os.O_TRUNC if stat.S_ISREG(about.st_mode) else 0
        return os.open(path, os.O_WRONLY | truncated | getattr(os, "O_BINARY", 0))
    for number in _SHARED:
        with suppress(OSError):  # it may be closed
            if os.path.samestat(about, os.fstat(number)):
                return os.dup(number)
    return None


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
