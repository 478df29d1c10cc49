"""`python -m benchmarks.curves`: processor time and memory of every reader against the size of its input.

Each input is read in four sizes, each twice the one before. A line has the processor time and the memory of each size,
with all processes, and the growth: time that the last step adds, as a multiple of the step before. About 2 is linear.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq
import zstandard

from benchmarks.processes import watch_command

FAIRDEAL = str(Path(sys.executable).parent / "fairdeal")
GAME = "co-rule10-3card-shine"
SIZES = (1, 2, 4, 8)
MOST_GROWTH = 3.0
"""Most growth; 4 is quadratic."""
LEAST_STEP = 0.2
"""Seconds of processor time that a step adds at least, or its growth means nothing."""
MOST_MEMORY = 500
"""Most MiB of all processes together."""
_ROUNDS = 16_000
"""Rounds of the largest plain log."""


class CurveInputs:
    """Folder of inputs, made from one simulated log."""

    def __init__(self, folder: Path) -> None:
        """Simulate the log."""
        self.folder = folder
        self.submission, log = str(folder / "house.yaml"), folder / "base.jsonl"
        command = [FAIRDEAL, "simulate", GAME, "--rounds", str(_ROUNDS), "--seats", "1-1", "--seed", "1"]
        for path in (log, folder / "base.parquet"):
            subprocess.run([*command, "-o", str(path), "--write-submission", self.submission], check=True)
        self.lines = log.read_bytes().splitlines(keepends=True)

    def write(self, name: str, data: bytes) -> str:
        """Write a file, and return its path."""
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def take(self, times: int) -> bytes:
        """Return a log whose size is a multiple of that of the smallest."""
        return b"".join(self.lines[: _ROUNDS // SIZES[-1] * times])

    def change(self, times: int, change: Callable[[int, dict[str, Any]], None]) -> bytes:
        """Return a log with changed rounds."""
        records = [json.loads(line) for line in self.take(times).splitlines()]
        for number, record in enumerate(records):
            change(number, record)
        return "".join(json.dumps(record, separators=(",", ":")) + "\n" for record in records).encode()

    def results(self, times: int) -> str:
        """Return the path of results in which every round has a finding."""
        log = self.write("bad.jsonl", self.change(times, break_round))
        path = str(self.folder / "saved.json")
        subprocess.run([FAIRDEAL, "audit", log, "-s", self.submission, "-q", "-o", f"json:{path}"], check=False)
        return path

    def table(self, times: int) -> pa.Table:
        """Return a log as a table."""
        return pq.read_table(self.folder / "base.parquet").slice(0, _ROUNDS // SIZES[-1] * times)


def break_round(_: int, record: dict[str, Any]) -> None:
    """Shuffle the cards before a round is over."""
    record["events"].insert(-1, {"event": "shuffle", "by": "dealer"})


def name_apart(number: int, record: dict[str, Any]) -> None:
    """Give a round names that no other round has."""
    record.update({key: f"{key} {number}" for key in ("casino", "table", "deck")})
    record["context"] = {"dealer": f"Dealer {number}", "pit": f"Pit {number}", "shift": f"Shift {number}"}
    for seat in record["seats"]:
        seat["player"] = f"Player {number}"


def _one_round(events: int, wagers: int, awards: int) -> bytes:
    placed = [{"wager": f"w{number}", "amount": 1} for number in range(wagers)]
    played = [{"event": "award", "seat": 1, "pot": number % 90, "amount": 1} for number in range(awards)]
    round_ = {
        "round": "R",
        "table": "T",
        "time": "2026-03-02T18:00:00Z",
        "game": "poker-room",
        "seats": [{"seat": 1, "wagers": placed}, {"seat": 2, "wagers": []}],
        "events": [*([{"event": "shuffle"}] * events), *played],
    }
    return json.dumps(round_).encode() + b"\n"


def _hand(number: int) -> bytes:
    return (
        b'variant = "NT"\nantes = [0, 0]\nblinds_or_straddles = [1, 2]\nmin_bet = 2\nstarting_stacks = [200, 200]\n'
        b'actions = ["d dh p1 AcKc", "d dh p2 2d3d", "p2 f"]\nhand = %d\n' % number
    )


def _members(count: int) -> bytes:
    return gzip.compress(b"") * count


def _waivers(count: int) -> bytes:
    entry = (
        '- {licensee: C%d, document: co-rule10-3card-shine, clauses: ["(8)"], from: 2026-01-01,'
        " until: 2026-12-31, by: A, granted: 2026-01-01}\n"
    )
    return ("regulator: R\nwaivers:\n" + "".join(entry % number for number in range(count))).encode()


def shapes(given: CurveInputs) -> Iterator[tuple[str, Callable[[int], list[str]]]]:
    """Yield the name of each shape, and what makes an input of a size and returns the command that reads it."""
    audit = ["audit", "-q", "-o", "json:" + str(given.folder / "out.json")]

    def log(name: str, make: Callable[[int], bytes], *more: str) -> tuple[str, Callable[[int], list[str]]]:
        return name, lambda times: [*audit, *more, given.write(re.sub(".*: ", "log.", name), make(times))]

    def parquet(
        name: str, change: Callable[[pa.Table], pa.Table], **how: Any
    ) -> tuple[str, Callable[[int], list[str]]]:
        def make(times: int) -> list[str]:
            path = str(given.folder / "log.parquet")
            pq.write_table(change(given.table(times)), path, **how)
            return [*audit, path]

        return name, make

    def more_columns(table: pa.Table) -> pa.Table:
        for number in range(table.num_rows // 10):
            table = table.append_column(f"more{number}", pa.nulls(table.num_rows))
        return table

    def files(times: int) -> list[str]:
        folder = given.folder / "hands"
        folder.mkdir(exist_ok=True)
        for number in range(250 * times):
            (folder / f"{number}.phh").write_bytes(_hand(number))
        return [*audit, "--profile", "card-room-custom", str(folder)]

    def hands(times: int) -> bytes:
        return b"".join(b"[%d]\n%s" % (number, _hand(number)) for number in range(1, 2000 * times))

    statistics = ("--statistics", "-s", given.submission)
    yield log("plain: jsonl", given.take, "-s", given.submission)
    yield log("packed: jsonl.gz", lambda times: gzip.compress(given.take(times)))
    yield log("packed: jsonl.zst", lambda times: zstandard.compress(given.take(times)))
    yield parquet("Parquet, plain", lambda table: table, use_dictionary=False)
    yield parquet("Parquet, dictionary", lambda table: table)
    yield parquet("Parquet, many row groups", lambda table: table, row_group_size=16)
    yield parquet("Parquet, many columns", more_columns)
    yield log("hands of one file: phhs", hands, "--profile", "card-room-custom")
    yield "hands in many files", files
    yield log("names apart: jsonl", lambda times: given.change(times, name_apart))
    yield log("names apart, statistics: jsonl", lambda times: given.change(times, name_apart), *statistics)
    yield log("all irregular: jsonl", lambda times: given.change(times, break_round), "-s", given.submission)
    yield log("events of one round: jsonl", lambda times: _one_round(250 * times, 0, 0))
    yield log("wagers of one seat: jsonl", lambda times: _one_round(0, 8 * times, 0))
    yield log("awards of one round: jsonl", lambda times: _one_round(0, 0, 249 * times))
    yield log("broken lines: jsonl", lambda times: b"x\n" * 100_000 * times)
    yield log("one long line: jsonl", lambda times: b"x" * (4 << 20) * times)
    yield log("deep nesting: jsonl", lambda times: b"[" * 100_000 * times + b"\n")
    yield log("empty members: jsonl.gz", lambda times: _members(50_000 * times) + gzip.compress(given.take(1)))
    house = Path(given.submission).read_bytes()
    pad = b"# comment\n" * 50_000
    yield "submission", lambda times: ["check", given.write("s.yaml", house + pad * times)]
    yield "deep submission", lambda times: ["check", given.write("s.yaml", b"[" * 50_000 * times)]
    yield (
        "waivers",
        lambda times: ["check", "--waivers", given.write("w.yaml", _waivers(250 * times)), given.submission],
    )
    config = b"# comment\n" * 5_000
    yield "configuration", lambda times: ["check", "--config", given.write("f.toml", config * times), given.submission]
    yield "saved results", lambda times: ["report", given.results(times), "-o", f"html:{given.folder / 'r.html'}"]
    yield "verify", lambda times: ["verify", given.results(times), str(given.folder / "bad.jsonl"), given.submission]
    yield (
        "baseline",
        lambda times: [
            *audit,
            "--baseline",
            given.results(times),
            str(given.folder / "bad.jsonl"),
            "-s",
            given.submission,
        ],
    )
    kept = str(given.folder / "kept")

    def make_resumed(times: int) -> list[str]:
        command = [*audit, "--checkpoint", kept, given.write("log.jsonl", given.take(times))]
        subprocess.run([FAIRDEAL, *command], check=False)
        return command

    yield "checkpoint", make_resumed


@click.command()
@click.argument("wanted", nargs=-1)
def curves(wanted: tuple[str, ...]) -> None:
    """Measure the shapes whose names contain one of the words WANTED, or all."""
    missed = 0
    with tempfile.TemporaryDirectory(prefix="fairdeal-curves-") as name:
        os.chdir(name)
        for shape, make in shapes(CurveInputs(Path(name))):
            if wanted and not any(word in shape for word in wanted):
                continue
            runs = [watch_command([FAIRDEAL, *make(times)]) for times in SIZES]
            _, quarter, half, whole = (run.cpu_seconds for run in runs)
            growth = (whole - half) / max(half - quarter, LEAST_STEP)
            memory = [run.peak_bytes >> 20 for run in runs]
            is_missed = growth > MOST_GROWTH or max(memory) > MOST_MEMORY
            missed += is_missed
            times_ = " ".join(f"{run.cpu_seconds:6.2f}" for run in runs)
            columns = (
                f"{times_} s  {' '.join(f'{most:4}' for most in memory)} MiB  x {growth:.2f}  exit {runs[-1].code}"
            )
            click.echo(f"{shape:<32} {columns}{'  MISSED' if is_missed else ''}")
    click.echo(f"{missed} shapes are above linear time or {MOST_MEMORY} MiB")


if __name__ == "__main__":
    curves()
