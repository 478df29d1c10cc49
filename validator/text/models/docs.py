"""Documentation of models, read from their source: the docstring under each field.

Pydantic could collect it when a class is made, but every start of the program would pay for that. Only writers of
schemas, forms and reference pages need it.
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
    """Return the docstrings of the fields of a model, by field name, without line breaks.

    An inherited field has the text of the nearest class that documents it. A field made from an object has the
    description it was made with. Fields without a text have no entry.
    """
    docs = {name: flowing(info.description) for name, info in model.model_fields.items() if info.description}
    for base in reversed(model.__mro__):
        docs.update(_read_class_docs(base))
    return {name: docs[name] for name in model.model_fields if name in docs}


def summary(model: type[BaseModel]) -> str:
    """Return the docstring of a model, paragraphs without line breaks; empty if it has none of its own."""
    return flowing(model.__dict__.get("__doc__") or "")


def flowing(text: str) -> str:
    """Return a docstring without the line breaks inside its paragraphs."""
    paragraphs = cleandoc(text).split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()


def _read_class_docs(model: type) -> dict[str, str]:
    body = _list_class_bodies(model.__module__).get(model.__qualname__, ())
    docs: dict[str, str] = {}
    for statement, following in pairwise(body):
        match statement, following:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                docs[name] = flowing(text)
    return docs


@cache
def _list_class_bodies(module: str) -> dict[str, list[ast.stmt]]:
    """Return the bodies of the classes of a module by qualified name; empty if it has no source."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or not file.endswith(".py"):
        return {}
    bodies: dict[str, list[ast.stmt]] = {}
    pending: list[tuple[str, ast.stmt]] = [("", node) for node in ast.parse(Path(file).read_text("utf-8")).body]
    while pending:
        prefix, node = pending.pop()
        match node:
            case ast.ClassDef():
                bodies[prefix + node.name] = node.body
                pending.extend((f"{prefix}{node.name}.", inner) for inner in node.body)
            case ast.FunctionDef():
                pending.extend((f"{prefix}{node.name}.<locals>.", inner) for inner in node.body)
    return bodies
