"""Outputs that only a file can take shape in: written to a temporary one first, so that pipes get the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from validator.text.scratch import in_temporary_folder


def through_file(stream: BinaryIO, write: Callable[[Path], None]) -> None:
    """Have a file written in a temporary folder (which may hold other temporary files as well) and copy it to the
    stream. Raises ResourceError where the temporary folder has no room for it, OSError where the stream has none."""
    with in_temporary_folder():
        temporary = TemporaryDirectory(prefix="fairdeal-")
    with temporary as folder:
        path = Path(folder) / "output"
        with in_temporary_folder():
            write(path)
        with path.open("rb") as written:
            shutil.copyfileobj(written, stream)
