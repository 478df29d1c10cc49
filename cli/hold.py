"""`fairdeal hold`: win compared with theory, and frequencies of hands and cards."""

from __future__ import annotations

import click

from cli.check import read_all
from cli.common.completion import files
from cli.common.exits import ExitCode
from cli.common.logs import complain_of_logs, complain_of_useless, jobs_option, judged_logs, processes
from cli.common.options import CurrencyType, Output, OutputType, profile_option, rules_option, submission_option
from cli.common.rulebook import open_rulebook
from cli.common.statistics import level_option, need_scipy, statistics_in
from cli.common.streams import keep_apart, open_output
from cli.common.version import program
from validator.audit.applicability.beside import Counts
from validator.audit.engines.local import LocalEngine
from validator.audit.run.plan import AuditPlan
from validator.evidence.io.addresses import is_address
from validator.evidence.io.named_files import LOGS, SUBMISSIONS, inputs_of

FORMATS = ("text", "json", "csv", "html")
"""Formats of the report."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=files)
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
    need_scipy()
    recorded = inputs_of(logs, LOGS, apart=[profile])
    submitted = inputs_of(submissions, SUBMISSIONS, apart=[profile])
    written = [output.path for output in forms]
    keep_apart(written, [*recorded.named, *submitted.named, profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    filed, unreadable = read_all(rulebook, submitted)
    from validator.hold.counted import HoldCounts  # noqa: PLC0415 - `--help` does not need the odds of games
    from validator.reports.statistics_report import WRITERS, StatisticsReport  # noqa: PLC0415

    counted: list[Counts] = []
    plan = AuditPlan(rulebook, filed, currency=currency, counts=HoldCounts, judge=False)
    engine = LocalEngine(jobs=processes(jobs), afresh=any(map(is_address, logs)))
    results, refused, others = judged_logs(engine, plan, recorded, quiet=quiet, counted=counted.append)
    keep_apart(written, others.kept, rules=rules)
    unreadable += complain_of_logs(refused, others, quiet=quiet)
    if results.provenance.inputs:
        found = statistics_in(counted[0], rulebook, level, quiet=quiet)
        currency = results.subject.currency or ", ".join(results.subject.currencies) or None
        report = StatisticsReport(
            statistics=found, currency=currency, inputs=results.provenance.inputs, program=program()
        )
        for output in forms:
            with open_output(output.path) as stream:
                WRITERS[output.format](report, stream)
    useless = complain_of_useless(results)
    return ExitCode.UNREADABLE if unreadable or useless or not results.provenance.inputs else ExitCode.COMPLIANT
