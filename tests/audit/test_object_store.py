"""Logs in an object store, simulated by a local server, are audited as files are."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from io import BufferedReader
from pathlib import Path
from typing import Any

import pyarrow.fs
import pyarrow.parquet as pq
import pytest

import fairdeal
from fairdeal.validator.evidence import hand_log
from fairdeal.validator.evidence.io import log_formats
from fairdeal.validator.evidence.io.log_formats import HashedFile
from fairdeal.validator.evidence.io.named_files import LOGS as KIND
from fairdeal.validator.evidence.io.named_files import resolve_inputs
from tests.audit.logs import to_bytes
from tests.facade.commands import run

HANDS = "hands.phhs"
LOGS = ("clean.jsonl", "faulty.jsonl", "broken.jsonl.gz", "table.parquet")
"""Logs of every format with the same results under any name: hands without an id are known by the name of their log."""
moto = pytest.importorskip("moto.server", reason="no S3 server is installed: pip install 'moto[server]'")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of an S3 server."""
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(autouse=True)
def store(address: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pyarrow.fs.FileSystem:
    """Return a bucket with all logs in a folder, which exist as files too."""
    monkeypatch.setenv("AWS_ENDPOINT_URL", address)
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folder, "night", ignore=lambda _, names: [name for name in names if name not in LOGS])
    shutil.copy(folder / "house.yaml", "house.yaml")
    store = pyarrow.fs.S3FileSystem(endpoint_override=address, allow_bucket_creation=True)
    store.create_dir("logs")
    shutil.copy(folder / HANDS, "other.phhs")
    with store.open_output_stream("logs/other/hands.phhs") as stream:
        stream.write(Path("other.phhs").read_bytes())
    for name in (*LOGS, "readme.md"):
        with store.open_output_stream(f"logs/night/{name}", compression=None) as stream:
            stream.write(Path("night", name).read_bytes() if name in LOGS else b"no log")
    return store


def audit_files(results: bytes) -> bytes:
    return results.replace(b"s3://logs/night/", b"night/")


@cache
def audit_folder() -> bytes:
    """Return the results of one process for the folder of files."""
    return run("audit", "night", "-s", "house.yaml", "-o", "json", "-j", "1").out


def test_a_folder_of_a_store_is_audited_as_one_of_files() -> None:
    audit = ("-s", "house.yaml", "-o", "json", "-j", "1")
    assert audit_files(run("audit", "s3://logs/night", *audit).out) == audit_folder()


def test_processes_read_from_a_store() -> None:
    audit = ("-s", "house.yaml", "-o", "json")
    shared = run("audit", "s3://logs/night", *audit, "-j", "2")
    assert shared.code == 1
    assert audit_files(shared.out) == audit_folder()


def test_hand_histories_are_read_from_a_store() -> None:
    stored, file = (run("audit", name, "-o", "json", "-j", "1").results for name in ("s3://logs/other", "other.phhs"))
    assert stored["totals"] == file["totals"]


def test_a_plan_takes_folders_of_a_store() -> None:
    plan = fairdeal.audit_plan(fairdeal.load_rulebook(), ["house.yaml"])
    stored, files = (
        to_bytes(fairdeal.merge(map(plan.judge, plan.partition(folder)))) for folder in ("s3://logs/night", "night")
    )
    assert audit_files(stored) == files


def test_a_dask_cluster_reads_from_a_store() -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'fairdeal[dask]'")
    audit = ("-s", "house.yaml", "-o", "json")
    shared = run("audit", "s3://logs/night", *audit, "-j", "1", "--engine", "dask")
    assert audit_files(shared.out) == audit_folder()


@pytest.mark.parametrize("engine", [("-j", "1"), ("-j", "2")], ids="".join)
@pytest.mark.parametrize(("name", "other"), [("faulty.jsonl", "clean.jsonl"), ("table.parquet", "other.parquet")])
def test_an_object_that_is_replaced_meanwhile_is_not_judged(
    name: str, other: str, engine: tuple[str, ...], store: pyarrow.fs.FileSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The audit judges what it hashed. Workers of a cluster read a whole object as one process does."""
    table = pq.read_table(Path("night", "table.parquet"))
    pq.write_table(table.slice(0, table.num_rows // 2), Path("night", "other.parquet"))
    command = ("audit", f"s3://logs/night/{name}", "-s", "house.yaml", "-q", *engine)
    undisturbed = run(*command, "-o", "json").out

    def replace() -> None:
        with store.open_output_stream(f"logs/night/{name}", compression=None) as replaced:
            replaced.write(Path("night", other).read_bytes())

    opened, hashed = log_formats.open_for_hashing, log_formats.hash_pieces

    @contextmanager
    def read_and_replace(path: str, *, name: str) -> Iterator[BufferedReader]:
        with opened(path, name=name) as stream:
            yield stream
        replace()

    def hash_and_replace(*given: Any) -> HashedFile:
        file = hashed(*given)
        replace()
        return file

    if name.endswith("parquet"):
        monkeypatch.setattr(hand_log, "hash_pieces", hash_and_replace)
    else:
        monkeypatch.setattr(hand_log, "open_for_hashing", read_and_replace)
    finished = run(*command, "-o", "json")
    if finished.code == 1:  # the audit needed no second look at the object
        assert finished.out == undisturbed
    else:
        assert (finished.code, finished.out) == (3, b"")
        assert "error[changed]: the file changed while it was read" in finished.err
    assert name.endswith("jsonl") or finished.code == 3


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("s3://logs/**/*.jsonl", ["clean.jsonl", "faulty.jsonl"]),
        ("s3://logs/night/*.p*", ["table.parquet"]),
        ("s3://logs/night", sorted(LOGS)),
        ("s3://logs/night/", sorted(LOGS)),
    ],
)
def test_patterns_and_folders_of_a_store(pattern: str, names: list[str]) -> None:
    inputs = resolve_inputs([pattern], KIND)
    assert not inputs.errors
    assert list(inputs.files) == [f"s3://logs/night/{name}" for name in names]


def test_what_is_not_there_is_named() -> None:
    for address in ("s3://logs/night/nothing.jsonl", "s3://logs/*.csv", "s3://nowhere/a.jsonl", "odd://logs/a.jsonl"):
        finished = run("audit", address, "-o", "json")
        assert finished.code == 3, address
        assert address in finished.err


def test_an_address_holds_no_secret() -> None:
    finished = run("audit", "s3://me:secret@logs/night/clean.jsonl", "-o", "json")
    assert finished.code == 3
    assert "secret@" not in finished.err + finished.out.decode()
    assert "must not contain a user name or password" in finished.err
