"""Memory, signals, exit codes and messages of the process that runs a command."""

from __future__ import annotations

import ctypes
import errno
import gc
import mmap
import os
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from io import StringIO
from typing import TypeVar

import click

from fairdeal.cli.common.extras import describe_missing_extra, find_missing_extra
from fairdeal.validator.results.findings import Verdict
from fairdeal.validator.text.diagnostics import (
    Diagnostic,
    InputError,
    ResourceError,
    find_similar,
    render_diagnostic,
    sanitize,
)

Batch = TypeVar("Batch")
"""Batch of any kind."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Settings of the C library (malloc.h of glibc; mallopt(3))."""
_KEPT_BYTES = 128 << 20
_LARGEST_KEPT_BYTES = 32 << 20
"""Limit of the C library."""


_LEAST_BYTES = 128 << 20
"""Address space that libraries need to load."""


def require_memory() -> None:
    """Raise MemoryError if the program has too little memory to start.

    Without this check, libraries that run out of memory while they load end the process with the exit code of
    violations.
    """
    try:
        private = {"flags": mmap.MAP_PRIVATE} if hasattr(mmap, "MAP_PRIVATE") else {}
        mmap.mmap(-1, _LEAST_BYTES, **private).close()
    except (OSError, ValueError) as error:
        raise MemoryError from error


def reuse_memory() -> None:
    """Make this process, and those it forks, reuse the memory of one batch for the next.

    By default, the C library returns arrays to the system and requests them again page by page. That takes a
    twentieth of the time of an audit. Call this before pyarrow is imported. It does nothing on other C libraries.
    """
    # Arrow's own allocators keep freed memory; over a long log that adds up in every process.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return
    mallopt(_TRIM_THRESHOLD, _KEPT_BYTES)
    mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT_BYTES)


def collect_between(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield batches, and collect garbage only between them.

    While a batch is made, nearly all its objects are alive, so collecting garbage takes a tenth of the time in vain.
    """
    gc.freeze()
    gc.disable()
    try:
        for batch in batches:
            yield batch
            del batch
            gc.collect()
    finally:
        gc.enable()
        gc.unfreeze()


class ExitCode(IntEnum):
    """Exit status of a command."""

    COMPLIANT = 0
    VIOLATIONS = 1
    USAGE = 2
    UNREADABLE = 3
    INCONCLUSIVE = 4
    INTERNAL = 5


_OF_VERDICT = {
    Verdict.COMPLIANT: ExitCode.COMPLIANT,
    Verdict.VIOLATIONS: ExitCode.VIOLATIONS,
    Verdict.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
}


def exit_code(verdict: Verdict, *, allow_unproven: bool) -> ExitCode:
    """Return the exit code of a verdict; with `allow_unproven` an inconclusive run counts as compliant."""
    if verdict is Verdict.INCONCLUSIVE and allow_unproven:
        return ExitCode.COMPLIANT
    return _OF_VERDICT[verdict]


def wants_color(stream: object) -> bool:
    """Return whether output to a stream is coloured: on a terminal, unless an environment variable decides.

    NO_COLOR forbids colour; FORCE_COLOR and CLICOLOR_FORCE require it.
    """
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR") or os.environ.get("CLICOLOR_FORCE", "0") not in {"", "0"}
    return bool(forced) or is_terminal(stream)


def is_terminal(stream: object) -> bool:
    """Return whether a stream is a terminal; a closed stream (None) is not."""
    return bool(getattr(stream, "isatty", lambda: False)())


def print_message(message: str) -> None:
    """Print a message on standard error; ignore failures to write it, as the exit code has the outcome."""
    with suppress(OSError):
        click.echo(message, err=True, color=True)  # or click would remove colours that the caller chose


def ignore_message(_: str) -> None:
    """Ignore a message, in a quiet run."""


def report_error(error: InputError) -> None:
    """Print the diagnostics of an input on standard error."""
    report_diagnostics(error.diagnostics)


def report_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Print diagnostics on standard error."""
    for diagnostic in diagnostics:
        print_message(render_diagnostic(diagnostic, color=wants_color(sys.stderr)))


def discard_output() -> None:
    """Discard all further output: the reader of standard output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def make_unknown_name_error(names: Iterable[str], name: str, what: str) -> click.UsageError:
    """Return the error for an unknown name on the command line, with a similar name and all known ones."""
    known = tuple(names)
    near = find_similar(name, known)
    hint = f"; did you mean `{near}`?" if near else "."
    return click.UsageError(f"there is no {what} `{name}`{hint} The {what}s are {', '.join(known)}.")


@contextmanager
def unknown_ids_as_usage_errors() -> Iterator[None]:
    """Turn the InputError of an unknown id on the command line into a UsageError."""
    try:
        yield
    except InputError as error:
        wrong = error.diagnostics[0]
        raise click.UsageError(f"{wrong.message}; {wrong.help}") from error


_NO_MEMORY = (
    "there is too little memory",
    "provide more memory, or use less: one process (--jobs 1), or fewer logs at a time",
)
_LACKING = frozenset(
    {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.EROFS}
)
_LACKING_HELP = "check for full disks and low limits (ulimit -a)"


_SIGNAL_BASE = 128
"""Base of the exit code of a program that a signal ends: the base plus the number of the signal."""


class _Stop:
    """Signal that ends the program: SIGINT unless another came first."""

    number: int = signal.SIGINT


def find_signal_exit_code() -> int:
    """Return the exit code of a run that a signal ended: 130 for Ctrl+C, 143 for SIGTERM, 129 for SIGHUP."""
    return _SIGNAL_BASE + _Stop.number


def heed_signals() -> None:
    """End the program in order on Ctrl+C, SIGTERM and SIGHUP, with its processes and unfinished outputs."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _stop)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _stop)


def _stop(number: int, _frame: object) -> None:
    if number != getattr(signal, "SIGALRM", None):
        _Stop.number = number
    # Python drops exceptions in some places, as right after a fork: the alarm raises this one again.
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 1)
    raise KeyboardInterrupt


def find_missing_resource(error: Exception) -> ResourceError | None:
    """Return the missing resource that caused an error; None for any other error."""
    if isinstance(error, FileNotFoundError) and not _has_working_folder():
        return ResourceError("no-folder", "the working folder no longer exists", "change to another folder")
    if isinstance(error, OSError) and error.errno in _LACKING:
        reason = (error.strerror or str(error)).lower()
        return ResourceError("no-room", f"the system has no more resources: {reason}", _LACKING_HELP)
    return None


def _has_working_folder() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 - it raises if there is none
    except FileNotFoundError:
        return False
    return True


@contextmanager
def handle_failures() -> Iterator[None]:
    """Turn every failure into one message and the exit code of its kind."""
    try:
        yield
    except InputError as error:
        report_error(error)
        sys.exit(ExitCode.UNREADABLE)
    except click.ClickException as error:
        shown = StringIO()
        error.show(file=shown)
        print_message("\n".join(map(sanitize, shown.getvalue().rstrip("\n").split("\n"))))
        sys.exit(ExitCode.USAGE)
    except (ResourceError, MemoryError) as error:
        lack = error if isinstance(error, ResourceError) else ResourceError("no-memory", *_NO_MEMORY)
        report_diagnostics((lack.diagnostic,))
        sys.exit(ExitCode.UNREADABLE)
    except KeyboardInterrupt:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
        print_message("stopped")
        sys.exit(find_signal_exit_code())
    except BrokenPipeError:
        discard_output()
        sys.exit(ExitCode.COMPLIANT)
    except Exception as error:
        extra = find_missing_extra(error) if isinstance(error, ModuleNotFoundError) else None
        if extra is not None:
            print_message(describe_missing_extra(extra))
            sys.exit(ExitCode.UNREADABLE)
        missing = find_missing_resource(error)
        if missing is not None:
            report_diagnostics((missing.diagnostic,))
            sys.exit(ExitCode.UNREADABLE)
        if os.environ.get("FAIRDEAL_TRACEBACK"):
            raise
        print_message(f"internal error: {type(error).__name__}: {error}")
        print_message("this is a bug in fairdeal; set FAIRDEAL_TRACEBACK=1 to see the traceback")
        sys.exit(ExitCode.INTERNAL)
