"""Simulation run: batches of rounds with ids, tables and times, some with a planted fault.

Rounds are played from the first wager to the last payment. For a fault, rounds are tried until enough of them fit.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from functools import partial
from itertools import count

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.engine.core.compiled_game import CompiledGame
from fairdeal.validator.evidence.columns.round_batch import Batch
from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.rules.simulation_model import Simulation
from fairdeal.validator.simulate import batch_processes, simulated_stakes, table_sessions
from fairdeal.validator.simulate.batch_processes import begin_in_play, carries_rounds, play_in_processes, play_tables
from fairdeal.validator.simulate.fault_planting import FaultContext, FaultStage, PlannedFault, plan_faults
from fairdeal.validator.simulate.occasional_steps import add_mishaps
from fairdeal.validator.simulate.poker_players import BettingMistake
from fairdeal.validator.simulate.poker_rounds import divide_pots, play_betting
from fairdeal.validator.simulate.procedure_steps import leave_out_undealt, record_rounds, state_numbers
from fairdeal.validator.simulate.round_faults import EVENT_FAULTS, PLAY_FAULTS
from fairdeal.validator.simulate.round_records import SimulatedRound
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_deal import (
    bring_cards,
    deal_by_rule,
    deal_cards,
    exchange_cards,
    set_hands,
)
from fairdeal.validator.simulate.simulated_house import RandomStream, SimulatedHouse, seed_stream, set_up_house
from fairdeal.validator.simulate.varied_records import RecordVariety, vary_house

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
    FaultStage.WAGERS: (simulated_stakes.place_opening_wagers,),
    FaultStage.CARDS: (batch_processes.feed_meters, deal_cards),
    FaultStage.DECISIONS: (
        partial(simulated_stakes.make_decisions, bring_cards=bring_cards),
        partial(add_mishaps, later=True),
    ),
    FaultStage.EXCHANGE: (deal_by_rule, simulated_stakes.claim_wins, exchange_cards, set_hands),
    FaultStage.OUTCOME: (simulated_stakes.settle_stakes,),
    FaultStage.RECORD: (record_rounds, leave_out_undealt),
}
_PLAYER_GAME_STAGES = {
    **_HOUSE_GAME_STAGES,
    FaultStage.WAGERS: (simulated_stakes.bring_chips, simulated_stakes.post_forced_bets),
    FaultStage.CARDS: (deal_cards,),
    FaultStage.DECISIONS: (play_betting, partial(add_mishaps, later=True)),
    FaultStage.EXCHANGE: (),  # which was part of the betting
    FaultStage.OUTCOME: (divide_pots,),
    FaultStage.RECORD: (record_rounds,),
}
_FAULTS_BY_STAGE = {**dict.fromkeys(FaultStage, PLAY_FAULTS), FaultStage.RECORD: EVENT_FAULTS}


_TRIED_ROUNDS = 8
"""Number of rounds of which one at least must begin with a wager."""


def require_playable_wagers(house: SimulatedHouse) -> None:
    """Raise ValueError, with a message for users, if no round can begin with the posted wagers."""
    rounds = play_rounds(house, _TRIED_ROUNDS, seed_stream(0), until=FaultStage.WAGERS)
    if not any(seat.stakes for round_ in rounds for seat in round_.seats):
        raise ValueError("the submission offers no wager that a round can be started with")


def play_rounds(
    house: SimulatedHouse, count: int, rng: RandomStream, *, until: FaultStage = FaultStage.RECORD
) -> list[SimulatedRound]:
    """Play `count` correct rounds up to a stage."""
    rounds = simulated_stakes.take_seats(house, count, rng)
    if carries_rounds(house):
        rounds = begin_in_play(house, rounds, partial(_play_until, FaultStage.OUTCOME, house, rng))
    _play_stages(house, rounds, rng, range(FaultStage.WAGERS, until + 1))
    return rounds


def _play_until(last: FaultStage, house: SimulatedHouse, rng: RandomStream, rounds: list[SimulatedRound]) -> None:
    _play_stages(house, rounds, rng, range(FaultStage.WAGERS, last + 1))


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
            mistake, stage = BettingMistake(house, fault.operand, fault.when), FaultStage.DECISIONS
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


BATCH_ROUNDS = 2048
FAULT_INTERVAL = 10

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_STINT = 1_800 * _SECOND
"""Microseconds that a dealer stays at a table."""
_EPOCH = datetime(1970, 1, 1)

Planted = list[tuple[str, ...]]
"""Full ids of the requirements that each round of a batch breaks: usually none or one, several if a fault that spans
rounds meets a round with its own fault."""


class WorkPlan(Struct, frozen=True, kw_only=True):
    """Gaming days, shifts and dealers over which rounds are spread evenly."""

    days: int = 0
    """Number of gaming days, which last 24 hours each; 0 plays each table without a pause."""
    shifts: int = 1
    """Number of shifts of a gaming day, of the same length."""
    dealers: int = 0
    """Number of dealers, who move to the next table every half hour; 0 leaves dealers unrecorded."""

    def require_time(self, hands: int, step: int) -> None:
        """Raise ValueError, with a message for users, if shifts are too short for the rounds of a table.

        Args:
            hands: number of rounds at a table.
            step: microseconds from one round to the next.
        """
        if min(self.days, self.dealers) < 0 or self.shifts < 1:
            raise ValueError("days and dealers must be at least 0, shifts at least 1")
        if self.shifts > 1 and not self.days:
            raise ValueError("shifts divide gaming days: state the number of days")
        most = _DAY // self.shifts // step * self.shifts * self.days
        if self.days and hands > most:
            days = f"{self.days:,} day{'' if self.days == 1 else 's'}"
            raise ValueError(f"a table has time for {most:,} rounds in {days}, and {hands:,} are wanted")

    def find_time(self, hand: int, hands: int, step: int) -> int:
        """Return the time of a round at its table, in microseconds after the first one; arguments as above."""
        slots = self.days * self.shifts
        if not slots:
            return hand * step
        slot = hand * slots // hands
        return slot * _DAY // self.shifts + (hand - -(-slot * hands // slots)) * step

    def describe(self, time: int, table: int) -> dict[str, str]:
        """Return the notes of a round on its dealer and shift.

        Args:
            time: microseconds after the first round.
            table: number of the table.
        """
        notes = {}
        if self.dealers:
            notes["dealer"] = f"D{(table + time // _STINT) % self.dealers + 1}"
        if self.shifts > 1:
            notes["shift"] = f"{time % _DAY * self.shifts // _DAY + 1}"
        return notes


WITHOUT_PAUSE = WorkPlan()
"""Plan of a run without days, shifts and dealers."""


class _TablesState(Struct, frozen=True):
    """State of the tables between two batches."""

    readings: dict[tuple[int, str], int]
    """Readings by table and meter."""
    sessions: table_sessions.SessionState | None
    """Decks and occasional steps; None in games without them."""
    stacks: table_sessions.StacksState | None
    """Players and chips; None in games without chips."""


def simulate(
    prepared: CompiledGame,
    simulation: Simulation,
    *,
    submission: Submission,
    rounds: int,
    seed: int,
    faults: Sequence[str] = (),
    every: int = FAULT_INTERVAL,
    batch_rounds: int = BATCH_ROUNDS,
    seats: tuple[int, int] | None = None,
    vary: int = 0,
    work: WorkPlan = WITHOUT_PAUSE,
    jobs: int = 1,
) -> Iterator[tuple[Batch, Planted]]:
    """Simulate a game under a submission: yield batches of rounds in log order, with the faults planted in each.

    The same seed and arguments give the same rounds on every machine; another `batch_rounds` gives other rounds. Rounds
    without a fault are the same with and without `faults`.

    With faults, every `every`-th round, beginning with the first, breaks one of the requirements in turn. Such a round
    is dealt again until the fault fits. If that takes too long, the round stays clean. So a fault that fits no round is
    never planted.

    Raises ValueError with a message for users, before the first batch. Causes are invalid arguments, requirements that
    do not exist or cannot be broken, and submissions under which the game cannot be played.

    Args:
        prepared: the game.
        simulation: habits and chances of the simulation.
        submission: choices of the house.
        rounds: number of rounds.
        seed: seed of the random numbers.
        faults: requirements to break, by name or full id.
        every: distance between rounds with a fault.
        batch_rounds: number of rounds in a batch.
        seats: smallest and largest number of hands in a round; None for those of the simulation.
        vary: percentage of rounds with the variety that the rules permit; 0 for rounds as the simulation describes
            them.
        work: gaming days, shifts and dealers.
        jobs: most processes that play batches. Faults are planted, and rounds varied, by one.
    """
    if rounds < 0 or seed < 0 or every < 1 or batch_rounds < 1:
        raise ValueError("rounds and seed must be at least 0, every and batch_rounds at least 1")
    wanted = plan_faults(prepared, faults)
    house = set_up_house(prepared, simulation, submission, faults=[planting.fault for planting in wanted], seats=seats)
    if rounds:
        require_playable_wagers(house)
    work.require_time(-(-rounds // len(house.tables)), simulation.seconds * _SECOND)
    variety = RecordVariety(house, vary) if vary else None
    run = _Run(
        vary_house(house, vary),
        wanted,
        variety,
        rounds=rounds,
        seed=seed,
        every=every,
        batch_rounds=batch_rounds,
        work=work,
    )
    # The search for rounds that a fault fits goes on from batch to batch, and players arrive after those who left.
    return play_in_processes(run, 1 if wanted or vary else jobs)


class _Run:
    """Run of a simulation, batch by batch."""

    def __init__(
        self,
        house: SimulatedHouse,
        plantings: Sequence[PlannedFault],
        variety: RecordVariety | None,
        *,
        rounds: int,
        seed: int,
        every: int,
        batch_rounds: int,
        work: WorkPlan,
    ) -> None:
        """Prepare a run; the arguments are those of `simulate`."""
        self._house, self._plantings, self._seed, self._every = house, plantings, seed, every
        self._rounds, self._batch_rounds, self._variety, self._work = rounds, batch_rounds, variety, work
        houses = [house, *list_eventful_houses(house)]
        self._supplies = [
            None if table_sessions.spans_rounds(house, planting) else FaultyRounds(houses, planting, seed)
            for planting in plantings
        ]
        session = house.simulation.session
        self._sessions = None if session is None else table_sessions.SimulatedSessions(house, session)
        self._stacks = None if house.simulation.stacks is None else table_sessions.TableStacks(house)
        self._readings = {
            (table, meter.name): meter.start for table in range(len(house.tables)) for meter in house.meters
        }
        self.batch_count = -(-rounds // batch_rounds)

    @property
    def tables(self) -> _TablesState:
        """State of the tables after the last finished batch."""
        return _TablesState(
            readings=self._readings,
            sessions=None if self._sessions is None else self._sessions.state,
            stacks=None if self._stacks is None else self._stacks.state,
        )

    @tables.setter
    def tables(self, state: _TablesState) -> None:
        self._readings = state.readings
        if self._sessions is not None and state.sessions is not None:
            self._sessions.state = state.sessions
        if self._stacks is not None and state.stacks is not None:
            self._stacks.state = state.stacks

    def play_rounds(self, number: int) -> list[SimulatedRound]:
        """Play the correct rounds of a batch, whatever the state of the tables."""
        size = min(self._batch_rounds, self._rounds - number * self._batch_rounds)
        rng = seed_stream(self._seed, 0, number)
        if carries_rounds(self._house):
            take_seats = partial(simulated_stakes.take_seats, self._house, rng=rng)
            return play_tables(self._house, size, take_seats, partial(_play_until, FaultStage.RECORD, self._house, rng))
        return play_rounds(self._house, size, rng)

    def finish_batch(self, number: int, rounds: list[SimulatedRound]) -> tuple[Batch, Planted]:
        """Put the rounds of a batch in order at the tables, with faults, and update the state of the tables."""
        first, spanning = number * self._batch_rounds, self._plant_faults(number, rounds)
        for at, round_ in enumerate(rounds, start=first):
            self._label_round(round_, at)
        if self._house.meters:
            batch_processes.carry_meters(self._house, rounds, self._readings)
        if self._stacks is not None:
            self._stacks.link_rounds(rounds, spanning, seed_stream(self._seed, 2, number))
        view = (
            RoundView(self._house, rounds, events=True)
            if self._sessions is None
            else self._sessions.arrange_rounds(rounds, spanning)
        )
        recorded = state_numbers(view)
        if self._variety is not None:
            for event, amount in zip(view.events, recorded.events.amount.tolist(), strict=True):
                event.amount = None if amount == ABSENT else amount
            recorded = self._variety.vary(view, seed_stream(self._seed, 3, number))
        return recorded, [round_.planted for round_ in rounds]

    def _label_round(self, round_: SimulatedRound, number: int) -> None:
        """Set the id, table, time, line and notes of a round from its number in the run.

        Tables take turns, each a little later than the previous one.
        """
        house, tables = self._house, len(self._house.tables)
        hand, round_.table = divmod(number, tables)
        start = max(house.simulation.start, datetime.combine(house.submission.effective, time())) - _EPOCH
        step = house.simulation.seconds * _SECOND
        after = self._work.find_time(hand, -(-self._rounds // tables), step) + round_.table * step // tables
        round_.time = start // timedelta(microseconds=1) + after
        round_.notes = self._work.describe(after, round_.table)
        round_.name, round_.line = f"{house.tables[round_.table]}-{hand + 1:06d}", number + 1

    def _plant_faults(self, number: int, rounds: list[SimulatedRound]) -> list[table_sessions.SpanningFault]:
        """Replace rounds of a batch by rounds with faults, and return the faults that span rounds."""
        first, pools, spanning = (
            number * self._batch_rounds,
            RoundPool(self._seed, 1, number),
            list[table_sessions.SpanningFault](),
        )
        begins = range(-first % self._every, len(rounds), self._every)
        for turn, (planting, supply) in enumerate(zip(self._plantings, self._supplies, strict=True)):
            places = [at for at in begins if (first + at) // self._every % len(self._plantings) == turn]
            if supply is None:
                spanning.append(
                    table_sessions.SpanningFault(planting=planting, planned_rounds={rounds[at] for at in places})
                )
                continue
            for at, round_ in zip(places, supply.take(len(places), pools), strict=False):
                rounds[at] = round_
        return spanning
