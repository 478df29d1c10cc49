"""`fairdeal odds`: what the wagers of a game are worth, from its rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

import click
from msgspec import Struct

from cli.common import completion
from cli.common.exits import ExitCode, not_among, tell
from cli.common.options import open_rulebook, profile_option, rules_option
from cli.common.streams import STDIO, keep_apart, open_output
from validator.audit.run.submission_check import read_submission
from validator.engine.core.house_rules import configuration_of
from validator.evidence.submission.model import Submission
from validator.odds.reports import WRITERS
from validator.odds.work_out import ROUNDS, work_out
from validator.text.diagnostics import did_you_mean

FORMATS = ", ".join(WRITERS)


class Output(Struct, frozen=True, kw_only=True):
    """A format and where it goes."""

    format: str
    path: str


class OutputType(click.ParamType[Output]):
    """FORMAT or FORMAT:PATH."""

    name = "FORMAT[:PATH]"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Output:
        """An output from its text."""
        if isinstance(value, Output):
            return value
        form, _, path = str(value).partition(":")
        if form not in WRITERS:
            near = did_you_mean(form, WRITERS)
            self.fail(
                f"there is no format `{form}`; one of {FORMATS}{f'; did you mean `{near}`?' if near else ''}",
                param,
                ctx,
            )
        return Output(format=form, path=path or STDIO)


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
@click.argument("game", metavar="GAME", shell_complete=completion.games)
@click.option("-s", "--submission", metavar="FILE", help="As this submission has it.", shell_complete=completion.files)
@click.option("--wager", metavar="WAGER", help="Only this wager and what goes with it.")
@click.option(
    "--meter", "meters", type=MeterType(), multiple=True, help="What a meter reads, in minor units; may be repeated."
)
@click.option(
    "--rounds", type=click.IntRange(1000, 10**8), default=ROUNDS, show_default=True, help="Rounds, where simulated."
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="The same seed, the same rounds.")
@click.option(
    "-o",
    "--output",
    "outputs",
    type=OutputType(),
    multiple=True,
    default=["text"],
    help=f"One of {FORMATS}; may be repeated.",
)
@profile_option
@rules_option
def odds(
    game: str,
    submission: str | None,
    wager: str | None,
    meters: tuple[tuple[str, int], ...],
    rounds: int,
    seed: int,
    outputs: tuple[Output, ...],
    profile: str | None,
    rules: str | None,
) -> int:
    """Work out the odds of a game's wagers: probabilities, house advantage, what is best for the player.

    GAME is the id of its document. Every permitted pay table is gone through or, with --submission, what the house has
    chosen. What is exact is counted deal by deal; what is simulated says so and in which interval it lies.
    """
    keep_apart([output.path for output in outputs], [submission, profile], rules=rules)
    rulebook = open_rulebook(rules, profile)
    if game not in rulebook.documents:
        raise not_among(rulebook.documents, game, "document")
    regulation = rulebook.regulation(game)
    if wager is not None and regulation.game is not None:
        lines = (*regulation.game.wagers, *regulation.game.bonuses)
        if wager not in lines:
            raise not_among(lines, wager, "wager")
    stated = None if submission is None else read_submission(rulebook, submission)[0].submission
    if stated is not None and stated.document != game:
        raise click.UsageError(f"`{submission}` is a submission for {stated.document}, not for {game}")
    found = work_out(
        regulation,
        stated=None if stated is None else configuration_of(stated),
        meters={**_seeds(stated), **dict(meters)},
        wager=wager,
        rounds=rounds,
        seed=seed,
        tell=tell,
    )
    for output in outputs:
        with open_output(output.path) as stream:
            WRITERS[output.format](found, stream)
    return ExitCode.COMPLIANT


def _seeds(stated: Submission | None) -> Mapping[str, int]:
    """What the meters of a submission start from."""
    meters = [] if stated is None else stated.meters or []
    return {one.meter: one.seed for one in meters if one.seed is not None}
