"""Types of pydantic models: plain hints, keys of a model, options of a union."""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Collection, Mapping
from enum import Enum
from typing import Annotated, Any, Literal, NewType, TypeGuard, get_args, get_origin

from pydantic import BaseModel, RootModel, Tag
from pydantic.fields import FieldInfo

_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")


def bare(hint: Any) -> Any:
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


def keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """Return the fields of a model by the keys that a file uses for them."""
    return {
        field.validation_alias if isinstance(field.validation_alias, str) else name: field
        for name, field in model.model_fields.items()
    }


def options(hint: Any) -> tuple[Any, ...]:
    """Return the members of a bare union except None; empty for other hints."""
    return _list_union_members(hint) if _is_union(hint) else ()


def option(members: tuple[Any, ...], label: str) -> Any:
    """Return the member of a union that pydantic calls `label`, by its tag or name; None if there is none."""
    for hint in members:
        if label in tags(hint) or getattr(bare(hint), "__name__", None) == label:
            return hint
    return None


def tags(hint: Any, discriminator: str | None = None) -> tuple[str, ...]:
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
    model = bare(hint)
    if not is_model(model):
        return tuple(tag for inner in options(model) for tag in tags(inner, discriminator))
    return tuple(
        str(value)
        for key, field in keys(model).items()
        if discriminator in (None, key)
        for value in allowed(field.annotation)
    )


def allowed(hint: Any) -> tuple[Any, ...]:
    """Return the values that a literal or an enumeration allows; empty for other hints."""
    hint = bare(hint)
    if get_origin(hint) is Literal:
        return tuple(value.value if isinstance(value, Enum) else value for value in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(member.value for member in hint)
    return ()


def inside(hint: Any, part: str | int) -> Any:
    """Return the hint of an entry of a bare mapping, list or tuple hint; None if unknown."""
    origin, arguments = get_origin(hint), get_args(hint)
    if not isinstance(origin, type) or not arguments:
        return None
    if issubclass(origin, Mapping):
        return arguments[-1]
    if issubclass(origin, tuple) and Ellipsis not in arguments:
        return arguments[part] if isinstance(part, int) and part < len(arguments) else None
    return arguments[0] if issubclass(origin, Collection) else None


def noun(model: type[BaseModel]) -> str:
    """Return what messages call a model, from the name of its class: `PayTable` becomes `a pay table`."""
    words = " ".join(_CAMEL.findall(model.__name__)).lower() or "mapping"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, types.UnionType)


def _list_union_members(hint: Any) -> tuple[Any, ...]:
    return tuple(item for item in get_args(hint) if item is not type(None))
