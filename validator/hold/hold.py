"""Win on a wager at one place, compared with theory."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from msgspec.structs import replace

from validator.hold.places import Place
from validator.hold.stakes import StakeSums
from validator.hold.theory import Theory, standard_deviation
from validator.hold.win_law import Interval, WinLaws
from validator.results.statistics import By, Hold

FEWEST = 30
"""Smallest number of stakes for which a win is tested."""

Part = tuple[Theory, StakeSums]


def hold_of(
    by: By, document: str, wager: str, place: Place, parts: Sequence[Part], laws: WinLaws, level: float
) -> Hold:
    """Return the win on the stakes at a place, compared with theory.

    Args:
        by: unit for which stakes are added up.
        document: document of the game.
        wager: the wager.
        place: casino, table, day and dealer.
        parts: theory and stakes, for each set of house terms.
        laws: tests of wins, with the transforms kept from place to place.
        level: probability that chance leaves a win inside its interval.
    """
    total = StakeSums()
    for _, sums in parts:
        total.add(sums)
    result = Hold(
        by=by,
        document=document,
        wager=wager,
        **place._asdict(),
        stakes=total.stakes,
        handle=total.handle,
        at_risk=total.at_risk,
        win=total.win,
        hold=total.win / total.handle if total.handle else None,
        theoretical_win=None,
        theoretical_hold=None,
        given_away=None,
        standard_deviation=None,
        interval=None,
        p=None,
        q=None,
        outside=False,
        stands_out=False,
        left_out=total.left_out,
        why=None,
    )
    staked = [(theory, sums) for theory, sums in parts if sums.stakes]
    if not staked:
        return replace(result, why="the log has no settled stake of a regular round")
    unknown = next((theory.told.why for theory, _ in staked if not theory.known), None)
    if unknown is not None or not all(theory.known for theory, _ in staked):
        return replace(result, why=unknown)
    return _compare(result, staked, laws, level)


def _compare(result: Hold, parts: Sequence[Part], laws: WinLaws, level: float) -> Hold:
    mean = sum((theory.win(sums) for theory, sums in parts), Fraction(0))
    by_terms = [theory.given_away(sums) for theory, sums in parts]
    given_away = None if None in by_terms else sum(amount for amount in by_terms if amount is not None)
    result = replace(
        result,
        theoretical_win=round(float(mean), 2),
        theoretical_hold=float(mean / result.handle),
        given_away=None if given_away is None else round(given_away, 2),
    )
    if any(theory.law is None for theory, _ in parts):
        return replace(result, why="the distribution of the win is not known")
    stakes = [theory.staked(sums) for theory, sums in parts]
    spread = sum(
        part.law.variance * sums.s2 + part.law.covariance * part.pairs + (theory.error * sums.handle) ** 2
        for part, (theory, sums) in zip(stakes, parts, strict=True)
    )
    result = replace(result, standard_deviation=round(standard_deviation(spread), 2))
    if result.stakes < FEWEST:
        return replace(result, why=f"fewer than {FEWEST} stakes, too few for a test")
    if not any(theory.variance for theory, _ in parts):
        return replace(result, why="the win does not depend on chance")
    # What players gave away, and the meter, shift the mean of the distribution to the mean of these stakes.
    mean_here = float(mean) + (given_away or 0.0)
    if given_away is not None:
        shift = mean_here - sum(part.law.mean * part.handle for part in stakes)
        interval_of_win = laws.two_sided(result.win - shift, stakes, level)
    else:
        shift = mean_here - sum(
            float(theory.advantage) * part.handle for part, (theory, _) in zip(stakes, parts, strict=True)
        )
        interval_of_win = _compare_with_each_strategy(result.win - shift, parts, laws, level)
    interval = (round(interval_of_win.low + shift, 2), round(interval_of_win.high + shift, 2))
    return replace(result, interval=interval, p=float(f"{interval_of_win.p:.6g}"))


def _compare_with_each_strategy(won: float, parts: Sequence[Part], laws: WinLaws, level: float) -> Interval:
    """Compare a win with the distribution of each strategy, because the log does not show what players decided.

    Players may give away any amount, so a win is never too large. It is too small only if it is too small for every
    strategy.
    """
    strategies = [theory.whatever_is_decided(sums) for theory, sums in parts]
    intervals = [
        laws.two_sided(won, [way[min(number, len(way) - 1)] for way in strategies], level, upper=False)
        for number in range(max(map(len, strategies)))
    ]
    return Interval(
        low=min(interval.low for interval in intervals),
        high=max(interval.high for interval in intervals),
        p=max(interval.p for interval in intervals),
    )
