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

from validator.simulate.cards import deal_cards, exchange
from validator.simulate.faults.event_faults import EVENT_FAULTS
from validator.simulate.faults.planting import Breach, Planting, Stage
from validator.simulate.faults.play_faults import PLAY_FAULTS
from validator.simulate.poker.betting import bet
from validator.simulate.poker.mistakes import Mistake
from validator.simulate.poker.showdown import divide_pots
from validator.simulate.procedure.occurrences import go_wrong
from validator.simulate.procedure.steps import record
from validator.simulate.stakes.settlement import pay_and_take, raise_meters
from validator.simulate.stakes.wagers import bring_chips, claim, decide, place_opening_wagers, post, take_seats
from validator.simulate.table.chance import Luck, stream
from validator.simulate.table.house import House
from validator.simulate.table.records import Round
from validator.simulate.table.view import View

POOL = 512
"""Largest number of rounds that are tried at once. The first pool is smaller, and grows while too few rounds fit."""
FIRST_POOL = 64
PATIENCE = 40
"""Number of tries for each wanted round. A fault that fits fewer rounds is planted less often than wanted."""
LONGEST_SEARCH = 2048
"""Smallest number of tries, however few rounds are wanted. If the fault fits none of them, the search ends for good."""
_TRIED_IN_VAIN = 16
"""Assumed number of tries for one success, at tables where the fault was not tried yet."""
_OFTEN = 100
"""Chance in a thousand of a miscount at a place, at tables where miscounts are frequent."""

_PlayStage = Callable[[House, list[Round], Luck], object]
_HOUSE_GAME_STAGES: Mapping[Stage, tuple[_PlayStage, ...]] = {
    Stage.WAGERS: (place_opening_wagers,),
    Stage.CARDS: (raise_meters, deal_cards),
    Stage.DECISIONS: (decide, partial(go_wrong, later=True)),
    Stage.EXCHANGE: (claim, exchange),
    Stage.OUTCOME: (pay_and_take,),
    Stage.RECORD: (record,),
}
_PLAYER_GAME_STAGES = {
    **_HOUSE_GAME_STAGES,
    Stage.WAGERS: (bring_chips, post),
    Stage.CARDS: (deal_cards,),
    Stage.DECISIONS: (bet, partial(go_wrong, later=True)),
    Stage.EXCHANGE: (),  # which was part of the betting
    Stage.OUTCOME: (divide_pots,),
}
_FAULTS_BY_STAGE = {**dict.fromkeys(Stage, PLAY_FAULTS), Stage.RECORD: EVENT_FAULTS}


def see_to_wagers(house: House) -> None:
    """Raise ValueError, with a message for users, if no round can begin with the posted wagers."""
    play(house, 1, stream(0), until=Stage.WAGERS)


def play(house: House, count: int, rng: Luck, *, until: Stage = Stage.RECORD) -> list[Round]:
    """Play `count` correct rounds up to a stage."""
    rounds = take_seats(house, count, rng)
    _play_stages(house, rounds, rng, range(Stage.WAGERS, until + 1))
    return rounds


def _play_stages(house: House, rounds: list[Round], rng: Luck, stages: range) -> None:
    parts = _HOUSE_GAME_STAGES if house.game.betting is None else _PLAYER_GAME_STAGES
    for advance in (advance for stage in stages if rounds for advance in parts[Stage(stage)]):
        advance(house, rounds, rng)


class Pools:
    """Rounds played up to the stage of a fault, shared by all faults of a batch."""

    def __init__(self, *key: int) -> None:
        """Start without rounds.

        Args:
            key: key of the random numbers, different for each pool.
        """
        self._key, self.given = key, set[Round]()
        self._views: dict[tuple[House, Stage], list[View]] = {}

    def views(self, house: House, stage: Stage) -> Iterator[View]:
        """Yield views of rounds of a house that have reached a stage, without end."""
        views = self._views.setdefault((house, stage), [])
        for number in count():
            if number == len(views):
                rng = stream(*self._key, sum(map(len, self._views.values())))
                rounds = play(house, min(FIRST_POOL << number, POOL), rng, until=stage)
                views.append(View(house, rounds, events=stage is Stage.RECORD))
            yield views[number]


class _HouseTrials(Struct, eq=False):
    """Trials of a fault in rounds of one house."""

    house: House
    tried: int
    """Number of rounds that were tried, plus an assumed start value."""
    fitted: int = 1
    """Number of rounds that the fault fitted, plus one."""
    search: Iterator[Round | None] = iter(())
    """Rounds as they are tried; None for each that does not fit."""

    @property
    def hit_rate(self) -> float:
        """Return the share of tries in which the fault fitted."""
        return self.fitted / self.tried


class Supply:
    """Rounds that break one requirement.

    They come from the ordinary house or, if the fault hardly fits there, from the house where it fits most often. The
    rounds depend on the seed, on the fault, and on earlier calls for this and other faults.
    """

    def __init__(self, houses: Sequence[House], planting: Planting, seed: int) -> None:
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
        self._faults = [part for part in (planting.upon, planting) if part is not None]
        self._rng = stream(seed, 1, planting.requirement)
        self._tried = 0
        self._stock: list[Round] = []
        self._has_succeeded = False

    def take(self, wanted: int, pools: Pools) -> list[Round]:
        """Return new rounds with the fault: as many as are wanted, or as can be found with reasonable effort."""
        last = self._tried + max(LONGEST_SEARCH, PATIENCE * wanted)
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

    def _search(self, house: House, pools: Pools) -> Iterator[Round | None]:
        """Yield each round that no other fault has used, with the first part of the fault; None for rounds that do
        not fit."""
        for view in pools.views(house, self._faults[0].stage):
            breach = Breach(view, self._faults[0], self._rng)
            for round_ in view.rounds:
                if round_ not in pools.given:
                    fits = breach.make(round_, _FAULTS_BY_STAGE[self._faults[0].stage])
                    pools.given.update([round_] if fits else ())
                    yield round_ if fits else None

    def _try_rounds(self, wanted: int) -> None:
        """Try rounds until the wanted number fits, but at most one pool of them."""
        fitting = defaultdict[_HouseTrials, list[Round]](list)
        if self.planting.fault.operator == "act":  # fits every round until its betting is played
            wanted = max(FIRST_POOL, round(wanted / max(table.hit_rate for table in self._tables)))
        for _ in range(POOL):
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

    def _complete_rounds(self, house: House, rounds: list[Round]) -> list[Round]:
        """Return the rounds with the first part of the fault that can be completed with all its parts."""
        stage, rng, fault = self._faults[0].stage, self._rng, self.planting.fault
        for later in self._faults[1:]:
            _play_stages(house, rounds, rng, range(stage + 1, later.stage + 1))
            stage = later.stage
            breach = Breach(View(house, rounds, events=stage is Stage.RECORD), later, rng)
            rounds = [round_ for round_ in rounds if breach.make(round_, _FAULTS_BY_STAGE[stage])]
        if fault.operator == "act":
            mistake, stage = Mistake(house, fault.operand, fault.where), Stage.DECISIONS
            bet(house, rounds, rng, mistake)
            rounds = [rounds[at] for at in sorted(mistake.made)]
        _play_stages(house, rounds, rng, range(stage + 1, Stage.RECORD + 1))
        # Nothing that was played in dead rounds counts.
        return [round_ for round_ in rounds if stage is Stage.RECORD or not round_.is_dead]


def eventful(house: House) -> list[House]:
    """Return copies of the house, each with one rare event made frequent: miscounts at a place, mishaps, or rare
    hands."""
    simulation, chances = house.simulation, house.simulation.chances
    changes: list[dict[str, object]] = [
        {"chances": chances.model_copy(update={"miscounts": {**chances.miscounts, place: _OFTEN}})}
        for place, chance in chances.miscounts.items()
        if chance
    ]
    for name, seldom in (("occurrences", simulation.goes_wrong), ("stacked", simulation.stacked)):
        # Raise all chances by one factor, so that some event is certain.
        total = max(sum(mishap.chance for mishap in seldom), 1)
        likely = [
            mishap.model_copy(update={"chance": max(mishap.chance * 1000 // total, mishap.chance)}) for mishap in seldom
        ]
        changes += [{name: likely}] if likely else []
    return [replace(house, simulation=simulation.model_copy(update=change)) for change in changes]
