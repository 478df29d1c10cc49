"""`fairdeal odds`: house advantage and odds of the wagers of a game."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date

import click
from msgspec import Struct
from msgspec.structs import replace

from cli.common import completion
from cli.common.exits import ExitCode, complain_of, not_among, tell
from cli.common.odds_sides import Side, side_options, sides_of
from cli.common.options import Output, OutputType, profile_option, rules_option
from cli.common.rulebook import open_rulebook
from cli.common.streams import keep_apart, open_output
from validator.audit.run.submission_check import read_submission
from validator.engine.core.house_rules import configuration_of
from validator.evidence.submission.model import Submission
from validator.odds.choosing.own_strategy import OwnStrategy, read_strategy
from validator.odds.figures import DocumentOdds, OddsDiffer, percent
from validator.odds.readings import moved, with_readings
from validator.odds.reports import DIFFERENCE_WRITERS, WRITERS
from validator.odds.stated import seeds_of, stated_figures
from validator.odds.work_out import ROUNDS, work_out
from validator.rules.core.regulation import Regulation
from validator.text.source import read_source

FORMATS = ", ".join(WRITERS)
HANDLE = 100_000_00
"""Default amount staked on each wager, in minor units, for differences in money."""


class MeterType(click.ParamType[tuple[str, int]]):
    """Parameter type of a meter reading: NAME=AMOUNT, in minor units."""

    name = "NAME=AMOUNT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Return the meter and its reading."""
        match = re.fullmatch(r"([a-z0-9][a-z0-9-]*)=([0-9]{1,12})", str(value))
        if match is None:
            self.fail(f"`{value}` is not a meter reading, such as progressive=1000000, in minor units", param, ctx)
        return match[1], int(match[2])


@click.command()
@click.argument("game", metavar="GAME | diff A B", nargs=-1, required=True, shell_complete=completion.games)
@click.option(
    "-s", "--submission", metavar="FILE", help="Use the choices of this submission.", shell_complete=completion.files
)
@click.option("--wager", metavar="WAGER", help="Only this wager and those settled with it.")
@click.option(
    "--meter", "meters", type=MeterType(), multiple=True, help="Meter reading in minor units; may be repeated."
)
@click.option(
    "--strategy",
    "strategy_file",
    metavar="FILE",
    help="Strategy of the players, instead of the best one.",
    shell_complete=completion.files,
)
@click.option("--readings", is_flag=True, help="Show how each reading of the text changes the advantage.")
@click.option(
    "--rounds", type=click.IntRange(1000, 10**8), default=ROUNDS, show_default=True, help="Rounds of a simulation."
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed; the same seed gives the same rounds."
)
@click.option(
    "--handle",
    type=click.IntRange(1, 10**15),
    default=HANDLE,
    show_default=True,
    help="With diff: amount staked on each wager, in minor units.",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputType(WRITERS),
    multiple=True,
    default=["text"],
    help=f"One of {FORMATS}; may be repeated.",
)
@side_options
@profile_option
@rules_option
def odds(
    game: tuple[str, ...],
    submission: str | None,
    wager: str | None,
    meters: tuple[tuple[str, int], ...],
    strategy_file: str | None,
    readings: bool,
    rounds: int,
    seed: int,
    handle: int,
    outputs: tuple[Output, ...],
    profile: str | None,
    rules: str | None,
    **sides: str | date | None,
) -> int:
    """Compute the odds of a game's wagers: probabilities, house advantage, and the best decisions of the player.

    GAME is the id of its document. The odds are computed for every permitted pay table or, with --submission, for the
    choices of the licensee. Exact figures are counted deal by deal; simulated figures are marked and have an interval.
    Wrong odds in a submission are reported, with exit code 1.

    `diff A B` shows the advantages that differ between A and B. Each is a document, a submission, a folder of
    submissions (with the day) or the JSON of an earlier run. Each may have its own profile and rules; B may be left
    out if only these differ.
    """
    files = [file for file in (submission, profile, strategy_file) if file is not None]
    keep_apart([output.path for output in outputs], files, rules=rules)
    rulebook = open_rulebook(rules, profile)
    working = Working(meters=dict(meters), wager=wager, rounds=rounds, seed=seed)
    if game[0] == "diff" and "diff" not in rulebook.documents:
        if submission is not None or strategy_file is not None or readings:
            raise click.UsageError("diff takes its sides as A and B, without --submission, --strategy and --readings")
        before, after = sides_of(game[1:], sides)
        read = dict.fromkeys([*before.files, *after.files])
        for folder in dict.fromkeys((rules, before.rules, after.rules)):
            keep_apart([output.path for output in outputs], read, rules=folder)
        return _diff((before, after), (rules, profile), working, outputs, handle)
    given = next((name for name, value in sides.items() if value is not None), None)
    if given is not None:
        raise click.UsageError(f"`--{given.replace('_', '-')}` is for `fairdeal odds diff A B`")
    if len(game) > 1:
        raise click.UsageError(f"name one game, not {' and '.join(game)}")
    if game[0] not in rulebook.documents:
        raise not_among(rulebook.documents, game[0], "document")
    regulation = rulebook.regulation(game[0])
    if wager is not None and regulation.game is not None:
        lines = (*regulation.game.wagers, *regulation.game.bonuses)
        if wager not in lines:
            raise not_among(lines, wager, "wager")
    if strategy_file is not None:
        working = replace(working, strategy=read_strategy(read_source(strategy_file), regulation))
    filed = None if submission is None else read_submission(rulebook, submission)[0]
    stated = None if filed is None else filed.submission
    if stated is not None and stated.document != game[0]:
        raise click.UsageError(f"`{submission}` is a submission for {stated.document}, not for {game[0]}")
    game_odds = working.of(regulation, stated)
    if readings:
        game_odds = with_readings(game_odds, regulation, lambda read: working.of(read, stated))
    if filed is not None and filed.submission.stated_odds is not None:
        game_odds = replace(game_odds, stated=tuple(stated_figures(filed.submission, game_odds)))
    for output in outputs:
        with open_output(output.path) as stream:
            WRITERS[output.format](game_odds, stream)
    wrong = [figure for figure in game_odds.stated or () if figure.holds is False]
    if filed is not None:
        complain_of(
            filed.tree.diagnostic(
                figure.at,
                "stated-odds",
                f"the {figure.figure.replace('-', ' ')} of {figure.wager} is stated as {figure.stated}",
                expected=f"{percent(figure.found)} ({figure.found})",
            )
            for figure in wrong
        )
    return ExitCode.VIOLATIONS if wrong else ExitCode.COMPLIANT


class Working(Struct, frozen=True, kw_only=True):
    """Options for the computation of odds."""

    meters: Mapping[str, int]
    """Meter readings in minor units."""
    wager: str | None
    """Only wager; None for all."""
    rounds: int
    """Rounds of a simulation."""
    seed: int
    """Seed of a simulation."""
    strategy: OwnStrategy | None = None
    """Strategy of the players; None for the best one."""

    def of(self, regulation: Regulation, stated: Submission | None) -> DocumentOdds:
        """Return the odds of a game, with the choices of a submission if one is given."""
        return work_out(
            regulation,
            stated=None if stated is None else configuration_of(stated),
            meters={**seeds_of(stated), **self.meters},
            wager=self.wager,
            rounds=self.rounds,
            seed=self.seed,
            strategy=self.strategy,
            tell=tell,
        )


def _diff(
    sides: tuple[Side, Side],
    read_by: tuple[str | None, str | None],
    working: Working,
    outputs: tuple[Output, ...],
    handle: int,
) -> int:
    for output in outputs:
        if output.format not in DIFFERENCE_WRITERS:
            raise click.UsageError(f"the output of diff is one of {', '.join(DIFFERENCE_WRITERS)}")
    before, after = (side.odds(working.of, *read_by) for side in sides)
    if before.document != after.document:
        raise click.UsageError(f"`{sides[0].what}` is of {before.document}, `{sides[1].what}` of {after.document}")
    differences = OddsDiffer(
        document=before.document,
        title=before.title,
        before=str(sides[0]),
        after=str(sides[1]),
        handle=handle,
        wagers=tuple(moved(before.wagers, after.wagers)),
    )
    for output in outputs:
        with open_output(output.path) as stream:
            DIFFERENCE_WRITERS[output.format](differences, stream)
    return ExitCode.COMPLIANT
