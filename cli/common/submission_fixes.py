"""Corrections of submissions before they are checked: the changes are shown, and written to the files."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from difflib import unified_diff
from pathlib import Path

import click
from msgspec import Struct

from fairdeal.cli.common.process import is_rule_file, open_output, print_line, print_message
from fairdeal.cli.common.verdict_run import RunOptions
from fairdeal.validator.audit.run.submission_check import describe_other_format, file_submission, is_workbook
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.evidence.io.named_files import STDIO, Inputs
from fairdeal.validator.forms.autofix import autofix
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, sanitize
from fairdeal.validator.text.document_loader import is_json
from fairdeal.validator.text.source import Source, read_source

Reader = Callable[[Rulebook, str], tuple[FiledSubmission, InputFile]]
"""Function that reads the submission in a file. Raises InputError."""

_RULE = "a file of the rules folder, which is not changed"


class _Showing(Struct, frozen=True):
    """Functions that show changes."""

    diff: Callable[[str], None]
    """Print a line of a diff."""
    note: Callable[[str], None]
    """Print a message."""


def make_correcting_reader(inputs: Inputs, judging: RunOptions, *, write: bool) -> Reader:
    """Return a reader that corrects submissions first.

    The changes are printed on standard output, or on standard error if an output takes that; `write` also writes them
    to the files. Raises UsageError for standard input, pipes, devices and files of the rules folder.
    """
    if STDIO in inputs.files:
        raise click.UsageError("standard input cannot be corrected: name a file")
    for path in inputs.named_files if write else ():
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise click.UsageError(f"`{path}` is not an ordinary file and cannot be corrected: name a file")
        if is_rule_file(path, judging.rules):
            raise click.UsageError(f"`{path}` is {_RULE}: correct a copy")
    aside = any(output.path == STDIO and output.format != "text" for output in judging.outputs)
    showing = _Showing(
        diff=(print_message if aside else print_line) if not (judging.quiet and write) else _nowhere,
        note=_nowhere if judging.quiet else print_message,
    )

    def read(rulebook: Rulebook, path: str) -> tuple[FiledSubmission, InputFile]:
        if path in inputs.from_folders:
            _ensure_submission(path)
            if write and is_rule_file(path, judging.rules):
                raise _not_fixable(path, f"this is {_RULE}")
        source = _correct(rulebook, path, judging.as_of, write=write, showing=showing)
        return file_submission(source, rulebook, by_schema=True)

    return read


def _nowhere(_line: str) -> None:
    """Print nothing."""


def _ensure_submission(path: str) -> None:
    """Raise InputError for a file in a folder that is not a submission."""
    try:
        file_submission(read_source(path, workbook=True))
    except InputError as error:
        if describe_other_format(path, error) is not None:
            raise


def _not_fixable(path: str, message: str) -> InputError:
    return InputError((Diagnostic(code="not-fixable", message=message, file=path, help="check it without --fix"),))


def _correct(rulebook: Rulebook, path: str, as_of: date | None, *, write: bool, showing: _Showing) -> Source:
    before = read_source(path, workbook=True)
    if is_workbook(before):
        raise _not_fixable(path, "this is a workbook, and only YAML can be corrected")
    if is_json(before):
        raise _not_fixable(path, "this is JSON, and only YAML can be corrected")
    after, done = autofix(before, rulebook, as_of)
    for line in unified_diff(
        before.text.splitlines(), after.text.splitlines(), path, f"{path} (corrected)", lineterm="", n=2
    ):
        showing.diff(sanitize(line))
    for fix in done:
        showing.note(f"{path}:{fix.line}: {sanitize(fix.before)} -> {sanitize(fix.after)}: {sanitize(fix.reason)}")
    if not done:
        showing.note(f"{path}: no unambiguous mistakes to correct")
    elif write:
        with open_output(path) as stream:
            stream.write(after.data)
        showing.note(
            f"{path}: {format_count(len(done), 'change')} written; check that the table matches the submission"
        )
    else:
        showing.note(f"{path}: {format_count(len(done), 'change')} shown, none written")
    return after
