"""What stakes on a wager are expected to come to: what one may come to, and how likely that is, by the odds."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator.arrays import Reals
from validator.engine.compiled.game import Prepared
from validator.hold.chances import Alike
from validator.hold.counted import Terms
from validator.hold.decisions import counts_of
from validator.hold.offers import Offered
from validator.hold.stakes import PARTS, StakeSums
from validator.odds.figures import WagerOdds, root
from validator.odds.work_out import work_out
from validator.results.statistics import WagerInTheory

_DECISIONS_KNOWN = 0.99
"""The part of stakes whose decisions must be known."""
_TWO_SIDED = 1.959963984540054
"""Standard errors on either side of a mean between which 95 of 100 lie, by which odds tell their interval."""


class Theory(Struct, frozen=True, kw_only=True, eq=False):
    """What a unit staked comes to, for the house: `advantage` on average, when a meter reads `reads`, and less by
    `per_unit` for each minor unit that it reads more; its `variance`, and what it may come to (`wins`, float64[k]) with
    what `chances`. `error` is the
    standard error of an advantage that was simulated, `together` the covariance of two stakes of a round. Nothing but
    what is `told` where there is no theory (`known`)."""

    told: WagerInTheory
    known: bool = False
    advantage: Fraction = Fraction(0)
    per_unit: Fraction = Fraction(0)
    reads: int = 0
    variance: float = 0.0
    wins: Reals = field(default_factory=lambda: np.zeros(0))
    chances: Reals = field(default_factory=lambda: np.zeros(0))
    error: float = 0.0
    together: float = 0.0

    def win(self, sums: StakeSums) -> Fraction:
        """What the house wins of stakes on average, in minor units."""
        above = Fraction(0)
        if self.per_unit and sums.of_read:
            above = (Fraction(sums.read) / Fraction(sums.of_read) - self.reads) * self.per_unit
        return (self.advantage - above) * sums.handle

    def alike(self, sums: StakeSums) -> Alike:
        """Stakes of one size whose sum has the variance and the skewness of these."""
        stakes = min(max(round(sums.s2**3 / sums.s3**2), 1), sums.stakes)
        return Alike(stakes, self.wins * sqrt(sums.s2 / stakes), self.chances)

    def given_away(self, sums: StakeSums) -> float | None:
        """What players lose besides by what they decide, in minor units; None where that is not known."""
        if not self.told.decided:
            return 0.0
        return sums.given_away / PARTS if sums.known >= _DECISIONS_KNOWN * sums.stakes else None

    def spread(self, sums: StakeSums) -> float:
        """The variance of what the house wins of stakes."""
        beside = max(sums.round_s2 - sums.s2, 0.0)
        return self.variance * sums.s2 + self.together * beside + (self.error * sums.handle) ** 2


def theory_of(game: Prepared, terms: Terms, offered: Offered, sums: StakeSums) -> Theory:
    """The theory of a wager on terms, for stakes with these sums."""
    untold = WagerInTheory(
        document=terms.document,
        wager=offered.group.wager,
        with_=tuple(line for line in offered.lines if line != offered.group.wager),
        submission=None if terms.configuration is None else terms.configuration.name,
        pay_table=None,
        house_advantage=None,
        standard_deviation=None,
        exact=False,
        interval=None,
        decided=False,
        together=None,
        why=None,
    )
    if not sums.stakes:
        return Theory(told=replace(untold, why="no stake of a regular round is settled in the log"))
    reads = round(sums.read / sums.of_read) if sums.of_read else 0
    rows = work_out(
        game.regulation,
        stated=terms.configuration,
        meters={offered.meter: reads} if offered.meter is not None and sums.of_read else {},
        wager=offered.group.wager,
        counted=counts_of(game),
    ).wagers
    worth = {(row.house_advantage, row.standard_deviation, row.why) for row in rows}
    if not rows:
        return Theory(told=replace(untold, why="the submission in force does not offer it"))
    if len(worth) > 1:
        ways = f"{len(worth)} ways to offer it are permitted, and no submission says which is in use"
        return Theory(told=replace(untold, why=ways))
    return _of_row(rows[0], untold, reads, sums)


def _of_row(row: WagerOdds, untold: WagerInTheory, reads: int, sums: StakeSums) -> Theory:
    told = replace(
        untold,
        pay_table=row.pay_table,
        house_advantage=row.house_advantage,
        standard_deviation=row.standard_deviation,
        exact=row.exact,
        interval=row.interval,
        decided=bool(row.strategy) or not row.exact,
        why=row.why,
    )
    if row.house_advantage is None:
        return Theory(told=told)
    advantage = Fraction(row.house_advantage)
    chances = [(-Fraction(one.pays) - advantage, Fraction(one.probability)) for one in row.outcomes]
    variance = sum((off**2 * chance for off, chance in chances), Fraction(0))
    error = 0.0 if row.interval is None else (row.interval[1] - row.interval[0]) / 2 / _TWO_SIDED
    together = _covariance(sums, float(variance))
    return Theory(
        told=replace(told, together=None if together is None else round(together / float(variance or 1), 6)),
        known=True,
        advantage=advantage,
        per_unit=Fraction(0) if row.by_meter is None else Fraction(row.by_meter.per_unit),
        reads=reads,
        variance=float(variance),
        wins=np.array([-float(Fraction(one.pays)) for one in row.outcomes]),
        chances=np.array([float(chance) for _, chance in chances]),
        error=error,
        together=together or 0.0,
    )


def _covariance(sums: StakeSums, variance: float) -> float | None:
    """How much two units staked in one round come out alike, as the rounds of the log show it; None where no two seats
    have stakes in one round.

    Hands of a round share the dealer's hand, or other cards. What that makes of two seats is measured: it is as much
    the doing of players, who decide as they like, as of the rules.
    """
    pairs = sums.round_s2 - sums.s2
    if pairs <= 0 or not sums.handle:
        return None
    mean = -sums.win / sums.handle
    of_rounds = sums.round_n2 - 2 * mean * sums.round_ns + mean * mean * sums.round_s2
    of_seats = sums.n2 - 2 * mean * sums.ns + mean * mean * sums.s2
    return min(max((of_rounds - of_seats) / pairs, 0.0), variance)


def standard_deviation(variance: float) -> float:
    """The root of a variance, the same on every machine."""
    return root(Fraction(variance))
