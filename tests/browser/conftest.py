"""A headless Chromium of the system's, and the reports as files for it to open.

Without a Chromium these tests are skipped on a developer's machine and fail in CI (`CI=true`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from fairdeal import api
from tests.facade.reports import rendered
from tests.facade.rules import rules_folder
from tests.reports import sample
from tests.reports.many import many

Open = Callable[..., Page]

NARROW, WIDE = 360, 1280

_WATCH_POLICY = """
window.refused = [];
document.addEventListener("securitypolicyviolation", event => window.refused.push(event.violatedDirective));
"""

POKER = rules_folder() / "poker-room" / "demo"

FEW, MONTH = 120, 5_000
"""Findings of reports made of as many as one likes."""

REPORTS = {
    "violations": sample.RESULTS,
    "empty": sample.EMPTY,
    "compliant": sample.COMPLIANT,
    "hostile": sample.hostile(),
    "long": sample.long_names(),
    "crowded": sample.crowded(),
    "few": many(FEW),
    "month": many(MONTH),
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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One for each file: a Chromium that stays open takes a tenth of a processor, whatever else is tested."""
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


def ready(page: Page) -> None:
    """Wait until the findings are unpacked, where there are any."""
    if page.locator("#tools").count():
        page.locator("#tools").wait_for(state="visible")


@pytest.fixture
def open_report(browser: Browser, report_urls: dict[str, str]) -> Iterator[Open]:
    """Opens a report in a context of its own; whatever the page complains of or asks for fails the test."""
    contexts = []
    troubles: list[str] = []
    requests: list[str] = []
    opened: list[str] = []

    def open_(name: str, *, width: int = WIDE, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        context.set_default_timeout(20_000)
        context.add_init_script(_WATCH_POLICY)
        page = context.new_page()
        page.on("console", lambda message: troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: requests.append(request.url))
        opened.append(report_urls[name])
        page.goto(report_urls[name])
        if options.get("java_script_enabled", True):
            ready(page)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert troubles == []
    assert requests == opened
