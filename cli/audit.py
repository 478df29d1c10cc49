"""`fairdeal audit`: hand logs checked against the regulation of their games."""

from __future__ import annotations

import click
from msgspec.structs import replace

from cli.check import collect_sources, read_submissions
from cli.common.completion import complete_files, complete_folders
from cli.common.exits import ExitCode
from cli.common.letters import ascii_option
from cli.common.logs import (
    choose_processes,
    evaluate_logs,
    jobs_option,
    report_logs_without_records,
    report_unreadable_logs,
)
from cli.common.options import submission_option
from cli.common.statistics import compute_statistics, level_option, require_scipy
from cli.common.verdict_run import RunOptions, finish_run, prepare_run, refuse_overwriting_inputs, run_options
from validator.audit.applicability.beside import RoundCounter
from validator.audit.engines.engine import Engine
from validator.audit.engines.local import LocalEngine
from validator.audit.run.plan import AuditPlan
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, SUBMISSIONS, resolve_inputs

ENGINES = ("local", "dask", "spark")
"""Engines that can evaluate rounds; the first is the default."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=complete_files)
@submission_option
@jobs_option
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default=ENGINES[0],
    help="Where rounds are evaluated: on this machine or a cluster.",
)
@click.option(
    "--scheduler", metavar="ADDRESS", help="The scheduler of the Dask cluster; by default one is started here."
)
@click.option("--master", metavar="ADDRESS", help="The master of the Spark cluster; by default one is started here.")
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Folder for results of parts; an interrupted audit continues from there.",
    shell_complete=complete_folders,
)
@click.option(
    "--statistics", "statistics", is_flag=True, help="Add statistics of hold, hands and cards, without findings."
)
@level_option
@ascii_option
@run_options
def audit(
    logs: tuple[str, ...],
    submissions: tuple[str, ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    master: str | None,
    checkpoint: str | None,
    statistics: bool,
    level: float,
    judging: RunOptions,
) -> int:
    """Audit hand logs, round by round.

    LOG is a file, a folder, a pattern ('logs/**/*.jsonl'), or a place in an object store ('s3://bucket/logs'). Formats
    are JSON Lines, poker hand histories (both also .gz and .zst) and Parquet; - is standard input.

    Each round is checked against the submission in force for its casino, game and table. The submissions are checked
    as well.
    """
    if statistics:
        require_scipy()
    judges = _engine(engine, scheduler, master, choose_processes(jobs), afresh=any(map(is_address, logs)))
    recorded = resolve_inputs(logs, LOGS, apart=judging.input_files)
    submitted = resolve_inputs(submissions, SUBMISSIONS, apart=judging.input_files)
    begun = prepare_run(judging, recorded, submitted)
    filed, unreadable = read_submissions(begun.rulebook, submitted, judging)
    counts, counted = None, list[RoundCounter]()
    if statistics:
        from validator.hold.counted import HoldCounts  # noqa: PLC0415 - most runs make no statistics

        counts = HoldCounts
    plan = AuditPlan(
        begun.rulebook,
        filed,
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        checkpoint=checkpoint,
        counts=counts,
    )
    results, refused, others = evaluate_logs(judges, plan, recorded, quiet=judging.quiet, counted=counted.append)
    refuse_overwriting_inputs(judging, others.remaining)
    unreadable += report_unreadable_logs(refused, others, quiet=judging.quiet)
    for round_counts in counted:
        results = replace(
            results, statistics=compute_statistics(round_counts, begun.rulebook, level, quiet=judging.quiet)
        )
    code = ExitCode.UNREADABLE
    if results.provenance.inputs:
        code = finish_run(results, judging, begun, sources=collect_sources(filed))
    useless = report_logs_without_records(results)
    if unreadable or useless:
        return ExitCode.UNREADABLE
    return code


def _engine(name: str, scheduler: str | None, master: str | None, jobs: int, *, afresh: bool) -> Engine:
    """Return the engine of a name.

    Raises:
        UsageError: if an address belongs to another engine.
        ResourceError: if the engine is not available.
    """
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
