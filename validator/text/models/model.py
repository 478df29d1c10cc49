"""Base classes of every model that a person writes a file for: closed, frozen, hyphenated keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator


def hyphenated(name: str) -> str:
    """Return the key of a field in a file: `rank_by` is written `rank-by`, `all_` is written `all`."""
    return name.rstrip("_").replace("_", "-")


@cache
def keys_of(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the keys of the fields of a model in a file, in the order of the fields."""
    return {field: hyphenated(field) for field in model.model_fields}


def given(model: BaseModel) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values that a file gives for a mapping, in the order of its model."""
    fields, keys = model.model_fields_set, keys_of(type(model))
    for field in fields if len(fields) == 1 else [field for field in keys if field in fields]:
        yield keys[field], getattr(model, field)


def structure_of(model: BaseModel) -> bytes:
    """Return 16 bytes that are equal for models of one class with equal structure, wherever they are."""
    parts = (b"%b:%b" % (key.encode(), _canonical(value)) for key, value in given(model))
    return blake2b(b",".join((type(model).__name__.encode(), *parts)), digest_size=16).digest()


def _canonical(value: object) -> bytes:
    match value:
        case OneOf():
            return value.identity
        case BaseModel():
            return structure_of(value)
        case list():
            return b"[%b]" % b",".join(map(_canonical, value))
        case _:
            return repr(value).encode()


def unset() -> Any:
    """Return the default of an operator that a mapping does not have."""
    return Field(default=None)


class Closed(BaseModel):
    """A mapping with known keys only: an unknown key is an error and never ignored.

    `HELP` explains how to write a key, including keys of earlier versions, if it cannot be read.
    """

    HELP: ClassVar[Mapping[str, str]] = {}

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        alias_generator=hyphenated,
        defer_build=True,
        use_attribute_docstrings=False,
        ignored_types=(cached_property,),
    )


def one_operator(model: OneOf) -> OneOf:
    """Check that a mapping of operators has exactly one. Raises ValueError otherwise.

    It is outside the class so that a cached validator can refer to it by name.
    """
    operators = model._given()
    if len(operators) != 1:
        names = sorted(hyphenated(name) for name in type(model).model_fields if name not in model.BESIDE)
        found_text = "none of them" if not operators else " and ".join(f"`{hyphenated(name)}`" for name in operators)
        raise ValueError(f"exactly one of {', '.join(names)} is required here, found {found_text}")
    return model


class OneOf(Closed):
    """A mapping with exactly one operator; keys in `BESIDE` may be added.

    Operators are fields of one closed model, not a union of models. This keeps messages short and lets editors complete
    them.
    """

    BESIDE: ClassVar[frozenset[str]] = frozenset()

    _one_operator = model_validator(mode="after")(one_operator)

    def _given(self) -> list[str]:
        operators = self.model_fields_set - self.BESIDE
        return [name for name in keys_of(type(self)) if name in operators]

    @cached_property
    def operator(self) -> str:
        """The operator, as it is written."""
        return hyphenated(self._given()[0])

    @cached_property
    def operand(self) -> Any:
        """The operand of the operator."""
        return getattr(self, self._given()[0])

    @cached_property
    def identity(self) -> bytes:
        """The result of `structure_of`, computed once."""
        return structure_of(self)
