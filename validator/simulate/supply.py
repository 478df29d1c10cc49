"""Rounds played from the first wager to the last payment, correctly or with a fault.

Rounds are tried until enough of them fit the fault.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from validator.simulate.cards import deal_cards, exchange_cards
from validator.simulate.faults.event_faults import EVENT_FAULTS
from validator.simulate.faults.planting import FaultContext, FaultStage, PlannedFault
from validator.simulate.faults.play_faults import PLAY_FAULTS
from validator.simulate.poker.betting import play_betting
from validator.simulate.poker.mistakes import BettingMistake
from validator.simulate.poker.showdown import divide_pots
from validator.simulate.procedure.occurrences import add_mishaps
from validator.simulate.procedure.steps import record_rounds
from validator.simulate.stakes.settlement import feed_meters, settle_stakes
from validator.simulate.stakes.wagers import (
    bring_chips,
    claim_wins,
    make_decisions,
    place_opening_wagers,
    post_forced_bets,
    take_seats,
)
from validator.simulate.table.chance import RandomStream, seed_stream
from validator.simulate.table.house import SimulatedHouse
from validator.simulate.table.records import SimulatedRound
from validator.simulate.table.view import RoundView

POOL_SIZE = 512
"""Largest number of rounds that are tried at once. The first pool is smaller, and grows while too few rounds fit."""
FIRST_POOL_SIZE = 64
MOST_TRIES_PER_ROUND = 40
"""Number of tries for each wanted round. A fault that fits fewer rounds is planted less often than wanted."""
LONGEST_SEARCH = 2048
"""Smallest number of tries, however few rounds are wanted. If the fault fits none of them, the search ends for good."""
_TRIED_IN_VAIN = 16
"""Assumed number of tries for one success, at tables where the fault was not tried yet."""
_OFTEN = 100
"""Chance in a thousand of a miscount at a place, at tables where miscounts are frequent."""

_PlayStage = Callable[[SimulatedHouse, list[SimulatedRound], RandomStream], object]
_HOUSE_GAME_STAGES: Mapping[FaultStage, tuple[_PlayStage, ...]] = {
    FaultStage.WAGERS: (place_opening_wagers,),
    FaultStage.CARDS: (feed_meters, deal_cards),
    FaultStage.DECISIONS: (make_decisions, partial(add_mishaps, later=True)),
    FaultStage.EXCHANGE: (claim_wins, exchange_cards),
    FaultStage.OUTCOME: (settle_stakes,),
    FaultStage.RECORD: (record_rounds,),
}
_PLAYER_GAME_STAGES = {
    **_HOUSE_GAME_STAGES,
    FaultStage.WAGERS: (bring_chips, post_forced_bets),
    FaultStage.CARDS: (deal_cards,),
    FaultStage.DECISIONS: (play_betting, partial(add_mishaps, later=True)),
    FaultStage.EXCHANGE: (),  # which was part of the betting
    FaultStage.OUTCOME: (divide_pots,),
}
_FAULTS_BY_STAGE = {**dict.fromkeys(FaultStage, PLAY_FAULTS), FaultStage.RECORD: EVENT_FAULTS}


def require_playable_wagers(house: SimulatedHouse) -> None:
    """Raise ValueError, with a message for users, if no round can begin with the posted wagers."""
    play_rounds(house, 1, seed_stream(0), until=FaultStage.WAGERS)


def play_rounds(
    house: SimulatedHouse, count: int, rng: RandomStream, *, until: FaultStage = FaultStage.RECORD
) -> list[SimulatedRound]:
    """Play `count` correct rounds up to a stage."""
    rounds = take_seats(house, count, rng)
    _play_stages(house, rounds, rng, range(FaultStage.WAGERS, until + 1))
    return rounds


def _play_stages(house: SimulatedHouse, rounds: list[SimulatedRound], rng: RandomStream, stages: range) -> None:
    parts = _HOUSE_GAME_STAGES if house.game.betting is None else _PLAYER_GAME_STAGES
    for advance in (advance for stage in stages if rounds for advance in parts[FaultStage(stage)]):
        advance(house, rounds, rng)


class RoundPool:
    """Rounds played up to the stage of a fault, shared by all faults of a batch."""

    def __init__(self, *key: int) -> None:
        """Start without rounds.

        Args:
            key: key of the random numbers, different for each pool.
        """
        self._key, self.used_rounds = key, set[SimulatedRound]()
        self._views: dict[tuple[SimulatedHouse, FaultStage], list[RoundView]] = {}

    def open_views(self, house: SimulatedHouse, stage: FaultStage) -> Iterator[RoundView]:
        """Yield views of rounds of a house that have reached a stage, without end."""
        views = self._views.setdefault((house, stage), [])
        for number in count():
            if number == len(views):
                rng = seed_stream(*self._key, sum(map(len, self._views.values())))
                rounds = play_rounds(house, min(FIRST_POOL_SIZE << number, POOL_SIZE), rng, until=stage)
                views.append(RoundView(house, rounds, events=stage is FaultStage.RECORD))
            yield views[number]


class _HouseTrials(Struct, eq=False):
    """Trials of a fault in rounds of one house."""

    house: SimulatedHouse
    tried: int
    """Number of rounds that were tried, plus an assumed start value."""
    fitted: int = 1
    """Number of rounds that the fault fitted, plus one."""
    search: Iterator[SimulatedRound | None] = iter(())
    """Rounds as they are tried; None for each that does not fit."""

    @property
    def hit_rate(self) -> float:
        """Return the share of tries in which the fault fitted."""
        return self.fitted / self.tried


class FaultyRounds:
    """Rounds that break one requirement.

    They come from the ordinary house or, if the fault hardly fits there, from the house where it fits most often. The
    rounds depend on the seed, on the fault, and on earlier calls for this and other faults.
    """

    def __init__(self, houses: Sequence[SimulatedHouse], planting: PlannedFault, seed: int) -> None:
        """Prepare the search.

        Args:
            houses: houses to try, the ordinary one first.
            planting: the fault.
            seed: seed of the random numbers.
        """
        fault = planting.fault
        if fault.operator == "seats":
            houses = [replace(house, seats=(fault.operand, fault.operand)) for house in houses]
        elif fault.operator == "dealt":
            swapped = [replace(house, ways=house.other_ways, other_ways=house.ways) for house in houses]
            houses = [house for house in swapped if house.ways]
        self.planting = planting
        self._tables = [_HouseTrials(house, _TRIED_IN_VAIN if at else 1) for at, house in enumerate(houses)]
        self._faults = [part for part in (planting.earlier_fault, planting) if part is not None]
        self._rng = seed_stream(seed, 1, planting.requirement)
        self._tried = 0
        self._stock: list[SimulatedRound] = []
        self._has_succeeded = False

    def take(self, wanted: int, pools: RoundPool) -> list[SimulatedRound]:
        """Return new rounds with the fault: as many as are wanted, or as can be found with reasonable effort."""
        last = self._tried + max(LONGEST_SEARCH, MOST_TRIES_PER_ROUND * wanted)
        for tables in self._tables:
            tables.search = self._search(tables.house, pools)
        while (
            self._tables
            and len(self._stock) < wanted
            and self._tried < (last if self._has_succeeded else LONGEST_SEARCH)
        ):
            self._try_rounds(wanted - len(self._stock))
        given, self._stock = self._stock[:wanted], self._stock[wanted:]
        return given

    def _search(self, house: SimulatedHouse, pools: RoundPool) -> Iterator[SimulatedRound | None]:
        """Yield each round that no other fault has used, with the first part of the fault; None for rounds that do
        not fit."""
        for view in pools.open_views(house, self._faults[0].stage):
            breach = FaultContext(view, self._faults[0], self._rng)
            for round_ in view.rounds:
                if round_ not in pools.used_rounds:
                    fits = breach.break_round(round_, _FAULTS_BY_STAGE[self._faults[0].stage])
                    pools.used_rounds.update([round_] if fits else ())
                    yield round_ if fits else None

    def _try_rounds(self, wanted: int) -> None:
        """Try rounds until the wanted number fits, but at most one pool of them."""
        fitting = defaultdict[_HouseTrials, list[SimulatedRound]](list)
        if self.planting.fault.operator == "act":  # fits every round until its betting is played
            wanted = max(FIRST_POOL_SIZE, round(wanted / max(table.hit_rate for table in self._tables)))
        for _ in range(POOL_SIZE):
            tables = max(self._tables, key=lambda trials: trials.hit_rate)
            round_, tables.tried, self._tried = next(tables.search), tables.tried + 1, self._tried + 1
            if round_ is not None:
                tables.fitted, wanted = tables.fitted + 1, wanted - 1
                fitting[tables].append(round_)
            if not wanted:
                break
        for tables, rounds in fitting.items():
            good = self._complete_rounds(tables.house, rounds)
            tables.fitted -= len(rounds) - len(good)
            self._has_succeeded |= bool(good)
            for planted in good:
                planted.planted = (self.planting.requirement,)
            self._stock += good

    def _complete_rounds(self, house: SimulatedHouse, rounds: list[SimulatedRound]) -> list[SimulatedRound]:
        """Return the rounds with the first part of the fault that can be completed with all its parts."""
        stage, rng, fault = self._faults[0].stage, self._rng, self.planting.fault
        for later in self._faults[1:]:
            _play_stages(house, rounds, rng, range(stage + 1, later.stage + 1))
            stage = later.stage
            breach = FaultContext(RoundView(house, rounds, events=stage is FaultStage.RECORD), later, rng)
            rounds = [round_ for round_ in rounds if breach.break_round(round_, _FAULTS_BY_STAGE[stage])]
        if fault.operator == "act":
            mistake, stage = BettingMistake(house, fault.operand, fault.where), FaultStage.DECISIONS
            play_betting(house, rounds, rng, mistake)
            rounds = [rounds[at] for at in sorted(mistake.mistaken_rounds)]
        _play_stages(house, rounds, rng, range(stage + 1, FaultStage.RECORD + 1))
        # Nothing that was played in dead rounds counts.
        return [round_ for round_ in rounds if stage is FaultStage.RECORD or not round_.is_dead]


def list_eventful_houses(house: SimulatedHouse) -> list[SimulatedHouse]:
    """Return copies of the house, each with one rare event made frequent: miscounts at a place, mishaps, or rare
    hands."""
    simulation, chances = house.simulation, house.simulation.chances
    changes: list[dict[str, object]] = [
        {"chances": chances.model_copy(update={"miscounts": {**chances.miscounts, place: _OFTEN}})}
        for place, chance in chances.miscounts.items()
        if chance
    ]
    for name, seldom in (("occurrences", simulation.irregular_occurrences), ("stacked", simulation.stacked)):
        # Raise all chances by one factor, so that some event is certain.
        total = max(sum(mishap.chance for mishap in seldom), 1)
        likely = [
            mishap.model_copy(update={"chance": max(mishap.chance * 1000 // total, mishap.chance)}) for mishap in seldom
        ]
        changes += [{name: likely}] if likely else []
    return [replace(house, simulation=simulation.model_copy(update=change)) for change in changes]
