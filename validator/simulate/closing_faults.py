"""Pots that go to the wrong seat or come out short, and a rake that is another than is due."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags, Ints
from validator.rules.model.faults import AwardFault, RakeFault
from validator.simulate.bets import Ending
from validator.simulate.closing import divide_again
from validator.simulate.draws import one_of_each
from validator.simulate.house import House
from validator.simulate.rounds import Rounds


def break_award(rounds: Rounds, fault: AwardFault, fits: Flags, rng: np.random.Generator) -> tuple[Rounds, Flags]:
    """The rounds with one award in each that is wrong; and bool[rounds], where there is one. It may befall the seats of
    `fits` (bool[seats])."""
    ending = _ending(rounds)
    if fault.operator == "short":
        return _short(rounds, ending, fault.operand, fits, rng)
    won = np.flatnonzero(ending.shows & (ending.won > 0) & fits)
    winner = one_of_each(rng, won, rounds.round[won])
    lost = np.flatnonzero(ending.shows & (ending.won == 0))
    loser = one_of_each(rng, lost, rounds.round[lost])
    _, of_winner, of_loser = np.intersect1d(rounds.round[winner], rounds.round[loser], return_indices=True)
    winner, loser = winner[of_winner], loser[of_loser]
    to = np.arange(len(rounds.round))
    to[winner] = loser
    awards = replace(ending.awards, seat=to[ending.awards.seat])
    return _awarded(rounds, ending, awards.seat, awards.amount), _of(rounds, winner)


def _short(rounds: Rounds, ending: Ending, less: int, fits: Flags, rng: np.random.Generator) -> tuple[Rounds, Flags]:
    seat, amount = ending.awards.seat, ending.awards.amount.copy()
    chosen = np.flatnonzero((amount > less) & fits[seat])
    chosen = one_of_each(rng, chosen, rounds.round[seat[chosen]])
    amount[chosen] -= less
    return _awarded(rounds, ending, seat, amount), _of(rounds, seat[chosen])


def _awarded(rounds: Rounds, ending: Ending, seat: Ints, amount: Ints) -> Rounds:
    won = np.zeros_like(ending.won)
    np.add.at(won, seat, amount)
    changed = replace(
        ending,
        awards=replace(ending.awards, seat=seat, amount=amount),
        won=won,
        stack_after=ending.stack_after + won - ending.won,
    )
    return replace(rounds, ending=changed)


def break_rake(
    house: House, rounds: Rounds, fault: RakeFault, fits: Flags, rng: np.random.Generator
) -> tuple[Rounds, Flags]:
    """The rounds with another rake, as far as there is one and it leaves something of the pots."""
    ending = _ending(rounds)
    pots = np.zeros(len(rounds), np.int64)
    np.add.at(pots, rounds.round, ending.won)
    by = fault.operand if fault.operator == "more" else -fault.operand
    rake = ending.rake + by
    chosen = _of(rounds, np.flatnonzero(fits)) & (ending.rake > 0) & (rake >= 0) & (pots > by)
    return divide_again(house, rounds, np.where(chosen, rake, ending.rake), rng), chosen


def _ending(rounds: Rounds) -> Ending:
    if rounds.ending is None:
        raise ValueError("the pots have not been divided yet")
    return rounds.ending


def _of(rounds: Rounds, seats: Ints) -> Flags:
    """bool[rounds]: the rounds of these seats."""
    found = np.zeros(len(rounds), np.bool_)
    found[rounds.round[seats]] = True
    return found
