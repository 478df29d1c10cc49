"""Interval of the win of many stakes, from their sizes, their rounds and the distribution per unit staked.

The computation uses the loss of the house, counted from its best result, which is a sum over rounds. The transform of a
sum is the product of the transforms of the rounds. For a round with one seat, it is the distribution of a unit, scaled
by the size. For a round with several seats, it is the average over the classes of shared cards of the product over the
seats. Damping prevents losses beyond the end of the lattice from returning at its beginning.
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

from fairdeal.validator.arrays import Ints, Reals, make_read_only
from fairdeal.validator.hold.win_distribution import WinDistribution

LEAST_CHANCE = 1e-9
"""Smaller probabilities are not distinguished."""

_BELOW, _ABOVE = 10.0, 8.0
"""Standard deviations below and above the mean loss that the lattice covers."""
_POINTS, _MOST_POINTS = 1 << 12, 1 << 16
"""Number of points of the first lattice that is tried, and of the finest."""
_DAMPING = 18.0
"""Logarithm of the damping over the whole lattice."""
_NOTHING = 1e-15
"""Share of the transform at zero below which a value counts as zero."""
_KEPT_POINTS = 1 << 13
"""Largest number of points of a lattice whose transforms are kept from place to place."""
_WHOLE, _LARGEST = 1e-6, 1e15
_TRIES, _CLOSE = 6, 0.01
"""Number of tries to find rounds with the covariance of the log, and the tolerated difference."""
_LOWEST = 1e-300
"""Number that replaces a transform of zero."""
_WIDEST = 1000
"""Largest width of the lattice, as a multiple of the best result of the house."""

Complex = np.ndarray[tuple[int, ...], np.dtype[np.complex128]]


class WinInterval(NamedTuple):
    """Interval of a win at some level, with the probability of the win that was tested."""

    low: float
    high: float
    p: float
    """Probability that chance alone puts the win as far off or further."""


class StakesOnTerms(Struct, frozen=True, kw_only=True, eq=False):
    """Stakes on one wager on the same terms."""

    law: WinDistribution
    """Distribution of a unit, for the decisions at these stakes."""
    pooled: WinDistribution
    """Distribution of a unit, for the decisions of all places together."""
    sizes: Mapping[tuple[int, int], int]
    """Number of stakes by the number of seats of the round, and by size."""
    sum_of_seat_products: float
    """Sum over rounds of the products of the sizes at each two seats, in either order."""
    error: float = 0.0
    """Half the width of the interval of the mean, if odds were simulated."""

    @property
    def handle(self) -> int:
        """Return the sum of all sizes."""
        return sum(size * count for (_, size), count in self.sizes.items())

    @property
    def variance(self) -> float:
        """Return the variance of the win."""
        squares = sum(size * size * count for (_, size), count in self.sizes.items())
        return self.law.variance * squares + self.law.covariance * self.sum_of_seat_products


Rounds = Mapping[tuple[int, ...], int]
"""Number of rounds, by the sizes of the stakes of their seats."""


def rebuild_rounds(stakes: StakesOnTerms) -> dict[tuple[int, ...], int]:
    """Return rounds that fit the sizes and seats of the log, although the log's sums do not say which stakes were
    together.

    In one share of the rounds all seats stake similar sizes; in the others they stake different sizes. The share is
    chosen so that the products of sizes add up to those of the log.
    """
    by_seats: dict[int, list[tuple[int, int]]] = {}
    for (seats, size), count in sorted(stakes.sizes.items()):
        by_seats.setdefault(seats, []).append((size, count))
    products = _sum_products(part for seats, sizes in by_seats.items() for part in _list_unlike_rounds(sizes, seats))
    most = _sum_products(part for seats, sizes in by_seats.items() for part in _list_like_rounds(sizes, seats))
    share, range_of_products, difference = 0.0, max(most - products, 1.0), inf
    nearest: dict[tuple[int, ...], int] = {}
    for _ in range(_TRIES):
        share = min(max(share + (stakes.sum_of_seat_products - products) / range_of_products, 0.0), 1.0)
        rounds = _mix_rounds(by_seats, share)
        products = _sum_products(rounds.items())
        if abs(stakes.sum_of_seat_products - products) < difference:
            nearest, difference = rounds, abs(stakes.sum_of_seat_products - products)
        if difference <= _CLOSE * stakes.sum_of_seat_products:
            break
    return nearest


def _mix_rounds(by_seats: Mapping[int, Sequence[tuple[int, int]]], share: float) -> dict[tuple[int, ...], int]:
    """Return rounds of which a share have seats with similar stakes."""
    rounds: dict[tuple[int, ...], int] = {}
    for seats, sizes in by_seats.items():
        like, unlike, carried = list[tuple[int, int]](), list[tuple[int, int]](), 0.5
        for size, count in sizes:
            carried += share * count
            taken = min(int(carried), count)
            carried -= taken
            like.append((size, taken))
            unlike.append((size, count - taken))
        surplus = sum(count for _, count in like) % seats
        for place in range(len(like) - 1, -1, -1):  # whole rounds of either kind
            moved = min(surplus, like[place][1])
            surplus -= moved
            like[place] = like[place][0], like[place][1] - moved
            unlike[place] = unlike[place][0], unlike[place][1] + moved
        for sizes_of_round, count in (*_list_like_rounds(like, seats), *_list_unlike_rounds(unlike, seats)):
            rounds[sizes_of_round] = rounds.get(sizes_of_round, 0) + count
    return rounds


def _sum_products(rounds: Iterable[tuple[tuple[int, ...], int]]) -> float:
    """Return the sum over rounds of the products of sizes at each two seats, in either order."""
    return float(sum(count * (sum(sizes) ** 2 - sum(size * size for size in sizes)) for sizes, count in rounds))


def _list_like_rounds(sizes: Sequence[tuple[int, int]], seats: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield rounds whose seats stake neighbouring sizes, with the number of each."""
    ends = list(accumulate(count for _, count in sizes))
    rounds = ends[-1] // seats
    edges = {0, rounds} | {edge for end in ends for edge in (end // seats, end // seats + 1) if edge < rounds}
    yield from _list_rounds_between(sizes, ends, sorted(edges), [(seats, seat) for seat in range(seats)])
    yield from _list_single_seats(sizes, ends, rounds * seats)


def _list_unlike_rounds(sizes: Sequence[tuple[int, int]], seats: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield rounds whose seats stake sizes that are far apart, with the number of each."""
    ends = list(accumulate(count for _, count in sizes))
    rounds = ends[-1] // seats
    edges = {0, rounds} | {edge for end in ends for seat in range(seats) if 0 < (edge := end - seat * rounds) < rounds}
    yield from _list_rounds_between(sizes, ends, sorted(edges), [(1, seat * rounds) for seat in range(seats)])
    yield from _list_single_seats(sizes, ends, rounds * seats)


def _list_rounds_between(
    sizes: Sequence[tuple[int, int]], ends: Sequence[int], edges: Sequence[int], seats: Sequence[tuple[int, int]]
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield the rounds between each two edges, where they do not change.

    Args:
        sizes: sizes with their number.
        ends: running totals of these numbers.
        edges: first rounds of each stretch.
        seats: factor and offset that give the stake of each seat from the number of the round.
    """
    for edge, following in pairwise(edges):
        yield tuple(sizes[bisect_right(ends, times * edge + more)][0] for times, more in seats), following - edge


def _list_single_seats(
    sizes: Sequence[tuple[int, int]], ends: Sequence[int], start: int
) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield seats that do not fill a whole round, as rounds of their own."""
    for place in range(start, ends[-1]):
        yield (sizes[bisect_right(ends, place)][0],), 1


class _Grid(NamedTuple):
    """Lattice of losses."""

    start: float
    """Smallest loss."""
    step: float
    """Distance between two points."""
    points: int
    """Number of points."""

    def frequencies(self, at: Ints) -> Complex:
        """Return the damped frequencies at some indices of the transform."""
        damping = _DAMPING / (self.points * self.step)
        frequencies: Complex = (damping + 2j * np.pi * at / (self.points * self.step)).astype(np.complex128)
        return frequencies


class WinTests(Struct, kw_only=True):
    """Tests of wins at many places. Transforms of single sizes are kept from place to place."""

    _singles: dict[tuple[WinDistribution, float, int], dict[int, Reals]] = field(default_factory=dict)
    _seats: dict[tuple[WinDistribution, float, int], dict[int, Complex]] = field(default_factory=dict)

    def compare_win(
        self, won: float, parts: Sequence[StakesOnTerms], level: float, *, upper: bool = True
    ) -> WinInterval:
        """Return the interval of the win, and the probability that chance alone puts it as far off.

        The probability is conservative: it includes wins exactly as far off, and is twice the probability of the nearer
        tail.

        Args:
            won: win of the house, less what players gave away.
            parts: the stakes, by their terms.
            level: probability that chance leaves a win inside the interval.
            upper: whether a win may also be too large; otherwise only the lower tail is tested.
        """
        best = sum(part.handle * part.law.largest_win for part in parts)
        error = sum(part.error for part in parts)
        loss = best - won
        mean = best - sum(part.handle * part.law.mean for part in parts)
        deviation = sqrt(sum(part.variance for part in parts))
        if deviation <= _WHOLE * max(best, 1.0):  # the win does not depend on chance, so there is no test
            certain = upper or loss <= mean + _WHOLE * max(best, 1.0)
            return WinInterval(low=best - mean, high=best - mean if upper else best, p=1.0 if certain else LEAST_CHANCE)
        rounds, lattice = [rebuild_rounds(part) for part in parts], _find_lattice_step(parts)
        tail = (1 - level) / 2 if upper else 1 - level
        start = max(mean - _BELOW * deviation, 0.0)
        if lattice is not None:
            start = lattice * int(start / lattice)
        span = max(loss + error, mean + _ABOVE * deviation) - start
        losses = self._find_losses(parts, rounds, start, span, lattice)
        while losses.probability_from(losses.last) > tail and span < best * _WIDEST:
            span *= 2
            losses = self._find_losses(parts, rounds, start, span, lattice)
        lower, higher = losses.probability_from(loss - error), losses.probability_up_to(loss + error)
        p = 2 * min(lower, higher) if upper else lower
        return WinInterval(
            low=best - losses.quantile_from_above(tail) - error,
            high=best - losses.quantile(tail) + error if upper else best,
            p=min(1.0, max(p, LEAST_CHANCE)),
        )

    def _find_losses(
        self, parts: Sequence[StakesOnTerms], rounds: Sequence[Rounds], start: float, span: float, lattice: float | None
    ) -> _Losses:
        """Return the distribution of losses, on the coarsest lattice that represents it."""
        points = _POINTS
        while True:
            step = span / (points - 2)
            exact = lattice is not None and step <= lattice
            if exact and lattice is not None:
                step = lattice
                points = max(1 << ceil(span / step + 2).bit_length(), 64)
            else:  # a power of two, so that other places share the step
                step = 2.0 ** ceil(log2(step))
            grid = _Grid(start, step, points)
            size = self._measure_independent(parts, rounds, grid)
            if exact or size[-1] < _NOTHING or points >= _MOST_POINTS:
                break
            points *= 2
        kept = np.flatnonzero(size > _NOTHING)
        product = self._transform_rounds(parts, rounds, grid, kept)
        transform = np.zeros(points // 2 + 1, np.complex128)
        # The damping factor that all losses share comes last, as it may be very small.
        transform[kept] = product.ratio * np.exp(product.at_zero + grid.frequencies(kept) * start)
        blurred = not exact and bool(size[-1] >= _NOTHING)
        if blurred:  # spread single amounts over a step on either side, which keeps the mean
            transform *= np.sinc(np.arange(points // 2 + 1) / points) ** 2
        likely = np.fft.irfft(transform, points) * np.exp(_DAMPING * np.arange(points) / points)
        return _Losses(grid=grid, below=np.clip(np.cumsum(likely), 0.0, 1.0), around=int(blurred), exact=exact)

    def _measure_independent(self, parts: Sequence[StakesOnTerms], rounds: Sequence[Rounds], grid: _Grid) -> Reals:
        """Return the size of the transform relative to its value at zero, as if all stakes were independent."""
        total = np.ones(grid.points // 2 + 1)
        for part, of_part in zip(parts, rounds, strict=True):
            counts: dict[int, int] = {}
            for sizes, count in of_part.items():
                for size in sizes:
                    counts[size] = counts.get(size, 0) + count
            known = self._singles.setdefault((part.pooled, grid.step, grid.points), {})
            for size, count in counts.items():
                if size not in known:
                    transform = abs(
                        _transform(part.pooled.without_classes, size, grid, np.arange(grid.points // 2 + 1))[0]
                    )
                    known[size] = np.maximum(transform / transform[0], _LOWEST)
                total *= known[size] ** count
        return total

    def _transform_rounds(
        self, parts: Sequence[StakesOnTerms], rounds: Sequence[Rounds], grid: _Grid, at: Ints
    ) -> _Product:
        """Return the transform of all rounds at some frequencies."""
        total = _Product(at_zero=0.0, ratio=np.ones(len(at), np.complex128))
        for part, of_part in zip(parts, rounds, strict=True):
            of_size = self._transform_sizes(part.law, {size for sizes in of_part for size in sizes}, grid, at, part)
            classes = part.law.joint.sum(axis=1)
            # Conditional distribution of a seat, given the class of shared cards.
            next_to_class = {
                size: of_size[size] / classes[:, None] for size in {size for sizes in of_part for size in sizes[1:]}
            }
            for sizes, count in of_part.items():
                product = of_size[sizes[0]]
                for size in sizes[1:]:
                    product = product * next_to_class[size]
                total = total.times(product.sum(axis=0), count)
        return total

    def _transform_sizes(
        self, law: WinDistribution, sizes: Iterable[int], grid: _Grid, at: Ints, part: StakesOnTerms
    ) -> dict[int, Complex]:
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


def _transform(law: WinDistribution, size: int, grid: _Grid, at: Ints) -> Complex:
    """Return the transform of the loss of a stake by class of shared cards, complex128[classes, n]."""
    steps = (law.largest_win - law.wins) * (size / grid.step)
    whole = np.round(steps)
    if (abs(steps - whole) < _WHOLE).all():
        turns = _list_roots(grid.points)[whole.astype(np.int64)[:, None] * at[None, :] & (grid.points - 1)]
    else:
        turns = np.exp(-2j * np.pi / grid.points * (steps[:, None] * at[None, :]))
    # The matrices are small, so threads of BLAS would cost more than they save. The chances are real: multiplying the
    # parts of the turns as real numbers takes a third of the time.
    chances = law.joint * np.exp(-_DAMPING / grid.points * steps)
    transform: Complex = np.einsum("ck,kn->cn", chances, turns.view(np.float64)).view(np.complex128)
    return transform


@lru_cache(maxsize=8)
@make_read_only
def _list_roots(points: int) -> Complex:
    """Return the roots of unity of a lattice, in the order of its points."""
    roots: Complex = np.exp(-2j * np.pi / points * np.arange(points))
    return roots


def _find_lattice_step(parts: Sequence[StakesOnTerms]) -> float | None:
    """Return the step of the lattice of all losses in minor units; None if losses are not whole amounts."""
    step = 0
    for part in parts:
        losses = part.law.largest_win - part.law.wins
        sizes = np.array(sorted({size for _, size in part.sizes}), np.float64)
        amounts = (sizes[:, None] * losses[None, :]).ravel()
        whole = np.round(amounts)
        if (abs(amounts - whole) > _WHOLE).any() or abs(whole).max() > _LARGEST:
            return None
        step = int(np.gcd.reduce(np.append(whole.astype(np.int64), step)))
    return float(max(step, 1))


class _Losses(Struct, frozen=True, kw_only=True):
    """Distribution of losses on a lattice."""

    grid: _Grid
    below: Reals
    """Probability of a loss up to each point."""
    around: int
    """Number of points over which a single amount is spread, on either side."""
    exact: bool
    """True if all losses lie on the lattice."""

    @property
    def last(self) -> float:
        """Return the last point that is not blurred."""
        return self.grid.start + (self.grid.points - 2) * self.grid.step

    def _place(self, loss: float) -> float:
        return (loss - self.grid.start) / self.grid.step

    def probability_up_to(self, loss: float) -> float:
        """Return the probability of this loss or a smaller one."""
        place = self._place(loss)
        number = (int(np.floor(place + _WHOLE)) if self.exact else int(np.ceil(place - _WHOLE))) + self.around
        return 0.0 if number < 0 else float(self.below[min(number, len(self.below) - 1)])

    def probability_from(self, loss: float) -> float:
        """Return the probability of this loss or a larger one."""
        place = self._place(loss)
        number = (int(np.ceil(place - _WHOLE)) if self.exact else int(np.floor(place + _WHOLE))) - 1 - self.around
        return 1.0 if number < 0 else 1.0 - float(self.below[min(number, len(self.below) - 1)])

    def quantile(self, tail: float) -> float:
        """Return the smallest loss that is not in the lower tail."""
        number = int(np.searchsorted(np.maximum.accumulate(self.below), tail, "left")) - self.around
        return max(self.grid.start + number * self.grid.step, self.grid.start)

    def quantile_from_above(self, tail: float) -> float:
        """Return the largest loss that is not in the upper tail."""
        number = int(np.searchsorted(np.maximum.accumulate(self.below), 1 - tail, "right")) + self.around
        return self.grid.start + min(number, len(self.below) - 1) * self.grid.step
