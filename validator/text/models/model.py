"""The base of every model a person writes a file for: closed, frozen, hyphenated keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from hashlib import blake2b
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator


def hyphenated(name: str) -> str:
    """The key of a field in a file: `rank_by` is written `rank-by`, `all_` is written `all`."""
    return name.rstrip("_").replace("_", "-")


@cache
def keys_of(model: type[BaseModel]) -> Mapping[str, str]:
    """The fields of a model, in their order, each with its key in a file."""
    return {field: hyphenated(field) for field in model.model_fields}


def given(model: BaseModel) -> Iterator[tuple[str, Any]]:
    """What stands in a mapping, in the order of its model: keys as they are written, and values."""
    fields, keys = model.model_fields_set, keys_of(type(model))
    for field in fields if len(fields) == 1 else [one for one in keys if one in fields]:
        yield keys[field], getattr(model, field)


def structure_of(model: BaseModel) -> bytes:
    """16 bytes, the same for models of one class that are alike in structure, wherever they stand."""
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
    """The default of an operator that does not stand in a mapping."""
    return Field(default=None)


class Closed(BaseModel):
    """A mapping whose keys are all known: an unknown key is an error, never ignored.

    `HELP` says for a key, also for one of earlier versions, how it is written where it cannot be read.
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
    """A mapping of operators in which exactly one stands. Raises ValueError.

    It stands outside the class so that a validator that is kept on disk can name it.
    """
    given = model._given()
    if len(given) != 1:
        names = sorted(hyphenated(name) for name in type(model).model_fields if name not in model.BESIDE)
        found = "none of them" if not given else " and ".join(f"`{hyphenated(name)}`" for name in given)
        raise ValueError(f"exactly one of {', '.join(names)} must stand here, found {found}")
    return model


class OneOf(Closed):
    """A mapping in which exactly one operator stands; keys in `BESIDE` may stand beside it.

    Operators as the fields of one closed model keep messages short and let an editor complete them, which
    a union of models does not.
    """

    BESIDE: ClassVar[frozenset[str]] = frozenset()

    _one_operator = model_validator(mode="after")(one_operator)

    def _given(self) -> list[str]:
        operators = self.model_fields_set - self.BESIDE
        return [name for name in keys_of(type(self)) if name in operators]

    @cached_property
    def operator(self) -> str:
        """The one operator that stands here, as it is written."""
        return hyphenated(self._given()[0])

    @cached_property
    def operand(self) -> Any:
        """What the operator applies to."""
        return getattr(self, self._given()[0])

    @cached_property
    def identity(self) -> bytes:
        """Its `structure_of`, worked out once."""
        return structure_of(self)
