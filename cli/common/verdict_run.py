"""Runs that end in a verdict: what is evaluated, and the outputs and exit code of the results."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import partial, wraps
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource
from msgspec import Struct
from msgspec.structs import fields, replace

from fairdeal.cli.common import process, shared_options, shell_completion
from fairdeal.cli.common.configuration_file import find_used_configuration
from fairdeal.cli.common.shell_completion import open_rulebook
from fairdeal.validator.audit.applicability.granted_waivers import WaiverGrant
from fairdeal.validator.audit.applicability.submissions_in_force import RoundCounter
from fairdeal.validator.audit.run.audit_merge import ignore
from fairdeal.validator.audit.run.audit_plan import AuditPlan
from fairdeal.validator.audit.run.local_engine import Engine, audit_logs
from fairdeal.validator.evidence.hand_log import NOT_A_LOG, HandLog
from fairdeal.validator.evidence.io.named_files import LOGS, STDIO, Inputs, SkippedFiles, is_quarantine_file
from fairdeal.validator.reports.renderers import RENDERERS, Renderer
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.results.results import InputFile, InputKind, Quarantined, Results
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, ResourceError, sanitize
from fairdeal.validator.text.positioned_document import PositionedDocument
from fairdeal.validator.text.source import read_source

if TYPE_CHECKING:
    from fairdeal.validator.results.game_statistics import Statistics


LEVEL = 0.95
"""Default level of ranges, as regulators require it."""
NOT_INSTALLED = process.describe_missing_extra("statistics")
"""Error message without SciPy."""

Command = TypeVar("Command", bound=Callable[..., Any])


def level_option(command: Command) -> Command:
    """Add the option for the level of ranges."""
    return click.option(
        "--level",
        type=click.FloatRange(0.5, 0.9999),
        default=LEVEL,
        show_default=True,
        help="Share of results that fall inside their range by chance.",
    )(command)


def require_scipy() -> None:
    """Raise UsageError if SciPy is not installed."""
    if not process.has_scipy():
        raise click.UsageError(NOT_INSTALLED)


def compute_statistics(counts: RoundCounter, rulebook: Rulebook, level: float, *, quiet: bool = False) -> Statistics:
    """Return the statistics of the counts of an audit."""
    from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415 - SciPy is slow to import, and most runs do not need it
    from fairdeal.validator.hold.hold_statistics import compute_game_statistics  # noqa: PLC0415

    assert isinstance(counts, HoldCounts)
    return compute_game_statistics(
        counts, rulebook, level=level, report_progress=process.ignore_message if quiet else process.print_message
    )


PATIENCE = 1.0
"""Seconds of work before a progress bar appears."""


def evaluate_logs(
    engine: Engine,
    plan: AuditPlan,
    recorded: Inputs,
    *,
    quiet: bool,
    counted: Callable[[RoundCounter], object] = ignore,
) -> tuple[Results, list[InputError], SkippedFiles]:
    """Evaluate all logs.

    Args:
        counted: called with the additional counts, if the plan counts.

    Returns:
        The results, the errors of logs that cannot be read, and the files that are not logs.
    """
    process.reuse_memory()
    refused = list(recorded.errors)
    others = SkippedFiles(recorded, LOGS)

    def refuse(error: InputError) -> None:
        wrong = error.diagnostics[0]
        if wrong.code == NOT_A_LOG and wrong.file in recorded.from_folders:
            others.add(wrong.file, wrong.message)
        else:
            refused.append(error)

    with progress_bar(quiet=quiet) as progress:
        results = audit_logs(
            engine,
            plan,
            (HandLog(path, variants=plan.load_variants) for path in recorded.files),
            program=shared_options.describe_program(),
            generated=shared_options.find_run_time(),
            refused=refuse,
            progress=progress,
            counted=counted,
            report_progress=process.ignore_message if quiet else process.print_message,
        )
    if others.is_nothing_left:
        refused.append(others.build_error())
    return results, refused, others


def report_unreadable_logs(refused: Iterable[InputError], others: SkippedFiles, *, quiet: bool) -> int:
    """Report files that were left out and logs that cannot be read, and return the number of these logs."""
    if not quiet:
        for line in others.describe():
            process.print_message(sanitize(line))
    wrong = list(refused)
    for error in wrong:
        process.report_error(error)
    return len(wrong)


def report_logs_without_records(results: Results) -> int:
    """Report logs without a readable record, and return their number."""
    logs = [file for file in results.provenance.inputs if file.kind is InputKind.HAND_LOG and file.read]
    useless = [file.file for file in logs if file.quarantined == file.read and not is_quarantine_file(file.file)]
    for log in useless:
        process.report_error(make_no_record_error(log, results.quarantined))
    return len(useless)


def make_no_record_error(log: str, quarantined: Iterable[Quarantined]) -> InputError:
    """Return the error for a log without a readable record, at the first listed record if there is one."""
    first = next((record for record in quarantined if record.file == log), None)
    return InputError(
        (
            Diagnostic(
                code="nothing-readable",
                message="no record of this log could be read",
                file=log,
                line=None if first is None else first.line,
                column=None if first is None else first.column,
                help="the report has the reason of each record" if first is None else f"first record: {first.reason}",
            ),
        )
    )


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str, int], object]]:
    """Show a progress bar on standard error for each log that takes its time, if that is a terminal.

    Yields:
        A function that takes the name of a log and the number of bytes done since the last call.
    """
    shown = ExitStack()
    current, begun, before, done = "", monotonic(), monotonic(), 0
    update: Callable[[int], object] | None = None

    def advance(name: str, more: int) -> None:
        nonlocal current, begun, before, done, update
        if name != current:
            shown.close()
            current, begun, done, update = name, before, 0, None
        done, before = done + more, monotonic()
        if update is not None:
            update(more)
        elif before - begun > PATIENCE and Path(name).is_file():
            bar = click.progressbar(length=Path(name).stat().st_size, label=sanitize(Path(name).name), file=sys.stderr)
            update = shown.enter_context(bar).update
            update(done)

    with shown:
        yield ignore if quiet or not process.is_terminal(sys.stderr) else advance


Sources = Mapping[str, PositionedDocument]
"""Documents that findings point into, by file name."""


def write_results(
    results: Results, outputs: Sequence[shared_options.Output], *, sources: Sources, quiet: bool = False
) -> None:
    """Write results to every output, and the verdict on standard error if none of them is standard output.

    A reader that closes standard output early does not change the verdict.

    Args:
        sources: documents whose lines text output quotes.
        quiet: write no verdict on standard error.

    Raises:
        InputError: if files cannot be written, after the others are.
    """
    failed: list[Diagnostic] = []
    for output in outputs:
        try:
            with process.open_output(output.path) as stream:
                _renderer(output, sources)(results, stream)
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


def _renderer(output: shared_options.Output, sources: Sources) -> Renderer:
    """Return the function that writes an output; only text has source lines and terminal styles."""
    if output.format != "text":
        return RENDERERS[output.format]
    from fairdeal.validator.reports.text_report import (  # noqa: PLC0415
        COLOR,
        PLAIN,
        write_text,
    )

    to_terminal = output.path == STDIO
    style = COLOR if to_terminal and process.wants_color(sys.stdout) else PLAIN
    if process.prints_letters() if to_terminal else process.has_ascii_option():
        style = replace(style, ascii=True)
    return partial(write_text, style=style, sources=sources)


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
                "--baseline",
                metavar="RESULTS.json",
                help="Compare with these results: findings that are new, known or no longer found.",
                shell_complete=shell_completion.complete_files,
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
            click.option("-q", "--quiet", is_flag=True, help="Print only errors and the requested outputs."),
            shared_options.profile_option,
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
        from fairdeal.validator.reports.json_report import MAX_BYTES, read_consistent_results  # noqa: PLC0415 - most runs have no baseline

        source = read_source(judging.baseline, limit=MAX_BYTES)
        earlier = (read_consistent_results(source), source.sha256)
    return RunInputs(rulebook=rulebook, waivers=granted, earlier=earlier)


def refuse_overwriting_inputs(judging: RunOptions, read: Iterable[str | None]) -> None:
    """Raise UsageError if an output would overwrite an input."""
    process.ensure_distinct_files([output.path for output in judging.outputs], read, rules=judging.rules)


def finish_run(results: Results, judging: RunOptions, begun: RunInputs, *, sources: Sources) -> process.ExitCode:
    """Compare results with the baseline if there is one, write them to every output, and return the exit code.

    Raises InputError if an output cannot be written.
    """
    if begun.earlier is not None:
        from fairdeal.validator.results.run_comparison import compare_with_baseline  # noqa: PLC0415 - see above

        earlier, sha256 = begun.earlier
        results = compare_with_baseline(results, earlier, file=judging.baseline or "", sha256=sha256)
    write_results(results, judging.outputs, sources=sources, quiet=judging.quiet)
    verdict = results.verdict
    if judging.fail_on:
        from fairdeal.validator.results.run_comparison import decide_filtered_verdict  # noqa: PLC0415 - in most runs all findings count

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
    from fairdeal.validator.audit.applicability.granted_waivers import read_waivers  # noqa: PLC0415 - most runs have none

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
