"""A form written as commented YAML."""

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
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OFFERED = "# "


def written(form: Form) -> str:
    """A form as a YAML file: what is said of a key stands above it behind `##`, what is only offered behind `#`."""
    lines = [*_said(form.head, 0), ""]
    for field in form.fields:
        lines += [*_field(field, 0, None), ""]
    lines += _said(form.foot, 0)
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def entry(key: str, value: Any) -> str:
    """A key with a scalar, a list or a flat mapping on one line; with nothing behind the colon where it is blank."""
    if value is None:
        return f"{_dumped(CommentedMap({key: 0}))[:-2]}"
    return _dumped(CommentedMap({key: in_yaml(value)}))


def inline(value: Any) -> str:
    """A scalar as it can stand anywhere, in brackets and braces too."""
    return _dumped(CommentedMap({"k": in_yaml([value])})).removeprefix("k: [").removesuffix("]")


def flow(values: Mapping[str, Any]) -> str:
    """A flat mapping on one line, in braces."""
    made = CommentedMap({key: in_yaml(value) for key, value in values.items()})
    made.fa.set_flow_style()
    return _dumped(made)


def in_yaml(value: Any) -> Any:
    """A value as ruamel.yaml is to write it: texts that some reader of YAML would take for something else in quotes,
    characters that cannot be seen by their codes."""
    match value:
        case list():
            made = CommentedSeq([in_yaml(one) for one in value])
            made.fa.set_flow_style()
            return made
        case str() if _DAY.fullmatch(value) and (day := _day(value)) is not None:
            return day
        case str() if resolve(value) != value or not value.isprintable():
            return DoubleQuotedScalarString(value)
        case _:
            return value


def _day(text: str) -> date | None:
    """Return the day that a text is of, None where the calendar has no such day."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def _dumped(value: CommentedMap) -> str:
    writer = YAML()
    writer.width = 100_000
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue().rstrip("\n")


def _field(field: Field, depth: int, base: int | None) -> Iterator[str]:
    """The lines of a field that stands so deep; one within an offer, or offered itself, behind a sign at `base`."""
    yield from _said(field.about, depth if base is None else base)
    base = depth if base is None and not field.chosen else base
    alone = field.fields is None and field.items is None
    yield _put(entry(field.key, field.value if alone else None), depth, base)
    for one in field.fields or ():
        yield from _field(one, depth + 2, base)
    for item in field.items or ():
        yield from _item(item, depth, base)


def _item(item: Item, depth: int, base: int | None) -> Iterator[str]:
    """The lines of an entry of a list: one, where it is short."""
    yield from _said(item.about, depth if base is None else base)
    base = depth if base is None and not item.chosen else base
    if item.short:
        yield _put(f"- {flow({one.key: one.value for one in item.fields})}", depth, base)
        return
    for number, one in enumerate(item.fields):
        first, *others = _field(one, depth + 2, base)
        yield _put(f"- {first.strip().removeprefix(_OFFERED).lstrip()}", depth, base) if number == 0 else first
        yield from others


def _put(text: str, depth: int, base: int | None) -> str:
    if base is None:
        return f"{' ' * depth}{text}"
    return f"{' ' * base}{_OFFERED}{' ' * (depth - base)}{text}"


def _said(paragraphs: tuple[str, ...], depth: int) -> Iterator[str]:
    start = f"{' ' * depth}##"
    for paragraph in paragraphs:
        lines = wrap(visible(paragraph), _WIDTH - len(start) - 1, break_long_words=False, break_on_hyphens=False)
        yield from (f"{start} {line}" for line in lines or [""])
