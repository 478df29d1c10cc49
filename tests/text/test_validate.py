"""Conversion of trees to models: accepted values, and the message and place of each error."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, RootModel

from fairdeal.validator.text import model_problems
from fairdeal.validator.text.document_loader import validate
from tests.facade.text import Diagnostic, InputError, Payout, load_json, load_yaml
from tests.text.helpers import source
from tests.text.model_refusals import MODEL_REFUSALS
from tests.text.models import BoxSize, Closed, Colour, Everything


def problems_of(text: str, model: type[BaseModel] = Everything) -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as caught:
        validate(load_yaml(source(text)), model)
    return caught.value.diagnostics


FULL = """\
amount: 2.50
day: 2024-02-29
plain-day: 2024-03-01
words: [a, b]
pair: [1, b]
distinct: [x, x]
box: {shade-of: light-red}
shape: {kind: oblong, side: 2}
end: {lower: 1}
boxes: [{shade-of: blue, width: 3}]
boxes-by-name: {one: {shade-of: blue}, two: 2}
names: {a-b: 1}
flag: true
outcome: push
count: 8
score: 1234567890123456789
mixed: [a]
all-or: all
odds: 3 to 2
when: {not: {all: [{at-least: 1}]}}
name: Ünïcode \U0001f600 "quoted" \\ text
"""


def test_what_a_file_can_write() -> None:
    everything = validate(load_yaml(source(FULL)), Everything)
    assert everything.amount == Decimal("2.5")
    assert (everything.day, everything.plain_day) == (date(2024, 2, 29), date(2024, 3, 1))
    assert (everything.words, everything.pair) == (("a", "b"), (1, "b"))
    assert everything.distinct == {"x"}
    assert everything.box == BoxSize.model_validate_json('{"shade-of": "light-red"}')
    assert everything.boxes[0].shade_of is Colour.BLUE
    assert everything.boxes_by_name["two"] == 2
    assert everything.score == 1234567890123456789
    assert everything.odds == Payout(value=Fraction(3, 2), form="to")
    assert everything.name == 'Ünïcode \U0001f600 "quoted" \\ text'
    assert everything.when is not None
    assert everything.when.not_ is not None
    assert everything.when.not_.all_ is not None


def test_json_gives_the_same_model() -> None:
    text = '{"amount": 2.50, "words": ["a"], "day": "2024-02-29", "odds": "3:2"}'
    from_json = validate(load_json(source(text)), Everything)
    assert from_json == validate(load_yaml(source(text)), Everything)


@pytest.mark.parametrize("case", MODEL_REFUSALS)
def test_refusal(case: str) -> None:
    text, said = MODEL_REFUSALS[case]
    with pytest.raises(InputError) as caught:
        validate(load_yaml(source(text)), Everything)
    assert str(caught.value) == said


def test_a_part_of_a_tree() -> None:
    tree = load_yaml(source("a:\n  - b: {shade-of: blue, wide: 1}\n"))
    with pytest.raises(InputError) as caught:
        validate(tree, BoxSize, at=("a", 0, "b"))
    [problem] = caught.value.diagnostics
    assert (problem.line, problem.column, problem.code) == (2, 25, "unknown-key")
    with pytest.raises(KeyError):
        validate(tree, BoxSize, at=("a", 1))


def test_a_part_that_is_an_item() -> None:
    with pytest.raises(InputError) as caught:
        validate(load_yaml(source("a: [x]")), BoxSize, at=("a", 0))
    [problem] = caught.value.diagnostics
    assert problem.message == "item 1 of `a` must be a mapping, found the text `x`"


def test_problems_come_in_the_order_of_the_file_and_twenty_are_shown() -> None:
    text = "".join(f"z{number}: 1\n" for number in range(12)) + "boxes:\n" + "  - {shade-of: no-such}\n" * 12
    found = problems_of(text)
    assert [problem.line for problem in found[:20]] == [*range(1, 13), *range(14, 22)]
    assert [problem.message for problem in found[20:]] == ["and 4 more problems"]


@pytest.mark.parametrize(
    "text",
    [
        "{" + ", ".join(f'"{number:080}": 1' for number in range(60_000)) + "}",
        '{"names": {' + ", ".join(f'"A{number}": "x"' for number in range(60_000)) + "}}",
        '{"shape": {' + ", ".join(f'"{number:080}": 1' for number in range(60_000)) + "}}",
        '{"boxes": [' + ", ".join(["{}"] * 60_000) + "]}",
        '{"mixed": [' + ", ".join(["{}"] * 60_000) + "]}",
    ],
    ids=["unknown keys", "keys that are no identifiers", "keys beside no tag", "missing keys", "items of an option"],
)
def test_few_of_thousands_of_problems_are_put_in_words(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words, running = Counter[str](), list[str]()

    def count_calls(name: str) -> None:
        say = getattr(model_problems, name)

        def count_and_call(*arguments: Any, **options: Any) -> Any:
            words[name] += not running  # a text is counted once, whatever other texts it is made of
            running.append(name)
            try:
                return say(*arguments, **options)
            finally:
                running.pop()

        monkeypatch.setattr(model_problems, name, count_and_call)

    for name in (
        "describe_misfits",
        "describe_missing_key",
        "describe_error",
        "describe_unknown_key",
        "describe_unknown_value",
        "describe_missing_tag",
        "describe_wrong_type",
    ):
        count_calls(name)
    tree = load_json(source(text))
    with pytest.raises(InputError) as caught:
        validate(tree, Everything)
    assert 1 <= len(caught.value.diagnostics) <= 21
    assert 1 <= words.total() <= 200


def test_every_problem_is_counted() -> None:
    assert problems_of("words: [" + "1, " * 999 + "1]")[-1].message == "and 980 more problems"


def test_same_problem_twice_is_said_once() -> None:
    assert len(problems_of("boxes: [{}]")) == 1


@given(st.decimals(min_value=-(10**8), max_value=10**8, places=6))
def test_decimals_are_not_changed_on_the_way(amount: Decimal) -> None:
    assert validate(load_yaml(source(f"amount: {amount}")), Everything).amount == amount


@pytest.mark.parametrize(
    "written", ["0.1", "1e-30", "9.99999999999999", "999999999999999e15", "0.000000000000123456789012345", "5."]
)
def test_decimals_at_their_bounds(written: str) -> None:
    assert validate(load_yaml(source(f"amount: {written}")), Everything).amount == Decimal(written)


@given(st.text(st.characters(codec="utf-8"), max_size=50))
def test_texts_are_not_changed_on_the_way(text: str) -> None:
    class Holder(BaseModel):
        model_config = ConfigDict(strict=True)
        words: dict[str, str]

    words = {text: text}
    tree = load_json(source(Holder(words=words).model_dump_json()))
    assert validate(tree, Holder).words == words


KEYS = st.sampled_from([*Everything.model_json_schema(by_alias=True)["properties"], "str", "BoxSize", "list[str]", "0"])
SMALL = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-5, 12),
        st.sampled_from(["circle", "upper", "all", "5 to 1", "blue", "2024-01-01", "x", ""]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                KEYS, st.sampled_from(["kind", "radius", "side", "upper", "shade-of", "width", "holds", "not", "all"])
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(st.dictionaries(KEYS, SMALL, max_size=6))
def test_any_data_is_a_model_or_problems_with_places(data: dict[str, object]) -> None:
    class Holder(RootModel[dict[str, object]]):
        pass

    tree = load_json(source(Holder(data).model_dump_json()))
    try:
        validate(tree, Everything)
    except InputError as error:
        for problem in error.diagnostics[:20]:
            assert problem.line == 1
            assert problem.column is not None
            assert 1 <= problem.column <= len(tree.lines[0])
            assert "Input should" not in problem.message


class Outer(Closed):
    inner: dict[str, Outer] | list[Outer] | None = None


def test_recursive_unions_of_containers() -> None:
    assert validate(load_yaml(source("inner: {a: {inner: [{}, {}]}}")), Outer)
    [problem] = problems_of("inner: {a: {inner: [{}, {iner: 1}]}}", Outer)
    assert (problem.message, problem.column) == ("`iner` is not a key of an outer", 26)
