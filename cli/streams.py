"""Writing to standard output and to files, and what may go wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
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
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            with Path(path).open("wb") as stream:
                yield stream


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
