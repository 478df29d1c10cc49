"""All checks of rule files, those of a game in play among them, and their run over a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from fairdeal.validator.rule_checks import (
    document_checks,
    event_checks,
    game_checks,
    logic_checks,
    requirement_checks,
    simulation_checks,
)
from fairdeal.validator.rule_checks.check_context import DocumentContext, GameContext
from fairdeal.validator.rulebook.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.rule_check import CheckedFile, Mistakes, error, list_checks, run_checks, warning
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rulebook.semantic_errors import LOADING_CHECKS
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.text.diagnostics import Diagnostic
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

if TYPE_CHECKING:
    from fairdeal.validator.odds.odds_figures import WagerOdds
    from fairdeal.validator.rule_checks.game_trial import TrialRun

_SAMPLED_ROUNDS = 20_000
"""Rounds that are simulated if there are too many deals to enumerate. They need only show which side has the advantage.
"""
_CODE = "ineffective-fault"


class PlayContext(GameContext):
    """A loaded document without errors, with the results of playing it."""

    @cached_property
    def trial(self) -> TrialRun:
        """The trial run of the simulated house; an empty one if no round can be played."""
        from fairdeal.validator.rule_checks.game_trial import (  # noqa: PLC0415 - playing needs NumPy
            TrialRun,
            run_trial,
        )

        simulations = [file.model for file in self.files if isinstance(file.model, Simulation)]
        if not simulations:
            return TrialRun()
        try:
            return run_trial(self.rulebook, self.terms.prepared, simulations[0])
        except ValueError as error:
            return TrialRun(unplayable=str(error))

    @cached_property
    def odds(self) -> Sequence[WagerOdds]:
        """The odds of every wager with each of its pay tables."""
        from fairdeal.validator.odds.hand_counts import HandCounts  # noqa: PLC0415 - playing needs NumPy
        from fairdeal.validator.odds.wager_odds import work_out_odds  # noqa: PLC0415

        counts = HandCounts(self.terms.prepared, is_quick=True)
        return work_out_odds(self.regulation, rounds=_SAMPLED_ROUNDS, counted=counts).wagers


@error(
    "never-simulated", "check for wagers that need each other, and for wagers that the simulated house does not offer"
)
def find_no_round_simulated(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a game of which no round can be simulated."""
    if context.trial.unplayable is not None:
        yield here, f"no round can be simulated: {context.trial.unplayable}"


@error("simulation-rejected")
def find_rounds_rejected(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find simulated rounds that are rejected as evidence."""
    rejected, game = context.trial.first_quarantined, context.regulation.id
    if rejected is not None:
        yield (
            here,
            f"the simulated rounds are rejected as evidence: {rejected.reason}",
            f"simulate the game with this seed and examine the record: `fairdeal simulate {game} --rounds 20 --seed 1`",
        )


@warning("never-paid")
def find_rarely_paid_table(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a pay table with rows that hands hold, although hardly one of them is paid."""
    for name, (holding, paid) in context.trial.rarely_paid.items():
        yield (
            here,
            f"in {context.trial.round_count} simulated rounds {holding} hands held a row of the pay table of {name}, "
            f"but {paid} were paid",
            f"check the cases of {name} for a wrong decision that includes seats which play on",
        )


@warning("never-decided", "check for a fact that treats every hand as void, and for the case that all its stakes reach")
def find_undecided_wager(context: PlayContext, simulation: Simulation, here: DataPath) -> Mistakes:
    """Find a wager on which nobody wins or loses anything."""
    for name in context.trial.undecided_wagers:
        yield here, f"in {context.trial.round_count} simulated rounds nobody won or lost anything on {name}"


@warning("fails-in-simulation", "compare the requirement, its steps and cases, and the simulated house with the text")
def find_fails_in_simulation(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a requirement that a round without a fault breaks. Failures of the house have a check of their own."""
    finding = context.trial.first_failures.get(context.regulation.qualify(requirement.requirement))
    if finding is not None and finding.where.round is not None:
        yield (
            here,
            f"the simulated game breaks {requirement.requirement}, although no fault is planted: expected "
            f"{finding.expected}; found {finding.observed} (round {finding.where.round})",
        )


@warning(_CODE, "compare its `when`, or the scope of the requirement, with what seats place and decide")
def find_fault_never_fits(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose condition no round meets, although it needs only what happens often."""
    if context.regulation.qualify(requirement.requirement) in context.trial.faults.never_planted:
        yield (*here, "fault"), f"no round ever meets the condition of the fault of {requirement.requirement}"


@warning(_CODE, "plant what the house can play, or simulate a house that can")
def find_fault_unplayable(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault with which the simulated house cannot play a round."""
    reason = context.trial.faults.unplayable.get(context.regulation.qualify(requirement.requirement))
    if reason is not None:
        name = requirement.requirement
        yield (*here, "fault"), f"the simulated house has no round for the fault of {name}: {reason}"


@warning("simulation-rejected", "plant what a log can record, and name acts for every payment it causes")
def find_fault_rejected(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose rounds are rejected as evidence."""
    rejected = context.trial.faults.quarantined.get(context.regulation.qualify(requirement.requirement))
    if rejected is not None:
        name, reason = requirement.requirement, rejected.reason
        if requirement.stated_fault is not None:
            yield (*here, "fault"), f"rounds with the fault of {name} are rejected as evidence: {reason}"
        else:
            yield (
                here,
                f"rounds that were altered to break {name} are rejected as evidence: {reason}",
                "name acts for every payment of such rounds, or state a `fault` that a log can record, or `none`",
            )


@warning(_CODE, "alter what the requirement checks, in rounds to which it applies")
def find_fault_undetected(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose rounds do not break its requirement."""
    if context.regulation.qualify(requirement.requirement) not in context.trial.faults.undetected:
        return
    name = requirement.requirement
    if requirement.stated_fault is not None:
        yield (*here, "fault"), f"rounds with this fault do not break {name}"
    else:
        yield (
            here,
            f"rounds that were altered to break {name} do not break it",
            "compare its check with the text, and state a `fault` that breaks it, or `fault: none`",
        )


@warning(
    "negative-house-advantage",
    "check for reversed cases, cases without a wager, and payouts that are too high; `fairdeal odds` shows the value "
    "of each",
)
def find_negative_house_advantage(context: PlayContext, game: Game, here: DataPath) -> Mistakes:
    """Find a wager that players who decide well win from the house. A case may be reversed, or a payout too high."""
    for row in context.odds:
        is_certain = row.exact or (row.interval is not None and row.interval[1] < 0)
        if row.house_advantage is not None and Fraction(row.house_advantage) < 0 and is_certain:
            advantage = f"{100 * float(Fraction(row.house_advantage)):.1f} %"
            message = f"players who decide well win {row.wager} from the house: its advantage is {advantage}"
            yield ("wagers" if row.wager in game.wagers else "bonuses", row.wager), message


DOCUMENT_CHECKS = list_checks(
    document_checks,
    game_checks,
    event_checks,
    logic_checks,
    requirement_checks,
    simulation_checks,
)
"""Checks of a document that loads."""
PLAY_CHECKS = (
    find_no_round_simulated,
    find_rounds_rejected,
    find_rarely_paid_table,
    find_undecided_wager,
    find_fails_in_simulation,
    find_fault_never_fits,
    find_fault_unplayable,
    find_fault_rejected,
    find_fault_undetected,
    find_negative_house_advantage,
)
"""Checks of a game in play, which take seconds."""
ALL_CHECKS = (*LOADING_CHECKS, *DOCUMENT_CHECKS, *PLAY_CHECKS)
"""All checks: those that a document must pass to load, those of `rules check`, and those of the game in play."""


def find_warnings(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile], examples: Sequence[PositionedDocument] = ()
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every statement that cannot be meant or seldom is.

    Args:
        rulebook: The rulebook that the regulation belongs to.
        regulation: The loaded regulation.
        files: The files that the regulation was made of, and that of its simulation if it has one.
        examples: The files of its examples.
    """
    checked = [file.to_checked() for file in add_game_requirements(files)]
    context_type = DocumentContext if regulation.game is None else GameContext
    context = context_type(rulebook, regulation, checked, examples)
    checked += [CheckedFile(tree=tree) for tree in examples]
    # A requirement that a game states appears in two files; report its mistakes once.
    yield from dict.fromkeys(run_checks(DOCUMENT_CHECKS, context, checked))


def find_warnings_in_play(
    rulebook: Rulebook, regulation: Regulation, files: Sequence[RuleFile]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every problem that appears when the game is played.

    Every deal is enumerated, and a game with a simulation is played for some rounds, which takes seconds. Call it only
    for a regulation without other errors.
    """
    if regulation.game is not None:
        checked = [file.to_checked() for file in add_game_requirements(files)]
        context = PlayContext(rulebook, regulation, checked)
        yield from dict.fromkeys(run_checks(PLAY_CHECKS, context, checked))
