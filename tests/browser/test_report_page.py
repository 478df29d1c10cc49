"""The HTML report as a reader meets it: opened from disk, with and without script, on paper, by keyboard."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest

from fairdeal.validator.reports.report_wording import format_sentence
from tests.browser.conftest import NARROW, REPORTS, WIDE, Opener
from tests.facade.results import Status
from tests.facade.text import sanitize
from tests.reports import sample

if TYPE_CHECKING:
    from playwright.sync_api import Page

_AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
_SECTIONS = "[...document.querySelectorAll('main > section')]"


@pytest.mark.parametrize("name", [*REPORTS, "poker"])
def test_opens_from_disk_alone(open_report: Opener, name: str) -> None:
    page = open_report(name)
    assert page.evaluate("window.refused") == []
    findings = name not in ("empty", "compliant")
    assert page.locator("#tools").is_visible() is findings  # the one script the policy allows did run


@pytest.mark.parametrize(
    ("name", "width"),
    [
        ("violations", WIDE),
        ("hostile", NARROW),
        ("poker", WIDE),
        ("empty", WIDE),
    ],
)
def test_axe_finds_nothing(open_report: Opener, name: str, width: int) -> None:
    _axe_finds_nothing(open_report(name, width=width, bypass_csp=True))


def test_axe_finds_nothing_in_the_dark(open_report: Opener) -> None:
    page = open_report("violations", bypass_csp=True, color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    _axe_finds_nothing(page)


@pytest.mark.parametrize("group", ["nothing", "table"])
def test_axe_finds_nothing_in_what_a_search_finds(open_report: Opener, group: str) -> None:
    page = open_report("few", bypass_csp=True)
    page.get_by_role("searchbox").fill("seat 3")
    page.get_by_label("Group by").select_option(group if group != "nothing" else "")
    page.locator("#results details").first.locator("summary").first.click()
    _axe_finds_nothing(page)


def _axe_finds_nothing(page: Page) -> None:
    page.evaluate(_AXE)
    outcome = page.evaluate("axe.run(document, {resultTypes: ['violations', 'incomplete']})")
    found = [(rule["id"], [node["html"][:200] for node in rule["nodes"]]) for rule in outcome["violations"]]
    assert found == []
    unsure = {rule["id"] for rule in outcome["incomplete"]}
    assert unsure <= {"color-contrast"}


@pytest.mark.parametrize("name", ["violations", "hostile", "long", "poker", "month"])
def test_nothing_is_wider_than_the_window(open_report: Opener, name: str) -> None:
    page = open_report(name, width=320)
    for width in (320, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") == width


def test_no_column_is_squeezed_to_nothing(open_report: Opener) -> None:
    page = open_report("violations", width=320)
    for width in (320, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        cells = page.evaluate("""
            [...document.querySelectorAll('thead th')].filter(th => th.checkVisibility())
                .map(th => [th.innerText, th.clientWidth])
        """)
        assert [cell for cell in cells if cell[1] < 48] == []


@pytest.mark.parametrize("name", ["violations", "hostile", "crowded"])
def test_says_the_same_without_script(open_report: Opener, name: str) -> None:
    script = f"{_SECTIONS}.map(part => [part.id, part.innerText])"
    with_script = open_report(name)
    with_script.evaluate("document.getElementById('tools').remove()")
    with_script.evaluate("document.getElementById('held').hidden = false")
    with_script.evaluate("document.querySelectorAll('button.all').forEach(one => one.remove())")
    without = open_report(name, java_script_enabled=False)
    assert without.locator("#held").is_visible()
    assert not without.locator("#tools").is_visible()
    assert without.evaluate(script) == with_script.evaluate(script)


def _is_evidence_visible(page: Page) -> bool:
    """Return whether everything that is broken can be read: the law, findings, unresolved items, every requirement."""
    texts = page.locator("article.group").evaluate_all("all => all.map(group => group.innerText).join(' ')")
    seen = page.locator(
        ".group .law, .group .finding, .causes > li, .requirements tbody tr, #hearing .lines"
    ).evaluate_all(
        "all => all.every(part => part.checkVisibility({visibilityProperty: true}) && part.getClientRects().length)"
    )
    broken = [finding for finding in sample.FINDINGS if finding.status in (Status.FAIL, Status.ERROR)]
    return seen and all(
        text in texts
        for finding in broken
        for text in (finding.message, format_sentence(finding.expected), format_sentence(finding.observed))
    )


@pytest.mark.parametrize("script", [True, False])
def test_print_shows_the_evidence_and_what_was_unfolded(open_report: Opener, script: bool) -> None:
    page = open_report("violations", java_script_enabled=script)
    first = page.locator("details.told").first
    first.locator("summary").click()
    page.emulate_media(media="print")
    assert _is_evidence_visible(page)
    assert not page.locator("#tools").is_visible()
    assert first.locator("li").first.is_visible()
    assert not page.locator("details.told:not([open])").first.is_visible()


def test_print_shows_the_report_even_where_it_was_searched(open_report: Opener) -> None:
    page = open_report("violations")
    page.get_by_label("Status", exact=True).select_option(label="Error (1)")
    assert page.locator("article.group:visible").count() == 0
    assert page.locator("#results .finding").count() == 1
    page.emulate_media(media="print")
    assert _is_evidence_visible(page)
    assert not page.locator("#results").is_visible()


def test_prints_to_pages(open_report: Opener) -> None:
    page = open_report("violations")
    assert page.pdf(prefer_css_page_size=True).startswith(b"%PDF-")


def test_a_month_is_a_few_pages(open_report: Opener) -> None:
    """The printed pages depend on the number of broken requirements, not of findings."""
    pages = [
        len(re.findall(rb"/Type\s*/Page\b", open_report(name).pdf(prefer_css_page_size=True)))
        for name in ("few", "month")
    ]
    assert pages[1] < 1.2 * pages[0]


def test_hostile_text_is_text(open_report: Opener) -> None:
    page = open_report("hostile")
    assert page.locator("img, iframe, object, embed, link, base, form").count() == 0
    assert page.locator("script").count() == 2  # the data, and what reads it
    assert page.locator("svg [onload], [onerror], [onclick], [style]").count() == 0
    body = page.locator("main").inner_text()
    for text in sample.HOSTILE_TEXTS:
        assert sanitize(text) in body


def test_quoted_text_keeps_its_direction_to_itself(open_report: Opener) -> None:
    page = open_report("violations")
    outside = page.evaluate("""
        [...document.querySelectorAll('.said')]
            .filter(part => getComputedStyle(part).unicodeBidi !== 'isolate').length
    """)
    assert outside == 0


def test_keyboard_reaches_the_report_and_every_scrolling_table(open_report: Opener) -> None:
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


def test_rules_and_readings_are_folded_until_they_are_asked_for(open_report: Opener) -> None:
    page = open_report("violations")
    assert page.locator(".requirements tbody tr:visible").count() == 0
    assert page.locator("article.reading:visible").count() == 0
    page.locator(".group .law-of:has(.cite a) summary").first.click()
    page.locator(".group .cite a").first.click()
    assert page.locator("article.reading:target").is_visible()


def test_a_report_with_few_findings_is_short(open_report: Opener) -> None:
    page = open_report("violations")
    page.set_viewport_size({"width": 1400, "height": 900})
    assert page.evaluate("document.documentElement.scrollHeight") < 10_000


def test_links_lead_from_a_requirement_to_its_finding(open_report: Opener) -> None:
    page = open_report("violations")
    page.locator("#requirements summary", has_text=re.compile("rules? violated")).click()
    row = page.locator(".requirements tr", has_text="settled-in-full")
    row.get_by_role("link", name="Finding 4").click()
    assert page.url.endswith("#group-4")
    assert page.locator(":target h3").inner_text().endswith("The dealer did not pay a wager what it was due.")
