"""Chances of counts and their correction for many tests, by SciPy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

EXPECTED = 10.0
"""What is expected less often than this is put together with others before a chi-square is worked out."""


class ChiSquare(NamedTuple):
    """What was found against what is expected, with its degrees of freedom, and how likely chance comes to as much."""

    statistic: float
    degrees: int
    p: float


def pearson(count: Sequence[int], chance: Sequence[float]) -> ChiSquare | None:
    """Counts of what falls independently, each with its chance; None where too few fell to tell anything.

    Cells of which few are expected are put together, the rarest first.
    """
    total = sum(count)
    cells = sorted(zip((total * share for share in chance), count, strict=True))
    found: list[tuple[float, int]] = []
    expected, seen = 0.0, 0
    for number, (likely, came) in enumerate(cells):
        expected, seen = expected + likely, seen + came
        rest = sum(likely_later for likely_later, _ in cells[number + 1 :])
        if expected >= EXPECTED and (rest >= EXPECTED or number == len(cells) - 1):
            found.append((expected, seen))
            expected, seen = 0.0, 0
    if expected or seen:
        found.append((expected, seen))
    if len(found) < 2 or found[-1][0] < EXPECTED:
        return None
    likely_of, came_of = (np.array(column, np.float64) for column in zip(*found, strict=True))
    statistic = float(((came_of - likely_of) ** 2 / likely_of).sum())
    return ChiSquare(statistic, len(found) - 1, float(stats.chi2.sf(statistic, len(found) - 1)))


def without_replacement(count: Sequence[int], each: int, seen: int, cards: int, spread: float) -> ChiSquare | None:
    """Counts of cards of which `each` as many are in the deck of so many, `seen` in all; None where too few were.

    `spread` is the sum over rounds with m of N cards of m (N - m) / (N (N - 1)): the variance of a single card's count
    is that times 1 - 1 / N, less than if cards were put back, and the sum of squares is divided by it.
    """
    expected = seen * each / cards
    if expected < EXPECTED or spread <= 0:
        return None
    statistic = sum((came - expected) ** 2 for came in count) / (spread * each)
    return ChiSquare(statistic, len(count) - 1, float(stats.chi2.sf(statistic, len(count) - 1)))


def corrected(chances: Iterable[float]) -> list[float]:
    """Chances corrected for how many they are, by the false discovery rate of Benjamini and Hochberg."""
    given = list(chances)
    return [float(chance) for chance in stats.false_discovery_control(given)] if given else []
