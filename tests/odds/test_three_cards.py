"""3 Card Shine compared with a plain enumeration and published figures."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.facade.commands import run
from tests.odds.plain import classes, hands, masks, three_cards

GAME = "co-rule10-3card-shine"
CATEGORIES = ("high-card", "pair", "flush", "straight", "three-of-a-kind", "straight-flush", "three-aces")


@pytest.fixture(scope="module")
def odds() -> dict[tuple[str, str], Any]:
    found = run("odds", GAME, "--output", "json")
    assert found.code == 0
    assert found.results["document"] == GAME
    return {(row["wager"], row["pay-table"]): row for row in found.results["wagers"]}


def test_every_wager_has_a_row_for_each_permitted_table(odds: dict[tuple[str, str], Any]) -> None:
    tables = [("pair-xxx", f"pair-xxx-{letter}") for letter in "abcd"] + [
        ("super-6", f"super-6-{letter}") for letter in "abcd"
    ]
    assert list(odds) == [("ante", "ante-bonus"), *tables]
    for row in odds.values():
        assert row["exact"] is True
        assert row["interval"] is None
        assert sum(Fraction(outcome["probability"]) for outcome in row["outcomes"]) == 1
        mean = sum(Fraction(outcome["probability"]) * Fraction(outcome["pays"]) for outcome in row["outcomes"])
        assert Fraction(row["house-advantage"]) == -mean


def test_pairs_are_paid_as_combinatorics_has_them(odds: dict[tuple[str, str], Any]) -> None:
    category, _ = three_cards(hands(3))
    counted = dict(zip(CATEGORIES, np.bincount(category).tolist(), strict=True))
    assert sum(counted.values()) == 22_100
    row = odds["pair-xxx", "pair-xxx-b"]
    found = {outcome["outcome"]: outcome["combinations"] for outcome in row["outcomes"]}
    assert found == {**{name: counted[name] for name in CATEGORIES[1:]}, "not-listed": counted["high-card"]}
    pays = {"three-aces": 50, "straight-flush": 40, "three-of-a-kind": 30, "straight": 6, "flush": 3, "pair": 1}
    won = sum(pays.get(name, -1) * number for name, number in counted.items())
    assert Fraction(row["house-advantage"]) == Fraction(-won, 22_100)


@pytest.mark.parametrize(
    ("table", "percent"),
    [("pair-xxx-a", "2.3167"), ("pair-xxx-d", "7.2760")],
)
def test_pairs_are_worth_what_is_published(odds: dict[tuple[str, str], Any], table: str, percent: str) -> None:
    assert f"{float(Fraction(odds['pair-xxx', table]['house-advantage'])) * 100:.4f}" == percent


def test_the_ante_is_worth_what_a_plain_enumeration_says(odds: dict[tuple[str, str], Any]) -> None:
    every = hands(3)
    bits, (category, order) = masks(every), three_cards(every)
    qualifies = (category > 0) | (every.max(axis=1) // 4 >= 10)
    bonus = {5: 5, 6: 4, 4: 4, 3: 1}  # three aces, without a row of their own, are paid as three of a kind
    won, staked, played, number = 0, 0, 0, 0
    for own, weight in classes(3).items():
        cards = np.array([own])
        (mine,), (place,) = three_cards(cards)
        apart = (bits & masks(cards)) == 0
        beats, loses = order < place, order > place
        worth = np.where(~qualifies, 1, 2 * (beats.astype(int) - loses))[apart]
        deals = int(apart.sum())
        total = int(worth.sum()) + bonus.get(int(mine), 0) * deals
        number += weight * deals
        if total > -deals:
            won, staked, played = won + weight * total, staked + 2 * weight * deals, played + weight
        else:
            won, staked = won - weight * deals, staked + weight * deals
    row = odds["ante", "ante-bonus"]
    assert number == 407_170_400 == row["deals"]
    assert Fraction(row["house-advantage"]) == Fraction(-won, number)
    assert Fraction(row["element-of-risk"]) == Fraction(-won, staked)
    assert row["strategy"][0]["hands"] == played


def test_the_ante_is_worth_what_is_published(odds: dict[tuple[str, str], Any]) -> None:
    row = odds["ante", "ante-bonus"]
    assert f"{float(Fraction(row['house-advantage'])) * 100:.4f}" == "3.3730"
    assert f"{float(Fraction(row['element-of-risk'])) * 100:.4f}" == "2.0147"
    assert f"{row['standard-deviation']:.4f}" == "1.6393"
    assert row["with"] == ["play", "ante-bonus"]
    assert [(choice["decision"], choice["when"]) for choice in row["strategy"]] == [
        ("play", "queen high: queen, six, four or better"),
        ("fold", "lower than queen high: queen, six, four"),
    ]


def test_six_cards_are_counted_whole(odds: dict[tuple[str, str], Any]) -> None:
    row = odds["super-6", "super-6-c"]
    assert row["deals"] == 20_358_520
    assert {outcome["outcome"]: outcome["combinations"] for outcome in row["outcomes"]} == {
        "royal-flush": 188,
        "straight-flush": 1_656,
        "four-of-a-kind": 14_664,
        "full-house": 165_984,
        "flush": 205_792,
        "straight": 361_620,
        "three-of-a-kind": 732_160,
        "not-listed": 18_876_456,
    }
    assert f"{float(Fraction(row['house-advantage'])) * 100:.2f}" == "15.28"


def test_a_strategy_of_ones_own_costs_what_is_published(tmp_path: Path) -> None:
    path = tmp_path / "queen.yaml"
    text = (
        f"document: {GAME}\ndecisions:\n"
        "- {decision: play, when: {holds: {hand: player, at-least: queen-high}}}\n- {decision: fold}\n"
    )
    path.write_text(text)
    (row,) = run("odds", GAME, "--wager", "ante", "--strategy", path, "--output", "json").results["wagers"]
    assert f"{float(Fraction(row['house-advantage'])) * 100:.2f}" == "3.45"
    assert Fraction(row["house-advantage"]) - Fraction(row["strategy-costs"]) == Fraction(686689, 20358520)
    assert row["strategy"][0]["when"] == "queen high: queen, three, two or better"
    path.write_text(text.replace("hand: player", "hand: dealer"))
    (row,) = run("odds", GAME, "--wager", "ante", "--strategy", path, "--output", "json").results["wagers"]
    assert row["house-advantage"] is None
    assert row["why"] == "the strategy for play depends on more than the player sees"
    path.write_text(text.replace("decision: fold", "decision: folds"))
    found = run("odds", GAME, "--strategy", path)
    assert found.code == 3
    assert "there is no decision `folds`" in found.err
