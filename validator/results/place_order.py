"""Order of findings and input files in reports."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeAlias, TypeVar

from validator.results.findings import Where
from validator.results.results import InputFile

PlaceKey: TypeAlias = tuple[bool, str] | tuple[bool, bool, str, str, timedelta, str, int]
"""Sort key of a place. Places without a round come first, by file; rounds follow by casino, table, time, file and line.
"""

Read = TypeVar("Read")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def place_key(where: Where) -> PlaceKey:
    """Return the sort key of a place. Places with one key keep the order in which they were found."""
    if where.round is None:
        return False, where.file or ""
    casino, table, time = where.casino, where.table or "", _time(where.time)
    return True, casino is not None, casino or "", table, time, where.file or "", where.line or 0


def _time(time: str | None) -> timedelta:
    if time is None:
        return timedelta.min
    parsed = datetime.fromisoformat(time)
    return (parsed if parsed.tzinfo is not None else parsed.replace(tzinfo=UTC)) - _EPOCH


def by_file(given: Iterable[tuple[Read, InputFile]]) -> tuple[tuple[Read, InputFile], ...]:
    """Sort what was read from files by file name, so that the order of arguments changes nothing."""
    return tuple(sorted(given, key=lambda entry: entry[1].file))
