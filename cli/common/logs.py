"""Hand logs read by the commands that go through them: by several processes, with a bar; what cannot be read."""

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


def processes(jobs: int | None) -> int:
    """How many processes go through logs: as many as are asked for, or one a processor."""
    return jobs or min(os.cpu_count() or 1, MOST_JOBS)


PATIENCE = 1.0
"""Seconds of work before a bar shows."""

Command = TypeVar("Command", bound=Callable[..., Any])


def jobs_option(command: Command) -> Command:
    """The option that says how many processes go through logs."""
    return click.option("-j", "--jobs", type=click.IntRange(1, 64), help="Processes; by default one a processor.")(
        command
    )


def judged_logs(
    engine: Engine, plan: AuditPlan, recorded: Inputs, *, quiet: bool, counted: Callable[[Counts], object] = unheard
) -> tuple[Results, list[InputError], LeftOut]:
    """What all logs come to; what is wrong with those that cannot be read, and what was found and is no log. `counted`
    is told of what was counted beside, where the plan counts."""
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
    """Tell what was left out, unless a run is to be quiet, and which logs cannot be read; how many these are."""
    if not quiet:
        for line in others.lines():
            tell(visible(line))
    wrong = list(refused)
    for one in wrong:
        complain(one)
    return len(wrong)


def complain_of_useless(results: Results) -> int:
    """Tell which logs hold nothing to judge; how many these are."""
    logs = [one for one in results.provenance.inputs if one.kind is InputKind.HAND_LOG and one.read]
    useless = [one.file for one in logs if one.quarantined == one.read and not lists_set_aside(one.file)]
    for log in useless:
        complain(nothing_readable(log, results.quarantined))
    return len(useless)


def nothing_readable(log: str, quarantined: Iterable[Quarantined]) -> InputError:
    """That a log holds nothing to judge, at the first of its records and with the reason; where so many were set aside
    before that none of its own is listed, without."""
    first = next((one for one in quarantined if one.file == log), None)
    return InputError(
        (
            Diagnostic(
                code="nothing-readable",
                message="no record of this log could be read",
                file=log,
                line=None if first is None else first.line,
                column=None if first is None else first.column,
                help="the report says why, record by record" if first is None else f"the first: {first.reason}",
            ),
        )
    )


@contextmanager
def progress_bar(*, quiet: bool) -> Iterator[Callable[[str, int], object]]:
    """A bar on standard error, told the bytes done with of which log, for each log that takes its time; none where that
    is no terminal or the size unknown."""
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
