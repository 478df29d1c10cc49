"""`fairdeal odds`: what the wagers of a game are worth, from its rules."""

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
"""In minor units: what is staked on a wager, where a difference is told in money."""


class MeterType(click.ParamType[tuple[str, int]]):
    """What a meter reads: NAME=AMOUNT, in minor units."""

    name = "NAME=AMOUNT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """The meter and what it reads."""
        match = re.fullmatch(r"([a-z0-9][a-z0-9-]*)=([0-9]{1,12})", str(value))
        if match is None:
            self.fail(f"`{value}` is not what a meter reads, such as progressive=1000000, in minor units", param, ctx)
        return match[1], int(match[2])


@click.command()
@click.argument("game", metavar="GAME | diff A B", nargs=-1, required=True, shell_complete=completion.games)
@click.option("-s", "--submission", metavar="FILE", help="As this submission has it.", shell_complete=completion.files)
@click.option("--wager", metavar="WAGER", help="Only this wager and what goes with it.")
@click.option(
    "--meter", "meters", type=MeterType(), multiple=True, help="What a meter reads, in minor units; may be repeated."
)
@click.option(
    "--strategy",
    "strategy_file",
    metavar="FILE",
    help="What players do, in place of what is best.",
    shell_complete=completion.files,
)
@click.option("--readings", is_flag=True, help="What each reading of the text that moves money is worth.")
@click.option(
    "--rounds", type=click.IntRange(1000, 10**8), default=ROUNDS, show_default=True, help="Rounds, where simulated."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same rounds.")
@click.option(
    "--handle",
    type=click.IntRange(1, 10**15),
    default=HANDLE,
    show_default=True,
    help="With diff: what is staked on each wager, in minor units.",
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
    """Work out the odds of a game's wagers: probabilities, house advantage, what is best for the player.

    GAME is the id of its document. Every permitted pay table is gone through or, with --submission, what the house has
    chosen. What is exact is counted deal by deal; what is simulated says so and in which interval it lies. Odds that a
    submission states and that are not so are told, and end with exit code 1.

    `diff A B` tells which advantages are others in B than in A: each a document, a submission, a folder of submissions
    (with the day) or the JSON of an earlier run, and each with a profile and rules of its own; B may be left out where
    these are what is other.
    """
    files = [one for one in (submission, profile, strategy_file) if one is not None]
    keep_apart([output.path for output in outputs], files, rules=rules)
    rulebook = open_rulebook(rules, profile)
    working = Working(meters=dict(meters), wager=wager, rounds=rounds, seed=seed)
    if game[0] == "diff" and "diff" not in rulebook.documents:
        if submission is not None or strategy_file is not None or readings:
            raise click.UsageError(
                "with diff, sides are named as A and B; --submission, --strategy, --readings are not"
            )
        before, after = sides_of(game[1:], sides)
        read = dict.fromkeys([*before.files, *after.files])
        for one in dict.fromkeys((rules, before.rules, after.rules)):
            keep_apart([output.path for output in outputs], read, rules=one)
        return _diff((before, after), (rules, profile), working, outputs, handle)
    given = next((name for name, value in sides.items() if value is not None), None)
    if given is not None:
        raise click.UsageError(f"`--{given.replace('_', '-')}` is for `fairdeal odds diff A B`")
    if len(game) > 1:
        raise click.UsageError(f"one game at a time, not {' and '.join(game)}")
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
    found = working.of(regulation, stated)
    if readings:
        found = with_readings(found, regulation, lambda read: working.of(read, stated))
    if filed is not None and filed.submission.stated_odds is not None:
        found = replace(found, stated=tuple(stated_figures(filed.submission, found)))
    for output in outputs:
        with open_output(output.path) as stream:
            WRITERS[output.format](found, stream)
    wrong = [one for one in found.stated or () if one.holds is False]
    if filed is not None:
        complain_of(
            filed.tree.diagnostic(
                one.at,
                "stated-odds",
                f"the {one.figure.replace('-', ' ')} of {one.wager} is stated as {one.stated}",
                expected=f"{percent(one.found)} ({one.found})",
            )
            for one in wrong
        )
    return ExitCode.VIOLATIONS if wrong else ExitCode.COMPLIANT


class Working(Struct, frozen=True, kw_only=True):
    """How odds are to be worked out."""

    meters: Mapping[str, int]
    wager: str | None
    rounds: int
    seed: int
    strategy: OwnStrategy | None = None

    def of(self, regulation: Regulation, stated: Submission | None) -> DocumentOdds:
        """The odds of a game, as a submission has it where one is given."""
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
            raise click.UsageError(f"with diff, the output is one of {', '.join(DIFFERENCE_WRITERS)}")
    before, after = (side.odds(working.of, *read_by) for side in sides)
    if before.document != after.document:
        raise click.UsageError(f"`{sides[0].what}` is of {before.document}, `{sides[1].what}` of {after.document}")
    found = OddsDiffer(
        document=before.document,
        title=before.title,
        before=str(sides[0]),
        after=str(sides[1]),
        handle=handle,
        wagers=tuple(moved(before.wagers, after.wagers)),
    )
    for output in outputs:
        with open_output(output.path) as stream:
            DIFFERENCE_WRITERS[output.format](found, stream)
    return ExitCode.COMPLIANT
