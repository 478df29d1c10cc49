"""The law of a win: exact for stakes of all sizes, within its support, and with seats that share cards."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from fairdeal.validator.hold.win_distribution import WinDistribution
from fairdeal.validator.hold.win_interval import LEAST_CHANCE, StakesOnTerms, WinTests, rebuild_rounds

SEATS = st.lists(st.sampled_from([500, 1000, 1500, 2500, 4000]), min_size=1, max_size=4)
ROUNDS = st.lists(SEATS, min_size=1, max_size=40)


def law_of(wins: list[float], *classes: list[float]) -> WinDistribution:
    return WinDistribution(wins=np.array(wins), joint=np.array(classes), largest_win=max(wins))


def stakes_of(law: WinDistribution, rounds: list[list[int]], error: float = 0.0) -> StakesOnTerms:
    sizes = Counter((len(round_), size) for round_ in rounds for size in round_)
    pairs = sum(sum(round_) ** 2 - sum(size * size for size in round_) for round_ in rounds)
    return StakesOnTerms(law=law, pooled=law, sizes=dict(sizes), sum_of_seat_products=float(pairs), error=error)


def chances_of(law: WinDistribution, sizes: list[int]) -> dict[float, float]:
    """Add stakes up one by one."""
    found = {0.0: 1.0}
    for size in sizes:
        longer: dict[float, float] = {}
        for (won, chance), (win, likely) in product(found.items(), zip(law.wins, law.chances, strict=True)):
            total = round(won + size * win, 6)
            longer[total] = longer.get(total, 0.0) + chance * likely
        found = longer
    return found


@settings(max_examples=15)
@given(st.lists(st.sampled_from([500, 700, 1500, 2500, 12_500]), min_size=2, max_size=7), st.booleans())
def test_the_chance_of_every_win_is_that_of_a_plain_sum(sizes: list[int], rare: bool) -> None:
    law = law_of([1.0, -7.0, -100.0], [0.9, 0.0999, 0.0001]) if rare else law_of([-1.5, 0.0, 1.0], [0.3, 0.2, 0.5])
    every, laws = chances_of(law, sizes), WinTests()
    for won in every:
        fewer = sum(chance for other, chance in every.items() if other <= won + 1e-6)
        more = sum(chance for other, chance in every.items() if other >= won - 1e-6)
        off = laws.compare_win(won, [stakes_of(law, [[size] for size in sizes])], 0.95)
        assert off.p == pytest.approx(max(min(1.0, 2 * min(fewer, more)), LEAST_CHANCE), rel=1e-6, abs=3e-8)
        if off.p != pytest.approx(0.05, rel=1e-9):  # rounding decides on which side of an interval its own end lies
            assert (off.p >= 0.05) == (off.low - 1e-6 <= won <= off.high + 1e-6)


@pytest.mark.parametrize("wins", [0, 1, 3, 8, 12])
def test_stakes_that_seldom_win_a_lot_follow_a_binomial_law(wins: int) -> None:
    count, chance = 3000, 0.001
    law = law_of([1.0, -999.0], [1 - chance, chance])
    off = WinTests().compare_win(count - 1000.0 * wins, [stakes_of(law, [[1]] * count)], 0.95)
    binomial = scipy.stats.binom(count, chance)
    assert off.p == pytest.approx(min(1.0, 2 * min(binomial.cdf(wins), binomial.sf(wins - 1))), rel=1e-6)


def test_the_best_result_of_the_house_is_no_surprise_where_it_is_likely() -> None:
    """A hundred stakes of which each wins once in ten thousand times: the house mostly keeps all of them."""
    law = law_of([1.0, -5000.0], [0.9999, 0.0001])
    sizes = [500 + 500 * (number % 20) for number in range(100)]
    off = WinTests().compare_win(float(sum(sizes)), [stakes_of(law, [[size] for size in sizes])], 0.95)
    assert off.p == 1.0
    assert off.high == sum(sizes)


def test_what_cannot_be_is_as_unlikely_as_can_be_stated() -> None:
    law = law_of([1.0, -1.0], [0.5, 0.5])
    stakes = [stakes_of(law, [[1000]] * 40)]
    assert WinTests().compare_win(41_000.0, stakes, 0.95).p == LEAST_CHANCE
    assert WinTests().compare_win(-41_000.0, stakes, 0.95).p == LEAST_CHANCE


def test_many_stakes_off_any_lattice_follow_the_normal_curve() -> None:
    law = law_of([0.7071, -0.7072], [0.5, 0.5])
    stakes = stakes_of(law, [[997 + number % 7] for number in range(20_000)])
    deviation, mean = np.sqrt(stakes.variance), law.mean * stakes.handle
    off = WinTests().compare_win(mean + 2 * deviation, [stakes], 0.95)
    assert off.p == pytest.approx(2 * scipy.stats.norm.sf(2), rel=0.02)
    assert (off.low, off.high) == pytest.approx((mean - 1.96 * deviation, mean + 1.96 * deviation), rel=0.01)


def test_an_advantage_that_was_simulated_widens_the_interval_by_its_own_error() -> None:
    law, sizes = law_of([1.0, -1.0], [0.52, 0.48]), [[1000]] * 200
    plain = WinTests().compare_win(0.0, [stakes_of(law, sizes)], 0.95)
    wider = WinTests().compare_win(0.0, [stakes_of(law, sizes, error=3000.0)], 0.95)
    assert (wider.low, wider.high) == (plain.low - 3000.0, plain.high + 3000.0)
    assert wider.p > plain.p


@settings(max_examples=50)
@given(ROUNDS)
def test_rounds_have_the_stakes_and_the_seats_of_the_log_and_its_covariance(rounds: list[list[int]]) -> None:
    stakes = stakes_of(law_of([1.0, -1.0], [0.5, 0.5]), rounds)
    found = rebuild_rounds(stakes)
    seats = Counter({(len(sizes), size): 0 for sizes in found for size in sizes})
    for sizes, count in found.items():
        for size in sizes:
            seats[len(sizes), size] += count
    assert dict(seats) == stakes.sizes


def test_rounds_of_players_who_stake_at_random_have_the_covariance_of_the_log() -> None:
    rng = np.random.default_rng(4)
    for number in (30, 60, 400):
        rounds = [rng.choice([500, 1000, 2500, 5000, 20_000], rng.integers(1, 7)).tolist() for _ in range(number)]
        stakes = stakes_of(law_of([1.0, -1.0], [0.5, 0.5]), rounds)
        pairs = sum(
            count * (sum(sizes) ** 2 - sum(size * size for size in sizes))
            for sizes, count in rebuild_rounds(stakes).items()
        )
        assert pairs == pytest.approx(stakes.sum_of_seat_products, rel=0.1)


@pytest.mark.parametrize("seed", range(3))
def test_seats_that_share_cards_are_as_in_rounds_dealt_at_random(seed: int) -> None:
    rng = np.random.default_rng(seed)
    law = law_of([-8.0, -1.0, 1.0], [0.005, 0.1, 0.55], [0.025, 0.12, 0.2])
    rounds = [rng.choice([500, 1000, 2500, 5000], rng.integers(1, 6)).tolist() for _ in range(15)]
    classes, number = law.joint.sum(axis=1), 100_000
    won = np.zeros(number)
    until = np.cumsum(law.joint / classes[:, None], axis=1)
    for sizes in rounds:
        of_round = rng.choice(len(classes), number, p=classes / classes.sum())
        for size in sizes:
            won += size * law.wins[np.minimum((rng.random(number)[:, None] > until[of_round]).sum(axis=1), 2)]
    off = [
        WinTests().compare_win(float(np.quantile(won, part, method="nearest")), [stakes_of(law, rounds)], 0.95)
        for part in (0.0005, 0.01, 0.2, 0.8, 0.99, 1.0)
    ]
    every = [np.quantile(won, part, method="nearest") for part in (0.0005, 0.01, 0.2, 0.8, 0.99, 1.0)]
    for deviation, value in zip(off, every, strict=True):
        plain = min(1.0, 2 * min((won <= value + 1e-6).mean(), (won >= value - 1e-6).mean()))
        assert deviation.p == pytest.approx(plain, rel=0.15, abs=6e-4)


def test_the_law_of_a_place_does_not_depend_on_the_places_before_it() -> None:
    law, laws = law_of([-2.0, 1.0], [0.1, 0.5], [0.2, 0.2]), WinTests()
    some = [[500, 1000], [2500], [500, 500, 500]]
    others = [[size * 5 for size in item] for item in some] * 9
    alone = laws.compare_win(0.0, [stakes_of(law, some)], 0.95)
    laws.compare_win(0.0, [stakes_of(law, others)], 0.95)
    assert laws.compare_win(0.0, [stakes_of(law, some)], 0.95) == alone


def test_the_law_of_a_place_is_that_of_its_own_decisions() -> None:
    law, pooled = law_of([-9.0, 1.0], [0.1, 0.9]), law_of([-1.0, 1.0], [0.5, 0.5])
    own = stakes_of(law, [[500 + 500 * (number % 9)] for number in range(30)])
    among = structs.replace(own, pooled=pooled)
    for won in (-20_000.0, 0.0, 40_000.0):
        alone, off = (WinTests().compare_win(won, [stakes], 0.95) for stakes in (own, among))
        assert off == pytest.approx(alone, rel=1e-6)


def test_stakes_of_two_terms_add_up() -> None:
    one, other = law_of([-1.0, 1.0], [0.4, 0.6]), law_of([-3.0, 1.0], [0.2, 0.8])
    first, second = chances_of(one, [500, 1500]), chances_of(other, [1000, 1000])
    every: dict[float, float] = {}
    for (left, likely), (right, chance) in product(first.items(), second.items()):
        every[left + right] = every.get(left + right, 0.0) + likely * chance
    laws = WinTests()
    for won in every:
        off = laws.compare_win(won, [stakes_of(one, [[500], [1500]]), stakes_of(other, [[1000], [1000]])], 0.9)
        tails = (sum(p for w, p in every.items() if w <= won), sum(p for w, p in every.items() if w >= won))
        assert off.p == pytest.approx(min(1.0, 2 * min(tails)), rel=1e-6)


def test_intervals_widen_with_the_level() -> None:
    stakes = stakes_of(law_of([-9.0, 1.0], [0.1, 0.9]), [[500 + 500 * (number % 9)] for number in range(60)])
    found = [WinTests().compare_win(0.0, [stakes], level) for level in (0.5, 0.8, 0.95, 0.99, 0.999)]
    assert all(interval.low > other.low and interval.high <= other.high for interval, other in pairwise(found))
    assert prod(off.p for off in found) == pytest.approx(found[0].p ** 5)
