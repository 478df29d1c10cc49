"""Opening of log files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import cast

from validator.evidence.io.addresses import is_address, opened_at, stored_at
from validator.text.source import open_failed
from validator.text.unchanged import opened_unchanged, unless_changed


def opened(path: str) -> BufferedReader:
    """Open the file at a path or an address; the caller closes it. Raises InputError if it cannot be opened."""
    if is_address(path):
        return opened_at(path)
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise open_failed(path, error) from error


@contextmanager
def opened_to_hash(path: str, *, name: str) -> Iterator[BufferedReader]:
    """Open the file at a path or an address, to be read once from beginning to end.

    Raises InputError, under the given name of the file, if it cannot be opened or read, or if it changes meanwhile.
    """
    if is_address(path):
        before = stored_at(path)
        with opened_at(path) as stream, unless_changed(lambda: stored_at(path) == before, name):
            yield stream
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(opened_unchanged(path, name=name))
        except (OSError, ValueError) as error:
            raise open_failed(path, error) from error
        yield cast("BufferedReader", file)
