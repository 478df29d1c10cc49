"""Batches of a simulation played by several processes, in turn.

The rounds of a batch depend on the seed and on the number of the batch. Only the tables connect batches: meters,
decks, players and chips. So each process plays its batches, and hands the state of the tables to the process with the
next one.
"""

from __future__ import annotations

import gc
import os
import pickle
import traceback
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from fairdeal.validator.worker_process import START_METHOD, begin_worker, make_killed_error, make_start_error

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

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
