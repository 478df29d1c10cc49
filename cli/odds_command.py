"""`fairdeal odds`: house advantage and odds of the wagers of a game, and the comparison of two sets of odds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import partial
from typing import Any, TypeVar

import click
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.cli.common import command_settings, process
from fairdeal.cli.common.command_settings import open_rulebook
from fairdeal.cli.common.shared_options import DayType, Output, OutputType, profile_option, rules_option
from fairdeal.validator.audit.run.submission_check import describe_other_format, read_submission
from fairdeal.validator.engine.core.house_terms import build_configuration
from fairdeal.validator.evidence.io.named_files import SUBMISSIONS, resolve_inputs
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.odds import odds_reports
from fairdeal.validator.odds.choosing.exact_odds import GivenStrategy, read_strategy
from fairdeal.validator.odds.odds_figures import DocumentOdds, OddsComparison, format_percentage
from fairdeal.validator.odds.odds_reports import DIFFERENCE_WRITERS, WRITERS, read_saved_odds
from fairdeal.validator.odds.wager_odds import SIMULATED_ROUNDS, work_out_odds
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.closed_model import is_identifier
from fairdeal.validator.text.diagnostics import InputError
from fairdeal.validator.text.plain_values import parse_money
from fairdeal.validator.text.source import read_source

Command = TypeVar("Command", bound=Callable[..., Any])
WorkOut = Callable[[Regulation, Submission | None], DocumentOdds]


class OddsSide(Struct, frozen=True, kw_only=True):
    """Side of a comparison of odds."""

    source: str
    """Id of a document, a submission, a folder of submissions, or JSON of an earlier run."""
    profile: str | None
    """Profile of this side; None for that of the command."""
    rules: str | None
    """Rules folder of this side; None for that of the command."""
    day: date | None
    """Day that chooses the submission in force."""

    @property
    def files(self) -> list[str]:
        """Files that the side may be read from."""
        return [file for file in (self.source, self.profile) if file is not None]

    def __str__(self) -> str:
        """Return the side as reports name it."""
        details = [
            self.profile and f"profile {self.profile}",
            self.rules and f"rules {self.rules}",
            self.day and f"on {self.day.isoformat()}",
        ]
        return ", ".join([self.source, *(detail for detail in details if detail)])

    def read(self, work_out: WorkOut, rules: str | None, profile: str | None) -> tuple[str, Callable[[], DocumentOdds]]:
        """Return the document of the side, and a function that computes its odds.

        The given rules and profile apply if the side has none of its own.

        Raises:
            InputError: if a file cannot be read.
            UsageError: if the side is ambiguous.
        """
        if self.source.endswith(".json"):
            saved = read_saved_odds(read_source(self.source))
            if saved is not None:
                if self.profile or self.rules or self.day:
                    raise click.UsageError(f"`{self.source}` contains odds, which no profile, rules or day can change")
                return saved.document, lambda: saved
        rulebook = open_rulebook(self.rules or rules, self.profile or profile)
        if self.source in rulebook.documents:
            if self.day is not None:
                raise click.UsageError(f"`{self.source}` is a document: a day chooses among submissions")
            return self.source, partial(work_out, rulebook.regulation(self.source), None)
        inputs, read = resolve_inputs((self.source,), SUBMISSIONS), list[Submission]()
        for error in inputs.errors:
            raise error
        for path in inputs.files:
            try:
                read.append(read_submission(rulebook, path)[0].submission)
            except InputError as error:
                if path not in inputs.from_folders or describe_other_format(path, error) is None:
                    raise
        stated = self._in_force(read)
        return stated.document, partial(work_out, rulebook.regulation(stated.document), stated)

    def _in_force(self, read: list[Submission]) -> Submission:
        begun = [submission for submission in read if self.day is None or submission.effective <= self.day]
        if not begun:
            raise click.UsageError(f"`{self.source}` has no submission{f' in force {self}' if self.day else ''}")
        latest = max(submission.effective for submission in begun)
        last = begun if self.day is None else [submission for submission in begun if submission.effective == latest]
        if len(last) > 1:
            names = ", ".join(submission.submission for submission in last)
            raise click.UsageError(
                f"`{self.source}` has several submissions ({names}): name one, or the day it is in force"
            )
        return last[0]


def parse_sides(what: tuple[str, ...], options: dict[str, Any]) -> tuple[OddsSide, OddsSide]:
    """Return the sides of a command line; a single name is both sides, with different options. Raises UsageError."""
    if len(what) not in (1, 2):
        raise click.UsageError("diff takes two sides: fairdeal odds diff A B")
    before, after = (
        OddsSide(
            source=name,
            profile=options[f"{side}_profile"],
            rules=options[f"{side}_rules"],
            day=options[f"{side}_date"],
        )
        for side, name in zip(("before", "after"), (what[0], what[-1]), strict=True)
    )
    if before == after and len(what) == 1:
        raise click.UsageError(f"`{before.source}` is both sides: add an option such as --after-profile, or name B")
    return before, after


def side_options(command: Command) -> Command:
    """Add the options of sides: `before_profile`, `after_profile` and so on."""
    for side, name in (("after", "B"), ("before", "A")):
        for option in (
            click.option(f"--{side}-date", type=DayType(), help=f"With diff: day on which {name} is in force."),
            click.option(f"--{side}-rules", metavar="FOLDER", help=f"With diff: rules folder of {name} only."),
            click.option(
                f"--{side}-profile",
                metavar="FILE",
                help=f"With diff: profile of {name} only.",
                shell_complete=command_settings.complete_files,
            ),
        ):
            command = option(command)
    return command


FORMATS = ", ".join(WRITERS)
HANDLE = "100,000"
"""Default amount staked on each wager, for differences in money."""


class AmountType(click.ParamType[int]):
    """Parameter type of an amount in units of the currency, as submissions state it: `5`, `5.00` or `1,000`."""

    name = "AMOUNT"

    def __init__(self, least: int = 0) -> None:
        self._least = least

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the amount in minor units."""
        if isinstance(value, int):
            return value
        try:
            amount = parse_money(value)
        except ValueError as error:
            self.fail(str(error), param, ctx)
        if amount < self._least:
            self.fail(f"`{value}` is too little", param, ctx)
        return amount


class MeterType(click.ParamType[tuple[str, int]]):
    """Parameter type of a meter reading: NAME=AMOUNT."""

    name = "NAME=AMOUNT"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        """Return the meter and its reading."""
        meter, equals, amount = str(value).partition("=")
        if not equals or not is_identifier(meter):
            self.fail(f"`{value}` is not a meter reading, such as progressive=10,000", param, ctx)
        return meter, AmountType().convert(amount, param, ctx)


@click.command()
@click.argument(
    "game", metavar="GAME | diff A B", nargs=-1, required=True, shell_complete=command_settings.complete_games
)
@click.option(
    "-s",
    "--submission",
    metavar="FILE",
    help="Use the choices of this submission.",
    shell_complete=command_settings.complete_files,
)
@click.option("--wager", metavar="WAGER", help="Only this wager and those settled with it.")
@click.option(
    "--meter",
    "meters",
    type=MeterType(),
    multiple=True,
    help="Meter reading, such as progressive=10,000; may be repeated.",
)
@click.option(
    "--strategy",
    "strategy_file",
    metavar="FILE",
    help="Strategy of the players, instead of the best one.",
    shell_complete=command_settings.complete_files,
)
@click.option("--readings", is_flag=True, help="Show how each reading of the text changes the advantage.")
@click.option(
    "--rounds",
    type=click.IntRange(1000, 10**8),
    default=SIMULATED_ROUNDS,
    show_default=True,
    help="Rounds of a simulation.",
)
@click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed; the same seed gives the same rounds."
)
@click.option(
    "--handle",
    type=AmountType(least=1),
    default=HANDLE,
    show_default=True,
    help="With diff: amount staked on each wager.",
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
    process.ensure_distinct_files([output.path for output in outputs], files, rules=rules)
    rulebook = open_rulebook(rules, profile)
    working = OddsOptions(meters=dict(meters), wager=wager, rounds=rounds, seed=seed)
    if game[0] == "diff" and "diff" not in rulebook.documents:
        if submission is not None or strategy_file is not None or readings:
            raise click.UsageError("diff takes its sides as A and B, without --submission, --strategy and --readings")
        before, after = parse_sides(game[1:], sides)
        read = dict.fromkeys([*before.files, *after.files])
        for folder in dict.fromkeys((rules, before.rules, after.rules)):
            process.ensure_distinct_files([output.path for output in outputs], read, rules=folder)
        return _diff((before, after), (rules, profile), working, outputs, handle)
    given = next((name for name, value in sides.items() if value is not None), None)
    if given is not None:
        raise click.UsageError(f"`--{given.replace('_', '-')}` is for `fairdeal odds diff A B`")
    if len(game) > 1:
        raise click.UsageError(f"name one game, not {' and '.join(game)}")
    document = command_settings.find_document(rulebook, game[0])
    regulation = rulebook.regulation(document)
    if wager is not None and regulation.game is not None:
        lines = (*regulation.game.wagers, *regulation.game.bonuses)
        if wager not in lines:
            raise process.make_unknown_name_error(lines, wager, "wager")
    if strategy_file is not None:
        working = replace(working, strategy=read_strategy(read_source(strategy_file), regulation))
    filed = None if submission is None else read_submission(rulebook, submission)[0]
    stated = None if filed is None else filed.submission
    if stated is not None and stated.document != document:
        raise click.UsageError(f"`{submission}` is a submission for {stated.document}, not for {document}")
    game_odds = working.compute(regulation, stated)
    if readings:
        game_odds = odds_reports.add_readings(game_odds, regulation, lambda read: working.compute(read, stated))
    if filed is not None and filed.submission.stated_odds is not None:
        game_odds = replace(game_odds, stated=tuple(odds_reports.check_stated_figures(filed.submission, game_odds)))
    for output in outputs:
        with process.open_output(output.path) as stream:
            WRITERS[output.format](game_odds, stream)
    wrong = [figure for figure in game_odds.stated or () if figure.holds is False]
    if filed is not None:
        process.report_diagnostics(
            filed.tree.build_diagnostic(
                figure.at,
                "stated-odds",
                f"the {figure.figure.replace('-', ' ')} of {figure.wager} is stated as {figure.stated}",
                expected=f"{format_percentage(figure.found)} ({figure.found})",
            )
            for figure in wrong
        )
    return process.ExitCode.VIOLATIONS if wrong else process.ExitCode.COMPLIANT


class OddsOptions(Struct, frozen=True, kw_only=True):
    """Options for the computation of odds."""

    meters: Mapping[str, int]
    """Meter readings in minor units."""
    wager: str | None
    """Only wager; None for all."""
    rounds: int
    """Rounds of a simulation."""
    seed: int
    """Seed of a simulation."""
    strategy: GivenStrategy | None = None
    """Strategy of the players; None for the best one."""

    def compute(self, regulation: Regulation, stated: Submission | None) -> DocumentOdds:
        """Return the odds of a game, with the choices of a submission if one is given."""
        return work_out_odds(
            regulation,
            stated=None if stated is None else build_configuration(stated),
            meters={**odds_reports.list_meter_seeds(stated), **self.meters},
            wager=self.wager,
            rounds=self.rounds,
            seed=self.seed,
            strategy=self.strategy,
            report_progress=process.print_message,
        )


def _diff(
    sides: tuple[OddsSide, OddsSide],
    read_by: tuple[str | None, str | None],
    working: OddsOptions,
    outputs: tuple[Output, ...],
    handle: int,
) -> int:
    for output in outputs:
        if output.format not in DIFFERENCE_WRITERS:
            raise click.UsageError(f"the output of diff is one of {', '.join(DIFFERENCE_WRITERS)}")
    (document, compute_before), (other, compute_after) = (side.read(working.compute, *read_by) for side in sides)
    if document != other:
        raise click.UsageError(f"`{sides[0].source}` is of {document}, `{sides[1].source}` of {other}")
    before, after = compute_before(), compute_after()
    differences = OddsComparison(
        document=before.document,
        title=before.title,
        before=str(sides[0]),
        after=str(sides[1]),
        handle=handle,
        wagers=tuple(odds_reports.compare_advantages(before.wagers, after.wagers)),
    )
    for output in outputs:
        with process.open_output(output.path) as stream:
            DIFFERENCE_WRITERS[output.format](differences, stream)
    return process.ExitCode.COMPLIANT
