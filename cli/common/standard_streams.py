"""Standard output and output files, with their failures, and suits of cards as symbols or letters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import click

from fairdeal.cli.common.process import discard_output
from fairdeal.validator.evidence.io.named_files import STDIO, identify_file
from fairdeal.validator.rules.rule_files import rules_folder
from fairdeal.validator.text.atomic_write import find_descriptor, write_atomically
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.plain_suits import SYMBOLS, plain_suits

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
