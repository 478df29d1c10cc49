"""YAML output: a form as commented YAML, and edits of a file that leave all other characters unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from io import StringIO
from textwrap import wrap
from typing import Any

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from fairdeal.validator.forms.form_entries import (
    FormEntry,
    FormField,
    PermittedValues,
    SubmissionForm,
    format_requirement,
)
from fairdeal.validator.text.diagnostics import sanitize
from fairdeal.validator.text.positioned_document import DataPath
from fairdeal.validator.text.yaml_document import resolve_scalar

_WIDTH = 110
_DAY_FORM = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_OFFER_PREFIX = "# "
_GUIDE = (
    'Lines with ## are explanations. Amounts are in units of the currency: 5, 5.00 or "$5.00". Days are written'
    " 2026-01-31.",
)
_BLANK_GUIDE = (
    "1. Fill in the blanks after the colons. What stays blank is not stated.",
    "2. Lines with a single # are optional: to use one, remove `# ` and fill in its blanks.",
    "3. `fairdeal check` reports what is missing or not lawful; with --fix it corrects what has only one"
    " possible meaning. `fairdeal new --example` shows a submission that complies.",
)


def write_form(form: SubmissionForm) -> str:
    """Write a form as a YAML file, with explanations after `##` and suggestions after `#`."""
    guide = (*_GUIDE, *(_BLANK_GUIDE if form.is_blank else ()))
    lines = [*_write_comments((*form.header, "", *guide), 0), ""]
    for field in form.fields:
        lines += [*_write_field(field, 0, None), ""]
    if form.other_keys:
        others = f"These keys may be stated as well; the rules do not refer to them: {', '.join(form.other_keys)}."
        lines += _write_comments((others,), 0)
    return "\n".join(line.rstrip() for line in lines).rstrip("\n") + "\n"


def format_entry(key: str, value: Any) -> str:
    """Write a key with a scalar, a list or a flat mapping on one line; None leaves the value blank."""
    if value is None:
        return f"{_dump(CommentedMap({key: 0}))[:-2]}"
    return _dump(CommentedMap({key: to_yaml(value)}))


def format_inline(value: Any) -> str:
    """Write a scalar so that it is valid anywhere, even in brackets and braces."""
    return _dump(CommentedMap({"k": to_yaml([value])})).removeprefix("k: [").removesuffix("]")


def format_flow(values: Mapping[str, Any]) -> str:
    """Write a flat mapping on one line, in braces."""
    mapping = CommentedMap({key: to_yaml(value) for key, value in values.items()})
    mapping.fa.set_flow_style()
    return _dump(mapping)


def to_yaml(value: Any) -> Any:
    """Convert a value for ruamel.yaml.

    Texts that a YAML reader would interpret differently are quoted; invisible characters become escapes.
    """
    match value:
        case list():
            sequence = CommentedSeq([to_yaml(item) for item in value])
            sequence.fa.set_flow_style()
            return sequence
        case str() if _DAY_FORM.fullmatch(value) and (day := _parse_day(value)) is not None:
            return day
        case str() if resolve_scalar(value) != value or not value.isprintable():
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


def _write_field(field: FormField, depth: int, base: int | None) -> Iterator[str]:
    """Yield the lines of a field at a depth; within a suggestion, each begins with a sign at `base`."""
    clauses = map(format_requirement, field.requirements)
    entry_keys = (f"`{key.key}`: {key.meaning}{_add_permitted(key.permitted)}" for key in field.entry_keys)
    comments = (*field.comments, *_describe_permitted(field.permitted), *clauses, *entry_keys)
    yield from _write_comments(comments, depth if base is None else base)
    base = depth if base is None and not field.is_chosen else base
    alone = field.fields is None and field.items is None
    yield _indent(format_entry(field.key, field.value if alone else None), depth, base)
    for inner_field in field.fields or ():
        yield from _write_field(inner_field, depth + 2, base)
    for item in field.items or ():
        yield from _write_item(item, depth, base)


def _add_permitted(permitted: PermittedValues | None) -> str:
    return "".join(f" {sentence}" for sentence in _describe_permitted(permitted))


def _describe_permitted(permitted: PermittedValues | None) -> tuple[str, ...]:
    """Return a sentence on the values that a key may have, as YAML writes them; none if there are many."""
    if permitted is None:
        return ()
    values = ", ".join(map(_format_permitted, permitted.values))
    match permitted.kind:
        case "only":
            return (f"The rules allow only {values}.",)
        case "one":
            return (f"One of: {values}.",)
        case "several":
            return (f"In brackets, any of: {values}.",)
        case "known":
            return (f"Values known to the rules: {values}.",)
        case "truth":
            return (f"true or false; the rules test {values}." if values else "true or false.",)
        case "list":
            return ("In brackets: [one, another].",)


def _format_permitted(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _write_item(item: FormEntry, depth: int, base: int | None) -> Iterator[str]:
    """Yield the lines of an entry of a list, a single line if it is short."""
    yield from _write_comments(item.comments, depth if base is None else base)
    base = depth if base is None and not item.is_chosen else base
    if item.is_single_line:
        yield _indent(
            f"- {format_flow({inner_field.key: inner_field.value for inner_field in item.fields})}", depth, base
        )
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
        lines = wrap(sanitize(paragraph), _WIDTH - len(start) - 1, break_long_words=False, break_on_hyphens=False)
        yield from (f"{start} {line}" for line in lines or [""])


_QUOTES = ("'", '"')


class ValueEdit(Struct, frozen=True, kw_only=True):
    """Replacement of a scalar, or of a key."""

    path: DataPath
    """Path of the value."""
    value: Any
    """The new scalar."""
    at_key: bool = False
    """True to replace the key at the path instead of the value."""


class EntryEdit(Struct, frozen=True, kw_only=True):
    """Insertion of a flat mapping into a list."""

    path: DataPath
    """Path of the list."""
    before_index: int
    """Index of the entry before which it is inserted; at the end if there is none."""
    values: Mapping[str, Any]
    """Content of the new entry."""


YamlEdit = ValueEdit | EntryEdit


class _Replacement(Struct, frozen=True, kw_only=True):
    start: int
    end: int
    text: str


def apply_edits(text: str, splices: Sequence[YamlEdit]) -> str:
    """Apply edits to the text of a YAML file. Their paths must exist."""
    root = YAML().compose(text)
    replacements: list[_Replacement] = []
    extended_lists: set[DataPath] = set()
    for splice in splices:
        if isinstance(splice, ValueEdit):
            replacements.append(_replace_value(text, root, splice))
        else:
            replacements.append(_insert_entry(text, root, splice, first=splice.path not in extended_lists))
            extended_lists.add(splice.path)
    replacements.sort(key=lambda cut: cut.start)  # entries inserted at the same place keep their order
    parts: list[str] = []
    position = 0
    for cut in replacements:
        parts += [text[position : cut.start], cut.text]
        position = cut.end
    return "".join((*parts, text[position:]))


def _replace_value(text: str, root: Node, splice: ValueEdit) -> _Replacement:
    node = _find_key_node(root, splice.path) if splice.at_key else _find_node(root, splice.path)
    assert isinstance(node, ScalarNode)
    start, end = node.start_mark.index, node.end_mark.index
    written = format_inline(splice.value)
    if isinstance(splice.value, str) and node.style in _QUOTES:
        quote = str(node.style)
        if splice.value.isprintable() and not set("'\"\\") & set(splice.value):
            written = f"{quote}{splice.value}{quote}"
    old = text[start:end]
    return _Replacement(start=start, end=end, text=written + old[len(old.rstrip()) :])


def _insert_entry(text: str, root: Node, splice: EntryEdit, *, first: bool) -> _Replacement:
    """Build the insertion of an entry, in the style of its neighbours.

    In a list with brackets it goes between them, otherwise on its own lines after the preceding entry. Comments above
    the next entry thus stay in place. `first` is whether it is the first entry added to the list.
    """
    node = _find_node(root, splice.path)
    assert isinstance(node, SequenceNode)
    entries = list(node.value)
    if node.flow_style:
        if splice.before_index < len(entries):
            at = entries[splice.before_index].start_mark.index
            return _Replacement(start=at, end=at, text=f"{format_flow(splice.values)}, ")
        at = entries[-1].end_mark.index if entries else node.start_mark.index + 1
        return _Replacement(
            start=at, end=at, text=f"{', ' if entries or not first else ''}{format_flow(splice.values)}"
        )
    is_first_entry = splice.before_index == 0
    neighbour = entries[max(splice.before_index - 1, 0)]
    column = neighbour.start_mark.column
    line = text.rindex("\n", 0, neighbour.start_mark.index) + 1
    before = text[line : neighbour.start_mark.index]
    newline = "\r\n" if "\r\n" in text else "\n"
    if neighbour.flow_style:
        inserted = f"{before}{format_flow(splice.values)}"
    else:
        rows = [format_inline(key) + ": " + format_inline(value) for key, value in splice.values.items()]
        inserted = before + f"{newline}{' ' * column}".join(rows)
    if is_first_entry:
        return _Replacement(start=line, end=line, text=f"{inserted}{newline}")
    end = text.find("\n", _find_end(neighbour))
    if end < 0:
        return _Replacement(start=len(text), end=len(text), text=f"{newline}{inserted}")
    return _Replacement(start=end + 1, end=end + 1, text=f"{inserted}{newline}")


def _find_end(node: Node) -> int:
    """Return where a node ends, without the blanks and comments after a block mapping or list."""
    if not isinstance(node, (MappingNode, SequenceNode)) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return max(map(_find_end, last)) if isinstance(last, tuple) else _find_end(last)


def _find_node(root: Node, path: DataPath) -> Node:
    for step in path:
        if isinstance(root, MappingNode):
            root = next(value for key, value in root.value if key.value == step)
        else:
            root = root.value[step]
    return root


def _find_key_node(root: Node, path: DataPath) -> Node:
    parent = _find_node(root, path[:-1])
    return next(key for key, _ in parent.value if key.value == path[-1])
