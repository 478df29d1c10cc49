"""Outputs that only a file can take shape in: written to a temporary one first, so that pipes get the same bytes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import mkstemp
from typing import BinaryIO

from validator.text.scratch import in_temporary_folder


def through_file(stream: BinaryIO, write: Callable[[Path], None]) -> None:
    """Have a temporary file written, which may lose its name meanwhile, and copy it to the stream.

    Raises ResourceError where the temporary folder has no room for it, OSError where the stream has none.
    """
    with in_temporary_folder():
        handle, name = mkstemp(prefix="fairdeal-")
    path = Path(name)
    with os.fdopen(handle, "rb") as written:
        try:
            with in_temporary_folder():
                write(path)
            shutil.copyfileobj(written, stream)
        finally:
            path.unlink(missing_ok=True)
