"""Small inputs that unfold to any size: memory stays bounded, whatever reads them, by one process or two."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import zstandard

from tests.cli.peak import can_measure, measure_peak
from tests.facade.commands import run
from tests.facade.demo import GAME, demo_submission

pytestmark = pytest.mark.skipif(not can_measure(), reason="the system does not tell what memory processes take")

MOST = 500
"""MiB that the program takes with all its processes."""
LINES = 300_000
PACKED_LINES = 20_000
"""Lines in formats that differ from others only in how they are unpacked; one test reads all `LINES`."""


def zst(pieces: Iterator[bytes], path: Path) -> None:
    with path.open("wb") as stream, zstandard.ZstdCompressor().stream_writer(stream) as packed:
        for piece in pieces:
            packed.write(piece)


def broken_lines(count: int = LINES) -> Iterator[bytes]:
    return (b"x\n" * 10_000 for _ in range(count // 10_000))


def small_rounds() -> Iterator[bytes]:
    """Yield rounds with as many events as possible, in as few bytes as possible."""
    events = b",".join([b'{"event":"shuffle"}'] * 2000)
    round_ = (
        b'{"round":"%d","table":"T","time":"2026-03-02T18:00:00Z","game":"poker-room",'
        b'"seats":[{"seat":1,"wagers":[]},{"seat":2,"wagers":[]}],"events":[%s]}\n'
    )
    return (round_ % (number, events) for number in range(300))


def many_tables() -> Iterator[bytes]:
    """Yield short rounds, each at its own table."""
    round_ = (
        b'{"round":"R%d","table":"T%d","time":"2026-03-02T00:00:00Z","game":"poker-room",'
        b'"seats":[{"seat":1,"wagers":[]},{"seat":2,"wagers":[]}]}\n'
    )
    return (round_ % (number, number) for number in range(60_000))


def hand_headers() -> Iterator[bytes]:
    return (b"".join(b"[%d]\n" % (100 * number + index) for index in range(100)) for number in range(3_000))


def rounds(count: int) -> dict[str, pa.Array]:
    wagers = pa.list_(pa.struct([("wager", pa.string()), ("amount", pa.int64())]))
    seats = pa.list_(pa.struct([("seat", pa.int64()), ("wagers", wagers)]))
    seat = [{"seat": 1, "wagers": [{"wager": "ante", "amount": 100}]}]
    return {
        "round": pa.array([f"R{number}" for number in range(count)]),
        "table": pa.array(["T"] * count),
        "time": pa.array([datetime(2026, 3, 2, 18)] * count, pa.timestamp("us")),
        "game": pa.array([GAME] * count),
        "seats": pa.array([seat] * count, seats),
    }


def events(count: int, ends: np.ndarray[tuple[int], np.dtype[np.int32]]) -> pa.Array:
    """Return equal events, which take no room in a file, as lists that end at these places."""
    kinds = pa.DictionaryArray.from_arrays(pa.array(np.zeros(count, np.int32)), pa.array(["shuffle"]))
    entries = pa.StructArray.from_arrays([kinds], ["event"])
    return pa.ListArray.from_arrays(pa.array(np.concatenate([np.zeros(1, np.int32), ends])), entries)


def write_events(table: dict[str, pa.Array], path: Path) -> None:
    """Write rounds with equal events, which a reader sees as text."""
    pq.write_table(pa.table(table), path, compression="zstd", store_schema=False)


def one_round(path: Path) -> None:
    count = 10_000_000
    write_events({**rounds(1), "events": events(count, np.array([count], np.int32))}, path)


def one_round_of_many(path: Path) -> None:
    count, many = 6_000_000, 4096
    ends = np.where(np.arange(many) < many // 2, 0, count).astype(np.int32)
    write_events({**rounds(many), "events": events(count, ends)}, path)


def full_rounds(path: Path) -> None:
    many = 4096
    ends = (np.arange(many, dtype=np.int32) + 1) * 2000
    write_events({**rounds(many), "events": events(2000 * many, ends)}, path)


def long_id(path: Path) -> None:
    table = {**rounds(1), "round": pa.array(["x" * 100_000_000])}
    pq.write_table(pa.table(table), path, compression="zstd", use_dictionary=False, write_statistics=False)


def long_ids(path: Path) -> None:
    """Write one text that thousands of rounds share."""
    table = {**rounds(4096), "round": pa.array(["x" * 100_000] * 4096, pa.large_string())}
    pq.write_table(pa.table(table), path, compression="zstd", use_dictionary=["round"], write_statistics=False)


def long_reasons(path: Path) -> None:
    """Write a list of quarantined records, as stores have it."""
    reasons = pa.array(["x" * 100_000] * 4096, pa.large_string()).cast(pa.string())
    fields = [("log", pa.string()), ("line", pa.int64()), ("column", pa.int64()), ("reason", pa.string())]
    columns = [pa.array(["l"] * 4096), pa.array(range(4096)), pa.nulls(4096, pa.int64()), reasons]
    pq.write_table(pa.table(columns, pa.schema(fields)), path, compression="zstd")


def text(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


LOGS: dict[str, Callable[[Path], object]] = {
    "rounds.jsonl.zst": lambda path: zst(small_rounds(), path),
    "tables.jsonl.zst": lambda path: zst(many_tables(), path),
    "headers.phhs.zst": lambda path: zst(hand_headers(), path),
    "one-round.parquet": one_round,
    "one-round-of-many.parquet": one_round_of_many,
    "full-rounds.parquet": full_rounds,
    "long-id.parquet": long_id,
    "long-ids.parquet": long_ids,
    "long-reasons.parquet": long_reasons,
}
OTHERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "values.yaml": ("check {}", text(b"a:\n" + b"- 1\n" * 1_000_000)),
    "values.json": ("check {}", text(b"[" + b"[]," * 1_500_000 + b"1]")),
    "findings.json": (
        "report {} -o text",
        text(b'{"fairdeal-results":2,"findings":[' + b"{}," * 3_000_000 + b"{}]}"),
    ),
    "lines.json": (
        "report {} -o text",
        text(b'{"fairdeal-results":2,\n"findings": [\n' + b"{},\n" * 300_000 + b"{}\n]}"),
    ),
    "large.json": ("report {} -o text", text(b" " * (1 << 28))),
}


def assert_bounded_audit(*names: str) -> str:
    """Assert that an audit of logs stays within bounds and ends as it should, and return its messages."""
    found = measure_peak("audit", *names, "-q", "-j", "2", "-o", "json:out.json")
    assert found.peak < MOST, found
    assert found.code in (1, 3, 4)
    assert "Traceback" not in found.err
    assert "internal error" not in found.err
    return found.err


@pytest.mark.parametrize("name", LOGS)
def test_a_log_unfolds_within_bounds(name: str, place: Path) -> None:
    LOGS[name](place / name)
    assert_bounded_audit(name)


def test_logs_without_a_round_unfold_within_bounds(place: Path) -> None:
    broken = b"".join(broken_lines(PACKED_LINES))
    contents = {
        "broken.jsonl": broken,
        "broken.jsonl.gz": gzip.compress(broken),
        "broken.jsonl.bz2": bz2.compress(broken),
        "broken.jsonl.xz": lzma.compress(broken),
        "table.csv": b"round,table,time\n" + b"1,2,3\n" * LINES,
    }
    for name, content in contents.items():
        (place / name).write_bytes(content)
    messages = assert_bounded_audit(*contents)
    assert [name for name in contents if f"--> {name}" not in messages] == []


@pytest.mark.parametrize("name", OTHERS)
def test_other_inputs_unfold_within_bounds(name: str, place: Path) -> None:
    command, write = OTHERS[name]
    write(place / name)
    found = measure_peak(*command.format(name).split())
    assert found.peak < MOST, found
    assert (found.code, "Traceback" in found.err) == (3, False)


def test_results_of_any_size_are_read(place: Path) -> None:
    (place / "house.yaml").write_text(demo_submission())
    run("check", "house.yaml", "-q", "-o", "json:small.json")
    gap = {"after": "1", "before": "3", "missing": 1, "why": "it is not in the log"}
    session = {
        **{"document": GAME, "casino": None, "table": "T", "first": "1", "begins": None, "last": "2", "ends": None},
        **{"rounds": 2, "openings": 1, "gaps": [gap] * 50_000, "gaps-found": 50_000},
    }
    line = json.dumps(session).encode()
    head, key, rest = (place / "small.json").read_bytes().partition(b'"sessions": [')
    with (place / "large.json").open("wb") as stream:
        stream.write(head + key + b"\n")
        for _ in range(20):
            stream.write(line + b",\n")
        stream.write(line + b"\n" + rest)
    assert (place / "large.json").stat().st_size > 64 << 20
    found = measure_peak("report", "large.json", "-o", "concise")
    assert (found.code, found.err) == (0, "")
    assert found.peak < MOST


def test_all_broken_lines_are_counted_within_bounds(place: Path) -> None:
    zst(broken_lines(), place / "broken.jsonl.zst")
    sound = {name: column[0].as_py() for name, column in rounds(1).items()}
    sound["time"] = "2026-03-02T18:00:00Z"
    (place / "sound.jsonl").write_text(json.dumps(sound))
    found = measure_peak("audit", "broken.jsonl.zst", "sound.jsonl", "-q", "-j", "2", "-o", "json:out.json")
    assert found.peak < MOST, found
    assert found.code == 3
    results = json.loads((place / "out.json").read_bytes())
    logs = {source["file"]: source for source in results["provenance"]["inputs"]}
    assert logs["broken.jsonl.zst"]["quarantined"] == LINES
    assert logs["sound.jsonl"]["checked"] == 1
    assert len(results["quarantined"]) == 1000
