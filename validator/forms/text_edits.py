"""Edits of a YAML file that leave all other characters unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from validator.forms.yaml_writer import flow, inline
from validator.text.trees.tree import Path

_QUOTES = ("'", '"')


class NewValue(Struct, frozen=True, kw_only=True):
    """Replacement of a scalar, or of a key."""

    path: Path
    """Path of the value."""
    value: Any
    """The new scalar."""
    at_key: bool = False
    """True to replace the key at the path instead of the value."""


class NewEntry(Struct, frozen=True, kw_only=True):
    """Insertion of a flat mapping into a list."""

    path: Path
    """Path of the list."""
    before: int
    """Index of the entry before which it is inserted; at the end if there is none."""
    values: Mapping[str, Any]
    """Content of the new entry."""


Splice = NewValue | NewEntry


class _Replacement(Struct, frozen=True, kw_only=True):
    start: int
    end: int
    text: str


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """Apply edits to the text of a YAML file. Their paths must exist."""
    root = YAML().compose(text)
    replacements: list[_Replacement] = []
    extended_lists: set[Path] = set()
    for splice in splices:
        if isinstance(splice, NewValue):
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


def _replace_value(text: str, root: Node, splice: NewValue) -> _Replacement:
    node = _find_key_node(root, splice.path) if splice.at_key else _find_node(root, splice.path)
    assert isinstance(node, ScalarNode)
    start, end = node.start_mark.index, node.end_mark.index
    written = inline(splice.value)
    if isinstance(splice.value, str) and node.style in _QUOTES:
        quote = str(node.style)
        if splice.value.isprintable() and not set("'\"\\") & set(splice.value):
            written = f"{quote}{splice.value}{quote}"
    old = text[start:end]
    return _Replacement(start=start, end=end, text=written + old[len(old.rstrip()) :])


def _insert_entry(text: str, root: Node, splice: NewEntry, *, first: bool) -> _Replacement:
    """Build the insertion of an entry, in the style of its neighbours.

    In a list with brackets it goes between them, otherwise on its own lines after the preceding entry. Comments above
    the next entry thus stay in place. `first` is whether it is the first entry added to the list.
    """
    node = _find_node(root, splice.path)
    assert isinstance(node, SequenceNode)
    entries = list(node.value)
    if node.flow_style:
        if splice.before < len(entries):
            at = entries[splice.before].start_mark.index
            return _Replacement(start=at, end=at, text=f"{flow(splice.values)}, ")
        at = entries[-1].end_mark.index if entries else node.start_mark.index + 1
        return _Replacement(start=at, end=at, text=f"{', ' if entries or not first else ''}{flow(splice.values)}")
    is_first_entry = splice.before == 0
    neighbour = entries[max(splice.before - 1, 0)]
    column = neighbour.start_mark.column
    line = text.rindex("\n", 0, neighbour.start_mark.index) + 1
    before = text[line : neighbour.start_mark.index]
    newline = "\r\n" if "\r\n" in text else "\n"
    if neighbour.flow_style:
        inserted = f"{before}{flow(splice.values)}"
    else:
        rows = [inline(key) + ": " + inline(value) for key, value in splice.values.items()]
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


def _find_node(root: Node, path: Path) -> Node:
    for step in path:
        if isinstance(root, MappingNode):
            root = next(value for key, value in root.value if key.value == step)
        else:
            root = root.value[step]
    return root


def _find_key_node(root: Node, path: Path) -> Node:
    parent = _find_node(root, path[:-1])
    return next(key for key, _ in parent.value if key.value == path[-1])
