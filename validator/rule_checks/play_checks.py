"""Checks of a game in play: mistakes that simulated rounds, planted faults and the odds of every wager show."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from fairdeal.validator.rule_checks.check_context import GameContext
from fairdeal.validator.rulebook.rule_check import Mistakes, error, warning
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.text.positioned_document import DataPath

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


@warning("simulation-rejected", "plant something that a log can record: its summary and its events must agree")
def find_fault_rejected(context: PlayContext, requirement: Requirement, here: DataPath) -> Mistakes:
    """Find a fault whose rounds are rejected as evidence."""
    rejected = context.trial.faults.quarantined.get(context.regulation.qualify(requirement.requirement))
    if rejected is not None:
        name = requirement.requirement
        yield (*here, "fault"), f"rounds with the fault of {name} are rejected as evidence: {rejected.reason}"


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
