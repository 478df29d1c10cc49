"""Introspection of pydantic models: attribute docstrings from the source, keys, type hints, options of unions.

Pydantic could collect the docstrings when a class is made, but every start of the program would pay for that. Only
writers of schemas, forms and reference pages need them.
"""

from __future__ import annotations

import ast
import re
import sys
import types
import typing
from collections.abc import Collection, Mapping
from enum import Enum
from functools import cache
from inspect import cleandoc
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, TypeGuard, get_args, get_origin

from pydantic import BaseModel, RootModel, Tag
from pydantic.fields import FieldInfo


def read_attribute_docs(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings of the fields of a model, by field name, without line breaks.

    An inherited field has the text of the nearest class that documents it. A field made from an object has the
    description it was made with. Fields without a text have no entry.
    """
    docs = {name: unwrap_paragraphs(info.description) for name, info in model.model_fields.items() if info.description}
    for base in reversed(model.__mro__):
        docs.update(_read_class_docs(base))
    return {name: docs[name] for name in model.model_fields if name in docs}


def read_class_doc(model: type[BaseModel]) -> str:
    """Return the docstring of a model, paragraphs without line breaks; empty if it has none of its own."""
    return unwrap_paragraphs(model.__doc__ or "")


def unwrap_paragraphs(text: str) -> str:
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
                docs[name] = unwrap_paragraphs(text)
    return docs


@cache
def _list_class_bodies(module: str) -> Mapping[str, list[ast.stmt]]:
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


_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def unwrap_hint(hint: Any) -> Any:
    """Return a hint without wrappers that do not change the place of its parts: Annotated, aliases, NewType, Optional,
    root models."""
    while True:
        if get_origin(hint) is Annotated:
            hint = get_args(hint)[0]
        elif isinstance(hint, NewType):
            hint = hint.__supertype__
        elif hasattr(hint, "__value__"):
            hint = hint.__value__
        elif isinstance(hint, type) and issubclass(hint, RootModel):
            hint = hint.model_fields["root"].annotation
        elif _is_union(hint) and len(_list_union_members(hint)) == 1:
            hint = _list_union_members(hint)[0]
        else:
            return hint


def is_model(hint: Any) -> TypeGuard[type[BaseModel]]:
    """Return whether a bare hint is a model with keys."""
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def map_keys_to_fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the keys that a file uses for them."""
    return {
        field.validation_alias if isinstance(field.validation_alias, str) else name: field
        for name, field in model.model_fields.items()
    }


def list_union_options(hint: Any) -> tuple[Any, ...]:
    """Return the members of a bare union except None; empty for other hints."""
    return _list_union_members(hint) if _is_union(hint) else ()


def find_union_option(members: tuple[Any, ...], label: str) -> Any:
    """Return the member of a union that pydantic calls `label`, by its tag or name; None if there is none."""
    for hint in members:
        if label in list_tags(hint) or getattr(unwrap_hint(hint), "__name__", None) == label:
            return hint
    return None


def list_tags(hint: Any, discriminator: str | None = None) -> tuple[str, ...]:
    """Return the tags that select an option of a union.

    Args:
        hint: The option.
        discriminator: The key whose literal is the tag; if None, literals of any key count.

    Returns:
        Its Tag, or the literals of its discriminating key.
    """
    if get_origin(hint) is Annotated:
        named = tuple(item.tag for item in hint.__metadata__ if isinstance(item, Tag))
        if named:
            return named
    model = unwrap_hint(hint)
    if not is_model(model):
        return tuple(tag for inner in list_union_options(model) for tag in list_tags(inner, discriminator))
    return tuple(
        str(value)
        for key, field in map_keys_to_fields(model).items()
        if discriminator in (None, key)
        for value in list_allowed_values(field.annotation)
    )


def list_allowed_values(hint: Any) -> tuple[Any, ...]:
    """Return the values that a literal or an enumeration allows; empty for other hints."""
    hint = unwrap_hint(hint)
    if get_origin(hint) is Literal:
        return tuple(value.value if isinstance(value, Enum) else value for value in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(member.value for member in hint)
    return ()


def get_part_hint(hint: Any, part: str | int) -> Any:
    """Return the hint of an entry of a bare mapping, list or tuple hint; None if unknown."""
    origin, arguments = get_origin(hint), get_args(hint)
    if not isinstance(origin, type) or not arguments:
        return None
    if issubclass(origin, Mapping):
        return arguments[-1]
    if issubclass(origin, tuple) and Ellipsis not in arguments:
        return arguments[part] if isinstance(part, int) and part < len(arguments) else None
    return arguments[0] if issubclass(origin, Collection) else None


def describe_model(model: type[BaseModel]) -> str:
    """Return what messages call a model, from the name of its class: `PayTable` becomes `a pay table`."""
    words = " ".join(_CAMEL.findall(model.__name__)).lower() or "mapping"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, types.UnionType)


def _list_union_members(hint: Any) -> tuple[Any, ...]:
    return tuple(item for item in get_args(hint) if item is not type(None))
