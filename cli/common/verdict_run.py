"""Options, start, outputs and end of commands that give a verdict."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial, wraps
from typing import Any

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import fields, replace

from fairdeal.cli.common import command_settings, process, shared_options
from fairdeal.cli.common.command_settings import find_used_configuration, open_rulebook
from fairdeal.validator.audit.granted_waivers import WaiverGrant
from fairdeal.validator.evidence.io.named_files import STDIO, Inputs
from fairdeal.validator.reports.renderers import RENDERERS, Renderer
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.results.results import InputFile, Quarantined, Results
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, ResourceError
from fairdeal.validator.text.positioned_document import PositionedDocument

Sources = Mapping[str, PositionedDocument]
"""Documents that findings point into, by file name."""


def write_results(
    results: Results,
    outputs: Sequence[shared_options.Output],
    *,
    sources: Sources,
    quiet: bool = False,
    failures_only: bool = False,
) -> None:
    """Write results to every output, and the verdict on standard error if none of them is standard output.

    A reader that closes standard output early does not change the verdict.

    Args:
        sources: documents whose lines text output quotes.
        quiet: write no verdict on standard error.
        failures_only: write violations alone in the outputs `OF_FAILURES`.

    Raises:
        InputError: if files cannot be written, after the others are.
    """
    failed: list[Diagnostic] = []
    for output in outputs:
        written = _select_failures(results) if failures_only and output.format in OF_FAILURES else results
        try:
            with process.open_output(output.path) as stream:
                _renderer(output, sources, failures_only=failures_only)(written, stream)
        except BrokenPipeError:
            process.discard_output()
        except InputError as error:
            failed += error.diagnostics
        except ResourceError as error:
            failed.append(error.diagnostic)
    if failed:
        raise InputError(tuple(failed))
    if not quiet and all(output.path != STDIO for output in outputs):
        from fairdeal.validator.reports.report_wording import summarize_run  # noqa: PLC0415 - most runs print the report

        process.print_message(summarize_run(results))


def _select_failures(results: Results) -> Results:
    from fairdeal.validator.results.derived_results import select_failures  # noqa: PLC0415 - most runs write all findings

    return select_failures(results)


def _renderer(output: shared_options.Output, sources: Sources, *, failures_only: bool) -> Renderer:
    """Return the function that writes an output; only text has source lines and terminal styles."""
    if output.format != "text":
        return RENDERERS[output.format]
    from fairdeal.validator.reports.text_report import (  # noqa: PLC0415
        COLOR,
        PLAIN,
        write_text,
    )

    to_terminal = output.path == STDIO
    style = replace(COLOR if to_terminal and process.wants_color(sys.stdout) else PLAIN, failures_only=failures_only)
    if process.prints_letters() if to_terminal else process.has_ascii_option():
        style = replace(style, ascii=True)
    return partial(write_text, style=style, sources=sources)


OF_FAILURES = frozenset({"text", "concise", "markdown", "csv"})
"""Outputs that `--failures-only` shortens. All others hold the whole results."""


def failures_only_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option to write violations alone."""
    return click.option(
        "--failures-only",
        is_flag=True,
        help=f"Write violations alone in {', '.join(sorted(OF_FAILURES))}; the exit code stays the same.",
    )(command)


NEW = "new"
"""Value of `--fail-on` for findings that the baseline does not have."""


class RunOptions(Struct, frozen=True, kw_only=True):
    """Options of a run that gives a verdict."""

    waivers: tuple[str, ...]
    """Files of the regulator's waivers."""
    as_of: date | None
    """Day whose rules apply; None for the day of each record."""
    outputs: Sequence[shared_options.Output]
    """Requested outputs."""
    currency: str | None
    """Currency of all amounts; None for any."""
    timezone: str | None
    """Time zone of local times."""
    day_starts: str | None
    """Time at which a gaming day starts."""
    baseline: str | None
    """Results of an earlier run."""
    fail_on: tuple[str, ...]
    """Findings that count for the exit code: `new`, or a severity; empty for all."""
    allow_unproven: bool
    """True if unconfirmed rules do not count for the exit code."""
    failures_only: bool
    """True to write violations alone, in outputs for people."""
    quiet: bool
    """True to print only errors and requested outputs."""
    profile: str | None
    """Profile of readings."""
    texts: str | None
    """Folder with the texts of regulations."""
    rules: str | None
    """Rules folder; None for the shipped one."""

    @property
    def input_files(self) -> list[str | None]:
        """Files other than evidence that a run reads."""
        used = find_used_configuration(click.get_current_context())
        return [*self.waivers, self.baseline, self.profile, None if used is None else used.file]


class RunInputs(Struct, frozen=True, kw_only=True):
    """Inputs of a run other than evidence, as they were read."""

    rulebook: Rulebook
    """Rulebook with the chosen profile."""
    waivers: Sequence[tuple[Sequence[WaiverGrant], InputFile]]
    """Waivers by file."""
    earlier: tuple[Results, str] | None
    """Results of the earlier run with the SHA-256 of their file."""
    texts: Mapping[str, str]
    """Words of clauses by id."""


def run_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options of a run to a command, which receives them as `judging`."""

    @wraps(command)
    def run_with_options(**parameters: Any) -> int:
        judging = RunOptions(**{field.name: parameters.pop(field.name) for field in fields(RunOptions)})
        if judging.quiet:
            judging = replace(judging, outputs=_choose_outputs(judging.outputs))
        return command(judging=judging, **parameters)

    for option in reversed(
        (
            shared_options.waivers_option,
            click.option("--as-of", type=shared_options.DayType(), help="Apply the rules of this day."),
            click.option(
                "-o",
                "--output",
                "outputs",
                type=shared_options.OutputType(),
                multiple=True,
                default=("text",),
                help=f"{shared_options.FORMATS}; to standard output or to a file (json:out.json); may be repeated.",
            ),
            click.option(
                "--currency",
                type=shared_options.CurrencyType(),
                help="Currency of all amounts; rounds in another currency are quarantined.",
            ),
            click.option(
                "--timezone", type=shared_options.TimeZoneType(), help="Time zone of local times: America/Denver."
            ),
            click.option(
                "--day-starts", type=shared_options.TimeOfDayType(), help="Time at which a gaming day starts: 06:00."
            ),
            click.option(
                "--baseline",
                metavar="RESULTS.json",
                help="Compare with these results: findings that are new, known or no longer found.",
                shell_complete=command_settings.complete_files,
            ),
            click.option(
                "--fail-on",
                type=shared_options.FormType([NEW, *(severity.value for severity in Severity)]),
                multiple=True,
                help="Findings that count for the exit code: new ones, or those of at least this severity.",
            ),
            click.option(
                "--allow-unproven",
                is_flag=True,
                help="Exit 0 if there is no violation but not all rules were confirmed.",
            ),
            failures_only_option,
            click.option("-q", "--quiet", is_flag=True, help="Print only errors and the requested outputs."),
            shared_options.profile_option,
            shared_options.texts_option,
            shared_options.rules_option,
        )
    ):
        run_with_options = option(run_with_options)
    return run_with_options


def _choose_outputs(outputs: Sequence[shared_options.Output]) -> Sequence[shared_options.Output]:
    """Return the outputs of a quiet run: on standard output only those of the command line."""
    source = click.get_current_context().get_parameter_source("outputs")
    return outputs if source is ParameterSource.COMMANDLINE else [output for output in outputs if output.path != STDIO]


def prepare_run(judging: RunOptions, *evidence: Inputs) -> RunInputs:
    """Read the inputs of a run other than its evidence.

    Args:
        evidence: the evidence, which outputs must not overwrite.

    Raises:
        UsageError: if options contradict each other, or an output would overwrite an input.
        InputError: with the mistakes in all files.
    """
    if NEW in judging.fail_on and judging.baseline is None:
        raise click.UsageError("`--fail-on new` needs an earlier run: name its results with --baseline")
    named = [path for inputs in evidence for path in inputs.named_files]
    refuse_overwriting_inputs(judging, [*named, *judging.input_files])
    rulebook = open_rulebook(judging.rules, judging.profile)
    granted = read_waiver_files(rulebook, judging.waivers)
    earlier = None
    if judging.baseline is not None:
        from fairdeal.validator.reports.json_format import read_saved_file  # noqa: PLC0415
        from fairdeal.validator.reports.json_report import read_consistent_results  # noqa: PLC0415 - most runs have no baseline

        saved = read_saved_file(judging.baseline)
        earlier = (read_consistent_results(saved), saved.sha256)
    texts = shared_options.quote_texts(judging.texts, rulebook)
    return RunInputs(rulebook=rulebook, waivers=granted, earlier=earlier, texts=texts)


def refuse_overwriting_inputs(judging: RunOptions, read: Iterable[str | None]) -> None:
    """Raise UsageError if an output would overwrite an input."""
    process.ensure_distinct_files([output.path for output in judging.outputs], read, rules=judging.rules)


OF_PIPELINES = frozenset({"concise", "sarif", "junit", "github", "gitlab"})
"""Outputs for pipelines, which are written even if no evidence could be read."""


def add_unreadable_files(results: Results, refused: Iterable[InputError]) -> Results:
    """Return results that name the files that could not be read, each with its first mistake."""
    found = [error.diagnostics[0] for error in refused]
    return replace(
        results,
        unreadable=tuple(
            Quarantined(file=wrong.file or STDIO, line=wrong.line or 1, column=wrong.column, reason=wrong.message)
            if wrong.cell is None
            else Quarantined(file=wrong.file or STDIO, line=1, column=None, reason=f"{wrong.cell}: {wrong.message}")
            for wrong in found
        ),
    )


def write_unreadable(results: Results, judging: RunOptions) -> None:
    """Write the outputs for pipelines of a run without any readable evidence. Raises InputError as `write_results`."""
    outputs = [output for output in judging.outputs if output.format in OF_PIPELINES]
    write_results(results, outputs, sources={}, quiet=True)


def finish_run(results: Results, judging: RunOptions, begun: RunInputs, *, sources: Sources) -> process.ExitCode:
    """Compare results with the baseline if there is one, write them to every output, and return the exit code.

    Raises InputError if an output cannot be written.
    """
    if judging.timezone is not None or judging.day_starts is not None:
        from fairdeal.validator.results.derived_results import GamingClock, apply_gaming_clock  # noqa: PLC0415 - most runs have none

        results = apply_gaming_clock(results, GamingClock(timezone=judging.timezone, day_starts=judging.day_starts))
    if begun.earlier is not None:
        from fairdeal.validator.results.derived_results import compare_with_baseline  # noqa: PLC0415 - see above

        earlier, sha256 = begun.earlier
        results = compare_with_baseline(results, earlier, file=judging.baseline or "", sha256=sha256)
    write_results(
        replace(results, texts=begun.texts),
        judging.outputs,
        sources=sources,
        quiet=judging.quiet,
        failures_only=judging.failures_only,
    )
    verdict = results.verdict
    if judging.fail_on:
        from fairdeal.validator.results.derived_results import decide_filtered_verdict  # noqa: PLC0415 - in most runs all findings count

        severities = [severity for severity in Severity if severity in judging.fail_on]
        verdict = decide_filtered_verdict(
            results, new=NEW in judging.fail_on, at_least=severities[-1] if severities else Severity.MINOR
        )
    return process.exit_code(verdict, allow_unproven=judging.allow_unproven)


def read_waiver_files(rulebook: Rulebook, paths: Sequence[str]) -> list[tuple[tuple[WaiverGrant, ...], InputFile]]:
    """Read the regulator's waivers, file by file.

    Raises InputError with the mistakes in all files: without its waiver, a permitted departure would be a violation.
    """
    if not paths:
        return []
    from fairdeal.validator.audit.granted_waivers import read_waivers  # noqa: PLC0415 - most runs have none

    read: list[tuple[tuple[WaiverGrant, ...], InputFile]] = []
    wrong: list[Diagnostic] = []
    for path in paths:
        try:
            read.append(read_waivers(rulebook, path))
        except InputError as error:
            wrong += error.diagnostics
    if wrong:
        raise InputError(tuple(wrong))
    return read
