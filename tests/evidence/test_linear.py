"""The cost of reading and judging grows with the input, not with its square: work is counted, not timed."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from fairdeal.validator.engine.pots import pot_totals
from fairdeal.validator.evidence.io import log_formats
from tests.facade.commands import run


def bytes_taken(members: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Count the bytes handed to zlib, which copies unread input, for a file of a number of empty members."""
    taken = 0

    class Counted:
        def __init__(self, wbits: int) -> None:
            self._member = begin(wbits=wbits)

        def decompress(self, packed: bytes) -> bytes:
            nonlocal taken
            taken += len(packed)
            return self._member.decompress(packed)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._member, name)

    begin = zlib.decompressobj
    data = gzip.compress(b"x\n") + gzip.compress(b"") * members
    with monkeypatch.context() as patched:
        patched.setattr(zlib, "decompressobj", Counted)
        assert b"".join(log_formats.unpack(data[:8], [data], size=1 << 20)) == b"x\n"
    return taken


def test_members_of_gzip_take_linear_work(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = (bytes_taken(members, monkeypatch) for members in (4_000, 8_000))
    assert many < 2.2 * few


def times_pots_are_counted(awards: int, path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """Count how often the pots of a round with wrong awards are counted, and the findings."""
    seats: list[dict[str, Any]] = [
        {"seat": seat, "player": f"P{seat}", "stack": 100_000, "wagers": []} for seat in range(1, 10)
    ]
    seats[0]["wagers"] = [{"wager": "small-blind", "amount": 100}]
    seats[1]["wagers"] = [{"wager": "big-blind", "amount": 200}]
    blinds = [{"event": "wager", "seat": seat["seat"], **seat["wagers"][0]} for seat in seats[:2]]
    folds = [{"event": "decide", "seat": seat, "decision": "fold", "amount": 0} for seat in (*range(3, 10), 1)]
    wrong = [{"event": "award", "seat": 3 + place % 7, "pot": 3 + place % 90, "amount": 1} for place in range(awards)]
    record = {
        **{"round": "H0", "table": "P1", "time": "2026-03-02T18:00:00Z", "game": "poker-room", "number": 1},
        **{"button": 9, "seats": seats, "events": blinds + folds + wrong},
    }
    path.write_text(json.dumps(record))
    counted = 0
    count = pot_totals._count_pots

    def counting(scope: Any) -> Any:
        nonlocal counted
        counted += 1
        return count(scope)

    with monkeypatch.context() as patched:
        patched.setattr(pot_totals, "_count_pots", counting)
        found = run("audit", path, "-q", "-j", "1", "-o", "json")
    return counted, len(found.results["findings"])


def test_pots_are_not_counted_for_each_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few, findings = times_pots_are_counted(100, tmp_path / "few.jsonl", monkeypatch)
    many, more_findings = times_pots_are_counted(200, tmp_path / "many.jsonl", monkeypatch)
    assert more_findings > findings + 90
    assert 0 < many == few
