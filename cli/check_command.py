"""The command `check`: submissions against the regulation, and corrections that a program can make."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from difflib import unified_diff
from pathlib import Path

import click
from msgspec import Struct

from fairdeal.cli.common import process, verdict_run
from fairdeal.cli.common.shared_options import describe_program, find_run_time
from fairdeal.cli.common.shell_completion import complete_files
from fairdeal.validator.audit.run import submission_check
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.evidence.io.named_files import STDIO, SUBMISSIONS, Inputs, SkippedFiles, resolve_inputs
from fairdeal.validator.evidence.submission_model import TO_BE_FILLED_IN
from fairdeal.validator.forms.autofix import autofix
from fairdeal.validator.reports.report_wording import format_count
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, render_diagnostic, sanitize
from fairdeal.validator.text.positioned_document import is_json
from fairdeal.validator.text.source import Source, read_source, reports_change

Reader = Callable[[Rulebook, str], tuple[FiledSubmission, InputFile]]
"""Function that reads the submission in a file. Raises InputError."""

_RULE = "a file of the rules folder, which is not changed"


class _Showing(Struct, frozen=True):
    """Functions that show changes."""

    diff: Callable[[str], None]
    """Print a line of a diff."""
    note: Callable[[str], None]
    """Print a message."""


def make_correcting_reader(inputs: Inputs, judging: verdict_run.RunOptions, *, write: bool) -> Reader:
    """Return a reader that corrects submissions first.

    The changes are printed on standard output, or on standard error if an output takes that; `write` also writes them
    to the files. Raises UsageError for standard input, pipes, devices and files of the rules folder.
    """
    if STDIO in inputs.files:
        raise click.UsageError("standard input cannot be corrected: name a file")
    for path in inputs.named_files if write else ():
        if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
            raise click.UsageError(f"`{path}` is not an ordinary file and cannot be corrected: name a file")
        if process.is_rule_file(path, judging.rules):
            raise click.UsageError(f"`{path}` is {_RULE}: correct a copy")
    aside = any(output.path == STDIO and output.format != "text" for output in judging.outputs)
    showing = _Showing(
        diff=(process.print_message if aside else process.print_line) if not (judging.quiet and write) else _nowhere,
        note=_nowhere if judging.quiet else process.print_message,
    )

    def read(rulebook: Rulebook, path: str) -> tuple[FiledSubmission, InputFile]:
        if path in inputs.from_folders:
            _ensure_submission(path)
            if write and process.is_rule_file(path, judging.rules):
                raise _not_fixable(path, f"this is {_RULE}")
        source = _correct(rulebook, path, judging.as_of, write=write, showing=showing)
        return submission_check.file_submission(source, rulebook, by_schema=True)

    return read


def _nowhere(_line: str) -> None:
    """Print nothing."""


def _ensure_submission(path: str) -> None:
    """Raise InputError for a file in a folder that is not a submission."""
    try:
        submission_check.file_submission(read_source(path))
    except InputError as error:
        if submission_check.describe_other_format(path, error) is not None:
            raise


def _not_fixable(path: str, message: str) -> InputError:
    return InputError((Diagnostic(code="not-fixable", message=message, file=path, help="check it without --fix"),))


def _correct(rulebook: Rulebook, path: str, as_of: date | None, *, write: bool, showing: _Showing) -> Source:
    before = read_source(path)
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
        with process.open_output(path) as stream:
            stream.write(after.data)
        showing.note(
            f"{path}: {format_count(len(done), 'change')} written; check that the table matches the submission"
        )
    else:
        showing.note(f"{path}: {format_count(len(done), 'change')} shown, none written")
    return after


@click.command()
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...", shell_complete=complete_files)
@click.option("--fix", "fix", is_flag=True, help="Correct unambiguous mistakes in the files, and show the changes.")
@click.option("--diff", "diff", is_flag=True, help="Show the changes of --fix without writing them.")
@process.ascii_option
@verdict_run.run_options
def check(submissions: tuple[str, ...], fix: bool, diff: bool, judging: verdict_run.RunOptions) -> int:
    """Check submissions against the regulation of their game.

    SUBMISSION is a YAML or JSON file, a folder, or a pattern ('**/house*.yaml'); - is standard input.
    """
    inputs = resolve_inputs(submissions, SUBMISSIONS, apart=judging.input_files)
    begun = verdict_run.prepare_run(judging, inputs)
    reader: Reader = submission_check.read_submission
    if fix or diff:
        from fairdeal.cli.check_command import make_correcting_reader  # noqa: PLC0415 - most runs change nothing

        reader = make_correcting_reader(inputs, judging, write=not diff)
    read, unreadable = read_submissions(begun.rulebook, inputs, judging, reader=reader)
    if not read:
        return process.ExitCode.UNREADABLE
    results = submission_check.check_submissions(
        begun.rulebook,
        read,
        program=describe_program(),
        generated=find_run_time(),
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        report_progress=process.ignore_message if judging.quiet else process.print_message,
    )
    code = verdict_run.finish_run(results, judging, begun, sources=collect_sources(read))
    return process.ExitCode.UNREADABLE if unreadable else code


def read_submissions(
    rulebook: Rulebook,
    inputs: Inputs,
    judging: verdict_run.RunOptions | None = None,
    *,
    reader: Reader = submission_check.read_submission,
) -> tuple[list[tuple[FiledSubmission, InputFile]], int]:
    """Read all submissions, and report those that cannot be read and other files that are left out.

    Returns:
        The submissions, and the number of files that cannot be read.

    Raises:
        UsageError: if an output would overwrite an input.
        InputError: if a file changes while it is read.
    """
    read: list[tuple[FiledSubmission, InputFile]] = []
    refused = list(inputs.errors)
    others = SkippedFiles(inputs, SUBMISSIONS)
    quiet = judging is not None and judging.quiet
    for path in inputs.files:
        try:
            read.append(reader(rulebook, path))
        except InputError as error:
            if reports_change(error.diagnostics):
                raise
            other = submission_check.describe_other_format(path, error) if path in inputs.from_folders else None
            if other is None:
                refused.append(error)
            else:
                others.add(path, other)
        else:
            if not quiet:
                warn_of_missing_casino(read[-1][0])
    if judging is not None:
        verdict_run.refuse_overwriting_inputs(judging, others.remaining)
    if others.is_nothing_left:
        refused.append(others.build_error())
    if not quiet:
        report_left_out(others)
    for refusal in refused:
        process.report_error(refusal)
    return read, len(refused)


def report_left_out(others: SkippedFiles) -> None:
    """Report the files that were left out."""
    for line in others.describe():
        process.print_message(sanitize(line))


def warn_of_missing_casino(filed: FiledSubmission) -> None:
    """Warn about a submission that does not name its casino, which no requirement checks."""
    if filed.submission.licensee.name == TO_BE_FILLED_IN:
        place, message = ("licensee", "name"), "the casino is not named yet"
        process.print_message(
            render_diagnostic(
                filed.tree.build_diagnostic(place, "to-be-filled-in", message, severity="warning"), color=False
            )
        )


def collect_sources(read: Iterable[tuple[FiledSubmission, InputFile]]) -> verdict_run.Sources:
    """Return the submissions by file name, for reports that quote them."""
    return {filed.tree.source_name: filed.tree for filed, _ in read}
