"""Layout of a file: what is in braces is filled up to a width, comments and long texts are folded, all else stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from tools.rule_layout.flow_text import FlowEntry, FlowText, SourceText, read_flow

WIDTH = 110
"""Columns of a line."""
_ROOM_FOR_TEXT = 30
"""Columns that a text or a list of names must have to begin behind another entry and continue on the next line."""
_ROOM_FOR_PARTS = 60
"""Columns that any other value of a key must have to begin so; an item of a list begins a line."""
_BREAK = re.compile(r"(?<! ) (?![ #:?&*-])")
"""Space at which a text may be folded: not before what would mean something else at the start of a line."""


def lay_out(text: str) -> str:
    """Return the text of a YAML file in its layout. It means the same, and its comments stay.

    Raises:
        MisplacedCommentError: If a comment has no place in the layout.
    """
    text = text if text.endswith("\n") else f"{text}\n"
    source = SourceText.read(text)
    parts, done = list[str](), 0
    for node in _list_outer_nodes(yaml.compose(text, yaml.CSafeLoader)):
        begin, end = source.find_span(node)
        start = text.rfind("\n", 0, begin) + 1
        rest = text[end : text.find("\n", end)]
        indent = len(text[start:begin]) - len(text[start:begin].lstrip(" -"))
        tree = read_flow(source, node)
        line = tree.write_on_one_line()
        if rest.strip() and (line is None or begin - start + len(line) + len(rest) > WIDTH):
            parts += [text[done:start], " " * (indent - indent % 2), rest.strip(), "\n", text[start:begin]]
            done = end + len(rest)
        else:
            parts.append(text[done:begin])
            done = end
        hanging = indent if text[start:begin].endswith("- ") else indent + 2
        parts.append(_write(tree, begin - start, 0 if done > end else len(rest), hanging))
    return "\n".join(_fold_comments("".join([*parts, text[done:]])))


def _list_outer_nodes(node: Node | None) -> Iterator[Node]:
    """Yield collections in braces and scalars that are in none, in order; keys and block scalars are left out."""
    if isinstance(node, CollectionNode) and not node.flow_style:
        for item in node.value:
            yield from _list_outer_nodes(item[1] if isinstance(node, MappingNode) else item)
    elif isinstance(node, CollectionNode) or (isinstance(node, ScalarNode) and node.style not in ("|", ">")):
        yield node


def _write(value: FlowText, column: int, tail: int, hanging: int) -> str:
    """Return a value from a column on.

    Args:
        value: the value.
        column: column at which it begins.
        tail: number of columns to leave behind its last character.
        hanging: column of its further lines.
    """
    line = value.write_on_one_line()
    if line is not None and column + len(line) + tail <= WIDTH:
        return line
    return _fill(value, column, tail, hanging) if value.brackets else _fold(value.text, column, tail, hanging)


def _fill(value: FlowText, column: int, tail: int, hanging: int) -> str:
    """Return a collection on several lines.

    An entry follows the entry before it if the line has room for all or enough of it. Otherwise it begins a line.
    Further lines of the collection are indented by two columns from the line on which it begins.
    """
    lines, at, is_new = [value.brackets[0]], column + 1, True
    for entry in value.entries:
        is_last, is_beside_bracket = entry is value.entries[-1], entry is value.entries[0]
        behind = f" {entry.behind}" if entry.behind else ""
        after = (1 + tail if is_last else 1) + (0 if is_last else len(behind))
        line = _write_entry_on_one_line(entry)
        if entry.above or (is_last and behind):
            lines += [*entry.above, *([entry.behind] if is_last and behind else []), ""]
            at, is_new, is_beside_bracket = hanging, True, False
        begin = at if is_new else at + 1
        fits = line is not None and begin + len(line) + after <= WIDTH
        may_break = is_new or (line is not None and begin + _find_least_room(entry) <= WIDTH)
        if not fits and not (may_break and begin + _measure_head(entry, after) <= WIDTH):
            lines.append("")
            begin, is_new, is_beside_bracket = hanging, True, False
        text = _write_entry(entry, begin, after, hanging if is_beside_bracket else hanging + 2)
        lines[-1] += f"{'' if is_new else ' '}{text}{'' if is_last else ',' + behind}"
        at = WIDTH if behind else len(text.rpartition("\n")[2]) + 1 + (0 if "\n" in text else begin)
        is_new = False
    return f"\n{' ' * hanging}".join(lines) + value.brackets[1]


def _find_least_room(entry: FlowEntry) -> int:
    """Return the columns that an entry of several lines needs to begin behind another entry."""
    if entry.value.brackets != "{}" and not any(part.value.brackets for part in entry.value.entries):
        return _ROOM_FOR_TEXT
    return _ROOM_FOR_PARTS if entry.key else WIDTH


def _measure_head(entry: FlowEntry, after: int) -> int:
    """Return the length of the part of an entry that cannot be broken, with what follows it on its line."""
    key = len(entry.key) + 1 if entry.key else 0
    if not entry.value.brackets:
        word, *rest = _BREAK.split(entry.value.text, maxsplit=1)
        return key + len(word) + (0 if rest else after)
    if not entry.value.entries:
        return key + 2 + after
    return key + 1 + _measure_head(entry.value.entries[0], 1 if len(entry.value.entries) > 1 else 1 + after)


def _write_entry_on_one_line(entry: FlowEntry) -> str | None:
    line = entry.value.write_on_one_line()
    return line if line is None or not entry.key else f"{entry.key} {line}"


def _write_entry(entry: FlowEntry, column: int, after: int, hanging: int) -> str:
    key = f"{entry.key} " if entry.key else ""
    return f"{key}{_write(entry.value, column + len(key), after, hanging)}"


def _fold(text: str, column: int, tail: int, hanging: int) -> str:
    """Return a text on several lines."""
    lines, words = list[str](), _BREAK.split(text)
    line, room = words[0], WIDTH - column
    for place, word in enumerate(words[1:], 2):
        if len(line) + 1 + len(word) + (tail if place == len(words) else 0) <= room:
            line += f" {word}"
        else:
            lines.append(line)
            line, room = word, WIDTH - hanging
    return f"\n{' ' * hanging}".join([*lines, line])


_COMMENTED_LINE = re.compile(r"^( *)(|.*? )(# .*)$")


def _fold_comments(text: str) -> Iterator[str]:
    """Yield the lines of a text. A comment that is too long moves above what it was behind, on several lines."""
    for line in text.split("\n"):
        match = _COMMENTED_LINE.match(line)
        if match is None or len(line) <= WIDTH or "yaml-language-server" in line:
            yield line
            continue
        indent, content, comment = match.groups()
        for part in _fold(comment.removeprefix("# "), len(indent) + 2, 0, len(indent) + 2).split("\n"):
            yield f"{indent}# {part.strip()}"
        if content:
            yield f"{indent}{content.rstrip()}"
