"""`fairdeal audit`: hand logs held against the regulation of their games."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic

import click

from cli.check import read_all, sources_of, tell_left_out
from cli.common.completion import files, folders
from cli.common.exits import ExitCode, complain, is_terminal
from cli.common.memory import reuse_memory
from cli.common.options import now, submission_option
from cli.common.verdict_run import Judging, begin, conclude, judging_options, spare
from cli.common.version import program
from validator.audit.engines.engine import Engine, audit_logs
from validator.audit.engines.local import LocalEngine
from validator.audit.run.merge import unheard
from validator.audit.run.plan import AuditPlan
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, SUBMISSIONS, LeftOut, inputs_of
from validator.evidence.readers.open_log import NO_LOG, HandLog
from validator.results.results import HAND_LOG, Quarantined
from validator.text.diagnostics import Diagnostic, InputError
from validator.text.visible import visible

ENGINES = ("local", "dask", "spark")
"""Who may judge; the first where nobody is named."""
MOST_JOBS = 8

PATIENCE = 1.0
"""Seconds of work before a bar shows."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=files)
@submission_option
@click.option("-j", "--jobs", type=click.IntRange(1, 64), help="Processes; by default one a processor.")
@click.option("--engine", type=click.Choice(ENGINES), default=ENGINES[0], help="Who judges: this machine or a cluster.")
@click.option(
    "--scheduler", metavar="ADDRESS", help="The scheduler of the Dask cluster; by default one is started here."
)
@click.option("--master", metavar="ADDRESS", help="The master of the Spark cluster; by default one is started here.")
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Keep here what parts of the logs come to; an audit that was broken off goes on where it was.",
    shell_complete=folders,
)
@judging_options
def audit(
    logs: tuple[str, ...],
    submissions: tuple[str, ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    master: str | None,
    checkpoint: str | None,
    judging: Judging,
) -> int:
    """Audit hand logs (JSON Lines and poker hand histories, also .gz and .zst; Parquet; - for standard input), round by
    round: files, all in a folder or below, or all that match a pattern ('logs/**/*.jsonl'); also in an object store
    ('s3://bucket/logs').

    Rounds are judged by the submission in force for their casino, game and table; the submissions given are
    checked as well.
    """
    processes = jobs or min(os.cpu_count() or 1, MOST_JOBS)
    judges = _engine(engine, scheduler, master, processes, afresh=any(map(is_address, logs)))
    recorded = inputs_of(logs, LOGS, apart=judging.read)
    submitted = inputs_of(submissions, SUBMISSIONS, apart=judging.read)
    begun = begin(judging, recorded, submitted)
    filed, unreadable = read_all(begun.rulebook, submitted, judging)
    plan = AuditPlan(
        begun.rulebook,
        filed,
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        checkpoint=checkpoint,
    )
    reuse_memory()
    refused = list(recorded.refused)
    others = LeftOut(recorded, LOGS)

    def refuse(error: InputError) -> None:
        wrong = error.diagnostics[0]
        if wrong.code == NO_LOG and wrong.file in recorded.found:
            others.add(wrong.file, wrong.message)
        else:
            refused.append(error)

    read = (HandLog(path, variants=plan.variants) for path in recorded.files)
    with progress_bar(quiet=judging.quiet) as progress:
        results = audit_logs(judges, plan, read, program=program(), generated=now(), refused=refuse, progress=progress)
    spare(judging, others.kept)
    if others.everything:
        refused.append(others.nothing_left())
    if not judging.quiet:
        tell_left_out(others)
    for one in refused:
        complain(one)
    unreadable += len(refused)
    code = ExitCode.UNREADABLE
    if results.provenance.inputs:
        code = conclude(results, judging, begun, sources=sources_of(filed))
    logs_read = [one for one in results.provenance.inputs if one.kind == HAND_LOG and one.read]
    useless = [one.file for one in logs_read if one.quarantined - one.contradicted == one.read]
    for log in useless:
        complain(_nothing_readable(log, results.quarantined))
    if unreadable or useless:
        return ExitCode.UNREADABLE
    return code


def _engine(name: str, scheduler: str | None, master: str | None, jobs: int, *, afresh: bool) -> Engine:
    """The engine of a name. Raises UsageError where an address is of another, ResourceError where it is not there."""
    for option, address, its in (("--scheduler", scheduler, "dask"), ("--master", master, "spark")):
        if address is not None and name != its:
            raise click.UsageError(f"`{option}` is for `--engine {its}`")
    if name == "dask":
        from validator.audit.engines.dask_cluster import DaskEngine  # noqa: PLC0415 - an extra

        return DaskEngine(scheduler=scheduler, jobs=jobs)
    if name == "spark":
        from validator.audit.engines.spark_cluster import SparkEngine  # noqa: PLC0415 - an extra

        return SparkEngine(master=master, jobs=jobs)
    return LocalEngine(jobs=jobs, afresh=afresh)


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
