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

import click
import orjson

from benchmarks.figures import Figure, print_figures
from benchmarks.histories import histories
from benchmarks.logs import SEATS, TABLES, Logs, deal_at_more_tables, write_simulated
from benchmarks.odds import odds
from benchmarks.processes import Watched, time_command, watch_command
from benchmarks.simulating import simulating
from benchmarks.small_logs import small_logs

BIN = Path(sys.executable).parent
FAIRDEAL = str(BIN / "fairdeal")
JOBS = "2"
CHECKS = 5
TURNS = 2
"""Number of times that a log is parsed and audited, in turns; figures are medians."""
HISTORIES = "poker-room"
"""The game of which recorded hands are audited as well."""
FIRST = "co-rule10-3card-shine"
"""Game with which all others are compared, seat for seat."""
IN_DETAIL = (FIRST, HISTORIES)
"""Games of which a shorter log, logs of one round and simulation are measured too."""
SEAT_FOR_SEAT = ": seats audited, JSON Lines"
TARGETS = {
    FIRST: (0.6, 1.0),
    "caribbean-draw": (0.55, 0.8),
    "co-rule10-flushes-gone-wild": (0.55, 0.75),
    "s38": (0.4, 0.6),
    HISTORIES: (0.26, 0.36),
}
"""The ratios to one thread of orjson that audits are to reach, from JSON Lines and from Parquet."""
MOST_MEMORY = 300.0
"""Megabytes that no audit is to need more than, however long the log."""
ONE_ROUND = 200.0
"""Milliseconds that the audit of a log of one round is to take at most."""
LONGEST = 360.0
"""Seconds that a run of all benchmarks is to take at most."""
FASTER_CHECK = 1.6
"""Factor by which a submission is to be checked faster than check-jsonschema does it."""
NOTHING_FAILED = (0, 4)
"""Exit codes of an audit of a clean log; some games ask for what no log shows."""


@click.command()
@click.option("--rounds", default=20_000, show_default=True, help=f"Rounds simulated; a log has {TABLES} times them.")
@click.option("--game", "games", multiple=True, help="Games to measure; by default every one that can be played.")
@click.option("--output", default="out/bench.json", show_default=True)
def bench(rounds: int, games: tuple[str, ...], output: str) -> None:
    """Measure, print a table and write it as JSON: every line with its target, and whether that is met."""
    begun = time.monotonic()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="fairdeal-bench-") as folder:
        click.echo("simulating", err=True)
        for game, simulated in write_simulated(FAIRDEAL, games or _games(), rounds, Path(folder)).items():
            click.echo(f"measuring {game}", err=True)
            logs = deal_at_more_tables(simulated)
            figures += _audits(game, logs, seat_rounds_of_first=_seat_rounds(figures))
            if game in IN_DETAIL:
                figures += _short(game, simulated)
            figures += _checks(game, simulated.submission)
            for path in (simulated.lines, simulated.table, logs.lines, logs.table):
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
    lines, table, rounds = logs.lines, logs.table, logs.rounds
    size = lines.stat().st_size
    command = _audit_command(logs)
    turns = [
        (_parse(lines), _time_audit([*command, str(lines)]), _time_audit([*command, str(table)])) for _ in range(TURNS)
    ]
    parsing, from_lines, from_table = (statistics.median(side) for side in zip(*turns, strict=True))
    in_lines, in_table = _watch_audit([*command, str(lines)]), _watch_audit([*command, str(table)])
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
    ]


def _short(game: str, logs: Logs) -> list[Figure]:
    """Measure what needs no long log: memory, a store, logs of one round, simulation."""
    command = _audit_command(logs)
    watched = _watch_audit([*command, str(logs.lines)])
    figures = [_memory(f"{game}: memory, {logs.rounds:,} rounds", watched)]
    if game == FIRST:
        figures += [_one_round(command, logs.lines), *_store(logs, command)]
    figures += small_logs(game, logs.lines, command, _time_audit)
    return figures + simulating(FAIRDEAL, game, logs.lines.parent, lambda log: _time_audit([*command, str(log)]))


def _audit_command(logs: Logs) -> list[str]:
    command = [FAIRDEAL, "audit", "--submission", str(logs.submission), "--jobs", JOBS]
    return [*command, "--output", f"json:{logs.lines.with_name('results.json')}"]


def _memory(name: str, run: Watched) -> Figure:
    return Figure(name=name, value=run.peak_bytes / 1e6, unit="MB", target=MOST_MEMORY)


def _one_round(command: list[str], lines: Path) -> Figure:
    log = lines.with_name("one.jsonl")
    with lines.open("rb") as stream:
        log.write_bytes(stream.readline())
    took = [time_command([*command, str(log)]).seconds for _ in range(CHECKS)]
    value = 1000 * statistics.median(took[1:])
    return Figure(name=f"{FIRST}: audit a log of one round", value=value, unit="ms", target=ONE_ROUND)


def _store(logs: Logs, command: list[str]) -> list[Figure]:
    """Measure an audit of a store, and of the log that it holds."""
    lines, rounds, folder = logs.lines, logs.rounds, logs.lines.with_name("store")
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


def _watch_audit(command: list[str]) -> Watched:
    run = watch_command(command)
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
            target=FASTER_CHECK,
        ),
    ]


if __name__ == "__main__":
    bench()
