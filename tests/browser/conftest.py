"""A headless Chromium of the system's, and the reports as files for it to open.

Without a Chromium these tests are skipped on a developer's machine and fail in CI (`CI=true`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fairdeal import api
from tests.facade.reports import render
from tests.facade.rules import rules_folder
from tests.reports import sample
from tests.reports.many import many

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NARROW, WIDE = 360, 1280

_WATCH_POLICY = """
window.refused = [];
document.addEventListener("securitypolicyviolation", event => window.refused.push(event.violatedDirective));
"""

POKER = rules_folder() / "poker-room" / "demo"

FEW, MONTH = 60, 4_000
"""Findings of reports made of as many as one likes."""

REPORTS = {
    "violations": sample.RESULTS,
    "empty": sample.EMPTY,
    "compliant": sample.COMPLIANT,
    "hostile": sample.hostile(),
    "long": sample.long_names(),
    "crowded": sample.crowd(),
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
    """Return the Chromium named by `CHROMIUM`, or the first on PATH; None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    wanted = os.environ.get("CHROMIUM")
    return next((path for name in ([wanted] if wanted else names) if (path := shutil.which(name))), None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Start a browser for this folder: a Chromium that stays open takes a tenth of a processor all the time."""
    path = find_chromium()
    if path is None:
        reason = "no Chromium on PATH or in CHROMIUM; see tests/browser/ensure_chromium.sh"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright  # by the process that runs these tests alone

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield started
        started.close()


class Reports(dict[str, str]):
    """The reports' addresses on disk, by name; each report is written on first use."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def __missing__(self, name: str) -> str:
        log, house = POKER / "hand-log.jsonl", POKER / "submission.yaml"
        results = REPORTS.get(name) or api.audit(api.load_rulebook(), log, submissions=[house])
        path = self._folder / f"{name}.html"
        path.write_bytes(render("html", results))
        self[name] = path.as_uri()
        return self[name]


@pytest.fixture(scope="session")
def report_urls(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    return Reports(tmp_path_factory.mktemp("reports"))


def wait_until_ready(page: Page) -> None:
    """Wait until the findings are unpacked, if there are any."""
    if page.locator("#tools").count():
        page.locator("#tools").wait_for(state="visible")


class Opener:
    """Opener of reports that keeps the complaints and requests of their pages.

    Reports with the same options are opened in one tab, one after the other: a tab takes longer to begin than most
    reports to open.
    """

    def __init__(self, browser: Browser, urls: Reports) -> None:
        self._browser, self._urls = browser, urls
        self._tabs: dict[tuple[tuple[str, Any], ...], Page] = {}
        self._troubles: list[str] = []
        self._requests: list[str] = []
        self._opened: list[str] = []

    def __call__(self, name: str, *, width: int = WIDE, **options: Any) -> Page:
        key = tuple(sorted(options.items()))
        if key not in self._tabs:
            self._tabs[key] = self._open_tab(**options)
        page = self._tabs[key]
        page.set_viewport_size({"width": width, "height": 900})
        self._opened.append(self._urls[name])
        page.goto(self._urls[name])
        if options.get("java_script_enabled", True):
            wait_until_ready(page)
        return page

    def _open_tab(self, **options: Any) -> Page:
        context = self._browser.new_context(**options)
        context.set_default_timeout(20_000)
        context.add_init_script(_WATCH_POLICY)
        page = context.new_page()
        page.on("console", lambda message: self._troubles.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self._troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self._troubles.append(f"dialog: {dialog.message}"))
        page.on("request", lambda request: self._requests.append(request.url))
        return page

    def close(self) -> None:
        """Close the tabs."""
        for page in self._tabs.values():
            page.context.close()

    def clear(self) -> None:
        """Leave the opened reports, and forget what their pages did."""
        for page in self._tabs.values():
            page.goto("about:blank")
            page.emulate_media(media="null")
        for noted in (self._troubles, self._requests, self._opened):
            noted.clear()

    def check(self) -> None:
        """Fail if a page complained of anything, or requested more than itself."""
        assert self._troubles == []
        assert self._requests == self._opened


@pytest.fixture(scope="package")
def opener(browser: Browser, report_urls: Reports) -> Iterator[Opener]:
    """Return the opener of this folder."""
    opener = Opener(browser, report_urls)
    yield opener
    opener.close()


@pytest.fixture
def open_report(opener: Opener) -> Iterator[Opener]:
    """Return the opener of reports; a complaint or request of a page fails the test."""
    opener.clear()
    yield opener
    opener.check()


@pytest.fixture(scope="module")
def opened_month(browser: Browser, report_urls: Reports) -> Iterator[tuple[Opener, Page]]:
    """Open the report of a month, once for a file."""
    opener = Opener(browser, report_urls)
    yield opener, opener("month")
    opener.close()


@pytest.fixture
def month(opened_month: tuple[Opener, Page]) -> Iterator[Page]:
    """Return the report of a month, with an empty search; a complaint or request of the page fails the test."""
    opener, page = opened_month
    page.get_by_role("button", name="Clear").click()
    assert page.locator("#results").is_hidden()
    yield page
    opener.check()
