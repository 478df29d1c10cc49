"""Faults that follow from a check, for requirements that state none."""

from __future__ import annotations

from typing import Any

from fairdeal.validator.rules.betting_model import InTurnCheck
from fairdeal.validator.rules.deal_model import SameOrderCheck
from fairdeal.validator.rules.fault_model import Fault
from fairdeal.validator.rules.milestone_model import BoundedMilestone, MilestoneCheck
from fairdeal.validator.rules.procedure_model import EveryCheck, NeededCheck


def derive_fault(check: object) -> Fault | None:
    """Return the change to a simulated round that breaks a check of order; None if none follows from it.

    What must happen is left out. An act moves to the wrong side of the milestone, or comes once too often. The first
    two seats of a step are swapped.
    """
    data = _derive_data(check)
    return None if data is None else Fault.model_validate(data)


def _derive_data(check: object) -> dict[str, Any] | None:
    match check:
        case MilestoneCheck(milestones=[bounds]):
            return _cross_milestone(bounds)
        case NeededCheck(steps=[step, *_]):
            return {"omit": step}
        case EveryCheck(operator="step", operand=step):
            return {"omit": step}
        case InTurnCheck(steps=[step, *_]):
            return {"swap": step}
        case SameOrderCheck(then=step):
            return {"swap": step}
    return None


def _cross_milestone(bounds: BoundedMilestone) -> dict[str, Any] | None:
    """Return the fault that takes the first act of a milestone to its wrong side, past the first act that makes it."""
    maker = bounds.at.acts[0]
    if bounds.must_happen:
        return {"omit": bounds.must_happen[0]}
    if bounds.before and bounds.again_after is not None:
        return {"insert": {"step": bounds.before[0], "after": maker}}
    if bounds.before:
        return {"move": {"step": bounds.before[0], "after": maker}}
    return {"move": {"step": bounds.after[0], "before": maker}}
