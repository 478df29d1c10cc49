"""Bar of statuses with a slice for each.

Lengths are in the units of the drawing's view box, rounded to a tenth so that the same counts give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.results.statuses import Status

BAR_WIDTH = 1000
"""Width of the whole bar."""
_SLIMMEST = 8


class Slice(Struct, frozen=True, kw_only=True):
    """Slice of a status in the bar."""

    status: Status
    """Status of the slice."""
    x: float
    """Start, from 0 to `BAR_WIDTH`."""
    width: float
    """Width, of `BAR_WIDTH`."""


def bar(counts: Mapping[Status, int]) -> tuple[Slice, ...]:
    """Return the slices of the bar in the given order, without zeros.

    Widths are proportional, but every slice is wide enough to be seen; the widest slice makes up the difference.
    """
    present = {status: count for status, count in counts.items() if count}
    if not present:
        return ()
    total = sum(present.values())
    widths = {s: max(float(_SLIMMEST), BAR_WIDTH * count / total) for s, count in present.items()}
    widest = max(widths, key=lambda status: widths[status])
    widths[widest] -= sum(widths.values()) - BAR_WIDTH
    slices: list[Slice] = []
    x = 0.0
    for status, width in widths.items():
        slices.append(Slice(status=status, x=round(x, 1), width=round(width, 1)))
        x += width
    return tuple(slices)
