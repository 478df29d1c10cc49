"""Batches played by several processes: the same rounds, tables carried on, processes that fail or are killed."""

from __future__ import annotations

import os
import signal

import pytest

from fairdeal.validator.simulate.batch_processes import play_in_processes
from fairdeal.validator.text.diagnostics import ResourceError
from fairdeal.validator.worker_process import START_METHOD
from tests.facade.rounds import compile_game
from tests.facade.rules import load_regulation
from tests.facade.simulation import load_simulation, simulate_log

pytestmark = pytest.mark.skipif(START_METHOD != "fork", reason="one process plays where processes cannot be forked")


@pytest.mark.parametrize("game", ["poker-room", "s38", "caribbean-draw"])
def test_several_processes_play_the_rounds_of_one(game: str) -> None:
    regulation = load_regulation(game)
    prepared, simulation = compile_game(regulation), load_simulation(regulation)
    run = {"rounds": 110, "seed": 4, "batch_rounds": 24}
    alone = simulate_log(prepared, simulation, **run)
    assert len(alone.splitlines()) == 110
    assert simulate_log(prepared, simulation, jobs=3, **run) == alone


class Adding:
    """Player of batches whose result is the sum of the numbers so far, and the process that played it."""

    batch_count = 7

    def __init__(self, fails: int | None = None, *, is_killed: bool = False) -> None:
        self.tables = 0
        self._fails, self._is_killed = fails, is_killed

    def play_rounds(self, number: int) -> int:
        if number == self._fails:
            if self._is_killed:
                os.kill(os.getpid(), signal.SIGKILL)
            raise ValueError(f"batch {number} cannot be played")
        return number

    def finish_batch(self, number: int, rounds: int) -> tuple[int, int]:
        self.tables += rounds
        return self.tables, os.getpid()


@pytest.mark.parametrize("jobs", [1, 2, 3, 20])
def test_processes_hand_on_the_state_of_the_tables(jobs: int) -> None:
    results = list(play_in_processes(Adding(), jobs))
    assert [total for total, _ in results] == [0, 1, 3, 6, 10, 15, 21]
    processes = {process for _, process in results}
    assert len(processes) == min(jobs, 7)
    assert (os.getpid() in processes) is (jobs == 1)


def test_an_error_in_a_process_is_raised_after_the_batches_before_it() -> None:
    results, seen = play_in_processes(Adding(fails=4), 3), list[int]()
    with pytest.raises(ValueError, match="batch 4 cannot be played"):
        seen.extend(total for total, _ in results)
    assert seen == [0, 1, 3, 6]


def test_a_killed_process_is_an_error_of_the_environment() -> None:
    results, seen = play_in_processes(Adding(fails=3, is_killed=True), 2), list[int]()
    with pytest.raises(ResourceError, match="a process of the simulation was killed"):
        seen.extend(total for total, _ in results)
    assert seen == [0, 1, 3]


def test_processes_end_with_whoever_takes_the_batches() -> None:
    results = play_in_processes(Adding(), 2)
    _, process = next(results)
    results.close()  # type: ignore[attr-defined]  # a generator
    with pytest.raises(ProcessLookupError):
        os.kill(process, 0)
