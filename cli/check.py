"""`fairdeal check`: submissions checked against the regulation of their game."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from cli.common.completion import files
from cli.common.exits import ExitCode, complain, tell, untold
from cli.common.letters import ascii_option
from cli.common.options import now
from cli.common.outputs import Sources
from cli.common.verdict_run import Judging, begin, conclude, judging_options, spare
from cli.common.version import program
from validator.audit.run.submission_check import check_submissions, read_submission, something_else
from validator.audit.submissions.requirements import Filed
from validator.evidence.io.named_files import SUBMISSIONS, Inputs, LeftOut, inputs_of
from validator.evidence.submission.model import TO_BE_FILLED_IN
from validator.results.results import InputFile
from validator.rulebook.loading.rulebook import Rulebook
from validator.text.diagnostics import InputError, render
from validator.text.unchanged import is_changed
from validator.text.visible import visible

if TYPE_CHECKING:
    from cli.common.corrections import Reader


@click.command()
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...", shell_complete=files)
@click.option("--fix", "fix", is_flag=True, help="Correct unambiguous mistakes in the files, and show the changes.")
@click.option("--diff", "diff", is_flag=True, help="Show the changes of --fix without writing them.")
@ascii_option
@judging_options
def check(submissions: tuple[str, ...], fix: bool, diff: bool, judging: Judging) -> int:
    """Check submissions against the regulation of their game.

    SUBMISSION is a YAML or JSON file, a folder, or a pattern ('**/house*.yaml'); - is standard input.
    """
    inputs = inputs_of(submissions, SUBMISSIONS, apart=judging.read)
    begun = begin(judging, inputs)
    reader: Reader = read_submission
    if fix or diff:
        from cli.common.corrections import mending  # noqa: PLC0415 - most runs change nothing

        reader = mending(inputs, judging, write=not diff)
    read, unreadable = read_all(begun.rulebook, inputs, judging, reader=reader)
    if not read:
        return ExitCode.UNREADABLE
    results = check_submissions(
        begun.rulebook,
        read,
        program=program(),
        generated=now(),
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        tell=untold if judging.quiet else tell,
    )
    code = conclude(results, judging, begun, sources=sources_of(read))
    return ExitCode.UNREADABLE if unreadable else code


def read_all(
    rulebook: Rulebook, inputs: Inputs, judging: Judging | None = None, *, reader: Reader = read_submission
) -> tuple[list[tuple[Filed, InputFile]], int]:
    """Read all submissions, and report those that cannot be read and other files that are left out.

    Returns:
        The submissions, and the number of files that cannot be read.

    Raises:
        UsageError: if an output would overwrite an input.
        InputError: if a file changes while it is read.
    """
    read: list[tuple[Filed, InputFile]] = []
    refused = list(inputs.refused)
    others = LeftOut(inputs, SUBMISSIONS)
    quiet = judging is not None and judging.quiet
    for path in inputs.files:
        try:
            read.append(reader(rulebook, path))
        except InputError as error:
            if is_changed(error.diagnostics):
                raise
            other = something_else(path, error) if path in inputs.found else None
            if other is None:
                refused.append(error)
            else:
                others.add(path, other)
        else:
            if not quiet:
                warn_of_blanks(read[-1][0])
    if judging is not None:
        spare(judging, others.kept)
    if others.everything:
        refused.append(others.nothing_left())
    if not quiet:
        tell_left_out(others)
    for refusal in refused:
        complain(refusal)
    return read, len(refused)


def tell_left_out(others: LeftOut) -> None:
    """Report the files that were left out."""
    for line in others.lines():
        tell(visible(line))


def warn_of_blanks(filed: Filed) -> None:
    """Warn about a submission that does not name its casino, which no requirement checks."""
    if filed.submission.licensee.name == TO_BE_FILLED_IN:
        place, message = ("licensee", "name"), "the casino is not named yet"
        tell(render(filed.tree.diagnostic(place, "to-be-filled-in", message, severity="warning"), color=False))


def sources_of(read: Iterable[tuple[Filed, InputFile]]) -> Sources:
    """Return the submissions by file name, for reports that quote them."""
    return {filed.tree.source_name: filed.tree for filed, _ in read}
