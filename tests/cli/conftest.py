"""Every command runs in a folder of its own at a fixed time, with regulations that one test loads kept for the
next."""

from __future__ import annotations

from pathlib import Path

import pytest

from validator.disk_cache import SWITCH


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache folder of these tests."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def place(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder a test runs in."""
    monkeypatch.delenv(SWITCH, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")
    monkeypatch.chdir(tmp_path)
    return tmp_path
