"""Hands replayed, and made at random, by PokerKit: an implementation of the standard that is not ours."""

from __future__ import annotations

import importlib
import random
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pokerkit: Any = importlib.import_module("pokerkit")  # its types leave out how it is to be called

AUTOMATIONS = tuple(
    automation
    for automation in pokerkit.Automation
    if automation is not pokerkit.Automation.HOLE_CARDS_SHOWING_OR_MUCKING
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Act of a player, and the minor units that the player put in with it."""

    player: int
    verb: str
    paid: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """Hand as PokerKit played it, with amounts by player in minor units: posts, and final stacks."""

    posted: list[int]
    after: list[int]
    acts: list[Act]


def replay(text: str) -> Replay:
    """Replay a hand with PokerKit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        history = pokerkit.HandHistory.loads(text, parse_value=Decimal)
        *_, (state, _) = history.state_actions
    return extract_replay(state)


def extract_replay(state: Any) -> Replay:
    """Extract the acts and amounts of a finished PokerKit state."""
    posted = [0] * state.player_count
    put = [0] * state.player_count
    acts = []
    for done in state.operations:
        match done:
            case pokerkit.AntePosting():
                posted[done.player_index] += _minor(done.amount)
            case pokerkit.BlindOrStraddlePosting():
                posted[done.player_index] += _minor(done.amount)
                put[done.player_index] += _minor(done.amount)
            case pokerkit.Folding():
                acts.append(Act(player=done.player_index, verb="fold", paid=0))
            case pokerkit.CheckingOrCalling():
                put[done.player_index] += _minor(done.amount)
                verb = "call" if done.amount else "check"
                acts.append(Act(player=done.player_index, verb=verb, paid=_minor(done.amount)))
            case pokerkit.CompletionBettingOrRaisingTo():
                paid = _minor(done.amount) - put[done.player_index]
                verb = "raise" if any(put) else "bet"
                put[done.player_index] += paid
                acts.append(Act(player=done.player_index, verb=verb, paid=paid))
            case pokerkit.BoardDealing() | pokerkit.StandingPatOrDiscarding():
                put = [0] * state.player_count
            case _:
                pass
    return Replay(posted=posted, after=[_minor(stack) for stack in state.stacks], acts=acts)


def random_hand(seed: int) -> tuple[str, Replay]:
    """Play out a hand at random for two to nine players with ragged stacks. Returns its text and its replay."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, 9)
    antes: Any = chance.choice([0, 0, 3, {1: 10}])
    blinds = [5, 10] + [0] * (count - 2)
    stacks = [chance.choice([chance.randint(1, 30), chance.randint(30, 400), 1000]) for _ in range(count)]
    fixed = chance.random() < 0.4
    common: tuple[Any, ...] = (AUTOMATIONS, not isinstance(antes, dict), antes, blinds)
    if fixed:
        game: Any = pokerkit.FixedLimitTexasHoldem(*common, 10, 20)
    else:
        game = pokerkit.NoLimitTexasHoldem(*common, 10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = game(stacks, count)
        play_out(state, chance, of_any_size(0.3), folds=0.25)
        text = pokerkit.HandHistory.from_game_state(game, state).dumps()
    return text, extract_replay(state)


RaiseTo = Callable[[Any, random.Random], int | None]
"""Function that returns the bet or raise of the player to act, or None."""


def play_out(state: Any, chance: random.Random, raise_to: RaiseTo, *, folds: float) -> None:
    """Play a state of any game to its end. A player facing a bet folds with the probability `folds`."""
    while state.status:
        _go_on(state, chance, raise_to, folds)


def _go_on(state: Any, chance: random.Random, raise_to: RaiseTo, folds: float) -> None:
    drawing = state.stand_patter_or_discarder_index
    if drawing is not None:
        cards = list(state.hole_cards[drawing])
        state.stand_pat_or_discard(chance.sample(cards, chance.choice([0, 0, 1, 2, 3, len(cards)])))
    elif state.can_post_bring_in() and chance.random() < 0.8:
        state.post_bring_in()
    elif state.can_deal_hole():
        state.deal_hole()
    elif state.can_deal_board():
        state.deal_board()
    elif state.can_show_or_muck_hole_cards():
        state.show_or_muck_hole_cards()
    elif state.can_complete_bet_or_raise_to() and (to := raise_to(state, chance)) is not None:
        state.complete_bet_or_raise_to(to)
    elif state.can_fold() and state.checking_or_calling_amount and chance.random() < folds:
        state.fold()
    else:
        state.check_or_call()


def of_any_size(bold: float) -> RaiseTo:
    """Choose any allowed amount, the more often the bolder the players are."""

    def to(state: Any, chance: random.Random) -> int | None:
        if chance.random() >= bold or not is_open_to_raise(state):
            return None
        least = state.min_completion_betting_or_raising_to_amount
        most = state.max_completion_betting_or_raising_to_amount
        found: int = chance.choice([least, most, chance.randint(least, most)])
        return found

    return to


def is_open_to_raise(state: Any) -> bool:
    """Return whether the player to act has not acted, or faces a full raise since.

    PokerKit treats the first bet or raise of a betting round as a full one, even an all-in below the big blind.
    """
    if state.street is None or state.street.max_completion_betting_or_raising_count is not None:
        return True
    full = level = max(map(abs, state.blinds_or_straddles), default=0)
    left: dict[int, int] = {}
    for done in state.operations:
        match done:
            case pokerkit.BoardDealing() | pokerkit.StandingPatOrDiscarding():
                full, level, left = max(map(abs, state.blinds_or_straddles), default=0), 0, {}
            case pokerkit.CheckingOrCalling():
                left[done.player_index] = level
            case pokerkit.CompletionBettingOrRaisingTo():
                full = max(full, done.amount - level)
                level = done.amount
                left[done.player_index] = level
    actor = state.actor_index
    return actor not in left or level - left[actor] >= full


def _minor(value: Any) -> int:
    found = Decimal(value) * 100
    assert found == int(found)
    return int(found)
