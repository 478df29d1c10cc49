"""The HTML report as a reader meets it: opened from disk, with and without script, on paper, by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.conftest import REPORTS
from tests.reports import sample
from validator.text.visible import visible

Open = Callable[..., Page]

NARROW, WIDE = 360, 1280

_WATCH_POLICY = """
window.refused = [];
document.addEventListener("securitypolicyviolation", event => window.refused.push(event.violatedDirective));
"""
_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_SECTIONS = "[...document.querySelectorAll('main > section')]"


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
        return page

    yield open_
    for context in contexts:
        context.close()
    assert troubles == []
    assert requests == opened


@pytest.mark.parametrize("name", [*REPORTS, "poker"])
def test_opens_from_disk_alone(open_report: Open, name: str) -> None:
    page = open_report(name)
    assert page.evaluate("window.refused") == []
    assert page.locator("#tools").is_visible()  # the one script the policy allows did run


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("violations", NARROW),
        ("violations", WIDE),
        ("hostile", NARROW),
        ("hostile", WIDE),
        ("poker", NARROW),
        ("poker", WIDE),
        ("empty", WIDE),
        ("compliant", WIDE),
    ],
)
def test_axe_finds_nothing(open_report: Open, name: str, width: int) -> None:
    page = open_report(name, width=width, bypass_csp=True)
    page.evaluate(_AXE)
    outcome = page.evaluate("axe.run(document, {resultTypes: ['violations', 'incomplete']})")
    found = [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in outcome["violations"]]
    assert found == []
    unsure = {rule["id"] for rule in outcome["incomplete"]}
    assert unsure <= {"color-contrast"}


@pytest.mark.parametrize("width", [320, WIDE])
@pytest.mark.parametrize("name", ["violations", "hostile", "long", "poker"])
def test_nothing_is_wider_than_the_window(open_report: Open, name: str, width: int) -> None:
    page = open_report(name, width=width)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_no_column_is_squeezed_to_nothing(open_report: Open) -> None:
    for width in (320, WIDE):
        page = open_report("violations", width=width)
        cells = page.evaluate("[...document.querySelectorAll('thead th')].map(th => [th.innerText, th.clientWidth])")
        assert [cell for cell in cells if cell[1] < 48] == []


@pytest.mark.parametrize("name", ["violations", "hostile", "crowded"])
def test_says_the_same_without_script(open_report: Open, name: str) -> None:
    script = f"{_SECTIONS}.map(part => [part.id, part.innerText])"
    with_script = open_report(name)
    with_script.evaluate("document.getElementById('tools').remove()")
    without = open_report(name, java_script_enabled=False)
    assert not without.locator("#tools").is_visible()
    assert without.evaluate(script) == with_script.evaluate(script)


def _folded(page: Page) -> None:
    """Close every list of findings, as a reader can without any script."""
    for summary in page.locator("summary").all():
        summary.click()
    assert page.locator("details[open]").count() == 0
    assert not page.locator("table.places").first.is_visible()


def _evidence_seen(page: Page) -> bool:
    texts = page.locator("article.group").evaluate_all("all => all.map(group => group.innerText).join(' ')")
    seen = page.locator(".group .location, .group td, .group dd, .requirements tr").evaluate_all(
        "all => all.every(part => part.checkVisibility({visibilityProperty: true}) && part.getClientRects().length)"
    )
    quoted = [text for finding in sample.FINDINGS for text in (finding.message, finding.expected, finding.observed)]
    return seen and all(text in texts for text in quoted)


@pytest.mark.parametrize("script", [True, False])
def test_print_shows_all_evidence_even_where_it_was_folded_away(open_report: Open, script: bool) -> None:
    page = open_report("violations", java_script_enabled=script)
    _folded(page)
    assert not _evidence_seen(page)
    page.emulate_media(media="print")
    assert _evidence_seen(page)
    assert not page.locator("#tools").is_visible()
    assert page.locator("#signature .lines").is_visible()


def test_print_shows_all_even_where_it_was_filtered(open_report: Open) -> None:
    page = open_report("violations")
    page.get_by_label("Status", exact=True).select_option("pass")
    assert page.locator("article.group:visible").count() == 0
    assert page.locator(".requirements tbody tr:visible").count() == 1
    assert page.get_by_role("status").inner_text().startswith("1 of 17 groups")
    page.emulate_media(media="print")
    assert _evidence_seen(page)


def test_filter_by_words_and_fold(open_report: Open) -> None:
    page = open_report("violations")
    page.get_by_label("Requirement, clause or words").fill("(14)(A)")
    assert page.locator("article.group:visible h3").all_inner_texts() == [
        "4 Every wager is paid what the settlement gives it"
    ]
    page.get_by_label("Requirement, clause or words").fill("")
    assert page.locator("article.group:visible").count() == 7
    page.get_by_role("button", name="Collapse all").click()
    assert page.locator("details[open]").count() == 0
    page.get_by_role("button", name="Expand all").click()
    assert page.locator("details:not([open])").count() == 0


def test_prints_to_pages(open_report: Open) -> None:
    page = open_report("violations")
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF-")
    assert page.locator("details:not([open])").count() == 0


def test_hostile_text_is_text(open_report: Open) -> None:
    page = open_report("hostile")
    assert page.locator("img, iframe, object, embed, link, base, form").count() == 0
    assert page.locator("script").count() == 1
    assert page.locator("svg [onload], [onerror], [onclick], [style]").count() == 0
    harmless = open_report("violations")
    count = "document.querySelectorAll(':not(text)').length"
    assert page.evaluate(count) == harmless.evaluate(count)
    body = page.locator("main").inner_text()
    for text in sample.HOSTILE_TEXTS:
        assert visible(text) in body


def test_quoted_text_keeps_its_direction_to_itself(open_report: Open) -> None:
    page = open_report("violations")
    outside = page.evaluate("""
        [...document.querySelectorAll('.said')]
            .filter(part => getComputedStyle(part).unicodeBidi !== 'isolate').length
    """)
    assert outside == 0


def test_keyboard_reaches_the_report_and_every_scrolling_table(open_report: Open) -> None:
    page = open_report("violations", width=NARROW)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    unreachable = page.evaluate("""
        [...document.querySelectorAll('.scroll')]
            .filter(part => part.scrollWidth > part.clientWidth && part.tabIndex !== 0).length
    """)
    assert unreachable == 0
    assert page.evaluate("document.querySelectorAll('.scroll').length") > 3


def test_links_lead_from_a_requirement_to_its_finding(open_report: Open) -> None:
    page = open_report("violations")
    row = page.locator(".requirements tr", has_text="settled-in-full")
    row.get_by_role("link", name="Finding 4").click()
    assert page.url.endswith("#group-4")
    assert page.locator(":target h3").inner_text().endswith("Every wager is paid what the settlement gives it")
