"""Warnings from a trial run: rejected rounds, broken rules, undetected faults, wagers that nobody wins."""

from __future__ import annotations

from collections.abc import Iterator

from validator.cautions.caution import RuleWarning
from validator.cautions.play.trial_run import TrialRun
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.text.models.model import ClosedModel

_REMEDY = "simulate the game with this seed and examine the record: `fairdeal simulate {game} --rounds 20 --seed 1`"


def build_unplayable_warning(why: str) -> RuleWarning:
    """Build the warning that no round of a game can be simulated."""
    return RuleWarning(
        code="never-simulated",
        path=(),
        message=f"no round can be simulated: {why}",
        help="check for wagers that need each other, and for wagers that the simulated house does not offer",
    )


def find_trial_warnings(regulation: Regulation, trial: TrialRun, model: ClosedModel) -> Iterator[RuleWarning]:
    """Yield warnings from a trial run about one file."""
    match model:
        case RequirementFile():
            yield from _check_requirements(regulation, trial, model)
        case Simulation():
            yield from _check_play(regulation, trial)


def _check_requirements(regulation: Regulation, trial: TrialRun, file: RequirementFile) -> Iterator[RuleWarning]:
    for index, requirement in enumerate(file.requirements):
        name = regulation.qualify(requirement.requirement)
        finding = trial.first_failures.get(name)
        if finding is not None and finding.where.round is not None:  # breaches by the house are reported at the house
            yield RuleWarning(
                code="fails-in-simulation",
                path=("requirements", index),
                severity="warning",
                message=f"the simulated game breaks {requirement.requirement}, although no fault is planted: "
                f"expected {finding.expected}; found {finding.observed} (round {finding.where.round})",
                help="compare the requirement, its steps and cases, and the simulated house with the text",
            )
        if name in trial.faults.never_planted:
            yield RuleWarning(
                code="ineffective-fault",
                path=("requirements", index, "fault"),
                severity="warning",
                message=f"no round ever meets the condition of the fault of {requirement.requirement}",
                help="compare its `where`, or the scope of the requirement, with what seats place and decide",
            )
        if name in trial.faults.unplayable:
            yield RuleWarning(
                code="ineffective-fault",
                path=("requirements", index, "fault"),
                severity="warning",
                message=f"the simulated house has no round for the fault of {requirement.requirement}: "
                f"{trial.faults.unplayable[name]}",
                help="plant what the house can play, or simulate a house that can",
            )
        if name in trial.faults.quarantined:
            yield RuleWarning(
                code="simulation-rejected",
                path=("requirements", index, "fault"),
                severity="warning",
                message=f"rounds with the fault of {requirement.requirement} are rejected as evidence: "
                f"{trial.faults.quarantined[name].reason}",
                help="plant something that a log can record: its summary and its events must agree",
            )
        if name in trial.faults.undetected:
            yield RuleWarning(
                code="ineffective-fault",
                path=("requirements", index, "fault"),
                severity="warning",
                message=f"rounds with this fault do not break {requirement.requirement}",
                help="alter what the requirement checks, in rounds to which it applies",
            )


def _check_play(regulation: Regulation, trial: TrialRun) -> Iterator[RuleWarning]:
    game = regulation.id
    if trial.first_quarantined is not None:
        yield RuleWarning(
            code="simulation-rejected",
            path=(),
            message=f"the simulated rounds are rejected as evidence: {trial.first_quarantined.reason}",
            help=_REMEDY.format(game=game),
        )
    for name, (holding, paid) in trial.rarely_paid.items():
        yield RuleWarning(
            code="never-paid",
            path=(),
            severity="warning",
            message=f"in {trial.round_count} simulated rounds {holding} hands held a row of the pay table of {name}, but "
            f"{paid} were paid",
            help=f"check the cases of {name} for a wrong decision that includes seats which play on",
        )
    for name in trial.undecided_wagers:
        yield RuleWarning(
            code="never-decided",
            path=(),
            severity="warning",
            message=f"in {trial.round_count} simulated rounds nobody won or lost anything on {name}",
            help="check for a fact that treats every hand as void, and for the case that all its stakes reach",
        )
