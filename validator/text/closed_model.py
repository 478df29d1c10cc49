"""Base classes of every model that a person writes a file for, and the docstrings of their fields."""

import ast
import datetime
import re
import sys
import unicodedata
from collections.abc import Generator, Iterator, Mapping
from functools import cache, cached_property
from hashlib import blake2b
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path
from typing import (
    Annotated,
    Any,
    ClassVar,
    Final,
    NoReturn,
    Self,
    cast,
)

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from fairdeal.validator.text.diagnostics import quote


def to_key(name: str) -> str:
    """Return the key of a field in a file: `rank_by` is written `rank-by`, `all_` is written `all`."""
    return name.rstrip("_").replace("_", "-")


@cache
def map_fields_to_keys(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the keys of the fields of a model in a file, in the order of the fields."""
    return {field: to_key(field) for field in model.model_fields}


def iterate_set_keys(model: BaseModel) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values that a file gives for a mapping, in the order of its model."""
    fields, keys = model.model_fields_set, map_fields_to_keys(type(model))
    for field in fields if len(fields) == 1 else [field for field in keys if field in fields]:
        yield keys[field], getattr(model, field)


def hash_structure(model: BaseModel) -> bytes:
    """Return 16 bytes that are equal for models of one class with equal structure, wherever they are."""
    parts = (b"%b:%b" % (key.encode(), _canonical(value)) for key, value in iterate_set_keys(model))
    return blake2b(b",".join((type(model).__name__.encode(), *parts)), digest_size=16).digest()


def _canonical(value: object) -> bytes:
    match value:
        case IdentifiedModel():
            return value.identity
        case BaseModel():
            return hash_structure(value)
        case list():
            return b"[%b]" % b",".join(map(_canonical, value))
        case _:
            return repr(value).encode()


NO_OPERAND: Any = None
"""Default of an operator that a mapping does not have."""


_VALUES = "__dict__"
"""Key of the values in the state of a model that is pickled."""


@cache
def _map_fields_to_none(model: type[BaseModel]) -> Mapping[str, None]:
    return dict.fromkeys(model.model_fields)


class ClosedModel(BaseModel):
    """A mapping with known keys only: an unknown key is an error and never ignored.

    `KEY_HELP` explains how to write a key, including keys of earlier versions, if it cannot be read. The class
    variables state no types, which pydantic would evaluate for each model again.
    """

    KEY_HELP: ClassVar = dict[str, str]()
    CURRENCY_AT: ClassVar = tuple[str, ...]()
    """Keys that lead to the currency of all amounts within; empty if that is named outside."""
    UNWRITTEN: ClassVar = dict[str, str]()
    """The keys that files do not write, each with how its content is written. See `AbbreviatedModel`."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=to_key,
        defer_build=True,
        use_attribute_docstrings=False,
        ignored_types=(cached_property,),
        # The defaults of two keys that pydantic reads for each field: a key that is not stated costs an exception.
        protected_namespaces=(),
        field_title_generator=None,
    )

    def __iter__(self) -> Generator[tuple[str, Any], None, None]:
        """Yield each field and its value. Pydantic would yield the properties that are cached as well."""
        yield from ((name, getattr(self, name)) for name in type(self).model_fields)

    def __getstate__(self) -> dict[Any, Any]:
        """Return the state without values that are None: of seventy operators, a condition has one."""
        state = super().__getstate__()
        values = {name: value for name, value in state[_VALUES].items() if value is not None}
        return state | {_VALUES: values}

    def __setstate__(self, state: dict[Any, Any]) -> None:
        """Restore the model, with None for each field that the state does not have."""
        super().__setstate__(state | {_VALUES: {**_map_fields_to_none(type(self)), **state[_VALUES]}})


class AbbreviatedModel(ClosedModel):
    """A mapping some keys of which have no place in files: their content is written in its place."""

    MAIN_PARTS: ClassVar = dict[str, str]()
    """Operators whose operand has a main part, with the key of it. A file writes that part as the operand, and the
    other keys of the operand next to the operator."""

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return the mapping with all keys that a value of a file is short for; any other value unchanged."""
        raise NotImplementedError

    @model_validator(mode="before")
    @classmethod
    def _write_out(cls, value: object) -> object:
        refused = cls.find_refused_key(value)
        if refused is not None:
            raise ValueError(refused[1])
        return cls.write_out(value)

    @classmethod
    def find_refused_key(cls, value: object) -> tuple[str, str] | None:
        """Return a key of a value that files leave out, or the operator over it, with what to write instead."""
        if not isinstance(value, dict):
            return None
        for key, how in cls.UNWRITTEN.items():
            if key in value:
                return key, f"{how}, without `{key}`"
        for operator, main in cls.MAIN_PARTS.items():
            if isinstance(operand := value.get(operator), dict) and main in operand:
                return operator, f"what is under `{main}` is the operand of `{operator}`, and the rest is next to it"
        return None

    @classmethod
    def write_out_operand(cls, value: Any) -> Any:
        """Return a mapping with one operator that has its whole operand, if the operator has a main part."""
        operator = next((key for key in value if key in cls.MAIN_PARTS), None) if isinstance(value, dict) else None
        if operator is None:
            return value
        others = {key: part for key, part in value.items() if key != operator}
        return {operator: {cls.MAIN_PARTS[operator]: value[operator], **others}}

    @model_serializer(mode="wrap")
    def _abbreviate(self, write: SerializerFunctionWrapHandler) -> Any:
        data = write(self)
        return self.abbreviate(data) if isinstance(data, dict) else data  # a key that is not set has no model

    @classmethod
    def abbreviate(cls, data: dict[str, Any]) -> Any:
        """Return the data of a model as a file writes it: the opposite of `write_out`."""
        written: dict[str, Any] = {}
        for key, part in data.items():
            if to_key(key) in cls.MAIN_PARTS and isinstance(part, dict):
                main = next(name for name in part if to_key(name) == cls.MAIN_PARTS[to_key(key)])
                written |= {key: part[main]} | {other: value for other, value in part.items() if other != main}
            elif key not in cls.UNWRITTEN or part is None:
                written[key] = part
            elif isinstance(part, dict):
                written |= part
            else:
                return part
        return written


class IdentifiedModel(ClosedModel):
    """A mapping that is looked up by its structure. It is never copied with other values: a copy keeps the identity."""

    @cached_property
    def identity(self) -> bytes:
        """The result of `hash_structure`, computed once."""
        return hash_structure(self)


_MAX_LISTED = 20
"""Number of operators that a message names."""


def require_one_operator(model: "OneOperatorModel") -> "OneOperatorModel":
    """Check that a mapping of operators has exactly one. Raises ValueError otherwise.

    It is outside the class so that a cached validator can refer to it by name.
    """
    operators = model._list_given_operators()
    if len(operators) != 1:
        names = sorted(list_operator_keys(type(model)))
        found_text = "none of them" if not operators else " and ".join(f"`{to_key(name)}`" for name in operators)
        hidden = len(names) - _MAX_LISTED
        listed = f"{', '.join(names[:_MAX_LISTED])}{f' and {hidden} more' if hidden > 0 else ''}"
        remedy = "; write each in a mapping of its own" if operators and hidden > 0 else ""
        raise ValueError(f"exactly one of {listed} is required here, found {found_text}{remedy}")
    return model


def list_operator_keys(model: "type[OneOperatorModel]") -> list[str]:
    """Return the operators that a file may write, in the order of the model."""
    keys = [to_key(name) for name in model.model_fields if name not in model.COMPANIONS]
    return [key for key in keys if key not in model.UNWRITTEN]


class OneOperatorModel(IdentifiedModel):
    """A mapping with exactly one operator; keys in `BESIDE` may be added.

    Operators are fields of one closed model, not a union of models. This keeps messages short and lets editors complete
    them.
    """

    COMPANIONS: ClassVar = frozenset[str]()
    _one_operator = model_validator(mode="after")(require_one_operator)

    @classmethod
    def build(cls, operator: str, operand: object) -> Self:
        """Build a mapping of one operator, without a validator, which takes as long to make as an audit to begin.

        Args:
            operator: field of the operator.
            operand: value of the field.
        """
        return cast("Self", cls.model_construct({operator}, **{operator: operand}))

    def _list_given_operators(self) -> list[str]:
        operators = self.model_fields_set - self.COMPANIONS
        if len(operators) == 1:
            return list(operators)
        return [name for name in map_fields_to_keys(type(self)) if name in operators]

    @cached_property
    def operator(self) -> str:
        """The operator, as it is written."""
        return to_key(self._list_given_operators()[0])

    @cached_property
    def operand(self) -> Any:
        """The operand of the operator."""
        return getattr(self, self._list_given_operators()[0])


MAX_NAME = 200
MAX_PROSE = 10_000
MAX_IDENTIFIER = 100

_DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_IDENTIFIER_FORM = r"^[a-z0-9]+(-[a-z0-9]+)*$"
_IDENTIFIER = re.compile(_IDENTIFIER_FORM)
_CONTROLS = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
_CONTROL = re.compile(f"[{_CONTROLS}]")
_VISIBLE = r"\S"
"""Pattern of a JSON Schema for a visible character."""
_ONE_LINE_FORM = rf"^[^{_CONTROLS}]*{_VISIBLE}[^{_CONTROLS}]*$"


def _refuse(message: str) -> NoReturn:
    # The message is a value of the template, so that its braces are not fields.
    raise PydanticCustomError("invalid_value", "{problem}", {"problem": message})


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_NAMES = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_SLASHED = r"([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})"
_YEAR_FIRST = r"([0-9]{4})([/.-])([0-9]{1,2})\2([0-9]{1,2})"
_MONTH_FIRST = r"([A-Za-z]+)\.? ([0-9]{1,2})(?:st|nd|rd|th)?,? ([0-9]{4})"
_DAY_FIRST = r"([0-9]{1,2})(?:st|nd|rd|th)?\.? ([A-Za-z]+)\.?,? ([0-9]{4})"


def list_days(text: str) -> list[datetime.date]:
    """Return the days that a text may mean: two if it may begin with the day or with the month."""
    possible: list[tuple[str, int, str]] = []
    if (match := re.fullmatch(_SLASHED, text)) is not None:
        possible = [(match[4], int(match[1]), match[3]), (match[4], int(match[3]), match[1])]
    elif (match := re.fullmatch(_YEAR_FIRST, text)) is not None:
        possible = [(match[1], int(match[3]), match[4])]
    elif (match := re.fullmatch(_MONTH_FIRST, text)) is not None:
        possible = [(match[3], _find_month(match[1]), match[2])]
    elif (match := re.fullmatch(_DAY_FIRST, text)) is not None:
        possible = [(match[3], _find_month(match[2]), match[1])]
    days: dict[datetime.date, None] = {}
    for year, month, day in possible:
        try:
            days[datetime.date(int(year), month, int(day))] = None
        except ValueError:
            continue
    return list(days)


def _find_month(word: str) -> int:
    """Return the number of a month; 0 if the word is none."""
    word = word.lower()
    names = _MONTH_NAMES if word in _MONTH_NAMES else _MONTHS
    return names.index(word) + 1 if word in names else 0


def _parse_day(value: Any) -> Any:
    """Return a date from its text; pydantic rejects other values."""
    if not isinstance(value, str):
        return value
    if not _DAY_FORM.fullmatch(value):
        days = [day.isoformat() for day in list_days(value)] or ["2024-01-31"]
        if len(days) > 1:
            _refuse(f"{quote(value)} may be two days: write {' or '.join(days)}")
        _refuse(f"{quote(value)} is not a day: write it as year-month-day, such as {days[0]}")
    try:
        return datetime.date.fromisoformat(value)
    except ValueError:
        _refuse(f"{quote(value)} is not a day of the calendar")


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


_LETTERS: Final = str.maketrans({"æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "ð": "d", "þ": "th", "đ": "d"})
"""Letters that are no letter of a to z with an accent."""


def is_identifier(value: str) -> bool:
    """Return whether a text may be the id of a document, a requirement or another named thing."""
    return len(value) <= MAX_IDENTIFIER and _IDENTIFIER.fullmatch(value) is not None


def _check_identifier(value: str) -> str:
    if is_identifier(value):
        return value
    if len(value) > MAX_IDENTIFIER:
        _refuse(f"an identifier has at most {MAX_IDENTIFIER} characters; this one has {len(value):,}")
    plain = _remove_accents(value)
    rest = f", such as `{plain}`" if not value.isascii() and is_identifier(plain) else ""
    _refuse(f"{quote(value)} is not an identifier: letters a to z and digits, joined by single hyphens{rest}")


def _remove_accents(value: str) -> str:
    """Return a text in small letters without accents, and with hyphens for everything that is no letter or digit."""
    bare = unicodedata.normalize("NFKD", value.casefold().translate(_LETTERS))
    return re.sub("[^a-z0-9]+", "-", "".join(letter for letter in bare if not unicodedata.combining(letter))).strip("-")


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


def read_attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings of the fields of a model, by field name, without line breaks.

    An inherited field has the text of the nearest class that documents it. A field made from an object has the
    description it was made with. Fields without a text have no entry.
    """
    docs = {name: unwrap_paragraphs(info.description) for name, info in model.model_fields.items() if info.description}
    for base in reversed(model.__mro__):
        docs.update(_read_class_docs(base))
    return {name: docs[name] for name in model.model_fields if name in docs}


def read_class_doc(model: type[BaseModel]) -> str:
    """Return the docstring of a model, paragraphs without line breaks; empty if it has none of its own."""
    return unwrap_paragraphs(model.__doc__ or "")


def unwrap_paragraphs(text: str) -> str:
    """Return a docstring without the line breaks inside its paragraphs."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()


def _read_class_docs(model: type) -> dict[str, str]:
    body = _list_class_bodies(model.__module__).get(model.__qualname__, ())
    docs: dict[str, str] = {}
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docs[name] = unwrap_paragraphs(text)
    return docs


@cache
def _list_class_bodies(module: str) -> Mapping[str, list[ast.stmt]]:
    """Return the bodies of the classes of a module by qualified name; empty if it has no source."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not file.endswith(".py"):
        return {}
    bodies: dict[str, list[ast.stmt]] = {}
    pending: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(Path(file).read_text("utf-8")).body]
    while pending:
        prefix, node = pending.pop()
        match node:
            case ast.ClassDef():
                bodies[prefix + node.name] = node.body
                pending.extend((f"{prefix}{node.name}.", inner) for inner in node.body)
            case ast.FunctionDef():
                pending.extend((f"{prefix}{node.name}.<locals>.", inner) for inner in node.body)
    return bodies
