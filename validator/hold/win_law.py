"""Chance of what the house won of many stakes, by their sizes, their rounds and the law of a unit staked.

The loss of the house against its best result is a sum over rounds. Its law is the product of the transforms of the
rounds: of a seat by itself, the law of a unit scaled by the size; of several seats, the average over classes of the
cards that they share of the product over seats. Transforms are damped, so that losses beyond the end of the lattice
do not return at its beginning.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from math import ceil, inf, log, log2, sqrt
from typing import NamedTuple

import numpy as np
from msgspec import Struct, field

from validator.arrays import Ints, Reals
from validator.hold.unit_law import StakeLaw

LEAST = 1e-9
"""Chances below are not distinguished."""

_BELOW, _ABOVE = 10.0, 8.0
"""Standard deviations around the mean loss that the lattice spans."""
_POINTS, _MOST_POINTS = 1 << 12, 1 << 16
"""Points of a lattice that is tried first, and of the finest."""
_DAMPING = 18.0
"""Logarithm of the damping over the whole lattice."""
_NOTHING = 1e-15
"""Part of a transform at zero below which it is taken for nothing."""
_KEPT_POINTS = 1 << 13
"""Points of a lattice for which transforms are kept from place to place."""
_WHOLE, _LARGEST = 1e-6, 1e15
_TRIES, _CLOSE = 6, 0.01
"""How often rounds are put together until they have the covariance of the log, and how close that must be."""
_LOWEST = 1e-300
"""Number that stands for a transform that is zero."""
_WIDEST = 1000
"""Times the best result of the house that the lattice is wide at most."""

Complex = np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


class Interval(NamedTuple):
    """Interval in which a win lies as often as a level says, and the chance of a win as far off or further."""

    low: float
    high: float
    p: float


class Stakes(Struct, frozen=True, kw_only=True, eq=False):
    """Stakes on one wager on the same terms."""

    law: StakeLaw
    """Law of a unit, for players who decide as these did."""
    pooled: StakeLaw
    """Law of a unit, for the players of all places together."""
    sizes: Mapping[tuple[int, int], int]
    """Number of stakes by the number of seats of the round, and by size."""
    pairs: float
    """Sum over rounds of the products of the sizes at each two seats, in either order."""
    error: float = 0.0
    """Distance from the stated mean within which the mean of the sum lies, as odds that were simulated state it."""

    @property
    def handle(self) -> int:
        """Return the sum of all sizes."""
        return sum(size * count for (_, size), count in self.sizes.items())

    @property
    def variance(self) -> float:
        """Return the variance of what the house wins."""
        squares = sum(size * size * count for (_, size), count in self.sizes.items())
        return self.law.variance * squares + self.law.covariance * self.pairs


Rounds = Mapping[tuple[int, ...], int]
"""Number of rounds, by the sizes of the stakes of their seats."""


def rounds_of(stakes: Stakes) -> dict[tuple[int, ...], int]:
    """Return rounds with the sizes and the numbers of seats of the log, however seats were put together there.

    In a part of the rounds seats stake alike, as size by size gives them; in the others each seat stakes a size of
    another part of all sizes. The parts are so large that the products of sizes add up to those of the log.
    """
    by_seats: dict[int, list[tuple[int, int]]] = {}
    for (seats, size), count in sorted(stakes.sizes.items()):
        by_seats.setdefault(seats, []).append((size, count))
    reached = _products(part for seats, sizes in by_seats.items() for part in _apart(sizes, seats))
    most = _products(part for seats, sizes in by_seats.items() for part in _alike(sizes, seats))
    share, wide, off = 0.0, max(most - reached, 1.0), inf
    nearest: dict[tuple[int, ...], int] = {}
    for _ in range(_TRIES):
        share = min(max(share + (stakes.pairs - reached) / wide, 0.0), 1.0)
        found = _mixed(by_seats, share)
        reached = _products(found.items())
        if abs(stakes.pairs - reached) < off:
            nearest, off = found, abs(stakes.pairs - reached)
        if off <= _CLOSE * stakes.pairs:
            break
    return nearest


def _mixed(by_seats: Mapping[int, Sequence[tuple[int, int]]], share: float) -> dict[tuple[int, ...], int]:
    """Return rounds of which a share have seats that stake alike."""
    found: dict[tuple[int, ...], int] = {}
    for seats, sizes in by_seats.items():
        first, rest, carried = list[tuple[int, int]](), list[tuple[int, int]](), 0.5
        for size, count in sizes:
            carried += share * count
            taken = min(int(carried), count)
            carried -= taken
            first.append((size, taken))
            rest.append((size, count - taken))
        over = sum(count for _, count in first) % seats
        for place in range(len(first) - 1, -1, -1):  # whole rounds of either kind
            back = min(over, first[place][1])
            over -= back
            first[place] = first[place][0], first[place][1] - back
            rest[place] = rest[place][0], rest[place][1] + back
        for sizes_of_round, count in (*_alike(first, seats), *_apart(rest, seats)):
            found[sizes_of_round] = found.get(sizes_of_round, 0) + count
    return found


def _products(rounds: Iterable[tuple[tuple[int, ...], int]]) -> float:
    """Return the sum over rounds of the products of sizes at each two seats, in either order."""
    return float(sum(count * (sum(sizes) ** 2 - sum(size * size for size in sizes)) for sizes, count in rounds))


def _alike(sizes: Sequence[tuple[int, int]], seats: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield rounds whose seats stake sizes next to each other, with how often each comes."""
    ends = list(accumulate(count for _, count in sizes))
    rounds = ends[-1] // seats
    edges = {0, rounds} | {edge for end in ends for edge in (end // seats, end // seats + 1) if edge < rounds}
    yield from _between(sizes, ends, sorted(edges), [(seats, seat) for seat in range(seats)])
    yield from _left_over(sizes, ends, rounds * seats)


def _apart(sizes: Sequence[tuple[int, int]], seats: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield rounds whose seats stake sizes far from each other, with how often each comes."""
    ends = list(accumulate(count for _, count in sizes))
    rounds = ends[-1] // seats
    edges = {0, rounds} | {edge for end in ends for seat in range(seats) if 0 < (edge := end - seat * rounds) < rounds}
    yield from _between(sizes, ends, sorted(edges), [(1, seat * rounds) for seat in range(seats)])
    yield from _left_over(sizes, ends, rounds * seats)


def _between(
    sizes: Sequence[tuple[int, int]], ends: Sequence[int], edges: Sequence[int], seats: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield rounds that do not change between two edges; of each seat the stake is at a multiple of the round, and
    more."""
    for edge, following in pairwise(edges):
        yield tuple(sizes[bisect_right(ends, times * edge + more)][0] for times, more in seats), following - edge


def _left_over(
    sizes: Sequence[tuple[int, int]], ends: Sequence[int], start: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield seats that make no whole round, as rounds of their own."""
    for place in range(start, ends[-1]):
        yield (sizes[bisect_right(ends, place)][0],), 1


class _Grid(NamedTuple):
    """Lattice of losses: where it begins, its step and its number of points."""

    start: float
    step: float
    points: int

    def frequencies(self, at: Ints) -> Complex:
        """Return the damped frequencies at some places of the transform."""
        damping = _DAMPING / (self.points * self.step)
        found: Complex = (damping + 2j * np.pi * at / (self.points * self.step)).astype(np.complex128)
        return found


class WinLaws(Struct, frozen=True, kw_only=True):
    """Laws of wins at many places; transforms of single sizes are kept from place to place."""

    _singles: dict[tuple[StakeLaw, float, int], dict[int, Reals]] = field(default_factory=dict)
    _seats: dict[tuple[StakeLaw, float, int], dict[int, Complex]] = field(default_factory=dict)

    def two_sided(self, won: float, parts: Sequence[Stakes], level: float, *, upper: bool = True) -> Interval:
        """Return how far off a win is.

        The chance is conservative: it counts wins as far off as this one, and is twice that of the nearer tail.

        Args:
            won: what the house won of the stakes, less what players gave away.
            parts: the stakes, by their terms.
            level: how often chance leaves a win inside the interval.
            upper: whether a win may also be too large; else only the lower tail is tested.
        """
        best = sum(part.handle * part.law.most for part in parts)
        error = sum(part.error for part in parts)
        loss = best - won
        mean = best - sum(part.handle * part.law.mean for part in parts)
        deviation = sqrt(sum(part.variance for part in parts))
        if deviation <= _WHOLE * max(best, 1.0):  # nothing is left to chance, so nothing is said of it
            certain = upper or loss <= mean + _WHOLE * max(best, 1.0)
            return Interval(low=best - mean, high=best - mean if upper else best, p=1.0 if certain else LEAST)
        rounds, lattice = [rounds_of(part) for part in parts], _lattice(parts)
        tail = (1 - level) / 2 if upper else 1 - level
        start = max(mean - _BELOW * deviation, 0.0)
        if lattice is not None:
            start = lattice * int(start / lattice)
        span = max(loss + error, mean + _ABOVE * deviation) - start
        found = self._law(parts, rounds, start, span, lattice)
        while found.from_(found.last) > tail and span < best * _WIDEST:
            span *= 2
            found = self._law(parts, rounds, start, span, lattice)
        lower, higher = found.from_(loss - error), found.until(loss + error)
        p = 2 * min(lower, higher) if upper else lower
        return Interval(
            low=best - found.quantile_from_above(tail) - error,
            high=best - found.quantile(tail) + error if upper else best,
            p=min(1.0, max(p, LEAST)),
        )

    def _law(
        self, parts: Sequence[Stakes], rounds: Sequence[Rounds], start: float, span: float, lattice: float | None
    ) -> _Losses:
        """Return the law of losses on the coarsest lattice that shows it."""
        points = _POINTS
        while True:
            step = span / (points - 2)
            exact = lattice is not None and step <= lattice
            if exact and lattice is not None:
                step = lattice
                points = max(1 << ceil(span / step + 2).bit_length(), 64)
            else:  # a step that other places have as well
                step = 2.0 ** ceil(log2(step))
            grid = _Grid(start, step, points)
            size = self._of_single(parts, rounds, grid)
            if exact or size[-1] < _NOTHING or points >= _MOST_POINTS:
                break
            points *= 2
        kept = np.flatnonzero(size > _NOTHING)
        product = self._of_rounds(parts, rounds, grid, kept)
        transform = np.zeros(points // 2 + 1, np.complex128)
        # The part of the damping that is alike for all losses is left out until now, as it may be very small.
        transform[kept] = product.ratio * np.exp(product.at_zero + grid.frequencies(kept) * start)
        blurred = not exact and bool(size[-1] >= _NOTHING)
        if blurred:  # single amounts are spread over a step on either side, which keeps the mean
            transform *= np.sinc(np.arange(points // 2 + 1) / points) ** 2
        likely = np.fft.irfft(transform, points) * np.exp(_DAMPING * np.arange(points) / points)
        return _Losses(grid=grid, below=np.clip(np.cumsum(likely), 0.0, 1.0), around=int(blurred), exact=exact)

    def _of_single(self, parts: Sequence[Stakes], rounds: Sequence[Rounds], grid: _Grid) -> Reals:
        """Return the size of the transform, relative to that at zero, as if no two stakes were of one round."""
        total = np.ones(grid.points // 2 + 1)
        for part, of_part in zip(parts, rounds, strict=True):
            counts: dict[int, int] = {}
            for sizes, count in of_part.items():
                for size in sizes:
                    counts[size] = counts.get(size, 0) + count
            known = self._singles.setdefault((part.pooled, grid.step, grid.points), {})
            for size, count in counts.items():
                if size not in known:
                    transform = abs(_transform(part.pooled.regardless, size, grid, np.arange(grid.points // 2 + 1))[0])
                    known[size] = np.maximum(transform / transform[0], _LOWEST)
                total *= known[size] ** count
        return total

    def _of_rounds(self, parts: Sequence[Stakes], rounds: Sequence[Rounds], grid: _Grid, at: Ints) -> _Product:
        """Return the transform of all rounds, at some places of it."""
        total = _Product(at_zero=0.0, ratio=np.ones(len(at), np.complex128))
        for part, of_part in zip(parts, rounds, strict=True):
            of_size = self._of_sizes(part.law, {size for sizes in of_part for size in sizes}, grid, at, part)
            classes = part.law.joint.sum(axis=1)
            # The law of a seat next to a class of shared cards is that of both together over that of the class.
            next_to_class = {
                size: of_size[size] / classes[:, None] for size in {size for sizes in of_part for size in sizes[1:]}
            }
            for sizes, count in of_part.items():
                product = of_size[sizes[0]]
                for size in sizes[1:]:
                    product = product * next_to_class[size]
                total = total.times(product.sum(axis=0), count)
        return total

    def _of_sizes(self, law: StakeLaw, sizes: Iterable[int], grid: _Grid, at: Ints, part: Stakes) -> dict[int, Complex]:
        """Return the transforms of stakes of some sizes, by class of shared cards."""
        if law is not part.pooled or grid.points > _KEPT_POINTS >= len(at):
            return {size: _transform(law, size, grid, at) for size in sizes}
        known = self._seats.setdefault((law, grid.step, grid.points), {})
        for size in sizes:
            if size not in known:
                known[size] = _transform(law, size, grid, np.arange(grid.points // 2 + 1))
        return {size: known[size][:, at] for size in sizes}


class _Product(Struct, frozen=True, kw_only=True, eq=False):
    """Product of transforms at some frequencies, the first of which is zero."""

    at_zero: float
    """Logarithm of the product at zero."""
    ratio: Complex
    """Product at each frequency over that at zero."""

    def times(self, transform: Complex, count: int) -> _Product:
        """Return the product with a power of a transform."""
        at_zero, ratio, power = float(transform[0].real), self.ratio, transform / transform[0].real
        rest = count
        while rest:
            if rest & 1:
                ratio = ratio * power
            rest >>= 1
            if rest:
                power = power * power
        return _Product(at_zero=self.at_zero + count * log(at_zero), ratio=ratio)


def _transform(law: StakeLaw, size: int, grid: _Grid, at: Ints) -> Complex:
    """Return the transform of the loss of a stake, by class of shared cards, complex128[classes, n]."""
    steps = (law.most - law.wins) * (size / grid.step)
    whole = np.round(steps)
    if (abs(steps - whole) < _WHOLE).all():
        turns = _roots(grid.points)[whole.astype(np.int64)[:, None] * at[None, :] & (grid.points - 1)]
    else:
        turns = np.exp(-2j * np.pi / grid.points * (steps[:, None] * at[None, :]))
    # Matrices are small: threads of a product by BLAS would cost more than they save.
    found: Complex = np.einsum("ck,kn->cn", law.joint * np.exp(-_DAMPING / grid.points * steps), turns)
    return found


@lru_cache(maxsize=8)
def _roots(points: int) -> Complex:
    """Return the roots of unity of a lattice, in the order of its points."""
    found: Complex = np.exp(-2j * np.pi / points * np.arange(points))
    return found


def _lattice(parts: Sequence[Stakes]) -> float | None:
    """Return the step of the lattice of all losses in minor units; None if they are no whole amounts."""
    step = 0
    for part in parts:
        losses = part.law.most - part.law.wins
        sizes = np.array(sorted({size for _, size in part.sizes}), np.float64)
        amounts = (sizes[:, None] * losses[None, :]).ravel()
        whole = np.round(amounts)
        if (abs(amounts - whole) > _WHOLE).any() or abs(whole).max() > _LARGEST:
            return None
        step = int(np.gcd.reduce(np.append(whole.astype(np.int64), step)))
    return float(max(step, 1))


class _Losses(Struct, frozen=True, kw_only=True):
    """Law of losses on a lattice."""

    grid: _Grid
    below: Reals
    """Chance of a loss up to each point."""
    around: int
    """Points over which a single amount is spread, on either side."""
    exact: bool
    """Whether all losses lie on the lattice."""

    @property
    def last(self) -> float:
        """Return the last point but those that are blurred."""
        return self.grid.start + (self.grid.points - 2) * self.grid.step

    def _place(self, loss: float) -> float:
        return (loss - self.grid.start) / self.grid.step

    def until(self, loss: float) -> float:
        """Return the chance of a loss that is as large or smaller."""
        place = self._place(loss)
        number = (int(np.floor(place + _WHOLE)) if self.exact else int(np.ceil(place - _WHOLE))) + self.around
        return 0.0 if number < 0 else float(self.below[min(number, len(self.below) - 1)])

    def from_(self, loss: float) -> float:
        """Return the chance of a loss that is as large or larger."""
        place = self._place(loss)
        number = (int(np.ceil(place - _WHOLE)) if self.exact else int(np.floor(place + _WHOLE))) - 1 - self.around
        return 1.0 if number < 0 else 1.0 - float(self.below[min(number, len(self.below) - 1)])

    def quantile(self, tail: float) -> float:
        """Return the smallest loss that is not in a tail."""
        number = int(np.searchsorted(np.maximum.accumulate(self.below), tail, "left")) - self.around
        return max(self.grid.start + number * self.grid.step, self.grid.start)

    def quantile_from_above(self, tail: float) -> float:
        """Return the largest loss that is not in a tail."""
        number = int(np.searchsorted(np.maximum.accumulate(self.below), 1 - tail, "right")) + self.around
        return self.grid.start + min(number, len(self.below) - 1) * self.grid.step
