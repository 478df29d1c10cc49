"""The process of a command: exit codes, messages, interruptions, missing extras and standard streams."""

from __future__ import annotations

import errno
import gc
import mmap
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from enum import IntEnum
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO, TypeVar

import click

from fairdeal.validator.evidence.io.named_files import STDIO, identify_file
from fairdeal.validator.results.findings import Verdict
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.text.diagnostics import (
    SYMBOLS,
    Diagnostic,
    InputError,
    ResourceError,
    find_similar,
    plain_suits,
    render_diagnostic,
    sanitize,
)
from fairdeal.validator.text.source import find_descriptor, write_atomically

Batch = TypeVar("Batch")
"""Batch of any kind."""

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Settings of the C library (malloc.h of glibc; mallopt(3))."""
_KEPT_BYTES = 128 << 20
_LARGEST_KEPT_BYTES = 1 << 20
"""Bytes of an array beyond which its memory is returned: the next array of another size would not fit in it."""


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
    import ctypes  # noqa: PLC0415 - only rounds need it

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


EXTRA_OF_MODULE: Mapping[str, str] = MappingProxyType(
    {
        "numpy": "audit",
        "pyarrow": "audit",
        "toml_rs": "audit",
        "xlsxwriter": "audit",
        "zstandard": "audit",
        "docx": "office",
        "openpyxl": "office",
        "typst": "layout",
        "scipy": "statistics",
        "securesystemslib": "sign",
        "multipart": "serve",
        "python_multipart": "serve",
        "starlette": "serve",
        "uvicorn": "serve",
    }
)
"""Extra that brings each module."""


def has_scipy() -> bool:
    """Return whether SciPy is installed."""
    return find_spec("scipy") is not None


def describe_installation(extra: str) -> str:
    """Return what to type to install an extra."""
    return f"pip install 'fairdeal[{extra}]'"


def describe_missing_extra(extra: str) -> str:
    """Return the message for an extra that a command needs and that is not installed."""
    return f"this needs the extra `{extra}`: {describe_installation(extra)}"


def find_missing_extra(error: ImportError) -> str | None:
    """Return the extra that brings the module of a failed import; None for any other module."""
    return EXTRA_OF_MODULE.get((error.name or "").partition(".")[0])


_KEPT = "fairdeal.ascii"

Command = TypeVar("Command", bound=Callable[..., Any])


def ascii_option(command: Command) -> Command:
    """Add the option that prints suits of cards as letters."""
    return click.option(
        "--ascii",
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Print cards as letters (Js 4d) instead of symbols (J♠ 4♦).",
    )(command)


def _keep(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        context.meta[_KEPT] = True


def prints_letters() -> bool:
    """Return whether text on standard output has letters for suits: by option, or if it cannot encode symbols."""
    return has_ascii_option() or not _can_encode(sys.stdout)


def has_ascii_option() -> bool:
    """Return whether the command line has `--ascii`."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_KEPT))


def printable(text: str) -> str:
    """Return a text as standard output prints it."""
    return text if text.isascii() or not prints_letters() else plain_suits(text)


def _can_encode(stream: object) -> bool:
    try:
        SYMBOLS.encode(getattr(stream, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


STANDARD_OUTPUT = "<stdout>"
"""Name of standard output in messages."""
_STDOUT = 1
"""Descriptor of standard output."""
_STDOUT_PATH = "/dev/stdout"
"""Name of standard output among files; Windows has no such file."""


def normalize_output(path: str) -> str:
    """Return the path of an output; `-` for any name of standard output, such as /dev/stdout."""
    is_stdout = find_descriptor(path) == _STDOUT or (path == _STDOUT_PATH and not Path(path).exists())
    return STDIO if is_stdout else path


def ensure_distinct_files(outputs: Iterable[str], inputs: Iterable[str | None], *, rules: str | None) -> None:
    """Raise UsageError for an output that would overwrite an input, a rule file or another output.

    An input that is named twice is an error too, as it would count twice. A file is the same under all its names.
    Standard output, devices and pipes may be named repeatedly.
    """
    read: set[object] = set()
    for path in inputs:
        place = STDIO if path == STDIO else None if path is None else identify_file(path)
        if place in read:
            raise click.UsageError(f"`{path}` is named twice: it would count twice")
        if place is not None:
            read.add(place)
    written: set[object] = set()
    for path in outputs:
        place = identify_file(path)
        if place in read or (place is not None and is_rule_file(path, rules)):
            raise click.UsageError(f"`{path}` is an input and would be overwritten: name another output")
        if place in written:
            raise click.UsageError(f"two outputs go to `{path}`: name a file for each")
        if place is not None and find_descriptor(path) is None:
            written.add(place)


def is_rule_file(path: str, rules: str | None) -> bool:
    """Return whether a path leads to a file of the rules folder."""
    place, folder = Path(path).resolve(), rules_folder() if rules is None else Path(rules)
    return place.suffix == ".yaml" and place.exists() and place.is_relative_to(folder.resolve())


def print_line(text: str) -> None:
    """Print a line on standard output, or nothing once its reader has gone.

    Raises InputError if it cannot be written.
    """
    try:
        with convert_write_errors(STDIO):
            click.echo(printable(text))
    except BrokenPipeError:
        discard_output()


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open an output for bytes, `-` for standard output, and make the folders of its path.

    A file is written completely or not at all.

    Raises:
        InputError: if it cannot be opened or written.
        BrokenPipeError: if the reader of standard output has gone.
    """
    with convert_write_errors(path):
        if path == STDIO:
            sys.stdout.flush()
            yield sys.stdout.buffer
        else:
            with write_atomically(make_parent_folders(path)) as stream:
                yield stream


def make_parent_folders(path: str) -> str:
    """Make the folders of the path of an output and return the path. Raises OSError on failure."""
    if path != STDIO:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def convert_write_errors(path: str) -> Iterator[None]:
    """Turn failures to write an output into an InputError, except the BrokenPipeError of standard output."""
    if path == STDIO and sys.stdout is None:
        raise _not_written(path, "it is closed")
    try:
        yield
        if path == STDIO:
            sys.stdout.flush()
    except OSError as error:
        if path == STDIO and isinstance(error, BrokenPipeError):
            raise
        raise _not_written(path, (error.strerror or str(error)).lower()) from error


def _not_written(path: str, reason: str) -> InputError:
    name = STANDARD_OUTPUT if path == STDIO else path
    return InputError((Diagnostic(code="not-written", message=f"this output cannot be written: {reason}", file=name),))
