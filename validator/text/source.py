"""Bounded reading of an input: bytes from a file or standard input, as UTF-8 text, with their SHA-256.

Every error in a file that appears before its lines are parsed becomes an `InputError` here. A reader may limit the
memory of the process, and reports a file that changes while it is read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import re
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from fairdeal.validator.text.diagnostics import Diagnostic, InputError

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
def open_unchanged(path: str | Path, *, name: str | None = None) -> Iterator[BinaryIO]:
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
