"""Why the evidence leaves requirements open: what a round's record, or what is submitted for it, does not tell."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pydantic import BaseModel

from validator.arrays import Codes, Flags
from validator.engine.core.context import Scope
from validator.evidence.columns.batch import Batch
from validator.language.conditions import Condition, Quantity
from validator.results.statuses import Cause
from validator.rules.core.visitor import walk
from validator.rules.model.game import Game
from validator.rules.model.requirement import Check, PhaseCheck, Requirement, RoundCheck, SettledCheck
from validator.text.trees.tree import Path

CAUSES = tuple(Cause)
"""The causes by their codes."""
OTHER = CAUSES.index(Cause.OTHER)


_ASK_EVENTS = frozenset({"sequence", "phase", "dealt", "same-order", "in-turn", "turns", "needed", "every"})
"""Checks that look at events."""
_ASK_SUBMISSION = frozenset({"pay-table", "capped"})
"""Checks, and what is due, that look at what is submitted."""


def asks(requirement: Requirement, game: Game) -> tuple[bool, bool]:
    """Whether a requirement on rounds looks at events, and whether at what is submitted."""
    looked_at = frozenset(_looked_at(requirement.check, game, set()))
    return "events" in looked_at, "submission" in looked_at


def _looked_at(model: BaseModel, game: Game, facts: set[str]) -> Iterator[str]:
    """What is looked at within a check or condition, facts and cases of settlement followed; not by what takes unknown
    as no."""
    passed_over: list[Path] = []
    for path, part in walk(model, ()):
        if any(path[: len(above)] == above for above in passed_over):
            continue
        if isinstance(part, Condition | Quantity):
            yield part.meaning.looks_at
            for name in part.meaning.facts(part.operand):
                if name not in facts:
                    facts.add(name)
                    yield from _looked_at(game.facts[name], game, facts)
        if isinstance(part, Condition) and part.meaning.never_unknown:
            passed_over.append(path)
        if (isinstance(part, Check) and part.operator in _ASK_EVENTS) or (
            isinstance(part, RoundCheck) and part.of is not None
        ):
            yield "events"
        if isinstance(part, Check) and part.operator in _ASK_SUBMISSION:
            yield "submission"
        if isinstance(part, PhaseCheck):
            when = game.courses[part.course].when
            yield from () if when is None else _looked_at(when, game, facts)
        if isinstance(part, SettledCheck):
            for case in game.settlement.cases:
                if case.case in part.cases:
                    yield "submission" if case.due.operator in _ASK_SUBMISSION else "record"
                    yield from () if case.when is None else _looked_at(case.when, game, facts)


def lacking(batch: Batch, *, submitted: bool) -> dict[Cause, Flags]:
    """bool[rounds] for each cause that can be told of a round as such: which rounds it is true of."""
    versions = batch.versions
    return {
        Cause.CONTRADICTED: np.zeros(len(batch), bool) if versions is None else versions.number > 0,
        Cause.NO_EVENTS: ~batch.recorded,
        Cause.KINDS_NOT_RECORDED: batch.recorded & (batch.unrecorded != 0),
        Cause.RECORD_STOPS: ~batch.complete,
        Cause.NO_SUBMISSION: np.full(len(batch), not submitted),
    }


def causes_of(scope: Scope, requirement: Requirement) -> Codes:
    """uint8[rounds]: the code of what would leave the requirement open in each round, in this order: that another
    record contradicts it, what is wrong with its events, that nothing is submitted, something else."""
    events, submission = asks(requirement, scope.prepared.game)
    asked = {Cause.CONTRADICTED}
    asked |= {Cause.NO_SUBMISSION} if submission else set()
    asked |= {Cause.NO_EVENTS, Cause.KINDS_NOT_RECORDED, Cause.RECORD_STOPS} if events else set()
    found = np.full(len(scope.batch), OTHER, np.uint8)
    for cause, there in reversed(lacking(scope.batch, submitted=scope.configuration is not None).items()):
        if cause in asked:
            found[there] = CAUSES.index(cause)
    return found
