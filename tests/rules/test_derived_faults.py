"""Faults that follow from a check of order."""

from __future__ import annotations

from typing import Any

import pytest

from fairdeal.validator.rules.check_model import Check
from fairdeal.validator.rules.fault_model import Fault
from fairdeal.validator.rules.requirement_model import derive_fault


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
        ({"each": "round", "must": "whole"}, None),
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


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        (
            {"each": "seat", "when": {"placed": "more"}, "must": {"placed": "main"}},
            {"when": {"placed": "more"}, "stake": {"wager": "main", "removed": True}},
        ),
        ({"each": "seat", "must": {"happened": "fold"}}, {"omit": "fold"}),
        (
            {"each": "event", "of": "deal", "must": {"event": {"by": "dealer"}}},
            {"alter": {"step": "deal", "by": "machine"}},
        ),
        (
            {"each": "event", "of": "deal", "must": {"event": {"face": "up"}}},
            {"alter": {"step": "deal", "face": "turned"}},
        ),
        (
            {"each": "event", "of": "bet", "must": {"event": {"in": ["chips"]}}},
            {"alter": {"step": "bet", "in": "coupon"}},
        ),
        (
            {"each": "round", "must": {"cards-in": "show", "at-least": 3}},
            {"alter": {"step": "show", "cards": "fewer"}},
        ),
        (
            {"each": "seat", "must": {"hands-of-player": "so-far", "at-most": 2}},
            {"hands-of-one": 3},
        ),
        (
            {"each": "seat", "must": {"discarded": "player", "equals": 1}},
            {"discard": {"place": "player", "cards": 0}},
        ),
        (
            {"each": "round", "must": {"pot": "raked", "at-most": {"pot": "rake-due"}}},
            {"rake": {"more": 1}},
        ),
        ({"each": "event", "of": "deal", "must": {"not": {"happened": "cut"}}}, None),
    ],
)
def test_what_breaks_a_rule_follows_from_its_condition(rule: dict[str, Any], fault: dict[str, Any] | None) -> None:
    found = derive_fault(Check.model_validate(rule).operand)
    assert found == (None if fault is None else Fault.model_validate(fault))
