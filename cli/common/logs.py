"""Hand logs read by the commands that go through them: by several processes, with a bar; what cannot be read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import click

from cli.common.exits import complain, is_terminal, tell
from cli.common.inputs import LOGS, Inputs, LeftOut
from cli.common.memory import reuse_memory
from cli.common.streams import STDIO
from validator.audit.run.log_audit import Audit
from validator.evidence.readers.open_log import NO_LOG, HandLog
from validator.results.results import HAND_LOG, Quarantined, Results
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.visible import visible

MOST_JOBS = 8

PATIENCE = 1.0
"""Seconds of work before a bar shows."""

Command = TypeVar("Command", bound=Callable[..., Any])


def jobs_option(command: Command) -> Command:
    """The option that says how many processes go through logs."""
    return click.option("-j", "--jobs", type=click.IntRange(1, 64), help="Processes; by default one a processor.")(
        command
    )


def read_logs(inquiry: Audit, recorded: Inputs, *, jobs: int | None, quiet: bool) -> tuple[list[InputError], LeftOut]:
    """Have all logs audited; what is wrong with those that cannot be read, and what was found and is no log."""
    reuse_memory()
    refused = list(recorded.refused)
    others = LeftOut(recorded, LOGS)

    def refuse(error: InputError) -> None:
        wrong = error.diagnostics[0]
        if wrong.code == NO_LOG and wrong.file in recorded.found:
            others.add(wrong.file, wrong.message)
        else:
            refused.append(error)

    inquiry.add_logs(
        (HandLog(path, variants=inquiry.variants) for path in recorded.files),
        jobs=jobs or min(os.cpu_count() or 1, MOST_JOBS),
        progress=_untold if quiet else progress_of,
        refused=refuse,
    )
    if others.everything:
        refused.append(others.nothing_left())
    return refused, others


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
    logs = [one for one in results.provenance.inputs if one.kind == HAND_LOG and one.read]
    useless = [one.file for one in logs if one.quarantined - one.contradicted == one.read]
    for log in useless:
        complain(_nothing_readable(log, results.quarantined))
    return len(useless)


def _nothing_readable(log: str, quarantined: Iterable[Quarantined]) -> InputError:
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


def _untold(_path: str) -> AbstractContextManager[Callable[[int], object]]:
    return nullcontext(lambda _: None)


@contextmanager
def progress_of(path: str) -> Iterator[Callable[[int], object]]:
    """A bar on standard error, told the bytes done with, for work that takes its time; none where that is no
    terminal or the size unknown."""
    file = Path(path)
    if path == STDIO or not is_terminal(sys.stderr) or not file.is_file():
        yield lambda _: None
        return
    size, begun, done = file.stat().st_size, monotonic(), 0
    with ExitStack() as shown:
        update: Callable[[int], object] | None = None

        def advance(more: int) -> None:
            nonlocal update, done
            done += more
            if update is not None:
                update(more)
            elif monotonic() - begun > PATIENCE:
                bar = click.progressbar(length=size, label=visible(file.name), file=sys.stderr)
                update = shown.enter_context(bar).update
                update(done)

        yield advance
