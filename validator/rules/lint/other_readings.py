"""Requirements that nothing is asked for under the readings in force, and what they would have to be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.rules.core.regulation import Regulation
from validator.rules.model.requirement import Requirement
from validator.text.truth import NO, UNKNOWN, YES

Needed = dict[str, str]
"""Options by the readings that would have to be read so."""


def asked_under(regulation: Regulation, requirement: Requirement) -> Needed:
    """The readings, with the options they would have to have, but for which a requirement asks nothing of anybody, or
    its fault is no breach; nothing where the readings in force are as it needs them. Whatever else its conditions say
    is not looked at."""
    conditions = [getattr(requirement.check.operand, "when", None)]
    conditions += [] if requirement.fault is None else [requirement.fault.where]
    for condition in conditions:
        needed: Needed = {}
        if condition is not None and _by_readings(condition, regulation, needed) == NO:
            return needed
    return {}


def _by_readings(condition: Any, regulation: Regulation, needed: Needed) -> int:
    """Whether a condition holds as far as readings decide it; those that decide that it does not are put down."""
    facts: Mapping[str, Any] = {} if regulation.game is None else regulation.game.facts
    match condition.operator:
        case "reading":
            asked = condition.operand
            if regulation.applies(asked.name, asked.is_):
                return YES
            needed[asked.name] = asked.is_
            return NO
        case "all":
            return min(_by_readings(part, regulation, needed) for part in condition.operand)
        case "any":
            return max(_by_readings(part, regulation, needed) for part in condition.operand)
        case "not":
            return {NO: YES, YES: NO}.get(_by_readings(condition.operand, regulation, {}), UNKNOWN)
        case "fact" if condition.operand in facts:
            return _by_readings(facts[condition.operand], regulation, needed)
        case _:
            return UNKNOWN
