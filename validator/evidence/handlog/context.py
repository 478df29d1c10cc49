"""Context that a licensee records with a round: encoded as one text per round, and decoded again."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

Value = str | int


def written(context: Mapping[str, Value]) -> str:
    """Encode a context as a JSON object of text values, with sorted keys: equal contexts give equal texts."""
    return msgspec.json.encode({key: str(value) for key, value in sorted(context.items())}).decode()


def read(text: str | None) -> dict[str, str]:
    """Decode a context from its text; None gives an empty context."""
    return {} if text is None else msgspec.json.decode(text, type=dict[str, str])
