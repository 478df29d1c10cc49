"""Forms of rule files: models are written and read again, and old forms are refused."""

from __future__ import annotations

from typing import Any

import pytest

from fairdeal.validator.evidence.submission_model import PayRow
from fairdeal.validator.language.round_conditions import Condition
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.rules.payment_model import Case
from fairdeal.validator.rules.requirement_model import Requirement
from fairdeal.validator.schemas.rule_file_schemas import FILE_MODELS
from fairdeal.validator.text.closed_model import hash_structure
from fairdeal.validator.text.positioned_document import LEFT_OUT_KEYS, OPERATORS_WITH_MAIN_PART
from tests.facade.rules import Act, list_documents, load_regulation
from tests.facade.text import AbbreviatedModel, ClosedModel, InputError, decode_source, load_yaml, validate
from tools.generated_files.schema_builders import collect_models

MODELS = {model for root, _ in FILE_MODELS.values() for model in collect_models(root)}
REQUIREMENT = 'requirement: asked\ntitle: Asked\nclauses: ["(1)"]\nseverity: minor\n'


def write_again(model: ClosedModel) -> Any:
    """Write a model as a file does, and read it again."""
    return type(model).model_validate(model.model_dump(by_alias=True, exclude_unset=True))


@pytest.mark.parametrize("document", list_documents())
def test_what_a_model_writes_it_reads_as_the_same(document: str) -> None:
    regulation = load_regulation(document)
    parts: list[ClosedModel] = [*regulation.requirements, *([] if regulation.game is None else [regulation.game])]
    assert [hash_structure(write_again(part)) for part in parts] == [hash_structure(part) for part in parts]


def test_places_leave_out_the_keys_that_files_leave_out() -> None:
    closed = [model for model in MODELS if issubclass(model, ClosedModel)]
    abbreviated = [model for model in closed if issubclass(model, AbbreviatedModel)]
    assert {key for model in closed for key in model.UNWRITTEN} == LEFT_OUT_KEYS
    assert {operator for model in abbreviated for operator in model.MAIN_PARTS} == OPERATORS_WITH_MAIN_PART


@pytest.mark.parametrize(
    ("model", "text", "at", "message"),
    [
        (Condition, "{not: {fact: void}}", "fact", "a fact is written as its name, without `fact`"),
        (Condition, "{all: [{placed: main}]}", "all", "conditions that must all hold are written as a list"),
        (
            Condition,
            "{number: {of: {cards: player}, equals: 3}}",
            "number",
            "the quantity and its bound are written as",
        ),
        (Condition, "{of: {cards: player}, equals: 3}", "of", "the quantity is written with its bound, without `of`"),
        (Condition, "{reading: {name: any, is: other}}", "name", "the name and what is under `is` are written as one"),
        (Condition, "{total: {of: {paid: side}, when: void}, equals: 3}", "total", "`of` is the operand of `total`"),
        (Condition, "{cards: player, equal: 3}", "equal", "`equal` is not a key of a comparison"),
        (Condition, "{cards: player}", "{cards", "exactly one of at-least, at-most, differs-from, equals, less-than"),
        (SubmissionCondition, "{value: {at: deck.decks, equals: 1}}", "value", "the path and its bound are written as"),
        (SubmissionCondition, "{every: {in: wagers, must: {given: .x}}}", "every", "is the operand of `every`"),
        (
            Condition,
            "{placed: main, decided: fold}",
            "{placed",
            "`placed` and `decided`; write each in a mapping of its",
        ),
        (SubmissionCondition, "{every: wagers}", "every", "this operator needs the key `must`"),
        (Requirement, f"{REQUIREMENT}check: {{dealt: {{}}}}", "check", "the keys of the check are written in the"),
        (
            Requirement,
            f"{REQUIREMENT}rule: {{each: round, must: void}}",
            "rule",
            "`rule` is not a key of a requirement",
        ),
        (
            Requirement,
            f"{REQUIREMENT}submitted: {{must: void}}",
            "submitted",
            "`submitted` is not a key of a requirement",
        ),
        (
            Requirement,
            f"{REQUIREMENT}each: sumbission\nmust: {{given: deck}}",
            "sumbission",
            "`sumbission` is not a value of `each`",
        ),
    ],
)
def test_what_has_no_place_in_a_file_is_refused_where_it_is(
    model: type[ClosedModel], text: str, at: str, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        validate(load_yaml(decode_source("rules.yaml", text.encode())), model)
    (problem,) = caught.value.diagnostics
    assert message in problem.message
    assert problem.source_line is not None and problem.column is not None
    assert problem.source_line[problem.column - 1 :].startswith(at)


@pytest.mark.parametrize(
    ("model", "text", "help_"),
    [
        (Case, "{case: tied, lines: [main], due: push, clauses: ['(1)']}", "`lost`, `returned`, `nothing`"),
        (Condition, "{any: {not: {placed: main}}}", "write its items in square brackets"),
        (Requirement, f"{REQUIREMENT}must: void", "write round, seat, stake, event or submission"),
        (PayRow, "{hand: flush, odds: 5}", 'write both numbers, as in "5 to 1"'),
    ],
)
def test_what_may_be_written_is_told(model: type[ClosedModel], text: str, help_: str) -> None:
    with pytest.raises(InputError) as caught:
        validate(load_yaml(decode_source("rules.yaml", text.encode())), model)
    (problem,) = caught.value.diagnostics
    assert help_ in (problem.help or "")


def test_what_an_act_says_is_the_same_before_and_after_it_was_read() -> None:
    """Rules compare acts key by key, so properties that are cached must not be among the keys."""
    act = Act.model_validate({"title": "the dealer shuffles", "event": "shuffle"})
    before = dict(act)
    assert act.grain == "round" and act.events == ("shuffle",) and act.words == ()
    assert dict(act) == before and before.keys() == Act.model_fields.keys()
