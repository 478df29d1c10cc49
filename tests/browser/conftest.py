"""A headless Chromium of the system's, and the reports as files for it to open.

Without a Chromium these tests are skipped on a developer's machine and fail in CI (`CI=true`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.reports import sample
from tests.reports.helpers import rendered
from validator import api
from validator.rulebook.library import rules_folder

POKER = rules_folder() / "poker-room" / "demo"

REPORTS = {
    "violations": sample.RESULTS,
    "empty": sample.EMPTY,
    "compliant": sample.COMPLIANT,
    "hostile": sample.hostile(),
    "long": sample.long_names(),
    "crowded": sample.crowded(),
}

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """The Chromium named by `CHROMIUM`, or the first on PATH; None where there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    wanted = os.environ.get("CHROMIUM")
    return next((path for name in ([wanted] if wanted else names) if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        reason = "no Chromium on PATH or in CHROMIUM; see tests/browser/ensure_chromium.sh"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture(scope="session")
def report_urls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The reports' addresses on disk, by name."""
    folder: Path = tmp_path_factory.mktemp("reports")
    urls = {}
    log, house = POKER / "hand-log.jsonl", POKER / "submission.yaml"
    poker = api.audit(api.load_rulebook(), log, submissions=[house])
    for name, results in {**REPORTS, "poker": poker}.items():
        path = folder / f"{name}.html"
        path.write_bytes(rendered("html", results))
        urls[name] = path.as_uri()
    return urls
