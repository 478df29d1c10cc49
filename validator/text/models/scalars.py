"""Text types that models share: days, names, identifiers, prose, each with its own error messages.

Files are validated as JSON is (see `validate`), so a model may also use plain `date`, enums and tuples. These types are
stricter and have better messages. Importing this module imports pydantic.
"""

from __future__ import annotations

import datetime
import re
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from validator.text.visible import quoted

MAX_NAME = 200
MAX_PROSE = 10_000
MAX_IDENTIFIER = 100

_DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_IDENTIFIER_FORM = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_VISIBLE = r"\S"
"""Pattern of a JSON Schema for a visible character."""
_ONE_LINE_FORM = rf"^[^{_CONTROLS}]*{_VISIBLE}[^{_CONTROLS}]*$"


def _refuse(message: str) -> NoReturn:
    # The message is a value of the template, so that its braces are not fields.
    raise PydanticCustomError("invalid_value", "{problem}", {"problem": message})


def _parse_day(value: Any) -> Any:
    """Return a date from its text; pydantic rejects other values."""
    if not isinstance(value, str):
        return value
    if not _DAY_FORM.fullmatch(value):
        _refuse(f"{quoted(value)} is not a day: write it as year-month-day, such as 2024-01-31")
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        _refuse(f"{quoted(value)} is not a day of the calendar")


def _check_name(value: str) -> str:
    if not value.strip():
        _refuse("a name needs at least one visible character")
    if len(value) > MAX_NAME:
        _refuse(f"a name has at most {MAX_NAME} characters; this one has {len(value):,}")
    control = _CONTROL.search(value)
    if control is not None:
        _refuse(f"a name is one line of plain text; this one holds the character U+{ord(control.group()):04X}")
    return value


def _check_prose(value: str) -> str:
    if not value.strip():
        _refuse("a text needs at least one visible character")
    if len(value) > MAX_PROSE:
        _refuse(f"a text has at most {MAX_PROSE:,} characters; this one has {len(value):,}")
    return value


def _check_identifier(value: str) -> str:
    if len(value) > MAX_IDENTIFIER:
        _refuse(f"an identifier has at most {MAX_IDENTIFIER} characters; this one has {len(value):,}")
    if not re.fullmatch(_IDENTIFIER_FORM, value):
        _refuse(f"{quoted(value)} is not an identifier: lower-case letters and digits, joined by single hyphens")
    return value


Day = Annotated[
    datetime.date,
    BeforeValidator(_parse_day),
    WithJsonSchema({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
]
"""A calendar day, written `2024-01-31`."""

Name = Annotated[
    str,
    AfterValidator(_check_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_NAME, "pattern": _ONE_LINE_FORM}),
]
"""A single line of text that names a person, place or thing: 1 to 200 characters, no control characters."""

Prose = Annotated[
    str,
    AfterValidator(_check_prose),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_PROSE, "pattern": _VISIBLE}),
]
"""Free text of 1 to 10,000 characters, line breaks allowed. It may be hostile: escape it for display."""

Identifier = Annotated[
    str,
    AfterValidator(_check_identifier),
    WithJsonSchema({"type": "string", "pattern": _IDENTIFIER_FORM, "maxLength": MAX_IDENTIFIER}),
]
"""Lower-case words joined by hyphens, which other files refer to."""
