"""Readings under which a requirement applies at all."""

from __future__ import annotations

from validator.language.conditions import Condition
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import PhaseCheck, Requirement
from validator.text.truth import NO

Needed = dict[str, str]
"""The option that each reading would need to have."""


def asked_under(regulation: Regulation, requirement: Requirement) -> Needed:
    """Return the options that readings would need for a requirement to apply, or for its fault to be a breach.

    The result is empty if the readings in force suffice. Other conditions of the requirement are not considered.
    """
    check, game = requirement.check.operand, regulation.game
    conditions: list[Condition | None] = [getattr(check, "when", None)]
    if isinstance(check, PhaseCheck) and game is not None:
        conditions.append(game.courses[check.course].when)
    conditions += [] if requirement.fault is None else [requirement.fault.where]
    for condition in conditions:
        needed: Needed = {}
        if condition is not None and condition.meaning.by_readings(condition.operand, regulation, needed) == NO:
            return needed
    return {}
