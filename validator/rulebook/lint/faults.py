"""Semantic errors in recipes of faults."""

from __future__ import annotations

from collections.abc import Iterator

from validator.evidence.handlog.event_values import NO_DECISION
from validator.language.conditions import Problem
from validator.language.grains import Grain, covers
from validator.rulebook.lint.simulated_kinds import INSERTED
from validator.rules.model.faults import EarlierFault, Fault
from validator.rules.model.game import Game
from validator.rules.model.requirement import Requirement
from validator.text.trees.tree import Path

_SHOWN_ACTS = frozenset({"decision", "less", "more", "puts-in", "below-smallest", "more-than-stack"})
"""Faults of an action that a player can announce ahead: decisions and amounts."""


def fault_problems(game: Game, requirement: Requirement) -> Iterator[Problem]:
    """Yield problems with the fault of a requirement.

    A decision must be one of the game unless the fault is `other-decision`. Only an action of a player can be announced
    ahead.
    """
    fault = requirement.fault
    if fault is None:
        return
    yield from _check_decision(game, fault, ("fault",))
    act = fault.act if fault.operator == "act" else None
    if act is not None and act.manner is not None and act.operator not in _SHOWN_ACTS:
        yield ("fault", "act", "manner"), "only a decision or a bet can be announced ahead"
    if fault.upon is not None:
        yield from _check_decision(game, fault.upon, ("fault", "upon"))


def _check_decision(game: Game, fault: Fault | EarlierFault, here: Path) -> Iterator[Problem]:
    if fault.operator == "decision" and fault.operand not in (*game.decisions, NO_DECISION):
        yield (
            (*here, "decision"),
            f"{fault.operand} is neither a decision of the game nor {NO_DECISION}; "
            "use `other-decision` for a decision that the game does not define",
        )
    elif fault.operator == "other-decision" and fault.operand in game.decisions:
        yield (*here, "other-decision"), f"{fault.operand} is a decision of the game"


def fault_doubt(game: Game, fault: Fault | EarlierFault, *, settling: bool) -> str | None:
    """Return why no round of a game can have a fault, in a sentence; None if one can. `settling`: the check is on
    payments."""
    operand, events = fault.operand, {step.step: step.events for step in game.procedure}
    grain: Grain = "event" if fault.operator == "act" else "seat"
    if fault.where is not None and not covers(grain, fault.where.grain(game)):
        return "`where` must refer to rounds or seats"
    match fault.operator:
        case "act" | "award" | "rake" | "between" | "stack" if game.betting is None:
            return "players do not bet against each other"
        case "pay" if not settling:
            return "it changes payments, which this requirement does not check"
        case "stake" | "withdraw" if operand.wager not in game.wagers:
            return f"`{operand.wager}` is not a wager"
        case "withdraw" if events[operand.step] != ["withdraw"]:
            return f"the step `{operand.step}` does not withdraw a wager"
        case "expose" if events[operand] != ["expose"]:
            return f"the step `{operand}` does not expose cards"
        case "insert" if not INSERTED.issuperset(events[operand.step]):
            return f"the step `{operand.step}` cannot be recorded on its own"
        case _:
            return None
