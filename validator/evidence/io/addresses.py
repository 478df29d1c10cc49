"""Files of object stores, by address: `s3://bucket/folder/log.jsonl`, and any other address that Arrow can open.

Credentials, and the location of an unusual store, come from the environment (for S3 the variables AWS_…). An address
never holds them, as addresses appear in results.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from msgspec import Struct

from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import open_failed

if TYPE_CHECKING:
    from io import BufferedReader

    from pyarrow.fs import FileInfo, FileSystem

_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]*)://")
_SECRET = re.compile(r"[a-z][a-z0-9+.-]*://[^/]*@")


def is_address(path: str) -> bool:
    """Return whether a string is the address of an object store, and not a path."""
    return _ADDRESS.match(path) is not None


class Stored(Struct, frozen=True, kw_only=True):
    """Object at an address: a file or a folder."""

    is_folder: bool
    """True for a folder."""
    size: int
    """Bytes of the file."""
    time: int
    """Time of the last change, in nanoseconds."""


def opened_at(address: str) -> BufferedReader:
    """Open the file at an address; the caller closes it. Raises InputError if it cannot be opened."""
    with _convert_errors(address):
        store, path = _open_store(address)
        return cast("BufferedReader", store.open_input_file(path))


def stored_at(address: str) -> Stored | None:
    """Return the object at an address; None if there is none. Raises InputError if the store does not answer."""
    with _convert_errors(address):
        store, path = _open_store(address)
        return _describe(store.get_file_info(path))


def inside(address: str, *, most: int) -> Iterator[str]:
    """Yield the addresses of all files in a folder and below, in any order: at most `most`, and one more.

    Raises InputError if the store does not answer.
    """
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415 - pyarrow takes time to import

    with _convert_errors(address):
        store, path = _open_store(address)
        infos = store.get_file_info(FileSelector(path, allow_not_found=True, recursive=True))
        prefix = address[: len(address.rstrip("/")) - len(path.rstrip("/"))]
        for info in infos[: most + 1]:
            if info.type is FileType.File:
                yield f"{prefix}{info.path}"


def _describe(info: FileInfo) -> Stored | None:
    from pyarrow.fs import FileType  # noqa: PLC0415 - see above

    if info.type is FileType.NotFound:
        return None
    return Stored(is_folder=info.type is FileType.Directory, size=info.size or 0, time=info.mtime_ns or 0)


def _open_store(address: str) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem  # noqa: PLC0415 - see above

    if _SECRET.match(address):
        raise ValueError("an address must not contain a user name or password, as it appears in results")
    store, path = FileSystem.from_uri(address)
    return store, path


@contextmanager
def _convert_errors(address: str) -> Iterator[None]:
    """Convert errors of a store to an InputError that names the address, without secrets."""
    name = _SECRET.sub(lambda match: match.group().partition("//")[0] + "//…@", address)
    try:
        yield
    except FileNotFoundError as error:
        message = "there is no such file in this store"
        raise InputError(
            (Diagnostic(code="not-found", message=message, file=name, help="check the address"),)
        ) from error
    except (OSError, ValueError, ImportError) as error:
        reason = " ".join(str(error).split())
        raise open_failed(name, ValueError(reason)) from error
