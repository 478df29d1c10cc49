"""Settings of the desk, and the folder in which it keeps runs and drafts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from fairdeal.validator.text.diagnostics import Diagnostic, InputError

LOOPBACK = "127.0.0.1"
"""Address that only programs on this machine reach."""
MAX_FORM_BYTES = 4 << 20
"""Limit of a request that uploads nothing, in bytes."""
MAX_FILES = 500
"""Limit of the files of one upload."""


class DeskSettings(Struct, frozen=True, kw_only=True):
    """Settings of a server."""

    home: Path
    """Folder for runs, drafts and the history."""
    host: str = LOOPBACK
    """Address that the server listens on."""
    port: int
    """Port that the server listens on."""
    allowed_hosts: frozenset[str] = frozenset()
    """Names, other than those of this machine, by which browsers may address the server."""
    is_read_only: bool = False
    """True if no request may change anything."""
    rules: str | None = None
    """Rules folder; None for the shipped one."""
    texts: str | None = None
    """Folder with the texts of regulations; None to quote nothing."""
    max_upload: int = 2 << 30
    """Limit of one upload, in bytes, as sent."""
    max_unpacked: int = 16 << 30
    """Limit of one compressed log, in bytes when unpacked."""

    @property
    def database(self) -> Path:
        """File of the history."""
        return self.home / "desk.sqlite"

    def find_run_folder(self, run: int) -> Path:
        """Return the folder of a run."""
        return self.home / "runs" / f"{run:06d}"


@contextmanager
def lock_home(home: Path) -> Iterator[None]:
    """Make the folder of a desk, for this user alone, and keep other servers out of it.

    Raises:
        InputError: if another server uses the folder, or it cannot be used.
    """
    try:
        import fcntl  # noqa: PLC0415 - Windows has no such module
    except ImportError as error:
        raise _build_home_error(home, "this system has no locks of files, which the desk needs") from error
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(home / "desk.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _build_home_error(home, f"the folder cannot be used: {error.strerror or error}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise _build_home_error(home, "another desk uses this folder") from error
        yield
    finally:
        os.close(descriptor)


def _build_home_error(home: Path, message: str) -> InputError:
    help_ = "name another folder with --home"
    return InputError((Diagnostic(code="home", message=message, file=str(home), help=help_),))
