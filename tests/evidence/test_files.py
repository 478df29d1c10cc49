"""Logs as files: cut into blocks, compressed, cut off, piped, missing."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import pickle
import random
import threading
from codecs import BOM_UTF8
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fairdeal.validator.evidence.io import log_formats
from fairdeal.validator.evidence.jsonl.line_blocks import FileLines, HeldLines, UnreadableLine, split_whole_lines
from fairdeal.validator.text import source
from tests.evidence.generate import GAME, lines
from tests.evidence.plain import Plain, plain_batches, plain_record
from tests.facade.evidence import LONGEST_LINE, Batch, HandLog
from tests.facade.results import Quarantined
from tests.facade.text import InputError

LINES = lines(40, seats=1)
TEXT = b"\n".join(LINES) + b"\n"
EXPECTED = {number: plain_record(json.loads(text)) for number, text in enumerate(LINES, 1)}


def read(path: Path | str, **options: Any) -> tuple[dict[int, Plain], list[Quarantined], int, str]:
    """Rounds by line, what was quarantined, the number read, and the SHA-256."""
    log = HandLog(str(path), **options)
    batches: list[Batch] = []
    quarantined: list[Quarantined] = []
    total = 0
    for block in log.blocks():
        decoded = pickle.loads(pickle.dumps(block)).decode({GAME})
        batches += decoded.batches
        quarantined += decoded.quarantined
        total += decoded.read
    found = plain_batches(batches)
    assert total == len(found) + len(quarantined)
    return found, quarantined, total, log.sha256()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log.jsonl"


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstandard"])
@pytest.mark.parametrize("block_bytes", [1, 100, 3000, 1 << 20])
def test_any_size_of_blocks_reads_the_same(log: Path, pack: Any, block_bytes: int) -> None:
    log.write_bytes(pack(TEXT))
    found, quarantined, total, sha256 = read(log, block_bytes=block_bytes)
    assert (found, quarantined, total) == (EXPECTED, [], 40)
    assert sha256 == hashlib.sha256(log.read_bytes()).hexdigest()


def test_blocks_of_a_plain_file_are_only_described(log: Path) -> None:
    log.write_bytes(TEXT)
    blocks = list(HandLog(str(log), block_bytes=5000).blocks())
    assert all(isinstance(block, FileLines) for block in blocks)
    assert len(blocks) > 5
    assert sum(block.size for block in blocks) == len(TEXT)
    assert len(pickle.dumps(blocks)) < 300 * len(blocks)


@pytest.mark.parametrize("left", [0, 1, len(TEXT) - 1, len(TEXT) - len(LINES[-1]) - 1])
def test_a_file_that_becomes_shorter_while_it_is_read(log: Path, left: int) -> None:
    """The missing part was hashed: its absence must be reported."""
    log.write_bytes(TEXT)
    (block,) = HandLog(str(log)).blocks()
    log.write_bytes(TEXT[:left])
    with pytest.raises(InputError) as caught:
        block.decode({GAME})
    assert [(each.code, each.file) for each in caught.value.diagnostics] == [("changed", str(log))]


def test_sizes_of_compressed_blocks_add_up_to_the_file(log: Path) -> None:
    log.write_bytes(gzip.compress(TEXT))
    blocks = list(HandLog(str(log), block_bytes=1000).blocks())
    assert all(isinstance(block, HeldLines) for block in blocks)
    assert sum(block.size for block in blocks) == log.stat().st_size


def test_the_hash_is_known_only_at_the_end(log: Path) -> None:
    log.write_bytes(TEXT)
    opened = HandLog(str(log), block_bytes=5000)
    blocks = opened.blocks()
    next(blocks)
    with pytest.raises(RuntimeError, match="not read to its end"):
        opened.sha256()


def test_a_last_line_without_an_end(log: Path) -> None:
    log.write_bytes(TEXT[:-1])
    assert read(log)[0] == EXPECTED


@pytest.mark.parametrize("block_bytes", [100, 1 << 20])
def test_a_file_cut_off_in_the_middle(log: Path, block_bytes: int) -> None:
    log.write_bytes(TEXT[: -len(LINES[-1]) // 2])
    found, quarantined, total, _ = read(log, block_bytes=block_bytes)
    assert found == {number: EXPECTED[number] for number in range(1, 40)}
    assert [(entry.line, entry.reason) for entry in quarantined] == [(40, "the line ends in the middle of a record")]
    assert total == 40


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress], ids=["gzip", "zstandard"])
def test_compressed_data_cut_off_anywhere(log: Path, pack: Any) -> None:
    packed = pack(TEXT)
    rng = random.Random(1)
    longest = 0
    for length in [*rng.sample(range(5, len(packed)), 40), len(packed) - 1]:
        log.write_bytes(packed[:length])
        found, quarantined, total, _ = read(log)
        assert found == {number: EXPECTED[number] for number in range(1, len(found) + 1)}
        assert [(entry.line, entry.reason) for entry in quarantined] == [
            (len(found) + 1, "the compressed data ends too early")
        ]
        assert total == len(found) + 1
        longest = max(longest, len(found))
    assert longest > 5 or pack is zstandard.compress


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, zstandard.ZstdCompressor(write_checksum=True).compress],
    ids=["gzip", "zstandard"],
)
def test_damaged_compressed_data_is_used_as_far_as_it_goes(log: Path, pack: Any) -> None:
    rng = random.Random(2)
    packed = pack(TEXT)
    for _ in range(60):
        data = bytearray(packed)
        at = rng.randrange(30, len(data))
        data[at] ^= 1 << rng.randrange(8)
        log.write_bytes(bytes(data))
        found, quarantined, total, _ = read(log, block_bytes=2000)
        assert total == len(found) + len(quarantined)
        if found != EXPECTED:
            assert quarantined


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_a_byte_order_mark_costs_no_record(log: Path, pack: Any, block_bytes: int) -> None:
    log.write_bytes(pack(b"\xef\xbb\xbf" + TEXT))
    assert read(log, block_bytes=block_bytes)[:2] == (EXPECTED, [])
    log.write_bytes(pack(TEXT + b"\xef\xbb\xbf" + TEXT))
    (entry,) = read(log, block_bytes=block_bytes)[1]
    assert (entry.line, entry.column) == (41, 1)
    assert entry.reason.startswith("the line starts with a byte order mark")


@pytest.mark.parametrize(
    "chunks", [[b"\xef", b"\xbb", b"\xbfa\nb"], [b"\xef\xbb\xbf", b"a\n", b"b"], [b"\xef\xbb\xbfa\nb"]]
)
def test_a_byte_order_mark_is_no_part_of_the_first_line(chunks: list[bytes]) -> None:
    found = [run for run in split_whole_lines(chunks) if not isinstance(run, UnreadableLine)]
    assert [(run.line, run.offset, b"".join((run.head, run.body))) for run in found] == [(1, 3, b"a\n"), (2, 5, b"b")]


def test_several_gzip_members_and_padding(log: Path) -> None:
    log.write_bytes(gzip.compress(TEXT) + gzip.compress(TEXT) + b"\0" * 500)
    found, quarantined, total, _ = read(log)
    assert list(found.values()) == list(EXPECTED.values()) * 2
    assert (quarantined, total) == ([], 80)


def test_something_else_after_gzip(log: Path) -> None:
    log.write_bytes(gzip.compress(TEXT) + b"rubbish")
    found, quarantined, _, _ = read(log)
    assert found == EXPECTED
    (entry,) = quarantined
    assert entry.line == 41
    assert entry.reason.startswith("the compressed data is damaged from here on")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstandard"])
@pytest.mark.parametrize("block_bytes", [1 << 12, 1 << 23])
def test_an_endless_line_is_refused_and_not_held(log: Path, pack: Any, block_bytes: int) -> None:
    log.write_bytes(pack(LINES[0] + b"\n" + b"x" * (5 * LONGEST_LINE) + b"\n" + LINES[2] + b"\n"))
    found, quarantined, total, _ = read(log, block_bytes=block_bytes)
    assert found == {1: EXPECTED[1], 3: EXPECTED[3]}
    assert [(entry.line, entry.reason) for entry in quarantined] == [(2, "the line is longer than 1 MiB")]
    assert total == 3


def test_a_line_of_just_the_longest_length(log: Path) -> None:
    padded = LINES[0] + b" " * (LONGEST_LINE - len(LINES[0]))
    for block_bytes in (1 << 12, 1 << 23):
        log.write_bytes(padded + b"\n" + padded + b" \n" + LINES[2])
        found, quarantined, _, _ = read(log, block_bytes=block_bytes)
        assert sorted(found) == [1, 3]
        assert [entry.line for entry in quarantined] == [2]


def test_a_bomb_is_unpacked_a_little_at_a_time(log: Path) -> None:
    for pack in (gzip.compress, zstandard.compress):
        log.write_bytes(pack(b"\n" * (64 << 20)))
        sizes = [len(block.text) for block in HandLog(str(log)).blocks() if isinstance(block, HeldLines)]
        assert sum(sizes) == 64 << 20
        assert max(sizes) <= 16 << 20


@given(st.lists(st.binary(max_size=12).map(lambda text: text.replace(b"\0", b"\n")), max_size=12))
@settings(max_examples=100)
def test_lines_are_whole_however_a_stream_is_cut(chunks: list[bytes]) -> None:
    text = b"".join(chunks)
    line, offset = 1, len(BOM_UTF8) if text.startswith(BOM_UTF8) else 0
    for run in split_whole_lines(chunks):
        assert not isinstance(run, UnreadableLine)
        whole = b"".join((run.head, run.body))
        assert (run.line, run.offset) == (line, offset)
        assert whole == text[offset : offset + len(run)]
        line, offset = line + whole.count(b"\n"), offset + len(run)
        assert whole.endswith(b"\n") or offset == len(text)
    assert offset == len(text)


def refusal(path: str) -> str:
    with pytest.raises(InputError) as caught:
        for block in HandLog(path).blocks():
            block.decode({GAME})
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.file == ("<stdin>" if path == "-" else path)
    return diagnostic.code


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert refusal(str(tmp_path)) == "is-a-directory"
    assert refusal(str(tmp_path / "none.jsonl")) == "not-found"
    assert refusal(str(tmp_path / "none.parquet")) == "not-found"
    assert refusal("nul\0byte") == "not-readable"
    (tmp_path / "empty").write_bytes(b"")
    assert refusal(str(tmp_path / "empty")) == "empty"


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    path = tmp_path / f"log.{suffix}"
    path.write_bytes(TEXT)

    def refuse(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)  # root may read any file, so its mode would prove nothing
    assert refusal(str(path)) == "no-permission"


def test_a_disk_that_fails(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(io.BufferedReader):
        def read(self, size: int | None = -1) -> bytes:
            raise OSError(errno.EIO, "Input/output error")

        read1 = read

    log.write_bytes(TEXT)
    (block,) = HandLog(str(log)).blocks()
    for module in (source, log_formats):
        monkeypatch.setattr(module, "open_regular", lambda path, **_: Failing(io.FileIO(path)))
    assert refusal(str(log)) == "not-readable"
    with pytest.raises(InputError):
        block.decode({GAME})


def test_a_file_that_goes_away(log: Path) -> None:
    log.write_bytes(TEXT)
    (block,) = HandLog(str(log)).blocks()
    log.unlink()
    with pytest.raises(InputError):
        block.decode({GAME})


def standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress], ids=["plain", "gzip", "zstandard"])
def test_standard_input(monkeypatch: pytest.MonkeyPatch, pack: Any) -> None:
    data = pack(TEXT + b"5")
    standard_input(monkeypatch, data)
    found, quarantined, _, sha256 = read("-", block_bytes=3000)
    assert found == EXPECTED
    assert [(entry.file, entry.line) for entry in quarantined] == [("<stdin>", 41)]
    assert sha256 == hashlib.sha256(data).hexdigest()


def test_standard_input_that_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    standard_input(monkeypatch, b"")
    assert refusal("-") == "empty"
    standard_input(monkeypatch, b"PAR1 and so on")
    assert refusal("-") == "not-readable"
    monkeypatch.setattr("sys.stdin", None)
    assert refusal("-") == "not-readable"


def test_a_pipe_is_held_since_it_cannot_be_read_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(TEXT,))
    writer.start()
    found, quarantined, _, _ = read(pipe)
    writer.join()
    assert (found, quarantined) == (EXPECTED, [])
