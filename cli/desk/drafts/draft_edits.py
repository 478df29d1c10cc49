"""Changes of a YAML text value by value: everything else stays, comments and layout included.

Each change is a cut in the text. The new text is read again, and must have the new data and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import yaml
from msgspec import Struct
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from fairdeal.validator.forms.form_entries import format_entry, format_flow, format_inline
from fairdeal.validator.text.diagnostics import Diagnostic, InputError
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.source import decode_source
from fairdeal.validator.text.yaml_document import load_yaml

_INDENT = 2


class DraftChange(Struct, frozen=True, kw_only=True):
    """Change of a draft at one place."""

    path: DataPath
    """Path of the value; an index after the last entry appends to a list."""
    value: Any
    """Scalar, list of scalars or flat mapping; None to remove the value."""


def read_draft(name: str, text: str) -> PositionedDocument:
    """Return the content of a draft. Raises InputError if it is no YAML."""
    return load_yaml(decode_source(name, text.encode()))


def change_draft(name: str, text: str, changes: Sequence[DraftChange]) -> str:
    """Return the text of a draft with changes.

    Raises:
        InputError: if the draft cannot be read, or a change does not fit its layout.
    """
    # Entries are removed last and from the end, so that the other paths stay valid.
    removals = sorted((change for change in changes if change.value is None), key=_order_key, reverse=True)
    for change in (*(change for change in changes if change.value is not None), *removals):
        wanted = _change_data(read_draft(name, text).data, change)
        text = _change_text(text, change)
        try:
            is_as_wanted = read_draft(name, text).data == wanted
        except InputError:
            is_as_wanted = False
        if not is_as_wanted:
            message = "this file is laid out in a way that the form cannot change"
            place = "/".join(map(str, change.path))
            help_ = f"change `{place}` in the text of the file"
            raise InputError((Diagnostic(code="layout-of-file", message=message, file=name, help=help_),))
    return text


def _order_key(change: DraftChange) -> tuple[tuple[int, str], ...]:
    return tuple((step, "") if isinstance(step, int) else (-1, step) for step in change.path)


def _change_data(data: Data, change: DraftChange) -> Data:
    """Return data with a change; mappings and lists that become empty are removed with it."""
    data = {} if data is None else deepcopy(data)
    trail: list[tuple[Any, Any]] = []
    here: Any = data
    for step, following in zip(change.path, (*change.path[1:], None), strict=True):
        trail.append((here, step))
        if following is None:
            break
        if isinstance(here, list):
            here = here[step] if isinstance(step, int) and step < len(here) else None
        else:
            if change.value is not None and here.get(step) is None:
                here[step] = [] if isinstance(following, int) else {}
            here = here.get(step)
        if here is None:
            return data
    container, last = trail.pop()
    if change.value is not None:
        value = _to_data(change.value)
        if isinstance(container, list):
            container[last : last + 1] = [value]
        else:
            container[last] = value
        return data
    while True:
        if isinstance(container, list) or last in container:
            del container[last]
        if container or not trail:
            return data
        container, last = trail.pop()


def _to_data(value: Any) -> Data:
    if isinstance(value, Mapping):
        return {key: _to_data(part) for key, part in value.items()}
    return [_to_data(part) for part in value] if isinstance(value, (list, tuple)) else value


def _change_text(text: str, change: DraftChange) -> str:
    root = yaml.compose(text, Loader=yaml.CSafeLoader)
    if root is None or (isinstance(root, ScalarNode) and not root.value):
        lines = _write_key(change.path, change.value, 0)
        return f"{text}{'' if not text or text.endswith(chr(10)) else chr(10)}{_join_lines(lines)}"
    path = change.path
    if change.value is None:
        return _remove(text, root, path)
    known = 0
    node: Node | None = root
    while node is not None and known < len(path):
        child = _find_child(node, path[known])
        if child is None or (known + 1 < len(path) and _is_blank(child)):
            break
        node, known = child, known + 1
    assert node is not None
    if known == len(path):
        return _replace(text, node, change.value)
    return _insert(text, node, path[known:], change.value)


def _find_child(node: Node, step: str | int) -> Node | None:
    if isinstance(node, MappingNode):
        return next((value for key, value in node.value if key.value == step), None)
    if isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        child: Node = node.value[step]
        return child
    return None


def _is_blank(node: Node) -> bool:
    return isinstance(node, ScalarNode) and not node.style and node.value in ("", "~", "null")


def _write_flow(value: Any) -> str:
    """Write a value on one line, valid anywhere."""
    if isinstance(value, Mapping):
        return format_flow(value)
    return f"[{', '.join(map(_write_flow, value))}]" if isinstance(value, (list, tuple)) else format_inline(value)


def _write_key(path: DataPath, value: Any, indent: int) -> list[str]:
    """Write a value with the keys that lead to it, as lines of a block."""
    step, rest = path[0], path[1:]
    pad = " " * indent
    if isinstance(step, int):
        if rest:
            first, *others = _write_key(rest, value, indent + _INDENT)
            return [f"{pad}- {first.strip()}", *others]
        if isinstance(value, Mapping):
            keys = [_write_pair(key, part) for key, part in value.items()]
            return [f"{pad}{'  ' if number else '- '}{line}" for number, line in enumerate(keys)]
        return [f"{pad}- {_write_flow(value)}"]
    if rest:
        return [f"{pad}{format_entry(step, None)}", *_write_key(rest, value, indent + _find_indent(rest))]
    return [f"{pad}{_write_pair(step, value)}"]


def _find_indent(path: DataPath) -> int:
    """Return how far content is moved to the right of its key; a list is not."""
    return 0 if isinstance(path[0], int) else _INDENT


def _write_pair(key: str, value: Any) -> str:
    if isinstance(value, (Mapping, list, tuple)):
        return f"{format_entry(key, None)} {_write_flow(value)}"
    return format_entry(key, value)


def _join_lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _replace(text: str, node: Node, value: Any) -> str:
    start, end = node.start_mark.index, _find_end(node)
    if isinstance(node, SequenceNode) and not node.flow_style and isinstance(value, (list, tuple)):
        pad = " " * node.start_mark.column
        lines = [f"- {_write_flow(entry)}" for entry in value]
        return f"{text[:start]}{f'{chr(10)}{pad}'.join(lines)}{text[end:]}"
    written = _write_flow(value)
    if isinstance(node, ScalarNode) and node.style == '"' and isinstance(value, str) and value.isprintable():
        written = f'"{value}"' if not set('"\\') & set(value) else written
    gap = " " if start and not text[start - 1].isspace() and text[start - 1] == ":" else ""
    old = text[start:end]
    return f"{text[:start]}{gap}{written}{old[len(old.rstrip()) :]}{text[end:]}"


def _insert(text: str, node: Node, path: DataPath, value: Any) -> str:
    """Insert a new key or entry into the last node that exists on its path."""
    step = path[0]
    if isinstance(node, MappingNode):
        blank = next((part for key, part in node.value if key.value == step), None)
        if blank is not None:
            return _fill_blank(text, node, step, blank, path[1:], value)
        if node.flow_style:
            return _insert_flow(text, node, f"{format_entry(str(step), None)} {_nest_flow(path[1:], value)}")
        return _insert_lines(text, _find_end(node), _write_key(path, value, node.start_mark.column))
    if isinstance(node, SequenceNode):
        if node.flow_style:
            return _insert_flow(text, node, _nest_flow(path[1:], value))
        return _insert_lines(text, _find_end(node), _write_key(path, value, node.start_mark.column))
    raise _build_shape_error(step)


def _fill_blank(text: str, node: MappingNode, step: object, blank: Node, path: DataPath, value: Any) -> str:
    """Write nested content after a key without a value."""
    if node.flow_style:
        return _splice(text, blank, f" {_nest_flow(path, value)}")
    key = next(key for key, _ in node.value if key.value == step)
    text = _splice(text, blank, "")
    return _insert_lines(
        text, blank.start_mark.index, _write_key(path, value, key.start_mark.column + _find_indent(path))
    )


def _splice(text: str, node: Node, new: str) -> str:
    return f"{text[: node.start_mark.index]}{new}{text[node.end_mark.index :]}"


def _nest_flow(path: DataPath, value: Any) -> str:
    """Write a value with the keys that lead to it, on one line."""
    if not path:
        return _write_flow(value)
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return f"[{_nest_flow(rest, value)}]"
    return f"{{{format_entry(step, None)} {_nest_flow(rest, value)}}}"


def _insert_flow(text: str, node: Node, new: str) -> str:
    """Insert text before the closing bracket or brace of a list or mapping on one line."""
    close = node.end_mark.index - 1
    before = text[:close].rstrip()
    comma = "" if before.endswith(("[", "{", ",")) else ","
    gap = "" if before.endswith(("[", "{")) else " "
    return f"{before}{comma}{gap}{new}{text[close:]}"


def _insert_lines(text: str, end: int, lines: Sequence[str]) -> str:
    """Insert lines after the line of a place."""
    if end and text[end - 1] == "\n":
        at = end
    else:
        at = text.find("\n", end) + 1
        if not at:
            text, at = f"{text}\n", len(text) + 1
    return f"{text[:at]}{_join_lines(lines)}{text[at:]}"


def _find_end(node: Node) -> int:
    """Return where a node ends, without the blanks and comments after it."""
    if not isinstance(node, (MappingNode, SequenceNode)) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return max(map(_find_end, last)) if isinstance(last, tuple) else _find_end(last)


def _remove(text: str, root: Node, path: DataPath) -> str:
    """Remove a value with its key, and the lists and mappings that become empty without it."""
    nodes = [root]
    for step in path:
        child = _find_child(nodes[-1], step)
        if child is None:
            return text
        nodes.append(child)
    depth = len(path)
    while depth > 1 and len(nodes[depth - 1].value) == 1:
        depth -= 1
    parent, step, node = nodes[depth - 1], path[depth - 1], nodes[depth]
    if isinstance(parent, MappingNode):
        place = next(number for number, (key, _) in enumerate(parent.value) if key.value == step)
        start = parent.value[place][0].start_mark.index
        starts = [key.start_mark.index for key, _ in parent.value]
    elif isinstance(parent, SequenceNode) and isinstance(step, int):
        place, start = step, node.start_mark.index
        starts = [entry.start_mark.index for entry in parent.value]
    else:
        raise _build_shape_error(step)
    end = _find_end(node)
    if parent.flow_style:
        return _remove_flow(text, starts, place, start, end)
    line = text.rfind("\n", 0, start) + 1
    is_first_of_entry = place == 0 and text[line:start].strip() == "-" and isinstance(parent, MappingNode)
    if is_first_of_entry and len(starts) > 1:
        return f"{text[:start]}{text[starts[1] :]}"
    after = end if end and text[end - 1] == "\n" else text.find("\n", end) + 1 or len(text)
    return f"{text[:line]}{text[after:]}"


def _remove_flow(text: str, starts: Sequence[int], place: int, start: int, end: int) -> str:
    if place + 1 < len(starts):
        return f"{text[:start]}{text[starts[place + 1] :]}"
    before = text[:start].rstrip()
    return f"{before.removesuffix(',')}{text[end:]}"


def _build_shape_error(step: object) -> InputError:
    message = f"there is no place for `{step}` in this file"
    return InputError((Diagnostic(code="layout-of-file", message=message, help="change it in the text of the file"),))
