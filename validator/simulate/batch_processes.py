"""Batches of a simulation that processes play in turn, and rounds that continue each other."""

from __future__ import annotations

import gc
import os
import pickle
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import numpy as np
from msgspec.structs import replace

from fairdeal.validator.arrays import Ints
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.facts.outcome_values import follow_results
from fairdeal.validator.engine.payouts import line_settlement
from fairdeal.validator.engine.payouts.due_amounts import bound_rounded
from fairdeal.validator.rules.payment_model import Rounding
from fairdeal.validator.simulate import round_records
from fairdeal.validator.simulate.round_records import SimulatedRound, SimulatedSeat, SimulatedStake
from fairdeal.validator.simulate.round_view import RoundView
from fairdeal.validator.simulate.simulated_house import RandomStream, RunningMeter, SimulatedHouse
from fairdeal.validator.worker_process import START_METHOD, begin_worker, make_killed_error, make_start_error

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

ROUNDS_OF_TABLE = 16
"""Number of rounds until a table opens anew."""
WARM_UP_ROUNDS = 6
"""Number of rounds that a table plays before rounds that are recorded alone: 1 to as many precede each."""

PlayRounds = Callable[[list[SimulatedRound]], object]
"""Function that plays rounds until they are settled."""


def carries_rounds(house: SimulatedHouse) -> bool:
    """Return whether rounds of a house depend on earlier rounds."""
    return bool(house.game.carried_outcomes) or any(map(house.find_offer, house.game.staying_wagers))


def leaves_stake(house: SimulatedHouse, stake: SimulatedStake) -> bool:
    """Return whether a settled stake stays on the table."""
    cases = house.game.settlement.cases
    return stake.case is not None and stake.case < len(cases) and cases[stake.case].due.leaves_stake


def open_table(house: SimulatedHouse, rounds: Sequence[SimulatedRound]) -> None:
    """Set the carried results of rounds with which a table opens."""
    for round_ in rounds:
        round_.outcomes = {name: house.prepared.outcomes[name].values[0] for name in house.game.carried_outcomes}


def continue_rounds(house: SimulatedHouse, before: Sequence[SimulatedRound]) -> list[SimulatedRound]:
    """Return the rounds after others: the same players, with the stakes and the results that these leave."""
    following = list[SimulatedRound]()
    for round_, outcomes in zip(before, _carry_outcomes(house, before), strict=True):
        seats = [SimulatedSeat(number=seat.number, player=seat.player) for seat in round_.seats]
        following.append(SimulatedRound(seats=seats, outcomes=outcomes))
        for seat, earlier in zip(seats, round_.seats, strict=True):
            for (name, tip, on), stake in earlier.stakes.items():
                if leaves_stake(house, stake):
                    key = (name, tip, on or _find_new_selection(house, name, round_))
                    lying = seat.stakes.setdefault(key, SimulatedStake())
                    lying.amount = lying.brought = lying.amount + stake.amount
    return following


def _find_new_selection(house: SimulatedHouse, name: str, before: SimulatedRound) -> str | None:
    """Return the selection that a stake gets when it stays; None if its wager has none."""
    selection = house.prepared.selections.get(name)
    if selection is None:
        return None
    outcome = house.prepared.outcomes[selection.outcome]
    value = outcome.number_of_text[before.outcomes[selection.outcome]]
    return str(outcome.numbers[value]) if selection.by == "total" else outcome.values[value]


def _carry_outcomes(house: SimulatedHouse, before: Sequence[SimulatedRound]) -> list[dict[str, str]]:
    """Return the carried results with which the next rounds begin."""
    carried, outcomes = house.game.carried_outcomes, house.prepared.outcomes
    if not carried:
        return [{} for _ in before]
    states = np.maximum(follow_results(RoundView(house, before, events=True).scope), 0)
    values = np.unravel_index(states, [len(outcomes[name].values) for name in carried])
    texts = [
        [outcomes[name].values[value] for value in column.tolist()]
        for name, column in zip(carried, values, strict=True)
    ]
    return [dict(zip(carried, row, strict=True)) for row in zip(*texts, strict=True)]


def play_tables(
    house: SimulatedHouse, count: int, take_seats: Callable[[int], list[SimulatedRound]], play: PlayRounds
) -> list[SimulatedRound]:
    """Play rounds table by table. The tables take turns, and each opens anew after some rounds.

    Args:
        house: the house.
        count: number of rounds.
        take_seats: returns a number of rounds with players.
        play: plays rounds until they are recorded.
    """
    tables, rounds = len(house.tables), dict[int, SimulatedRound]()
    for turn in range(ROUNDS_OF_TABLE):
        places = [at for at in range(count) if at // tables % ROUNDS_OF_TABLE == turn]
        if turn == 0:
            begun = take_seats(len(places))
            open_table(house, begun)
        else:
            begun = continue_rounds(house, [rounds[at - tables] for at in places])
        for round_ in begun:
            round_.count = turn + 1
        play(begun)
        rounds.update(zip(places, begun, strict=True))
    return [rounds[at] for at in range(count)]


def begin_in_play(house: SimulatedHouse, rounds: list[SimulatedRound], play: PlayRounds) -> list[SimulatedRound]:
    """Return as many rounds that begin in the middle of play: each follows some rounds that are not recorded.

    Some tables are played, and each gives a beginning after every one of its rounds: to play as many tables as rounds
    are wanted would take several times as long.
    """
    wanted = len(rounds)
    played, begun = rounds[: -(-wanted // WARM_UP_ROUNDS)], list[list[SimulatedRound]]()
    open_table(house, played)
    for _ in range(WARM_UP_ROUNDS):
        play(played)
        following = continue_rounds(house, [*played, *played])
        begun.append(following[: len(played)])
        played = following[len(played) :]
    return [round_ for table in zip(*begun, strict=True) for round_ in table][:wanted]


_APART = 10**6
"""Amount by which a meter is raised to measure its influence."""


Due = dict[tuple[round_records.SimulatedSeat, str, bool], int]
"""Amounts due by seat, wager or bonus, and whether the stake is a tip."""


def feed_meters(house: SimulatedHouse, rounds: list[round_records.SimulatedRound], rng: RandomStream) -> None:
    """Set the readings of meters before the wagers of each round, and with them. Uses no random numbers."""
    for round_ in rounds:
        for meter in house.meters:
            fed_by = meter.fed_by
            fed = 0 if fed_by is None else sum(1 for seat in round_.seats if seat.staked_on(fed_by))
            shown = meter.start + meter.increment * fed
            round_.meters[meter.name] = round_records.MeterReading(opening=meter.start, shown=shown, closing=shown)


def close_meters(view: RoundView) -> None:
    """Set the readings of meters after the awards of each round."""
    for meter in view.house.meters:
        dues = _find_dues(view, meter)
        for round_ in view.rounds:
            round_.meters[meter.name].closing = _find_closing(round_, meter, dues[round_])


def _find_dues(view: RoundView, meter: RunningMeter) -> Mapping[round_records.SimulatedRound, Due]:
    """Return the amounts due on stakes whose payments depend on a meter, by round."""
    dues = defaultdict[round_records.SimulatedRound, Due](dict)
    batch = view.scope.batch
    raised = replace(batch, meters=replace(batch.meters, shown=batch.meters.shown + _APART))
    further = EvaluationContext(raised, view.house.prepared, view.house.configuration)
    for name in meter.lines:
        line, other = (
            line_settlement.settle_line_definitely(view.scope, name),
            line_settlement.settle_line_definitely(further, name),
        )
        differs = np.flatnonzero(line.due_paid[0] * other.denominator != other.due_paid[0] * line.denominator)
        due = round_dues(line, line.due_paid[0])
        for at in differs.tolist():
            seat = view.seats[int(line.seat[at])]
            dues[view.round_of[seat]][seat, name, bool(line.tip[at])] = int(due[at])
    return dues


def round_dues(line: line_settlement.SettledLine, due: Ints) -> Ints:
    """Return amounts due in parts of a minor unit, int64[n], as whole minor units.

    An amount that nothing rounds is rounded down.
    """
    return bound_rounded(due, line.denominator, line.rounding or _DOWN)[0]


_DOWN = Rounding(allow="down")


def _find_closing(round_: round_records.SimulatedRound, meter: RunningMeter, dues: Due) -> int:
    """Return the reading of a meter after the awards of a round: its seed if all of it was won.

    Less than a minor unit for each stake may be left of it.
    """
    shown = round_.meters[meter.name].shown
    if dues and shown - sum(dues.values()) < len(dues):
        return meter.seed
    return shown - sum(seat.stakes[name, tip, None].paid for seat, name, tip in dues)


def carry_meters(
    house: SimulatedHouse, rounds: list[round_records.SimulatedRound], reads: dict[tuple[int, str], int]
) -> None:
    """Move the meters of rounds to the readings at their tables.

    Args:
        house: the house.
        rounds: the rounds.
        reads: readings by table and meter, which are updated.
    """
    view = RoundView(house, rounds)
    played = [(meter, _find_dues(view, meter)) for meter in house.meters]
    for round_ in rounds:
        # Deviation of the meter that a fault has planted.
        odd = {
            meter.name: round_.meters[meter.name].closing - _find_closing(round_, meter, dues[round_])
            for meter, dues in played
        }
        for name, was in round_.meters.items():
            further = reads[round_.table, name] - was.opening
            round_.meters[name] = round_records.MeterReading(
                was.opening + further, was.shown + further, was.closing + further
            )
        if any(dues[round_] for _, dues in played):
            now = RoundView(house, [round_])
            for meter, before in played:
                dues = _find_dues(now, meter)[round_]
                for stake, due in dues.items():
                    _pay_more(round_, *stake, more=due - before[round_].get(stake, due))
                round_.meters[meter.name].closing = _find_closing(round_, meter, dues) + odd[meter.name]
        reads.update({(round_.table, name): reading.closing for name, reading in round_.meters.items()})


def _pay_more(
    round_: round_records.SimulatedRound, seat: round_records.SimulatedSeat, name: str, tip: bool, *, more: int
) -> None:
    """Add to the payment of a stake, unless nothing was paid on it."""
    stake = seat.stakes[name, tip, None]
    stake.paid = max(stake.paid + more, 0) if stake.paid > 0 else stake.paid
    for event in round_.events:
        if event.kind == "pay" and (event.seat, event.wager, event.tip) == (seat, name, tip) and event.amount:
            event.amount = max(event.amount + more, 0)


Rounds = TypeVar("Rounds")
Result = TypeVar("Result")
Finished_co = TypeVar("Finished_co", covariant=True)
_RUN = "simulation"


class BatchPlayer(Protocol[Rounds, Finished_co]):
    """Player of the batches of a run."""

    tables: Any
    """State of the tables after the last finished batch; it can be pickled."""

    @property
    def batch_count(self) -> int:
        """Number of batches."""
        ...

    def play_rounds(self, number: int) -> Rounds:
        """Play the rounds of a batch, whatever the state of the tables."""
        ...

    def finish_batch(self, number: int, rounds: Rounds) -> Finished_co:
        """Put the rounds of a batch in order at the tables, and update the state of the tables."""
        ...


def play_in_processes(player: BatchPlayer[Any, Result], jobs: int) -> Iterator[Result]:
    """Yield the results of all batches in order, played by this process or by several.

    Processes are forked, where the system can do so. Each waits until its last result is taken, which bounds memory.

    Args:
        player: player of the batches.
        jobs: most processes.

    Raises:
        ResourceError: If a process is killed or cannot be started.
    """
    jobs = min(jobs, player.batch_count) if START_METHOD == "fork" else 1
    if jobs > 1:
        with _Ring(player, jobs) as ring:
            for number in range(player.batch_count):
                yield ring.take_result(number)
        return
    for number in range(player.batch_count):
        yield player.finish_batch(number, player.play_rounds(number))


class _Ring(Generic[Result]):
    """Processes that play batches in turn. Each hands the state of the tables to the next."""

    def __init__(self, player: BatchPlayer[Any, Result], jobs: int) -> None:
        """Start the processes."""
        import multiprocessing  # noqa: PLC0415 - this process plays a short run alone

        context: Any = multiprocessing.get_context(START_METHOD)
        results, states = ([multiprocessing.Pipe(duplex=False) for _ in range(jobs)] for _ in range(2))
        every_end = [end for pipe in (*results, *states) for end in pipe]
        self._results, self._processes = [taken for taken, _ in results], list[Any]()
        try:
            for turn in range(jobs):
                own = (results[turn][1], states[turn][0], states[(turn + 1) % jobs][1])
                others = [end for end in every_end if end not in own]
                process = context.Process(target=_play_in_turn, args=(player, turn, jobs, own, others), daemon=True)
                process.start()
                self._processes.append(process)
        except OSError as error:
            self.stop()
            raise make_start_error(_RUN, error) from error
        finally:
            for end in every_end:
                if end not in self._results:
                    end.close()

    def __enter__(self) -> _Ring[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def take_result(self, number: int) -> Result:
        """Return the result of a batch, or raise the exception that playing it raised."""
        try:
            pickled = self._results[number % len(self._results)].recv_bytes()
        except (EOFError, OSError) as error:
            raise make_killed_error(_RUN) from error
        result: Result | Exception = pickle.loads(pickled)
        if isinstance(result, Exception):
            raise result
        return result

    def stop(self) -> None:
        """Stop all processes; nobody waits for what they still play."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.join()
        for end in self._results:
            end.close()


def _play_in_turn(
    player: BatchPlayer[Any, Any],
    turn: int,
    jobs: int,
    own: tuple[Connection, Connection, Connection],
    others: list[Connection],
) -> None:
    """Play every batch whose turn it is, until the receiver is gone.

    Args:
        player: player of the batches.
        turn: number of the first batch of this process.
        jobs: number of processes.
        own: pipes of this process: for results, for the state of the tables before a batch, and for the state after it.
        others: pipes of the other processes.
    """
    begin_worker(others)
    gc.disable()  # nearly all objects are alive while a batch is played
    results, before, after = own
    try:
        for number in range(turn, player.batch_count, jobs):
            results.send_bytes(_pickle_batch(player, number, before, after))
            gc.collect()
        before.close()
    except (EOFError, OSError):  # another process is gone
        os._exit(1)


def _pickle_batch(player: BatchPlayer[Any, Any], number: int, before: Connection, after: Connection) -> bytes:
    """Return the pickled result of a batch, or the exception that playing it raised."""
    result: object
    try:
        rounds = player.play_rounds(number)
    except Exception as error:  # raised again when the result is taken
        error.add_note(traceback.format_exc())
        return pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
    if number:
        player.tables = before.recv()
    try:
        result = player.finish_batch(number, rounds)
    except Exception as error:
        error.add_note(traceback.format_exc())
        return pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
    del rounds
    if number + 1 < player.batch_count:
        with suppress(OSError):  # the next process has failed, as its own result will show
            after.send(player.tables)
    return pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
