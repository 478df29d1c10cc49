"""Opening the file of a log."""

from __future__ import annotations

from io import BufferedReader
from pathlib import Path

from validator.text.source import open_failed


def opened(path: str) -> BufferedReader:
    """The file, which the caller closes. Raises InputError where it cannot be opened."""
    try:
        return Path(path).open("rb")
    except (OSError, ValueError) as error:
        raise open_failed(path, error) from error
