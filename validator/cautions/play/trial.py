"""Warnings from a trial run: rejected rounds, broken rules, undetected faults, wagers that nobody wins."""

from __future__ import annotations

from collections.abc import Iterator

from validator.cautions.caution import Caution
from validator.cautions.play.trial_run import TrialRun
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.text.models.model import Closed

_REMEDY = "simulate the game with this seed and examine the record: `fairdeal simulate {game} --rounds 20 --seed 1`"


def refused_to_play(why: str) -> Caution:
    """Build the warning that no round of a game can be simulated."""
    return Caution(
        code="never-simulated",
        at=(),
        message=f"no round can be simulated: {why}",
        help="check for wagers that need each other, and for wagers that the simulated house does not offer",
    )


def trial_cautions(regulation: Regulation, trial: TrialRun, model: Closed) -> Iterator[Caution]:
    """Yield warnings from a trial run about one file."""
    match model:
        case RequirementFile():
            yield from _check_requirements(regulation, trial, model)
        case Simulation():
            yield from _check_play(regulation, trial)


def _check_requirements(regulation: Regulation, trial: TrialRun, file: RequirementFile) -> Iterator[Caution]:
    for index, requirement in enumerate(file.requirements):
        name = regulation.full_id(requirement.requirement)
        finding = trial.failed.get(name)
        if finding is not None and finding.where.round is not None:  # breaches by the house are reported at the house
            yield Caution(
                code="fails-in-simulation",
                at=("requirements", index),
                severity="warning",
                message=f"the simulated game breaks {requirement.requirement}, although no fault is planted: "
                f"expected {finding.expected}; found {finding.observed} (round {finding.where.round})",
                help="compare the requirement, its steps and cases, and the simulated house with the text",
            )
        if name in trial.faults.unplanted:
            yield Caution(
                code="ineffective-fault",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"no round ever meets the condition of the fault of {requirement.requirement}",
                help="compare its `where`, or the scope of the requirement, with what seats place and decide",
            )
        if name in trial.faults.unfit:
            yield Caution(
                code="ineffective-fault",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"the simulated house has no round for the fault of {requirement.requirement}: "
                f"{trial.faults.unfit[name]}",
                help="plant what the house can play, or simulate a house that can",
            )
        if name in trial.faults.unread:
            yield Caution(
                code="simulation-rejected",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"rounds with the fault of {requirement.requirement} are rejected as evidence: "
                f"{trial.faults.unread[name].reason}",
                help="plant something that a log can record: its summary and its events must agree",
            )
        if name in trial.faults.unbroken:
            yield Caution(
                code="ineffective-fault",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"rounds with this fault do not break {requirement.requirement}",
                help="alter what the requirement checks, in rounds to which it applies",
            )


def _check_play(regulation: Regulation, trial: TrialRun) -> Iterator[Caution]:
    game = regulation.id
    if trial.refused is not None:
        yield Caution(
            code="simulation-rejected",
            at=(),
            message=f"the simulated rounds are rejected as evidence: {trial.refused.reason}",
            help=_REMEDY.format(game=game),
        )
    for name, (holding, paid) in trial.unpaid.items():
        yield Caution(
            code="never-paid",
            at=(),
            severity="warning",
            message=f"in {trial.rounds} simulated rounds {holding} hands held a row of the pay table of {name}, but "
            f"{paid} were paid",
            help=f"check the cases of {name} for a wrong decision that includes seats which play on",
        )
    for name in trial.even:
        yield Caution(
            code="never-decided",
            at=(),
            severity="warning",
            message=f"in {trial.rounds} simulated rounds nobody won or lost anything on {name}",
            help="check for a fact that treats every hand as void, and for the case that all its stakes reach",
        )
