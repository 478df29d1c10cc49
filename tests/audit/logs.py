"""Logs of all kinds that an audit may read, and results as bytes."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path
from typing import Any

from tests.facade.commands import ROOT, run
from tests.facade.demo import GAME, demo_lines, demo_round, demo_submission, to_log
from tests.facade.reports import write_json

LOGS = (
    "clean.jsonl",
    "faulty.jsonl",
    "broken.jsonl.gz",
    "shuffled.jsonl",
    "doubled.jsonl",
    "table.parquet",
    "hands.phhs",
)
BY_HAND = 26
"""Lines of the demo's log that are written by hand."""


def choose_lines() -> list[str]:
    """Choose lines of the demo's log, enough for ten blocks: those written by hand, those with a fault, and a third of
    the others."""
    return [
        line for place, line in enumerate(demo_lines()) if place < BY_HAND or place % 3 == 0 or '"planted":["' in line
    ]


def write_logs(folder: Path) -> None:
    """Write logs: clean, with faults, with broken lines and broken off, half of its rounds out of order, with rounds
    that are recorded again, and again otherwise; and a submission, `house.yaml`."""
    (folder / "house.yaml").write_text(demo_submission())
    command = ["simulate", GAME, "--rounds", "24", "--seats", "1-3", "-s", str(folder / "house.yaml")]
    assert run(*command, "--seed", "1", "-o", str(folder / "clean.jsonl")).code == 0
    fault = ["--fault", "two-hands-at-most", "--fault-every", "9"]
    assert run(*command, *fault, "--seed", "2", "-o", str(folder / "faulty.jsonl")).code == 0
    assert run(*command, "--seed", "3", "-o", str(folder / "table.parquet")).code == 0
    lines = choose_lines()
    (folder / "broken.jsonl.gz").write_bytes(gzip.compress(to_log(lines), mtime=0)[:-40])
    (folder / "shuffled.jsonl").write_bytes(to_log(random.Random(1).sample(lines, len(lines) // 2)))
    again = {**demo_round("hand-17"), "number": 99}
    (folder / "doubled.jsonl").write_bytes(to_log([*lines[5:15], again, *lines[30:33]]))
    hands = ROOT / "rules_data" / "poker-room" / "demo" / "hands.phhs"
    (folder / "hands.phhs").write_bytes(hands.read_bytes())


def to_bytes(results: Any) -> bytes:
    """Return results as bytes."""
    stream = io.BytesIO()
    write_json(results, stream)
    return stream.getvalue()
