"""Files written whole or not at all, read without following links, and temporary files that vanish with the process.

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
from typing import IO, BinaryIO

from msgspec import Struct

from fairdeal.validator.text.diagnostics import ResourceError

_UNSUPPORTED_ERRORS = frozenset({errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOENT})
"""Errors that mean that the system or file system has no files without a name."""


_OPTIONAL_FLAGS = ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")
"""Flags of `os.open` that some systems lack; Windows has only the last one."""


def open_without_links(path: str | Path) -> int:
    """Open a file for reading and return its descriptor, without following a link or waiting for a pipe's writer.

    Raises OSError if the file cannot be opened or is a link.
    """
    if not hasattr(os, "O_NOFOLLOW") and Path(path).is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    flags = os.O_RDONLY
    for name in _OPTIONAL_FLAGS:
        flags |= getattr(os, name, 0)
    return os.open(path, flags)


_DESCRIPTORS = re.compile(r"/dev/fd|/proc/(\d+)(?:/task/\d+)?/fd")
"""Folders that contain the open descriptors of a process."""
_MAX_LINKS = 40
"""Maximum number of links that are followed."""
_STANDARD_STREAMS = (1, 2)
"""Descriptors that the program inherits and keeps writing to: standard output and standard error."""


class _DescriptorName(Struct, frozen=True):
    """A path that names an open descriptor of a process, such as /dev/stdout or /dev/fd/63."""

    number: int
    """Number of the descriptor."""
    is_own: bool
    """True if the descriptor belongs to this process."""


def find_descriptor(path: str | Path) -> int | None:
    """Return the descriptor of this process that a path names, links followed; None for any other path."""
    named = _find_descriptor_name(path)
    return named.number if named is not None and named.is_own else None


def _find_descriptor_name(path: str | Path) -> _DescriptorName | None:
    place = os.fspath(path)
    try:
        for _ in range(_MAX_LINKS):
            folder, name = os.path.split(place)
            folder = os.path.realpath(folder)
            match = _DESCRIPTORS.fullmatch(folder)
            if match and name.isdecimal():
                return _DescriptorName(number=int(name), is_own=match[1] is None or int(match[1]) == os.getpid())
            place = os.path.join(folder, os.readlink(os.path.join(folder, name)))  # noqa: PTH115, PTH118
    except (OSError, ValueError):
        pass  # no link, or nothing at all
    return None


@contextmanager
def write_atomically(path: str | Path, *, mode: int | None = None) -> Iterator[BinaryIO]:
    """Open a stream whose bytes become the file at a path once all are written.

    If the process ends early or the disk is full, the old file remains. Links are followed. The new file has the
    permissions of the old one, or else `mode`. The stream goes straight to a pipe, a device or an open descriptor. It
    also goes straight to a file that receives standard output or standard error, because the redirect would lose a
    replaced file.

    Raises OSError if the file cannot be written.
    """
    handle = _open_in_place(path)
    if handle is not None:
        with os.fdopen(handle, "wb") as stream:
            yield stream
        return
    place = Path(path).resolve()
    mode = place.stat().st_mode if place.exists() else mode
    if place.exists() and not os.access(place, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(place))
    temporary = place.parent / f".fairdeal-{os.urandom(8).hex()}"
    handle, has_name = _create_temporary(temporary)
    try:
        with os.fdopen(handle, "wb") as stream:
            if mode is not None:
                os.chmod(handle if os.chmod in os.supports_fd else temporary, mode & 0o777)  # noqa: PTH101
            yield stream
            stream.flush()
            os.fsync(handle)  # otherwise the name may reach the disk before the bytes
            if not has_name:
                # Python follows the link that the first path is only where a folder is given to begin from.
                os.link(f"/proc/self/fd/{handle}", temporary, src_dir_fd=handle, follow_symlinks=True)
                has_name = True
        temporary.replace(place)
        sync_folder(place.parent)
    except BaseException:
        if has_name:
            with suppress(OSError):
                temporary.unlink()
        raise


def _open_in_place(path: str | Path) -> int | None:
    """Return a descriptor to write to what must not be replaced; None for a regular file and for a new one."""
    try:
        status = os.stat(path)  # noqa: PTH116 - it accepts any kind of path
    except FileNotFoundError:
        return None
    named = _find_descriptor_name(path)
    if named is not None and named.is_own:
        return os.dup(named.number)
    if named is not None or not stat.S_ISREG(status.st_mode):
        truncated = os.O_TRUNC if stat.S_ISREG(status.st_mode) else 0
        return os.open(path, os.O_WRONLY | truncated | getattr(os, "O_BINARY", 0))
    for number in _STANDARD_STREAMS:
        with suppress(OSError):  # it may be closed
            if os.path.samestat(status, os.fstat(number)):
                return os.dup(number)
    return None


def sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, if the system can do that."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    with suppress(OSError):  # some file systems cannot, or let nobody read the folder
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _create_temporary(temporary: Path) -> tuple[int, bool]:
    """Create a file to write to, and return its descriptor and whether it has a name.

    A file without a name leaves nothing if the process is killed.
    """
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        try:
            return os.open(temporary.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), False
        except OSError as error:
            if error.errno not in _UNSUPPORTED_ERRORS or not temporary.parent.is_dir():
                raise
    return os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), 0o666), True


class TempSpool:
    """A temporary file of bytes. Raises ResourceError if it cannot be created, written or read."""

    __slots__ = ("_at_end", "_end", "_file")

    def __init__(self, *, in_memory: int = 0) -> None:
        """Make an empty spool, whose first bytes stay in memory.

        Args:
            in_memory: number of those bytes.
        """
        import tempfile  # noqa: PLC0415 - few audits write one, and it takes as long to import as a round to judge

        with report_temp_errors():
            # The file never has a name, so nothing is left even if the process is killed.
            # It lives as long as this object.
            self._file: IO[bytes] = (
                tempfile.SpooledTemporaryFile(in_memory) if in_memory else tempfile.TemporaryFile()  # noqa: SIM115
            )
        self._end = 0
        self._at_end = True

    def append(self, data: bytes) -> int:
        """Write bytes at the end, and return the offset where they begin."""
        start = self._end
        with report_temp_errors():
            if not self._at_end:
                self._file.seek(start)
            self._file.write(data)
        self._end, self._at_end = start + len(data), True
        return start

    def read(self, start: int, size: int) -> bytes:
        """Return bytes that were written."""
        self._at_end = False
        with report_temp_errors():
            self._file.seek(start)
            return self._file.read(size)

    def iterate_lines(self) -> Iterator[bytes]:
        """Yield everything that was written, line by line."""
        offset, self._at_end = 0, False
        while offset < self._end:
            with report_temp_errors():
                self._file.seek(offset)
                lines = self._file.readlines(1 << 16)
            offset += sum(map(len, lines))
            yield from lines

    def close(self) -> None:
        """Free the space."""
        self._file.close()

    def __del__(self) -> None:
        with suppress(AttributeError):  # it could not be created
            self.close()


@contextmanager
def report_temp_errors() -> Iterator[None]:
    """Convert errors of temporary files to a ResourceError that names their folder."""
    try:
        yield
    except OSError as error:
        import tempfile  # noqa: PLC0415 - as above

        try:
            folder = f"the temporary folder {tempfile.gettempdir()}"
        except OSError:
            folder = "a temporary folder"
        reason = (error.strerror or str(error)).lower()
        help_ = "free space there, or set the environment variable TMPDIR to another folder"
        raise ResourceError("no-room", f"{folder} cannot be used: {reason}", help_) from error
