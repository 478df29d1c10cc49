"""JSON Schema of submissions for one document, with the names of its rulebook.

It only restricts the schema of all submissions. If only the names of the rulebook are valid, or requirements permit no
others, the schema allows only these. If a licensee may use its own names, the schema suggests the known ones next to
any text, so that an editor completes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any, TypeAlias

from fairdeal.validator.audit.submissions.submission_names import list_name_places
from fairdeal.validator.forms.permitted_values import (
    EACH_ITEM,
    PlaceKeys,
    collect_permitted_rows,
    collect_permitted_words,
)
from fairdeal.validator.rulebook.loading.rule_catalogue import collect_option_values
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.schemas.schema_catalogue import SCHEMA_BUILDERS

Schema: TypeAlias = dict[str, Any]

_REF_PREFIX = "#/$defs/"


def build_game_schema(rulebook: Rulebook, document: str) -> Schema:
    """Build the schema of submissions for a document. Raises InputError if the document cannot be loaded."""
    regulation = rulebook.regulation(document)
    schema: Schema = SCHEMA_BUILDERS["submission"]()
    parts: dict[str, Schema] = schema["$defs"]
    permitted = collect_permitted_words(regulation)
    for place in list_name_places(rulebook, regulation):
        names = tuple(dict.fromkeys(place.names().values()))
        words = permitted.get(place.keys)
        for node in _list_nodes(schema, place.keys, parts):
            _insert_names(node, names if words is None else words, only=words is not None or not place.allows_own_names)
    _insert_rows(next(_list_nodes(schema, ("pay-tables", EACH_ITEM), parts)), regulation)
    schema["properties"]["options"] = _build_options_schema(schema["properties"]["options"], regulation)
    schema["properties"]["document"] |= {"const": document}
    game = regulation.game
    schema["$id"] = schema["$id"].replace("submission.json", f"submission/{document}.json")
    schema["title"] = f"A submission for {regulation.document.title if game is None else game.title}"
    schema["$defs"] = {name: part for name, part in parts.items() if name in _collect_used_parts(schema)}
    return schema


def _list_nodes(node: Schema, keys: PlaceKeys, parts: dict[str, Schema]) -> Iterator[Schema]:
    """Yield the schemas of the values at a place.

    Shared schemas on the way are copied, so that the place can be changed on its own.
    """
    if "$ref" in node:
        part = deepcopy(parts[node.pop("$ref").removeprefix(_REF_PREFIX)])
        node.update({**part, **node})
    if "anyOf" in node:
        for option in node["anyOf"]:
            if option.get("type") != "null":
                yield from _list_nodes(option, keys, parts)
    elif not keys:
        yield node
    elif keys[0] == EACH_ITEM:
        if "items" in node:
            yield from _list_nodes(node["items"], keys[1:], parts)
    elif keys[0] in node.get("properties", {}):
        yield from _list_nodes(node["properties"][keys[0]], keys[1:], parts)


def _insert_names(node: Schema, names: Iterable[Any], *, only: bool) -> None:
    """Insert names into the schema of a text: as the only values, or as suggestions."""
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


def _insert_rows(table: Schema, regulation: Regulation) -> None:
    """Restrict the rows of pay tables for each line."""
    lines = collect_permitted_rows(regulation)
    if lines:
        table["allOf"] = [
            {
                "if": {"properties": {"pays": {"const": line}}, "required": ["pays"]},
                "then": {"properties": {"rows": {"items": {"properties": {"hand": {"enum": list(rows)}}}}}},
            }
            for line, rows in lines.items()
        ]


def _build_options_schema(options: Schema, regulation: Regulation) -> Schema:
    """Return the schema of the options that rules test, with the possible values."""
    permitted = collect_permitted_words(regulation)
    known = {}
    for name, values in collect_option_values(regulation).items():
        value = deepcopy(options["additionalProperties"])
        has_truth_values = any(isinstance(expected, bool) for expected in values)
        texts = [expected for expected in values if isinstance(expected, str)]
        kinds = {"boolean": has_truth_values or not values, "string": bool(texts) or not values, "null": True}
        value["anyOf"] = [option for option in value["anyOf"] if kinds[option["type"]]]
        words = permitted.get(("options", name))
        for option in value["anyOf"]:
            _insert_names(option, texts if words is None else words, only=words is not None)
        known[name] = value
    rest = {key: value for key, value in options.items() if key != "propertyNames"}
    return {**rest, "properties": known, "additionalProperties": False}


def _collect_used_parts(schema: Schema) -> set[str]:
    """Return the parts that a schema refers to, directly or through other parts."""
    used: set[str] = set()
    parts = schema["$defs"]
    pending = [{key: part for key, part in schema.items() if key != "$defs"}]
    while pending:
        new = {name for name in _list_references(pending.pop()) if name not in used}
        used |= new
        pending += [parts[name] for name in sorted(new)]
    return used


def _list_references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"].removeprefix(_REF_PREFIX)
        for part in node.values():
            yield from _list_references(part)
    elif isinstance(node, list):
        for part in node:
            yield from _list_references(part)
