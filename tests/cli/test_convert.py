"""A store holds the content of logs: an audit of it has the same results, and other programs read it."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from fairdeal.validator.evidence.arrow import parquet_writer as stores
from fairdeal.validator.evidence.arrow.parquet_writer import open_parquet_file
from fairdeal.validator.evidence.io.named_files import QUARANTINE_FILE
from tests.audit.logs import LOGS, write_logs
from tests.cli.helpers import drop_places
from tests.facade.commands import run
from tests.facade.demo import GAME, Record, demo_lines, demo_round, to_log
from tests.facade.evidence import HandLog, decode_records

ALIKE = ("verdict", "subject", "money", "requirements", "readings", "claims", "sessions")
COUNTS = ("read", "checked", "quarantined", "repeated", "contradicted")
PLACE = ("file", "line", "column", "pointer")


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    write_logs(folder)
    return folder


@pytest.fixture
def here(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in logs.iterdir():
        (tmp_path / path.name).symlink_to(path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def audit(*arguments: str) -> Any:
    return run("audit", *arguments, "-s", "house.yaml", "-o", "json").results


def list_findings(results: Any) -> list[str]:
    """List the content of findings. Left out are places in files, the id, which counts findings of one place, and the
    version, which counts records in reading order."""
    told = drop_places(results["findings"], *PLACE)
    said = [{key: value for key, value in record.items() if key not in ("id", "version")} for record in told]
    texts = (json.dumps(finding, sort_keys=True) for finding in said)
    return sorted(re.sub(r"(another record of this round, at )[^ ]+:\d+", r"\1", text) for text in texts)


def sum_counts(results: Any) -> dict[str, int]:
    of_logs = [source for source in results["provenance"]["inputs"] if source["kind"] == "hand log"]
    return {key: sum(results_[key] for results_ in of_logs) for key in COUNTS}


def same(of_logs: Any, of_store: Any) -> None:
    for key in ALIKE:
        assert of_store[key] == of_logs[key], key
    assert list_findings(of_store) == list_findings(of_logs)
    assert sum_counts(of_store) == sum_counts(of_logs)


def contents(folder: str) -> dict[str, str]:
    found = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def in_store(folder: str) -> list[Path]:
    return sorted(Path(folder).rglob(stores.ROUNDS))


def test_an_audit_of_a_store_comes_to_what_one_of_the_logs_does(here: Path) -> None:
    done = run("convert", *LOGS, "-o", "store")
    assert done.code == 4  # records are set aside
    of_logs, of_store = audit(*LOGS), audit("store")
    assert sum_counts(of_logs)["repeated"] > 0
    assert sum_counts(of_logs)["contradicted"] > 0
    same(of_logs, of_store)
    # Each quarantined record is listed with its log, its line and the reason that the audit gives.
    told = {entry["reason"] for entry in of_store["quarantined"] if entry["file"].endswith(QUARANTINE_FILE)}
    for entry in of_logs["quarantined"]:
        place = f"{entry['file']}:{entry['line']}" + ("" if entry["column"] is None else f":{entry['column']}")
        if "neither proves anything" not in entry["reason"]:
            assert f"{place}: {entry['reason']}" in told
            assert f"quarantined: {place}: {entry['reason']}" in done.err.splitlines()


def test_a_store_made_of_a_store_comes_to_the_same(here: Path) -> None:
    run("convert", *LOGS, "-o", "store")
    run("convert", "store", "-o", "again")
    same(audit("store"), audit("again"))
    assert set(contents("again")) == set(contents("store"))


def test_the_same_bytes_whatever_is_held_in_memory(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("convert", *LOGS, "-o", "store")
    monkeypatch.setattr(stores, "HELD_BYTES", 1)  # every block goes to the temporary file
    monkeypatch.setattr(HandLog.__init__, "__kwdefaults__", {"variants": dict, "block_bytes": 20_000})
    run("convert", *LOGS, "-o", "spooled")
    assert contents("spooled") == contents("store")


def test_rows_are_in_groups_of_one_size(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "ROUNDS_A_GROUP", 10)
    run("convert", "clean.jsonl", "-o", "store")
    (path,) = in_store("store")
    about = pq.ParquetFile(path).metadata
    assert [about.row_group(group).num_rows for group in range(about.num_row_groups)] == [8, 8, 8]
    assert {about.row_group(0).column(column).compression for column in range(about.num_columns)} == {"ZSTD"}
    assert about.row_group(0).column(0).is_stats_set


def test_every_row_tells_its_log_and_line(here: Path) -> None:
    run("convert", "clean.jsonl", "shuffled.jsonl", "-o", "store")
    rows = [row for path in in_store("store") for row in pq.read_table(path).to_pylist()]
    lines = {name: Path(name).read_text("utf-8").splitlines() for name in ("clean.jsonl", "shuffled.jsonl")}
    assert len(rows) > 40
    for row in rows:
        assert json.loads(lines[row["origin"]["log"]][row["origin"]["line"] - 1])["round"] == row["round"]
    made_of = json.loads(Path("store/_store.json").read_text())["logs"]
    assert [source["file"] for source in made_of] == ["clean.jsonl", "shuffled.jsonl"]
    assert made_of[0]["sha256"] == hashlib.sha256(Path("clean.jsonl").read_bytes()).hexdigest()
    assert made_of[0]["read"] == 24


def test_times_by_clocks_of_several_zones_stay(here: Path) -> None:
    first, second, third = (copy.deepcopy(demo_round("hand-16")) for _ in range(3))
    first["time"], second["time"] = "2026-03-02T23:30:00.25-07:00", "2026-03-03T00:10:00+05:45"
    first["round"], second["round"] = "early", "late"
    Path("zones.jsonl").write_bytes(to_log([first, second, third]))
    run("convert", "zones.jsonl", "-o", "store")
    of_logs, of_store = audit("zones.jsonl"), audit("store")
    same(of_logs, of_store)
    times = {finding["where"]["time"] for finding in of_store["findings"] if finding["status"] == "fail"}
    assert {"2026-03-02T23:30:00.25-07:00", "2026-03-03T00:10:00+05:45"} <= times
    assert [path.parent.name for path in in_store("store")] == ["day=2026-03-02", "day=2026-03-03"]


def casinos() -> Iterator[tuple[str | None, str]]:
    yield None, "__HIVE_DEFAULT_PARTITION__"
    yield "__HIVE_DEFAULT_PARTITION__", "%5F_HIVE_DEFAULT_PARTITION__"
    yield "Gulch", "Gulch"
    yield "../../Gulch", "..%2F..%2FGulch"
    yield "50% of Gulch=a?*[b]", "50%25%20of%20Gulch%3Da%3F%2A%5Bb%5D"
    yield "Café", "Caf%C3%A9"
    yield "1234", "1234"


def test_names_of_casinos_are_names_of_folders(here: Path) -> None:
    records: list[Record] = []
    for number, (casino, _) in enumerate([*casinos(), ("é" * 200, ""), ("é" * 199 + "e", "")]):
        record = copy.deepcopy(demo_round("hand-17"))
        record.pop("casino", None)
        records.append({**record, "round": f"r{number}", **({} if casino is None else {"casino": casino})})
    Path("names.jsonl").write_bytes(to_log(records))
    assert run("convert", "names.jsonl", "-o", "store").code == 0
    folders = sorted(path.name for path in Path("store", f"document={GAME}").iterdir())
    short = [name for name in folders if "~" in name]
    assert sorted(set(folders) - set(short)) == sorted(f"casino={folder}" for _, folder in casinos())
    assert len(short) == 2
    assert all(len(name) < 255 for name in short)
    same(audit("names.jsonl"), audit("store"))


def test_duckdb_reads_the_partitions(here: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    run("convert", *LOGS, "-o", "store")
    rows = (
        duckdb.connect()
        .execute(
            "select document, casino, day, count(*), count(distinct round), sum(len(events)) "
            "from read_parquet('store/document=*/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) "
            "where origin.log = 'clean.jsonl' group by all order by all"
        )
        .fetchall()
    )
    told = [json.loads(line) for line in Path("clean.jsonl").read_text().splitlines()]
    events = sum(len(record["events"]) for record in told)
    (casino,), (day,) = {record.get("casino") for record in told}, {record["time"][:10] for record in told}
    assert rows == [(GAME, casino, day, 24, 24, events)]


def test_arrow_reads_the_partitions_of_a_store(here: Path) -> None:
    run("convert", *LOGS, "-o", "store")
    kinds = pa.schema([("document", pa.string()), ("casino", pa.string()), ("day", pa.string())])
    read = ds.dataset(
        "store", partitioning=ds.partitioning(kinds, flavor="hive")
    )  # `_set-aside.parquet` is passed over
    days = {path.parent.name.partition("=")[2] for path in in_store("store")}
    assert read.count_rows() == sum(pq.read_metadata(path).num_rows for path in in_store("store"))
    for day in days - {stores.NOT_RECORDED}:
        rows = read.to_table(filter=ds.field("day") == day, columns=["time"])
        assert rows.num_rows > 0
        assert {str(time)[:10] for time in rows.column("time").to_pylist()} == {day}
    undated = read.to_table(filter=ds.field("day").is_null(), columns=["time-precision"])
    assert set(undated.column("time-precision").to_pylist()) == {"none"}


def nothing_written(folder: Path) -> None:
    assert not (folder / "store").exists()
    assert not list(folder.glob(".fairdeal-*"))


@pytest.mark.parametrize("spoil", ["missing", "no log", "nothing readable", "damaged"])
def test_where_a_log_cannot_be_read_nothing_is_written(here: Path, spoil: str) -> None:
    if spoil == "no log":
        Path("other.log").write_text("%PDF-1.7")
    elif spoil == "nothing readable":
        Path("other.log").write_text("no\nrecord\n")
    elif spoil == "damaged":
        Path("other.log").write_bytes(Path("table.parquet").read_bytes()[:-100])
    done = run("convert", "clean.jsonl", "other.log", "-o", "store")
    assert done.code == 3
    assert "other.log" in done.err
    assert "no store is written" in done.err
    nothing_written(here)


def test_where_the_store_cannot_be_written_nothing_is(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[object] = []

    def full(stream: Any) -> Any:
        if written:
            raise OSError(28, "No space left on device")
        written.append(stream)
        return open_parquet_file(stream)

    monkeypatch.setattr(stores, "open_parquet_file", full)
    done = run("convert", *LOGS, "-o", "store")
    assert done.code == 3
    assert "no space left on device" in done.err
    nothing_written(here)


def test_a_folder_in_which_something_is_stays(here: Path) -> None:
    Path("store").mkdir()
    assert run("convert", "clean.jsonl", "-o", "store").code == 0
    before = contents("store")
    for output in ("store", "clean.jsonl"):
        done = run("convert", "faulty.jsonl", "-o", output)
        assert done.code == 2
        assert "exists already" in done.err
    assert contents("store") == before
    for output in ("-", "s3://bucket/store"):
        assert run("convert", "clean.jsonl", "-o", output).code == 2


def test_found_files_that_are_no_logs_are_left_out(here: Path) -> None:
    Path("found").mkdir()
    Path("found/a.jsonl").write_bytes(Path("clean.jsonl").read_bytes())
    Path("found/b.jsonl").write_text("submission: {}\n")
    done = run("convert", "found", "-o", "store")
    assert done.code == 0
    assert "left out: found/b.jsonl" in done.err
    assert run("convert", "found", "-o", "quiet", "-q").err == ""


def test_a_list_of_records_set_aside_alone_is_inconclusive(here: Path) -> None:
    Path("broken.jsonl").write_bytes(to_log([*demo_lines()[30:33], "{"]))
    run("convert", "broken.jsonl", "-o", "store")
    done = run("audit", f"store/{QUARANTINE_FILE}", "-o", "json")
    assert (done.code, done.results["verdict"]) == (4, "inconclusive")
    assert sum_counts(done.results) == {"read": 1, "checked": 0, "quarantined": 1, "repeated": 0, "contradicted": 0}


def test_a_list_of_records_that_says_nothing_is_refused(here: Path) -> None:
    nothing = {"log": ["a"], "line": [1], "column": [None], "reason": [None]}
    kinds = {"log": pa.string(), "line": pa.int64(), "column": pa.int64(), "reason": pa.string()}
    pq.write_table(pa.table(nothing, schema=pa.schema(kinds)), QUARANTINE_FILE)
    done = run("audit", "clean.jsonl", QUARANTINE_FILE, "-o", "json")
    assert done.code == 3
    assert "rows without values" in done.err


def test_many_small_partitions_do_not_all_wait_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The columns of an empty round take much more room than their content.
    monkeypatch.setattr(stores, "HELD_BYTES", 256 << 10)
    days = [f"2026-{month:02d}-{day:02d}" for month in range(1, 3) for day in range(1, 29)]
    rounds = [{"round": day, "table": "1", "time": f"{day}T12:00:00Z", "game": GAME} for day in days]
    (batch,), _ = decode_records(
        [{**round_, "seats": [], "events": []} for round_ in rounds], file="log.jsonl", games={GAME}
    )
    with (tmp_path / "spool").open("w+b") as spool, stores.LogStore(tmp_path / "store", spool) as store:
        store.add(batch)
        assert spool.tell()
        store.finish()
    assert [
        pq.read_table(path, partitioning=None)["round"].to_pylist() for path in in_store(str(tmp_path / "store"))
    ] == [[day] for day in days]
