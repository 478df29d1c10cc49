"""Chi-square tests, and their correction for many tests, with SciPy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

EXPECTED = 10.0
"""Smallest expected count of a chi-square cell. Rarer cells are put together."""


class ChiSquare(NamedTuple):
    """Result of a chi-square test."""

    statistic: float
    degrees: int
    """Degrees of freedom."""
    p: float
    """Probability that chance alone deviates as much or more."""


def pearson(count: Sequence[int], chance: Sequence[float]) -> ChiSquare | None:
    """Return Pearson's chi-square test of independent items; None if there are too few of them.

    Cells with a small expected count are put together, the rarest first.

    Args:
        count: number of items in each cell.
        chance: probability of each cell.
    """
    total = sum(count)
    cells = sorted(zip((total * share for share in chance), count, strict=True))
    merged: list[tuple[float, int]] = []
    expected, seen = 0.0, 0
    for number, (expected_here, seen_here) in enumerate(cells):
        expected, seen = expected + expected_here, seen + seen_here
        left = sum(likely_later for likely_later, _ in cells[number + 1 :])
        if expected >= EXPECTED and (left >= EXPECTED or number == len(cells) - 1):
            merged.append((expected, seen))
            expected, seen = 0.0, 0
    if expected or seen:
        merged.append((expected, seen))
    if len(merged) < 2 or merged[-1][0] < EXPECTED:
        return None
    likely_of, came_of = (np.array(column, np.float64) for column in zip(*merged, strict=True))
    statistic = float(((came_of - likely_of) ** 2 / likely_of).sum())
    return ChiSquare(statistic, len(merged) - 1, float(stats.chi2.sf(statistic, len(merged) - 1)))


def without_replacement(count: Sequence[int], each: int, seen: int, cards: int, spread: float) -> ChiSquare | None:
    """Return the chi-square test of cards that are dealt without replacement; None if there are too few of them.

    The count of one card has the variance `spread * (1 - 1 / cards)`, less than with replacement.

    Args:
        count: number of times that each card (or each rank) was dealt.
        each: number of copies of each in the deck.
        seen: number of dealt cards in all.
        cards: number of cards in the deck, N.
        spread: sum of m (N - m) / (N (N - 1)) over rounds with m dealt cards.
    """
    expected = seen * each / cards
    if expected < EXPECTED or spread <= 0:
        return None
    statistic = sum((number - expected) ** 2 for number in count) / (spread * each)
    return ChiSquare(statistic, len(count) - 1, float(stats.chi2.sf(statistic, len(count) - 1)))


def corrected(chances: Iterable[float]) -> list[float]:
    """Return the probabilities, corrected for their number by the false discovery rate of Benjamini and Hochberg."""
    given = list(chances)
    return [float(chance) for chance in stats.false_discovery_control(given)] if given else []
