"""Recipes of faults that cannot be meant, though every name in them is known."""

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

_SHOWN = frozenset({"decision", "less", "more", "puts-in", "below-smallest", "more-than-stack"})
"""Faults of acts that somebody decides or puts in otherwise."""


def fault_problems(game: Game, requirement: Requirement) -> Iterator[Problem]:
    """A seat decides something that the game knows, unless it is said to be something else; an act that is shown ahead
    is one that somebody takes."""
    fault = requirement.fault
    if fault is None:
        return
    yield from _decided(game, fault, ("fault",))
    act = fault.act if fault.operator == "act" else None
    if act is not None and act.manner is not None and act.operator not in _SHOWN:
        yield ("fault", "act", "manner"), "only what somebody decides or puts in is shown ahead"
    if fault.upon is not None:
        yield from _decided(game, fault.upon, ("fault", "upon"))


def _decided(game: Game, fault: Fault | EarlierFault, here: Path) -> Iterator[Problem]:
    if fault.operator == "decision" and fault.operand not in (*game.decisions, NO_DECISION):
        yield (
            (*here, "decision"),
            f"{fault.operand} is neither a decision of the game nor {NO_DECISION}; "
            "what no game knows as a decision is an `other-decision`",
        )
    elif fault.operator == "other-decision" and fault.operand in game.decisions:
        yield (*here, "other-decision"), f"{fault.operand} is a decision of the game"


def fault_doubt(game: Game, fault: Fault | EarlierFault, *, settling: bool) -> str | None:
    """Why no round of a game can be broken so, in a sentence, if none can. `settling` is whether what is broken is how
    a stake is settled."""
    operand, events = fault.operand, {step.step: step.events for step in game.procedure}
    grain: Grain = "event" if fault.operator == "act" else "seat"
    if fault.where is not None and not covers(grain, fault.where.grain(game)):
        return "`where` must speak of rounds or seats"
    match fault.operator:
        case "act" | "award" | "rake" | "between" | "stack" if game.betting is None:
            return "nobody bets against others"
        case "pay" if not settling:
            return "it is about payments, but what is checked is not"
        case "stake" | "withdraw" if operand.wager not in game.wagers:
            return f"`{operand.wager}` is not a wager"
        case "withdraw" if events[operand.step] != ["withdraw"]:
            return f"the step `{operand.step}` is not one of taking back"
        case "expose" if events[operand] != ["expose"]:
            return f"the step `{operand}` is not one in which cards come to light"
        case "insert" if not INSERTED.issuperset(events[operand.step]):
            return f"the step `{operand.step}` cannot be told by itself"
        case _:
            return None
