"""House way of a template as data: the same hands as its referee, which follows the text alone."""

from __future__ import annotations

import random

import numpy as np
import pytest

from fairdeal.validator.cards.card_choices import list_splits
from fairdeal.validator.cards.card_codes import format_cards, parse_cards
from fairdeal.validator.engine.facts.final_hands import compile_setting
from fairdeal.validator.engine.facts.step_cards import compile_set_rule
from fairdeal.validator.operators.operator_table import compile_game
from tests.lawful.record import DECK, split_cards
from tests.templates.referees.judge import load_template
from tests.templates.referees.pai_gow_poker import JOKER, rank_high, rank_low, set_house_way

GAME = "pai-gow-poker"
RARE = (
    *(
        "AsAdAcAhJkKsKd",
        "AsAdAcAhJkQsQd",
        "9s9d9c9hKsKd2c",
        "9s9d9c9hKs3d2c",
        "9s9d9c9hAs3d2c",
        "9s9d9c9hQs3d2c",
        "6s6d6c6hKsKd2c",
    ),
    *("JsJdJcJhKs3d2c", "5s5d5c8s8d8cAc", "5s5d5c8s8dAcAd", "Js8s8dTcTd2cAc", "KsKdTcTd2cAc3h", "2s2d3c3h4c4dAs"),
    *("AsAdJkKsQc9h2d", "AsKsQsJsTs9s8s", "Jk2s3s4s5s9hKd", "Jk2s3d4c7h9sJd", "6s6d6c6hAs3d2c", "7s7d7cKs3d2h9h"),
)


def find_ways(cards: list[str]) -> list[tuple[list[str], list[str]]]:
    """Return the hands that the first rule of the house way permits."""
    game = compile_game(load_template(GAME).regulation(GAME))
    setting = compile_setting(game, "dealer")
    splits = setting.rank_splits(np.array([parse_cards("".join(cards))], np.uint8))
    for rule in game.game.drawing["house-way"].rules:
        assert rule.set_ is not None
        ways = int(setting.find_ways(compile_set_rule(rule.set_), splits)[0])
        if ways:
            places = [place for way, place in enumerate(list_splits(7, 2)) if ways >> way & 1]
            return [
                ([card for at, card in enumerate(cards) if at not in low], [cards[at] for at in low]) for low in places
            ]
    return []


@pytest.mark.parametrize("seed", range(4))
def test_hands_are_those_of_the_referee(seed: int) -> None:
    rng = random.Random(seed)
    dealt = [rng.sample([*DECK, JOKER], 7) for _ in range(30)]
    dealt += [[*rng.sample(DECK, 6), JOKER] for _ in range(10)]
    dealt += [rng.sample([*DECK[:20], JOKER], 7) for _ in range(10)]  # few ranks
    for cards in [*dealt, *map(split_cards, RARE[seed::4])]:
        high, low = set_house_way(cards)
        ways = find_ways(cards)
        assert ways, cards
        for own_high, own_low in ways:
            assert (rank_high(own_high), rank_low(own_low)) == (rank_high(high), rank_low(low)), format_cards(
                parse_cards("".join(cards))
            )
