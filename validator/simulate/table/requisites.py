"""What a game between players asks of a submission before it can be played forward."""

from __future__ import annotations

from validator.engine.compiled.game import Prepared
from validator.evidence.submission.model import Submission
from validator.language.conditions import Condition
from validator.rules.core.regulation import Regulation
from validator.rules.simulation.simulation import Simulation
from validator.simulate.table.course import course


def see_to_requisites(
    prepared: Prepared, simulation: Simulation, submission: Submission, seats: tuple[int, int]
) -> None:
    """Raises ValueError, with a sentence for people, where players cannot play against each other so."""
    game = prepared.game
    if game.pots is None or game.betting is None:
        return
    players = None if game.table is None else game.table.players
    if players is not None and not players.least <= seats[0] <= seats[1] <= players.most:
        raise ValueError(f"the game is for {players.least} to {players.most} players")
    posted = {one.wager: one.minimum for one in submission.wagers or []}
    for one in simulation.forced:
        if not posted.get(one.wager) and _chosen(one.when, prepared.regulation, submission) is not False:
            raise ValueError(f"the submission posts no minimum for `{one.wager}`, which is what players put in")
    if submission.smallest_chip is None:
        raise ValueError("the submission does not say what the smallest chip is, so pots cannot be divided")
    steps = {step.step for step in course(game)}
    for wrong in simulation.irregularities:
        if wrong.after not in steps:
            raise ValueError(f"`{wrong.after}`, after which something goes wrong, is not in the course of a round")


def _chosen(condition: Condition, regulation: Regulation, submission: Submission) -> bool | None:
    """What a condition comes to by the choices of the licensee and the readings alone; None where rounds decide it."""
    match condition.operator:
        case "option":
            stated = (submission.options or {}).get(condition.operand.name)
            return None if stated is None else stated == condition.operand.is_
        case "reading":
            return regulation.applies(condition.operand.name, condition.operand.is_)
        case "not":
            inner = _chosen(condition.operand, regulation, submission)
            return None if inner is None else not inner
        case "all" | "any":
            decisive = condition.operator == "any"
            parts = [_chosen(part, regulation, submission) for part in condition.operand]
            return decisive if decisive in parts else None if None in parts else not decisive
        case _:
            return None
