"""Opening the file of a log."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from validator.evidence.io.addresses import is_address, opened_at
from validator.text.source import open_failed


def opened(path: str) -> BufferedReader:
    """The file of a path or an address, which the caller closes. Raises InputError where it cannot be opened."""
    if is_address(path):
        return opened_at(path)
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise open_failed(path, error) from error
