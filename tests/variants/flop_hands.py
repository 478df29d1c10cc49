"""Hands of flop games played out by chance, by PokerKit: an implementation of the standard that is not ours."""

from __future__ import annotations

import random
import warnings
from functools import partial
from typing import Any

from tests.phh.replay import AUTOMATIONS, RaiseTo, of_any_size, play_out, pokerkit

SMALL_BLIND, BIG_BLIND = 5, 10
MOST_BETS = 4
"""A bet and three raises in a betting round of a fixed limit; before the flop the big blind is the bet."""


def random_hand(variant: str, seed: int, *, least_stack: int = 1, most_bets: int = MOST_BETS) -> str:
    """Play out a hand of a variant, `PO`, `FO/8` or `NS`, for two (`NS`: three) to nine players with ragged stacks.

    `most_bets` limits the bets of a betting round of a fixed limit. If it is more than the lawful number, bets come
    more often. Returns the text.
    """
    chance = random.Random(f"{variant} {seed}")
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(3 if variant == "NS" else 2, 9)
    antes: Any = chance.choice([0, 0, 3, {1: BIG_BLIND}])
    blinds = [SMALL_BLIND, BIG_BLIND] + [0] * (count - 2)
    common: tuple[Any, ...] = (AUTOMATIONS, not isinstance(antes, dict), antes, blinds)
    sizes = [chance.randint(least_stack, least_stack + 30), chance.randint(least_stack + 30, 400), 1000]
    stacks = [chance.choice(sizes) for _ in range(count)]
    if variant == "NS":
        short = pokerkit.NoLimitShortDeckHoldem(AUTOMATIONS, True, BIG_BLIND, {-1: BIG_BLIND}, BIG_BLIND)
        return played_out(short, stacks, chance, _up_to_the_most)
    if variant == "PO":
        return played_out(pokerkit.PotLimitOmahaHoldem(*common, BIG_BLIND), stacks, chance, _up_to_the_most)
    game = pokerkit.FixedLimitOmahaHoldemHighLowSplitEightOrBetter(*common, BIG_BLIND, 2 * BIG_BLIND)
    return played_out(game, stacks, chance, partial(_of_fixed_size, most_bets))


def played_out(game: Any, stacks: list[int], chance: random.Random, raise_to: RaiseTo) -> str:
    """Play out a hand of a PokerKit game and return its text."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = game(stacks, len(stacks))
        play_out(state, chance, raise_to, folds=0.2)
        text: str = pokerkit.HandHistory.from_game_state(game, state, finishing_stacks=list(state.stacks)).dumps()
    return text


def _up_to_the_most(state: Any, chance: random.Random) -> int | None:
    return None if _has_answered(state) else of_any_size(0.3)(state, chance)


def _has_answered(state: Any) -> bool:
    """Return whether the player to act has acted since the last full bet or raise.

    PokerKit treats the first bet or raise of a betting round as a full one, however short it is.
    """
    level = full = BIG_BLIND
    acted: set[int] = set()
    for done in state.operations:
        match done:
            case pokerkit.BoardDealing():
                level, full, acted = 0, BIG_BLIND, set()
            case pokerkit.CompletionBettingOrRaisingTo():
                if done.amount - level >= full:
                    full, acted = done.amount - level, set()
                level = done.amount
                acted.add(done.player_index)
            case pokerkit.CheckingOrCalling() | pokerkit.Folding():
                acted.add(done.player_index)
    return state.actor_index in acted


def _of_fixed_size(most_bets: int, state: Any, chance: random.Random) -> int | None:
    """Return the least allowed bet, which is the size of the betting round.

    PokerKit knows neither the size nor a cap here: it plays this game to the limit of the pot.
    """
    bets = state.completion_betting_or_raising_count + (state.street_index == 0)
    least: int = state.min_completion_betting_or_raising_to_amount
    return least if bets < most_bets and chance.random() < (0.35 if most_bets == MOST_BETS else 0.6) else None
