"""`fairdeal audit`: hand logs checked against the regulation of their games."""

from __future__ import annotations

import click
from msgspec.structs import replace

from cli.check import read_all, sources_of
from cli.common.completion import files, folders
from cli.common.exits import ExitCode
from cli.common.letters import ascii_option
from cli.common.logs import complain_of_logs, complain_of_useless, jobs_option, judged_logs, processes
from cli.common.options import submission_option
from cli.common.statistics import level_option, need_scipy, statistics_in
from cli.common.verdict_run import Judging, begin, conclude, judging_options, spare
from validator.audit.applicability.beside import Counts
from validator.audit.engines.engine import Engine
from validator.audit.engines.local import LocalEngine
from validator.audit.run.plan import AuditPlan
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, SUBMISSIONS, inputs_of

ENGINES = ("local", "dask", "spark")
"""Engines that can evaluate rounds; the first is the default."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=files)
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
    shell_complete=folders,
)
@click.option(
    "--statistics", "statistics", is_flag=True, help="Add statistics of hold, hands and cards, without findings."
)
@level_option
@ascii_option
@judging_options
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
    judging: Judging,
) -> int:
    """Audit hand logs, round by round.

    LOG is a file, a folder, a pattern ('logs/**/*.jsonl'), or a place in an object store ('s3://bucket/logs'). Formats
    are JSON Lines, poker hand histories (both also .gz and .zst) and Parquet; - is standard input.

    Each round is checked against the submission in force for its casino, game and table. The submissions are checked
    as well.
    """
    if statistics:
        need_scipy()
    judges = _engine(engine, scheduler, master, processes(jobs), afresh=any(map(is_address, logs)))
    recorded = inputs_of(logs, LOGS, apart=judging.read)
    submitted = inputs_of(submissions, SUBMISSIONS, apart=judging.read)
    begun = begin(judging, recorded, submitted)
    filed, unreadable = read_all(begun.rulebook, submitted, judging)
    counts, counted = None, list[Counts]()
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
    results, refused, others = judged_logs(judges, plan, recorded, quiet=judging.quiet, counted=counted.append)
    spare(judging, others.kept)
    unreadable += complain_of_logs(refused, others, quiet=judging.quiet)
    for round_counts in counted:
        results = replace(results, statistics=statistics_in(round_counts, begun.rulebook, level, quiet=judging.quiet))
    code = ExitCode.UNREADABLE
    if results.provenance.inputs:
        code = conclude(results, judging, begun, sources=sources_of(filed))
    useless = complain_of_useless(results)
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
