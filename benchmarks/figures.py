"""What benchmarks come to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the table: a value, and its ratio to what it is held against (above 1 is better)."""

    name: str
    value: float
    unit: str
    against: str | None = None
    ratio: float | None = None
