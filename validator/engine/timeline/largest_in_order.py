"""Which of the events of a round stand in order, and which are out of place: the fewest that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any


def largest_in_order(places: Sequence[int]) -> list[int]:
    """The phase in which each of some events stands, those of the largest set that can stand in order, and -1 for the
    others, which are out of place.

    `places` are the phases where each event may stand, as bits, the first phase being 1, in log order; phases must not
    fall. Of several largest sets it is one that leaves out the fewest events which came before their time, so that who
    is late is out of place, and not what could not wait for it; of those, one that ends in the earliest phase. It
    depends on nothing but the events given.
    """
    blocks = [(place, len(list(run))) for place, run in groupby(places)]  # alike and side by side, they stand together
    # By the phase reached: how many are out of place, how many of them early, and where each block stands, last first.
    best: dict[int, tuple[tuple[int, int], Any]] = {0: ((0, 0), None)}
    for place, count in blocks:
        reached: dict[int, tuple[tuple[int, int], Any]] = {}
        for phase in sorted(best):
            (lost, early), chain = best[phase]
            open_ = place >> phase
            if open_:
                stands = phase + (open_ & -open_).bit_length() - 1
                _offer(reached, stands, (lost, early), (stands, chain))
            waits = 0 if place & ((2 << phase) - 1) else count
            _offer(reached, phase, (lost + count, early + waits), (-1, chain))
        best = reached
    chain = best[min(best, key=lambda phase: (best[phase][0], phase))][1]
    found: list[int] = []
    for _, count in reversed(blocks):
        stands, chain = chain
        found.extend([stands] * count)
    return found[::-1]


def _offer(
    reached: dict[int, tuple[tuple[int, int], Any]], phase: int, cost: tuple[int, int], chain: tuple[int, Any]
) -> None:
    if phase not in reached or cost < reached[phase][0]:
        reached[phase] = cost, chain
