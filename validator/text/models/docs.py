"""The documentation of models, read from their source: the text that stands right under each field.

Pydantic could gather it when a model is made, at a price every start of the program would pay. Only those
who write schemas and reference pages need it, and they ask here.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path

from pydantic import BaseModel


def attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """What is written under the fields of a model, by field name, as flowing text.

    A field that a model inherits has the text of the nearest class that documents it, one that was made from an
    object the description it was made with. Fields without a text have no entry.
    """
    found = {name: flowing(info.description) for name, info in model.model_fields.items() if info.description}
    for base in reversed(model.__mro__):
        found.update(_written_in(base))
    return {name: found[name] for name in model.model_fields if name in found}


def summary(model: type[BaseModel]) -> str:
    """The docstring of a model, paragraphs as flowing text; empty where it has none of its own."""
    return flowing(model.__dict__.get("__doc__") or "")


def flowing(text: str) -> str:
    """A docstring with the line breaks inside its paragraphs taken out."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()


def _written_in(model: type) -> dict[str, str]:
    body = _classes(model.__module__).get(model.__qualname__, ())
    found: dict[str, str] = {}
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = flowing(text)
    return found


@cache
def _classes(module: str) -> dict[str, list[ast.stmt]]:
    """The bodies of the classes of a module by qualified name; of none where it has no source."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not file.endswith(".py"):
        return {}
    found: dict[str, list[ast.stmt]] = {}
    waiting: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(Path(file).read_text("utf-8")).body]
    while waiting:
        prefix, node = waiting.pop()
        match node:
            case ast.ClassDef():
                found[prefix + node.name] = node.body
                waiting.extend((f"{prefix}{node.name}.", inner) for inner in node.body)
            case ast.FunctionDef():
                waiting.extend((f"{prefix}{node.name}.<locals>.", inner) for inner in node.body)
    return found
