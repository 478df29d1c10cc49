"""What a trial run shows of a rulebook: rounds that cannot be read back, rules that its own play breaks, faults that
break nothing, wagers that nobody wins."""

from __future__ import annotations

from collections.abc import Iterator

from validator.cautions.caution import Caution
from validator.cautions.play.trial_run import TrialRun
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import RequirementFile
from validator.rules.simulation.simulation import Simulation
from validator.text.models.model import Closed

_PLAY = "simulate the game with this seed and look at the record: `fairdeal simulate {game} --rounds 20 --seed 1`"


def refused_to_play(why: str) -> Caution:
    """That no round of a game can be played."""
    return Caution(
        code="never-played",
        at=(),
        message=f"no round can be simulated: {why}",
        help="look for wagers that need one another, and for what the simulated house does not offer",
    )


def trial_cautions(regulation: Regulation, trial: TrialRun, model: Closed) -> Iterator[Caution]:
    """What a trial run shows of what stands in one file."""
    match model:
        case RequirementFile():
            yield from _of_requirements(regulation, trial, model)
        case Simulation():
            yield from _of_play(regulation, trial)


def _of_requirements(regulation: Regulation, trial: TrialRun, file: RequirementFile) -> Iterator[Caution]:
    for index, requirement in enumerate(file.requirements):
        name = regulation.full_id(requirement.requirement)
        finding = trial.failed.get(name)
        if finding is not None and finding.where.round is not None:  # what its house breaks is told at the house
            yield Caution(
                code="broken-in-play",
                at=("requirements", index),
                severity="warning",
                message=f"the game as it is simulated breaks {requirement.requirement}, though nothing is planted: "
                f"expected {finding.expected}; found {finding.observed} (round {finding.where.round})",
                help="hold the requirement, the steps and the cases that it speaks of and the simulated house against "
                "the text",
            )
        if name in trial.faults.unplanted:
            yield Caution(
                code="never-planted",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"no round is ever such as the fault of {requirement.requirement} asks for",
                help="hold its `where`, or what the requirement says of whom it speaks, against what seats place and "
                "decide",
            )
        if name in trial.faults.unfit:
            yield Caution(
                code="never-planted",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"the simulated house has no round for the fault of {requirement.requirement}: "
                f"{trial.faults.unfit[name]}",
                help="plant what the house can play, or simulate a house that can",
            )
        if name in trial.faults.unread:
            yield Caution(
                code="not-read-back",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"rounds with the fault of {requirement.requirement} are refused as evidence: "
                f"{trial.faults.unread[name].reason}",
                help="plant something that a log can hold: what its summary and its events say must agree",
            )
        if name in trial.faults.unbroken:
            yield Caution(
                code="never-planted",
                at=("requirements", index, "fault"),
                severity="warning",
                message=f"rounds with this fault do not break {requirement.requirement}",
                help="alter what the requirement asks for, in rounds in which it asks for it",
            )


def _of_play(regulation: Regulation, trial: TrialRun) -> Iterator[Caution]:
    game = regulation.id
    if trial.refused is not None:
        yield Caution(
            code="not-read-back",
            at=(),
            message=f"the rounds that are simulated are refused as evidence: {trial.refused.reason}",
            help=_PLAY.format(game=game),
        )
    for name, (held, paid) in trial.unpaid.items():
        yield Caution(
            code="never-paid",
            at=(),
            severity="warning",
            message=f"in {trial.rounds} simulated rounds {held} hands held what the pay table of {name} pays, and "
            f"{paid} were paid",
            help=f"look for a case of {name} that takes those who play on, where a decision is meant to be another",
        )
    for name in trial.even:
        yield Caution(
            code="never-decided",
            at=(),
            severity="warning",
            message=f"in {trial.rounds} simulated rounds nobody won or lost anything on {name}",
            help="look for a fact that takes every hand for a void one, and for the case that all its stakes come to",
        )
