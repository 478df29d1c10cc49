"""Published schemas from those of the models: parts that recur become definitions, each in one file."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from fairdeal.validator.rules import betting_model
from fairdeal.validator.schemas.published_schemas import (
    DEFINITIONS,
    LOCAL_PREFIX,
    POKER,
    direct_references,
    list_references,
)
from fairdeal.validator.schemas.schema_catalogue import DRAFT, SCHEMA_BUILDERS, belongs_to_poker

Schema: TypeAlias = dict[str, Any]

_HEADER = ("$schema", "$id", "title")
_ANNOTATIONS = ("description", "default")
"""Keywords of a single key, which do not belong to a shared kind of value."""
_PARTS = ("items", "additionalProperties", "propertyNames", "not")
_LISTS_OF_PARTS = ("anyOf", "allOf", "prefixItems")
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
        return direct_references(part, lambda name: "" if homes[name] == file else f"{homes[name]}.json")

    published: dict[str, Schema] = {name: direct(root, name) for name, root in roots.items()}
    for name, part in sorted(definitions.items()):
        file = published.setdefault(homes[name], {"$schema": DRAFT})
        file.setdefault("$defs", {})[name] = direct(part, homes[name])
    return published


def _choose_files(roots: Mapping[str, Schema], definitions: Mapping[str, Schema]) -> dict[str, str]:
    """Return the file of each definition: of the one schema that needs it, of poker, or of what several need."""
    references = {
        name: {reference.removeprefix(LOCAL_PREFIX) for reference in list_references(part)}
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
        homes[name] = POKER if not users else users[0] if len(users) == 1 else DEFINITIONS
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
