"""Templates of outcomes: odds by plain enumeration, the distribution of the hold, lawful and planted rounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
import pytest
from msgspec.structs import replace

from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.hold.win_distribution import measure_unit_distribution
from fairdeal.validator.language.round_conditions import Outcome, Selection
from fairdeal.validator.odds.hand_counts import HandCounts
from fairdeal.validator.odds.odds_figures import WagerOdds
from fairdeal.validator.odds.player_options import list_wager_groups, set_up_table
from fairdeal.validator.odds.wager_odds import NO_CHOICES, work_out_odds
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.rulebook import Rulebook
from tests.facade.results import Status
from tests.facade.rules import Regulation, load_regulation, rules_folder
from tests.facade.simulation import audit_log, load_simulation, simulate_log

TEMPLATES = rules_folder() / "templates"
GAMES = ("roulette-european", "roulette-american", "sic-bo")


@pytest.fixture(scope="module", params=GAMES)
def template(request: pytest.FixtureRequest) -> Regulation:
    return load_regulation(request.param, TEMPLATES)


def work_out(game: str) -> list[WagerOdds]:
    return list(work_out_odds(load_regulation(game, TEMPLATES)).wagers)


def pay_total(total: int, odds: int, roll: list[int]) -> int:
    return odds if sum(roll) == total else -1


def enumerate_sic_bo() -> Iterator[tuple[str, str, Fraction]]:
    """Yield wagers with selections and the house advantage, by all 216 rolls in the words of the text."""
    rolls = [sorted(roll) for roll in product(range(1, 7), repeat=3)]
    pays = {4: 60, 5: 30, 6: 17, 7: 12, 8: 8, 9: 6, 10: 6}
    wagers: dict[tuple[str, str], Callable[[list[int]], int]] = {
        ("small", ""): lambda roll: 1 if sum(roll) <= 10 and len(set(roll)) > 1 else -1,
        ("any-triple", ""): lambda roll: 30 if len(set(roll)) == 1 else -1,
        ("combination", "2 5"): lambda roll: 5 if {2, 5} <= set(roll) else -1,
        ("double", "3"): lambda roll: 10 if roll.count(3) > 1 else -1,
        ("triple", "6"): lambda roll: 180 if roll.count(6) > 2 else -1,
        ("single", "1"): lambda roll: roll.count(1) or -1,
    }
    for total in range(4, 18):
        wagers["total", str(total)] = partial(pay_total, total, pays[min(total, 21 - total)])
    for (wager, on), pay in wagers.items():
        yield wager, on, -Fraction(sum(map(pay, rolls)), len(rolls))


def test_sic_bo_costs_what_all_rolls_cost() -> None:
    rows = work_out("sic-bo")
    for wager, on, advantage in enumerate_sic_bo():
        [row] = [row for row in rows if row.wager == wager and (not row.on or on in row.on)]
        assert row.exact and Fraction(row.house_advantage or 0) == advantage, (wager, on)
    totals = [on for row in rows if row.wager == "total" for on in row.on]
    assert sorted(map(int, totals)) == list(range(4, 18))


def test_every_wager_of_roulette_costs_the_same_but_the_five_numbers() -> None:
    costs = {row.wager: row.house_advantage for row in work_out("roulette-american")}
    assert costs.pop("top-line") == "3/38"
    assert len(costs) == 13 and {*costs.values()} == {"1/19"}


@pytest.mark.parametrize(("offered", "advantage"), [(None, "1/37"), ("half-back", "1/74"), ("prison", "1/74")])
def test_half_back_or_prison_halves_what_an_even_chance_costs(offered: str | None, advantage: str) -> None:
    stated = replace(NO_CHOICES, options={option: option == offered for option in ("half-back", "prison")})
    regulation = load_regulation("roulette-european", TEMPLATES)
    for wager, costs in (("red", advantage), ("dozen", "1/37")):
        [row] = work_out_odds(regulation, stated=stated, wager=wager).wagers
        assert row.house_advantage == costs


def test_the_hold_of_a_wager_has_the_mean_and_the_spread_of_its_odds() -> None:
    regulation = load_regulation("roulette-american", TEMPLATES)
    prepared: CompiledGame = compile_game(regulation)
    for group in list_wager_groups(prepared.game):
        if group.wager not in ("red", "straight"):
            continue
        table = set_up_table(prepared, NO_CHOICES, group)
        wins = np.array([1.0, -1.0 if group.wager == "red" else -35.0])
        share = (20 if group.wager == "red" else 37) / 38
        chances = np.array([share, 1 - share])
        law = measure_unit_distribution(table, HandCounts(prepared, lambda _: None), None, {}, wins, chances)
        assert law is not None
        assert law.for_theory().mean == pytest.approx(2 / 38)
        assert law.for_theory().covariance == pytest.approx(law.for_theory().variance)  # all seats share the number


def test_selections_are_those_of_the_layout() -> None:
    layout = [[row + column for column in (1, 2, 3)] for row in range(0, 36, 3)]
    spin = Outcome.model_validate({"title": "the number", "values": ["0-36"], "layout": layout})
    counts = {"1x2": 24, "2x1": 33, "1x3": 12, "2x2": 22, "2x3": 11, "12x1": 3}
    for shape, count in counts.items():
        listed = Selection.model_validate({"outcome": "spin", "blocks": [shape]}).list_selections(spin)
        assert len(listed) == len(set(listed)) == count
    dice = Outcome.model_validate({"title": "the dice", "dice": 3})
    assert len(Selection.model_validate({"outcome": "dice", "by": "face"}).list_selections(dice)) == 6
    assert sum(dice.weights.values()) == 216


def test_lawful_rounds_with_all_variety_are_not_accused(template: Regulation) -> None:
    rulebook = Rulebook(folder=TEMPLATES)
    simulation = load_simulation(template, TEMPLATES)
    log = simulate_log(
        compile_game(template), simulation, submission=simulation.submission, rounds=120, seed=7, vary=60
    )
    found = audit_log(rulebook, log, simulation.submission)
    assert not [finding for finding in found.findings if finding.status is Status.FAIL]
    assert b'"outcome"' in log
