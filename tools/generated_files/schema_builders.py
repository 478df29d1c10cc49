"""Builders of the JSON Schemas of every file, and of the definitions that they share when they are published.

Each schema starts from pydantic's own. The builder adds descriptions from the source, removes titles that repeat a key
and null defaults, and states what pydantic leaves to Python: that a mapping has exactly one operator, which operators
may be written without their key, and what a text names.

The published form defines once what recurs: conditions, for example, occur in games, requirements and simulations. It
accepts the same data as the schemas of the models.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import DatetimeSchema

from fairdeal.validator.evidence.round_record import build_round_schema
from fairdeal.validator.language.grammar import NamedChoice, NameReference
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.language.submission_conditions import SubmissionCondition
from fairdeal.validator.reports.json_format import build_results_schema
from fairdeal.validator.rules import betting_model, rule_files
from fairdeal.validator.rules.check_model import Check
from fairdeal.validator.rules.fault_model import StatementRequirement
from fairdeal.validator.rules.payment_model import ByTable, Due, PayTableRequirement
from fairdeal.validator.rules.rule_files import LOCAL_PREFIX
from fairdeal.validator.schemas.rule_file_schemas import FILE_MODELS
from fairdeal.validator.text.closed_model import (
    AbbreviatedModel,
    ClosedModel,
    OneOperatorModel,
    read_attribute_docs,
    read_class_doc,
    to_key,
    unwrap_paragraphs,
)

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


def build_schema(model: type[ClosedModel], *, name: str, title: str, as_written: bool = True) -> dict[str, Any]:
    """Build the schema of the files that a model describes.

    Args:
        model: The model.
        name: The name by which files refer to the schema.
        title: The title of the schema.
        as_written: True for the form of files; False for that of models, in which every part has a key.

    Raises ValueError if two models within it share a name.
    """
    raw = model.model_json_schema(schema_generator=_SchemaGenerator)
    parts = {part.__name__: part for part in collect_models(model)}
    definitions = {
        key: _build_part(parts[key], part) if key in parts else _build_enumeration(part)
        for key, part in raw.get("$defs", {}).items()
    }
    root = {key: value for key, value in _build_part(model, raw).items() if key != "title"}
    for key in [name for name, part in parts.items() if issubclass(part, NamedChoice) and name in definitions]:
        definitions[key] = _write_as_entry(definitions[key])
    if as_written:
        for key, write in _CONTENT_FORMS.items():
            if key in definitions:
                definitions[key] = write(definitions)
        _remove_unreferenced(root, definitions)
    return {**build_schema_header(name, title), **root, **({"$defs": definitions} if definitions else {})}


def build_schema_header(name: str, title: str) -> dict[str, Any]:
    """Return the keywords that every schema starts with."""
    return {"$schema": DRAFT, "$id": rule_files.format_schema_id(name), "title": title}


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


def _write_as_entry(choice: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a name and its choice, which a file writes as the only entry of a mapping."""
    name, chosen = choice["properties"].values()
    return {
        **_get_head(choice),
        "type": "object",
        "propertyNames": _drop_description(name),
        "additionalProperties": _drop_description(chosen),
        "minProperties": 1,
        "maxProperties": 1,
    }


def _write_quantity(definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a quantity: a number, an amount, an operator, or one with a main part."""
    quantity = definitions["Quantity"]
    *bare, mapping = quantity["anyOf"]
    return {**_get_head(quantity), "anyOf": [*bare, *_write_operators(mapping, Quantity, definitions)]}


def _write_condition(definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a condition on rounds: a fact, a list, an operator, or a quantity with a bound."""
    condition = definitions["Condition"]
    fact, all_ = (condition["properties"][key] for key in ("fact", "all"))
    bounds = {key: part for key, part in definitions["Comparison"]["properties"].items() if key != "of"}
    *_, mapping = definitions["Quantity"]["anyOf"]
    compared = [_add_bound(form, bounds) for form in _write_operators(mapping, Quantity, definitions)]
    return {
        **_get_head(condition),
        "anyOf": [fact, all_, *_write_operators(condition, Condition, definitions), *compared],
    }


def _write_submission_condition(definitions: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a condition on submissions: a list, an operator, or a path with a bound."""
    condition = definitions["SubmissionCondition"]
    all_, value = (condition["properties"][key] for key in ("all", "value"))
    operators = _write_operators(condition, SubmissionCondition, definitions)
    return {**_get_head(condition), "anyOf": [all_, *operators, _drop_description(value)]}


def _write_operators(
    schema: Mapping[str, Any], model: type[AbbreviatedModel], definitions: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the forms of a mapping with one operator: any operator alone, or one with its main part and other keys."""
    written = {key: part for key, part in schema["properties"].items() if key not in model.UNWRITTEN}
    alone = {key: part for key, part in written.items() if key not in model.MAIN_PARTS}
    forms = [
        {"type": "object", "properties": alone, "additionalProperties": False, "minProperties": 1, "maxProperties": 1}
    ]
    for operator, main in model.MAIN_PARTS.items():
        operand = _resolve(written[operator], definitions)
        keys = {main: operator}
        form: dict[str, Any] = {
            "type": "object",
            "properties": {keys.get(key, key): part for key, part in operand["properties"].items()},
            "additionalProperties": False,
            "required": [keys.get(key, key) for key in operand.get("required", [])],
        }
        forms.append({**form, **{key: operand[key] for key in ("oneOf",) if key in operand}})
    return forms


def _add_bound(form: Mapping[str, Any], bounds: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form of a quantity with exactly one bound."""
    alone = {key: form[key] + 1 for key in ("minProperties", "maxProperties") if key in form}
    one = {"oneOf": [{"required": [key]} for key in bounds]}
    return {**form, "properties": {**form["properties"], **bounds}, **alone, **one}


def _resolve(part: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the definition that a part refers to."""
    found: Mapping[str, Any] = definitions[part["$ref"].rpartition("/")[2]]
    return found


def _write_requirement(definitions: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the schema of a requirement, which has the keys of its check, or the name of a pattern."""
    requirement, rule = definitions[name], definitions["RoundCheck"]
    checks = {key: part for key, part in definitions["Check"]["properties"].items() if key not in Check.UNWRITTEN}
    on_submissions = definitions["SubmittedCheck"]["properties"]
    conditions = {key: rule["properties"][key] for key in on_submissions}
    each = rule["properties"]["each"]
    rule_properties = {
        **rule["properties"],
        "each": {**each, "enum": [*each["enum"], "submission"]},
        **{key: {"description": part["description"]} for key, part in conditions.items()},
    }
    own = {key: part for key, part in requirement["properties"].items() if key != "check"}
    rule_keys = list(rule["properties"])
    return {
        **requirement,
        "properties": {**own, **rule_properties, **checks},
        "dependentRequired": {key: [other for other in rule["required"] if other != key] for key in rule_keys},
        "anyOf": [
            {"required": ["pattern"]},
            {"oneOf": [{"required": [key]} for key in ("must", *checks)]},
        ],
        "if": {"properties": {"each": {"const": "submission"}}, "required": ["each"]},
        "then": {"properties": {key: _drop_description(part) for key, part in on_submissions.items()}},
        "else": {
            "if": {"properties": {"each": each}, "required": ["each"]},
            "then": {"properties": {key: _drop_description(part) for key, part in conditions.items()}},
        },
    }


def _get_head(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: part[key] for key in ("title", "description")}


_CONTENT_FORMS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "Condition": _write_condition,
    "Quantity": _write_quantity,
    "SubmissionCondition": _write_submission_condition,
    **{name: partial(_write_requirement, name=name) for name in ("Requirement", "VoidRequirement")},
}
"""Models of which files write some content without its key, with the functions that return their schemas."""


def _remove_unreferenced(root: Mapping[str, Any], definitions: dict[str, Any]) -> None:
    """Remove the definitions to which nothing refers."""
    reached: set[str] = set()
    pending: list[Any] = [root]
    while pending:
        for reference in rule_files.list_references(pending.pop()):
            name = reference.removeprefix(LOCAL_PREFIX)
            if name in definitions and name not in reached:
                reached.add(name)
                pending.append(definitions[name])
    for name in [name for name in definitions if name not in reached]:
        del definitions[name]


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


Schema: TypeAlias = dict[str, Any]

_HEADER = ("$schema", "$id", "title")
_ANNOTATIONS = ("description", "default")
"""Keywords of a single key, which do not belong to a shared kind of value."""
_PARTS = ("items", "additionalProperties", "propertyNames", "not", "then", "else")
_LISTS_OF_PARTS = ("anyOf", "allOf", "prefixItems")
MAX_WIDTH = 120
"""Length of a line up to which a value is written on one line."""
MAX_SHORT = 40
"""Length of a value, with its key, up to which it shares a line with its neighbours."""
_REFERENCE_LINES = 3
"""Number of lines that a reference needs."""
_WORD = re.compile(r"[A-Za-z0-9]+")


def build_published_schemas() -> dict[str, Schema]:
    """Build the content of every file in `schemas/`, by name: the schemas, and files of shared definitions."""
    roots: dict[str, Schema] = {}
    definitions: dict[str, Schema] = {}
    for name, build in SCHEMA_BUILDERS.items():
        schema = build()
        own = {key: _compact(part) for key, part in schema.pop("$defs", {}).items()}
        renamed = {key: _find_free_name(key, part, name, definitions) for key, part in own.items()}
        definitions |= {renamed[key]: _rename_references(part, renamed) for key, part in own.items()}
        roots[name] = _rename_references(_compact(schema), renamed)
    models = {_serialize(part): key for key, part in definitions.items()}
    for name, root in roots.items():
        content = {key: value for key, value in root.items() if key not in _HEADER}
        model = models.get(_serialize(content))
        head = {"$schema": DRAFT, "title": root["title"]}
        roots[name] = {**head, **({"$ref": f"{LOCAL_PREFIX}{model}"} if model else content)}
    _share_repeated_parts(roots, definitions)
    homes = _choose_files(roots, definitions)

    def direct(part: Schema, file: str) -> Any:
        return rule_files.direct_references(part, lambda name: "" if homes[name] == file else f"{homes[name]}.json")

    published: dict[str, Schema] = {name: direct(root, name) for name, root in roots.items()}
    for name, part in sorted(definitions.items()):
        file = published.setdefault(homes[name], {"$schema": DRAFT})
        file.setdefault("$defs", {})[name] = direct(part, homes[name])
    return published


def _choose_files(roots: Mapping[str, Schema], definitions: Mapping[str, Schema]) -> dict[str, str]:
    """Return the file of each definition: of the one schema that needs it, of poker, or of what several need."""
    references = {
        name: {reference.removeprefix(LOCAL_PREFIX) for reference in rule_files.list_references(part)}
        for name, part in (*roots.items(), *((f"{LOCAL_PREFIX}{name}", part) for name, part in definitions.items()))
    }

    def reach(root: str, without: Collection[str]) -> set[str]:
        found: set[str] = set()
        pending = [root]
        while pending:
            new = references[pending.pop()].difference(found, without)
            found |= new
            pending += [f"{LOCAL_PREFIX}{name}" for name in new]
        return found

    dialect = {name for name in definitions if belongs_to_poker(getattr(betting_model, name, None))}
    without_poker = {root: reach(root, dialect) for root in roots}
    homes: dict[str, str] = {}
    for name in definitions:
        users = [root for root, reached in without_poker.items() if name in reached]
        homes[name] = rule_files.POKER if not users else users[0] if len(users) == 1 else rule_files.DEFINITIONS
    return homes


def _compact(part: Any) -> Any:
    """Return a part of a schema in its shortest form: no titles of models, no types that follow from the values."""
    if isinstance(part, list):
        return [_compact(item) for item in part]
    if not isinstance(part, dict):
        return part
    compact = {key: _compact(value) for key, value in part.items()}
    if isinstance(part.get("title"), str) and "$schema" not in part:
        del compact["title"]  # the name of the definition says the same
    if isinstance(part.get("type"), str) and ("const" in part or isinstance(part.get("enum"), list)):
        del compact["type"]
    return _merge_null(compact)


def _merge_null(part: Schema) -> Schema:
    """Return the schema of a value that may be null with `null` among its types or values, if it has any."""
    match part.get("anyOf"):
        case [{"type": str(kind)} as form, {"type": "null"}] if not part.keys() & form.keys():
            return {**_drop(part, "anyOf"), **form, "type": [kind, "null"]}
        case [{"enum": list(values)} as form, {"type": "null"}] if not part.keys() & form.keys():
            return {**_drop(part, "anyOf"), **form, "enum": [*values, None]}
    return part


def _find_free_name(name: str, part: Schema, schema: str, definitions: Mapping[str, Schema]) -> str:
    """Return a name for a definition: its own, or one that begins with the schema if another has it."""
    if _serialize(definitions.get(name, part)) == _serialize(part):
        return name
    return f"{_camel(schema)}{name}"


def _rename_references(part: Any, renamed: Mapping[str, str]) -> Any:
    if isinstance(part, list):
        return [_rename_references(inner, renamed) for inner in part]
    if not isinstance(part, dict):
        return part
    return {
        key: f"{LOCAL_PREFIX}{renamed[value.removeprefix(LOCAL_PREFIX)]}"
        if key == "$ref" and isinstance(value, str)
        else _rename_references(value, renamed)
        for key, value in part.items()
    }


@dataclass(frozen=True)
class _Place:
    """A place in a schema that holds a part."""

    container: Any
    """The mapping or list that holds the part."""
    key: str | int
    """Key or index of the part in it."""
    owner: str
    """Name of the definition or schema around it."""
    label: str
    """Nearest key of the data around it."""

    @property
    def part(self) -> Schema:
        """The part at the place."""
        found: Schema = self.container[self.key]
        return found


def _share_repeated_parts(roots: Mapping[str, Schema], definitions: dict[str, Schema]) -> None:
    """Move every part that recurs into a definition, the largest first, if that makes the files shorter."""
    for keep_annotations in (True, False):
        sizes = {count_lines(_key_of(place, keep_annotations)) for place in _list_places(roots, definitions)}
        for size in sorted(sizes, reverse=True):
            if size <= _REFERENCE_LINES:
                break
            groups: defaultdict[str, list[_Place]] = defaultdict(list)
            for place in _list_places(roots, definitions):
                part = _key_of(place, keep_annotations)
                if count_lines(part) == size and not (keep_annotations and "description" not in part):
                    groups[_serialize(part)].append(place)
            for places in groups.values():
                if len(places) * (size - _REFERENCE_LINES) > size:
                    _share(_key_of(places[0], keep_annotations), places, definitions)


def _key_of(place: _Place, keep_annotations: bool) -> Schema:
    return place.part if keep_annotations else _drop(place.part, *_ANNOTATIONS)


def _share(part: Schema, places: list[_Place], definitions: dict[str, Schema]) -> None:
    """Make a part a definition, and let its places refer to it."""
    name = _name_definition(part, places, definitions)
    for place in places:
        annotations = {key: value for key, value in place.part.items() if key in _ANNOTATIONS and key not in part}
        place.container[place.key] = {**annotations, "$ref": f"{LOCAL_PREFIX}{name}"}
    definitions[name] = part


def _list_places(roots: Mapping[str, Schema], definitions: Mapping[str, Schema]) -> Iterator[_Place]:
    for owner, schema in (*definitions.items(), *roots.items()):
        yield from _list_places_within(schema, _camel(owner), "")


def _list_places_within(part: Any, owner: str, label: str) -> Iterator[_Place]:
    """Yield the places within a schema whose parts describe whole values."""
    if not isinstance(part, dict):
        return
    properties = part.get("properties", {})
    for key, inner in properties.items():
        yield _Place(properties, key, owner, key)
        yield from _list_places_within(inner, owner, key)
    for keyword in _PARTS:
        if isinstance(inner := part.get(keyword), dict):
            yield _Place(part, keyword, owner, label)
            yield from _list_places_within(inner, owner, label)
    for keyword in _LISTS_OF_PARTS:
        for index, inner in enumerate(part.get(keyword, ())):
            yield _Place(part[keyword], index, owner, label)
            yield from _list_places_within(inner, owner, label)


def _name_definition(part: Schema, places: list[_Place], definitions: Mapping[str, Schema]) -> str:
    """Return a new name for a definition: what it accepts, or else where it first occurs."""
    label = Counter(place.label for place in places).most_common(1)[0][0]
    first = min((place for place in places if place.label == label), key=lambda place: place.owner)
    by_place = f"{first.owner}{_camel(label)}"
    names = [by_place if "description" in part else _describe(part) or by_place, by_place]
    names += [f"{by_place}{number}" for number in range(2, len(definitions))]
    return next(name for name in names if name not in definitions)


def _describe(part: Schema) -> str | None:
    """Return the name of a simple kind of value; None if it has none."""
    core = _drop(part, *_ANNOTATIONS)
    match core:
        case {"$ref": str(reference), **rest} if not rest:
            return reference.removeprefix(LOCAL_PREFIX)
        case {"anyOf": [form, {"type": "null"}], **rest} if not rest:
            return _prefix("Optional", _describe(form))
        case {"type": [kind, "null"], **rest}:
            return _prefix("Optional", _describe({"type": kind, **rest}))
        case {"enum": [*values, None], **rest} if not rest:
            return _prefix("Optional", _describe({"enum": values}))
        case {"enum": [*values], **rest} if not rest and len(values) <= 3:
            return "Or".join(_camel(str(value)) for value in values)
        case {"type": "string", "x-names": str(kind), **rest} if not rest:
            return f"{_camel(kind)}Name"
        case {"type": "array", "items": dict(items), **rest} if rest.keys() <= {"minItems", "maxItems"}:
            name = _describe(items)
            few = f"UpTo{rest['maxItems']}" if "maxItems" in rest else ""
            return name and f"{'NonEmpty' if rest.get('minItems') else ''}{name}List{few}"
        case {"type": "integer", **rest} if rest.keys() <= {"minimum", "maximum"}:
            bounds = (f"From{rest['minimum']}" if "minimum" in rest else "", rest.get("maximum"))
            return f"Integer{bounds[0]}{f'To{bounds[1]}' if bounds[1] is not None else ''}"
        case {"type": "string", "format": "date", **_rest}:
            return "Day"
        case {"type": "string", "pattern": r"\S", **_rest}:
            return "Text"
        case {"pattern": r"^[a-z0-9]+(-[a-z0-9]+)*$", **rest}:
            return f"Identifier{'' if 'type' in rest else 'Key'}UpTo{rest.get('maxLength')}"
        case {"type": "string", "pattern": _, "examples": [*examples], **rest} if not rest:
            return "Payout" if "push" in examples else "Odds"
        case {"type": "object", "additionalProperties": dict(value), "propertyNames": dict(key), **rest} if not rest:
            return _prefix(f"{_describe(key) or 'Text'}To", _describe(value))
        case {"anyOf": [dict(first), dict(second)], **rest} if not rest:
            names = (_describe(first), _describe(second))
            return f"{names[0]}Or{names[1]}" if all(names) else None
        case {"type": "string", "minLength": 1, "maxLength": int(most), **rest} if not rest:
            return f"TextUpTo{most}"
        case {"type": "boolean" | "number" | "string" as kind, **rest} if not rest:
            return _camel(kind)
    return None


def _prefix(prefix: str, name: str | None) -> str | None:
    return name and f"{prefix}{name}"


def _camel(text: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in _WORD.findall(text))


def _drop(part: Schema, *keys: str) -> Schema:
    return {key: value for key, value in part.items() if key not in keys}


def _serialize(part: Any) -> str:
    return json.dumps(part, sort_keys=True, ensure_ascii=False)


def count_lines(part: Any) -> int:
    """Return the number of lines of a part, if each of its values has a line of its own."""
    if not isinstance(part, dict | list) or not part:
        return 1
    return 2 + sum(map(count_lines, part.values() if isinstance(part, dict) else part))


def format_schema(schema: Mapping[str, Any]) -> str:
    """Return the text of a published file: JSON with as many short values on a line as fit."""
    return f"{_format_value(schema, '', 0)}\n"


def _format_value(value: Any, indent: str, used: int) -> str:
    """Format a value after `used` characters of its line, whose indent is given."""
    line = json.dumps(value, ensure_ascii=False)
    if used + len(line) <= MAX_WIDTH or not isinstance(value, dict | list) or not value:
        return line
    within = f"{indent}  "
    if isinstance(value, dict):
        names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in value]
        places = zip(names, value.values(), strict=True)
        parts = [f"{name}{_format_value(part, within, len(within) + len(name) + 1)}" for name, part in places]
        return f"{{\n{_fill_lines(parts, within)}\n{indent}}}"
    return f"[\n{_fill_lines([_format_value(part, within, len(within) + 1) for part in value], within)}\n{indent}]"


def _fill_lines(parts: Sequence[str], indent: str) -> str:
    """Return parts, separated by commas: short ones in a row on as few lines as they need, each other on its own."""
    lines: list[str] = []
    for place, part in enumerate(parts):
        text = part if place == len(parts) - 1 else f"{part},"
        is_short = place > 0 and max(len(part), len(parts[place - 1])) <= MAX_SHORT
        if is_short and len(lines[-1]) + 1 + len(text) <= MAX_WIDTH:
            lines[-1] += f" {text}"
        else:
            lines.append(f"{indent}{text}")
    return "\n".join(lines)
