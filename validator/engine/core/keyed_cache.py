"""Cache of values by key, for objects that do not change otherwise."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class KeyedCache(Generic[Key, Value]):
    """Cache that computes the value of each key once."""

    __slots__ = ("_values",)

    def __init__(self) -> None:
        """Create an empty cache."""
        self._values: dict[Key, Value] = {}

    def get_or_compute(self, key: Key, compute: Callable[[], Value]) -> Value:
        """Return the value of a key, computed the first time."""
        value = self._values.get(key)
        if value is None:
            value = self._values[key] = compute()
        return value

    def copy(self) -> KeyedCache[Key, Value]:
        """Return a cache with the same values, to which values are added separately."""
        result = KeyedCache[Key, Value]()
        result._values.update(self._values)
        return result
