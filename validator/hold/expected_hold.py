"""Expected win on a wager on the terms of a house, and the comparison of the win at a place with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt
from statistics import NormalDist

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from fairdeal.validator import disk_cache
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.engine.core.house_terms import LicenseeConfiguration
from fairdeal.validator.hold.decision_costs import share_hand_counts
from fairdeal.validator.hold.hold_counts import HouseTerms
from fairdeal.validator.hold.stake_counts import MINOR_UNIT_PARTS, OfferedWager, StakeGroup, StakeSums
from fairdeal.validator.hold.win_distribution import UnitDistribution, WinDistribution, measure_unit_distribution
from fairdeal.validator.hold.win_interval import LEAST_CHANCE, StakesOnTerms, WinInterval, WinTests
from fairdeal.validator.odds.odds_figures import WagerOdds, take_root
from fairdeal.validator.odds.player_options import NoOdds, set_up_table
from fairdeal.validator.odds.wager_odds import list_variants, work_out_odds
from fairdeal.validator.results.game_statistics import Grouping, HoldResult, WagerTheory

_DECISIONS_KNOWN = 0.99
"""Smallest share of stakes whose decisions must be known."""
_TWO_SIDED = 1.959963984540054
"""Number of standard errors on either side of a mean that contain 95 %, as in the intervals of odds."""
_ALIKE = 0.03
"""Largest difference of decisions from those of all places, as a share of stakes, at which the pooled distribution is
used."""


class HoldTheory(Struct, frozen=True, kw_only=True, eq=False):
    """Theory of a unit staked on a wager. Without a theory, only `published` has content."""

    published: WagerTheory
    """Theory as the results publish it."""
    is_known: bool = False
    """True if there is a theory."""
    advantage: Fraction = Fraction(0)
    """House advantage when the meter reads `meter_reading`."""
    loss_per_unit_read: Fraction = Fraction(0)
    """Loss of the house for each further minor unit on the meter."""
    meter_reading: int = 0
    """Reading of the meter, in minor units."""
    law: UnitDistribution | None = None
    """Distribution of the win per unit staked, by decision; None if it is not known."""
    pooled_law: WinDistribution | None = None
    """Distribution for the decisions of all places together."""
    pooled_decisions: Mapping[str, int] = field(default_factory=dict)
    """Number of decisions of all places together."""
    strategy_laws: tuple[WinDistribution, ...] = ()
    """Distribution for each strategy."""
    standard_error: float = 0.0
    """Standard error of a simulated advantage."""
    doubt: float = 0.0
    """Most by which the advantage may be smaller, where hands are followed."""

    @property
    def variance(self) -> float:
        """Return the variance of the win per unit staked."""
        return 0.0 if self.law is None else self.law.for_theory().variance

    def expected_win(self, sums: StakeSums) -> Fraction:
        """Return the expected win on stakes, in minor units."""
        above = Fraction(0)
        if self.loss_per_unit_read and sums.of_read:
            above = (Fraction(sums.read) / Fraction(sums.of_read) - self.meter_reading) * self.loss_per_unit_read
        return (self.advantage - above) * sums.handle

    def find_given_away(self, sums: StakeSums) -> float | None:
        """Return the expected loss of players by their decisions, in minor units; None if it is not known."""
        if sums.known >= _DECISIONS_KNOWN * sums.stakes or not self.published.decided:
            return sums.given_away / MINOR_UNIT_PARTS
        return None

    def with_decisions_made(self, sums: StakeSums) -> StakesOnTerms:
        """Return the stakes with the distribution for the decisions that were made."""
        if self.law is None or self.pooled_law is None:
            raise ValueError(f"{self.published.wager} has no distribution")
        alike = _measure_difference(sums.decided, self.pooled_decisions) <= _ALIKE
        return StakesOnTerms(
            law=self.pooled_law if alike else self.law.for_decisions_made(sums.decided),
            pooled=self.pooled_law,
            sizes=sums.sizes,
            sum_of_seat_products=max(sums.round_s2 - sums.s2, 0.0),
            error=_TWO_SIDED * self.standard_error * sums.handle,
        )

    def with_each_strategy(self, sums: StakeSums) -> list[StakesOnTerms]:
        """Return the stakes with the distribution for each strategy."""
        if self.law is None:
            raise ValueError(f"{self.published.wager} has no distribution")
        as_decided = self.with_decisions_made(sums)
        return [
            StakesOnTerms(
                law=law,
                pooled=law,
                sizes=as_decided.sizes,
                sum_of_seat_products=as_decided.sum_of_seat_products,
                error=as_decided.error,
            )
            for law in self.strategy_laws
        ]


def work_out_theory(game: CompiledGame, terms: HouseTerms, offered: OfferedWager, sums: StakeSums) -> HoldTheory:
    """Return the theory of a wager on the terms of a house, for stakes with these sums."""
    unpublished = WagerTheory(
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
        return HoldTheory(published=replace(unpublished, why="the log has no settled stake of a regular round"))
    meter_reading = round(sums.read / sums.of_read) if sums.of_read else 0
    meters = {offered.meter: meter_reading} if offered.meter is not None and sums.of_read else {}
    key = _make_cache_key(game, terms.configuration, offered, meters)
    rows = _load_odds(key, game, terms.configuration, offered, meters)
    worth = {(row.house_advantage, row.standard_deviation, row.why) for row in rows}
    if not rows:
        return HoldTheory(published=replace(unpublished, why="the submission in force does not offer it"))
    if any(row.on for row in rows):
        return HoldTheory(published=replace(unpublished, why="its odds depend on the selection of the stake"))
    if len(worth) > 1:
        ways = f"{len(worth)} ways to offer it are permitted, and no submission states which one is in use"
        return HoldTheory(published=replace(unpublished, why=ways))
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
        return HoldTheory(published=published)
    if row.method is not None:
        low = row.house_advantage if row.interval is None else row.interval[0]
        return HoldTheory(
            published=replace(published, decided=True, followed=True),
            is_known=True,
            advantage=Fraction(row.house_advantage),
            doubt=float(Fraction(row.house_advantage)) - float(low),
        )
    law = _load_distribution(key, game, terms.configuration, offered, meters, row)
    of_theory = None if law is None else law.for_theory()
    together = None
    if sums.round_s2 > sums.s2 and of_theory is not None:
        together = round(of_theory.covariance / (of_theory.variance or 1.0), 6)
    return HoldTheory(
        published=replace(published, together=together),
        is_known=True,
        advantage=Fraction(row.house_advantage),
        loss_per_unit_read=Fraction(0) if row.by_meter is None else Fraction(row.by_meter.per_unit),
        meter_reading=meter_reading,
        law=law,
        pooled_law=None if law is None else law.for_decisions_made(sums.decided),
        pooled_decisions=dict(sums.decided),
        strategy_laws=() if law is None else tuple(law.for_each_strategy()),
        standard_error=0.0 if row.interval is None else (row.interval[1] - row.interval[0]) / 2 / _TWO_SIDED,
    )


def _measure_difference(decided: Mapping[str, int], others: Mapping[str, int]) -> float:
    """Return the share of all stakes on which decisions differ, among decisions that are not those of theory."""
    total, other_total = sum(decided.values()) or 1, sum(others.values()) or 1
    made = {key for key in (*decided, *others) if len({*key.split(">")}) > 1}
    return sum(abs(decided.get(key, 0) / total - others.get(key, 0) / other_total) for key in made)


# Slow results are cached on disk, by the rules, the terms of the house and the readings of its meters


def _make_cache_key(
    game: CompiledGame, configuration: LicenseeConfiguration | None, offered: OfferedWager, meters: dict[str, int]
) -> tuple[str, ...]:
    house = configuration
    terms: tuple[object, ...] = ()
    if house is not None:
        sizes = {name: house.fixed_stake(name) for name in sorted(house.offers or {})}
        terms = sorted(house.options.items()), house.dealing, house.pay_tables, sizes, sorted(house.permitted_tables)
        terms = (*terms, house.effective, house.data)
    readings = sorted(game.regulation.choices.items())
    return game.regulation.sha256, repr(readings), repr(terms), offered.group.wager, repr(offered.lines), repr(meters)


def _load_odds(
    key: tuple[str, ...],
    game: CompiledGame,
    configuration: LicenseeConfiguration | None,
    offered: OfferedWager,
    meters: dict[str, int],
) -> tuple[WagerOdds, ...]:
    entry = disk_cache.build_key("odds", *key)
    kept = disk_cache.load_entry(entry, trusted=())
    if isinstance(kept, bytes):
        return msgspec.json.decode(kept, type=tuple[WagerOdds, ...])
    rows = work_out_odds(
        game.regulation, stated=configuration, meters=meters, wager=offered.group.wager, counted=share_hand_counts(game)
    ).wagers
    disk_cache.store_entry(entry, msgspec.json.encode(rows))
    return rows


def _load_distribution(
    key: tuple[str, ...],
    game: CompiledGame,
    configuration: LicenseeConfiguration | None,
    offered: OfferedWager,
    meters: dict[str, int],
    row: WagerOdds,
) -> UnitDistribution | None:
    entry = disk_cache.build_key("law of a unit staked", *key)
    kept = disk_cache.load_entry(entry, trusted=())
    if isinstance(kept, bytes):
        return UnitDistribution.from_bytes(kept)
    way = next(list_variants(game, offered.group, configuration))
    try:
        table = set_up_table(game, way.configuration, offered.group)
    except NoOdds:
        return None
    distribution = measure_unit_distribution(
        table,
        share_hand_counts(game),
        configuration,
        meters,
        np.array([-float(Fraction(outcome.pays)) for outcome in row.outcomes]),
        np.array([float(Fraction(outcome.probability)) for outcome in row.outcomes]),
        is_decided=bool(row.strategy) or not row.exact,
    )
    if distribution is not None:
        disk_cache.store_entry(entry, distribution.to_bytes())
    return distribution


def take_standard_deviation(variance: float) -> float:
    """Return the square root of a variance, the same on every machine."""
    return take_root(Fraction(variance))


FEWEST_STAKES = 30
"""Smallest number of stakes for which a win is tested."""

FEWEST_ROUNDS = 100
"""Smallest number of rounds for which a win is tested where hands are followed."""

TheoryAndStakes = tuple[HoldTheory, StakeSums]


def compare_hold(
    by: Grouping,
    document: str,
    wager: str,
    place: StakeGroup,
    parts: Sequence[TheoryAndStakes],
    laws: WinTests,
    level: float,
) -> HoldResult:
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
    result = HoldResult(
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
    unknown = next((theory.published.why for theory, _ in staked if not theory.is_known), None)
    if unknown is not None or not all(theory.is_known for theory, _ in staked):
        return replace(result, why=unknown)
    return _compare(result, staked, laws, level)


def _compare(result: HoldResult, parts: Sequence[TheoryAndStakes], laws: WinTests, level: float) -> HoldResult:
    mean = sum((theory.expected_win(sums) for theory, sums in parts), Fraction(0))
    by_terms = [theory.find_given_away(sums) for theory, sums in parts]
    given_away = None if None in by_terms else sum(amount for amount in by_terms if amount is not None)
    result = replace(
        result,
        theoretical_win=round(float(mean), 2),
        theoretical_hold=float(mean / result.handle),
        given_away=None if given_away is None else round(given_away, 2),
    )
    if any(theory.published.followed for theory, _ in parts):
        return _compare_followed(result, parts, float(mean), given_away, level)
    if any(theory.law is None for theory, _ in parts):
        return replace(result, why="the distribution of the win is not known")
    stakes = [theory.with_decisions_made(sums) for theory, sums in parts]
    spread = sum(
        part.law.variance * sums.s2
        + part.law.covariance * part.sum_of_seat_products
        + (theory.standard_error * sums.handle) ** 2
        for part, (theory, sums) in zip(stakes, parts, strict=True)
    )
    result = replace(result, standard_deviation=round(take_standard_deviation(spread), 2))
    if result.stakes < FEWEST_STAKES:
        return replace(result, why=f"fewer than {FEWEST_STAKES} stakes, too few for a test")
    if not any(theory.variance for theory, _ in parts):
        return replace(result, why="the win does not depend on chance")
    # What players gave away, and the meter, shift the mean of the distribution to the mean of these stakes.
    mean_here = float(mean) + (given_away or 0.0)
    if given_away is not None:
        shift = mean_here - sum(part.law.mean * part.handle for part in stakes)
        interval_of_win = laws.compare_win(result.win - shift, stakes, level)
    else:
        shift = mean_here - sum(
            float(theory.advantage) * part.handle for part, (theory, _) in zip(stakes, parts, strict=True)
        )
        interval_of_win = _compare_with_each_strategy(result.win - shift, parts, laws, level)
    interval = (round(interval_of_win.low + shift, 2), round(interval_of_win.high + shift, 2))
    return replace(result, interval=interval, p=float(f"{interval_of_win.p:.6g}"))


def _compare_followed(
    result: HoldResult, parts: Sequence[TheoryAndStakes], mean: float, given_away: float | None, level: float
) -> HoldResult:
    """Compare a win where hands are followed card by card.

    The win of a round beyond its expectation is zero on average, whatever happened before. So the sum over rounds,
    divided by the root of the sum of squares, has nearly a normal distribution. Half a stake is taken off, because
    wins come in steps.
    """
    spread = sqrt(sum(sums.round_r2 for _, sums in parts))
    rounds = sum(count / seats for _, sums in parts for (seats, _), count in sums.sizes.items())
    result = replace(result, standard_deviation=round(take_standard_deviation(spread**2), 2))
    if rounds < FEWEST_ROUNDS:
        return replace(result, why=f"fewer than {FEWEST_ROUNDS} rounds, too few for a test")
    if not spread:
        return replace(result, why="the distribution of the win is not known")
    step = result.handle / result.stakes / 2
    below = step + sum(theory.doubt * sums.handle for theory, sums in parts)
    expected = mean + (given_away or 0.0)
    is_two_sided = given_away is not None
    normal, surplus = NormalDist(), result.win - expected
    reach = -normal.inv_cdf((1 - level) / (2 if is_two_sided else 1)) * spread
    low, high = (normal.cdf((less - off) / spread) for off, less in ((-surplus, below), (surplus, step)))
    p = min(1.0, 2 * min(low, high)) if is_two_sided else low
    most = expected + reach + step if is_two_sided else float(result.at_risk)
    return replace(
        result,
        interval=(round(expected - reach - below, 2), round(most, 2)),
        p=float(f"{max(p, LEAST_CHANCE):.6g}"),
    )


def _compare_with_each_strategy(
    won: float, parts: Sequence[TheoryAndStakes], laws: WinTests, level: float
) -> WinInterval:
    """Compare a win with the distribution of each strategy, because the log does not show what players decided.

    Players may give away any amount, so a win is never too large. It is too small only if it is too small for every
    strategy.
    """
    strategies = [theory.with_each_strategy(sums) for theory, sums in parts]
    intervals = [
        laws.compare_win(won, [way[min(number, len(way) - 1)] for way in strategies], level, upper=False)
        for number in range(max(map(len, strategies)))
    ]
    return WinInterval(
        low=min(interval.low for interval in intervals),
        high=max(interval.high for interval in intervals),
        p=max(interval.p for interval in intervals),
    )
