"""A desk that the tests of a session share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.desk.client import DeskThread, RunningDesk
from tests.facade.rules import rules_folder

POKER = rules_folder() / "poker-room" / "demo"


@pytest.fixture(scope="session")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDesk]:
    with DeskThread(tmp_path_factory.mktemp("desk") / "home", max_upload=8 << 20, max_unpacked=8 << 20) as running:
        yield running


@pytest.fixture(scope="session")
def poker_run(desk: RunningDesk) -> str:
    """Return the address of a run of the poker room's demo."""
    return desk.audit(POKER / "hand-log.jsonl", POKER / "submission.yaml")
