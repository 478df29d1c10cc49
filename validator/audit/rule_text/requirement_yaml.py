"""Requirements as YAML of a rule file, with their patterns expanded."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from fairdeal.validator.text.positioned_document import Data
from fairdeal.validator.text.yaml_document import resolve_scalar

_MAX_WIDTH = 110
_ORDER = (
    *("requirement", "title", "clauses", "evidence", "severity"),
    *("message", "broken", "remedy", "from", "until", "readings"),
)


def write_requirement_yaml(entry: Mapping[str, Data]) -> str:
    """Write an entry of a list of requirements as in a file of its own, without the name of its pattern."""
    keys = [*(key for key in _ORDER if key in entry), *(key for key in entry if key not in (*_ORDER, "pattern"))]
    return _dump(CommentedSeq([_block({key: entry[key] for key in keys}, 0)])).rstrip("\n")


def _block(value: Data, depth: int) -> Any:
    """Convert a value to flow style if it fits on a line, otherwise to one entry per line."""
    if not isinstance(value, (dict, list)) or (depth and _fits(value, _MAX_WIDTH - depth)):
        return _flow(value)
    if isinstance(value, list):
        return CommentedSeq([_block(item, depth + 2) for item in value])
    mapping = CommentedMap()
    for key, item in value.items():
        mapping[key] = _block(item, depth + 2 + (0 if isinstance(item, (dict, list)) else len(key)))
    return mapping


def _fits(value: Data, width: int) -> bool:
    """Return whether a list or mapping in flow style fits on a line of this width."""
    line = _dump(_flow(value)).rstrip("\n")
    return len(line) <= width and "\n" not in line


def _flow(value: Data) -> Any:
    made: Any
    match value:
        case dict():
            made = CommentedMap({key: _flow(item) for key, item in value.items()})
        case list():
            made = CommentedSeq([_flow(item) for item in value])
        case str() if resolve_scalar(value) != value or not value.isprintable():
            return DoubleQuotedScalarString(value)
        case Decimal():
            return YAML().load(str(value))  # a number that is written as it was read
        case _:
            return value
    made.fa.set_flow_style()
    return made


def _dump(value: Any) -> str:
    writer = YAML()
    writer.width = 100_000
    writer.indent(sequence=2, offset=0)
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue()
