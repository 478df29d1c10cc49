"""The JSON Schema (draft 2020-12) of a model that a person writes a file for.

Pydantic's own schema is the start. It is made readable (descriptions from the source, no titles that repeat
a key, no `default: null`) and says what pydantic leaves to Python: that exactly one operator stands in a
mapping, which operators may be written without their key, and what a text names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DatetimeSchema

from validator.language.conditions import Quantity
from validator.language.refs import Ref
from validator.rules.model.course import Phase
from validator.rules.model.pay_tables import PayTableRequirement
from validator.rules.model.requirement_words import StatementRequirement
from validator.rules.model.settlement import ByTable, Due
from validator.text.models.docs import attribute_docs, flowing, summary
from validator.text.models.model import Closed, OneOf, hyphenated

DRAFT = "https://json-schema.org/draft/2020-12/schema"
NAMES = "x-names"
"""The keyword, an annotation only, that says what kind of thing a text names: `wager`, `clause`."""

BARE: dict[type[Closed], tuple[str, ...]] = {
    Quantity: ("exactly",),
    Due: ("outcome", "odds"),
    ByTable: ("of",),
    StatementRequirement: ("requirement",),
    PayTableRequirement: ("requirement",),
    Phase: ("phase",),
}
"""Operators, or keys, that may be written as their bare operand, without mapping and key."""

_LOCAL_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt _][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?$"
_WORDS = re.compile(r"[A-Z][a-z]+")


def schema_of(model: type[Closed], *, name: str, title: str) -> dict[str, Any]:
    """The schema of the files a model describes, under the name by which they ask for it.

    Raises ValueError where two models within it share a name.
    """
    raw = model.model_json_schema(schema_generator=_Generator)
    parts = {part.__name__: part for part in models_within(model)}
    definitions = {
        key: _part(parts[key], part) if key in parts else _enumeration(part)
        for key, part in raw.get("$defs", {}).items()
    }
    root = {key: value for key, value in _part(model, raw).items() if key != "title"}
    return {**headed(name, title), **root, **({"$defs": definitions} if definitions else {})}


def headed(name: str, title: str) -> dict[str, Any]:
    """What every schema starts with."""
    return {"$schema": DRAFT, "$id": schema_id(name), "title": title}


def schema_id(name: str) -> str:
    """The address by which a schema is known; nothing is fetched from it."""
    return f"https://fairdeal.example/schemas/{name}.json"


def models_within(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """A model and all models of its parts, each once, in the order in which a reader meets them.

    Raises ValueError where two of them share a name.
    """
    found: dict[str, type[BaseModel]] = {}

    def visit(part: type[BaseModel]) -> None:
        if found.setdefault(part.__name__, part) is not part:
            raise ValueError(f"two models are called {part.__name__}")
        for info in part.model_fields.values():
            for inner in _models(info.annotation):
                if found.get(inner.__name__) is not inner:
                    visit(inner)

    visit(model)
    return tuple(found.values())


def title_of(name: str) -> str:
    """The name of a class as words: `PayTable` is a pay table."""
    return " ".join(_WORDS.findall(name)).capitalize()


def beside(model: type[OneOf]) -> tuple[str, ...]:
    """The keys that stand beside the one operator, in order."""
    return tuple(hyphenated(name) for name in model.model_fields if name in model.BESIDE)


class _Generator(GenerateJsonSchema):
    """Pydantic's generator, but a time without an offset is no `date-time`, which always has one."""

    def datetime_schema(self, schema: DatetimeSchema) -> JsonSchemaValue:
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": _LOCAL_TIME}
        return super().datetime_schema(schema)


def _part(model: type[BaseModel], raw: dict[str, Any]) -> dict[str, Any]:
    """The schema of a model, from what pydantic made of it."""
    mapping = _mapping_in(raw)
    required = mapping.get("required", [])
    documented = attribute_docs(model)
    properties = {}
    for field, info in model.model_fields.items():
        key = hyphenated(field)
        part = _tidy(mapping["properties"][key])
        _mark(part, Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation)
        properties[key] = {"description": documented[field], **_undescribed(part)} if field in documented else part
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if issubclass(model, OneOf):
        schema.update(_one_operator(model, required))
    head = {"title": title_of(model.__name__), "description": summary(model)}
    bare = BARE.get(model, ()) if issubclass(model, Closed) else ()
    if not bare:
        return {**head, **schema}
    return {**head, "anyOf": [*(_undescribed(properties[key]) for key in bare), schema]}


def _mapping_in(raw: dict[str, Any]) -> dict[str, Any]:
    """The object in a model's schema, which may be one of several forms the model can be written in."""
    if "properties" in raw:
        return raw
    found: dict[str, Any] = next(part for part in raw["anyOf"] if "properties" in part)
    return found


def _one_operator(model: type[OneOf], required: list[str]) -> dict[str, Any]:
    around = beside(model)
    if set(around) == set(required):
        return {"minProperties": len(around) + 1, "maxProperties": len(around) + 1}
    operators = [hyphenated(name) for name in model.model_fields if name not in model.BESIDE]
    return {"oneOf": [{"required": [operator]} for operator in operators]}


def _undescribed(part: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != "description"}


def _enumeration(raw: dict[str, Any]) -> dict[str, Any]:
    return {**raw, "description": flowing(raw["description"])} if "description" in raw else raw


def _tidy(part: Any) -> Any:
    """A property without generated titles and null defaults; keys of mappings are bound to their pattern."""
    if isinstance(part, list):
        return [_tidy(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: _tidy(value)
        for key, value in part.items()
        if key != "title" and not (key == "default" and value in (None, [], {}))
    }
    patterns = kept.pop("patternProperties", None)
    if patterns is not None:
        # Keys that do not fit the one pattern would otherwise be let through.
        [(pattern, value)] = patterns.items()
        kept["propertyNames"] = {"pattern": pattern, **kept.get("propertyNames", {})}
        kept["additionalProperties"] = value
    return kept


def _mark(part: dict[str, Any], hint: Any) -> None:
    """Note in a schema what its texts name, as far as the annotated type says."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        for one in hint.__metadata__:
            if isinstance(one, Ref):
                part[NAMES] = one.kind
        _mark(part, arguments[0])
    elif origin in (Union, UnionType) and "anyOf" in part:
        for option, inner in zip(part["anyOf"], arguments, strict=True):
            _mark(option, inner)
    elif origin is list:
        _mark(part["items"], arguments[0])
    elif origin is dict:
        keys: dict[str, Any] = {}
        _mark(keys, arguments[0])
        if keys:
            part["propertyNames"] = {**part.get("propertyNames", {}), **keys}
        if isinstance(part.get("additionalProperties"), dict):
            _mark(part["additionalProperties"], arguments[1])


def _models(hint: Any) -> Iterator[type[BaseModel]]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    for part in get_args(hint):
        yield from _models(part)
