"""Operators in the schemas: exactly one of a mapping, bare operands, and an example of each."""

from __future__ import annotations

import json
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError, create_model

from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.schemas.rule_file_schemas import FILE_MODELS
from tests.facade.rules import RequirementFile, Value
from tests.facade.text import (
    AbbreviatedModel,
    ClosedModel,
    OneOperatorModel,
    decode_source,
    load_yaml,
    to_key,
    validate,
)
from tests.schemas.helpers import schema_of
from tools.generated_files.reference_pages import OPERATOR_SAMPLES
from tools.generated_files.schema_builders import BARE_OPERATORS, collect_models, list_companion_keys

MODELS: dict[str, type[BaseModel]] = {
    model.__name__: model for root, _ in FILE_MODELS.values() for model in collect_models(root)
}
OPERATORS = [
    (name, to_key(field))
    for name, model in MODELS.items()
    if issubclass(model, OneOperatorModel)
    for field in model.model_fields
    if field not in model.COMPANIONS
]


SHORT = {"Condition": Condition.SHORT_FORMS, "SubmissionCondition": SubmissionCondition.SHORT_FORMS}


WITHIN: dict[str, tuple[str, dict[str, Any]]] = {
    "Comparison": ("Condition", {}),
    "Counted": ("SubmissionCondition", {}),
    "Check": ("Requirement", {"requirement": "asked", "title": "Asked", "clauses": ["(1)"]}),
}
"""Models whose keys files write in another mapping: that, and what it needs beside them."""


@cache
def _checker(name: str) -> Draft202012Validator:
    for schema in map(schema_of, FILE_MODELS):
        if name in schema.get("$defs", {}):
            return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schema["$defs"]})
    raise KeyError(name)


def _data(text: str) -> Any:
    return load_yaml(decode_source("sample", text.encode())).data


def _accepts(name: str, data: Any) -> tuple[bool, bool]:
    """Return whether the model accepts the data, and whether its schema does."""
    try:
        (MODELS["SubmissionCondition"] if name == "Counted" else MODELS[name]).model_validate_json(json.dumps(data))
        accepted = True
    except ValidationError:
        accepted = False
    outer, beside = WITHIN.get(name, (name, {}))
    return accepted, _checker(outer).is_valid({**beside, **data} if beside else data)


def test_names_of_models_are_unique_over_all_files() -> None:
    for root, _ in FILE_MODELS.values():
        for model in collect_models(root):
            assert MODELS[model.__name__] is model


@pytest.mark.parametrize(("name", "operator"), OPERATORS)
def test_every_operator_has_an_example_its_model_reads(name: str, operator: str) -> None:
    tree = load_yaml(decode_source("sample", OPERATOR_SAMPLES[name][operator].encode()))
    read: Any = validate(tree, SubmissionCondition).count if name == "Counted" else validate(tree, MODELS[name])
    assert isinstance(read, OneOperatorModel)
    if operator in SHORT.get(name, ()):
        full = SHORT[name][operator].expand(next(iter(_data(OPERATOR_SAMPLES[name][operator]).values())))
        assert read == MODELS[name].model_validate_json(json.dumps(full))
    else:
        assert read.operator in (operator, f"{operator}-value")
    assert _accepts(name, tree.data) == (True, True)


def test_there_is_no_example_of_anything_else() -> None:
    assert sorted((name, operator) for name, samples in OPERATOR_SAMPLES.items() for operator in samples) == sorted(
        OPERATORS
    )


@pytest.mark.parametrize("name", sorted(OPERATOR_SAMPLES))
def test_two_operators_are_refused_and_so_is_none(name: str) -> None:
    model = MODELS[name]
    assert issubclass(model, OneOperatorModel)
    samples = [sample for text in OPERATOR_SAMPLES[name].values() if isinstance(sample := _data(text), dict)]
    around = list_companion_keys(model)
    needed = {key: value for key, value in samples[0].items() if key in around}
    assert _accepts(name, needed) == (False, False)
    for earlier, other in pairwise(samples):
        assert _accepts(name, {**earlier, **other}) == (False, False)
    for optional in set(around) - set(_list_required(model)):
        with_it = next(sample for sample in samples if optional in sample)
        alone = {key: value for key, value in with_it.items() if key != optional}
        assert _accepts(name, with_it) == _accepts(name, alone) == (True, True)
        assert _accepts(name, {optional: with_it[optional]}) == (False, False)


def _list_required(model: type[BaseModel]) -> list[str]:
    return [to_key(name) for name, info in model.model_fields.items() if info.is_required()]


def test_bare_operands_are_those_that_models_read() -> None:
    rewriting = {
        model
        for model in MODELS.values()
        if any(
            model_validator.info.mode == "before"
            for model_validator in model.__pydantic_decorators__.model_validators.values()
        )
    }
    short = {MODELS[name] for name in SHORT}
    assert rewriting == {
        *BARE_OPERATORS,
        *short,
        *(model for model in MODELS.values() if issubclass(model, AbbreviatedModel)),
        RequirementFile,  # its head states defaults that its requirements need not repeat
        Value,  # a bound of an amount is in units of the currency
    }


@pytest.mark.parametrize(
    ("name", "bare", "operator"),
    [("Quantity", 0, "exactly"), ("Quantity", 10**12, "exactly"), ("Due", "lost", "outcome"), ("Due", "3:2", "odds")],
)
def test_a_bare_operand_is_its_operator(name: str, bare: Any, operator: str) -> None:
    model = MODELS[name]
    assert model.model_validate_json(json.dumps(bare)) == model.model_validate_json(json.dumps({operator: bare}))
    assert _accepts(name, bare) == (True, True)


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("Quantity", -1),
        ("Quantity", 10**12 + 1),
        ("Quantity", True),
        ("Quantity", "one"),
        ("Due", "won"),
        ("Due", "1 too 1"),
        ("Due", "3"),
        ("Due", 3),
        ("Due", None),
    ],
)
def test_what_is_no_bare_operand_is_refused(name: str, bare: Any) -> None:
    assert _accepts(name, bare) == (False, False)


def test_what_a_text_names_is_noted() -> None:
    game = schema_of("game")["$defs"]
    assert game["PayTable"]["properties"]["of"]["x-names"] == "line"
    assert game["PayTable"]["properties"]["clauses"]["items"]["x-names"] == "clause"
    assert game["PayTable"]["properties"]["rows"]["propertyNames"]["x-names"] == "row"
    assert game["Wager"]["properties"]["of"]["anyOf"][0]["x-names"] == "wager"


def test_two_models_of_one_name_are_refused() -> None:
    parts: dict[str, Any] = {"one": (MODELS["Case"], ...), "two": (create_model("Case", __base__=ClosedModel), ...)}
    both = create_model("Both", __base__=ClosedModel, **parts)
    with pytest.raises(ValueError, match="two models are called Case"):
        collect_models(both)
