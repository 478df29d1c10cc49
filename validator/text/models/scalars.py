"""Text types that models share: days, names, identifiers, prose. Each says itself what is wrong.

Files are validated as JSON is (see `validate`), so a model may also use plain `date`, enums and tuples. These
types are for the stricter form and the better message. Importing this module imports pydantic.
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

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_IDENTIFIER = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_SHOWS = r"\S"
"""What a text needs, to a JSON Schema."""
_ONE_LINE = rf"^[^{_CONTROLS}]*{_SHOWS}[^{_CONTROLS}]*$"


def _bad(message: str) -> NoReturn:
    # The text goes in as a value: braces in it are not fields of the template.
    raise PydanticCustomError("invalid_value", "{problem}", {"problem": message})


def _day(value: Any) -> Any:
    """A date from its text; other values go on to pydantic, which refuses what is no date."""
    if not isinstance(value, str):
        return value
    if not _DAY.fullmatch(value):
        _bad(f"{quoted(value)} is not a day: write it as year-month-day, such as 2024-01-31")
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        _bad(f"{quoted(value)} is not a day of the calendar")


def _name(value: str) -> str:
    if not value.strip():
        _bad("a name needs at least one character that shows")
    if len(value) > MAX_NAME:
        _bad(f"a name has at most {MAX_NAME} characters; this one has {len(value):,}")
    control = _CONTROL.search(value)
    if control is not None:
        _bad(f"a name is one line of plain text; this one holds the character U+{ord(control.group()):04X}")
    return value


def _prose(value: str) -> str:
    if not value.strip():
        _bad("a text needs at least one character that shows")
    if len(value) > MAX_PROSE:
        _bad(f"a text has at most {MAX_PROSE:,} characters; this one has {len(value):,}")
    return value


def _identifier(value: str) -> str:
    if len(value) > MAX_IDENTIFIER:
        _bad(f"an identifier has at most {MAX_IDENTIFIER} characters; this one has {len(value):,}")
    if not re.fullmatch(_IDENTIFIER, value):
        _bad(f"{quoted(value)} is not an identifier: lower-case letters and digits, joined by single hyphens")
    return value


Day = Annotated[
    datetime.date,
    BeforeValidator(_day),
    WithJsonSchema({"type": "string", "format": "date", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
]
"""A calendar day, written `2024-01-31`."""

Name = Annotated[
    str,
    AfterValidator(_name),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_NAME, "pattern": _ONE_LINE}),
]
"""One line of text that names a person, place or thing: 1 to 200 characters, none of them controls."""

Prose = Annotated[
    str,
    AfterValidator(_prose),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": MAX_PROSE, "pattern": _SHOWS}),
]
"""Free text of 1 to 10,000 characters, line breaks allowed. It may be hostile: escape it where it is shown."""

Identifier = Annotated[
    str,
    AfterValidator(_identifier),
    WithJsonSchema({"type": "string", "pattern": _IDENTIFIER, "maxLength": MAX_IDENTIFIER}),
]
"""A lower-case word or words joined by hyphens, such as those other files refer to."""
