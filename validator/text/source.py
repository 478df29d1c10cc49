"""Bounded reading of an input: bytes from a file or standard input, as UTF-8 text, with their SHA-256.

Every error in a file that appears before its lines are parsed becomes an `InputError` here.
"""

from __future__ import annotations

import errno
import hashlib
import re
import sys

from msgspec import Struct

from validator.text.diagnostics import Diagnostic, InputError
from validator.text.unchanged import opened_unchanged

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
_BINARY_FORMATS = (
    (b"\x1f\x8b", "gzip data", "unpack it first"),
    (b"\x28\xb5\x2f\xfd", "Zstandard data", "unpack it first"),
    (b"PK\x03\x04", "a ZIP archive", "unpack it first"),
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

    def lines(self) -> tuple[str, ...]:
        r"""Return the lines of the text without their breaks (`\n`, `\r\n` or `\r`)."""
        return tuple(split_lines(self.text))


def read_source(path: str, *, limit: int = MAX_BYTES) -> Source:
    """Read a file, or standard input for `-`.

    Raises InputError if it cannot be opened, changes while it is read, is empty or has more than `limit` bytes. Text
    that is not UTF-8, or that has control characters which neither YAML nor JSON allow, is an InputError too.
    """
    if path == "-":
        return decoded(STANDARD_INPUT, _read_standard_input(limit), limit=limit)
    try:
        with opened_unchanged(path) as stream:
            data = stream.read(limit + 1)
    except (OSError, ValueError) as error:
        raise open_failed(path, error) from error
    return decoded(path, data, limit=limit)


def decoded(name: str, data: bytes, *, limit: int = MAX_BYTES) -> Source:
    """Return the source of bytes that were read before. Raises InputError as `read_source` does."""
    if len(data) > limit:
        raise _build_error(
            name,
            "too-large",
            f"more than {_format_size(limit)}; not read",
            help_="split it into several",
        )
    for start, format_name, help_ in _BINARY_FORMATS:
        if data.startswith(start):
            raise _build_error(name, "not-text", f"this is {format_name}, not text", help_=help_)
    for bom, encoding in _OTHER_BOMS:
        if data.startswith(bom):
            raise _build_error(name, "not-utf-8", f"looks like {encoding}, not UTF-8", help_="save it as UTF-8")
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


def open_failed(path: str, error: OSError | ValueError) -> InputError:
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


def _read_standard_input(limit: int) -> bytes:
    if sys.stdin is None:
        raise _build_error(STANDARD_INPUT, "not-readable", "standard input is closed", help_="name a file")
    try:
        return sys.stdin.buffer.read(limit + 1)
    except (OSError, ValueError) as error:
        raise open_failed(STANDARD_INPUT, error) from error


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
