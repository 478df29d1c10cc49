"""Rounds played from the first wager to the last payment: as they should be, or with a fault in each. Of the latter as
many are tried as it takes until enough of them fit."""

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
"""Rounds that are tried at once at the most; at first a few will do, and ever more as long as too few fit."""
FIRST_POOL = 64
PATIENCE = 40
"""Rounds that are tried for each round that is asked for: so seldom a fault may fit and still be planted as often
as it should."""
LONGEST_SEARCH = 2048
"""Rounds that are tried, if need be, however little is asked for; if the fault fitted none of them, none will be looked
for any more."""
_TRIED_IN_VAIN = 16
"""In so many rounds a fault is taken to fit once at tables where it was not tried yet."""
_OFTEN = 100
"""In so many of a thousand deals cards are miscounted at a place, at a table where that happens often."""

_Advance = Callable[[House, list[Round], Luck], object]
_AGAINST_THE_HOUSE: Mapping[Stage, tuple[_Advance, ...]] = {
    Stage.WAGERS: (place_opening_wagers,),
    Stage.CARDS: (raise_meters, deal_cards),
    Stage.DECISIONS: (decide, partial(go_wrong, later=True)),
    Stage.EXCHANGE: (claim, exchange),
    Stage.OUTCOME: (pay_and_take,),
    Stage.RECORD: (record,),
}
_AMONG_PLAYERS = {
    **_AGAINST_THE_HOUSE,
    Stage.WAGERS: (bring_chips, post),
    Stage.CARDS: (deal_cards,),
    Stage.DECISIONS: (bet, partial(go_wrong, later=True)),
    Stage.EXCHANGE: (),  # which came with the betting
    Stage.OUTCOME: (divide_pots,),
}
_WAYS = {**dict.fromkeys(Stage, PLAY_FAULTS), Stage.RECORD: EVENT_FAULTS}


def see_to_wagers(house: House) -> None:
    """Raises ValueError, with a sentence for people, where no round can be started with what the house has posted."""
    play(house, 1, stream(0), until=Stage.WAGERS)


def play(house: House, count: int, rng: Luck, *, until: Stage = Stage.RECORD) -> list[Round]:
    """`count` rounds as they should be, played as far as a stage."""
    rounds = take_seats(house, count, rng)
    _play_on(house, rounds, rng, range(Stage.WAGERS, until + 1))
    return rounds


def _play_on(house: House, rounds: list[Round], rng: Luck, stages: range) -> None:
    parts = _AGAINST_THE_HOUSE if house.game.betting is None else _AMONG_PLAYERS
    for advance in (advance for stage in stages if rounds for advance in parts[Stage(stage)]):
        advance(house, rounds, rng)


class Pools:
    """Rounds that have come as far as faults are made in them, shared by all faults of a batch: `given` are those that
    one of them has broken. `key` tells the luck of these rounds from any other."""

    def __init__(self, *key: int) -> None:
        self._key, self.given = key, set[Round]()
        self._views: dict[tuple[House, Stage], list[View]] = {}

    def views(self, house: House, stage: Stage) -> Iterator[View]:
        """Rounds of a house that have come to a stage, opened for questions: ever more of them."""
        views = self._views.setdefault((house, stage), [])
        for number in count():
            if number == len(views):
                rng = stream(*self._key, sum(map(len, self._views.values())))
                rounds = play(house, min(FIRST_POOL << number, POOL), rng, until=stage)
                views.append(View(house, rounds, events=stage is Stage.RECORD))
            yield views[number]


class _Tables(Struct, eq=False):
    """Tables of a house: how many rounds were tried there, and how many of them the fault fitted, with one more of both
    that speak for trying; those rounds as they are tried, None for each that does not fit."""

    house: House
    tried: int
    fitted: int = 1
    search: Iterator[Round | None] = iter(())

    @property
    def hope(self) -> float:
        """How often the fault fits, as far as it was tried."""
        return self.fitted / self.tried


class Supply:
    """Rounds that break one requirement, as many as are asked for or can be found with reasonable patience, at one of
    several `houses`: first the ordinary one or, where the fault hardly fits there, wherever it fits most often.

    What it gives depends on the seed, the fault and what was asked for before, for this fault or another.
    """

    def __init__(self, houses: Sequence[House], planting: Planting, seed: int) -> None:
        fault = planting.fault
        if fault.operator == "seats":
            houses = [replace(house, seats=(fault.operand, fault.operand)) for house in houses]
        elif fault.operator == "dealt":
            swapped = [replace(house, ways=house.other_ways, other_ways=house.ways) for house in houses]
            houses = [house for house in swapped if house.ways]
        self.planting = planting
        self._tables = [_Tables(house, _TRIED_IN_VAIN if at else 1) for at, house in enumerate(houses)]
        self._faults = [part for part in (planting.upon, planting) if part is not None]
        self._rng = stream(seed, 1, planting.requirement)
        self._tried = 0
        self._stock: list[Round] = []
        self._found = False

    def take(self, wanted: int, pools: Pools) -> list[Round]:
        """At most `wanted` rounds, none of them given before."""
        last = self._tried + max(LONGEST_SEARCH, PATIENCE * wanted)
        for tables in self._tables:
            tables.search = self._search(tables.house, pools)
        while self._tables and len(self._stock) < wanted and self._tried < (last if self._found else LONGEST_SEARCH):
            self._look_for(wanted - len(self._stock))
        given, self._stock = self._stock[:wanted], self._stock[wanted:]
        return given

    def _search(self, house: House, pools: Pools) -> Iterator[Round | None]:
        """Each round that no other fault has broken, with the first one made in it; None where that does not fit."""
        for view in pools.views(house, self._faults[0].stage):
            breach = Breach(view, self._faults[0], self._rng)
            for round_ in view.rounds:
                if round_ not in pools.given:
                    fits = breach.make(round_, _WAYS[self._faults[0].stage])
                    pools.given.update([round_] if fits else ())
                    yield round_ if fits else None

    def _look_for(self, wanted: int) -> None:
        """Try rounds until so many fit, but no more than a pool of them."""
        found = defaultdict[_Tables, list[Round]](list)
        if self.planting.fault.operator == "act":  # which fits all until they are bet
            wanted = max(FIRST_POOL, round(wanted / max(table.hope for table in self._tables)))
        for _ in range(POOL):
            tables = max(self._tables, key=lambda one: one.hope)
            one, tables.tried, self._tried = next(tables.search), tables.tried + 1, self._tried + 1
            if one is not None:
                tables.fitted, wanted = tables.fitted + 1, wanted - 1
                found[tables].append(one)
            if not wanted:
                break
        for tables, rounds in found.items():
            good = self._played_on(tables.house, rounds)
            tables.fitted -= len(rounds) - len(good)
            self._found |= bool(good)
            for round_ in good:
                round_.planted = (self.planting.requirement,)
            self._stock += good

    def _played_on(self, house: House, rounds: list[Round]) -> list[Round]:
        """Of rounds with the first fault in them those that come to their end with all that is to go wrong."""
        stage, rng, fault = self._faults[0].stage, self._rng, self.planting.fault
        for later in self._faults[1:]:
            _play_on(house, rounds, rng, range(stage + 1, later.stage + 1))
            stage = later.stage
            breach = Breach(View(house, rounds, events=stage is Stage.RECORD), later, rng)
            rounds = [round_ for round_ in rounds if breach.make(round_, _WAYS[stage])]
        if fault.operator == "act":
            mistake, stage = Mistake(house, fault.operand, fault.where), Stage.DECISIONS
            bet(house, rounds, rng, mistake)
            rounds = [rounds[at] for at in sorted(mistake.made)]
        _play_on(house, rounds, rng, range(stage + 1, Stage.RECORD + 1))
        # Of what was played in dead rounds nothing counts.
        return [round_ for round_ in rounds if stage is Stage.RECORD or not round_.is_dead]


def eventful(house: House) -> list[House]:
    """The house, each time with one thing that seldom happens and now does so often: cards miscounted at a place,
    something that goes wrong, rare hands."""
    simulation, chances = house.simulation, house.simulation.chances
    changes: list[dict[str, object]] = [
        {"chances": chances.model_copy(update={"miscounts": {**chances.miscounts, place: _OFTEN}})}
        for place, chance in chances.miscounts.items()
        if chance
    ]
    for name, seldom in (("occurrences", simulation.goes_wrong), ("stacked", simulation.stacked)):
        # Chances are raised all alike until one or the other is sure to come up.
        total = max(sum(mishap.chance for mishap in seldom), 1)
        likely = [
            mishap.model_copy(update={"chance": max(mishap.chance * 1000 // total, mishap.chance)}) for mishap in seldom
        ]
        changes += [{name: likely}] if likely else []
    return [replace(house, simulation=simulation.model_copy(update=change)) for change in changes]
