"""The bar of statuses: where each slice starts and how wide it is.

Lengths are in the units of the drawing's own view box, rounded to a tenth so that the same counts give the
same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from validator.results.statuses import Status

BAR_WIDTH = 1000
_SLIMMEST = 8


class Slice(Struct, frozen=True, kw_only=True):
    """One status in the bar: where it starts and how wide it is, of `BAR_WIDTH`."""

    status: Status
    x: float
    width: float


def bar(counts: Mapping[Status, int]) -> tuple[Slice, ...]:
    """The bar's slices in the order given, zeros left out.

    Widths are in proportion, except that no slice is too slim to be seen; the widest gives what it takes.
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
