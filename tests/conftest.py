"""What holds for every test: none touches the cache of the user who runs it, none is timed; golden files.

`pytest --update-golden` writes golden files anew from what fairdeal gives now. Look at the difference before
keeping it: a golden file is what a reader gets.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

os.environ["FAIRDEAL_CACHE"] = "off"

# No test asserts a time, and a busy machine may take any.
settings.register_profile("fairdeal", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fairdeal")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files with what was found")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, bytes], None]:
    """Asserts that bytes are those of a file in `golden/` beside the test, or makes them so under
    `--update-golden`."""
    folder: Path = request.path.parent / "golden"
    update = request.config.getoption("--update-golden")

    def check(name: str, found: bytes) -> None:
        path = folder / name
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(found)
        assert found.decode() == path.read_bytes().decode()

    return check
