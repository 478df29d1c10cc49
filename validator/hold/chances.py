"""How likely chance alone leaves something this far off: by SciPy, over all that was looked at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log2, sqrt
from typing import NamedTuple

import numpy as np
from scipy import fft, stats

from validator.arrays import Reals

EXPECTED = 5.0
"""What is expected less often than this is put together with others before a chi-square is worked out."""

_POINTS = 1 << 16
"""The most points of the lattice on which a sum is worked out."""
_DEVIATIONS, _FURTHEST = 8.0, 3.0
"""How far from its mean a sum is followed: so many standard deviations, and so many of the largest amounts."""
_EVEN = 0.05
"""A sum that is less skewed is hardly skewed at all."""
_ROUNDED = 1e-6
_WHOLE = 1e15
"""Amounts above are not told from those beside them."""
_LEAST = 1e-12
"""Chances below are not told apart."""


class Interval(NamedTuple):
    """Between what something lies as often as a level says, and how likely chance leaves it so far off."""

    low: float
    high: float
    p: float


class ChiSquare(NamedTuple):
    """What was found against what is expected, with its degrees of freedom, and how likely chance comes to as much."""

    statistic: float
    degrees: int
    p: float


class Alike(NamedTuple):
    """So many stakes of one size that are independent of each other: `wins`, float64[k], is what the house may win of
    one, in minor units, `chances`, float64[k], how likely that is."""

    stakes: int
    wins: Reals
    chances: Reals


def two_sided(off: float, parts: Sequence[Alike], wider: float, level: float) -> Interval:
    """How likely chance leaves what the house wins of some stakes so far off its mean, and how far off it is left as
    often as a level says. `wider` is how many times the spread is that of independent stakes.

    Where the sum is skewed, its distribution is worked out by Fourier transforms: exactly where all amounts lie on a
    lattice that is not too fine for that, else on one on which what lies between two points is shared out so that the
    mean stays. What is as far off counts half, so that chances are even also where few sums are possible.
    """
    means = [float(part.wins @ part.chances) for part in parts]
    spread = sum(
        part.stakes * float((part.wins - mean) ** 2 @ part.chances) for part, mean in zip(parts, means, strict=True)
    )
    third = sum(
        part.stakes * float((part.wins - mean) ** 3 @ part.chances) for part, mean in zip(parts, means, strict=True)
    )
    if abs(third) < _EVEN * spread**1.5:
        return _of_many(off / wider, sqrt(spread), third / spread**1.5, wider, level)
    furthest = max(float(abs(part.wins - mean).max()) for part, mean in zip(parts, means, strict=True))
    width = 2 * (_DEVIATIONS * sqrt(spread) + _FURTHEST * furthest)
    step = _lattice(parts)
    if step is None or width / step > _POINTS:
        step = width / _POINTS
    points = 1 << ceil(log2(width / step))
    middle = sum(part.stakes * mean for part, mean in zip(parts, means, strict=True)) / step
    total = np.ones(points // 2 + 1, np.complex128)
    for part in parts:
        total *= fft.rfft(_shared_out(part, step, points)) ** part.stakes
    start = floor(middle) - points // 2
    likely = np.maximum(np.roll(fft.irfft(total, points), -(start % points)), 0.0)
    at = (start + np.arange(points) - middle) * step * wider
    below = np.cumsum(likely) - likely / 2
    below /= below[-1] + likely[-1] / 2
    low, high = np.interp([(1 - level) / 2, (1 + level) / 2], below, at)
    lower = float(np.interp(off, at, below))
    return Interval(low=float(low), high=float(high), p=min(1.0, max(2 * min(lower, 1 - lower), _LEAST)))


def _of_many(off: float, deviation: float, skewness: float, wider: float, level: float) -> Interval:
    """The same of so many stakes that their sum is hardly skewed: by a gamma distribution that is moved and stretched
    to the mean, the deviation and the skewness (Pearson's third type)."""
    low, high = stats.pearson3.ppf([(1 - level) / 2, (1 + level) / 2], skewness) * deviation * wider
    lower = float(stats.pearson3.cdf(off / deviation, skewness))
    return Interval(low=float(low), high=float(high), p=min(1.0, max(2 * min(lower, 1 - lower), _LEAST)))


def _lattice(parts: Sequence[Alike]) -> float | None:
    """The distance of the points on which all sums of whole amounts lie, in minor units; None where amounts are no
    whole ones."""
    amounts = np.concatenate([part.wins for part in parts])
    whole = np.round(amounts)
    if (abs(amounts - whole) > _ROUNDED).any() or abs(whole).max() > _WHOLE:
        return None
    return float(max(np.gcd.reduce(whole.astype(np.int64)), 1))


def _shared_out(part: Alike, step: float, points: int) -> Reals:
    """float64[points]: how likely each point of a lattice is, around which the amounts go."""
    at = part.wins / step
    below = np.floor(at + _ROUNDED)
    above = np.maximum(at - below, 0.0)
    found = np.zeros(points)
    np.add.at(found, below.astype(np.int64) % points, part.chances * (1 - above))
    np.add.at(found, (below.astype(np.int64) + 1) % points, part.chances * above)
    return found


def pearson(count: Sequence[int], chance: Sequence[float]) -> ChiSquare | None:
    """Counts of what falls independently, each with its chance; None where too few fell to tell anything.

    Cells of which few are expected are put together, the rarest first.
    """
    total = sum(count)
    cells = sorted(zip((total * one for one in chance), count, strict=True))
    found: list[tuple[float, int]] = []
    expected, seen = 0.0, 0
    for number, (likely, came) in enumerate(cells):
        expected, seen = expected + likely, seen + came
        rest = sum(one for one, _ in cells[number + 1 :])
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
    return [float(one) for one in stats.false_discovery_control(given)] if given else []
