"""Writing to standard output and to files, and what may go wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from cli.common.exits import give_up_output
from validator.evidence.io.named_files import STDIO, file_at
from validator.rules.core.library import rules_folder
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.whole_files import descriptor_at, written_whole

STANDARD_OUTPUT = "<stdout>"
"""The name under which standard output appears in messages."""
_STDOUT = 1
"""The descriptor of standard output."""


def normalize_output(path: str) -> str:
    """Return the path of an output; `-` for any name of standard output, such as /dev/stdout."""
    return STDIO if descriptor_at(path) == _STDOUT else path


def keep_apart(outputs: Iterable[str], inputs: Iterable[str | None], *, rules: str | None) -> None:
    """Make sure that no output takes the place of an input, of a file of the rules folder or of another output, as any
    would be lost, and that no input is named twice, as it would count twice.

    A file is the same under all its names. Raises UsageError. Standard output, devices and pipes lose nothing and may
    be named as often as one likes.
    """
    read: set[object] = set()
    for path in inputs:
        place = STDIO if path == STDIO else None if path is None else file_at(path)
        if place in read:
            raise click.UsageError(f"`{path}` is named twice: it would count twice")
        if place is not None:
            read.add(place)
    written: set[object] = set()
    for path in outputs:
        place = file_at(path)
        if place in read or (place is not None and is_rule(path, rules)):
            raise click.UsageError(f"`{path}` is read and would be overwritten: give the output another name")
        if place in written:
            raise click.UsageError(f"two outputs go to `{path}`: give each of them a file of its own")
        if place is not None and descriptor_at(path) is None:
            written.add(place)


def is_rule(path: str, rules: str | None) -> bool:
    """Whether a path leads to a file of the rules folder."""
    place, folder = Path(path).resolve(), rules_folder() if rules is None else Path(rules)
    return place.suffix == ".yaml" and place.exists() and place.is_relative_to(folder.resolve())


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
    """A stream to write bytes to, `-` for standard output; folders on the way are made. A file is written whole or not
    at all.

    Raises InputError where it cannot be opened or written, BrokenPipeError where standard output has lost its
    reader.
    """
    with writing(path):
        if path == STDIO:
            sys.stdout.flush()
            yield sys.stdout.buffer
        else:
            with written_whole(make_way(path)) as stream:
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
