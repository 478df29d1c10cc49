"""Odds of hands that player and dealer set by one house way, with a commission."""

from __future__ import annotations

import shutil
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np

from fairdeal.validator.odds.choosing.simulated_odds import simulate_set_hands
from fairdeal.validator.odds.player_options import list_wager_groups, set_up_table
from fairdeal.validator.odds.wager_odds import NO_CHOICES
from fairdeal.validator.rules.rule_files import list_templates, rules_folder
from tests.facade.commands import run
from tests.facade.rounds import compile_game
from tests.facade.rules import load_regulation
from tests.lawful.record import DECK
from tests.templates.referees.pai_gow_poker import JOKER, compare, set_house_way

GAME = "pai-gow-poker"
ROUNDS = 30_000


def test_the_house_advantage_is_the_published_one(tmp_path: Path) -> None:
    shutil.copytree(list_templates()[GAME], tmp_path / GAME)
    shutil.copy(rules_folder() / "rulebook.yaml", tmp_path)
    row, again = (
        run("odds", GAME, "--rules", tmp_path, "--rounds", str(ROUNDS), "-o", "json").results["wagers"][0]
        for _ in range(2)
    )
    assert row == again
    low, high = row["interval"]
    assert not row["exact"] and high - low < 0.003
    assert low < 0.0273 < high  # against the dealer, both by one house way
    chances = {outcome["outcome"]: float(Fraction(outcome["probability"])) for outcome in row["outcomes"]}
    for outcome, published in (("both-won", 0.286), ("one-won", 0.415), ("none-won", 0.299)):
        assert abs(chances[outcome] - published) < 0.015


def test_the_referee_settles_random_deals_alike() -> None:
    """The share of wins less that of losses, by other deals: it is what the commission leaves of the advantage."""
    prepared = compile_game(load_regulation(GAME, list_templates()[GAME].parent))
    group = next(group for group in list_wager_groups(prepared.game) if group.wager == "main")
    solution = simulate_set_hands(set_up_table(prepared, NO_CHOICES, group), ROUNDS, 7)
    total = sum(share.count for share in solution.shares)
    ours = np.array([sum(s.count for s in solution.shares if (s.net > 0) - (s.net < 0) == sign) for sign in (1, 0, -1)])
    rng, deck, deals = Random(3), [*DECK, JOKER], 1_000
    theirs = np.zeros(3)
    for _ in range(deals):
        cards = rng.sample(deck, 14)
        player, dealer = set_house_way(cards[:7]), set_house_way(cards[7:])
        for hands, bank in ((player, dealer), (dealer, player)):
            theirs[1 - compare(hands, bank)] += 0.5
    assert np.abs(ours / total - theirs / deals).max() < 0.03
    assert solution.error is not None and solution.error < 0.001
