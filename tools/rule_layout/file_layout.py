"""Layout of a file: what is in braces is filled up to a width, comments and long texts are folded, all else stays."""

from __future__ import annotations

import re
from collections.abc import Iterator

import yaml
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from tools.rule_layout.flow_text import FlowEntry, FlowText, SourceText, read_flow

WIDTH = 110
"""Columns of a line."""
_DEEPEST = 60
"""Column after which a value that needs several lines begins a line of its own."""
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
        parts.append(_write(tree, begin - start, 0 if done > end else len(rest), indent + 2))
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
        hanging: column of the further lines of a text.
    """
    line = value.write_on_one_line()
    if line is not None and column + len(line) + tail <= WIDTH:
        return line
    return _fill(value, column, tail) if value.brackets else _fold(value.text, column, tail, hanging)


def _fill(value: FlowText, column: int, tail: int) -> str:
    inner, lines, at = column + 1, [value.brackets[0]], column + 1
    is_new, must_break = True, False
    for entry in value.entries:
        is_last = entry is value.entries[-1]
        behind = f" {entry.behind}" if entry.behind else ""
        after = (1 + tail if is_last else 1) + (0 if is_last else len(behind))
        line = _write_entry_on_one_line(entry)
        if entry.above or (is_last and behind):
            lines += [*entry.above, *([entry.behind] if is_last and behind else []), ""]
            at, is_new = inner, True
        elif not is_new and (must_break or line is None or at + 1 + len(line) + after > WIDTH):
            lines.append("")
            at, is_new = inner, True
        if line is not None and at + (not is_new) + len(line) + after <= WIDTH:
            lines[-1] += ("" if is_new else " ") + line
            at, must_break = at + (not is_new) + len(line) + 1, False
        else:
            broken = _write_broken_entry(entry, inner, after)
            lines[-1] += broken
            at, must_break = len(broken.rpartition("\n")[2]) + 1, False
        is_new = False
        lines[-1] += "" if is_last else ","
        if behind and not is_last:
            lines[-1] += behind
            must_break = True
    return f"\n{' ' * inner}".join(lines) + value.brackets[1]


def _write_entry_on_one_line(entry: FlowEntry) -> str | None:
    line = entry.value.write_on_one_line()
    return line if line is None or not entry.key else f"{entry.key} {line}"


def _write_broken_entry(entry: FlowEntry, column: int, after: int) -> str:
    if not entry.key:
        return _write(entry.value, column, after, column + 2)
    begin = column + len(entry.key) + 1
    if begin > _DEEPEST and entry.value.brackets:
        return f"{entry.key}\n{' ' * (column + 2)}{_write(entry.value, column + 2, after, column + 2)}"
    return f"{entry.key} {_write(entry.value, begin, after, column + 2)}"


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
