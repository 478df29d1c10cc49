"""Files that must stay as they are while they are read: what is judged is what is hashed."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from validator.text.diagnostics import Diagnostic, InputError

CHANGED = "changed"
"""The code of the error for a file that changed while it was read."""


def changed(name: str) -> InputError:
    """Return the error for a file that changed while it was read."""
    message = "the file changed while it was read"
    help_ = "read a copy that nobody writes to"
    return InputError((Diagnostic(code=CHANGED, message=message, file=name, help=help_),))


def is_changed(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of the diagnostics says that a file changed while it was read."""
    return any(one.code == CHANGED for one in diagnostics)


@contextmanager
def opened_unchanged(path: str | Path, *, name: str | None = None) -> Iterator[BinaryIO]:
    """Open a file for reading, and compare its identity, size and time when the reader is done with it.

    Raises OSError or ValueError if the file cannot be opened, and InputError, which calls it `name`, if it was written
    to, replaced or removed meanwhile. Pipes and devices have no such state and are read as they come.
    """
    # A path is compared with the path, an open file with the open file: some systems number the two differently.
    named = _state(Path(path).stat())
    with Path(path).open("rb") as stream:
        about = os.fstat(stream.fileno())

        def is_same() -> bool:
            if not stat.S_ISREG(about.st_mode):
                return True
            try:
                return _state(os.fstat(stream.fileno())) == _state(about) and _state(Path(path).stat()) == named
            except OSError:
                return False

        with unless_changed(is_same, str(path) if name is None else name):
            yield stream


@contextmanager
def unless_changed(is_same: Callable[[], bool], name: str) -> Iterator[None]:
    """Raise InputError if the file of a name is not the same any more once it is read. That explains whatever else was
    found to be wrong with it."""
    try:
        yield
    except InputError as error:
        if is_changed(error.diagnostics) or is_same():
            raise
        raise changed(name) from error
    if not is_same():
        raise changed(name)


def _state(about: os.stat_result) -> tuple[int, ...]:
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns
