"""Reading the types of pydantic models: what a hint comes down to, what keys a model has, what a union offers."""

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
    """The hint without what does not change the place of its parts: Annotated, aliases, NewType, Optional,
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
        elif _is_union(hint) and len(_offered(hint)) == 1:
            hint = _offered(hint)[0]
        else:
            return hint


def is_model(hint: Any) -> TypeGuard[type[BaseModel]]:
    """Whether a bare hint is a model with keys."""
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def keys(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a model under the keys a file writes for them."""
    return {
        field.validation_alias if isinstance(field.validation_alias, str) else name: field
        for name, field in model.model_fields.items()
    }


def options(hint: Any) -> tuple[Any, ...]:
    """What a bare union offers beside None; nothing for any other hint."""
    return _offered(hint) if _is_union(hint) else ()


def option(offered: tuple[Any, ...], label: str) -> Any:
    """The option of a union that pydantic calls `label`: by its tag or by its name. None where none is."""
    for hint in offered:
        if label in tags(hint) or getattr(bare(hint), "__name__", None) == label:
            return hint
    return None


def tags(hint: Any, discriminator: str | None = None) -> tuple[str, ...]:
    """The tags by which a union's option is chosen: its Tag, or the literals of its discriminating key (of
    any key where that is not known)."""
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
    """The values a literal or an enumeration allows; nothing for any other hint."""
    hint = bare(hint)
    if get_origin(hint) is Literal:
        return tuple(value.value if isinstance(value, Enum) else value for value in get_args(hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return tuple(member.value for member in hint)
    return ()


def inside(hint: Any, part: str | int) -> Any:
    """The hint of the entry `part` of a bare mapping, list or tuple hint. None where that is not known."""
    origin, arguments = get_origin(hint), get_args(hint)
    if not isinstance(origin, type) or not arguments:
        return None
    if issubclass(origin, Mapping):
        return arguments[-1]
    if issubclass(origin, tuple) and Ellipsis not in arguments:
        return arguments[part] if isinstance(part, int) and part < len(arguments) else None
    return arguments[0] if issubclass(origin, Collection) else None


def noun(model: type[BaseModel]) -> str:
    """What messages call a model, from the name of its class: `PayTable` is a pay table."""
    words = " ".join(_CAMEL.findall(model.__name__)).lower() or "mapping"
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def _is_union(hint: Any) -> bool:
    return get_origin(hint) in (typing.Union, types.UnionType)


def _offered(hint: Any) -> tuple[Any, ...]:
    return tuple(item for item in get_args(hint) if item is not type(None))
