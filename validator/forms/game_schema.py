"""The JSON Schema of submissions for one document, with the names of its rulebook where a submission takes them.

It is the schema of every submission with less allowed, never with more. Where the rulebook has the only names, or
requirements permit no others, they are all that may stand; where a casino may have names of its own, they are offered
beside any text, so that an editor completes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any, TypeAlias

from validator.audit.submissions.names import places_of_names
from validator.forms.asked_places import EACH, Keys
from validator.forms.permitted_words import permitted_rows, permitted_words
from validator.rulebook.loading.rulebook import Rulebook
from validator.rulebook.vocabulary.game_names import choices_of
from validator.rules.core.library import schemas_folder
from validator.rules.core.regulation import Regulation

Schema: TypeAlias = dict[str, Any]

_REF = "#/$defs/"


def game_schema(rulebook: Rulebook, document: str) -> Schema:
    """The schema of submissions for a document of the rulebook. Raises InputError where this cannot be loaded."""
    regulation = rulebook.regulation(document)
    schema: Schema = json.loads((schemas_folder() / "submission.json").read_text("utf-8"))
    parts: dict[str, Schema] = schema["$defs"]
    permitted = permitted_words(regulation)
    for place in places_of_names(rulebook, regulation):
        names = tuple(dict.fromkeys(place.names().values()))
        words = permitted.get(place.keys)
        for node in _nodes(schema, place.keys, parts):
            _name(node, names if words is None else words, only=words is not None or not place.own)
    _rows(next(_nodes(schema, ("pay-tables", EACH), parts)), regulation)
    schema["properties"]["options"] = _options(schema["properties"]["options"], regulation)
    schema["properties"]["document"] |= {"const": document}
    game = regulation.game
    schema["$id"] = schema["$id"].replace("submission.json", f"submission/{document}.json")
    schema["title"] = f"A submission for {regulation.document.title if game is None else game.title}"
    schema["$defs"] = {name: part for name, part in parts.items() if name in _used(schema)}
    return schema


def _nodes(node: Schema, keys: Keys, parts: dict[str, Schema]) -> Iterator[Schema]:
    """The schemas of what stands at a place. Those on the way there become the place's own: what other places share
    with it is copied."""
    if "$ref" in node:
        part = deepcopy(parts[node.pop("$ref").removeprefix(_REF)])
        node.update({**part, **node})
    if "anyOf" in node:
        for option in node["anyOf"]:
            if option.get("type") != "null":
                yield from _nodes(option, keys, parts)
    elif not keys:
        yield node
    elif keys[0] == EACH:
        if "items" in node:
            yield from _nodes(node["items"], keys[1:], parts)
    elif keys[0] in node.get("properties", {}):
        yield from _nodes(node["properties"][keys[0]], keys[1:], parts)


def _name(node: Schema, names: Iterable[Any], *, only: bool) -> None:
    """Put names into the schema of a text: those alone, or beside any other text."""
    if node.get("type") != "string" or not names:
        return
    named = {"enum": list(names)}
    if only:
        for key in ("pattern", "minLength", "maxLength"):
            node.pop(key, None)
        node.update(named)
    else:
        text = {key: node.pop(key) for key in list(node) if key != "description"}
        node["anyOf"] = [named, text]


def _rows(table: Schema, regulation: Regulation) -> None:
    """Give the pay tables of each line the rows they may have."""
    lines = permitted_rows(regulation)
    if lines:
        table["allOf"] = [
            {
                "if": {"properties": {"pays": {"const": line}}, "required": ["pays"]},
                "then": {"properties": {"rows": {"items": {"properties": {"hand": {"enum": list(rows)}}}}}},
            }
            for line, rows in lines.items()
        ]


def _options(options: Schema, regulation: Regulation) -> Schema:
    """The schema of the options with those that rules ask about, each with the values it may have."""
    permitted = permitted_words(regulation)
    known = {}
    for name, values in choices_of(regulation).items():
        value = deepcopy(options["additionalProperties"])
        truths = any(isinstance(one, bool) for one in values)
        texts = [one for one in values if isinstance(one, str)]
        kinds = {"boolean": truths or not values, "string": bool(texts) or not values, "null": True}
        value["anyOf"] = [one for one in value["anyOf"] if kinds[one["type"]]]
        words = permitted.get(("options", name))
        for one in value["anyOf"]:
            _name(one, texts if words is None else words, only=words is not None)
        known[name] = value
    kept = {key: value for key, value in options.items() if key != "propertyNames"}
    return {**kept, "properties": known, "additionalProperties": False}


def _used(schema: Schema) -> set[str]:
    """The parts that a schema refers to, and those that these refer to."""
    used: set[str] = set()
    parts = schema["$defs"]
    ahead = [{key: part for key, part in schema.items() if key != "$defs"}]
    while ahead:
        found = {name for name in _references(ahead.pop()) if name not in used}
        used |= found
        ahead += [parts[name] for name in sorted(found)]
    return used


def _references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(_REF)
        for part in node.values():
            yield from _references(part)
    elif isinstance(node, list):
        for part in node:
            yield from _references(part)
