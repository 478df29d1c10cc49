"""What the house notes of a round besides: written as one text, so that it is one column, and read again."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

Value = str | int


def written(context: Mapping[str, Value]) -> str:
    """A context as an object of JSON of text alone, its keys in order: the same context is the same text."""
    return msgspec.json.encode({key: str(value) for key, value in sorted(context.items())}).decode()


def read(text: str | None) -> dict[str, str]:
    """The context that a text was written from; an empty one where there is none."""
    return {} if text is None else msgspec.json.decode(text, type=dict[str, str])
