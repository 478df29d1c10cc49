"""Every command runs in a folder of its own at a fixed time."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which a test runs."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1772409600")
    monkeypatch.chdir(tmp_path)
    return tmp_path
