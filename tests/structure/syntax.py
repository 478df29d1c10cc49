"""Nodes of syntax trees, listed faster than by the standard library: whole packages are searched many times."""

from __future__ import annotations

import ast
from functools import cache


def list_nodes(top: ast.AST) -> list[ast.AST]:
    """Return a node and all nodes below it, level by level, without those that only tell reading from writing."""
    nodes = [top]
    for node in nodes:  # which grows
        for name in _list_fields(type(node)):  # type: ignore[arg-type]  # every class is hashable
            value = getattr(node, name, None)
            if type(value) is list:
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST):
                nodes.append(value)
    return nodes


_PLAIN_FIELDS = frozenset({"arg", "attr", "ctx", "id", "kind", "lineno", "name", "type_comment"})
"""Fields with a text or a number, or that only tell reading from writing."""


@cache
def _list_fields(kind: type[ast.AST]) -> tuple[str, ...]:
    """Return the fields of a kind of node that may hold other nodes."""
    return () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _PLAIN_FIELDS)
