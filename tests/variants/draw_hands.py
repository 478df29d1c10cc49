"""Hands of draw games made at random by PokerKit."""

from __future__ import annotations

import random
import warnings
from typing import Any

from tests.phh.replay import AUTOMATIONS, pokerkit

MOST_PLAYERS = 6


def single_draw(seed: int) -> str:
    """A hand of no-limit deuce-to-seven single draw, played out by chance."""
    return _played(seed, pokerkit.NoLimitDeuceToSevenLowballSingleDraw, 10)


def triple_draw(seed: int) -> str:
    """A hand of fixed-limit deuce-to-seven triple draw, played out by chance."""
    return _played(seed, pokerkit.FixedLimitDeuceToSevenLowballTripleDraw, 10, 20)


def _played(seed: int, game: Any, *sizes: int) -> str:
    """From two to six players with ragged stacks; the deck may run out, and what was put away is dealt again."""
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
        while state.status:
            _act(state, chance)
        text = pokerkit.HandHistory.from_game_state(playing, state).dumps()
    return f"{text}\nfinishing_stacks = {list(map(int, state.stacks))}\n"


def _act(state: Any, chance: random.Random) -> None:
    player = state.stand_patter_or_discarder_index
    if player is not None:
        cards = list(state.hole_cards[player])
        state.stand_pat_or_discard(chance.sample(cards, chance.choice([0, 0, 1, 2, 3, len(cards)])))
    elif state.can_deal_hole():
        state.deal_hole()
    elif state.can_show_or_muck_hole_cards():
        state.show_or_muck_hole_cards()
    elif state.can_complete_bet_or_raise_to() and chance.random() < 0.3:
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        state.complete_bet_or_raise_to(chance.choice([least, most, chance.randint(least, most)]))
    elif state.can_fold() and state.checking_or_calling_amount and chance.random() < 0.2:
        state.fold()
    else:
        state.check_or_call()
