"""Means, spreads and chances against what others make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import sqrt
from typing import Any

import numpy as np
import pytest
import scipy

from fairdeal.validator.hold.hold_statistics import (
    compare_card_counts,
    compare_independent_counts,
    correct_for_multiple_tests,
)
from fairdeal.validator.results.game_statistics import Statistics
from tests.hold.logs import CASINO, PAIR_XXX, rounds
from tests.odds.plain import hands, three_cards

Made = Callable[..., Statistics]
ANTE_ADVANTAGE, ANTE_DEVIATION = 0.0337298, 1.6392517
"""Odds of three card poker with an ante bonus of 5, 4 and 1, as published."""


def test_sums_are_those_of_the_records_and_theory_is_the_advantage_of_the_handle(statistics: Made) -> None:
    records = [*rounds(500, 1, seats=2, ante=1500, pair=700)]
    found = statistics(iter(records))
    seats = [seat for record in records for seat in record["seats"]]
    for wager, lines in (("ante", {"ante", "play"}), ("pair-xxx", {"pair-xxx"})):
        stakes = [wager for seat in seats for wager in seat["wagers"] if wager["wager"] in lines]
        bonuses = [bonus for seat in seats for bonus in seat.get("bonuses", ()) if wager == "ante"]
        (one,) = [row for row in found.hold if row.by == "day" and row.wager == wager]
        assert (one.casino, one.table, one.day, one.stakes) == (CASINO, "S1", "2026-03-02", 1000)
        assert one.handle == sum(stake["amount"] for stake in stakes if stake["wager"] == wager)
        assert one.at_risk == sum(stake["amount"] for stake in stakes)
        assert one.win == sum(stake["taken"] - stake["paid"] for stake in stakes) - sum(
            bonus["paid"] for bonus in bonuses
        )
        if wager == "ante":
            assert one.theoretical_win == pytest.approx(one.handle * ANTE_ADVANTAGE, rel=1e-5)


def test_the_deviation_of_stakes_without_company_is_that_of_one_times_their_size(statistics: Made) -> None:
    found = statistics(rounds(300, 2, ante=1000), rounds(100, 3, table="S2", ante=2500, dealer="Ann"))
    (one,) = [row for row in found.hold if row.by == "casino" and row.wager == "ante"]
    assert one.standard_deviation == pytest.approx(ANTE_DEVIATION * sqrt(300 * 1000**2 + 100 * 2500**2), rel=1e-6)
    assert one.interval is not None
    assert one.theoretical_win is not None
    assert one.standard_deviation is not None
    # A little skewed, as the house loses more at once than it wins; else 1.96 standard deviations on either side.
    normal = one.theoretical_win - 1.959964 * one.standard_deviation
    assert one.interval[0] == pytest.approx(normal, rel=0.02)
    assert one.interval[0] < normal


def test_the_theory_of_pair_xxx_is_that_of_a_plain_count(statistics: Made) -> None:
    every = hands(3)
    category, order = three_cards(every)
    pays = np.array([PAIR_XXX.get(kind, -1) for kind in range(7)], float)[category]
    pays[order < 10 * 169 + 4 * 13 + 2] = -1  # folded with the Ante
    (theory,) = [wager for wager in statistics(rounds(40, 4)).wagers if wager.wager == "pair-xxx"]
    assert theory.house_advantage is not None
    above, below = map(int, theory.house_advantage.split("/"))
    assert above / below == pytest.approx(-pays.mean())
    assert theory.standard_deviation == pytest.approx(pays.std())


@pytest.mark.parametrize(("seats", "wager"), [(1, "ante"), (4, "ante"), (1, "pair-xxx")])
def test_about_five_in_a_hundred_clean_tables_lie_outside(statistics: Made, seats: int, wager: str) -> None:
    tables = 140
    found = statistics(*(rounds(60, 1000 + at, table=f"T{at}", dealer="Ann", seats=seats) for at in range(tables)))
    tested = [row for row in found.hold if row.by == "table" and row.wager == wager and row.p is not None]
    assert len(tested) == tables
    outside = sum(outcome.outside for outcome in tested)
    assert scipy.stats.binomtest(outside, tables, 0.05).pvalue > 0.01, outside
    assert sum(outcome.stands_out for outcome in tested) <= 1
    if seats > 1:
        (theory,) = [entry for entry in found.wagers if entry.wager == wager]
        assert theory.together == pytest.approx(0.18, abs=0.03)  # all play against one dealer


def test_what_players_give_away_is_told_apart_from_luck(statistics: Made) -> None:
    """A player who always plays loses 7.65 of 100, as is published: 4.28 more than necessary."""
    found = statistics(*(rounds(250, 7000 + at, table=f"T{at}", dealer="Ann", from_=0) for at in range(25)))
    (all_,) = [row for row in found.hold if row.by == "casino" and row.wager == "ante"]
    assert all_.given_away is not None
    assert (all_.theoretical_win or 0.0) == pytest.approx(all_.handle * ANTE_ADVANTAGE, rel=1e-5)
    assert all_.given_away / all_.handle == pytest.approx(0.0765379 - ANTE_ADVANTAGE, abs=0.004)
    assert not all_.outside
    tested = [row for row in found.hold if row.by == "table" and row.wager == "ante"]
    assert sum(outcome.outside for outcome in tested) <= 4
    assert not any(outcome.stands_out for outcome in tested)


def test_without_decisions_the_theory_is_the_least(statistics: Made) -> None:
    def silent(record: dict[str, Any], _: np.random.Generator) -> None:
        for seat in record["seats"]:
            del seat["decision"]

    found = statistics(rounds(50, 8, change=silent))
    assert {row.given_away for row in found.hold if row.wager == "ante"} == {None}
    best = statistics(rounds(50, 8))
    assert {row.given_away for row in best.hold if row.wager == "ante"} == {0.0}


def test_chances_of_cards_are_even_when_nothing_is_wrong(statistics: Made) -> None:
    found = statistics(*(rounds(100, 5000 + at, table=f"T{at}", seats=5) for at in range(80)))
    assert scipy.stats.kstest([card.p for card in found.cards if card.p is not None], "uniform").pvalue > 0.01
    assert len([card for card in found.cards if card.p is not None]) == 80
    own = [hand.p for hand in found.hands if hand.of == "dealer" and hand.p is not None]
    assert scipy.stats.kstest(own, "uniform").pvalue > 0.01


def test_one_process_and_several_come_to_the_same(statistics: Made) -> None:
    def parts() -> list[Iterator[dict[str, Any]]]:
        return [rounds(800, seed, table=f"S{seed % 3}", dealer=f"D{seed}", seats=2) for seed in range(6)]

    assert statistics(*parts(), jobs=1) == statistics(*parts(), jobs=2)


def test_the_order_of_logs_does_not_matter(statistics: Made) -> None:
    one = statistics(rounds(200, 1, table="A"), rounds(200, 2, table="B"))
    other = statistics(rounds(200, 2, table="B"), rounds(200, 1, table="A"))
    assert one.hold == other.hold
    assert one.cards == other.cards


def test_rare_cells_are_put_together_before_the_chi_square() -> None:
    count, chance = [6, 2, 80, 112, 0], [0.02, 0.02, 0.4, 0.55, 0.01]
    found = compare_independent_counts(count, chance)
    assert found is not None
    same = scipy.stats.chisquare([8, 80, 112], [10, 80, 110])
    assert (found.statistic, found.degrees, found.p) == pytest.approx((same.statistic, 2, same.pvalue))
    assert compare_independent_counts([1, 2], [0.5, 0.5]) is None


def test_cards_dealt_without_replacement_spread_less() -> None:
    rng = np.random.default_rng(1)
    m, number = 20, 250
    dealt = np.argsort(rng.random((number, 600, 52)), axis=2)[:, :, :m].reshape(number, -1)
    chances = []
    for row in dealt:
        count = np.bincount(row, minlength=52).tolist()
        found = compare_card_counts(count, [1] * 52, 600 * m, 52, 600 * m * (52 - m) / (52 * 51))
        assert found is not None
        chances.append(found.p)
    assert scipy.stats.kstest(chances, "uniform").pvalue > 0.01


def test_the_false_discovery_rate_is_that_of_benjamini_and_hochberg() -> None:
    given = [0.001, 0.2, 0.03, 0.04, 0.9]
    rank = {chance: at for at, chance in enumerate(sorted(given), 1)}
    plain = [min(other * len(given) / rank[other] for other in given if other >= p_value) for p_value in given]
    assert correct_for_multiple_tests(given) == pytest.approx(plain)
    assert correct_for_multiple_tests([]) == []
