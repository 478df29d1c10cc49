"""Evaluation of hand logs with a progress bar, and messages about logs that cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import click

from cli.common.exits import complain, is_terminal, tell, untold
from cli.common.memory import reuse_memory
from cli.common.options import now
from cli.common.version import program
from validator.audit.applicability.beside import Counts
from validator.audit.engines.engine import Engine, audit_logs
from validator.audit.run.merge import unheard
from validator.audit.run.plan import AuditPlan
from validator.evidence.io.named_files import LOGS, Inputs, LeftOut, lists_set_aside
from validator.evidence.readers.open_log import NO_LOG, HandLog
from validator.results.results import InputKind, Quarantined, Results
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.visible import visible

MOST_JOBS = 8
"""Limit of the default number of processes."""


def processes(jobs: int | None) -> int:
    """Return the number of processes: as requested, or one for each processor."""
    return jobs or min(os.cpu_count() or 1, MOST_JOBS)


PATIENCE = 1.0
"""Seconds of work before a progress bar appears."""

Command = TypeVar("Command", bound=Callable[..., Any])


def jobs_option(command: Command) -> Command:
    """Add the option for the number of processes."""
    return click.option(
        "-j", "--jobs", type=click.IntRange(1, 64), help="Number of processes; by default one for each processor."
    )(command)


def judged_logs(
    engine: Engine, plan: AuditPlan, recorded: Inputs, *, quiet: bool, counted: Callable[[Counts], object] = unheard
) -> tuple[Results, list[InputError], LeftOut]:
    """Evaluate all logs.

    Args:
        counted: called with the additional counts, if the plan counts.

    Returns:
        The results, the errors of logs that cannot be read, and the files that are not logs.
    """
    reuse_memory()
    refused = list(recorded.refused)
    others = LeftOut(recorded, LOGS)

    def refuse(error: InputError) -> None:
        wrong = error.diagnostics[0]
        if wrong.code == NO_LOG and wrong.file in recorded.found:
            others.add(wrong.file, wrong.message)
        else:
            refused.append(error)

    with progress_bar(quiet=quiet) as progress:
        results = audit_logs(
            engine,
            plan,
            (HandLog(path, variants=plan.variants) for path in recorded.files),
            program=program(),
            generated=now(),
            refused=refuse,
            progress=progress,
            counted=counted,
            tell=untold if quiet else tell,
        )
    if others.everything:
        refused.append(others.nothing_left())
    return results, refused, others


def complain_of_logs(refused: Iterable[InputError], others: LeftOut, *, quiet: bool) -> int:
    """Report files that were left out and logs that cannot be read, and return the number of these logs."""
    if not quiet:
        for line in others.lines():
            tell(visible(line))
    wrong = list(refused)
    for error in wrong:
        complain(error)
    return len(wrong)


def complain_of_useless(results: Results) -> int:
    """Report logs without a readable record, and return their number."""
    logs = [file for file in results.provenance.inputs if file.kind is InputKind.HAND_LOG and file.read]
    useless = [file.file for file in logs if file.quarantined == file.read and not lists_set_aside(file.file)]
    for log in useless:
        complain(nothing_readable(log, results.quarantined))
    return len(useless)


def nothing_readable(log: str, quarantined: Iterable[Quarantined]) -> InputError:
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
            bar = click.progressbar(length=Path(name).stat().st_size, label=visible(Path(name).name), file=sys.stderr)
            update = shown.enter_context(bar).update
            update(done)

    with shown:
        yield unheard if quiet or not is_terminal(sys.stderr) else advance
