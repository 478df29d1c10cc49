"""Honest days lie outside as often as is promised, at both ends, and a bias of known size is found.

Days are dealt in NumPy from whole decks, with unequal stakes and players who err; `python -m tools.hold_calibration`
takes many more of them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import scipy

from fairdeal.validator.hold.decision_costs import share_hand_counts
from fairdeal.validator.hold.expected_hold import work_out_theory
from fairdeal.validator.hold.hold_statistics import correct_for_multiple_tests
from fairdeal.validator.hold.stake_counts import StakeSums, make_decision_key
from fairdeal.validator.hold.win_distribution import UnitDistribution, measure_unit_distribution
from fairdeal.validator.odds.card_sets import list_suit_classes
from fairdeal.validator.odds.wager_odds import work_out_odds
from fairdeal.validator.results.game_statistics import HoldResult
from tests.facade.commands import run
from tools.hold_calibration import months
from tools.hold_calibration.__main__ import holds_of
from tools.hold_calibration.months import honest_days
from tools.hold_calibration.wagers import HouseWager, list_wagers

DAYS = 30
WAGERS = [
    ("co-rule10-3card-shine", "ante"),
    ("co-rule10-3card-shine", "pair-xxx"),
    ("co-rule10-3card-shine", "super-6"),
    ("s38", "ante"),
    ("s38", "bonus"),
]


@cache
def wager_of(document: str, name: str) -> HouseWager:
    return next(list_wagers(document, only=name))


@cache
def measure_law(document: str, name: str) -> UnitDistribution:
    """Return the law of a wager, by odds of fewer random hands than a command takes."""
    wager = wager_of(document, name)
    terms = wager.terms.configuration
    row = work_out_odds(wager.game.regulation, stated=terms, wager=name, rounds=20_000).wagers[0]
    pays, chances = (
        np.array([sign * float(Fraction(getattr(outcome, field))) for outcome in row.outcomes])
        for field, sign in (("pays", -1), ("probability", 1))
    )
    law = measure_unit_distribution(wager.table, share_hand_counts(wager.game), terms, {}, pays, chances)
    assert law is not None
    return law


def p_of(holds: list[HoldResult]) -> list[float]:
    return [hold.p for hold in holds if hold.p is not None]


def chance_of_more(found: int, trials: int, chance: float) -> float:
    """Return the chance of finding so many or more among independent trials."""
    result: float = scipy.stats.binomtest(found, trials, chance, alternative="greater").pvalue
    return result


@pytest.mark.parametrize(("document", "name"), WAGERS)
def test_honest_days_lie_outside_no_more_often_than_promised_at_either_end(document: str, name: str) -> None:
    holds = holds_of(wager_of(document, name), honest_days(wager_of(document, name), DAYS, 20).sums())
    chances = p_of(holds)
    assert len(chances) > 0.8 * DAYS
    for below, bound in ((0.05, 0.025), (0.001, 0.0005)):
        for sign in (-1, 1):
            off = [
                hold
                for hold in holds
                if hold.p is not None
                and hold.p < below
                and sign * (hold.win - (hold.theoretical_win or 0.0) - (hold.given_away or 0.0)) > 0
            ]
            assert scipy.stats.binomtest(len(off), len(chances), bound, alternative="greater").pvalue > 0.001, (
                sign,
                below,
            )
    assert sum(q < 0.05 for q in correct_for_multiple_tests(chances)) <= 1
    for hold in holds:
        if hold.interval is not None and hold.p is not None:
            assert hold.outside is False
            assert (hold.p >= 0.05) == (hold.interval[0] - 0.02 <= hold.win <= hold.interval[1] + 0.02)


def test_chances_of_a_wager_with_many_results_are_even() -> None:
    ante = wager_of("co-rule10-3card-shine", "ante")
    chances = p_of(holds_of(ante, honest_days(ante, DAYS, 30).sums()))
    assert scipy.stats.kstest(chances, "uniform").pvalue > 0.01


def test_where_decisions_are_not_shown_nobody_stands_out_for_playing_badly() -> None:
    ante = wager_of("co-rule10-3card-shine", "ante")
    holds = holds_of(ante, honest_days(ante, DAYS, 40).sums(decisions=False))
    assert {hold.given_away for hold in holds} == {None}
    chances = p_of(holds)
    assert (
        scipy.stats.binomtest(sum(p < 0.05 for p in chances), len(chances), 0.05, alternative="greater").pvalue > 0.001
    )
    assert not any(hold.win > hold.interval[1] for hold in holds if hold.interval is not None)


@pytest.mark.parametrize(("name", "bias"), [("ante", 0.12), ("pair-xxx", 0.25)])
def test_a_dealer_who_pays_losing_stakes_is_found_over_a_month(name: str, bias: float) -> None:
    wager = wager_of("co-rule10-3card-shine", name)

    def month(seed: int, part: float) -> float:
        total = StakeSums()
        for sums in honest_days(wager, 31, seed, bias=part).sums():
            total.add(sums)
        (hold,) = holds_of(wager, [total])
        assert hold.p is not None
        return hold.p

    assert max(month(seed, bias) for seed in range(3)) < 0.001
    assert min(month(seed, 0.0) for seed in range(3)) > 0.005


def test_the_honest_month_of_unequal_stakes_names_nobody(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Simulated rounds with unequal stakes, for which table and day were conspicuous on every seed."""
    folder = tmp_path_factory.mktemp("month")
    log, filed = str(folder / "log.jsonl"), str(folder / "submission.yaml")
    game, seats = "co-rule10-3card-shine", "1-6"
    run("simulate", game, "--rounds", "1500", "--seed", "99", "--seats", seats, "-o", log, "--write-submission", filed)
    found = run("hold", log, "-s", filed, "-o", "json", "-q").results["statistics"]
    (hold,) = [kind for kind in found["looked-at"] if kind["kind"] == "hold"]
    assert hold["tested"] >= 30
    assert hold["stand-out"] == 0
    assert hold["standing-out"] == []


def test_the_law_is_that_of_players_who_put_cards_aside_for_the_bonus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(months, "STUBBORN", 1.0)
    bonus = wager_of("s38", "bonus")
    assert bonus.weighed is not None
    days = honest_days(bonus, 400, 50)
    bet = days.names.index("bet")
    always = np.array(
        [bool(np.isin(days.made[days.day == day], [bet, days.names.index("bet*")]).all()) for day in range(400)]
    )
    total = StakeSums()
    for day, sums in enumerate(days.sums()):
        if always[day]:
            total.add(sums)
    law = work_out_theory(bonus.game, bonus.terms, bonus.offered, total).pooled_law
    assert law is not None
    seats = always[days.day]
    won = np.maximum(-days.net - days.cost, -20)[seats]
    wins = np.maximum(law.wins, -20)
    variance = law.chances @ (wins - law.chances @ wins) ** 2
    assert variance == pytest.approx(won.var(), rel=0.08)


@pytest.mark.parametrize("cost", [20, 40, 80])
def test_the_law_of_folds_has_the_rare_hands_that_nobody_should_fold(cost: int) -> None:
    """All hands fold; how often that costs as much is counted over all hands of five cards."""
    ante = wager_of("caribbean-draw", "ante")
    weighed = ante.weighed
    assert weighed is not None
    fold = weighed.decision_of_row == weighed.decisions.index("fold")
    costs = weighed.theory_worth - weighed.worths.worth[fold].max(axis=0)
    hands = list_suit_classes(5).weight
    decided = {
        make_decision_key(name, "fold"): int(hands[weighed.decision_of_row[weighed.theory_rows] == number].sum())
        for number, name in enumerate(weighed.decisions)
    }
    all_fold = measure_law("caribbean-draw", "ante").for_decisions_made(decided)
    expected = hands[costs >= cost].sum() / hands.sum()
    assert all_fold.chances[all_fold.wins <= 1.5 - cost].sum() == pytest.approx(expected, rel=0.4)


def test_stakes_of_a_day_are_those_that_were_dealt() -> None:
    """The sums of a day are plain sums over its seats."""
    days = honest_days(wager_of("co-rule10-3card-shine", "ante"), 5, 1)
    for day, sums in enumerate(days.sums()):
        mine = days.day == day
        assert sums.stakes == mine.sum()
        assert sums.handle == days.size[mine].sum()
        assert sum(size * count for (_, size), count in sums.sizes.items()) == sums.handle
        rounds = np.bincount(days.round[mine] - days.round[mine].min(), days.size[mine])
        assert sums.round_s2 == (rounds**2).sum()
