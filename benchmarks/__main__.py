"""`make bench`: speed of audits and checks, as ratios to what others do with the same files in the same run."""

from __future__ import annotations

import gc
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

import click
import orjson

from benchmarks.figures import Figure, print_figures
from benchmarks.histories import histories
from benchmarks.logs import SEATS, Logs, write_simulated, write_table
from benchmarks.odds import odds
from benchmarks.processes import Watched, time_command, watch_command
from benchmarks.simulating import simulating
from benchmarks.small_logs import small_logs

BIN = Path(sys.executable).parent
FAIRDEAL = str(BIN / "fairdeal")
JOBS = "2"
CHECKS = 5
TURNS = 3
"""Number of times that a log is parsed and audited, in turns; figures are of the median run."""
HISTORIES = "poker-room"
"""The game of which recorded hands are audited as well."""
FIRST = "co-rule10-3card-shine"
"""Game with which all others are compared, seat for seat."""
LONG = (FIRST, HISTORIES)
"""Games of which a longer log is audited, to see that memory does not grow with it."""
LONGER = 4
"""Factor by which that log is longer."""
SEAT_FOR_SEAT = ": seats audited, JSON Lines"
TARGETS = {FIRST: (0.8, 1.6), "s38": (0.7, 1.2), HISTORIES: (0.4, 0.6)}
"""The ratios to one thread of orjson that audits are to reach, from JSON Lines and from Parquet."""
MOST_MEMORY = 300.0
"""Megabytes that no audit is to need more than, however long the log."""
ONE_ROUND = 250.0
"""Milliseconds that the audit of a log of one round is to take at most."""
LONGEST = 300.0
"""Seconds that a run of all benchmarks is to take at most."""
TWICE = 2.0
"""A submission is to be checked in half the time that check-jsonschema takes."""
NOTHING_FAILED = (0, 4)
"""Exit codes of an audit of a clean log; some games ask for what no log shows."""


@click.command()
@click.option("--rounds", default=20_000, show_default=True, help=f"Rounds of the logs; of {FIRST} twice as many.")
@click.option("--game", "games", multiple=True, help="Games to measure; by default every one that can be played.")
@click.option("--output", default="out/bench.json", show_default=True)
def bench(rounds: int, games: tuple[str, ...], output: str) -> None:
    """Measure, print a table and write it as JSON: every line with its target, and whether that is met."""
    begun = time.monotonic()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        click.echo("simulating", err=True)
        chosen = {game: rounds * (1 + (game == FIRST)) for game in games or _games()}
        for game, logs in write_simulated(FAIRDEAL, chosen, Path(folder)).items():
            click.echo(f"measuring {game}", err=True)
            write_table(logs)
            figures += _audits(game, logs, seat_rounds_of_first=_seat_rounds(figures))
            for path in (logs.lines, logs.table):
                path.unlink()
        if not games or HISTORIES in games:
            click.echo("measuring hand histories", err=True)
            figures += histories(FAIRDEAL, Path(folder), jobs=JOBS)
        if not games or FIRST in games:
            click.echo("measuring odds", err=True)
            figures += odds(FAIRDEAL, Path(folder))
    took = time.monotonic() - begun
    figures.append(Figure(name="all of these measurements", value=took, unit="seconds", target=LONGEST))
    print_figures(figures, output)


def _games() -> list[str]:
    listed = subprocess.run([FAIRDEAL, "rules", "list", "--output", "json"], check=True, capture_output=True)
    playable = {regulation["document"] for regulation in json.loads(listed.stdout) if regulation["evidence"] == "round"}
    return sorted(playable, key=lambda game: (game != FIRST, game))


def _seat_rounds(figures: list[Figure]) -> float | None:
    """Seats audited a second, of the game that was measured first."""
    return next((figure.value for figure in figures if figure.name.endswith(SEAT_FOR_SEAT)), None)


def _audits(game: str, logs: Logs, *, seat_rounds_of_first: float | None) -> list[Figure]:
    lines, table, submission, rounds = logs.lines, logs.table, logs.submission, logs.rounds
    folder = lines.parent
    size = lines.stat().st_size
    command = [FAIRDEAL, "audit", "--submission", str(submission), "--output", f"json:{folder / 'results.json'}"]
    command += ["--jobs", JOBS]
    turns = [
        (_parse(lines), _time_audit([*command, str(lines)]), _time_audit([*command, str(table)])) for _ in range(TURNS)
    ]
    parsing, from_lines, from_table = (statistics.median(side) for side in zip(*turns, strict=True))
    in_lines, in_table = _watch_audit([*command, str(lines)]), _watch_audit([*command, str(table)])
    more = []
    if game in LONG:
        # A record that comes again is one more all the same, and takes memory of its own.
        longer = _watch_audit([*command, "-"], feed=lambda stream: _repeat(lines, LONGER, stream))
        more.append(_memory(f"{game}: memory, {LONGER * rounds:,} rounds", longer))
    if game == FIRST:
        more += [_one_round(command, lines), *_store(lines, folder / "store", command, rounds)]
    if game in TARGETS:
        more += small_logs(game, lines, command, _time_audit)
        more += simulating(FAIRDEAL, game, folder, lambda log: _time_audit([*command, str(log)]))
    check = _checks(game, submission)
    of_lines, of_table = TARGETS.get(game, (None, None))
    against = "orjson.loads of every line, one thread"
    seat_rounds = SEATS * rounds / from_lines
    return [
        Figure(name=f"{game}: bytes a round", value=size / rounds, unit="bytes"),
        Figure(name=f"{game}: orjson.loads", value=rounds / parsing, unit="rounds/s"),
        Figure(
            name=f"{game}: audit JSON Lines",
            value=rounds / from_lines,
            unit="rounds/s",
            against=against,
            ratio=statistics.median(parsed / audited for parsed, audited, _ in turns),
            target=of_lines,
        ),
        Figure(
            name=f"{game}: audit Parquet",
            value=rounds / from_table,
            unit="rounds/s",
            against=against,
            ratio=statistics.median(parsed / audited for parsed, _, audited in turns),
            target=of_table,
        ),
        Figure(
            name=f"{game}{SEAT_FOR_SEAT}",
            value=seat_rounds,
            unit="seats/s",
            against=None if seat_rounds_of_first is None else FIRST,
            ratio=None if seat_rounds_of_first is None else seat_rounds / seat_rounds_of_first,
        ),
        _memory(f"{game}: memory, {rounds:,} rounds", in_lines),
        _memory(f"{game}: memory, {rounds:,} rounds, Parquet", in_table),
        *more,
        *check,
    ]


def _memory(name: str, run: Watched) -> Figure:
    return Figure(name=name, value=run.peak_bytes / 1e6, unit="MB", target=MOST_MEMORY)


def _one_round(command: list[str], lines: Path) -> Figure:
    log = lines.with_name("one.jsonl")
    with lines.open("rb") as stream:
        log.write_bytes(stream.readline())
    took = [time_command([*command, str(log)]).seconds for _ in range(CHECKS)]
    value = 1000 * statistics.median(took[1:])
    return Figure(name=f"{FIRST}: audit a log of one round", value=value, unit="ms", target=ONE_ROUND)


def _store(lines: Path, folder: Path, command: list[str], rounds: int) -> list[Figure]:
    """Measure an audit of a store, and of the log that it holds."""
    shutil.rmtree(folder, ignore_errors=True)
    written = time_command([FAIRDEAL, "convert", str(lines), "--output", str(folder)])
    _clean(written.code, ["fairdeal", "convert"])
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    turns = [(_time_audit([*command, str(lines)]), _time_audit([*command, str(folder)])) for _ in range(TURNS)]
    of_store = statistics.median(seconds for _, seconds in turns)
    return [
        Figure(name=f"{FIRST}: convert", value=rounds / written.seconds, unit="rounds/s"),
        Figure(
            name=f"{FIRST}: bytes a round in the store",
            value=size / rounds,
            unit="bytes",
            against="smaller than JSON Lines",
            ratio=lines.stat().st_size / size,
        ),
        Figure(
            name=f"{FIRST}: audit the store",
            value=rounds / of_store,
            unit="rounds/s",
            against="audit of the JSON Lines",
            ratio=statistics.median(log / store for log, store in turns),
        ),
    ]


def _time_audit(command: list[str]) -> float:
    """Return the seconds of an audit of a clean log."""
    run = time_command(command)
    _clean(run.code, command)
    return run.seconds


def _watch_audit(command: list[str], **feed: object) -> Watched:
    run = watch_command(command, **feed)  # type: ignore[arg-type]
    _clean(run.code, command)
    return run


def _clean(code: int, command: list[str]) -> None:
    if code not in NOTHING_FAILED:
        raise click.ClickException(f"something failed in a clean log (exit {code}): {' '.join(command)}")


def _parse(path: Path) -> float:
    """Seconds to parse every line with orjson, as fast as it goes: nothing is kept, no collection runs."""
    loads = orjson.loads
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    with path.open("rb") as stream:
        for line in stream:
            loads(line)
    seconds = time.perf_counter() - start
    gc.enable()
    return seconds


def _repeat(path: Path, times: int, stream: IO[bytes]) -> None:
    for _ in range(times):
        with path.open("rb") as source:
            while part := source.read(1 << 20):
                stream.write(part)


def _checks(game: str, submission: Path) -> list[Figure]:
    """Measure `check` of one submission and check-jsonschema on the same file, in turns."""
    ours = [FAIRDEAL, "check", str(submission)]
    schema = submission.with_name("submission.schema.json")
    schema.write_bytes(subprocess.run([FAIRDEAL, "schema", "submission"], check=True, capture_output=True).stdout)
    theirs = [str(BIN / "check-jsonschema"), "--schemafile", str(schema), str(submission)]
    pairs = [(time_command(ours).seconds, time_command(theirs).seconds) for _ in range(CHECKS)]
    mine, other = (statistics.median(side) for side in zip(*pairs[1:], strict=True))
    ratio = statistics.median(theirs / ours for ours, theirs in pairs[1:])
    return [
        Figure(name=f"{game}: check-jsonschema on its submission", value=1000 * other, unit="ms"),
        Figure(
            name=f"{game}: check its submission",
            value=1000 * mine,
            unit="ms",
            against="check-jsonschema, same file",
            ratio=ratio,
            target=TWICE,
        ),
    ]


if __name__ == "__main__":
    bench()
