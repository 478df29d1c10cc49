"""Checks of a game in play: mistakes that simulated rounds, planted faults and the odds of every wager show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from fairdeal.validator.rule_checks.check_context import DocumentContext
from fairdeal.validator.rulebook.lint.rule_check import RuleCheck, RuleMistake
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.text.positioned_document import DataPath

if TYPE_CHECKING:
    from fairdeal.validator.odds.odds_figures import WagerOdds
    from fairdeal.validator.rule_checks.game_trial import TrialRun

_SAMPLED_ROUNDS = 20_000
"""Rounds that are simulated if there are too many deals to enumerate. They need only show which side has the advantage.
"""
_SEE_RECORD = "simulate the game with this seed and examine the record: `fairdeal simulate {game} --rounds 20 --seed 1`"


class PlayContext(DocumentContext):
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
        from fairdeal.validator.odds.wager_odds import work_out_odds  # noqa: PLC0415 - playing needs NumPy

        return work_out_odds(self.regulation, rounds=_SAMPLED_ROUNDS).wagers


class TrialCheck(RuleCheck[Simulation, PlayContext]):
    """A check of the trial run as a whole, reported at the simulation."""

    on = Simulation
    needs_game = True


class NoRoundSimulated(TrialCheck):
    """No round of the game can be simulated."""

    code = "never-simulated"

    def find(self, context: PlayContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        if context.trial.unplayable is not None:
            yield RuleMistake(
                path=here,
                message=f"no round can be simulated: {context.trial.unplayable}",
                help="check for wagers that need each other, and for wagers that the simulated house does not offer",
            )


class RoundsRejected(TrialCheck):
    """Simulated rounds are rejected as evidence."""

    code = "simulation-rejected"

    def find(self, context: PlayContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        if context.trial.first_quarantined is not None:
            yield RuleMistake(
                path=here,
                message=f"the simulated rounds are rejected as evidence: {context.trial.first_quarantined.reason}",
                help=_SEE_RECORD.format(game=context.regulation.id),
            )


class RarelyPaidTable(TrialCheck):
    """Hands hold the rows of a pay table, but hardly one of them is paid."""

    code = "never-paid"
    severity = "warning"

    def find(self, context: PlayContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        for name, (holding, paid) in context.trial.rarely_paid.items():
            yield RuleMistake(
                path=here,
                message=f"in {context.trial.round_count} simulated rounds {holding} hands held a row of the pay table "
                f"of {name}, but {paid} were paid",
                help=f"check the cases of {name} for a wrong decision that includes seats which play on",
            )


class UndecidedWager(TrialCheck):
    """Nobody wins or loses anything on a wager."""

    code = "never-decided"
    severity = "warning"

    def find(self, context: PlayContext, part: Simulation, here: DataPath) -> Iterator[RuleMistake]:
        for name in context.trial.undecided_wagers:
            yield RuleMistake(
                path=here,
                message=f"in {context.trial.round_count} simulated rounds nobody won or lost anything on {name}",
                help="check for a fact that treats every hand as void, and for the case that all its stakes reach",
            )


class PlayedRequirementCheck(RuleCheck[RequirementFile, PlayContext]):
    """A check of the requirements that the trial run concerns, by a mapping of full ids to reasons."""

    on = RequirementFile
    needs_game = True
    severity = "warning"
    remedy: str
    at: DataPath = ("fault",)
    """Place of the mistake within the requirement."""

    def find(self, context: PlayContext, part: RequirementFile, here: DataPath) -> Iterator[RuleMistake]:
        messages = self.explain(context.trial)
        for index, requirement in enumerate(part.requirements):
            message = messages.get(context.regulation.qualify(requirement.requirement))
            if message is not None:
                yield RuleMistake(
                    path=("requirements", index, *self.at),
                    message=message.format(requirement=requirement.requirement),
                    help=self.remedy,
                )

    def explain(self, trial: TrialRun) -> Mapping[str, str]:
        """Return a message for each requirement with the mistake; `{requirement}` is its short id."""
        raise NotImplementedError


def _escape(text: object) -> str:
    return str(text).replace("{", "{{").replace("}", "}}")


class FailsInSimulation(PlayedRequirementCheck):
    """A round without a fault breaks a requirement."""

    code = "fails-in-simulation"
    remedy = "compare the requirement, its steps and cases, and the simulated house with the text"
    at = ()

    def explain(self, trial: TrialRun) -> Mapping[str, str]:
        """Return the first failure of each requirement; failures of the house itself have a check of their own."""
        return {
            name: "the simulated game breaks {requirement}, although no fault is planted: expected "
            + _escape(f"{finding.expected}; found {finding.observed} (round {finding.where.round})")
            for name, finding in trial.first_failures.items()
            if finding.where.round is not None
        }


class FaultNeverFits(PlayedRequirementCheck):
    """No round meets the condition of a fault, although it needs only what happens often."""

    code = "ineffective-fault"
    remedy = "compare its `where`, or the scope of the requirement, with what seats place and decide"

    def explain(self, trial: TrialRun) -> Mapping[str, str]:
        message = "no round ever meets the condition of the fault of {requirement}"
        return dict.fromkeys(trial.faults.never_planted, message)


class FaultUnplayable(PlayedRequirementCheck):
    """The simulated house cannot play a round with a fault."""

    code = "ineffective-fault"
    remedy = "plant what the house can play, or simulate a house that can"

    def explain(self, trial: TrialRun) -> Mapping[str, str]:
        return {
            name: f"the simulated house has no round for the fault of {{requirement}}: {_escape(reason)}"
            for name, reason in trial.faults.unplayable.items()
        }


class FaultRejected(PlayedRequirementCheck):
    """Rounds with a fault are rejected as evidence."""

    code = "simulation-rejected"
    remedy = "plant something that a log can record: its summary and its events must agree"

    def explain(self, trial: TrialRun) -> Mapping[str, str]:
        return {
            name: f"rounds with the fault of {{requirement}} are rejected as evidence: {_escape(record.reason)}"
            for name, record in trial.faults.quarantined.items()
        }


class FaultUndetected(PlayedRequirementCheck):
    """Rounds with a fault do not break its requirement."""

    code = "ineffective-fault"
    remedy = "alter what the requirement checks, in rounds to which it applies"

    def explain(self, trial: TrialRun) -> Mapping[str, str]:
        return dict.fromkeys(trial.faults.undetected, "rounds with this fault do not break {requirement}")


class NegativeHouseAdvantage(RuleCheck[Game, PlayContext]):
    """Players who decide well win a wager from the house. A case may be reversed, or a payout too high."""

    code = "negative-house-advantage"
    severity = "warning"
    on = Game
    needs_game = True

    def find(self, context: PlayContext, part: Game, here: DataPath) -> Iterator[RuleMistake]:
        """Yield the wagers on which the house certainly has no advantage, each message once."""
        reported: set[str] = set()
        for row in context.odds:
            is_certain = row.exact or (row.interval is not None and row.interval[1] < 0)
            if row.house_advantage is None or Fraction(row.house_advantage) >= 0 or not is_certain:
                continue
            advantage = f"{100 * float(Fraction(row.house_advantage)):.1f} %"
            message = f"players who decide well win {row.wager} from the house: its advantage is {advantage}"
            if message not in reported:
                reported.add(message)
                yield RuleMistake(
                    path=("wagers", row.wager) if row.wager in part.wagers else ("bonuses", row.wager),
                    at_key=True,
                    message=message,
                    help="check for reversed cases, cases without a wager, and payouts that are too high; "
                    "`fairdeal odds` shows the value of each",
                )


CHECKS = (
    NoRoundSimulated,
    RoundsRejected,
    RarelyPaidTable,
    UndecidedWager,
    FailsInSimulation,
    FaultNeverFits,
    FaultUnplayable,
    FaultRejected,
    FaultUndetected,
    NegativeHouseAdvantage,
)
"""Checks of a game in play, which take seconds."""
