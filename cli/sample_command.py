"""`fairdeal sample`: rounds to compare with the video, and what reviewers found in them."""

from __future__ import annotations

import re
from functools import partial

import click

from fairdeal.cli.common import evaluation, process, shared_options
from fairdeal.cli.common.shell_completion import complete_files, open_rulebook
from fairdeal.validator.audit.applicability.submissions_in_force import RoundCounter
from fairdeal.validator.audit.round_sample import MOST_SAMPLED, RoundSample, plan_groups
from fairdeal.validator.audit.run.audit_plan import build_audit_plan
from fairdeal.validator.audit.run.local_engine import LocalEngine
from fairdeal.validator.evidence.io import named_files
from fairdeal.validator.evidence.io.stored_files import is_address
from fairdeal.validator.reports.statistics_files import (
    MOST_BYTES,
    PLAN_WRITERS,
    SamplingPlan,
    list_review_lines,
    read_reviews,
)
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.source import read_source

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
@click.option("--rounds", type=click.IntRange(1, MOST_SAMPLED), help="Number of rounds to review, in all.")
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
    type=shared_options.OutputType(PLAN_WRITERS),
    multiple=True,
    default=("text",),
    help=f"One of {', '.join(PLAN_WRITERS)}, to standard output or to a file; may be given repeatedly.",
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
    build_counter = partial(RoundSample, by=by, size=rounds, seed=seed)
    plan = build_audit_plan(open_rulebook(rules), [], counts=build_counter, judge=False)
    engine = LocalEngine(jobs=shared_options.choose_processes(jobs), afresh=any(map(is_address, logs)))
    results, refused, others = evaluation.evaluate_logs(engine, plan, recorded, quiet=quiet, counted=counted.append)
    process.ensure_distinct_files(written, others.remaining, rules=rules)
    evaluation.report_unreadable_logs(refused, others, quiet=quiet)
    if results.provenance.inputs:
        (drawn,) = counted
        assert isinstance(drawn, RoundSample)
        groups = plan_groups(drawn)
        sampling_plan = SamplingPlan(
            program=shared_options.describe_program(),
            inputs=results.provenance.inputs,
            seed=seed,
            by=by,
            rounds=sum(group.rounds for group in groups),
            groups=groups,
        )
        for output in forms:
            with process.open_output(output.path) as stream:
                PLAN_WRITERS[output.format](sampling_plan, stream)
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

    source = read_source(path, limit=MOST_BYTES)
    for line in list_review_lines(read_reviews(source.text.splitlines(keepends=True), source.name), bound):
        click.echo(sanitize(line))
    return process.ExitCode.COMPLIANT
