"""Faults that follow from a check of order."""

from __future__ import annotations

from typing import Any

import pytest

from fairdeal.validator.rules.requirement_model import Check, derive_fault


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"order": {"milestones": [{"at": {"first": "deal"}, "before": ["cut"]}]}}, {"move": ("cut", "after", "deal")}),
        ({"order": {"milestones": [{"at": {"last": "deal"}, "after": ["act"]}]}}, {"move": ("act", "before", "deal")}),
        (
            {"order": {"milestones": [{"at": {"first": "deal"}, "before": ["cut"], "again-after": {"last": "pay"}}]}},
            {"insert": ("cut", "after", "deal")},
        ),
        (
            {"order": {"milestones": [{"at": {"first": "deal"}, "before": ["cut"], "must-happen": ["cut"]}]}},
            {"omit": "cut"},
        ),
        ({"needed": {"each": "table", "since": "table-opens", "steps": ["cut"], "before": "deal"}}, {"omit": "cut"}),
        ({"every": {"step": "count", "within": {"rounds": 5}}}, {"omit": "count"}),
        ({"in-turn": {"steps": ["pay"], "from": "dealer-right"}}, {"swap": "pay"}),
        ({"same-order": {"steps": ["fold", "pay"]}}, {"swap": "pay"}),
        ({"rule": {"each": "round", "must": {"fact": "whole"}}}, None),
    ],
)
def test_what_breaks_a_check_follows_from_it(check: dict[str, Any], fault: dict[str, Any] | None) -> None:
    found = derive_fault(Check.model_validate(check).operand)
    assert (None if found is None else {found.operator: simplify(found.operand)}) == fault


def simplify(operand: Any) -> Any:
    """Return a step, or the step with its place next to another."""
    if isinstance(operand, str):
        return operand
    side = "after" if operand.after is not None else "before"
    return operand.step, side, getattr(operand, side)
