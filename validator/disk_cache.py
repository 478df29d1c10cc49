"""Cache on disk for values that are expensive to compute: pickles in the cache folder of the current user.

The cache may be lost, switched off (`FAIRDEAL_CACHE=off`) or damaged at any time; a bad entry is computed again. It
reads nothing that another user could have written, and an entry is valid only under its own key. A pickle may contain
only plain values and what named modules of fairdeal define, so it cannot run other code.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec
from pydantic import VERSION as PYDANTIC

from fairdeal.validator import VERSION
from fairdeal.validator.text.source import open_without_links

CACHE_VARIABLE = "FAIRDEAL_CACHE"
"""Environment variable that switches the cache off if it is `off`."""

MAX_ENTRIES = 100
"""Maximum number of entries; the oldest are removed first."""

_MAX_BYTES = 64 * 1024 * 1024
_DIGEST_SIZE = hashlib.sha256().digest_size
_PLAIN_TYPES = frozenset(
    {
        ("builtins", "dict"),
        ("builtins", "list"),
        ("datetime", "date"),
        ("fractions", "Fraction"),
        ("msgspec._utils", "rebuild"),  # makes a struct of its class and a dict
    }
)
_PACKAGE = Path(__file__).resolve().parent


def build_key(*parts: str) -> str:
    """Return the key of a value that is computed from these parts by this program.

    A change of its source, or another version of Python, pydantic or msgspec, gives another key.
    """
    return hashlib.sha256("\0".join((_identify_program(), *parts)).encode()).hexdigest()


def load_entry(key: str, *, trusted: tuple[str, ...]) -> object | None:
    """Return the value stored under a key; None if there is none, or none that can be trusted.

    Args:
        key: The key.
        trusted: Modules of fairdeal (or packages, with a final dot) whose own definitions the value may contain.
    """
    folder = _get_folder()
    if folder is None:
        return None
    with suppress(Exception):
        if not _is_private(folder.stat()):  # another user could have put an entry there, under any name
            return None
        with os.fdopen(open_without_links(folder / key), "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode) or not _is_private(status):
                return None
            data = stream.read(_MAX_BYTES)
        digest, content = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
        if _compute_digest(key, content) == digest:
            return _Unpickler(content, trusted).load()
    return None


def store_entry(key: str, value: object) -> None:
    """Store a value for later runs, if possible."""
    folder = _get_folder()
    if folder is None:
        return
    with suppress(Exception):
        content = pickle.dumps(value, protocol=5)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_private(folder.stat()):
            _write_entry(folder, key, _compute_digest(key, content) + content)
            _remove_oldest(folder)


def _compute_digest(key: str, content: bytes) -> bytes:
    """Return the digest at the start of an entry; it depends on the key."""
    return hashlib.sha256(key.encode() + content).digest()


class _Unpickler(pickle.Unpickler):
    """Reader of pickles that may contain only plain types and definitions of trusted modules."""

    def __init__(self, content: bytes, trusted: tuple[str, ...]) -> None:
        super().__init__(io.BytesIO(content))
        self._trusted = trusted

    def find_class(self, module: str, name: str) -> object:
        """Return the definition of a name in the pickle. Raises UnpicklingError for a name that is not trusted."""
        trusted = any(module.startswith(entry) if entry.endswith(".") else module == entry for entry in self._trusted)
        if (trusted and "." not in name) or (module, name) in _PLAIN_TYPES:
            definition = super().find_class(module, name)
            if definition.__module__ == module:
                return definition
        raise pickle.UnpicklingError(f"{module}.{name} is not trusted")


def _get_folder() -> Path | None:
    """Return the folder of entries; None if the cache is off or the system has no owners of files."""
    if os.environ.get(CACHE_VARIABLE) == "off" or not hasattr(os, "getuid"):
        return None
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - Path.home raises
    return Path(home, "fairdeal") if os.path.isabs(home) else None  # noqa: PTH117


def _is_private(status: os.stat_result) -> bool:
    """Return whether a file belongs to the current user and nobody else may write to it."""
    return status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write_entry(folder: Path, key: str, data: bytes) -> None:
    """Write an entry so that readers see all of it or nothing."""
    import tempfile  # noqa: PLC0415 - only the first run writes

    handle, name = tempfile.mkstemp(dir=folder, prefix=".")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(name).replace(folder / key)
    except BaseException:
        Path(name).unlink()
        raise


def _remove_oldest(folder: Path) -> None:
    """Remove the oldest entries, including incomplete ones of a run that was killed."""
    with os.scandir(folder) as scan:  # another process may remove it meanwhile
        entries = sorted(((entry.stat().st_mtime_ns, entry.path) for entry in scan), reverse=True)
    for _, path in entries[MAX_ENTRIES:]:
        Path(path).unlink(missing_ok=True)


@cache
def _identify_program() -> str:
    """Return a text that distinguishes this program from any other that could have computed a value."""
    return "\0".join(
        (VERSION, sys.version, sys.implementation.name, PYDANTIC, msgspec.__version__, *_list_sources(str(_PACKAGE)))
    )


def _list_sources(folder: str) -> Iterator[str]:
    """Yield path, size and times of every source file of a package.

    The time of the last change of metadata counts too, since installers and archives may set the time of modification.
    """
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name.endswith(".py"):
            status = entry.stat()
            yield f"{entry.path} {status.st_size} {status.st_mtime_ns} {status.st_ctime_ns}"
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _list_sources(entry.path)
