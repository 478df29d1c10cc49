"""Theory of a wager on the terms of a house: its odds, and the distribution of the win per unit staked."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from validator import disk_cache
from validator.engine.compiled.game import Prepared
from validator.engine.core.house_rules import Configuration
from validator.hold.counted import Terms
from validator.hold.decisions import counts_of
from validator.hold.offers import Offered
from validator.hold.stakes import PARTS, StakeSums
from validator.hold.unit_law import StakeLaw, UnitLaw, unit_law
from validator.hold.win_law import Stakes
from validator.odds.figures import WagerOdds, root
from validator.odds.rounds.play import table_for
from validator.odds.rounds.refusals import NotWorkedOut
from validator.odds.variants import variants
from validator.odds.work_out import work_out
from validator.results.statistics import WagerInTheory

_DECISIONS_KNOWN = 0.99
"""Smallest share of stakes whose decisions must be known."""
_TWO_SIDED = 1.959963984540054
"""Number of standard errors on either side of a mean that contain 95 %, as in the intervals of odds."""
_ALIKE = 0.03
"""Largest difference of decisions from those of all places, as a share of stakes, at which the pooled distribution is
used."""


class Theory(Struct, frozen=True, kw_only=True, eq=False):
    """Theory of a unit staked on a wager. Without a theory, only `published` has content."""

    told: WagerInTheory
    """Theory as the results publish it."""
    known: bool = False
    """True if there is a theory."""
    advantage: Fraction = Fraction(0)
    """House advantage when the meter reads `meter_reading`."""
    per_unit: Fraction = Fraction(0)
    """Loss of the house for each further minor unit on the meter."""
    reads: int = 0
    """Reading of the meter, in minor units."""
    law: UnitLaw | None = None
    """Distribution of the win per unit staked, by decision; None if it is not known."""
    pooled: StakeLaw | None = None
    """Distribution for the decisions of all places together."""
    decided: Mapping[str, int] = field(default_factory=dict)
    """Number of decisions of all places together."""
    ways: tuple[StakeLaw, ...] = ()
    """Distribution for each strategy."""
    error: float = 0.0
    """Standard error of a simulated advantage."""

    @property
    def variance(self) -> float:
        """Return the variance of the win per unit staked."""
        return 0.0 if self.law is None else self.law.of_theory().variance

    def win(self, sums: StakeSums) -> Fraction:
        """Return the expected win on stakes, in minor units."""
        above = Fraction(0)
        if self.per_unit and sums.of_read:
            above = (Fraction(sums.read) / Fraction(sums.of_read) - self.reads) * self.per_unit
        return (self.advantage - above) * sums.handle

    def given_away(self, sums: StakeSums) -> float | None:
        """Return the expected loss of players by their decisions, in minor units; None if it is not known."""
        if sums.known >= _DECISIONS_KNOWN * sums.stakes or not self.told.decided:
            return sums.given_away / PARTS
        return None

    def staked(self, sums: StakeSums) -> Stakes:
        """Return the stakes with the distribution for the decisions that were made."""
        if self.law is None or self.pooled is None:
            raise ValueError(f"{self.told.wager} has no distribution")
        alike = _measure_difference(sums.decided, self.decided) <= _ALIKE
        return Stakes(
            law=self.pooled if alike else self.law.with_decisions(sums.decided),
            pooled=self.pooled,
            sizes=sums.sizes,
            pairs=max(sums.round_s2 - sums.s2, 0.0),
            error=_TWO_SIDED * self.error * sums.handle,
        )

    def whatever_is_decided(self, sums: StakeSums) -> list[Stakes]:
        """Return the stakes with the distribution for each strategy."""
        if self.law is None:
            raise ValueError(f"{self.told.wager} has no distribution")
        as_decided = self.staked(sums)
        return [
            Stakes(law=law, pooled=law, sizes=as_decided.sizes, pairs=as_decided.pairs, error=as_decided.error)
            for law in self.ways
        ]


def theory_of(game: Prepared, terms: Terms, offered: Offered, sums: StakeSums) -> Theory:
    """Return the theory of a wager on the terms of a house, for stakes with these sums."""
    unpublished = WagerInTheory(
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
        return Theory(told=replace(unpublished, why="the log has no settled stake of a regular round"))
    meter_reading = round(sums.read / sums.of_read) if sums.of_read else 0
    meters = {offered.meter: meter_reading} if offered.meter is not None and sums.of_read else {}
    key = _make_cache_key(game, terms.configuration, offered, meters)
    rows = _load_odds(key, game, terms.configuration, offered, meters)
    worth = {(row.house_advantage, row.standard_deviation, row.why) for row in rows}
    if not rows:
        return Theory(told=replace(unpublished, why="the submission in force does not offer it"))
    if len(worth) > 1:
        ways = f"{len(worth)} ways to offer it are permitted, and no submission states which one is in use"
        return Theory(told=replace(unpublished, why=ways))
    row = rows[0]
    published = replace(
        unpublished,
        pay_table=row.pay_table,
        house_advantage=row.house_advantage,
        standard_deviation=row.standard_deviation,
        exact=row.exact,
        interval=row.interval,
        decided=bool(row.strategy) or not row.exact,
        why=row.why,
    )
    if row.house_advantage is None:
        return Theory(told=published)
    law = _load_distribution(key, game, terms.configuration, offered, meters, row)
    of_theory = None if law is None else law.of_theory()
    together = None
    if sums.round_s2 > sums.s2 and of_theory is not None:
        together = round(of_theory.covariance / (of_theory.variance or 1.0), 6)
    return Theory(
        told=replace(published, together=together),
        known=True,
        advantage=Fraction(row.house_advantage),
        per_unit=Fraction(0) if row.by_meter is None else Fraction(row.by_meter.per_unit),
        reads=meter_reading,
        law=law,
        pooled=None if law is None else law.with_decisions(sums.decided),
        decided=dict(sums.decided),
        ways=() if law is None else tuple(law.whatever_is_decided()),
        error=0.0 if row.interval is None else (row.interval[1] - row.interval[0]) / 2 / _TWO_SIDED,
    )


def _measure_difference(decided: Mapping[str, int], others: Mapping[str, int]) -> float:
    """Return the share of all stakes on which decisions differ, among decisions that are not those of theory."""
    total, other_total = sum(decided.values()) or 1, sum(others.values()) or 1
    made = {key for key in (*decided, *others) if len({*key.split(">")}) > 1}
    return sum(abs(decided.get(key, 0) / total - others.get(key, 0) / other_total) for key in made)


# Slow results are cached on disk, by the rules, the terms of the house and the readings of its meters


def _make_cache_key(
    game: Prepared, configuration: Configuration | None, offered: Offered, meters: dict[str, int]
) -> tuple[str, ...]:
    house = configuration
    terms: tuple[object, ...] = ()
    if house is not None:
        sizes = {name: house.only_size(name) for name in sorted(house.offers or {})}
        terms = sorted(house.options.items()), house.dealing, house.pay_tables, sizes, sorted(house.permitted_tables)
        terms = (*terms, house.effective, house.data)
    readings = sorted(game.regulation.choices.items())
    return game.regulation.sha256, repr(readings), repr(terms), offered.group.wager, repr(offered.lines), repr(meters)


def _load_odds(
    key: tuple[str, ...],
    game: Prepared,
    configuration: Configuration | None,
    offered: Offered,
    meters: dict[str, int],
) -> tuple[WagerOdds, ...]:
    entry = disk_cache.key_of("odds", *key)
    kept = disk_cache.fetch(entry, trusted=())
    if isinstance(kept, bytes):
        return msgspec.json.decode(kept, type=tuple[WagerOdds, ...])
    rows = work_out(
        game.regulation, stated=configuration, meters=meters, wager=offered.group.wager, counted=counts_of(game)
    ).wagers
    disk_cache.keep(entry, msgspec.json.encode(rows))
    return rows


def _load_distribution(
    key: tuple[str, ...],
    game: Prepared,
    configuration: Configuration | None,
    offered: Offered,
    meters: dict[str, int],
    row: WagerOdds,
) -> UnitLaw | None:
    entry = disk_cache.key_of("law of a unit staked", *key)
    kept = disk_cache.fetch(entry, trusted=())
    if isinstance(kept, bytes):
        return UnitLaw.from_bytes(kept)
    way = next(variants(game, offered.group, configuration))
    try:
        table = table_for(game, way.configuration, offered.group)
    except NotWorkedOut:
        return None
    distribution = unit_law(
        table,
        counts_of(game),
        configuration,
        meters,
        np.array([-float(Fraction(outcome.pays)) for outcome in row.outcomes]),
        np.array([float(Fraction(outcome.probability)) for outcome in row.outcomes]),
    )
    if distribution is not None:
        disk_cache.keep(entry, distribution.to_bytes())
    return distribution


def standard_deviation(variance: float) -> float:
    """Return the square root of a variance, the same on every machine."""
    return root(Fraction(variance))
