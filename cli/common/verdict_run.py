"""Options, start and end of commands that give a verdict."""

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
"""Value of `--fail-on` for findings that the baseline does not have."""


class Judging(Struct, frozen=True, kw_only=True):
    """Options of a run that gives a verdict."""

    waivers: tuple[str, ...]
    """Files of the regulator's waivers."""
    as_of: date | None
    """Day whose rules apply; None for the day of each record."""
    outputs: Sequence[Output]
    """Requested outputs."""
    currency: str | None
    """Currency of all amounts; None for any."""
    baseline: str | None
    """Results of an earlier run."""
    fail_on: tuple[str, ...]
    """Findings that count for the exit code: `new`, or a severity; empty for all."""
    allow_unproven: bool
    """True if unconfirmed rules do not count for the exit code."""
    quiet: bool
    """True to print only errors and requested outputs."""
    profile: str | None
    """Profile of readings."""
    rules: str | None
    """Rules folder; None for the shipped one."""

    @property
    def read(self) -> list[str | None]:
        """Files other than evidence that a run reads."""
        used = used_by(click.get_current_context())
        return [*self.waivers, self.baseline, self.profile, None if used is None else used.file]


class Begun(Struct, frozen=True, kw_only=True):
    """Inputs of a run other than evidence, as they were read."""

    rulebook: Rulebook
    """Rulebook with the chosen profile."""
    waivers: Sequence[tuple[Sequence[Grant], InputFile]]
    """Waivers by file."""
    earlier: tuple[Results, str] | None
    """Results of the earlier run with the SHA-256 of their file."""


def judging_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a run to a command, which receives them as `judging`."""

    @wraps(command)
    def given(**parameters: Any) -> int:
        judging = Judging(**{field.name: parameters.pop(field.name) for field in fields(Judging)})
        if judging.quiet:
            judging = replace(judging, outputs=_choose_outputs(judging.outputs))
        return command(judging=judging, **parameters)

    for option in reversed(
        (
            waivers_option,
            click.option("--as-of", type=DayType(), help="Apply the rules of this day."),
            click.option(
                "-o",
                "--output",
                "outputs",
                type=OutputType(),
                multiple=True,
                default=("text",),
                help=f"{FORMATS}; to standard output or to a file (json:out.json); may be repeated.",
            ),
            click.option(
                "--currency",
                type=CurrencyType(),
                help="Currency of all amounts; rounds in another currency are quarantined.",
            ),
            click.option(
                "--baseline",
                metavar="RESULTS.json",
                help="Compare with these results: findings that are new, known or no longer found.",
                shell_complete=completion.files,
            ),
            click.option(
                "--fail-on",
                type=FormType([NEW, *(severity.value for severity in Severity)]),
                multiple=True,
                help="Findings that count for the exit code: new ones, or those of at least this severity.",
            ),
            click.option(
                "--allow-unproven",
                is_flag=True,
                help="Exit 0 if there is no violation but not all rules were confirmed.",
            ),
            click.option("-q", "--quiet", is_flag=True, help="Print only errors and the requested outputs."),
            profile_option,
            rules_option,
        )
    ):
        given = option(given)
    return given


def _choose_outputs(outputs: Sequence[Output]) -> Sequence[Output]:
    """Return the outputs of a quiet run: on standard output only those of the command line."""
    source = click.get_current_context().get_parameter_source("outputs")
    return outputs if source is ParameterSource.COMMANDLINE else [output for output in outputs if output.path != STDIO]


def begin(judging: Judging, *evidence: Inputs) -> Begun:
    """Read the inputs of a run other than its evidence.

    Args:
        evidence: the evidence, which outputs must not overwrite.

    Raises:
        UsageError: if options contradict each other, or an output would overwrite an input.
        InputError: with the mistakes in all files.
    """
    if NEW in judging.fail_on and judging.baseline is None:
        raise click.UsageError("`--fail-on new` needs an earlier run: name its results with --baseline")
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
    """Raise UsageError if an output would overwrite an input."""
    keep_apart([output.path for output in judging.outputs], read, rules=judging.rules)


def conclude(results: Results, judging: Judging, begun: Begun, *, sources: Sources) -> ExitCode:
    """Compare results with the baseline if there is one, write them to every output, and return the exit code.

    Raises InputError if an output cannot be written.
    """
    if begun.earlier is not None:
        from validator.results.baseline import against  # noqa: PLC0415 - see above

        earlier, sha256 = begun.earlier
        results = against(results, earlier, file=judging.baseline or "", sha256=sha256)
    write_results(results, judging.outputs, sources=sources, quiet=judging.quiet)
    verdict = results.verdict
    if judging.fail_on:
        from validator.results.verdict_by import verdict_of_counting  # noqa: PLC0415 - in most runs all findings count

        severities = [severity for severity in Severity if severity in judging.fail_on]
        verdict = verdict_of_counting(
            results, new=NEW in judging.fail_on, at_least=severities[-1] if severities else Severity.MINOR
        )
    return exit_code(verdict, allow_unproven=judging.allow_unproven)


def read_waiver_files(rulebook: Rulebook, paths: Sequence[str]) -> list[tuple[tuple[Grant, ...], InputFile]]:
    """Read the regulator's waivers, file by file.

    Raises InputError with the mistakes in all files: without its waiver, a permitted departure would be a violation.
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
