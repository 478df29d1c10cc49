"""Commands for hand logs: `fairdeal audit`, `explain`, `hold` and `sample`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import click
from msgspec.structs import replace

from fairdeal.cli.check_command import collect_sources, read_submissions
from fairdeal.cli.common import evaluation, process, shared_options, verdict_run
from fairdeal.cli.common.command_settings import complete_files, complete_folders, open_rulebook
from fairdeal.validator.audit import round_sample
from fairdeal.validator.audit.round_explanation import explain_round, find_round
from fairdeal.validator.audit.run.audit_plan import build_audit_plan
from fairdeal.validator.audit.run.run_engines import Engine, LocalEngine
from fairdeal.validator.audit.submissions_in_force import AuditContext, RoundCounter
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.evidence.io import named_files
from fairdeal.validator.evidence.io.named_files import is_address
from fairdeal.validator.results.game_statistics import DropSheet
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, sanitize
from fairdeal.validator.text.source import read_source

ENGINES = ("local", "dask", "spark")
"""Engines that can evaluate rounds; the first is the default."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=complete_files)
@shared_options.submission_option
@shared_options.jobs_option
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
    "--statistics", "statistics", is_flag=True, help="Add statistics of hold, hands, cards and rates of violations."
)
@evaluation.level_option
@process.ascii_option
@verdict_run.run_options
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
    judging: verdict_run.RunOptions,
) -> int:
    """Audit hand logs, round by round.

    LOG is a file, a folder, a pattern ('logs/**/*.jsonl'), or a place in an object store ('s3://bucket/logs'). Formats
    are JSON Lines, poker hand histories (both also .gz and .zst) and Parquet; - is standard input.

    Each round is checked against the submission in force for its casino, game and table. The submissions are checked
    as well.
    """
    if statistics:
        evaluation.require_scipy()
    judges = _engine(
        engine, scheduler, master, shared_options.choose_processes(jobs), afresh=any(map(is_address, logs))
    )
    recorded = named_files.resolve_inputs(logs, named_files.LOGS, apart=judging.input_files)
    submitted = named_files.resolve_inputs(submissions, named_files.SUBMISSIONS, apart=judging.input_files)
    begun = verdict_run.prepare_run(judging, recorded, submitted)
    filed, unreadable = read_submissions(begun.rulebook, submitted, judging)
    counts, counted = None, list[RoundCounter]()
    if statistics:
        from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415 - most runs make no statistics

        counts = HoldCounts
    plan = build_audit_plan(
        begun.rulebook,
        filed,
        as_of=judging.as_of,
        currency=judging.currency,
        waivers=begun.waivers,
        checkpoint=checkpoint,
        counts=counts,
    )
    results, refused, others = evaluation.evaluate_logs(
        judges, plan, recorded, quiet=judging.quiet, counted=counted.append
    )
    verdict_run.refuse_overwriting_inputs(judging, others.remaining)
    evaluation.report_unreadable_logs(refused, others, quiet=judging.quiet)
    results = verdict_run.add_unreadable_files(results, [*unreadable, *refused])
    for round_counts in counted:
        results = replace(
            results,
            statistics=evaluation.compute_statistics(
                round_counts, begun.rulebook, level, results.findings, quiet=judging.quiet
            ),
        )
    code = process.ExitCode.UNREADABLE
    if results.provenance.inputs:
        code = verdict_run.finish_run(results, judging, begun, sources=collect_sources(filed))
    else:
        verdict_run.write_unreadable(results, judging)
    useless = evaluation.report_logs_without_records(results)
    if results.unreadable or useless:
        return process.ExitCode.UNREADABLE
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
        from fairdeal.validator.audit.run.run_engines import DaskEngine  # noqa: PLC0415 - an extra

        return DaskEngine(scheduler=scheduler, jobs=jobs)
    if name == "spark":
        from fairdeal.validator.audit.run.run_engines import SparkEngine  # noqa: PLC0415 - an extra

        return SparkEngine(master=master, jobs=jobs)
    return LocalEngine(jobs=jobs, afresh=afresh)


@click.command()
@click.argument("log", metavar="LOG", shell_complete=complete_files)
@click.option("--round", "round_", required=True, metavar="ID", help="Id of the round.")
@click.option("--casino", metavar="NAME", help="Casino, if several have a round of this id.")
@click.option("--table", metavar="NAME", help="Table, if several have a round of this id.")
@click.option(
    "--all", "every_rule", is_flag=True, help="Also list rules without a violation and those that did not arise."
)
@shared_options.submission_option
@shared_options.waivers_option
@shared_options.profile_option
@shared_options.rules_option
@process.ascii_option
def explain(
    log: str,
    round_: str,
    casino: str | None,
    table: str | None,
    every_rule: bool,
    submissions: Sequence[str],
    waivers: Sequence[str],
    profile: str | None,
    rules: str | None,
) -> int:
    """Explain one round of a hand log step by step: what happened, and what each wager should be paid and why.

    Violations come first, then what could not be confirmed.
    """
    rulebook = open_rulebook(rules, profile)
    filed, unreadable = read_submissions(
        rulebook, named_files.resolve_inputs(submissions, named_files.SUBMISSIONS, apart=[*waivers, profile])
    )
    if unreadable:
        return process.ExitCode.UNREADABLE
    context = AuditContext(
        rulebook=rulebook,
        submissions=[submission.submission for submission, _ in filed],
        as_of=None,
        grants=[grant for grants, _ in verdict_run.read_waiver_files(rulebook, waivers) for grant in grants],
    )
    batch = find_round(HandLog(log, variants=context.load_variants), round_, context, casino=casino, table=table)
    if batch is None:
        raise InputError(
            (Diagnostic(code="no-such-round", message=f"this log has no readable round `{round_}`", file=log),)
        )
    explanation = explain_round(context, batch, every_rule=every_rule)
    for chapter in explanation.chapters:
        process.print_line(chapter.title)
        for line in chapter.lines:
            process.print_line(f"  {sanitize(line)}")
    if not every_rule:
        process.print_line("  (--all lists these rules)")
    return process.ExitCode.COMPLIANT


FORMATS = ("text", "json", "csv", "html")
"""Formats of the report."""


@click.command()
@click.argument("logs", nargs=-1, required=True, metavar="LOG...", shell_complete=complete_files)
@shared_options.submission_option
@evaluation.level_option
@click.option(
    "-o",
    "--output",
    "forms",  # not `outputs`, which the configuration file sets for results
    type=shared_options.OutputType(FORMATS),
    multiple=True,
    default=("text",),
    help=f"One of {', '.join(FORMATS)}, to standard output or to a file; may be given repeatedly.",
)
@click.option(
    "--currency",
    type=shared_options.CurrencyType(),
    help="Currency of all amounts; rounds in another currency are quarantined.",
)
@click.option(
    "--drop",
    metavar="FILE",
    help="Drop sheet, a CSV with the columns table, day, drop and win in units of the currency: adds win to drop.",
    shell_complete=complete_files,
)
@shared_options.jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the requested outputs.")
@shared_options.profile_option
@shared_options.rules_option
def hold(
    logs: tuple[str, ...],
    submissions: tuple[str, ...],
    level: float,
    forms: tuple[shared_options.Output, ...],
    currency: str | None,
    drop: str | None,
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
    evaluation.require_scipy()
    recorded = named_files.resolve_inputs(logs, named_files.LOGS, apart=[profile])
    submitted = named_files.resolve_inputs(submissions, named_files.SUBMISSIONS, apart=[profile])
    written = [output.path for output in forms]
    process.ensure_distinct_files(written, [*recorded.named_files, *submitted.named_files, profile, drop], rules=rules)
    rulebook = open_rulebook(rules, profile)
    filed, unreadable = read_submissions(rulebook, submitted)
    from fairdeal.validator.hold.hold_counts import HoldCounts  # noqa: PLC0415 - `--help` does not need the odds of games
    from fairdeal.validator.hold.hold_files import STATISTICS_WRITERS, StatisticsReport, compare_drops, read_drop_sheet  # noqa: PLC0415

    sheet = None if drop is None else read_source(drop)
    counted: list[RoundCounter] = []
    plan = build_audit_plan(rulebook, filed, currency=currency, counts=HoldCounts, judge=False)
    engine = LocalEngine(jobs=shared_options.choose_processes(jobs), afresh=any(map(is_address, logs)))
    results, refused, others = evaluation.evaluate_logs(engine, plan, recorded, quiet=quiet, counted=counted.append)
    process.ensure_distinct_files(written, others.remaining, rules=rules)
    evaluation.report_unreadable_logs(refused, others, quiet=quiet)
    if results.provenance.inputs:
        found = evaluation.compute_statistics(counted[0], rulebook, level, quiet=quiet)
        currency = results.subject.currency or ", ".join(results.subject.currencies) or None
        drop_sheet = None
        if sheet is not None:
            rows = compare_drops(read_drop_sheet(sheet, results.subject.currency), found)
            drop_sheet = DropSheet(file=sheet.name, sha256=sheet.sha256, rows=rows)
        report = StatisticsReport(
            statistics=found,
            drop_sheet=drop_sheet,
            currency=currency,
            inputs=results.provenance.inputs,
            program=shared_options.describe_program(),
        )
        for output in forms:
            with process.open_output(output.path) as stream:
                STATISTICS_WRITERS[output.format](report, stream)
    useless = evaluation.report_logs_without_records(results)
    return (
        process.ExitCode.UNREADABLE
        if unreadable or refused or useless or not results.provenance.inputs
        else process.ExitCode.COMPLIANT
    )


_MOST_KEYS = 5


class KeysType(click.ParamType[tuple[str, ...]]):
    """Parameter type of the keys that rounds are grouped by: `table,dealer`."""

    name = "KEY,..."

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        """Return the keys."""
        keys = tuple(dict.fromkeys(part.strip() for part in str(value).split(",") if part.strip()))
        if len(keys) > _MOST_KEYS or not all(re.fullmatch(r"\S{1,40}", key) for key in keys):
            self.fail(f"`{value}` is not a list of at most {_MOST_KEYS} keys such as table,dealer,shift", param, ctx)
        return keys


@click.command()
@click.argument("logs", nargs=-1, metavar="[LOG...]", shell_complete=complete_files)
@click.option("--rounds", type=click.IntRange(1, round_sample.MOST_SAMPLED), help="Number of rounds to review, in all.")
@click.option(
    "--by",
    type=KeysType(),
    default="table",
    show_default=True,
    help="Groups that are reviewed alike: casino, table, deck, day, or keys of `context` such as dealer and shift.",
)
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="The same seed draws the same rounds.")
@click.option(
    "-o",
    "--output",
    "forms",
    type=shared_options.OutputType(round_sample.PLAN_WRITERS),
    multiple=True,
    default=("text",),
    help=f"One of {', '.join(round_sample.PLAN_WRITERS)}, to standard output or to a file; may be given repeatedly.",
)
@click.option(
    "--reviewed",
    metavar="FILE",
    help="Plan in CSV with answers under `fault`; prints what the reviewers found.",
    shell_complete=complete_files,
)
@evaluation.level_option
@shared_options.jobs_option
@click.option("-q", "--quiet", is_flag=True, help="Print only errors and the requested outputs.")
@shared_options.rules_option
def sample(
    logs: tuple[str, ...],
    rounds: int | None,
    by: tuple[str, ...],
    seed: int | None,
    forms: tuple[shared_options.Output, ...],
    reviewed: str | None,
    level: float,
    jobs: int | None,
    quiet: bool,
    rules: str | None,
) -> int:
    """Draw rounds to compare with the video, evenly from groups such as tables and dealers.

    The plan states the seed, the logs with their SHA-256, and the size of each group. Reviewers write `yes` or `no`
    under `fault` in the CSV; `fairdeal sample --reviewed FILE` then bounds the share of rounds with a fault.
    """
    if reviewed is not None:
        if logs or rounds or seed is not None:
            raise click.UsageError("`--reviewed` reads a plan; it takes no logs, no `--rounds` and no `--seed`")
        return _print_reviews(reviewed, level)
    if not logs or rounds is None or seed is None:
        raise click.UsageError("name logs, `--rounds` and `--seed`, or a plan with `--reviewed`")
    recorded = named_files.resolve_inputs(logs, named_files.LOGS)
    written = [output.path for output in forms]
    process.ensure_distinct_files(written, recorded.named_files, rules=rules)
    counted: list[RoundCounter] = []
    build_counter = partial(round_sample.RoundSample, by=by, size=rounds, seed=seed)
    plan = build_audit_plan(open_rulebook(rules), [], counts=build_counter, judge=False)
    engine = LocalEngine(jobs=shared_options.choose_processes(jobs), afresh=any(map(is_address, logs)))
    results, refused, others = evaluation.evaluate_logs(engine, plan, recorded, quiet=quiet, counted=counted.append)
    process.ensure_distinct_files(written, others.remaining, rules=rules)
    evaluation.report_unreadable_logs(refused, others, quiet=quiet)
    if results.provenance.inputs:
        (drawn,) = counted
        assert isinstance(drawn, round_sample.RoundSample)
        groups = round_sample.plan_groups(drawn)
        sampling_plan = round_sample.SamplingPlan(
            program=shared_options.describe_program(),
            inputs=results.provenance.inputs,
            seed=seed,
            by=by,
            rounds=sum(group.rounds for group in groups),
            groups=groups,
        )
        for output in forms:
            with process.open_output(output.path) as stream:
                round_sample.PLAN_WRITERS[output.format](sampling_plan, stream)
    useless = evaluation.report_logs_without_records(results)
    if refused or useless or not results.provenance.inputs:
        return process.ExitCode.UNREADABLE
    return process.ExitCode.COMPLIANT


def _print_reviews(path: str, level: float) -> int:
    evaluation.require_scipy()
    from scipy.stats import binomtest  # noqa: PLC0415 - an extra

    def bound(faults: int, rounds: int) -> tuple[float, float]:
        interval = binomtest(faults, rounds).proportion_ci(level, "exact")
        return float(interval.low), float(interval.high)

    source = read_source(path, limit=round_sample.MOST_BYTES)
    for line in round_sample.list_review_lines(
        round_sample.read_reviews(source.text.splitlines(keepends=True), source.name), bound
    ):
        click.echo(sanitize(line))
    return process.ExitCode.COMPLIANT
