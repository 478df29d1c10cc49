"""Text files: read within bounds, with the positions of their lines, and written whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, BinaryIO

from msgspec import Struct

from fairdeal.validator.text.diagnostics import Diagnostic, InputError, ResourceError

MAX_UNPACKED_BYTES = 64 << 20
"""Maximum memory that an input, or a part that is judged on its own, may take when unpacked."""
MAX_BATCH_ITEMS = MAX_UNPACKED_BYTES >> 9
"""Maximum number of lines or objects that are judged together; each takes up to 512 bytes before that."""


class MemoryBoundError(MemoryError):
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
def limit_memory(most: int = MAX_UNPACKED_BYTES) -> Iterator[None]:
    """Limit the memory for reading to `most` bytes more than the process has now.

    Raises MemoryBoundError if more is allocated. Nothing is limited unless the program enforces the bound.
    """
    if not _Limit.enforced:
        yield
        return
    import resource  # noqa: PLC0415 - Windows has no such module

    with _Limit.lock:
        if not _Limit.readers:
            _Limit.before = resource.getrlimit(resource.RLIMIT_DATA)
            _set_limit(_measure_data() + most)
        _Limit.readers += 1
    try:
        yield
    except MemoryError as error:
        raise MemoryBoundError(f"more than {most >> 20} MiB of memory") from error
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


CHANGED = "changed"
"""Code of the error for a file that changed while it was read."""


def build_changed_error(name: str) -> InputError:
    """Return the error for a file that changed while it was read."""
    message = "the file changed while it was read"
    help_ = "read a copy that no other program writes to"
    return InputError((Diagnostic(code=CHANGED, message=message, file=name, help=help_),))


def reports_change(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of the diagnostics says that a file changed while it was read."""
    return any(diagnostic.code == CHANGED for diagnostic in diagnostics)


@contextmanager
def open_unchanged(path: str | Path, *, name: str | None = None) -> Iterator[BufferedReader]:
    """Open a file for reading, and compare its identity, size and time when the reader is done with it.

    Raises OSError or ValueError if the file cannot be opened, and InputError, which calls it `name`, if it was written
    to, replaced or removed meanwhile. Pipes and devices have no such state and are read as they come.
    """
    # A path is compared with the path, an open file with the open file: some systems number the two differently.
    path_status = Path(path).stat()
    path_state = _get_state(path_status)
    is_regular = stat.S_ISREG(path_status.st_mode)
    with open_regular(path, name=name) if is_regular else Path(path).open("rb") as stream:
        status = os.fstat(stream.fileno())

        def is_same() -> bool:
            if not stat.S_ISREG(status.st_mode):
                return True
            try:
                return (
                    _get_state(os.fstat(stream.fileno())) == _get_state(status)
                    and _get_state(Path(path).stat()) == path_state
                )
            except OSError:
                return False

        with require_unchanged(is_same, str(path) if name is None else name):
            yield stream


def open_regular(path: str | Path, *, name: str | None = None) -> BufferedReader:
    """Open a file that was a regular one before; the caller closes it.

    Raises OSError or ValueError if it cannot be opened, and InputError if a pipe or device is in its place now. Opening
    a pipe never waits for a writer.
    """
    flag = getattr(os, "O_NONBLOCK", 0)
    stream = open(path, "rb", opener=lambda opened, flags: os.open(opened, flags | flag))  # noqa: SIM115 - Path has no opener
    if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
        stream.close()
        raise build_changed_error(str(path) if name is None else name)
    return stream


@contextmanager
def require_unchanged(is_same: Callable[[], bool], name: str) -> Iterator[None]:
    """Raise InputError if a file has changed once it is read.

    A change replaces any other InputError, because it explains the other problems.
    """
    try:
        yield
    except InputError as error:
        if reports_change(error.diagnostics) or is_same():
            raise
        raise build_changed_error(name) from error
    if not is_same():
        raise build_changed_error(name)


def _get_state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


MAX_BYTES = 8 * 1024 * 1024
"""Maximum size of a rule file or submission unless the caller sets another."""

STANDARD_INPUT = "<stdin>"
"""Name of standard input in messages and results."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_UTF8_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
WORKBOOK_START = b"PK\x03\x04"
"""First bytes of a workbook, which is a ZIP archive."""
_BINARY_FORMATS = (
    (b"\x1f\x8b", "gzip data", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "unpack it first"),
    (WORKBOOK_START, "a ZIP archive or a workbook", "unpack it first"),
    (b"PAR1", "a Parquet file", "name a file of text"),
)
"""Binary formats that are often given instead of text: first bytes, name, remedy."""
_OPEN_ERRORS = {
    errno.ENOENT: ("not-found", "there is no such file", "check the path and its spelling"),
    errno.ENOTDIR: ("not-found", "part of the path is not a folder", "check the path and its spelling"),
    errno.EISDIR: ("is-a-directory", "this is a folder, not a file", "name a file inside it"),
    errno.EACCES: ("no-permission", "there is no permission to read this file", "check its permissions"),
    errno.EPERM: ("no-permission", "there is no permission to read this file", "check its permissions"),
    errno.ENAMETOOLONG: ("not-found", "the path is too long for a file name", None),
}


class Source(Struct, frozen=True, kw_only=True):
    """An input that was read."""

    name: str
    """Name in messages and results."""
    data: bytes
    """The bytes."""
    text: str
    """The text without a byte-order mark."""
    sha256: str
    """SHA-256 of the bytes."""

    def split_text(self) -> tuple[str, ...]:
        r"""Return the lines of the text without their breaks (`\n`, `\r\n` or `\r`)."""
        return tuple(split_lines(self.text))


def read_source(path: str, *, limit: int = MAX_BYTES, workbook: bool = False) -> Source:
    """Read a file, or standard input for `-`; a workbook, if that is allowed, has no text.

    Raises InputError if it cannot be opened, changes while it is read, is empty or has more than `limit` bytes. Text
    that is not UTF-8, or that has control characters which neither YAML nor JSON allow, is an InputError too.
    """
    with open_input(path) as (name, stream):
        data = stream.read(limit + 1)
    if workbook and data.startswith(WORKBOOK_START) and len(data) <= limit:
        return Source(name=name, data=data, text="", sha256=hashlib.sha256(data).hexdigest())
    return decode_source(name, data, limit=limit)


@contextmanager
def open_input(path: str) -> Iterator[tuple[str, BinaryIO]]:
    """Open a file, or standard input for `-`, and yield its name in messages with the stream.

    Raises InputError if it cannot be opened or read, or changes while it is read.
    """
    try:
        if path != "-":
            with open_unchanged(path) as stream:
                yield path, stream
        elif sys.stdin is None:
            raise _build_error(STANDARD_INPUT, "not-readable", "standard input is closed", help_="name a file")
        else:
            yield STANDARD_INPUT, sys.stdin.buffer
    except (OSError, ValueError) as error:
        raise build_open_error(STANDARD_INPUT if path == "-" else path, error) from error


def decode_source(name: str, data: bytes, *, limit: int = MAX_BYTES, remedy: str = "split it into several") -> Source:
    """Return the source of bytes that were read before. Raises InputError as `read_source` does.

    Args:
        remedy: what to do about a source that is too large.
    """
    for start, format_name, help_ in _BINARY_FORMATS:
        if data.startswith(start):
            raise _build_error(name, "not-text", f"this is {format_name}, not text", help_=help_)
    for bom, encoding in _OTHER_BOMS:
        if data.startswith(bom):
            raise _build_error(name, "not-utf-8", f"looks like {encoding}, not UTF-8", help_="save it as UTF-8")
    if len(data) > limit:
        raise _build_error(name, "too-large", f"more than {_format_size(limit)}; not read", help_=remedy)
    try:
        text = data.removeprefix(_UTF8_BOM).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _build_encoding_error(name, data, error) from error
    if not text or text.isspace():
        raise _build_error(name, "empty", "this file has no content", help_=None)
    control = _CONTROL.search(text)
    if control is not None:
        raise _build_control_error(name, text, control.start())
    return Source(name=name, data=data, text=text, sha256=hashlib.sha256(data).hexdigest())


def build_open_error(path: str, error: OSError | ValueError) -> InputError:
    """Return the InputError for a file that cannot be opened or read; other readers use it too."""
    known = _OPEN_ERRORS.get(error.errno or 0) if isinstance(error, OSError) else None
    if known is not None:
        code, message, help_ = known
        return _build_error(path, code, message, help_=help_)
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return _build_error(path, "not-readable", f"this file cannot be read: {reason.lower()}", help_=None)


def split_lines(text: str) -> list[str]:
    r"""Split text at `\n`, `\r\n` and `\r`: the line breaks of YAML 1.2 and JSON, and no others."""
    if "\r" not in text:
        return text.split("\n")
    return _LINE_BREAK.split(text)


def locate(text: str, index: int) -> tuple[int, int]:
    """Return line and column, from 1, of the character at an index."""
    before = split_lines(text[:index])
    return len(before), len(before[-1]) + 1


def _build_error(name: str, code: str, message: str, *, help_: str | None) -> InputError:
    return InputError((Diagnostic(code=code, message=message, file=name, help=help_),))


def _format_size(limit: int) -> str:
    megabytes, rest = divmod(limit, 1024 * 1024)
    return f"{limit:,} bytes" if rest or not megabytes else f"{megabytes} MiB"


def _build_encoding_error(name: str, data: bytes, error: UnicodeDecodeError) -> InputError:
    # The codec gets the bytes without the byte-order mark, but the reported offset includes it.
    offset = error.start + len(data) - len(error.object)
    before = split_lines(error.object[: error.start].decode("utf-8"))
    return InputError(
        (
            Diagnostic(
                code="not-utf-8",
                message=f"byte {offset:,} (0x{data[offset]:02x}) is not UTF-8",
                file=name,
                line=len(before),
                column=len(before[-1]) + 1,
                help="save the file as UTF-8",
            ),
        )
    )


def _build_control_error(name: str, text: str, index: int) -> InputError:
    line, column = locate(text, index)
    utf16 = text.count("\0", 0, 1000) > min(len(text), 1000) // 4
    advice = "this looks like UTF-16: save it as UTF-8" if utf16 else "remove it, or write it as an escape"
    return InputError(
        (
            Diagnostic(
                code="control-character",
                message=f"a control character (U+{ord(text[index]):04X}) is not allowed in text",
                file=name,
                line=line,
                column=column,
                source_line=split_lines(text)[line - 1],
                help=advice,
            ),
        )
    )


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
