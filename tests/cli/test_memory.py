"""Memory that one batch frees is used for the next, if the C library can be configured so."""

from __future__ import annotations

import ctypes
import os
from types import SimpleNamespace
from typing import NoReturn

import pytest

from fairdeal.cli.common.process import reuse_memory

ARROW = "ARROW_DEFAULT_MEMORY_POOL"


def test_the_c_library_is_told_to_keep_what_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda setting, value: told.append((setting, value)))
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    monkeypatch.delenv(ARROW, raising=False)
    reuse_memory()
    assert {setting for setting, _ in told} == {-1, -3}
    assert os.environ[ARROW] == "system"


def test_what_the_user_chose_for_arrow_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: SimpleNamespace())  # another C library has no such settings
    monkeypatch.setenv(ARROW, "mimalloc")
    reuse_memory()
    assert os.environ[ARROW] == "mimalloc"


def test_where_no_c_library_is_found_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> NoReturn:
        raise OSError("no such library")

    monkeypatch.setattr(ctypes, "CDLL", missing)
    monkeypatch.setenv(ARROW, "system")
    reuse_memory()
