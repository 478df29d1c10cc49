"""Submissions put right before they are checked: what changes is shown, and written into their files."""

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
"""Reads the submission in a file. Raises InputError."""

_RULE = "a file of the rules folder and is left as it is"


class _Showing(Struct, frozen=True):
    """Where the lines of a change go, and what is said of it."""

    diff: Callable[[str], None]
    note: Callable[[str], None]


def mending(inputs: Inputs, judging: Judging, *, write: bool) -> Reader:
    """Reads submissions once they are put right.

    The changes go to standard output, or to standard error where that is taken; into the files as well if they are to
    be written. Raises UsageError for what is named and no file of the casino's: standard input, a pipe or device, a
    file of the rules folder.
    """
    if STDIO in inputs.files:
        raise click.UsageError("standard input cannot be put right: name a file")
    for path in inputs.named if write else ():
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise click.UsageError(f"`{path}` is no ordinary file and cannot be put right: name a file")
        if is_rule(path, judging.rules):
            raise click.UsageError(f"`{path}` is {_RULE}: put a copy right")
    aside = any(output.path == STDIO and output.format != "text" for output in judging.outputs)
    showing = _Showing(
        diff=(tell if aside else say) if not (judging.quiet and write) else _nowhere,
        note=_nowhere if judging.quiet else tell,
    )

    def read(rulebook: Rulebook, path: str) -> tuple[Filed, InputFile]:
        if path in inputs.found:
            _spare(path)
            if write and is_rule(path, judging.rules):
                raise _not_fixable(path, f"this is {_RULE}")
        source = _put_right(rulebook, path, judging.as_of, write=write, showing=showing)
        return submission_from(source, rulebook)

    return read


def _nowhere(_line: str) -> None:
    """Show nothing."""


def _spare(path: str) -> None:
    """Raises InputError where what was found in a folder is no submission."""
    try:
        submission_from(read_source(path))
    except InputError as error:
        if something_else(path, error) is not None:
            raise


def _not_fixable(path: str, message: str) -> InputError:
    return InputError((Diagnostic(code="not-fixable", message=message, file=path, help="check it without --fix"),))


def _put_right(rulebook: Rulebook, path: str, as_of: date | None, *, write: bool, showing: _Showing) -> Source:
    before = read_source(path)
    if is_json(before):
        raise _not_fixable(path, "this is JSON, and only YAML can be put right")
    after, done = mended(before, rulebook, as_of)
    for line in unified_diff(
        before.text.splitlines(), after.text.splitlines(), path, f"{path} (put right)", lineterm="", n=2
    ):
        showing.diff(visible(line))
    for one in done:
        showing.note(f"{path}:{one.line}: {visible(one.was)} -> {visible(one.now)}: {visible(one.why)}")
    if not done:
        showing.note(f"{path}: nothing to put right that could be meant in one way only")
    elif write:
        with open_output(path) as stream:
            stream.write(after.data)
        showing.note(
            f"{path}: {counted(len(done), 'change')} written; see that the table is now as the submission says"
        )
    else:
        showing.note(f"{path}: {counted(len(done), 'change')} shown, none written")
    return after
