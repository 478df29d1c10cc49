"""Rounds played from the first wager to the last payment, as they should be or with one fault in each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from validator.simulate.deal.exchange import exchange
from validator.simulate.deal.shuffle import deal_cards
from validator.simulate.faults.event_faults import break_story
from validator.simulate.faults.planting import Planting, Stage
from validator.simulate.faults.play_faults import break_play
from validator.simulate.poker.betting import bet
from validator.simulate.poker.mistakes import Mistake
from validator.simulate.poker.showdown import divide_pots
from validator.simulate.procedure.irregularities import go_wrong, is_dead, seat_bystanders
from validator.simulate.procedure.stated_numbers import state_numbers
from validator.simulate.procedure.steps import record
from validator.simulate.stakes.meters import raise_meters
from validator.simulate.stakes.settlement import pay_and_take
from validator.simulate.stakes.wagers import bring_chips, claim, decide, place_opening_wagers, post, take_seats
from validator.simulate.table.house import House
from validator.simulate.table.records import Round

_Advance = Callable[[House, list[Round], Random], None]
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


def play(house: House, count: int, rng: Random) -> list[Round]:
    """`count` rounds as they should be."""
    rounds = take_seats(house, count, rng)
    for stage in _stages_of(house).values():
        for advance in stage:
            advance(house, rounds, rng)
    _record_whole(house, rounds, rng)
    return rounds


def _record_whole(house: House, rounds: list[Round], rng: Random) -> None:
    """The rounds, played to the end, as a log has them."""
    record(house, rounds, rng)
    seat_bystanders(house, rounds)
    state_numbers(house, rounds)


def play_broken(house: House, planting: Planting, count: int, rng: Random) -> list[Round]:
    """Those of `count` rounds that a fault fits, with it in each."""
    fault, upon, seats = planting.fault, planting.upon, planting.new_seats
    rounds = take_seats(house, count, rng, None if seats is None else (seats, seats))
    for stage, advances in _stages_of(house).items():
        if stage is planting.stage and fault.operator == "act":
            mistake = Mistake(house, fault.operand, fault.where)
            bet(house, rounds, rng, mistake)
            rounds = [rounds[at] for at in sorted(mistake.made)]
            continue
        for advance in advances:
            advance(house, rounds, rng)
        for one in (upon, planting):  # what it does not fit is not played on
            if one is not None and one.stage is stage and rounds:
                broken = break_play(house, one, rounds, rng)
                rounds = [one for one in rounds if one in broken]
        if not rounds:
            return []
    _record_whole(house, rounds, rng)
    if planting.stage is Stage.RECORD:
        broken = break_story(house, planting, rounds, rng)
        return [one for one in rounds if one in broken]
    return [one for one in rounds if not is_dead(house, one)]  # of what was played in dead rounds nothing counts
