"""Hands of an online room, played out at random, written in the format of the room and converted by PokerKit.

The converter leaves out what it does not understand: posts of players who were away and post more than the big blind.
For a blind that is posted short it states the amount posted, and takes the larger blind for the smallest bet.
"""

from __future__ import annotations

import contextlib
import io
import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum, auto
from typing import Any

from tests.phh.replay import AUTOMATIONS, pokerkit
from tests.phh.sites import play

_SMALL, _BIG = 5, 10


class Away(Enum):
    """Posts of a player who was away."""

    NOTHING = auto()
    BIG = auto()
    BIG_AND_DEAD = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Converted:
    """Converted hand: its text, its late post, and whether a blind was posted short."""

    text: str
    away: Away
    short: bool


def convert_hands(seeds: range) -> dict[str, Converted]:
    """Return hands by their seed, without those that the converter gives up on."""
    found = {}
    for seed in seeds:
        log, away, short = write_log(seed)
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            hands = list(pokerkit.HandHistory.from_partypoker(log, parse_value=Decimal))
        if hands:
            found[str(seed)] = Converted(text=hands[0].dumps(), away=away, short=short)
    return found


def write_log(seed: int) -> tuple[str, Away, bool]:
    """Return the log of a hand, the late post, and whether a blind was posted short."""
    chance = random.Random(seed)
    random.seed(seed)  # the deck is shuffled by it
    count = chance.randint(2, 9)
    away = chance.choice([Away.NOTHING, *Away]) if count > 3 else Away.NOTHING
    late = chance.randrange(2, count) if away is not Away.NOTHING else -1
    posted, dead = [_SMALL, _BIG] + [0] * (count - 2), [0] * count
    if late > 0:
        posted[late] = -_BIG
        dead[late] = _SMALL if away is Away.BIG_AND_DEAD else 0
    stacks = [chance.choice([chance.randint(2, 30), chance.randint(30, 400), 1000]) for _ in range(count)]
    if late > 0:
        stacks[late] = max(stacks[late], 40)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        state = pokerkit.NoLimitTexasHoldem(AUTOMATIONS, not any(dead), dead, posted, _BIG)(stacks, count)
        play(state, chance, chance.choice([0.1, 0.3, 0.5]))
    short = any(stack < blind for stack, blind in zip(stacks, posted[:2][:: -1 if count == 2 else 1], strict=False))
    return "\n".join(_lines(state, stacks, dead, late, seed)) + "\n\n\n\n", away, short


def _lines(state: Any, stacks: Sequence[int], dead: Sequence[int], late: int, seed: int) -> Iterator[str]:
    count = len(stacks)
    yield f"Game #{seed} starts."
    yield f"***** Hand History for Game {seed} *****"
    yield "$1000 USD NL Texas Hold'em - Wednesday, July 01, 00:00:02 EDT 2009"
    yield f"Table Table  {seed} (Real Money)"
    yield f"Seat {count} is the button"
    yield f"Total number of players : {count}/9"
    for player, stack in enumerate(stacks):
        yield f"Seat {player + 1}: pl{player} ( ${stack} USD )"
    bets, received = [0] * count, [0] * count
    for done in state.operations:
        name = f"pl{done.player_index}" if hasattr(done, "player_index") else ""
        match done:
            case pokerkit.BlindOrStraddlePosting():
                bets[done.player_index] = done.amount
                if done.player_index != late:
                    first = done.player_index == (1 if count == 2 else 0)
                    which = "small" if first else "big"
                    yield f"{name} posts {which} blind [${done.amount} USD]."
                elif dead[late]:
                    yield f"{name} posts big blind + dead [${done.amount + dead[late]} USD]."
                else:
                    yield f"{name} posts big blind [${done.amount} USD]."
            case pokerkit.BoardDealing():
                bets = [0] * count
                street = {3: "Flop", 1: "Turn"}[len(done.cards)]
                street = "River" if street == "Turn" and sum(map(len, state.board_cards)) == 5 else street
                yield f"** Dealing {street} ** [ {', '.join(map(repr, done.cards))} ]"
            case pokerkit.Folding():
                yield f"{name} folds"
            case pokerkit.CheckingOrCalling():
                yield f"{name} calls [${done.amount} USD]" if done.amount else f"{name} checks"
                bets[done.player_index] += done.amount
            case pokerkit.CompletionBettingOrRaisingTo():
                more = done.amount - bets[done.player_index]
                bets[done.player_index] = done.amount
                yield f"{name} raises [${more} USD]"
            case pokerkit.HoleCardsShowingOrMucking() if done.hole_cards:
                yield f"{name} shows [ {', '.join(map(repr, done.hole_cards))} ]a hand."
            case _:
                pass
    put = _put_in(state)
    for player in range(count):
        received[player] = state.stacks[player] - stacks[player] + put[player]
        if received[player] > 0:
            yield f"pl{player} wins ${received[player]} USD from the main pot with a hand."


def _put_in(state: Any) -> list[int]:
    put, bets = [0] * state.player_count, [0] * state.player_count
    for done in state.operations:
        match done:
            case pokerkit.AntePosting():
                put[done.player_index] += done.amount
            case pokerkit.BlindOrStraddlePosting() | pokerkit.CheckingOrCalling():
                bets[done.player_index] += done.amount
                put[done.player_index] += done.amount
            case pokerkit.CompletionBettingOrRaisingTo():
                put[done.player_index] += done.amount - bets[done.player_index]
                bets[done.player_index] = done.amount
            case pokerkit.BoardDealing():
                bets = [0] * state.player_count
            case _:
                pass
    return put
