"""Requirements that nothing is asked for under the readings in force, and what they would have to be."""

from __future__ import annotations

from validator.language.conditions import Condition
from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import PhaseCheck, Requirement
from validator.text.truth import NO

Needed = dict[str, str]
"""Options by the readings that would have to be read so."""


def asked_under(regulation: Regulation, requirement: Requirement) -> Needed:
    """The readings, with the options they would have to have, but for which a requirement asks nothing of anybody, or
    its fault is no breach; nothing where the readings in force are as it needs them. Whatever else its conditions say
    is not looked at."""
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
