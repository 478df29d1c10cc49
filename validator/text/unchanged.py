"""Detection of files that change while they are read, so that the judged content is the hashed content."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from validator.text.diagnostics import Diagnostic, InputError

CHANGED = "changed"
"""Code of the error for a file that changed while it was read."""


def changed(name: str) -> InputError:
    """Return the error for a file that changed while it was read."""
    message = "the file changed while it was read"
    help_ = "read a copy that no other program writes to"
    return InputError((Diagnostic(code=CHANGED, message=message, file=name, help=help_),))


def is_changed(diagnostics: Iterable[Diagnostic]) -> bool:
    """Return whether one of the diagnostics says that a file changed while it was read."""
    return any(diagnostic.code == CHANGED for diagnostic in diagnostics)


@contextmanager
def opened_unchanged(path: str | Path, *, name: str | None = None) -> Iterator[BinaryIO]:
    """Open a file for reading, and compare its identity, size and time when the reader is done with it.

    Raises OSError or ValueError if the file cannot be opened, and InputError, which calls it `name`, if it was written
    to, replaced or removed meanwhile. Pipes and devices have no such state and are read as they come.
    """
    # A path is compared with the path, an open file with the open file: some systems number the two differently.
    path_state = _get_state(Path(path).stat())
    with Path(path).open("rb") as stream:
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

        with unless_changed(is_same, str(path) if name is None else name):
            yield stream


@contextmanager
def unless_changed(is_same: Callable[[], bool], name: str) -> Iterator[None]:
    """Raise InputError if a file has changed once it is read.

    A change replaces any other InputError, because it explains the other problems.
    """
    try:
        yield
    except InputError as error:
        if is_changed(error.diagnostics) or is_same():
            raise
        raise changed(name) from error
    if not is_same():
        raise changed(name)


def _get_state(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
