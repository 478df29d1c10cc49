"""Builders of the JSON Schema (draft 2020-12) of every file that people write, of hand logs and of results.

Each schema starts from pydantic's own. The builder adds descriptions from the source, removes titles that repeat a key
and null defaults, and states what pydantic leaves to Python: that a mapping has exactly one operator, which operators
may be written without their key, and what a text names.

The published form defines once what recurs: conditions, for example, occur in games, requirements and simulations. It
accepts the same data as the schemas of the models.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DatetimeSchema

from fairdeal.validator.cards.ranking_models import DecksFile, RankingsFile
from fairdeal.validator.evidence.handlog.round_record import build_round_schema
from fairdeal.validator.evidence.io.table_map import TableMap
from fairdeal.validator.evidence.submission_model import Submission, WaiversFile
from fairdeal.validator.language.grammar import NameReference
from fairdeal.validator.language.round_conditions import Quantity
from fairdeal.validator.reports.json_format import build_results_schema
from fairdeal.validator.rulebook.vocabulary.pattern_model import PatternsFile
from fairdeal.validator.rules import betting_model
from fairdeal.validator.rules.document_model import Document, Profile, ReadingFile, RulebookEdition
from fairdeal.validator.rules.example_model import BasesFile, ExampleFile, Snapshot
from fairdeal.validator.rules.fault_model import StatementRequirement
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import ByTable, Due, PayTableRequirement
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.schemas.configuration import RunConfiguration
from fairdeal.validator.schemas.published_schemas import (
    format_schema_id,
)
from fairdeal.validator.text.closed_model import ClosedModel, OneOperatorModel, to_key
from fairdeal.validator.text.model_introspection import read_attribute_docs, read_class_doc, unwrap_paragraphs

DRAFT = "https://json-schema.org/draft/2020-12/schema"
"""Address of the version of JSON Schema."""
NAMES_KEYWORD = "x-names"
"""Keyword (an annotation only) for the kind of thing that a text names: `wager`, `clause`."""

BARE_OPERATORS: dict[type[ClosedModel], tuple[str, ...]] = {
    Quantity: ("exactly", "money"),
    Due: ("outcome", "odds"),
    ByTable: ("of",),
    StatementRequirement: ("requirement",),
    PayTableRequirement: ("requirement",),
}
"""Operators or keys whose operand may be written alone, without mapping and key."""

_LOCAL_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt _][0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]+)?)?$"
_WORDS = re.compile(r"[A-Z][a-z]+")


def build_schema(model: type[ClosedModel], *, name: str, title: str) -> dict[str, Any]:
    """Build the schema of the files that a model describes.

    Args:
        model: The model.
        name: The name by which files refer to the schema.
        title: The title of the schema.

    Raises ValueError if two models within it share a name.
    """
    raw = model.model_json_schema(schema_generator=_SchemaGenerator)
    parts = {part.__name__: part for part in collect_models(model)}
    definitions = {
        key: _build_part(parts[key], part) if key in parts else _build_enumeration(part)
        for key, part in raw.get("$defs", {}).items()
    }
    root = {key: value for key, value in _build_part(model, raw).items() if key != "title"}
    return {**build_schema_header(name, title), **root, **({"$defs": definitions} if definitions else {})}


def build_schema_header(name: str, title: str) -> dict[str, Any]:
    """Return the keywords that every schema starts with."""
    return {"$schema": DRAFT, "$id": format_schema_id(name), "title": title}


def collect_models(model: type[BaseModel]) -> tuple[type[BaseModel], ...]:
    """Return a model and all models of its parts, each once, in reading order.

    Raises ValueError if two of them share a name.
    """
    models: dict[str, type[BaseModel]] = {}

    def visit(part: type[BaseModel]) -> None:
        if models.setdefault(part.__name__, part) is not part:
            raise ValueError(f"two models are called {part.__name__}")
        for info in part.model_fields.values():
            for inner in _list_models(info.annotation):
                if models.get(inner.__name__) is not inner:
                    visit(inner)

    visit(model)
    return tuple(models.values())


def format_model_title(name: str) -> str:
    """Return the name of a class as words: `PayTable` becomes `Pay table`."""
    return " ".join(_WORDS.findall(name)).capitalize()


def list_companion_keys(model: type[OneOperatorModel]) -> tuple[str, ...]:
    """Return the keys that a mapping may have in addition to its one operator, in order."""
    return tuple(to_key(name) for name in model.model_fields if name in model.COMPANIONS)


def belongs_to_poker(model: object) -> bool:
    """Return whether something is a model of games in which players bet against each other."""
    return isinstance(model, type) and model.__module__ == betting_model.__name__


class _SchemaGenerator(GenerateJsonSchema):
    """Pydantic's generator, except that a time without an offset is no `date-time`, which requires one."""

    def datetime_schema(self, schema: DatetimeSchema) -> JsonSchemaValue:
        if schema.get("tz_constraint") == "naive":
            return {"type": "string", "pattern": _LOCAL_TIME}
        return super().datetime_schema(schema)


def _build_part(model: type[BaseModel], raw: dict[str, Any]) -> dict[str, Any]:
    """Build the schema of a model from pydantic's schema."""
    mapping = _find_mapping(raw)
    required = mapping.get("required", [])
    documented = read_attribute_docs(model)
    properties = {}
    for field, info in model.model_fields.items():
        key = to_key(field)
        part = _clean_up(mapping["properties"][key])
        _annotate_names(part, Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation)
        properties[key] = {"description": documented[field], **_drop_description(part)} if field in documented else part
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    if issubclass(model, OneOperatorModel):
        schema.update(_require_one_operator(model, required))
    head = {"title": format_model_title(model.__name__), "description": read_class_doc(model)}
    bare = BARE_OPERATORS.get(model, ()) if issubclass(model, ClosedModel) else ()
    if not bare:
        return {**head, **schema}
    return {**head, "anyOf": [*(_drop_description(properties[key]) for key in bare), schema]}


def _find_mapping(raw: dict[str, Any]) -> dict[str, Any]:
    """Return the object in the schema of a model, which may be one of several forms."""
    if "properties" in raw:
        return raw
    mapping: dict[str, Any] = next(part for part in raw["anyOf"] if "properties" in part)
    return mapping


def _require_one_operator(model: type[OneOperatorModel], required: list[str]) -> dict[str, Any]:
    around = list_companion_keys(model)
    if set(around) == set(required):
        return {"minProperties": len(around) + 1, "maxProperties": len(around) + 1}
    operators = [to_key(name) for name in model.model_fields if name not in model.COMPANIONS]
    return {"oneOf": [{"required": [operator]} for operator in operators]}


def _drop_description(part: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != "description"}


def _build_enumeration(raw: dict[str, Any]) -> dict[str, Any]:
    return {**raw, "description": unwrap_paragraphs(raw["description"])} if "description" in raw else raw


def _clean_up(part: Any) -> Any:
    """Return a property without generated titles and null defaults, and with patterns for keys of mappings."""
    if isinstance(part, list):
        return [_clean_up(item) for item in part]
    if not isinstance(part, dict):
        return part
    kept = {
        key: _clean_up(value)
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


def _annotate_names(part: dict[str, Any], hint: Any) -> None:
    """Annotate a schema with what its texts name, according to the annotated type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        for note in hint.__metadata__:
            if isinstance(note, NameReference):
                part[NAMES_KEYWORD] = note.kind
        _annotate_names(part, arguments[0])
    elif origin in (Union, UnionType) and "anyOf" in part:
        for option, inner in zip(part["anyOf"], arguments, strict=True):
            _annotate_names(option, inner)
    elif origin is list:
        _annotate_names(part["items"], arguments[0])
    elif origin is dict:
        keys: dict[str, Any] = {}
        _annotate_names(keys, arguments[0])
        if keys:
            part["propertyNames"] = {**part.get("propertyNames", {}), **keys}
        if isinstance(part.get("additionalProperties"), dict):
            _annotate_names(part["additionalProperties"], arguments[1])


def _list_models(hint: Any) -> Iterator[type[BaseModel]]:
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        yield hint
    for part in get_args(hint):
        yield from _list_models(part)


FILE_MODELS: Mapping[str, tuple[type[ClosedModel], str]] = {
    "document": (Document, "A source document (document.yaml)"),
    "readings": (ReadingFile, "The readings of a document (readings.yaml)"),
    "game": (Game, "A game (game.yaml)"),
    "requirements": (RequirementFile, "Requirements on one topic (requirements/*.yaml)"),
    "examples": (ExampleFile, "Examples on one topic (examples/*.yaml)"),
    "bases": (BasesFile, "Evidence that examples start from (examples/bases.yaml)"),
    "snapshot": (Snapshot, "Further results of the examples of a document (examples.snapshot.yaml)"),
    "simulation": (Simulation, "How a game is simulated (simulation.yaml)"),
    "profile": (Profile, "A profile: choices among readings"),
    "rulebook": (RulebookEdition, "The version and date of a rules folder (rulebook.yaml)"),
    "decks": (DecksFile, "The decks of the vocabulary (vocabulary/decks.yaml)"),
    "rankings": (RankingsFile, "The hand rankings of the vocabulary (vocabulary/rankings.yaml)"),
    "patterns": (PatternsFile, "The patterns of requirements of the vocabulary (vocabulary/patterns.yaml)"),
    "submission": (Submission, "A submission"),
    "waivers": (WaiversFile, "Waivers that a regulator granted"),
    "table-map": (TableMap, "A map of the columns of a table (`fairdeal import`)"),
    "config": (RunConfiguration, "The configuration of a run (fairdeal.toml)"),
}
"""Models of the files that people write, with a title, by the name of the schema."""


def _build_hand_log_schema() -> dict[str, Any]:
    return {**build_round_schema(), **build_schema_header("hand-log", "A round of play: a line of a hand log")}


def _build_results_schema() -> dict[str, Any]:
    found = build_results_schema()
    definitions = found.pop("$defs")
    return {**build_schema_header("results", "The results of a run (results.json)"), **found, "$defs": definitions}


SCHEMA_BUILDERS: Mapping[str, Callable[[], dict[str, Any]]] = {
    **{name: partial(build_schema, model, name=name, title=title) for name, (model, title) in FILE_MODELS.items()},
    "hand-log": _build_hand_log_schema,
    "results": _build_results_schema,
}
"""Builder of each schema, by name."""
