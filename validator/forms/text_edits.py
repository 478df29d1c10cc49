"""Values written into a YAML file in place of others: every character that is not changed stays as it is."""

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
    """A scalar that takes the place of another, or with `at_key` of the key of the entry at a path."""

    path: Path
    value: Any
    at_key: bool = False


class NewEntry(Struct, frozen=True, kw_only=True):
    """A flat mapping put into the list at a path, before the entry of a number; at its end where there is none."""

    path: Path
    before: int
    values: Mapping[str, Any]


Splice = NewValue | NewEntry


class _Cut(Struct, frozen=True, kw_only=True):
    start: int
    end: int
    text: str


def spliced(text: str, splices: Sequence[Splice]) -> str:
    """The text of a YAML file with values and entries put into it. What stands at their paths must be there."""
    root = YAML().compose(text)
    cuts: list[_Cut] = []
    begun: set[Path] = set()
    for one in splices:
        if isinstance(one, NewValue):
            cuts.append(_value(text, root, one))
        else:
            cuts.append(_entry(text, root, one, first=one.path not in begun))
            begun.add(one.path)
    cuts.sort(key=lambda cut: cut.start)  # entries put in at one place keep their order
    parts: list[str] = []
    at = 0
    for cut in cuts:
        parts += [text[at : cut.start], cut.text]
        at = cut.end
    return "".join((*parts, text[at:]))


def _value(text: str, root: Node, splice: NewValue) -> _Cut:
    node = _key_node(root, splice.path) if splice.at_key else _node(root, splice.path)
    assert isinstance(node, ScalarNode)
    start, end = node.start_mark.index, node.end_mark.index
    written = inline(splice.value)
    if isinstance(splice.value, str) and node.style in _QUOTES:
        mark = str(node.style)
        if splice.value.isprintable() and not set("'\"\\") & set(splice.value):
            written = f"{mark}{splice.value}{mark}"
    old = text[start:end]
    return _Cut(start=start, end=end, text=written + old[len(old.rstrip()) :])


def _entry(text: str, root: Node, splice: NewEntry, *, first: bool) -> _Cut:
    """Where an entry goes: into the brackets of a list in brackets, else on lines of its own, as its neighbour stands:
    behind the one before it, so that what is said above the next one stays there. `first` is whether it is the first to
    be put into the list."""
    node = _node(root, splice.path)
    assert isinstance(node, SequenceNode)
    entries = list(node.value)
    if node.flow_style:
        if splice.before < len(entries):
            at = entries[splice.before].start_mark.index
            return _Cut(start=at, end=at, text=f"{flow(splice.values)}, ")
        at = entries[-1].end_mark.index if entries else node.start_mark.index + 1
        return _Cut(start=at, end=at, text=f"{', ' if entries or not first else ''}{flow(splice.values)}")
    at_the_top = splice.before == 0
    neighbour = entries[max(splice.before - 1, 0)]
    column = neighbour.start_mark.column
    line = text.rindex("\n", 0, neighbour.start_mark.index) + 1
    before = text[line : neighbour.start_mark.index]
    newline = "\r\n" if "\r\n" in text else "\n"
    if neighbour.flow_style:
        made = f"{before}{flow(splice.values)}"
    else:
        rows = [inline(key) + ": " + inline(value) for key, value in splice.values.items()]
        made = before + f"{newline}{' ' * column}".join(rows)
    if at_the_top:
        return _Cut(start=line, end=line, text=f"{made}{newline}")
    end = text.find("\n", _end(neighbour))
    if end < 0:
        return _Cut(start=len(text), end=len(text), text=f"{newline}{made}")
    return _Cut(start=end + 1, end=end + 1, text=f"{made}{newline}")


def _end(node: Node) -> int:
    """Where a node ends, without the blanks and comments that follow a mapping or list in lines."""
    if not isinstance(node, (MappingNode, SequenceNode)) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return max(map(_end, last)) if isinstance(last, tuple) else _end(last)


def _node(root: Node, path: Path) -> Node:
    for step in path:
        if isinstance(root, MappingNode):
            root = next(value for key, value in root.value if key.value == step)
        else:
            root = root.value[step]
    return root


def _key_node(root: Node, path: Path) -> Node:
    parent = _node(root, path[:-1])
    return next(key for key, _ in parent.value if key.value == path[-1])
