"""`fairdeal check`: submissions checked against the regulation of their game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from fairdeal.cli.common import verdict_run
from fairdeal.cli.common.command_settings import complete_files
from fairdeal.cli.common.process import ExitCode, ascii_option, ignore_message, print_message, report_error
from fairdeal.cli.common.shared_options import describe_program, find_run_time
from fairdeal.validator.audit.run.submission_check import check_submissions, describe_other_format, read_submission
from fairdeal.validator.audit.submissions.submission_requirements import FiledSubmission
from fairdeal.validator.evidence.io.named_files import SUBMISSIONS, Inputs, SkippedFiles, resolve_inputs
from fairdeal.validator.evidence.submission_model import TO_BE_FILLED_IN
from fairdeal.validator.results.results import InputFile
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import InputError, render_diagnostic, sanitize
from fairdeal.validator.text.source import reports_change

if TYPE_CHECKING:
    from fairdeal.cli.form_commands import Reader


@click.command()
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...", shell_complete=complete_files)
@click.option("--fix", "fix", is_flag=True, help="Correct unambiguous mistakes in the files, and show the changes.")
@click.option("--diff", "diff", is_flag=True, help="Show the changes of --fix without writing them.")
@ascii_option
@verdict_run.run_options
def check(submissions: tuple[str, ...], fix: bool, diff: bool, judging: verdict_run.RunOptions) -> int:
    """Check submissions against the regulation of their game.

    SUBMISSION is a YAML or JSON file, a workbook that `fairdeal new` wrote, a folder, or a pattern ('**/house*.yaml');
    - is standard input.
    """
    inputs = resolve_inputs(submissions, SUBMISSIONS, apart=judging.input_files)
    begun = verdict_run.prepare_run(judging, inputs)
    reader: Reader = read_submission
    if fix or diff:
        from fairdeal.cli.form_commands import make_correcting_reader  # noqa: PLC0415 - most runs change nothing

        reader = make_correcting_reader(inputs, judging, write=not diff)
    read, unreadable = read_submissions(begun.rulebook, inputs, judging, reader=reader)
    results = check_submissions(
        begun.rulebook,
        read,
        program=describe_program(),
        generated=find_run_time(),
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        report_progress=ignore_message if judging.quiet else print_message,
    )
    results = verdict_run.add_unreadable_files(results, unreadable)
    if not read:
        verdict_run.write_unreadable(results, judging)
        return ExitCode.UNREADABLE
    code = verdict_run.finish_run(results, judging, begun, sources=collect_sources(read))
    return ExitCode.UNREADABLE if unreadable else code


def read_submissions(
    rulebook: Rulebook,
    inputs: Inputs,
    judging: verdict_run.RunOptions | None = None,
    *,
    reader: Reader = read_submission,
) -> tuple[list[tuple[FiledSubmission, InputFile]], list[InputError]]:
    """Read all submissions, and report those that cannot be read and other files that are left out.

    Returns:
        The submissions, and the errors of files that cannot be read.

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
            other = describe_other_format(path, error) if path in inputs.from_folders else None
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
        report_error(refusal)
    return read, refused


def report_left_out(others: SkippedFiles) -> None:
    """Report the files that were left out."""
    for line in others.describe():
        print_message(sanitize(line))


def warn_of_missing_casino(filed: FiledSubmission) -> None:
    """Warn about a submission that does not name its casino, which no requirement checks."""
    if filed.submission.licensee.name == TO_BE_FILLED_IN:
        place, message = ("licensee", "name"), "the casino is not named yet"
        print_message(
            render_diagnostic(
                filed.tree.build_diagnostic(place, "to-be-filled-in", message, severity="warning"), color=False
            )
        )


def collect_sources(read: Iterable[tuple[FiledSubmission, InputFile]]) -> verdict_run.Sources:
    """Return the submissions by file name, for reports that quote them."""
    return {filed.tree.source_name: filed.tree for filed, _ in read}
