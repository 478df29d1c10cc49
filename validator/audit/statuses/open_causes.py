"""Why the evidence leaves requirements open: what a round's record, or what is submitted for it, does not tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import BaseModel

from validator.arrays import Codes, Flags
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Batch
from validator.results.results import Cause
from validator.rules.conditions.conditions import Condition, Quantity
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.model.requirement import Check, Requirement, RoundCheck, SettledCheck
from validator.text.trees.tree import Path

CAUSES = tuple(Cause)
"""The causes by their codes."""
OTHER = CAUSES.index(Cause.OTHER)


_ASK_EVENTS = frozenset(
    {
        *("sequence", "dealt", "same-order", "in-turn", "turns", "needed", "every"),
        *("event", "betting", "betting-round", "stated", "events", "cards-in", "counted", "shown-cards"),
    }
)
"""Checks, conditions and quantities that look at events."""
_ASK_SUBMISSION = frozenset(
    {"minimum", "maximum", "submitted", "option", "offered", "takes-tips", "term", "dealt-as", "pay-table", "capped"}
)
"""Those that look at what is submitted."""


def asks(requirement: Requirement, game: Game) -> tuple[bool, bool]:
    """Whether a requirement on rounds looks at events, and whether at what is submitted."""
    seen: set[str] = set()
    operators = frozenset(_operators(requirement.check, game, seen))
    return not operators.isdisjoint(_ASK_EVENTS), not operators.isdisjoint(_ASK_SUBMISSION)


def _operators(model: BaseModel, game: Game, facts: set[str]) -> Iterator[str]:
    """The operators within a check or condition, facts and cases of settlement followed; not those whose unknown is
    taken as no."""
    passed_over: list[Path] = []
    for path, part in walk(model, ()):
        if any(path[: len(above)] == above for above in passed_over):
            continue
        if isinstance(part, Check | Condition | Quantity):
            yield part.operator
        if isinstance(part, Condition) and part.operator == "evident":
            passed_over.append(path)
        if isinstance(part, Condition) and part.operator == "fact" and part.operand not in facts:
            facts.add(part.operand)
            yield from _operators(game.facts[part.operand], game, facts)
        if isinstance(part, RoundCheck) and part.of is not None:
            yield "events"
        if isinstance(part, SettledCheck):
            for case in game.settlement.cases:
                if case.case in part.cases:
                    yield case.due.operator
                    yield from () if case.when is None else _operators(case.when, game, facts)


def lacking(batch: Batch, *, submitted: bool) -> dict[Cause, Flags]:
    """bool[rounds] for each cause that can be told of a round as such: which rounds it is true of."""
    return {
        Cause.NO_EVENTS: ~batch.recorded,
        Cause.KINDS_NOT_RECORDED: batch.recorded & (batch.unrecorded != 0),
        Cause.RECORD_STOPS: ~batch.complete,
        Cause.NO_SUBMISSION: np.full(len(batch), not submitted),
    }


def causes_of(scope: Scope, requirement: Requirement) -> Codes:
    """uint8[rounds]: the code of what would leave the requirement open in each round, in this order: what is wrong
    with its events, that nothing is submitted, something else."""
    events, submission = asks(requirement, scope.prepared.game)
    asked = {Cause.NO_SUBMISSION} if submission else set()
    asked |= {Cause.NO_EVENTS, Cause.KINDS_NOT_RECORDED, Cause.RECORD_STOPS} if events else set()
    found = np.full(len(scope.batch), OTHER, np.uint8)
    for cause, there in reversed(lacking(scope.batch, submitted=scope.configuration is not None).items()):
        if cause in asked:
            found[there] = CAUSES.index(cause)
    return found
