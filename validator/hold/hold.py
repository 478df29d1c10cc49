"""The hold of a wager somewhere, against its theory."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

from msgspec.structs import replace

from validator.hold.chances import two_sided
from validator.hold.places import Place
from validator.hold.stakes import StakeSums
from validator.hold.theory import Theory, standard_deviation
from validator.results.statistics import By, Hold

FEWEST = 30
"""Stakes below which nothing is said of how likely a win is."""

Part = tuple[Theory, StakeSums]


def hold_of(by: By, document: str, wager: str, place: Place, parts: Sequence[Part], level: float) -> Hold:
    """What was won of the stakes on a wager that were put together by something; `parts` are those on different
    terms."""
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
    return _against(found, staked, level)


def _against(found: Hold, parts: Sequence[Part], level: float) -> Hold:
    mean = sum((theory.win(sums) for theory, sums in parts), Fraction(0))
    variance = sum(theory.spread(sums) for theory, sums in parts)
    deviation = standard_deviation(variance)
    lost = [theory.given_away(sums) for theory, sums in parts]
    given = None if None in lost else sum(one for one in lost if one is not None)
    expected = float(mean) + (given or 0.0)
    found = replace(
        found,
        theoretical_win=round(float(mean), 2),
        theoretical_hold=float(mean / found.handle),
        given_away=None if given is None else round(given, 2),
        standard_deviation=round(deviation, 2),
    )
    if found.stakes < FEWEST:
        return replace(found, why=f"fewer than {FEWEST} stakes: what chance does with them is no measure")
    if not any(theory.variance for theory, _ in parts):
        return replace(found, why="nothing is left to chance")
    apart = sum(theory.variance * sums.s2 for theory, sums in parts)
    alike = [theory.alike(sums) for theory, sums in parts]
    off = two_sided(found.win - expected, alike, sqrt(variance / apart), level)
    interval = (round(expected + off.low, 2), round(expected + off.high, 2))
    return replace(found, interval=interval, p=float(f"{off.p:.6g}"))
