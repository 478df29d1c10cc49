"""Writing to standard output and to files, and what may go wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from cli.exits import give_up_output
from validator.text.diagnostics import Diagnostic, InputError

STDIO = "-"
"""The path that stands for standard input or output."""

STANDARD_OUTPUT = "<stdout>"
"""The name under which standard output appears in messages."""


def keep_apart(outputs: Iterable[str], inputs: Iterable[str | None]) -> None:
    """Make sure that no output takes the place of an input or of another output, as either would be lost, and that no
    input is named twice, as it would count twice.

    Raises UsageError. Standard output, devices and pipes lose nothing and may be named as often as one likes.
    """
    read: set[Path | str] = set()
    for path in inputs:
        place = STDIO if path == STDIO else None if path is None else _file_at(path)
        if place in read:
            raise click.UsageError(f"`{path}` is named twice: it would count twice")
        if place is not None:
            read.add(place)
    written: set[Path] = set()
    for path in outputs:
        place = _file_at(path)
        if place in read:
            raise click.UsageError(f"`{path}` is read and would be overwritten: give the output another name")
        if place in written:
            raise click.UsageError(f"two outputs go to `{path}`: give each of them a file of its own")
        if place is not None:
            written.add(place)


def _file_at(path: str) -> Path | None:
    """The file that a path leads to, links followed, be it there or not; None for standard input or output and for
    what is no ordinary file."""
    if path == STDIO:
        return None
    try:
        place = Path(path).resolve()
        return place if place.is_file() or not place.exists() else None
    except (OSError, ValueError, RuntimeError):
        return None  # opening it says why


def say(text: str) -> None:
    """Print a line on standard output; nowhere once its reader has gone. Raises InputError where it cannot be
    written."""
    try:
        with writing(STDIO):
            click.echo(text)
    except BrokenPipeError:
        give_up_output()


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """A stream to write bytes to, `-` for standard output; folders on the way are made.

    Raises InputError where it cannot be opened or written, BrokenPipeError where standard output has lost its
    reader.
    """
    with writing(path):
        if path == STDIO:
            sys.stdout.flush()
            yield sys.stdout.buffer
        else:
            with Path(make_way(path)).open("wb") as stream:
                yield stream


def make_way(path: str) -> str:
    """The path of an output, to which the folders on the way are made. Raises OSError where they cannot be."""
    if path != STDIO:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def writing(path: str) -> Iterator[None]:
    """Turn what goes wrong while an output is written into an InputError; a lost reader of standard output stays
    a BrokenPipeError."""
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
