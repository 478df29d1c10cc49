"""`fairdeal check`: submissions against the regulation of their game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date

import click

from cli.completion import files
from cli.exits import ExitCode, complain, exit_code, tell
from cli.options import Output, judging_options, now, open_rulebook
from cli.outputs import Sources, write_results
from cli.streams import STDIO, keep_apart
from cli.version import program
from validator.checks.check import check_submissions, read_submission
from validator.checks.submissions import Filed
from validator.checks.waivers import Grant
from validator.evidence.submission import TO_BE_FILLED_IN
from validator.rulebook.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError, render
from validator.verdicts import InputFile


@click.command()
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...", shell_complete=files)
@click.option("--fix", "fix", is_flag=True, help="Put right what can be meant in one way only, and show the changes.")
@click.option("--diff", "diff", is_flag=True, help="Show what --fix would change, and leave the files as they are.")
@judging_options
def check(
    submissions: tuple[str, ...],
    fix: bool,
    diff: bool,
    waivers: tuple[str, ...],
    as_of: date | None,
    outputs: Sequence[Output],
    currency: str | None,
    allow_unproven: bool,
    profile: str | None,
    rules: str | None,
) -> int:
    """Check submissions (YAML or JSON, - for standard input) against the regulation of their game."""
    keep_apart([output.path for output in outputs], [*submissions, *waivers, profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    granted = read_waiver_files(rulebook, waivers)
    if fix or diff:
        from cli.fixing import read_mended  # noqa: PLC0415 - most runs change nothing

        to_stdout = any(output.path == STDIO and output.format != "text" for output in outputs)
        read, unreadable = read_mended(rulebook, submissions, as_of, write=not diff, aside=to_stdout, rules=rules)
    else:
        read, unreadable = read_all(rulebook, submissions)
    if read:
        results = check_submissions(
            rulebook, read, program=program(), generated=now(), as_of=as_of, currency=currency, waivers=granted
        )
        write_results(results, outputs, sources=sources_of(read))
        if not unreadable:
            return exit_code(results.verdict, allow_unproven=allow_unproven)
    return ExitCode.UNREADABLE


def read_all(rulebook: Rulebook, paths: Sequence[str]) -> tuple[list[tuple[Filed, InputFile]], int]:
    """Every submission that can be read, and how many cannot; complains about those."""
    read: list[tuple[Filed, InputFile]] = []
    unreadable = 0
    for path in paths:
        try:
            found = read_submission(rulebook, path)
        except InputError as error:
            complain(error)
            unreadable += 1
        else:
            warn_of_blanks(found[0])
            read.append(found)
    return read, unreadable


def warn_of_blanks(filed: Filed) -> None:
    """Say where a submission that is read names no casino yet, which no requirement asks about."""
    if filed.submission.licensee.name == TO_BE_FILLED_IN:
        place, message = ("licensee", "name"), "the casino is not named yet"
        tell(render(filed.tree.diagnostic(place, "to-be-filled-in", message, severity="warning"), color=False))


def read_waiver_files(rulebook: Rulebook, paths: Sequence[str]) -> list[tuple[tuple[Grant, ...], InputFile]]:
    """The regulator's waivers, file by file.

    Raises InputError with what is wrong in any of them: without one, what is permitted would count as a violation.
    """
    if not paths:
        return []
    from validator.checks.waiver_files import read_waivers  # noqa: PLC0415 - most runs have none

    read: list[tuple[tuple[Grant, ...], InputFile]] = []
    wrong: list[Diagnostic] = []
    for path in paths:
        try:
            read.append(read_waivers(rulebook, path))
        except InputError as error:
            wrong += error.diagnostics
    if wrong:
        raise InputError(tuple(wrong))
    return read


def sources_of(read: Iterable[tuple[Filed, InputFile]]) -> Sources:
    """Submissions by the names of their files, for reports that quote them."""
    return {filed.tree.source_name: filed.tree for filed, _ in read}
