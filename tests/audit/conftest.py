"""Fixtures: every test begins in a folder with logs of all kinds, which are cut into small blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.audit.logs import write_logs
from tests.facade.evidence import HandLog


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    write_logs(folder)
    return folder


@pytest.fixture(autouse=True)
def small_blocks(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr(HandLog.__init__, "__kwdefaults__", {"variants": dict, "block_bytes": 40_000})
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")
