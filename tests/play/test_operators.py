"""Properties of every operator: its texts describe it, and it is evaluated once wherever it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from fairdeal.validator.language.round_conditions import Comparison, Condition, Quantity
from fairdeal.validator.language.submission_conditions import SubmissionCondition, Value
from fairdeal.validator.operators.operator_interface import ConditionOperator, QuantityOperator, RoundOperator
from fairdeal.validator.operators.operator_table import OPERATORS
from fairdeal.validator.operators.submission_operators import SUBMISSION_OPERATORS
from fairdeal.validator.text.closed_model import read_attribute_docs, to_key
from tests.facade.text import OneOperatorModel, decode_source, load_yaml, validate
from tests.play.table import room, round_of

MODELS: dict[type[OneOperatorModel], dict[str, Any]] = {
    Condition: dict(OPERATORS.conditions),
    Quantity: dict(OPERATORS.quantities),
    Comparison: dict(OPERATORS.comparisons),
}


def read(model: type[OneOperatorModel], text: str) -> OneOperatorModel:
    return validate(load_yaml(decode_source("sample", text.encode())), model)


@pytest.mark.parametrize(
    "one", [*OPERATORS.conditions.values(), *OPERATORS.quantities.values()], ids=lambda one: one.key
)
def test_every_operator_has_a_meaning_and_words(one: RoundOperator[Any]) -> None:
    evaluated = (
        ("evaluate_across_rounds", "evaluate")
        if isinstance(one, ConditionOperator)
        else ("compute_bounds_across_rounds", "compute_bounds")
    )
    bases = (ConditionOperator, QuantityOperator)
    assert any(getattr(type(one), name) not in [getattr(base, name, None) for base in bases] for name in evaluated)
    is_decided = one.key == "reading"  # readings alone decide it, so no text has it
    assert is_decided or one.words or type(one).describe not in [base.describe for base in bases]  # type: ignore[attr-defined]
    assert type(one).__doc__


@pytest.mark.parametrize(
    ("model", "tables"),
    [
        (Condition, [OPERATORS.conditions, Condition.SHORT_FORMS]),
        (Quantity, [OPERATORS.quantities]),
        (Comparison, [OPERATORS.comparisons]),
        (SubmissionCondition, [SUBMISSION_OPERATORS.conditions, SubmissionCondition.SHORT_FORMS]),
        (Value, [SUBMISSION_OPERATORS.values_by_key]),
    ],
)
def test_every_keyword_is_a_field_and_has_an_operator(
    model: type[OneOperatorModel], tables: list[Mapping[str, Any]]
) -> None:
    """In the same order, so that the tables read like the models."""
    fields = [to_key(field) for field in model.model_fields if field not in model.COMPANIONS]
    assert fields == [key for table in tables for key in table]
    assert all(read_attribute_docs(model).values()) and len(read_attribute_docs(model)) == len(model.model_fields)


def test_no_two_samples_have_one_identity() -> None:
    read_ones = [read(model, row.sample) for model, table in MODELS.items() for row in table.values()]
    assert len({record.identity for record in read_ones}) == len(read_ones)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("{holds: {hand: h, is: pair}}", "{holds: {is: pair, hand: h}}", True),
        ("{exactly: 3, equals: 4}", "{exactly: 3, equals: {exactly: 4}}", True),
        ("[{placed: a}, {placed: b}]", "[{placed: b}, {placed: a}]", False),
        ("[[{placed: a}], {placed: b}]", "[[{placed: a}, {placed: b}]]", False),
        ("{wager-is: [a, b]}", "{wager-is: ['a,b']}", False),
        ("{option: {a: true}}", "{option: {a: 'True'}}", False),
        ("{placed: a}", "{tipped: a}", False),
    ],
)
def test_what_is_alike_in_structure_and_nothing_else_has_one_identity(one: str, other: str, *, same: bool) -> None:
    assert (read(Condition, one).identity == read(Condition, other).identity) is same


def test_equal_conditions_are_worked_out_once_wherever_they_stand() -> None:
    condition = {"players": "seated", "at-least": 1}
    place = room(facts={"one": condition, "other": condition})
    scope = place.scope([round_of({})])
    facts = place.prepared.game.facts
    assert facts["one"] is not facts["other"]
    assert scope.evaluate(facts["one"], "round") is scope.evaluate(facts["other"], "round")
