"""Writing to standard output and to files, and what may go wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO

import click

from cli.exits import give_up_output, tell, wants_color
from cli.options import STDIO, Output
from validator.reports.render import RENDERERS, Renderer
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.tree import Tree
from validator.verdicts import Results

STANDARD_OUTPUT = "<stdout>"
"""The name under which standard output appears in messages."""

Sources = Mapping[str, Tree]
"""Files that findings may point into, by name."""


def write_results(results: Results, outputs: Sequence[Output], *, sources: Sources) -> None:
    """Write results to every output, in text with the lines of `sources` they point into.

    A reader of standard output who goes away before the end does not change the verdict. Raises InputError
    where a file cannot be written.
    """
    for output in outputs:
        try:
            with open_output(output.path) as stream:
                _renderer(output, sources)(results, stream)
        except BrokenPipeError:
            give_up_output()
    if all(output.path != STDIO for output in outputs):
        from validator.reports.wording import summary_line  # noqa: PLC0415 - most runs print the report itself

        tell(summary_line(results))


def say(text: str) -> None:
    """Print a line on standard output; nowhere once its reader has gone. Raises InputError where it cannot be
    written."""
    try:
        with writing(STDIO):
            click.echo(text)
    except BrokenPipeError:
        give_up_output()


def _renderer(output: Output, sources: Sources) -> Renderer:
    """What writes an output; text alone knows of source lines and of terminals."""
    if output.format != "text":
        return RENDERERS[output.format]
    from validator.reports.text_report import COLOR, PLAIN, write_text  # noqa: PLC0415 - other formats do without

    style = COLOR if output.path == STDIO and wants_color(sys.stdout) else PLAIN
    return partial(write_text, style=style, sources=sources)


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
            sys.stdout.buffer.flush()
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
    except OSError as error:
        if path == STDIO and isinstance(error, BrokenPipeError):
            raise
        raise _not_written(path, (error.strerror or str(error)).lower()) from error


def _not_written(path: str, reason: str) -> InputError:
    name = STANDARD_OUTPUT if path == STDIO else path
    return InputError((Diagnostic(code="not-written", message=f"this output cannot be written: {reason}", file=name),))
