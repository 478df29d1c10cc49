"""Evaluation of hand logs with a progress bar, statistics of rounds, and messages about logs that cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fairdeal.cli.common import process
from fairdeal.cli.common.shared_options import describe_program, find_run_time
from fairdeal.validator.audit.run.audit_merge import ignore
from fairdeal.validator.audit.run.audit_plan import AuditPlan
from fairdeal.validator.audit.run.run_engines import Engine, audit_logs
from fairdeal.validator.audit.submissions_in_force import RoundCounter
from fairdeal.validator.evidence.hand_log import NOT_A_LOG, HandLog
from fairdeal.validator.evidence.io.named_files import LOGS, Inputs, SkippedFiles, is_quarantine_file
from fairdeal.validator.results.results import InputKind, Quarantined, Results
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, sanitize

if TYPE_CHECKING:
    from fairdeal.validator.audit.submissions_in_force import RoundCounter
    from fairdeal.validator.results.findings import Finding
    from fairdeal.validator.results.game_statistics import Statistics
    from fairdeal.validator.rulebook.rulebook import Rulebook


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


def compute_statistics(
    counts: RoundCounter,
    rulebook: Rulebook,
    level: float,
    findings: Iterable[Finding] | None = None,
    *,
    quiet: bool = False,
) -> Statistics:
    """Return the statistics of the counts of an audit, and of its findings if it checked the rounds."""
    from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415 - SciPy is slow to import, and most runs do not need it
    from fairdeal.validator.hold.hold_statistics import compute_game_statistics  # noqa: PLC0415

    assert isinstance(counts, HoldCounts)
    return compute_game_statistics(
        counts,
        rulebook,
        findings=findings,
        level=level,
        report_progress=process.ignore_message if quiet else process.print_message,
    )


PATIENCE = 1.0
"""Seconds of work before a progress bar appears."""
PROGRESS_VARIABLE = "FAIRDEAL_PROGRESS"
"""Environment variable that requests progress as lines on standard error, for a program that runs this one."""
PROGRESS_LINE = "progress: "
"""Start of these lines, which state the bytes of all logs that are done."""
_LINE_SECONDS = 0.2


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
            program=describe_program(),
            generated=find_run_time(),
            refused=refuse,
            progress=progress,
            counted=counted,
            report_progress=process.ignore_message if quiet else process.print_message,
        )
    if others.is_nothing_left:
        refused.append(others.build_error())
    return results, refused, others


def report_unreadable_logs(refused: Iterable[InputError], others: SkippedFiles, *, quiet: bool) -> None:
    """Report files that were left out and logs that cannot be read."""
    if not quiet:
        for line in others.describe():
            process.print_message(sanitize(line))
    for error in refused:
        process.report_error(error)


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


def _print_progress() -> Callable[[str, int], object]:
    total, printed = 0, monotonic()

    def advance(_: str, more: int) -> None:
        nonlocal total, printed
        total += more
        if monotonic() - printed > _LINE_SECONDS:
            printed = monotonic()
            process.print_message(f"{PROGRESS_LINE}{total}")

    return advance


@contextmanager
def count_progress(label: str, length: int) -> Iterator[Callable[[int], object]]:
    """Show a progress bar on standard error, if that is a terminal. Yields a function that takes the number done."""
    if not process.is_terminal(sys.stderr):
        yield ignore
        return
    with click.progressbar(length=length, label=label, file=sys.stderr) as bar:
        yield bar.update


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str, int], object]]:
    """Show a progress bar on standard error for each log that takes its time, if that is a terminal.

    Yields:
        A function that takes the name of a log and the number of bytes done since the last call.
    """
    if os.environ.get(PROGRESS_VARIABLE):
        yield _print_progress()
        return
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
