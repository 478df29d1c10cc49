"""`make bench-scale`: the same logs audited by every engine, with an estimate for a year.

Each engine audits two sizes. Its start takes the same time for both, so their difference shows its rate; the estimate
for a year uses that rate.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import click

from benchmarks.figures import Figure, print_figures
from benchmarks.processes import time_command

FAIRDEAL = str(Path(sys.executable).parent / "fairdeal")
GAME = "co-rule10-3card-shine"
LOGS = 8
"""Logs of the larger size: a cluster is given one after the other."""
PROCESSES = 2
CLEAN = (0, 4)
CASINOS, TABLES, HOURS, ROUNDS_AN_HOUR = 50, 40, 18, 60
"""Size of a year: casinos, tables of each, hours a day they are open, rounds an hour at each."""
YEAR = CASINOS * TABLES * HOURS * ROUNDS_AN_HOUR * 365
_SECONDS_A_DAY = 86_400


@click.command()
@click.option("--rounds", default=25_000, show_default=True, help=f"Rounds of each of {LOGS} logs.")
@click.option("--output", default="out/bench-scale.json", show_default=True)
def scale(rounds: int, output: str) -> None:
    """Measure every engine on the same logs, print a table and write it as JSON."""
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="fairdeal-scale-") as name:
        folder = Path(name)
        logs = _logs(folder, rounds)
        size = sum(path.stat().st_size for path in logs)
        figures.append(Figure(name="bytes a round, Parquet", value=size / (LOGS * rounds), unit="bytes"))
        for engine, options, processes in _engines():
            click.echo(f"measuring {engine}", err=True)
            figures += _measure(engine, options, processes, logs, folder, rounds)
    figures.append(
        Figure(
            name=f"a year: {CASINOS} casinos, {TABLES} tables, {HOURS} hours a day, {ROUNDS_AN_HOUR} rounds an hour",
            value=YEAR / 1e6,
            unit="M rounds",
            extrapolated=True,
        )
    )
    figures.append(
        Figure(name="a year: Parquet", value=YEAR * size / (LOGS * rounds) / 1e9, unit="GB", extrapolated=True)
    )
    print_figures(figures, output)


def _engines() -> list[tuple[str, list[str], int]]:
    """List the installed engines: a name, the options of `audit`, the number of processes that judge."""
    found = [
        ("local, one process", ["--jobs", "1"], 1),
        (f"local, {PROCESSES} processes", ["--jobs", str(PROCESSES)], PROCESSES),
    ]
    if find_spec("distributed"):
        found.append((f"Dask, {PROCESSES} workers", ["--engine", "dask", "--jobs", str(PROCESSES)], PROCESSES))
    else:
        click.echo("Dask is not installed, and not measured", err=True)
    if find_spec("pyspark") and (shutil.which("java") or os.environ.get("JAVA_HOME")):
        found.append((f"Spark, {PROCESSES} cores", ["--engine", "spark", "--jobs", str(PROCESSES)], PROCESSES))
    else:
        click.echo("Spark, or Java, is not installed, and not measured", err=True)
    return found


def _logs(folder: Path, rounds: int) -> list[Path]:
    """Logs of different rounds."""
    paths = [folder / f"{number}.parquet" for number in range(LOGS)]
    for number, path in enumerate(paths):
        command = [FAIRDEAL, "simulate", GAME, "--rounds", str(rounds), "--seed", str(number), "--seats", "6-6"]
        command += ["--output", str(path), "--write-submission", str(folder / "house.yaml")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return paths


_first: dict[int, str] = {}
"""SHA-256 of the first engine's results, by the number of logs."""


def _measure(
    engine: str, options: list[str], processes: int, logs: list[Path], folder: Path, rounds: int
) -> list[Figure]:
    took = {}
    for some in (logs[: LOGS // 4], logs):
        results = folder / "results.json"
        command = [FAIRDEAL, "audit", *map(str, some), "-s", str(folder / "house.yaml"), "-o", f"json:{results}"]
        run = time_command([*command, *options], SOURCE_DATE_EPOCH="0")
        if run.code not in CLEAN:
            raise click.ClickException(f"{engine} ended with {run.code}: {' '.join(options)}")
        digest = hashlib.sha256(results.read_bytes()).hexdigest()
        if _first.setdefault(len(some), digest) != digest:
            raise click.ClickException(f"{engine}: results differ in bytes from those of the first engine")
        took[len(some)] = run.seconds
    (few, short), (many, long) = sorted(took.items())
    measured = Figure(name=f"{engine}: {many * rounds:,} rounds", value=long, unit="seconds")
    if long <= short:
        click.echo(f"{engine}: no rate is known, as more rounds took no longer: raise --rounds", err=True)
        return [measured]
    rate = (many - few) * rounds / (long - short)
    begins = max(short - few * rounds / rate, 0.0)
    return [
        measured,
        Figure(name=f"{engine}: once it has begun", value=rate, unit="rounds/s"),
        Figure(name=f"{engine}: to begin and end", value=begins, unit="seconds", extrapolated=True),
        Figure(
            name=f"{engine}: a year, days of one processor",
            value=YEAR / rate * processes / _SECONDS_A_DAY,
            unit="days",
            extrapolated=True,
        ),
    ]


if __name__ == "__main__":
    scale()
