"""The documentation site opened from disk: its first page, its search, and its page on the Python API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import fairdeal
from tests.facade.commands import ROOT
from tools.site import build

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site, with one page for the rulebook."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "rulebook_pages", lambda *_: [("index.md", "# The rulebook\n\nA rare word: quincunx.\n")])
        build.build_site(folder / "pages", folder / "site")
    return folder / "site"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Open a page; a complaint of it, or a request beyond the disk, fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page, troubles = context.new_page(), list[str]()

    def note_request(request: Request) -> None:
        if not request.url.startswith("file:"):
            troubles.append(request.url)

    page.on("console", lambda message: troubles.append(message.text))
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.on("requestfailed", lambda request: troubles.append(request.url))
    page.on("request", note_request)
    yield page
    context.close()
    assert troubles == []


def test_the_search_box_of_a_page_finds_pages_from_disk(site: Path, page: Page) -> None:
    page.goto((site / "adr" / "0001-layers.html").as_uri())
    box = page.locator("#rtd-search-form input")
    box.fill("Quincunx rare")
    box.press("Enter")
    found = page.locator("#properdocs-search-results article")
    found.first.wait_for()
    assert page.url.startswith((site / "search.html").as_uri())
    assert found.count() == 2  # the page and its only section
    assert "A rare word: quincunx." in found.first.inner_text()
    found.first.locator("a").click()
    assert page.url.partition("#")[0] == (site / "rulebook" / "index.html").as_uri()


def test_the_search_page_follows_what_is_typed_and_shows_markup_as_text(site: Path, page: Page) -> None:
    page.goto(f"{(site / 'search.html').as_uri()}?q=%3Cimg+src%3Dx%3E")
    results = page.locator("#properdocs-search-results")
    results.get_by_text("0 places found.").wait_for()
    page.locator("#properdocs-search-query").fill("exit codes")
    results.locator("article").first.wait_for()
    assert results.locator("h3").first.inner_text() == "Exit codes"
    page.locator("#properdocs-search-query").fill("")
    results.get_by_text("Type a word.").wait_for()


def test_the_first_page_begins_as_the_readme_and_leads_to_first_steps(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    beginning = (ROOT / "README.md").read_text("utf-8").split("\n\n")[1]
    assert page.locator("article p, [itemprop=articleBody] p").first.inner_text().split()[:20] == beginning.split()[:20]
    for role in ("An officer", "A casino", "A developer", "An author of rules"):
        assert page.locator("nav").get_by_role("link", name=role, exact=True).count() == 1


def test_the_api_page_has_every_public_name(site: Path, page: Page) -> None:
    page.goto((site / "api.html").as_uri())
    headings = [text.rstrip("#").strip() for text in page.locator("h3").all_inner_texts()]
    assert sorted(headings) == sorted(name for name in fairdeal.__all__ if not name.startswith("_"))
    signature = page.locator("h3#check + pre").inner_text()
    assert "*submissions: str | Path | Mapping[str, Any]," in signature
    assert "generated: str = 'not stated'," in signature
