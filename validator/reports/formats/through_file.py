"""Outputs that only a file can take shape in: written to a temporary one first, so that pipes get the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO


def through_file(stream: BinaryIO, write: Callable[[Path], None]) -> None:
    """Have a file written in a temporary folder (which may hold other temporary files as well) and copy it to the
    stream. Raises OSError where there is no room."""
    with TemporaryDirectory(prefix="fairdeal-") as folder:
        path = Path(folder) / "output"
        write(path)
        with path.open("rb") as written:
            shutil.copyfileobj(written, stream)
