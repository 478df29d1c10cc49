"""Functions that several report tests share: rendering to bytes, lazy findings, arbitrary results."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints, overload

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields

from tests.facade.results import Finding, Provenance


class OnDisk(Sequence[Finding]):
    """Findings that can only be iterated, as those read back from disk; counts how often they were."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        self._findings = findings
        self.passes = 0

    def __iter__(self) -> Iterator[Finding]:
        self.passes += 1
        yield from self._findings

    def __len__(self) -> int:
        raise AssertionError("a report asked for the number of findings instead of iterating them")

    @overload
    def __getitem__(self, index: int) -> Finding: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Finding]: ...
    def __getitem__(self, index: int | slice) -> Finding | Sequence[Finding]:
        raise AssertionError("a report asked for a finding by number instead of iterating them")


@cache
def anything(kind: Any) -> st.SearchStrategy[Any]:
    """Build a strategy for any value of a type of the result model, with findings as tuples."""
    if kind is str:
        return st.text(max_size=12)
    if kind is bool:
        return st.booleans()
    if kind is int:
        return st.integers(-(2**53), 2**53)
    if kind is float:
        return st.floats(-1e15, 1e15, allow_nan=False)
    if kind is type(None):
        return st.none()
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return st.sampled_from(kind)
    if isinstance(kind, type) and issubclass(kind, Struct):
        hints = get_type_hints(kind)
        make: Any = kind
        parts_of_it = {part.name: anything(hints[part.name]) for part in fields(kind)}
        if kind is Provenance:  # results with an invalid day of the law are refused
            parts_of_it |= dict.fromkeys(("as_of", "rulebook_date"), st.none() | st.dates().map(date.isoformat))
        return st.builds(make, **parts_of_it)
    parts = tuple(anything(part) for part in get_args(kind) if part is not Ellipsis)
    if get_origin(kind) is types.UnionType:
        return st.one_of(*parts)
    if issubclass(get_origin(kind), Mapping):
        return st.dictionaries(*parts, max_size=4)
    if Ellipsis not in get_args(kind):
        return st.tuples(*parts)
    return st.lists(parts[0], max_size=3).map(tuple)
