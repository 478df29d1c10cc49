"""Settings for every test: a separate cache, no time limits, and golden files.

A run has a cache of its own, which its processes share: a regulation is loaded once for all evaluations. `pytest
--update-golden` rewrites golden files from the current output. Examine the difference before keeping it: a golden
file is what a reader gets.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

# As in the program: two threads in each of two processes mostly wait for each other. NumPy reads it when it is
# imported, which the `conftest.py` of a folder may do.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

# No test asserts a time, and a busy machine may take any. The suite tries the same cases in every run, so that a
# failure belongs to the change that is tested; FAIRDEAL_HYPOTHESIS=explore tries new ones.
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same-cases", settings.get_profile("explore"), derandomize=True, max_examples=30)
settings.load_profile(os.environ.get("FAIRDEAL_HYPOTHESIS", "same-cases"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite golden files with what was found")


def _ignore_sync(fd: object) -> None:
    """Leave the writing of a file to the system."""


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(400_000, 20, 20)  # looking for cycles took a third of collecting, and a twentieth of running
    os.fsync = _ignore_sync  # waiting for the disk matters only to files that must survive a loss of power
    if "PYTEST_XDIST_WORKER" in os.environ:  # which has the environment of the process that started it
        return
    folder = tempfile.mkdtemp(prefix="fairdeal-tests-")
    os.environ["XDG_CACHE_HOME"] = folder
    os.environ.pop("FAIRDEAL_CACHE", None)
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


FIRST = (
    "simulate",
    "mutation",
    "audit",
    "tools",
    "rules",
    "browser",
    "variants",
    "schemas",
    "docs",
    "cli",
    "hold",
    "odds",
    "templates",
    "play",
    "lawful",
    "sessions",
)
"""Folders of files that take long: handed out first, so that in the end no process is left alone with one of them."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    places = {f"tests/{name}/": place for place, name in enumerate(FIRST)}

    def place(item: pytest.Item) -> int:
        return next((place for start, place in places.items() if item.nodeid.startswith(start)), len(FIRST))

    if config.getoption("dist", "no") != "no" or "PYTEST_XDIST_WORKER" in os.environ:
        items.sort(key=place)


SCOPES = {
    "tests/rules/test_examples.py": "examples",
    "tests/mutation/test_mutation.py": "examples",
    "tests/browser/": "browser",
}
"""Files, and folders of files, that run in one process, since what they share takes long to build."""


class ByFile(LoadFileScheduling):  # type: ignore[misc]
    """Scheduler that runs each file in one process, and files that share much in the same one."""

    def _split_scope(self, nodeid: str) -> str:
        file = super()._split_scope(nodeid)
        return next((scope for start, scope in SCOPES.items() if file.startswith(start)), file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    return ByFile(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_finish() -> None:
    """Keep the collected tests out of garbage collection: thousands of objects need no repeated search for cycles."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, bytes], None]:
    """Compare bytes with a file in `golden/` of the test's folder, or write it under `--update-golden`."""
    folder: Path = request.path.parent / "golden"
    update = request.config.getoption("--update-golden")

    def check(name: str, found: bytes) -> None:
        path = folder / name
        if update:
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(found)
        assert found.decode() == path.read_bytes().decode()

    return check
