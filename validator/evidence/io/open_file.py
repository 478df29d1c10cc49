"""Opening of log files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BufferedReader
from pathlib import Path
from typing import cast

from validator.evidence.io.addresses import is_address, open_address, stat_address
from validator.text.source import build_open_error
from validator.text.unchanged import open_unchanged, require_unchanged


def open_binary(path: str) -> BufferedReader:
    """Open the file at a path or an address; the caller closes it. Raises InputError if it cannot be opened."""
    if is_address(path):
        return open_address(path)
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise build_open_error(path, error) from error


@contextmanager
def open_for_hashing(path: str, *, name: str) -> Iterator[BufferedReader]:
    """Open the file at a path or an address, to be read once from beginning to end.

    Raises InputError, under the given name of the file, if it cannot be opened or read, or if it changes meanwhile.
    """
    if is_address(path):
        before = stat_address(path)
        with open_address(path) as stream, require_unchanged(lambda: stat_address(path) == before, name):
            yield stream
        return
    with ExitStack() as stack:
        try:
            file = stack.enter_context(open_unchanged(path, name=name))
        except (OSError, ValueError) as error:
            raise build_open_error(path, error) from error
        yield cast("BufferedReader", file)
