"""Files that are imported, and the records and findings of their logs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fairdeal import api
from tests.facade.commands import run
from tests.facade.results import Status, skip_explanations
from tests.phh.audited import CUSTOM

Record = dict[str, Any]


def import_text(folder: Path, text: str | bytes, *options: str, name: str = "hands") -> tuple[list[Record], str]:
    """Import a file; return the records of the log, and the messages."""
    source, log = folder / name, folder / f"{name}.jsonl"
    source.write_bytes(text if isinstance(text, bytes) else text.encode())
    made = run("import", source, "-o", log, *options)
    return read_log(log), made.err


def read_log(path: Path) -> list[Record]:
    """Return the records of a log."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def normalize(record: Mapping[str, Any], *, without: Sequence[str] = ("context",)) -> Record:
    """Return a record in which equal rounds are equal."""
    kept = {key: value for key, value in record.items() if key not in without}
    seats = [{key: value for key, value in seat.items() if key != "bonuses"} for seat in kept["seats"]]
    seats.sort(key=lambda seat: int(seat["seat"]))
    for seat in seats:
        seat["wagers"] = sorted(seat["wagers"], key=lambda stake: str(stake["wager"]))
    unrecorded = {name for name in kept["unrecorded"] if "/" not in name}
    return {**kept, "seats": seats, "unrecorded": sorted(unrecorded)}


@cache
def _rulebook() -> api.Rulebook:
    return api.load_rulebook(profile=CUSTOM)


def list_findings(path: Path) -> set[tuple[str, str, int | None]]:
    """Return the failures of a log under the custom of card rooms: round, requirement and seat."""
    with skip_explanations():
        results = api.audit(_rulebook(), path)
    assert not results.quarantined
    return {
        (str(finding.where.round), finding.requirement.partition("/")[2], finding.where.seat)
        for finding in results.findings
        if finding.status in (Status.FAIL, Status.ERROR)
    }
