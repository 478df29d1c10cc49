"""Submissions put right before they are checked: what changes is shown, and written into their files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from difflib import unified_diff
from pathlib import Path

import click

from cli.check import warn_of_blanks
from cli.exits import complain, tell
from cli.streams import STDIO, is_rule, open_output, say
from validator.checks.check import submission_from
from validator.checks.submissions import Filed
from validator.forms.mending import mended
from validator.reports.wording import counted
from validator.rulebook.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.load import is_json
from validator.text.source import Source, read_source
from validator.text.visible import visible
from validator.verdicts import InputFile


def read_mended(
    rulebook: Rulebook, paths: Sequence[str], as_of: date | None, *, write: bool, aside: bool, rules: str | None
) -> tuple[list[tuple[Filed, InputFile]], int]:
    """Every submission that can be read once it is put right, and how many cannot; complains about those.

    The changes go to standard output, or `aside` to standard error where that is taken; into the files as well if they
    are to be written. Raises UsageError for what is no file of the casino's: standard input, a pipe or device, a file
    of the rules folder.
    """
    if STDIO in paths:
        raise click.UsageError("standard input cannot be put right: name a file")
    for path in paths if write else ():
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise click.UsageError(f"`{path}` is no ordinary file and cannot be put right: name a file")
        if is_rule(path, rules):
            raise click.UsageError(f"`{path}` is a file of the rules folder and is left as it is: put a copy right")
    read: list[tuple[Filed, InputFile]] = []
    unreadable = 0
    for path in paths:
        try:
            source = _put_right(rulebook, path, as_of, write=write, aside=aside)
            found = submission_from(source, rulebook)
        except InputError as error:
            complain(error)
            unreadable += 1
        else:
            warn_of_blanks(found[0])
            read.append(found)
    return read, unreadable


def _put_right(rulebook: Rulebook, path: str, as_of: date | None, *, write: bool, aside: bool) -> Source:
    before = read_source(path)
    if is_json(before):
        message = "this is JSON, and only YAML can be put right"
        raise InputError((Diagnostic(code="not-fixable", message=message, file=path, help="check it without --fix"),))
    after, done = mended(before, rulebook, as_of)
    show = tell if aside else say
    for line in unified_diff(
        before.text.splitlines(), after.text.splitlines(), path, f"{path} (put right)", lineterm="", n=2
    ):
        show(visible(line))
    for one in done:
        tell(f"{path}:{one.line}: {visible(one.was)} -> {visible(one.now)}: {visible(one.why)}")
    if not done:
        tell(f"{path}: nothing to put right that could be meant in one way only")
    elif write:
        with open_output(path) as stream:
            stream.write(after.data)
        tell(f"{path}: {counted(len(done), 'change')} written; see that the table is now as the submission says")
    else:
        tell(f"{path}: {counted(len(done), 'change')} shown, none written")
    return after
