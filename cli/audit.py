"""`fairdeal audit`: hand logs held against the regulation of their games."""

from __future__ import annotations

import click
from msgspec.structs import replace

from cli.check import read_all, sources_of
from cli.common.completion import files
from cli.common.exits import ExitCode
from cli.common.inputs import LOGS, SUBMISSIONS, inputs_of
from cli.common.logs import complain_of_logs, complain_of_useless, jobs_option, read_logs
from cli.common.options import now, submission_option
from cli.common.statistics import level_option, need_scipy, statistics_in
from cli.common.verdict_run import Judging, begin, conclude, judging_options, spare
from cli.common.version import program
from validator.audit.run.log_audit import Audit


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=files)
@submission_option
@jobs_option
@click.option("--statistics", "statistics", is_flag=True, help="Add statistics of hold, hands and cards; no findings.")
@level_option
@judging_options
def audit(
    logs: tuple[str, ...],
    submissions: tuple[str, ...],
    jobs: int | None,
    statistics: bool,
    level: float,
    judging: Judging,
) -> int:
    """Audit hand logs (JSON Lines and poker hand histories, also .gz and .zst; Parquet; - for standard input), round by
    round: files, all in a folder or below, or all that match a pattern ('logs/**/*.jsonl').

    Rounds are judged by the submission in force for their casino, game and table; the submissions given are
    checked as well.
    """
    recorded = inputs_of(logs, LOGS, apart=judging.read)
    submitted = inputs_of(submissions, SUBMISSIONS, apart=judging.read)
    begun = begin(judging, recorded, submitted)
    filed, unreadable = read_all(begun.rulebook, submitted, judging)
    counts = None
    if statistics:
        need_scipy()
        from validator.hold.counted import HoldCounts  # noqa: PLC0415 - most runs make no statistics

        counts = HoldCounts
    inquiry = Audit(
        begun.rulebook,
        filed,
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        counts=counts,
    )
    refused, others = read_logs(inquiry, recorded, jobs=jobs, quiet=judging.quiet)
    spare(judging, others.kept)
    unreadable += complain_of_logs(refused, others, quiet=judging.quiet)
    results = inquiry.results(program=program(), generated=now())
    if statistics:
        results = replace(results, statistics=statistics_in(inquiry, begun.rulebook, level, quiet=judging.quiet))
    code = ExitCode.UNREADABLE
    if results.provenance.inputs:
        code = conclude(results, judging, begun, sources=sources_of(filed))
    useless = complain_of_useless(results)
    if unreadable or useless:
        return ExitCode.UNREADABLE
    return code
