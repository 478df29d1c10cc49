"""Standard output and output files, with their failures."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from cli.common.exits import give_up_output
from cli.common.letters import printable
from validator.evidence.io.named_files import STDIO, file_at
from validator.rules.core.library import rules_folder
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.whole_files import descriptor_at, written_whole

STANDARD_OUTPUT = "<stdout>"
"""Name of standard output in messages."""
_STDOUT = 1
"""Descriptor of standard output."""


def normalize_output(path: str) -> str:
    """Return the path of an output; `-` for any name of standard output, such as /dev/stdout."""
    return STDIO if descriptor_at(path) == _STDOUT else path


def keep_apart(outputs: Iterable[str], inputs: Iterable[str | None], *, rules: str | None) -> None:
    """Raise UsageError for an output that would overwrite an input, a rule file or another output.

    An input that is named twice is an error too, as it would count twice. A file is the same under all its names.
    Standard output, devices and pipes may be named repeatedly.
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
            raise click.UsageError(f"`{path}` is an input and would be overwritten: name another output")
        if place in written:
            raise click.UsageError(f"two outputs go to `{path}`: name a file for each")
        if place is not None and descriptor_at(path) is None:
            written.add(place)


def is_rule(path: str, rules: str | None) -> bool:
    """Return whether a path leads to a file of the rules folder."""
    place, folder = Path(path).resolve(), rules_folder() if rules is None else Path(rules)
    return place.suffix == ".yaml" and place.exists() and place.is_relative_to(folder.resolve())


def say(text: str) -> None:
    """Print a line on standard output, or nothing once its reader has gone.

    Raises InputError if it cannot be written.
    """
    try:
        with writing(STDIO):
            click.echo(printable(text))
    except BrokenPipeError:
        give_up_output()


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open an output for bytes, `-` for standard output, and make the folders of its path.

    A file is written completely or not at all.

    Raises:
        InputError: if it cannot be opened or written.
        BrokenPipeError: if the reader of standard output has gone.
    """
    with writing(path):
        if path == STDIO:
            sys.stdout.flush()
            yield sys.stdout.buffer
        else:
            with written_whole(make_way(path)) as stream:
                yield stream


def make_way(path: str) -> str:
    """Make the folders of the path of an output and return the path. Raises OSError on failure."""
    if path != STDIO:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def writing(path: str) -> Iterator[None]:
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
