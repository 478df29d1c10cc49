"""What is dear to make, kept on disk for the next run: pickles in the cache folder of the current user.

A store may be lost, switched off (`FAIRDEAL_CACHE=off`) or spoiled at any time; the answer to whatever is wrong
with an entry is to make the value again. Nothing is read that another user could have written or put there, an entry
is good under its own key only, and only plain values and what named modules of fairdeal define come out of it, so it
cannot run anything else.
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

from validator import VERSION
from validator.text.whole_files import open_unlinked

SWITCH = "FAIRDEAL_CACHE"
"""The environment variable that switches the store off when it is `off`."""

KEPT = 100
"""Entries kept; of more, the oldest go."""

_LARGEST = 64 * 1024 * 1024
_DIGEST_SIZE = hashlib.sha256().digest_size
_PLAIN = frozenset(
    {
        ("builtins", "dict"),
        ("builtins", "list"),
        ("datetime", "date"),
        ("fractions", "Fraction"),
        ("msgspec._utils", "rebuild"),  # makes a struct of its class and a dict
    }
)
_PACKAGE = Path(__file__).resolve().parent


def key_of(*parts: str) -> str:
    """The key of a value made from these parts by this very program: a change of its source, or another version
    of Python, pydantic or msgspec, makes another key."""
    return hashlib.sha256("\0".join((_program(), *parts)).encode()).hexdigest()


def fetch(key: str, *, trusted: tuple[str, ...]) -> object | None:
    """The value kept under a key; None where there is none, or none to be trusted.

    `trusted` are modules of fairdeal (or packages, with their last dot) whose own classes and functions the value
    may hold.
    """
    folder = _folder()
    if folder is None:
        return None
    with suppress(Exception):
        if not _own(folder.stat()):  # others could have put something of ours there, under any name
            return None
        with os.fdopen(open_unlinked(folder / key), "rb") as stream:
            about = os.fstat(stream.fileno())
            if not stat.S_ISREG(about.st_mode) or not _own(about):
                return None
            data = stream.read(_LARGEST)
        digest, content = data[:_DIGEST_SIZE], data[_DIGEST_SIZE:]
        if _digest(key, content) == digest:
            return _Unpickler(content, trusted).load()
    return None


def keep(key: str, value: object) -> None:
    """Keep a value for later runs, if that is possible."""
    folder = _folder()
    if folder is None:
        return
    with suppress(Exception):
        content = pickle.dumps(value, protocol=5)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _own(folder.stat()):
            _write(folder, key, _digest(key, content) + content)
            _prune(folder)


def _digest(key: str, content: bytes) -> bytes:
    """What an entry begins with: that of another key has another one."""
    return hashlib.sha256(key.encode() + content).digest()


class _Unpickler(pickle.Unpickler):
    """Reads a pickle that may name plain types and what trusted modules define, and nothing else."""

    def __init__(self, content: bytes, trusted: tuple[str, ...]) -> None:
        super().__init__(io.BytesIO(content))
        self._trusted = trusted

    def find_class(self, module: str, name: str) -> object:
        """What a name in the pickle stands for. Raises UnpicklingError for a name that is not trusted."""
        trusted = any(module.startswith(one) if one.endswith(".") else module == one for one in self._trusted)
        if (trusted and "." not in name) or (module, name) in _PLAIN:
            found = super().find_class(module, name)
            if found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not trusted")


def _folder() -> Path | None:
    """Where entries are; None where the store is off or this system has no owners of files."""
    if os.environ.get(SWITCH) == "off" or not hasattr(os, "getuid"):
        return None
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111 - Path.home raises
    return Path(home, "fairdeal") if os.path.isabs(home) else None  # noqa: PTH117


def _own(about: os.stat_result) -> bool:
    """Whether something is the current user's and nobody else may write to it."""
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(folder: Path, key: str, data: bytes) -> None:
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


def _prune(folder: Path) -> None:
    """Remove the oldest entries, and with them what a run that was killed has left half written."""
    with os.scandir(folder) as found:  # another process may remove one meanwhile
        entries = sorted(((entry.stat().st_mtime_ns, entry.path) for entry in found), reverse=True)
    for _, path in entries[KEPT:]:
        Path(path).unlink(missing_ok=True)


@cache
def _program() -> str:
    """What tells this program from any other that could have made a value."""
    return "\0".join(
        (VERSION, sys.version, sys.implementation.name, PYDANTIC, msgspec.__version__, *_sources(str(_PACKAGE)))
    )


def _sources(folder: str) -> Iterator[str]:
    """Name, size and times of every source file of a package: also the time when the file was last written or put in
    place, since installers and archives may set the other one."""
    for entry in sorted(os.scandir(folder), key=lambda one: one.name):
        if entry.name.endswith(".py"):
            about = entry.stat()
            yield f"{entry.path} {about.st_size} {about.st_mtime_ns} {about.st_ctime_ns}"
        elif entry.is_dir() and entry.name != "__pycache__":
            yield from _sources(entry.path)
