"""Wagers placed before the deal, and amounts of wagers in general."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.rounds import OWN, TIP, Rounds, scope_of, seats_where

_AS_OFTEN_AS_NOT = 500
_STEPS = 100
"""Stakes are above the minimum by so many units at most."""
_MOST_IN_TIPS = 5
"""Tips are of so many units at most."""


def place_opening_wagers(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with opening wagers: every seat places at least one of those that need no other."""
    wagers = house.game.wagers
    free = [name for name in house.openings if wagers[name].needs is None and wagers[name].of is None]
    placed = {name: _wanted(house, name, rounds, rng) for name in free}
    bare = ~np.logical_or.reduce(list(placed.values()))
    choice = rng.integers(0, len(free), len(bare))
    for index, name in enumerate(free):
        rounds = _staked(house, rounds, name, placed[name] | (bare & (choice == index)), rng)
    for name in house.openings:
        if name not in free:
            wanted = seats_where(scope_of(house, rounds), wagers[name].needs) & _wanted(house, name, rounds, rng)
            rounds = _staked(house, rounds, name, wanted, rng)
    return place_tips(house, rounds, house.openings, rng)


def _wanted(house: House, name: str, rounds: Rounds, rng: np.random.Generator) -> Flags:
    chance = house.simulation.chances.wagers.get(name, _AS_OFTEN_AS_NOT)
    return happens(rng, len(rounds.round), chance)


def _staked(house: House, rounds: Rounds, name: str, placed: Flags, rng: np.random.Generator) -> Rounds:
    due = amounts(house, name, len(placed), rng)
    follows = followed(house, rounds, name)
    return with_stakes(house, rounds, name, OWN, np.where(placed, due if follows is None else follows, 0))


def followed(house: House, rounds: Rounds, name: str) -> Ints | None:
    """int64[seats]: what a wager must be that is a multiple of another, which a seat has placed or not; None where it
    is none such."""
    wager = house.game.wagers[name]
    if wager.amount is None or wager.of is None:
        return None
    return wager.amount * rounds.amount[house.names.index(wager.of), OWN]


def amounts(house: House, name: str, count: int, rng: np.random.Generator) -> Ints:
    """int64[count]: amounts within the posted limits of a wager on offer, multiples of the unit where any
    lies within."""
    offer, unit = house.offer(name), house.wager_unit
    least = unit if offer is None or offer.minimum is None else max(offer.minimum, 1)
    most = least + _STEPS * unit
    if offer is not None and offer.maximum is not None:
        most = min(most, offer.maximum)
    low, high = -(-least // unit), most // unit
    drawn = rng.integers(low, max(low, high), count, endpoint=True) * unit
    return drawn if low <= high else np.full(count, least, np.int64)


def place_tips(house: House, rounds: Rounds, names: tuple[str, ...], rng: np.random.Generator) -> Rounds:
    """The rounds with tips on some wagers, here and there, where the rules and the house allow them: what the rules say
    of who may place a tip is asked once it lies there, so that it may speak of its amount."""
    for name in names:
        tip = house.game.wagers[name].tip
        if tip is None or not house.takes_tips(name):
            continue
        count = len(rounds.round)
        placed = happens(rng, count, house.simulation.chances.tip)
        drawn = rng.integers(1, _MOST_IN_TIPS, count, endpoint=True) * house.tip_unit
        staked = with_stakes(house, rounds, name, TIP, np.where(placed, drawn, 0))
        allowed = seats_where(scope_of(house, staked), tip)
        rounds = with_stakes(house, rounds, name, TIP, np.where(placed & allowed, drawn, 0))
    return rounds


def with_stakes(house: House, rounds: Rounds, name: str, tip: int, staked: Ints) -> Rounds:
    """The rounds with the stakes of all seats on one wager, int64[seats], in place of those they had."""
    amount = rounds.amount.copy()
    amount[house.names.index(name), tip] = staked
    return replace(rounds, amount=amount)
