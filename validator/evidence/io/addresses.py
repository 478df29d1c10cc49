"""Files of object stores, by their addresses: `s3://bucket/folder/log.jsonl`, and whatever else Arrow can open.

Who may read them, and where a store is that is not the usual one, is in the environment (for S3 the variables AWS_…),
never in an address: addresses stand in results.
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
    """Whether something is the address of a store, and not a path."""
    return _ADDRESS.match(path) is not None


class Stored(Struct, frozen=True, kw_only=True):
    """What an address leads to: a file with its size and the time it was written (nanoseconds), or a folder."""

    is_folder: bool
    size: int
    time: int


def opened_at(address: str) -> BufferedReader:
    """The file at an address, which the caller closes. Raises InputError where it cannot be opened."""
    with _refusals(address):
        store, path = _store(address)
        return cast("BufferedReader", store.open_input_file(path))


def stored_at(address: str) -> Stored | None:
    """What lies at an address, if anything does. Raises InputError where the store cannot be asked."""
    with _refusals(address):
        store, path = _store(address)
        return _stored(store.get_file_info(path))


def inside(address: str, *, most: int) -> Iterator[str]:
    """The addresses of all files in a folder and below, in no certain order; of `most` at most, and one more.

    Raises InputError where the store cannot be asked.
    """
    from pyarrow.fs import FileSelector, FileType  # noqa: PLC0415 - pyarrow takes time to import

    with _refusals(address):
        store, path = _store(address)
        found = store.get_file_info(FileSelector(path, allow_not_found=True, recursive=True))
        begins = address[: len(address.rstrip("/")) - len(path.rstrip("/"))]
        for info in found[: most + 1]:
            if info.type is FileType.File:
                yield f"{begins}{info.path}"


def _stored(info: FileInfo) -> Stored | None:
    from pyarrow.fs import FileType  # noqa: PLC0415 - see above

    if info.type is FileType.NotFound:
        return None
    return Stored(is_folder=info.type is FileType.Directory, size=info.size or 0, time=info.mtime_ns or 0)


def _store(address: str) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem  # noqa: PLC0415 - see above

    if _SECRET.match(address):
        raise ValueError("an address may hold no name or secret: results would tell it")
    store, path = FileSystem.from_uri(address)
    return store, path


@contextmanager
def _refusals(address: str) -> Iterator[None]:
    """Turn what goes wrong with a store into an InputError that names the address, without what is secret in it."""
    name = _SECRET.sub(lambda found: found.group().partition("//")[0] + "//…@", address)
    try:
        yield
    except FileNotFoundError as error:
        message = "there is no such file in this store"
        raise InputError(
            (Diagnostic(code="not-found", message=message, file=name, help="check the address"),)
        ) from error
    except (OSError, ValueError, ImportError) as error:
        said = " ".join(str(error).split())
        raise open_failed(name, ValueError(said)) from error
