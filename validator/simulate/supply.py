"""Rounds played from the first wager to the last payment: as they should be, or with a fault in each. Of the latter as
many are tried as it takes until enough of them fit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from validator.simulate.cards import deal_cards, exchange
from validator.simulate.faults.event_faults import EVENT_FAULTS
from validator.simulate.faults.planting import Breach, Planting, Stage
from validator.simulate.faults.play_faults import PLAY_FAULTS
from validator.simulate.poker.betting import bet
from validator.simulate.poker.mistakes import Mistake
from validator.simulate.poker.showdown import divide_pots
from validator.simulate.procedure.occurrences import go_wrong_later
from validator.simulate.procedure.steps import record, state_numbers
from validator.simulate.stakes.settlement import pay_and_take, raise_meters
from validator.simulate.stakes.wagers import bring_chips, claim, decide, place_opening_wagers, post, take_seats
from validator.simulate.table.chance import Luck, stream
from validator.simulate.table.house import House
from validator.simulate.table.records import Round
from validator.simulate.table.view import View

POOL = 512
"""Rounds that are tried at once at the most; at first a few will do, and ever more as long as too few fit."""
FIRST_POOL = 16
PATIENCE = 40
"""Rounds that are tried for each round that is asked for: so seldom a fault may fit and still be planted as often
as it should."""
LONGEST_SEARCH = 2048
"""Rounds that are tried, if need be, however little is asked for; if the fault fitted none of them, none will be looked
for any more."""
_HOPE = 1 / 16
"""How often a fault is taken to fit at tables where it was not tried yet."""
_OFTEN = 100
"""In so many of a thousand deals cards are miscounted at a place, at a table where that happens often."""

_Advance = Callable[[House, list[Round], Luck], object]
_Stages = Mapping[Stage, tuple[_Advance, ...]]
_AGAINST_THE_HOUSE: _Stages = {
    Stage.WAGERS: (place_opening_wagers,),
    Stage.CARDS: (raise_meters, deal_cards),
    Stage.DECISIONS: (decide, go_wrong_later),
    Stage.EXCHANGE: (claim, exchange),
    Stage.OUTCOME: (pay_and_take,),
}
_AMONG_PLAYERS: _Stages = {
    Stage.WAGERS: (bring_chips, post),
    Stage.CARDS: (deal_cards,),
    Stage.DECISIONS: (bet, go_wrong_later),
    Stage.EXCHANGE: (),  # which came with the betting
    Stage.OUTCOME: (divide_pots,),
}


def _stages_of(house: House) -> _Stages:
    return _AGAINST_THE_HOUSE if house.game.betting is None else _AMONG_PLAYERS


def see_to_wagers(house: House) -> None:
    """Raises ValueError, with a sentence for people, where no round can be started with what the house has posted."""
    rng = stream(0)
    rounds = take_seats(house, 1, rng)
    for advance in _stages_of(house)[Stage.WAGERS]:
        advance(house, rounds, rng)


def play(house: House, count: int, rng: Luck, planting: Planting | None = None) -> list[Round]:
    """`count` rounds as they should be; or, where there is a fault, those of them that it fits, with it in each."""
    hands = planting.fault.operand if planting is not None and planting.fault.operator == "seats" else None
    rounds = take_seats(house, count, rng, None if hands is None else (hands, hands))
    faults = [] if planting is None else [one for one in (planting.upon, planting) if one is not None]
    for stage, advances in _stages_of(house).items():
        here = [one for one in faults if one.stage is stage]
        if planting in here and planting is not None and planting.fault.operator == "act":
            mistake = Mistake(house, planting.fault.operand, planting.fault.where)
            bet(house, rounds, rng, mistake)
            rounds = [rounds[at] for at in sorted(mistake.made)]
            continue
        for advance in advances:
            advance(house, rounds, rng)
        for fault in here:  # what it does not fit is not played on
            breach = Breach(View(house, rounds), fault, rng)
            rounds = [one for one in rounds if breach.make(one, PLAY_FAULTS)]
        if not rounds:
            return []
    record(house, rounds, rng)
    state_numbers(house, rounds)
    if planting is None:
        return rounds
    if planting.stage is Stage.RECORD:
        breach = Breach(View(house, rounds, events=True), planting, rng)
        return [one for one in rounds if breach.make(one, EVENT_FAULTS)]
    return [one for one in rounds if not one.is_dead]  # of what was played in dead rounds nothing counts


class _Tables(Struct):
    """Tables of a house: how many rounds were tried there, and how many of them the fault fitted, with one more of both
    that speak for trying."""

    house: House
    tried: float
    fitted: int = 1


class Supply:
    """Rounds that break one requirement, as many as are asked for or can be found with reasonable patience.

    They are of ordinary tables or, where it hardly fits there, of eventful ones: wherever it fitted most often.
    What it gives depends on the seed, the fault and what was asked for before, on nothing else.
    """

    def __init__(self, house: House, planting: Planting, seed: int) -> None:
        self.planting = planting
        self._tables = [_Tables(house, 1), *(_Tables(one, 1 / _HOPE) for one in eventful(house))]
        self._key = (seed, 1, planting.requirement)
        self._tried = 0
        self._stock: list[Round] = []
        self._found = False

    def take(self, wanted: int) -> list[Round]:
        """At most `wanted` rounds, none of them given before."""
        tried, patience = 0, max(LONGEST_SEARCH, PATIENCE * wanted)
        while len(self._stock) < wanted and (tried < patience if self._found else self._tried < LONGEST_SEARCH):
            tried += self._try()
        given, self._stock = self._stock[:wanted], self._stock[wanted:]
        return given

    def _try(self) -> int:
        """Try a pool; returns how many rounds it has."""
        tables = max(self._tables, key=lambda one: one.fitted / one.tried)
        count = min(max(FIRST_POOL, int(tables.tried)), POOL)
        good = play(tables.house, count, stream(*self._key, self._tried), self.planting)
        self._tried += count
        self._found |= bool(good)
        tables.tried, tables.fitted = tables.tried + count, tables.fitted + len(good)
        for one in good:
            one.planted = (self.planting.requirement,)
        self._stock += good
        return count


def eventful(house: House) -> Iterator[House]:
    """The house, each time with one thing that seldom happens and now does so often: cards miscounted at a place,
    something that goes wrong, rare hands."""
    simulation, chances = house.simulation, house.simulation.chances
    for place in [place for place, chance in chances.miscounts.items() if chance]:
        often = {"miscounts": {**chances.miscounts, place: _OFTEN}}
        yield _changed(house, chances=chances.model_copy(update=often))
    for name, seldom in (("occurrences", simulation.goes_wrong), ("stacked", simulation.stacked)):
        # Chances are raised all alike until one or the other is sure to come up.
        total = max(sum(one.chance for one in seldom), 1)
        likely = [one.model_copy(update={"chance": max(one.chance * 1000 // total, one.chance)}) for one in seldom]
        if likely:
            yield _changed(house, **{name: likely})


def _changed(house: House, **fields: Any) -> House:
    return replace(house, simulation=house.simulation.model_copy(update=fields))
