"""Writer of forms as commented YAML."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from io import StringIO
from textwrap import wrap
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from validator.forms.form import Field, Form, Item
from validator.text.trees.yaml_scalars import resolve
from validator.text.visible import visible

_WIDTH = 110
_DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OFFER_PREFIX = "# "


def written(form: Form) -> str:
    """Write a form as a YAML file, with explanations after `##` and suggestions after `#`."""
    lines = [*_write_comments(form.head, 0), ""]
    for field in form.fields:
        lines += [*_write_field(field, 0, None), ""]
    lines += _write_comments(form.foot, 0)
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def entry(key: str, value: Any) -> str:
    """Write a key with a scalar, a list or a flat mapping on one line; None leaves the value blank."""
    if value is None:
        return f"{_dump(CommentedMap({key: 0}))[:-2]}"
    return _dump(CommentedMap({key: in_yaml(value)}))


def inline(value: Any) -> str:
    """Write a scalar so that it is valid anywhere, even in brackets and braces."""
    return _dump(CommentedMap({"k": in_yaml([value])})).removeprefix("k: [").removesuffix("]")


def flow(values: Mapping[str, Any]) -> str:
    """Write a flat mapping on one line, in braces."""
    mapping = CommentedMap({key: in_yaml(value) for key, value in values.items()})
    mapping.fa.set_flow_style()
    return _dump(mapping)


def in_yaml(value: Any) -> Any:
    """Convert a value for ruamel.yaml.

    Texts that a YAML reader would interpret differently are quoted; invisible characters become escapes.
    """
    match value:
        case list():
            sequence = CommentedSeq([in_yaml(item) for item in value])
            sequence.fa.set_flow_style()
            return sequence
        case str() if _DAY_FORM.fullmatch(value) and (day := _parse_day(value)) is not None:
            return day
        case str() if resolve(value) != value or not value.isprintable():
            return DoubleQuotedScalarString(value)
        case _:
            return value


def _parse_day(text: str) -> date | None:
    """Return the day that a text denotes; None if the calendar has no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _dump(value: CommentedMap) -> str:
    writer = YAML()
    writer.width = 100_000
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue().rstrip("\n")


def _write_field(field: Field, depth: int, base: int | None) -> Iterator[str]:
    """Yield the lines of a field at a depth; within a suggestion, each begins with a sign at `base`."""
    yield from _write_comments(field.about, depth if base is None else base)
    base = depth if base is None and not field.chosen else base
    alone = field.fields is None and field.items is None
    yield _indent(entry(field.key, field.value if alone else None), depth, base)
    for inner_field in field.fields or ():
        yield from _write_field(inner_field, depth + 2, base)
    for item in field.items or ():
        yield from _write_item(item, depth, base)


def _write_item(item: Item, depth: int, base: int | None) -> Iterator[str]:
    """Yield the lines of an entry of a list, a single line if it is short."""
    yield from _write_comments(item.about, depth if base is None else base)
    base = depth if base is None and not item.chosen else base
    if item.short:
        yield _indent(f"- {flow({inner_field.key: inner_field.value for inner_field in item.fields})}", depth, base)
        return
    for number, inner_field in enumerate(item.fields):
        first, *others = _write_field(inner_field, depth + 2, base)
        yield _indent(f"- {first.strip().removeprefix(_OFFER_PREFIX).lstrip()}", depth, base) if number == 0 else first
        yield from others


def _indent(text: str, depth: int, base: int | None) -> str:
    if base is None:
        return f"{' ' * depth}{text}"
    return f"{' ' * base}{_OFFER_PREFIX}{' ' * (depth - base)}{text}"


def _write_comments(paragraphs: tuple[str, ...], depth: int) -> Iterator[str]:
    start = f"{' ' * depth}##"
    for paragraph in paragraphs:
        lines = wrap(visible(paragraph), _WIDTH - len(start) - 1, break_long_words=False, break_on_hyphens=False)
        yield from (f"{start} {line}" for line in lines or [""])
