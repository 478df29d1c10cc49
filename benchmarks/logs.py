"""The hand logs that are audited: simulated, and written as Parquet as well."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
from msgspec import Struct

SEATS = 6


class Logs(Struct, frozen=True, kw_only=True):
    """Log of a game, as JSON Lines and as Parquet, and the submission under which it is played."""

    rounds: int
    lines: Path
    table: Path
    submission: Path


def write_simulated(fairdeal: str, games: Mapping[str, int], folder: Path) -> dict[str, Logs]:
    """Write logs of a number of rounds of each game. Two games are played at a time, as nothing is measured."""
    with ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda game: _play(fairdeal, game, games[game], folder), games)
        return dict(zip(games, made, strict=True))


def _play(fairdeal: str, game: str, rounds: int, folder: Path) -> Logs:
    logs = Logs(
        rounds=rounds,
        lines=folder / f"{game}.jsonl",
        table=folder / f"{game}.parquet",
        submission=folder / f"{game}.yaml",
    )
    command = [fairdeal, "simulate", game, "--rounds", str(rounds), "--seed", "1", "--seats", f"{SEATS}-{SEATS}"]
    command += ["--output", str(logs.lines), "--write-submission", str(logs.submission)]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise click.ClickException(f"{game} could not be simulated: {done.stderr}")
    return logs


def write_table(logs: Logs) -> None:
    """Write a log as Parquet, as it was read from its lines."""
    from fairdeal.validator.audit.submissions_in_force import AuditContext
    from fairdeal.validator.evidence.arrow.parquet_writer import write_parquet
    from fairdeal.validator.evidence.hand_log import HandLog
    from fairdeal.validator.rulebook.rulebook import Rulebook

    court = AuditContext(rulebook=Rulebook(folder=None), submissions=[], as_of=None, grants=[])
    log = HandLog(str(logs.lines), variants=court.load_variants)
    write_parquet((batch for block in log.blocks() for batch in block.decode(court.games).batches), str(logs.table))
