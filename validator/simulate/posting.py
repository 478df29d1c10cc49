"""Where players play against each other: the button, the chips they have, and what they put in before they act."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.rules.simulation.simulation import Stacks
from validator.simulate.draws import happens
from validator.simulate.house import House
from validator.simulate.opening import with_stakes
from validator.simulate.rounds import OWN, Rounds, scope_of, seats_where

_MANY = 2**40


def bring_chips(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with the button at one of the seats, and with the chips of every seat: multiples of the unit."""
    stacks = stacks_of(house)
    held = np.diff(rounds.offsets)
    at = rounds.offsets[:-1] + rng.integers(0, _MANY, len(rounds)) % held
    unit, seats = house.wager_unit, len(rounds.round)
    low, high = max(-(-stacks.least // unit), 1), max(stacks.most // unit, 1)
    stack = rng.integers(low, max(low, high), seats, endpoint=True)
    short = happens(rng, len(rounds), stacks.short)[rounds.round]
    # Small numbers of chips are as likely as large ones are rare: as many digits in base two as not.
    fewer = np.maximum(stack >> rng.integers(0, max(high.bit_length(), 1), seats), 1)
    return replace(rounds, button=rounds.number[at].astype(np.int8), stack=np.where(short, fewer, stack) * unit)


def stacks_of(house: House) -> Stacks:
    """The chips of players. Raises ValueError where the simulation names none."""
    stacks = house.simulation.stacks
    if stacks is None:
        raise ValueError("the simulation does not say how many chips players have")
    return stacks


def post(house: House, rounds: Rounds, rng: np.random.Generator) -> Rounds:
    """The rounds with what is put in before anybody acts, as far as the chips of each seat go; no luck is in it."""
    left = rounds.stack.copy()
    for one in house.simulation.forced:
        offer = house.offer(one.wager)
        if offer is None or not offer.minimum:
            continue
        scope = scope_of(house, rounds)  # where a position is may hang on what was posted before
        amount = np.where(seats_where(scope, one.when), np.minimum(offer.minimum, left), 0)
        left -= amount
        rounds = with_stakes(house, rounds, one.wager, OWN, amount)
    return rounds


def staked_by(house: House, rounds: Rounds) -> Ints:
    """int64[seats]: what each seat has staked on all wagers."""
    total: Ints = rounds.amount.sum(axis=(0, 1))
    return total


def of_rounds(rounds: Rounds, chosen: Flags) -> Flags:
    """bool[seats]: the seats of some rounds (bool[rounds])."""
    found: Flags = chosen[rounds.round]
    return found
