"""Corrections of submissions before they are checked: the changes are shown, and written to the files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from difflib import unified_diff
from pathlib import Path

import click
from msgspec import Struct

from cli.common.exits import tell
from cli.common.streams import is_rule, open_output, say
from cli.common.verdict_run import Judging
from validator.audit.run.submission_check import something_else, submission_from
from validator.audit.submissions.requirements import Filed
from validator.evidence.io.named_files import STDIO, Inputs
from validator.forms.corrections import mended
from validator.reports.wording import counted
from validator.results.results import InputFile
from validator.rulebook.loading.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import Source, read_source
from validator.text.trees.load import is_json
from validator.text.visible import visible

Reader = Callable[[Rulebook, str], tuple[Filed, InputFile]]
"""Function that reads the submission in a file. Raises InputError."""

_RULE = "a file of the rules folder, which is not changed"


class _Showing(Struct, frozen=True):
    """Functions that show changes."""

    diff: Callable[[str], None]
    """Print a line of a diff."""
    note: Callable[[str], None]
    """Print a message."""


def mending(inputs: Inputs, judging: Judging, *, write: bool) -> Reader:
    """Return a reader that corrects submissions first.

    The changes are printed on standard output, or on standard error if an output takes that; `write` also writes them
    to the files. Raises UsageError for standard input, pipes, devices and files of the rules folder.
    """
    if STDIO in inputs.files:
        raise click.UsageError("standard input cannot be corrected: name a file")
    for path in inputs.named if write else ():
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise click.UsageError(f"`{path}` is not an ordinary file and cannot be corrected: name a file")
        if is_rule(path, judging.rules):
            raise click.UsageError(f"`{path}` is {_RULE}: correct a copy")
    aside = any(output.path == STDIO and output.format != "text" for output in judging.outputs)
    showing = _Showing(
        diff=(tell if aside else say) if not (judging.quiet and write) else _nowhere,
        note=_nowhere if judging.quiet else tell,
    )

    def read(rulebook: Rulebook, path: str) -> tuple[Filed, InputFile]:
        if path in inputs.found:
            _ensure_submission(path)
            if write and is_rule(path, judging.rules):
                raise _not_fixable(path, f"this is {_RULE}")
        source = _correct(rulebook, path, judging.as_of, write=write, showing=showing)
        return submission_from(source, rulebook)

    return read


def _nowhere(_line: str) -> None:
    """Print nothing."""


def _ensure_submission(path: str) -> None:
    """Raise InputError for a file in a folder that is not a submission."""
    try:
        submission_from(read_source(path))
    except InputError as error:
        if something_else(path, error) is not None:
            raise


def _not_fixable(path: str, message: str) -> InputError:
    return InputError((Diagnostic(code="not-fixable", message=message, file=path, help="check it without --fix"),))


def _correct(rulebook: Rulebook, path: str, as_of: date | None, *, write: bool, showing: _Showing) -> Source:
    before = read_source(path)
    if is_json(before):
        raise _not_fixable(path, "this is JSON, and only YAML can be corrected")
    after, done = mended(before, rulebook, as_of)
    for line in unified_diff(
        before.text.splitlines(), after.text.splitlines(), path, f"{path} (corrected)", lineterm="", n=2
    ):
        showing.diff(visible(line))
    for fix in done:
        showing.note(f"{path}:{fix.line}: {visible(fix.was)} -> {visible(fix.now)}: {visible(fix.why)}")
    if not done:
        showing.note(f"{path}: no unambiguous mistakes to correct")
    elif write:
        with open_output(path) as stream:
            stream.write(after.data)
        showing.note(f"{path}: {counted(len(done), 'change')} written; check that the table matches the submission")
    else:
        showing.note(f"{path}: {counted(len(done), 'change')} shown, none written")
    return after
