"""Tables for the reference pages: every model, key by key, as Markdown.

The tables are written from the schemas, so a page says what an editor says. A value that is another model links to its
heading on the same page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from pydantic import BaseModel

from validator.schemas.build import BARE, beside, title_of
from validator.schemas.samples import SAMPLES
from validator.text.models.model import OneOf, hyphenated

Schema = Mapping[str, Any]

_PATTERN_NAMES = {
    "^[a-z0-9]+(-[a-z0-9]+)*$": "identifier",
    "^(/.*)?$": "JSON Pointer",
    "^[2-9TJQKA]+$": "signs of ranks",
    "^[cdhs]+$": "signs of suits",
}


class Reference(Struct, frozen=True, kw_only=True):
    """Renderer of the sections of a reference page."""

    definitions: Mapping[str, Schema]
    """Schemas of all models and enumerations, by class name."""
    linked: Collection[str]
    """Names of the classes that have a section on the page."""

    def section(self, model: type[BaseModel]) -> str:
        """Render the section of one model: heading, description, table of its keys."""
        schema = self.definitions[model.__name__]
        mapping = schema if "properties" in schema else schema["anyOf"][-1]
        blocks = [f"#### {title_of(model.__name__)}", schema["description"]]
        if "$id" in schema:
            blocks.append(f"This is a whole file: {schema['title'][0].lower()}{schema['title'][1:]}.")
        if issubclass(model, OneOf):
            blocks += self._render_operators(model, mapping)
        else:
            blocks.append(table_of(("key", "", "value", "meaning"), self._list_fields(mapping)))
        return "\n\n".join(blocks) + "\n"

    def words(self, part: Schema) -> str:
        """Return a description of the values that a schema allows."""
        match part:
            case {"$ref": ref}:
                return self._describe_reference(ref.rpartition("/")[2])
            case {"anyOf": options} | {"oneOf": options}:
                return " or ".join(self.words(option) for option in options if option != {"type": "null"})
            case {"const": value}:
                return _format_code(value)
            case {"enum": values}:
                return ", ".join(map(_format_code, values))
            case {"type": "array"}:
                return f"list{_describe_sizes(part, 'Items')}: {self.words(part['items'])}"
            case {"type": "object"}:
                return self._describe_mapping(part)
            case {"type": "integer"}:
                return f"whole number{_describe_range(part)}"
            case {"type": "boolean"}:
                return "`true` or `false`"
            case {"type": "string"}:
                return _describe_text(part)
            case _:
                return "anything"

    def _describe_reference(self, name: str) -> str:
        if "enum" in self.definitions[name]:
            return self.words(self.definitions[name])
        title = title_of(name).lower()
        return f"[{title}](#{title.replace(' ', '-')})" if name in self.linked else title

    def _describe_mapping(self, part: Schema) -> str:
        value = part.get("additionalProperties")
        if not isinstance(value, Mapping) or not value:
            return "mapping"
        keys = self.words({"type": "string", **part.get("propertyNames", {})})
        return f"mapping{_describe_sizes(part, 'Properties')}: {keys} to {self.words(value)}"

    def _render_operators(self, model: type[OneOf], mapping: Schema) -> Iterator[str]:
        around = beside(model)
        if around:
            yield table_of(("key", "", "value", "meaning"), self._list_fields(mapping, only=around))
        yield f"Exactly one of these operators is required{' in addition' if around else ''}:"
        samples = SAMPLES.get(model.__name__, {})
        rows = (
            (f"`{key}`", self.words(part), part.get("description", ""), _format_sample(samples.get(key)))
            for key, part in mapping["properties"].items()
            if key not in around
        )
        yield table_of(("operator", "operand", "meaning", "example"), rows)
        if model in BARE:
            keys = " or ".join(f"`{hyphenated(name)}`" for name in BARE[model])
            yield f"The operand of {keys} may be written alone, without key and mapping."

    def _list_fields(self, mapping: Schema, only: Collection[str] | None = None) -> Iterator[tuple[str, str, str, str]]:
        for key, part in mapping["properties"].items():
            if only is None or key in only:
                yield f"`{key}`", _describe_need(mapping, key, part), self.words(part), part.get("description", "")


def _describe_need(mapping: Schema, key: str, part: Schema) -> str:
    if key in mapping.get("required", ()):
        return "required"
    return f"else {_format_code(part['default'])}" if "default" in part else ""


def _describe_text(part: Schema) -> str:
    match part:
        case {"x-names": "submission-path"}:
            return "path in a submission"
        case {"x-names": "clause"}:
            return "label of a clause"
        case {"x-names": kind}:
            return f"name of a {kind.replace('-', ' ')}"
        case {"examples": ["5 to 1", *_]}:
            return "odds"
        case {"format": "date"}:
            return "day"
        case {"pattern": pattern}:
            return _PATTERN_NAMES.get(pattern, "day and time" if pattern.startswith("^[0-9]{4}-") else "text")
        case _:
            return "text"


def _describe_range(part: Schema) -> str:
    least, most = part.get("minimum"), part.get("maximum")
    if least is not None and most is not None:
        return f" from {least:,} to {most:,}"
    return "" if least is None else f", {least:,} or more"


def _describe_sizes(part: Schema, what: str) -> str:
    least, most = part.get(f"min{what}"), part.get(f"max{what}")
    if least is not None and most is not None:
        return f" of {least:,}" if least == most else f" of {least:,} to {most:,}"
    if most is not None:
        return f" of at most {most:,}"
    return "" if least is None else f" of {least:,} or more"


def _format_code(value: Any) -> str:
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _format_sample(text: str | None) -> str:
    return "" if text is None else f"`{text}`"


def table_of(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Render a Markdown table, its head first."""
    cells = [tuple(head), *(tuple(row) for row in rows)]
    lines = ["| " + " | ".join(cell.replace("\n\n", " ").replace("|", "\\|") for cell in row) + " |" for row in cells]
    lines.insert(1, "| " + " | ".join("---" for _ in cells[0]) + " |")
    return "\n".join(lines)
