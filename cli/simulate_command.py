"""`fairdeal simulate`: hand logs of games played from the rulebook, with or without planted violations."""

from __future__ import annotations

import re
from collections import Counter

import click
import yaml

from fairdeal.cli.common import process, shared_options, shell_completion
from fairdeal.cli.common.evaluation import count_progress
from fairdeal.cli.common.shell_completion import open_rulebook
from fairdeal.validator.audit.run.submission_check import read_submission
from fairdeal.validator.evidence.io.named_files import STDIO
from fairdeal.validator.evidence.log_writers import open_log_writer
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.lint.dependencies import find_needed_readings
from fairdeal.validator.rulebook.loading.rule_catalogue import resolve_requirement_name
from fairdeal.validator.rulebook.loading.rulebook import Rulebook, read_profile
from fairdeal.validator.rulebook.loading.simulation_file import load_simulation
from fairdeal.validator.rules.regulation import Regulation, apply_profile
from fairdeal.validator.rules.rule_files import list_profiles
from fairdeal.validator.simulate.game_simulation import FAULT_INTERVAL, WorkPlan
from fairdeal.validator.simulate.game_simulation import simulate as play

MOST_ROUNDS = 10**9
"""Limit of `--rounds`."""


class SeatsType(click.ParamType[tuple[int, int]]):
    """Parameter type of a number or range of seats: 6 or 1-6."""

    name = "N[-M]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return the least and the most seats."""
        match = re.fullmatch(r"([1-9][0-9]?)(?:-([1-9][0-9]?))?", str(value))
        if match is None or int(match[1]) > int(match[2] or match[1]):
            self.fail(f"`{value}` is not a number of seats such as 6, nor a range such as 1-6", param, ctx)
        return int(match[1]), int(match[2] or match[1])


@click.command()
@click.argument("game", metavar="GAME", shell_complete=shell_completion.complete_games)
@click.option("--rounds", type=click.IntRange(1, MOST_ROUNDS), required=True, help="Number of rounds.")
@click.option("--seed", type=click.IntRange(0), required=True, help="The same seed gives the same log.")
@click.option(
    "-s",
    "--submission",
    "submission",
    metavar="FILE",
    help="Play under this submission.",
    shell_complete=shell_completion.complete_files,
)
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="REQUIREMENT",
    help="Plant violations of this requirement.",
    shell_complete=shell_completion.complete_requirements,
)
@click.option(
    "--fault-every",
    type=click.IntRange(1),
    default=FAULT_INTERVAL,
    show_default=True,
    help="Plant one in every n-th suitable round.",
)
@click.option("--seats", type=SeatsType(), help="Seats in play, such as 6 or 1-6.")
@click.option(
    "--vary",
    type=click.IntRange(0, 100),
    default=0,
    show_default=True,
    metavar="PERCENT",
    help="Vary this share of rounds as the rules permit: irregularities, motions, incomplete records.",
)
@click.option("--days", type=click.IntRange(1, 36_500), help="Spread the rounds over this number of gaming days.")
@click.option(
    "--shifts", type=click.IntRange(1, 24), default=1, show_default=True, help="Divide each of --days into shifts."
)
@click.option("--dealers", type=click.IntRange(1, 10_000), help="Name dealers, who change tables every half hour.")
@click.option(
    "-o",
    "--output",
    type=shared_options.OutputPathType(),
    default=STDIO,
    help=".jsonl (also .gz, .zst) or .parquet; - for standard output.",
    shell_complete=shell_completion.complete_files,
)
@click.option(
    "--write-submission",
    type=shared_options.OutputPathType(),
    help="Write the submission of the simulated casino.",
    shell_complete=shell_completion.complete_files,
)
@shared_options.jobs_option
@shared_options.profile_option
@shared_options.rules_option
def simulate(
    game: str,
    rounds: int,
    seed: int,
    submission: str | None,
    faults: tuple[str, ...],
    fault_every: int,
    seats: tuple[int, int] | None,
    vary: int,
    days: int | None,
    shifts: int,
    dealers: int | None,
    output: str,
    write_submission: str | None,
    jobs: int | None,
    profile: str | None,
    rules: str | None,
) -> int:
    """Simulate a game by its rules and write the hand log.

    GAME is the id of its document. With --fault, suitable rounds violate that requirement; the annotations of each
    record name the planted violations.
    """
    process.ensure_distinct_files(
        [output, *([] if write_submission is None else [write_submission])], [submission, profile], rules=rules
    )
    rulebook = open_rulebook(rules, profile)
    game = shell_completion.find_document(rulebook, game)
    if game not in rulebook.games:
        raise click.UsageError(f"`{game}` has no game to simulate. The games are {', '.join(sorted(rulebook.games))}.")
    regulation = rulebook.regulation(game)
    simulation = load_simulation(regulation, rulebook.folder)
    under = simulation.submission if submission is None else _read_given_submission(rulebook, submission)
    with process.unknown_ids_as_usage_errors():
        names = [resolve_requirement_name(regulation, fault) for fault in faults]
    for name in names:
        _ensure_required(rulebook, regulation, name)
    try:
        batches = play(
            compile_game(regulation),
            simulation,
            submission=under,
            rounds=rounds,
            seed=seed,
            faults=names,
            every=fault_every,
            seats=seats,
            vary=vary,
            work=WorkPlan(days=days or 0, shifts=shifts, dealers=dealers or 0),
            jobs=shared_options.choose_processes(jobs),
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if write_submission is not None:
        with process.open_output(write_submission) as stream:
            stream.write(yaml.safe_dump(under.to_file_data(), sort_keys=False, allow_unicode=True, width=100).encode())
    planted: Counter[str] = Counter()
    with (
        process.convert_write_errors(output),
        open_log_writer(process.make_parent_folders(output)) as log,
        count_progress("rounds", rounds) as advance,
    ):
        for batch, faulty in process.collect_between(batches):
            planted.update(name for names_ in faulty for name in names_)
            log.write(batch, faulty)
            advance(len(batch))
    for name in names:
        count = planted[regulation.qualify(name)]
        note = f"planted in {count} rounds" if count else "NOT planted: this run has no suitable round"
        process.print_message(f"{regulation.qualify(name)}: {note}")
    return process.ExitCode.COMPLIANT


def _ensure_required(rulebook: Rulebook, regulation: Regulation, name: str) -> None:
    """Raise UsageError for a requirement that only applies under other readings, with the profiles that choose them."""
    requirement = regulation.find_requirement(name)
    needed = find_needed_readings(regulation, requirement)
    if not needed:
        return
    fitting = [
        known
        for known, path in list_profiles(rulebook.folder).items()
        if not find_needed_readings(apply_profile(regulation, read_profile(rulebook, str(path))), requirement)
    ]
    readings = " and ".join(
        f"the reading `{reading}` is `{option}` (it is `{regulation.choices[reading]}`)"
        for reading, option in needed.items()
    )
    way = (
        f"use --profile {' or '.join(fitting)}"
        if fitting
        else "no shipped profile has this reading; use your own profile (--profile FILE)"
    )
    raise click.UsageError(f"`{regulation.qualify(name)}` applies only if {readings}: {way}")


def _read_given_submission(rulebook: Rulebook, path: str) -> Submission:
    filed, _ = read_submission(rulebook, path)
    return filed.submission
