"""Causes of missing evidence: parts of a round's record, or of its submission, that a requirement uses."""

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
"""Causes by their codes."""
OTHER = CAUSES.index(Cause.OTHER)
"""Code of `Cause.OTHER`."""


_CHECKS_USING_EVENTS = frozenset({"sequence", "phase", "dealt", "same-order", "in-turn", "turns", "needed", "every"})
"""Checks that use events."""
_CHECKS_USING_SUBMISSION = frozenset({"pay-table", "capped"})
"""Checks, and amounts due, that use the submission."""


def asks(requirement: Requirement, game: Game) -> tuple[bool, bool]:
    """Return whether a requirement on rounds uses events, and whether it uses the submission."""
    used = frozenset(_list_evidence_used(requirement.check, game, set()))
    return "events" in used, "submission" in used


def _list_evidence_used(model: BaseModel, game: Game, facts: set[str]) -> Iterator[str]:
    """Yield the evidence used by a check or condition, including facts and settlement cases.

    Conditions that treat unknown as false are left out.
    """
    skipped: list[Path] = []
    for path, part in walk(model, ()):
        if any(path[: len(above)] == above for above in skipped):
            continue
        if isinstance(part, Condition | Quantity):
            yield part.meaning.looks_at
            for name in part.meaning.facts(part.operand):
                if name not in facts:
                    facts.add(name)
                    yield from _list_evidence_used(game.facts[name], game, facts)
        if isinstance(part, Condition) and part.meaning.never_unknown:
            skipped.append(path)
        if (isinstance(part, Check) and part.operator in _CHECKS_USING_EVENTS) or (
            isinstance(part, RoundCheck) and part.of is not None
        ):
            yield "events"
        if isinstance(part, Check) and part.operator in _CHECKS_USING_SUBMISSION:
            yield "submission"
        if isinstance(part, PhaseCheck):
            when = game.courses[part.course].when
            yield from () if when is None else _list_evidence_used(when, game, facts)
        if isinstance(part, SettledCheck):
            for case in game.settlement.cases:
                if case.case in part.cases:
                    yield "submission" if case.due.operator in _CHECKS_USING_SUBMISSION else "record"
                    yield from () if case.when is None else _list_evidence_used(case.when, game, facts)


def lacking(batch: Batch, *, submitted: bool) -> dict[Cause, Flags]:
    """Return the rounds that lack each kind of evidence, for the causes that depend on the round alone.

    Returns:
        bool[rounds] for each cause.
    """
    versions = batch.versions
    return {
        Cause.CONTRADICTED: np.zeros(len(batch), bool) if versions is None else versions.number > 0,
        Cause.NO_EVENTS: ~batch.recorded,
        Cause.KINDS_NOT_RECORDED: batch.recorded & (batch.unrecorded != 0),
        Cause.RECORD_STOPS: ~batch.complete,
        Cause.NO_SUBMISSION: np.full(len(batch), not submitted),
    }


def causes_of(scope: Scope, requirement: Requirement) -> Codes:
    """Return the code of the cause that would leave a requirement open in each round.

    The first cause that applies counts: a contradicting record, missing events, a missing submission, anything else.

    Returns:
        uint8[rounds].
    """
    events, submission = asks(requirement, scope.prepared.game)
    relevant = {Cause.CONTRADICTED}
    relevant |= {Cause.NO_SUBMISSION} if submission else set()
    relevant |= {Cause.NO_EVENTS, Cause.KINDS_NOT_RECORDED, Cause.RECORD_STOPS} if events else set()
    codes = np.full(len(scope.batch), OTHER, np.uint8)
    for cause, is_missing in reversed(lacking(scope.batch, submitted=scope.configuration is not None).items()):
        if cause in relevant:
            codes[is_missing] = CAUSES.index(cause)
    return codes
