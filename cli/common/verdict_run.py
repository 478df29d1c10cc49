"""What every command that ends in a verdict is asked, begins with and ends with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import wraps
from typing import Any

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import fields, replace

from cli.common import completion
from cli.common.configuration import used_by
from cli.common.exits import ExitCode, exit_code
from cli.common.options import (
    FORMATS,
    CurrencyType,
    DayType,
    FormType,
    Output,
    OutputType,
    profile_option,
    rules_option,
    waivers_option,
)
from cli.common.outputs import Sources, write_results
from cli.common.rulebook import open_rulebook
from cli.common.streams import keep_apart
from validator.audit.applicability.waivers import Grant
from validator.evidence.io.named_files import STDIO, Inputs
from validator.results.results import InputFile, Results
from validator.results.statuses import Severity
from validator.rulebook.loading.rulebook import Rulebook
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.source import read_source

NEW = "new"
"""What `--fail-on` calls findings that the baseline does not have."""


class Judging(Struct, frozen=True, kw_only=True):
    """The options of a run: what it judges by, where its results go, and what counts for its exit code."""

    waivers: tuple[str, ...]
    as_of: date | None
    outputs: Sequence[Output]
    currency: str | None
    baseline: str | None
    fail_on: tuple[str, ...]
    allow_unproven: bool
    quiet: bool
    profile: str | None
    rules: str | None

    @property
    def read(self) -> list[str | None]:
        """The files that a run judges by."""
        used = used_by(click.get_current_context())
        return [*self.waivers, self.baseline, self.profile, None if used is None else used.file]


class Begun(Struct, frozen=True, kw_only=True):
    """What a run judges by, as it was read: the rulebook, waivers, and the earlier run with the SHA-256 of its file."""

    rulebook: Rulebook
    waivers: Sequence[tuple[Sequence[Grant], InputFile]]
    earlier: tuple[Results, str] | None


def judging_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options of a run, which come as its `judging`."""

    @wraps(command)
    def given(**parameters: Any) -> int:
        judging = Judging(**{one.name: parameters.pop(one.name) for one in fields(Judging)})
        if judging.quiet:
            judging = replace(judging, outputs=_asked_for(judging.outputs))
        return command(judging=judging, **parameters)

    for option in reversed(
        (
            waivers_option,
            click.option("--as-of", type=DayType(), help="Judge by the law of this day."),
            click.option(
                "-o",
                "--output",
                "outputs",
                type=OutputType(),
                multiple=True,
                default=("text",),
                help=f"{FORMATS}; to standard output or to a file (json:out.json); may be given repeatedly.",
            ),
            click.option(
                "--currency", type=CurrencyType(), help="The currency of all amounts; rounds in another are set aside."
            ),
            click.option(
                "--baseline",
                metavar="RESULTS.json",
                help="Tell which findings are new, known and gone since these results.",
                shell_complete=completion.files,
            ),
            click.option(
                "--fail-on",
                type=FormType([NEW, *(one.value for one in Severity)]),
                multiple=True,
                help="Let only these findings count for the exit code: new since the baseline, or so severe at least.",
            ),
            click.option("--allow-unproven", is_flag=True, help="Exit 0 where nothing failed but not all was proven."),
            click.option("-q", "--quiet", is_flag=True, help="Print errors alone, and the outputs asked for here."),
            profile_option,
            rules_option,
        )
    ):
        given = option(given)
    return given


def _asked_for(outputs: Sequence[Output]) -> Sequence[Output]:
    """Of outputs, those of a quiet run: on standard output only what the command line itself asks for."""
    source = click.get_current_context().get_parameter_source("outputs")
    return outputs if source is ParameterSource.COMMANDLINE else [one for one in outputs if one.path != STDIO]


def begin(judging: Judging, *evidence: Inputs) -> Begun:
    """Read what a run judges by, before the evidence in these files.

    Raises UsageError where options contradict each other or an output would take the place of an input, InputError
    with what is wrong in any of the files.
    """
    if NEW in judging.fail_on and judging.baseline is None:
        raise click.UsageError("`--fail-on new` needs to know what was there before: name it with --baseline")
    named = [path for inputs in evidence for path in inputs.named]
    spare(judging, [*named, *judging.read])
    rulebook = open_rulebook(judging.rules, judging.profile)
    granted = read_waiver_files(rulebook, judging.waivers)
    earlier = None
    if judging.baseline is not None:
        from validator.reports.json_report import MAX_BYTES, results_in  # noqa: PLC0415 - most runs have no baseline

        source = read_source(judging.baseline, limit=MAX_BYTES)
        earlier = (results_in(source), source.sha256)
    return Begun(rulebook=rulebook, waivers=granted, earlier=earlier)


def spare(judging: Judging, read: Iterable[str | None]) -> None:
    """Make sure that no output takes the place of what is read. Raises UsageError."""
    keep_apart([output.path for output in judging.outputs], read, rules=judging.rules)


def conclude(results: Results, judging: Judging, begun: Begun, *, sources: Sources) -> ExitCode:
    """Write results to every output, held against the baseline where there is one, and say how the run ends.

    Raises InputError where an output cannot be written.
    """
    if begun.earlier is not None:
        from validator.results.baseline import against  # noqa: PLC0415 - see above

        earlier, sha256 = begun.earlier
        results = against(results, earlier, file=judging.baseline or "", sha256=sha256)
    write_results(results, judging.outputs, sources=sources, quiet=judging.quiet)
    verdict = results.verdict
    if judging.fail_on:
        from validator.results.verdict_by import verdict_of_counting  # noqa: PLC0415 - most runs let everything count

        severities = [one for one in Severity if one in judging.fail_on]
        verdict = verdict_of_counting(
            results, new=NEW in judging.fail_on, at_least=severities[-1] if severities else Severity.MINOR
        )
    return exit_code(verdict, allow_unproven=judging.allow_unproven)


def read_waiver_files(rulebook: Rulebook, paths: Sequence[str]) -> list[tuple[tuple[Grant, ...], InputFile]]:
    """The regulator's waivers, file by file.

    Raises InputError with what is wrong in any of them: without one, what is permitted would count as a violation.
    """
    if not paths:
        return []
    from validator.audit.applicability.waiver_file import read_waivers  # noqa: PLC0415 - most runs have none

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
