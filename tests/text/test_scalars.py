"""Days, names, prose and identifiers: accepted values, messages and schemas."""

from __future__ import annotations

import datetime
import json
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel, ValidationError

from fairdeal.validator.text.closed_model import Day, Identifier, Name, Prose


class Card(BaseModel, strict=True):
    day: Day = datetime.date(2024, 1, 1)
    name: Name = "x"
    prose: Prose = "x"
    identifier: Identifier = "x"
    by_identifier: dict[Identifier, int] = {}


@pytest.mark.parametrize(
    ("field", "given", "value"),
    [
        ("day", "2024-02-29", datetime.date(2024, 2, 29)),
        ("day", "0001-01-01", datetime.date(1, 1, 1)),
        ("name", "Ünïcode & <b>", "Ünïcode & <b>"),
        ("name", "x" * 200, "x" * 200),
        ("prose", "one\ntwo \x1b\u202e", "one\ntwo \x1b\u202e"),
        ("prose", "x" * 10_000, "x" * 10_000),
        ("identifier", "a", "a"),
        ("identifier", "3-card-x9", "3-card-x9"),
        ("identifier", "x" * 100, "x" * 100),
    ],
)
def test_taken(field: str, given: str, value: object) -> None:
    assert getattr(Card.model_validate_json(json.dumps({field: given})), field) == value


NOT_AN_IDENTIFIER = "is not an identifier: letters a to z and digits, joined by single hyphens"
NOT_A_DAY = "is not a day: write it as year-month-day, such as 2024-01-31"


@pytest.mark.parametrize(
    ("field", "given", "said"),
    [
        ("day", "2023-02-29", "`2023-02-29` is not a day of the calendar"),
        ("day", "0000-01-01", "`0000-01-01` is not a day of the calendar"),
        ("day", "2024-1-1", "`2024-1-1` is not a day: write it as year-month-day, such as 2024-01-01"),
        ("day", "2024-01-01T00:00:00", f"`2024-01-01T00:00:00` {NOT_A_DAY}"),
        ("day", "2024-01-01\n", f"`2024-01-01\n` {NOT_A_DAY}"),
        ("day", "{day}", f"`{{day}}` {NOT_A_DAY}"),
        ("name", "", "a name needs at least one visible character"),
        ("name", " \t", "a name needs at least one visible character"),
        ("name", "x" * 201, "a name has at most 200 characters; this one has 201"),
        ("name", "a\nb", "a name is one line of plain text; this one holds the character U+000A"),
        ("prose", " \n", "a text needs at least one visible character"),
        ("prose", "x" * 10_001, "a text has at most 10,000 characters; this one has 10,001"),
        ("identifier", "", f"`` {NOT_AN_IDENTIFIER}"),
        ("identifier", "A", f"`A` {NOT_AN_IDENTIFIER}"),
        ("identifier", "a--b", f"`a--b` {NOT_AN_IDENTIFIER}"),
        ("identifier", "a-", f"`a-` {NOT_AN_IDENTIFIER}"),
        ("identifier", "a_b", f"`a_b` {NOT_AN_IDENTIFIER}"),
        ("identifier", "a\n", f"`a\n` {NOT_AN_IDENTIFIER}"),
        ("identifier", "é", f"`é` {NOT_AN_IDENTIFIER}, such as `e`"),
        ("identifier", "Numéro plein", f"`Numéro plein` {NOT_AN_IDENTIFIER}, such as `numero-plein`"),
        ("identifier", "größer", f"`größer` {NOT_AN_IDENTIFIER}, such as `grosser`"),
        ("identifier", "é-", f"`é-` {NOT_AN_IDENTIFIER}, such as `e`"),
        ("identifier", "цвет", f"`цвет` {NOT_AN_IDENTIFIER}"),
        ("identifier", "x" * 101, "an identifier has at most 100 characters; this one has 101"),
    ],
)
def test_refused(field: str, given: str, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Card.model_validate_json(json.dumps({field: given}))
    [error] = caught.value.errors()
    assert (error["type"], error["msg"]) == ("invalid_value", said)


@pytest.mark.parametrize("field", ["day", "name", "prose", "identifier"])
@pytest.mark.parametrize("given", ["1", "true", "null", "[]"])
def test_only_text(field: str, given: str) -> None:
    with pytest.raises(ValidationError):
        Card.model_validate_json(f'{{"{field}": {given}}}')


def test_days_of_the_program_are_taken_too() -> None:
    assert Card(day=datetime.date(2024, 5, 6)).day == datetime.date(2024, 5, 6)
    wrong: Any = datetime.datetime(2024, 5, 6, 7)
    with pytest.raises(ValidationError):
        Card(day=wrong)


@pytest.mark.parametrize(
    ("given", "valid"),
    [
        ({"day": "2024-01-31", "name": "x", "prose": "x", "identifier": "a-b"}, True),
        ({"by_identifier": {"a-b": 1}}, True),
        ({"day": "31.1.2024"}, False),
        ({"name": ""}, False),
        ({"name": "x" * 201}, False),
        ({"prose": "x" * 10_001}, False),
        ({"identifier": "A"}, False),
        ({"identifier": 1}, False),
    ],
)
def test_schema(given: dict[str, object], valid: bool) -> None:
    assert jsonschema.Draft202012Validator(Card.model_json_schema()).is_valid(given) is valid
