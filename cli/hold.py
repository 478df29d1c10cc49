"""`fairdeal hold`: win compared with theory, and frequencies of hands and cards."""

from __future__ import annotations

import click

from cli.check import read_submissions
from cli.common.completion import complete_files
from cli.common.exits import ExitCode
from cli.common.logs import (
    choose_processes,
    evaluate_logs,
    jobs_option,
    report_logs_without_records,
    report_unreadable_logs,
)
from cli.common.options import CurrencyType, Output, OutputType, profile_option, rules_option, submission_option
from cli.common.rulebook import open_rulebook
from cli.common.statistics import compute_statistics, level_option, require_scipy
from cli.common.streams import ensure_distinct_files, open_output
from cli.common.version import describe_program
from validator.audit.applicability.beside import RoundCounter
from validator.audit.engines.local import LocalEngine
from validator.audit.run.plan import AuditPlan
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, SUBMISSIONS, resolve_inputs

FORMATS = ("text", "json", "csv", "html")
"""Formats of the report."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=complete_files)
@submission_option
@level_option
@click.option(
    "-o",
    "--output",
    "forms",  # not `outputs`, which the configuration file sets for results
    type=OutputType(FORMATS),
    multiple=True,
    default=("text",),
    help=f"One of {', '.join(FORMATS)}, to standard output or to a file; may be given repeatedly.",
)
@click.option(
    "--currency", type=CurrencyType(), help="Currency of all amounts; rounds in another currency are quarantined."
)
@jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the requested outputs.")
@profile_option
@rules_option
def hold(
    logs: tuple[str, ...],
    submissions: tuple[str, ...],
    level: float,
    forms: tuple[Output, ...],
    currency: str | None,
    jobs: int | None,
    quiet: bool,
    profile: str | None,
    rules: str | None,
) -> int:
    """Compare the casino's win with the odds of its games: for each wager by casino, table, day and dealer.

    The frequencies of hands and cards are compared with their probabilities, by table and deck. Odds are those of the
    pay tables in the submission in force, or of the only permitted pay table.

    Statistics are not findings: some results fall outside their range by luck, and the report says how many to expect.
    They do not affect the exit code.
    """
    require_scipy()
    recorded = resolve_inputs(logs, LOGS, apart=[profile])
    submitted = resolve_inputs(submissions, SUBMISSIONS, apart=[profile])
    written = [output.path for output in forms]
    ensure_distinct_files(written, [*recorded.named_files, *submitted.named_files, profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    filed, unreadable = read_submissions(rulebook, submitted)
    from validator.hold.counted import HoldCounts  # noqa: PLC0415 - `--help` does not need the odds of games
    from validator.reports.statistics_report import STATISTICS_WRITERS, StatisticsReport  # noqa: PLC0415

    counted: list[RoundCounter] = []
    plan = AuditPlan(rulebook, filed, currency=currency, counts=HoldCounts, judge=False)
    engine = LocalEngine(jobs=choose_processes(jobs), afresh=any(map(is_address, logs)))
    results, refused, others = evaluate_logs(engine, plan, recorded, quiet=quiet, counted=counted.append)
    ensure_distinct_files(written, others.remaining, rules=rules)
    unreadable += report_unreadable_logs(refused, others, quiet=quiet)
    if results.provenance.inputs:
        found = compute_statistics(counted[0], rulebook, level, quiet=quiet)
        currency = results.subject.currency or ", ".join(results.subject.currencies) or None
        report = StatisticsReport(
            statistics=found, currency=currency, inputs=results.provenance.inputs, program=describe_program()
        )
        for output in forms:
            with open_output(output.path) as stream:
                STATISTICS_WRITERS[output.format](report, stream)
    useless = report_logs_without_records(results)
    return ExitCode.UNREADABLE if unreadable or useless or not results.provenance.inputs else ExitCode.COMPLIANT
