"""Short forms equal their long forms: to the model, in the rule as written, and in plain words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from fairdeal.validator.language.round_conditions import Condition
from tests.facade.rules import SubmissionCondition

CASES: list[tuple[type[BaseModel], dict[str, Any], Any]] = [
    (Condition, {"happened": "reveal"}, {"events": "reveal", "at-least": 1}),
    (
        Condition,
        {"within-limits": "this"},
        [
            {"amount": "this", "at-least": {"minimum": "this"}},
            {"amount": "this", "at-most": {"maximum": "this"}},
        ],
    ),
    (
        SubmissionCondition,
        {"offers": "side"},
        {"some": "wagers", "when": {"at": ".wager", "equals": "side"}},
    ),
    (
        SubmissionCondition,
        {"at-the-table": ".posted"},
        {
            "any": [
                {"at": ".posted", "includes": "layout"},
                {"at": ".posted", "includes": "signage"},
            ]
        },
    ),
    (
        SubmissionCondition,
        {"at-each-position": ".per"},
        {"any": [{"not": {"given": ".per"}}, {"at": ".per", "equals": "position"}]},
    ),
]


@pytest.mark.parametrize(("model", "short", "full"), CASES, ids=[next(iter(short)) for _, short, _ in CASES])
def test_a_short_form_is_what_it_stands_for(
    model: type[BaseModel], short: dict[str, Any], full: dict[str, Any]
) -> None:
    assert model.model_validate_json(json.dumps(short)) == model.model_validate_json(json.dumps(full))
    inside = json.dumps({"not": [short]})
    assert model.model_validate_json(inside) == model.model_validate_json(json.dumps({"not": [full]}))


def test_all_are_tried() -> None:
    tried = {key for _, short, _ in CASES for key in short}
    assert tried == {*Condition.SHORT_FORMS, *SubmissionCondition.SHORT_FORMS}


@pytest.mark.parametrize("operand", [1, None, ["reveal"], {"step": "reveal"}])
def test_what_is_no_name_is_refused(operand: object) -> None:
    with pytest.raises(ValidationError):
        Condition.model_validate_json(json.dumps({"happened": operand}))


def test_a_short_form_does_not_stand_beside_another_operator() -> None:
    with pytest.raises(ValidationError, match="exactly one"):
        Condition.model_validate_json(json.dumps({"happened": "reveal", "placed": "main"}))
