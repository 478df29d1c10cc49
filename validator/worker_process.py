"""Worker processes of a run: their first steps, and the error if one is killed."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from fairdeal.validator.text.diagnostics import ResourceError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

START_METHOD = "fork" if sys.platform == "linux" else "spawn"
"""Fastest way to start processes that read files."""


def begin_worker(inherited: Iterable[Connection]) -> None:
    """Prepare a process that works for another one.

    Args:
        inherited: ends of pipes that a fork copied and that this process does not use.
    """
    for stop in inherited:
        stop.close()
    # Ctrl+C reaches all processes of a terminal. The main process handles it, and stops the processes it started.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    gc.freeze()


def make_killed_error(run: str) -> ResourceError:
    """Return the error for a process that was killed.

    Args:
        run: name of the run that the process worked for, such as `audit`.
    """
    message = f"a process of the {run} was killed, probably because memory ran out"
    return ResourceError(
        "killed", message, "use fewer processes (--jobs 1 for a single one), or a machine with more memory"
    )


def make_start_error(run: str, error: OSError) -> ResourceError:
    """Return the error for a process that cannot be started.

    Args:
        run: name of the run that needed the process, such as `audit`.
        error: the refusal of the system.
    """
    message = f"a process for the {run} cannot be started: {(error.strerror or str(error)).lower()}"
    return ResourceError("no-process", message, "use one process: --jobs 1")
