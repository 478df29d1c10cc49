"""`fairdeal check`: submissions against the regulation of their game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import click

from cli.completion import files
from cli.exits import ExitCode, complain, tell
from cli.judging import Judging, begin, conclude, judging_options
from cli.options import now
from cli.outputs import Sources
from cli.streams import STDIO
from cli.version import program
from validator.checks.check import check_submissions, read_submission
from validator.checks.submissions import Filed
from validator.evidence.submission import TO_BE_FILLED_IN
from validator.rulebook.rulebook import Rulebook
from validator.text.diagnostics import InputError, render
from validator.verdicts import InputFile


@click.command()
@click.argument("submissions", nargs=-1, required=True, metavar="SUBMISSION...", shell_complete=files)
@click.option("--fix", "fix", is_flag=True, help="Put right what can be meant in one way only, and show the changes.")
@click.option("--diff", "diff", is_flag=True, help="Show what --fix would change, and leave the files as they are.")
@judging_options
def check(submissions: tuple[str, ...], fix: bool, diff: bool, judging: Judging) -> int:
    """Check submissions (YAML or JSON, - for standard input) against the regulation of their game."""
    begun = begin(judging, submissions)
    if fix or diff:
        from cli.fixing import read_mended  # noqa: PLC0415 - most runs change nothing

        to_stdout = any(output.path == STDIO and output.format != "text" for output in judging.outputs)
        read, unreadable = read_mended(
            begun.rulebook, submissions, judging.as_of, write=not diff, aside=to_stdout, rules=judging.rules
        )
    else:
        read, unreadable = read_all(begun.rulebook, submissions)
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
    )
    code = conclude(results, judging, begun, sources=sources_of(read))
    return ExitCode.UNREADABLE if unreadable else code


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


def sources_of(read: Iterable[tuple[Filed, InputFile]]) -> Sources:
    """Submissions by the names of their files, for reports that quote them."""
    return {filed.tree.source_name: filed.tree for filed, _ in read}
