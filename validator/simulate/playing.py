"""Rounds played from the first wager to the last payment, as they should be or with one fault in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from msgspec.structs import replace

from validator.arrays import Flags
from validator.evidence.columns.batch import Batch
from validator.simulate.acting import bet, bet_wrongly
from validator.simulate.bystanders import with_bystanders
from validator.simulate.claiming import claim
from validator.simulate.closing import divide_pots
from validator.simulate.dealing import deal_cards
from validator.simulate.deciding import decide
from validator.simulate.exchanging import exchange
from validator.simulate.house import House
from validator.simulate.irregularities import dead_rounds, go_wrong
from validator.simulate.metering import raise_meters
from validator.simulate.opening import place_opening_wagers
from validator.simulate.outcome import pay_and_take
from validator.simulate.planting import Planting, Stage
from validator.simulate.posting import bring_chips, post
from validator.simulate.rounds import Rounds, batch_of
from validator.simulate.seating import take_seats
from validator.simulate.stating import state_numbers
from validator.simulate.table_faults import break_play
from validator.simulate.telling import tell
from validator.simulate.told_faults import break_story

_Advance = Callable[[House, Rounds, np.random.Generator], Rounds]
_Stages = Mapping[Stage, tuple[_Advance, ...]]
_AGAINST_THE_HOUSE: _Stages = {
    Stage.WAGERS: (place_opening_wagers,),
    Stage.CARDS: (raise_meters, deal_cards),
    Stage.DECISIONS: (decide,),
    Stage.EXCHANGE: (claim, exchange),
    Stage.OUTCOME: (pay_and_take,),
}
_AMONG_PLAYERS: _Stages = {
    Stage.WAGERS: (bring_chips, post),
    Stage.CARDS: (deal_cards, go_wrong),
    Stage.DECISIONS: (bet,),
    Stage.EXCHANGE: (),  # which came with the betting
    Stage.OUTCOME: (divide_pots,),
}


def _stages_of(house: House) -> _Stages:
    return _AGAINST_THE_HOUSE if house.game.betting is None else _AMONG_PLAYERS


def play(house: House, count: int, rng: np.random.Generator) -> Batch:
    """`count` rounds as they should be."""
    rounds = take_seats(house, count, rng)
    for stage in _stages_of(house).values():
        for advance in stage:
            rounds = advance(house, rounds, rng)
    return _as_told(house, rounds, rng)


def _as_told(house: House, rounds: Rounds, rng: np.random.Generator) -> Batch:
    """The rounds, played to the end, as a log has them."""
    batch = batch_of(house, rounds, tell(house, rounds, rng))
    return state_numbers(house, with_bystanders(house, rounds, batch))


def play_broken(house: House, planting: Planting, count: int, rng: np.random.Generator) -> tuple[Batch, Flags]:
    """`count` rounds with a fault in every one that it fits; and bool[count], which those are."""
    fault, seats = planting.fault, planting.new_seats
    rounds = take_seats(house if seats is None else replace(house, seats=(seats, seats)), count, rng)
    ready, broken = np.full(count, planting.upon is None), np.zeros(count, np.bool_)
    for stage, advances in _stages_of(house).items():
        if stage is planting.stage and fault.operator == "act":
            rounds, broken = bet_wrongly(house, planting, rounds, rng)
            continue
        for advance in advances:
            rounds = advance(house, rounds, rng)
        if planting.upon is not None and stage is planting.upon.stage:
            rounds, ready = break_play(house, planting.upon, rounds, rng)
        if stage is planting.stage:
            rounds, broken = break_play(house, planting, rounds, rng)
    batch = _as_told(house, rounds, rng)
    if planting.stage is Stage.TOLD:
        batch, broken = break_story(house, planting, rounds, batch, rng)
    else:
        broken = broken & ~dead_rounds(house, rounds)  # of what was played in them nothing counts
    return batch, broken & ready
