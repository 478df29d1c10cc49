"""The hand logs that are audited: simulated, dealt at more tables, and written as Parquet as well."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import click
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import yaml
from msgspec import Struct

from fairdeal.validator.audit.submissions_in_force import AuditContext
from fairdeal.validator.evidence.arrow.parquet_writer import ROUNDS_A_GROUP, open_parquet_file, write_parquet
from fairdeal.validator.evidence.hand_log import HandLog
from fairdeal.validator.rulebook.rulebook import Rulebook

SEATS = 6
TABLES = 5
"""Number of tables at which the rounds of each simulated table are dealt, because simulation takes long."""


class Logs(Struct, frozen=True, kw_only=True):
    """Log of a game, as JSON Lines and as Parquet, and the submission under which it is played."""

    rounds: int
    lines: Path
    table: Path
    submission: Path


def write_simulated(fairdeal: str, games: Sequence[str], rounds: int, folder: Path) -> dict[str, Logs]:
    """Write a log of some rounds of each game. Two games are played at a time, as nothing is measured."""
    with ThreadPoolExecutor(2) as pool:
        made = pool.map(lambda game: _play(fairdeal, game, rounds, folder), games)
        return dict(zip(games, made, strict=True))


def deal_at_more_tables(logs: Logs) -> Logs:
    """Write a log in which each table's rounds are dealt at `TABLES` tables, and a submission that lists them all.

    Audits of such a log and of as many different rounds take the same time, within two in a hundred.
    """
    submission = yaml.safe_load(logs.submission.read_bytes())
    tables = submission["tables"]
    more = Logs(
        rounds=TABLES * logs.rounds,
        lines=logs.lines.with_suffix(".more.jsonl"),
        table=logs.lines.with_suffix(".more.parquet"),
        submission=logs.submission.with_suffix(".more.json"),
    )
    submission["tables"] = [f"{table}-{number}" for number in range(TABLES) for table in tables]
    more.submission.write_text(json.dumps(submission), encoding="utf-8")
    text = logs.lines.read_bytes()
    with more.lines.open("wb") as stream:
        for number in range(TABLES):
            renamed = text
            for table in tables:
                renamed = renamed.replace(_name_table(table), _name_table(f"{table}-{number}"))
            stream.write(renamed)
    _write_tables(logs, more)
    return more


def _write_tables(logs: Logs, more: Logs) -> None:
    """Write the rounds of a log as Parquet, as they were read from its lines, and those of more tables too."""
    context = AuditContext(rulebook=Rulebook(folder=None), submissions=[], as_of=None, grants=[])
    log = HandLog(str(logs.lines), variants=context.load_variants)
    write_parquet((batch for block in log.blocks() for batch in block.decode(context.games).batches), str(logs.table))
    rounds = pq.read_table(logs.table)
    at = rounds.schema.get_field_index("table")
    renamed = (
        rounds.set_column(at, rounds.schema.field(at), pc.binary_join_element_wise(rounds["table"], f"{number}", "-"))
        for number in range(TABLES)
    )
    with more.table.open("wb") as stream, open_parquet_file(stream) as writer:
        writer.write_table(pa.concat_tables(renamed), row_group_size=ROUNDS_A_GROUP)


def _name_table(table: str) -> bytes:
    return b'"table":' + json.dumps(table).encode()


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
