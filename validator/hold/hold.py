"""The hold of a wager somewhere, against its theory."""

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
"""Stakes below which nothing is said of how likely a win is."""

Part = tuple[Theory, StakeSums]


def hold_of(
    by: By, document: str, wager: str, place: Place, parts: Sequence[Part], laws: WinLaws, level: float
) -> Hold:
    """Return what was won of the stakes on a wager at a place, compared with theory.

    Args:
        by: what stakes are put together by.
        document: the game.
        wager: the wager.
        place: the casino, table, day and dealer.
        parts: theory and stakes on each of several terms.
        laws: laws of wins, with what they keep from place to place.
        level: how often chance leaves a win inside its interval.
    """
    total = StakeSums()
    for _, sums in parts:
        total.add(sums)
    found = Hold(
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
        return replace(found, why="no stake of a regular round is settled in the log")
    unknown = next((theory.told.why for theory, _ in staked if not theory.known), None)
    if unknown is not None or not all(theory.known for theory, _ in staked):
        return replace(found, why=unknown)
    return _against(found, staked, laws, level)


def _against(found: Hold, parts: Sequence[Part], laws: WinLaws, level: float) -> Hold:
    mean = sum((theory.win(sums) for theory, sums in parts), Fraction(0))
    lost = [theory.given_away(sums) for theory, sums in parts]
    given = None if None in lost else sum(amount for amount in lost if amount is not None)
    found = replace(
        found,
        theoretical_win=round(float(mean), 2),
        theoretical_hold=float(mean / found.handle),
        given_away=None if given is None else round(given, 2),
    )
    if any(theory.law is None for theory, _ in parts):
        return replace(found, why="the law of a stake is not known")
    stakes = [theory.staked(sums) for theory, sums in parts]
    spread = sum(
        part.law.variance * sums.s2 + part.law.covariance * part.pairs + (theory.error * sums.handle) ** 2
        for part, (theory, sums) in zip(stakes, parts, strict=True)
    )
    found = replace(found, standard_deviation=round(standard_deviation(spread), 2))
    if found.stakes < FEWEST:
        return replace(found, why=f"fewer than {FEWEST} stakes: what chance does with them is no measure")
    if not any(theory.variance for theory, _ in parts):
        return replace(found, why="nothing is left to chance")
    # What players gave away, and the readings of the meter, move the mean of the law to that of these stakes.
    mean_here = float(mean) + (given or 0.0)
    if given is not None:
        moved = mean_here - sum(part.law.mean * part.handle for part in stakes)
        off = laws.two_sided(found.win - moved, stakes, level)
    else:
        moved = mean_here - sum(
            float(theory.advantage) * part.handle for part, (theory, _) in zip(stakes, parts, strict=True)
        )
        off = _whatever_is_decided(found.win - moved, parts, laws, level)
    interval = (round(off.low + moved, 2), round(off.high + moved, 2))
    return replace(found, interval=interval, p=float(f"{off.p:.6g}"))


def _whatever_is_decided(won: float, parts: Sequence[Part], laws: WinLaws, level: float) -> Interval:
    """Compare a win with the law of each way to decide, where the log does not show what players decided.

    Players may give away any amount, so a win is never too large. It is too small only if it is so for every way.
    """
    ways = [theory.whatever_is_decided(sums) for theory, sums in parts]
    found = [
        laws.two_sided(won, [way[min(number, len(way) - 1)] for way in ways], level, upper=False)
        for number in range(max(map(len, ways)))
    ]
    return Interval(
        low=min(off.low for off in found), high=max(off.high for off in found), p=max(off.p for off in found)
    )
