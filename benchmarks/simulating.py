"""Simulation of rounds, compared with the audit of the log that it makes."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from pathlib import Path

from benchmarks.figures import Figure
from benchmarks.processes import time_command, watch_command

ROUNDS = 4096
WARM_ROUNDS = 12_288
"""Rounds after which every process has played several batches, so that its memory has reached its size."""
LONGER = 3
"""Factor by which the longer run is longer, to see that memory does not grow with the rounds."""
TURNS = 2
MOST_GROWTH = 1.1
"""Most additional memory of the longer run: one batch."""


def simulating(fairdeal: str, game: str, folder: Path, audited: Callable[[Path], float]) -> list[Figure]:
    """Measure simulation of a game. `audited` audits a log and returns how many seconds that takes."""
    log, table = folder / f"{game}-simulated.jsonl", folder / f"{game}-simulated.parquet"
    command = [fairdeal, "simulate", game, "--seed", "1"]
    turns = [
        (time_command([*command, "--rounds", str(ROUNDS), "--output", str(log)]).seconds, audited(log))
        for _ in range(TURNS)
    ]
    simulated = statistics.median(seconds for seconds, _ in turns)
    few, many = (
        watch_command([*command, "--rounds", str(times * WARM_ROUNDS), "--output", str(table)]).peak_bytes
        for times in (1, LONGER)
    )
    log.unlink()
    table.unlink()
    return [
        Figure(
            name=f"{game}: simulate",
            value=ROUNDS / simulated,
            unit="rounds/s",
            against="audit of the log that it writes",
            ratio=statistics.median(audit / played for played, audit in turns),
        ),
        Figure(
            name=f"{game}: simulate to Parquet, memory of {LONGER} times as many rounds",
            value=many / few,
            unit="times",
            target=MOST_GROWTH,
        ),
    ]
