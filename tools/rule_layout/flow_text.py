"""Mappings and lists in braces, as trees of their source texts with the comments between them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise

from yaml.nodes import MappingNode, Node, ScalarNode

_FOLDS = re.compile(r"[ \t]*\n\s*")
_PARTS = re.compile(r"[\[\]{},:\n]|#[^\n]*")


class MisplacedCommentError(Exception):
    """Error: the layout has no place for a comment."""

    def __init__(self, line: int) -> None:
        """Name the line.

        Args:
            line: number of the line, from 1.
        """
        super().__init__(f"line {line}: move this comment before an entry, or after one")


@dataclass(slots=True)
class FlowEntry:
    """An entry of a mapping or a list in braces."""

    key: str
    """Text of the key with its colon; empty in a list."""
    value: FlowText
    """The value."""
    above: list[str] = field(default_factory=list)
    """Comments on lines of their own before the entry."""
    behind: str = ""
    """Comment after the entry, on its line."""


@dataclass(slots=True)
class FlowText:
    """A value in braces, or a scalar."""

    text: str
    """Source of a scalar on one line; empty for a collection."""
    brackets: str
    """Opening and closing bracket of a collection; empty for a scalar."""
    entries: list[FlowEntry]
    """Entries of a collection."""

    def write_on_one_line(self) -> str | None:
        """Return the text on a single line; None if a comment needs more."""
        if not self.brackets:
            return self.text
        parts = list[str]()
        for entry in self.entries:
            value = entry.value.write_on_one_line()
            if value is None or entry.above or entry.behind:
                return None
            parts.append(f"{entry.key} {value}" if entry.key else value)
        return f"{self.brackets[0]}{', '.join(parts)}{self.brackets[1]}"


@dataclass(frozen=True, slots=True)
class SourceText:
    """The text of a file, by positions of nodes."""

    text: str
    """The text."""
    starts: tuple[int, ...]
    """Offset of each line."""

    @classmethod
    def read(cls, text: str) -> SourceText:
        """Index a text by lines."""
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        return cls(text, tuple(starts))

    def find_span(self, node: Node) -> tuple[int, int]:
        """Return the offsets at which a node begins and ends."""
        begin, end = node.start_mark, node.end_mark
        return self.starts[begin.line] + begin.column, self.starts[end.line] + end.column

    def find_line(self, offset: int) -> int:
        """Return the number of the line of an offset, from 1."""
        return self.text.count("\n", 0, offset) + 1


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A scalar with its place in a tree."""

    begin: int
    """Offset of its first character."""
    end: int
    """Offset after its last one."""
    path: tuple[FlowEntry, ...]
    """Entries around it, the outermost first."""
    is_key: bool
    """True for the key of the last of these entries."""


def read_flow(source: SourceText, node: Node) -> FlowText:
    """Return a node in braces as a tree.

    Raises:
        MisplacedCommentError: If a comment is neither before an entry nor behind one.
    """
    leaves = list[_Leaf]()
    tree = _read_node(source, node, (), leaves)
    begin, end = source.find_span(node)
    around = [_Leaf(begin, begin, (), False), *leaves, _Leaf(end, end, (), False)]
    for before, after in pairwise(around):
        _attach_comments(source, before, after)
    return tree


def _read_node(source: SourceText, node: Node, path: tuple[FlowEntry, ...], leaves: list[_Leaf]) -> FlowText:
    begin, end = source.find_span(node)
    if isinstance(node, ScalarNode):
        leaves.append(_Leaf(begin, end, path, False))
        return FlowText(_FOLDS.sub(" ", source.text[begin:end]), "", [])
    tree = FlowText("", "{}" if isinstance(node, MappingNode) else "[]", [])
    for key, value in node.value if isinstance(node, MappingNode) else ((None, item) for item in node.value):
        entry = FlowEntry("", FlowText("", "", []))
        tree.entries.append(entry)
        if key is not None:
            key_begin, key_end = source.find_span(key)
            leaves.append(_Leaf(key_begin, key_end, (*path, entry), True))
            entry.key = f"{source.text[key_begin:key_end]}:"
        entry.value = _read_node(source, value, (*path, entry), leaves)
    return tree


def _attach_comments(source: SourceText, before: _Leaf, after: _Leaf) -> None:
    """Give the comments between two scalars to the entries before or behind which they are."""
    gap = source.text[before.end : after.begin]
    depth = len(before.path)
    alone = False
    for part in _PARTS.finditer(gap):
        if part[0] in "]}":
            depth -= 1
        elif part[0] in "[{":
            depth += 1
        elif part[0] == "\n":
            alone = True
        elif part[0][0] == "#":
            path = after.path if alone or depth > len(before.path) else before.path
            if not 0 < depth <= len(path) or (before.is_key and depth <= len(before.path)):
                raise MisplacedCommentError(source.find_line(before.end + part.start()))
            entry = path[depth - 1]
            if path is after.path:
                entry.above.append(part[0])
            elif entry.behind:
                raise MisplacedCommentError(source.find_line(before.end + part.start()))
            else:
                entry.behind = part[0]
        if part[0] not in "\n" and part[0][0] != "#":
            alone = False
