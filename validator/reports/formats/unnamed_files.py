"""Outputs that need a file: written to a temporary file first, so that pipes get the same bytes."""

from __future__ import annotations

import errno
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO

from fairdeal.validator.text.temp_spool import report_temp_errors


def write_through_file(stream: BinaryIO, write: Callable[[Path], None]) -> None:
    """Write a temporary file, which may lose its name meanwhile, and copy it to the stream.

    Raises:
        ResourceError: if the temporary folder is full.
        OSError: if the stream cannot take all of it.
    """
    with report_temp_errors():
        handle, name = tempfile.mkstemp(prefix="fairdeal-")
    path = Path(name)
    with os.fdopen(handle, "rb") as written:
        try:
            with report_temp_errors():
                write(path)
            shutil.copyfileobj(written, stream)
        finally:
            path.unlink(missing_ok=True)


class UnnamedFiles:
    """Replacement of the modules `os` and `tempfile` in XlsxWriter, which makes temporary files by name.

    The names lead to open files without a name on disk, so that no file is left if the process is killed.
    """

    def __init__(self) -> None:
        self._files: dict[str, tuple[int, IO[bytes]]] = {}

    def mkstemp(self, **options: Any) -> tuple[int, str]:
        """Make a file, and return a descriptor of it and its substitute name."""
        file = tempfile.TemporaryFile(**options)  # noqa: SIM115 - it is open until it is removed
        name = f"/proc/self/fd/{file.fileno()}"
        self._files[name] = threading.get_ident(), file
        return os.dup(file.fileno()), name

    def remove(self, name: str) -> None:
        """Remove a file that was made here. Raises FileNotFoundError for any other, as `os.remove`."""
        if name not in self._files:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
        self._files.pop(name)[1].close()

    unlink = remove

    def close(self, descriptor: int) -> None:
        """Close a descriptor."""
        os.close(descriptor)

    def remove_all(self) -> None:
        """Remove the files that this thread has made."""
        for name, (thread, _) in list(self._files.items()):
            if thread == threading.get_ident():
                self.remove(name)

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)


_FILES = UnnamedFiles()


@contextmanager
def open_parts_folder() -> Iterator[str]:
    """Yield the folder in which XlsxWriter makes its files: without names on Linux, elsewhere in their own folder."""
    if sys.platform != "linux" or not os.path.isdir("/proc/self/fd"):  # noqa: PTH112
        with tempfile.TemporaryDirectory(prefix="fairdeal-") as folder:
            yield folder
        return
    import xlsxwriter.packager  # noqa: PLC0415 - most outputs are no workbooks
    import xlsxwriter.workbook  # noqa: PLC0415
    import xlsxwriter.worksheet  # noqa: PLC0415

    files: Any = _FILES
    xlsxwriter.packager.tempfile = xlsxwriter.packager.os = files
    xlsxwriter.worksheet.tempfile = xlsxwriter.worksheet.os = files
    xlsxwriter.workbook.os = files
    try:
        yield tempfile.gettempdir()
    finally:
        _FILES.remove_all()
