"""Files read again piece by piece: what is read is what was hashed, or nothing is."""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from fairdeal.validator.evidence.io import log_formats
from fairdeal.validator.evidence.io.log_formats import HashedFile, hash_pieces
from tests.facade.text import InputError


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_formats, "PIECE_BYTES", 7)
    monkeypatch.setattr(log_formats, "_PIECES_KEPT", 3)


@pytest.fixture(params=[0, 1, 6, 7, 8, 99, 140])
def data(request: pytest.FixtureRequest) -> bytes:
    return Random(1).randbytes(request.param)


def write_hashed(data: bytes, path: Path) -> HashedFile:
    """Write a file and hash it in chunks of any size."""
    path.write_bytes(data)
    cuts = [0, *sorted(Random(len(data)).sample(range(len(data)), min(len(data), 4))), len(data)]
    return hash_pieces(str(path), "name", (data[start:end] for start, end in pairwise(cuts)))


def test_what_is_read_anywhere_is_what_was_hashed(data: bytes, tmp_path: Path) -> None:
    chance, plain = Random(2), io.BytesIO(data)
    with write_hashed(data, tmp_path / "file").open_verified() as stream:
        for _ in range(300):
            place = chance.randint(0, len(data))
            to = chance.choice([(place + 9, io.SEEK_SET), (place, io.SEEK_SET), (-place, io.SEEK_END)])
            assert stream.seek(*to) == plain.seek(*to) == stream.tell()
            size = chance.choice([-1, 0, 1, 5, 30])
            assert stream.read(size) == plain.read(size)


def test_a_byte_that_is_another_one_is_not_read(tmp_path: Path) -> None:
    data = Random(3).randbytes(50)
    file = write_hashed(data, tmp_path / "file")
    other = data[:30] + bytes([data[30] ^ 1]) + data[31:]
    for now in (other, data[:30], data[1:]):
        (tmp_path / "file").write_bytes(now)
        with file.open_verified() as stream, pytest.raises(InputError, match="changed while it was read"):
            stream.read()
    (tmp_path / "file").write_bytes(other)
    with file.open_verified() as stream:
        assert stream.read(28) == data[:28]


def test_what_is_not_needed_is_not_read(tmp_path: Path) -> None:
    data = Random(4).randbytes(100)
    file = write_hashed(data, tmp_path / "file")
    part = file.restrict([(50, 60), (-5, 3), (95, 1000), (60, 58)])
    assert sum(len(hashes) for _, hashes in part.runs) < sum(len(hashes) for _, hashes in file.runs)
    assert part.content == file.content
    known: list[Any] = [(0, 7), (49, 63), (91, 100)]
    with part.open_verified() as stream:
        for start, end in known:
            stream.seek(start)
            assert stream.read(end - start) == data[start:end]
        for start in (7, 48, 63, 90):
            stream.seek(start)
            with pytest.raises(OSError, match="not part of the file"):
                stream.read(1)
