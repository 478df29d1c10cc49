"""A store of its own for every test."""

from __future__ import annotations

from pathlib import Path

import pytest

from fairdeal.validator.disk_cache import CACHE_VARIABLE
from fairdeal.validator.rulebook import rulebook


@pytest.fixture(autouse=True)
def _nothing_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make reads come from the store, not from this process."""
    monkeypatch.setattr(rulebook, "_load_shared", rulebook._load_shared.__wrapped__)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder, not yet made, of a store that is switched on."""
    monkeypatch.delenv(CACHE_VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "fairdeal"
