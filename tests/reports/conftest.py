"""Golden files: `pytest tests/reports --update-golden` writes them anew from what the reports give now.

Look at the difference before keeping it: a golden file is what a reader gets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden files of the reports")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, bytes], None]:
    """Asserts that bytes are those of a golden file, or makes them so under `--update-golden`."""
    # Started from another folder, this file is loaded too late for its option to be known.
    update = request.config.getoption("--update-golden", default=False)

    def check(name: str, found: bytes) -> None:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(found)
        assert found.decode() == path.read_bytes().decode()

    return check
