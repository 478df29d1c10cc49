"""Hands of draw games made at random by PokerKit."""

from __future__ import annotations

import random
import warnings
from typing import Any

from tests.phh.replay import AUTOMATIONS, of_any_size, play_out, pokerkit

MOST_PLAYERS = 6


def single_draw(seed: int) -> str:
    """Play out a hand of no-limit deuce-to-seven single draw at random."""
    return _play(seed, pokerkit.NoLimitDeuceToSevenLowballSingleDraw, 10)


def triple_draw(seed: int) -> str:
    """Play out a hand of fixed-limit deuce-to-seven triple draw at random."""
    return _play(seed, pokerkit.FixedLimitDeuceToSevenLowballTripleDraw, 10, 20)


def _play(seed: int, game: Any, *sizes: int) -> str:
    """Play out a hand of two to six players with ragged stacks. The deck may run out; discards are then dealt again."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, MOST_PLAYERS)
    antes: Any = chance.choice([0, 0, 3, {1: 10}])
    blinds = [5, 10] + [0] * (count - 2)
    stacks = [chance.choice([chance.randint(1, 30), chance.randint(30, 400), 1000]) for _ in range(count)]
    playing = game(AUTOMATIONS, not isinstance(antes, dict), antes, blinds, *sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns when the deck runs out
        state = playing(stacks, count)
        play_out(state, chance, of_any_size(0.3), folds=0.2)
        text = pokerkit.HandHistory.from_game_state(playing, state).dumps()
    return f"{text}\nfinishing_stacks = {list(map(int, state.stacks))}\n"
