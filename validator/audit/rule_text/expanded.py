"""A requirement as YAML, in full: of an instance of a pattern, what the pattern stands for."""

from __future__ import annotations

from collections.abc import Mapping
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from validator.text.trees.tree import Data
from validator.text.trees.yaml_scalars import resolve

_WIDTH = 110
_ORDER = (
    *("requirement", "title", "clauses", "evidence", "severity"),
    *("message", "broken", "remedy", "from", "until", "readings"),
)


def expanded(entry: Mapping[str, Data]) -> str:
    """An entry of a list of requirements as a file of its own would have it, without the name of a pattern."""
    keys = [*(key for key in _ORDER if key in entry), *(key for key in entry if key not in (*_ORDER, "pattern"))]
    return _dumped(CommentedSeq([_block({key: entry[key] for key in keys}, 0)])).rstrip("\n")


def _block(value: Data, depth: int) -> Any:
    """A list or mapping in brackets where it fits on a line, else an entry a line."""
    if not isinstance(value, (dict, list)) or (depth and _fits(value, _WIDTH - depth)):
        return _flow(value)
    if isinstance(value, list):
        return CommentedSeq([_block(item, depth + 2) for item in value])
    made = CommentedMap()
    for key, item in value.items():
        made[key] = _block(item, depth + 2 + (0 if isinstance(item, (dict, list)) else len(key)))
    return made


def _fits(value: Data, width: int) -> bool:
    """Whether a list or mapping is a line of so many characters when it stands in brackets."""
    line = _dumped(_flow(value)).rstrip("\n")
    return len(line) <= width and "\n" not in line


def _flow(value: Data) -> Any:
    made: Any
    match value:
        case dict():
            made = CommentedMap({key: _flow(item) for key, item in value.items()})
        case list():
            made = CommentedSeq([_flow(item) for item in value])
        case str() if resolve(value) != value or not value.isprintable():
            return DoubleQuotedScalarString(value)
        case _:
            return value
    made.fa.set_flow_style()
    return made


def _dumped(value: Any) -> str:
    writer = YAML()
    writer.width = 100_000
    writer.indent(sequence=2, offset=0)
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue()
