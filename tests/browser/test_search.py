"""Searching, filtering and grouping in the page act on every finding, and find what Python finds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fairdeal.validator.reports.letter import HEADINGS
from tests.browser.conftest import MONTH, REPORTS, Opener, wait_until_ready
from tests.facade.reports import render
from tests.facade.results import Finding, Status
from tests.facade.text import sanitize
from tests.reports import sample
from tests.reports.many import many

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@cache
def list_findings() -> list[Finding]:
    """Return the findings of the report of a month."""
    return list(many(MONTH).findings)


def count_found(page: Page) -> int:
    """Return the number of findings that the page reports as found."""
    told = page.get_by_role("status")
    told.filter(has_text=" of ").wait_for()
    return int(told.inner_text().partition(" of ")[0].replace(",", ""))


def search(page: Page, words: str) -> int:
    box = page.get_by_role("searchbox")
    box.fill("nothing has these words")
    page.get_by_role("status").filter(has_text=re.compile("^0 of ")).wait_for()
    page.evaluate("document.getElementById('find-result').textContent = ''")
    box.fill(words)
    return count_found(page)


def test_every_round_with_a_finding_is_found(month: Page) -> None:
    findings = list_findings()
    for finding in (findings[0], findings[777], findings[-1]):
        assert search(month, f"round {finding.where.round}") == 1
        item = month.locator("#results .finding")
        assert finding.expected in item.inner_text()
        assert finding.observed in item.inner_text()
        assert str(finding.where.round) in item.inner_text()
    assert search(month, "round HD-99/000001") == 0


@pytest.mark.parametrize(
    ("words", "fits"),
    [
        ("seat 3", lambda one: one.where.seat == 3),
        ("SEAT 3 ruiz", lambda one: one.where.seat == 3 and "Ruiz" in (one.where.context or {}).values()),
        ('"clause (7)"', lambda one: "clause (7)" in one.message),
        ("2026-03-09", lambda one: one.where.time.startswith("2026-03-09")),
        ("2026-03-09 11:", lambda one: "2026-03-09" in one.where.time and "11:" in one.where.time[10:]),
        (f"{sample.LOG}:8", lambda one: f"{sample.LOG}:{one.where.line}".startswith(f"{sample.LOG}:8")),
        ("too little super-6", lambda one: "too little" in one.observed and one.where.wager == "super-6"),
        ("requirement-39", lambda one: one.requirement.endswith("39")),
        ("new night", lambda one: "new" in (one.state or "") and "night" in (one.where.context or {}).values()),
        ("blue lantern", lambda _: True),
    ],
)
def test_a_search_finds_what_is_there(month: Page, words: str, fits: Callable[[Finding], bool]) -> None:
    expected = sum(map(fits, list_findings()))
    assert search(month, words) == expected > 0


FILTERS: dict[str, Callable[[Finding], str]] = {
    "Rule": lambda one: f"What clause ({int(one.requirement[-2:])}) asks for is done",
    "Status": lambda one: "Fail" if one.status is Status.FAIL else "Not evidenced",
    "New or known": lambda one: str(one.state).capitalize(),
    "Table": lambda one: str(one.where.table),
    "Seat": lambda one: str(one.where.seat),
    "Day": lambda one: str(one.where.time)[:10],
    "Dealer": lambda one: (one.where.context or {}).get("dealer", "not stated"),
    "Shift": lambda one: (one.where.context or {}).get("shift", "not stated"),
}


@pytest.mark.parametrize("name", FILTERS)
def test_filters_are_right(month: Page, name: str) -> None:
    counts = Counter(map(FILTERS[name], list_findings()))
    select = month.get_by_label(name, exact=True)
    options = select.locator("option").all_inner_texts()
    assert sorted(options[1:]) == sorted(f"{value} ({count:,})" for value, count in counts.items())
    for option in (options[1], options[-1]):
        select.select_option(label=option)
        assert f" ({count_found(month):,})" == re.findall(r" \([\d,]+\)$", option)[0]


def test_filters_narrow_one_another_and_money_is_added_up(open_report: Opener) -> None:
    page = open_report("month")
    page.get_by_label("Seat", exact=True).select_option(
        label=re.findall(r"'(2 \([\d,]+\))'", _options(page, "Seat"))[0]
    )
    page.get_by_label("New or known").select_option(index=1)
    state = page.locator("#find-state option").nth(1).inner_text().split()[0].lower()
    search(page, "night")
    these = [
        finding
        for finding in list_findings()
        if finding.where.seat == 2 and finding.state == state and (finding.where.context or {}).get("shift") == "night"
    ]
    told = page.get_by_role("status").inner_text()
    owed, overpaid = (sum(getattr(finding, name) or 0 for finding in these) / 100 for name in ("owed", "overpaid"))
    found = f"{len(these)} of {MONTH:,} findings"
    assert told.startswith(f"{found}: ${owed:,.2f} owed to players, ${overpaid:,.2f} overpaid")
    page.get_by_role("button", name="Clear").click()
    assert page.locator("#results").is_hidden()
    assert page.locator("article.group").first.is_visible()


def _options(page: Page, name: str) -> str:
    return str(page.get_by_label(name, exact=True).locator("option").all_inner_texts())


_CLICK_THROUGH = """
bunch => {
    const buttons = () => [...bunch.querySelectorAll("button:not([hidden])")];
    const more = () => buttons().find(one => one.textContent.includes("more of"));
    while (more()) more().click();
}
"""


@pytest.mark.parametrize("name", ["requirement", "table", "seat", "day", "dealer", "state"])
def test_groups_hold_every_finding_once(month: Page, name: str) -> None:
    label = {"state": "New or known", "requirement": "Rule"}.get(name, name.capitalize())
    counts = Counter(map(FILTERS[label], list_findings()))
    month.get_by_label("Group by").select_option(name)
    told = month.locator("#results .bunch > summary").all_inner_texts()
    sizes = [int(re.findall(r"([\d,]+) finding", heading)[0].replace(",", "")) for heading in told]
    assert sorted(sizes) == sorted(counts.values())
    first = month.locator("#results .bunch").first
    assert first.locator(".finding").count() == 0  # written out on demand
    first.locator("summary").first.click()
    first.locator(".finding").first.wait_for()
    assert first.locator(".finding").count() == min(50, sizes[0])
    first.evaluate(_CLICK_THROUGH)
    assert first.locator(".finding").count() == sizes[0]


def test_a_requirement_leads_to_all_its_findings(open_report: Opener) -> None:
    page = open_report("month")
    page.get_by_role("button", name="Show all 100").first.click()
    assert count_found(page) == 100
    assert page.evaluate("document.activeElement.id") == "find-result"
    assert page.locator("#results .finding").count() == 50
    page.get_by_role("button", name="Show 50 more of 100 findings").click()
    assert page.locator("#results .finding").count() == 100
    assert page.evaluate("[...document.querySelectorAll('#results .finding')].indexOf(document.activeElement)") == 50


def test_a_link_to_a_requirement_leads_there_from_a_search(open_report: Opener) -> None:
    page = open_report("month")
    assert search(page, "seat 3") > 0
    assert page.locator("#groups article:visible").count() == 0
    page.locator(".worst a").nth(1).click()
    assert page.locator("article.group:target").is_visible()
    assert page.locator("#results").is_hidden()
    assert page.get_by_role("searchbox").input_value() == ""


def test_a_finding_tells_its_law_when_asked(open_report: Opener) -> None:
    page = open_report("violations")
    assert search(page, "straight: at least 4 to 1") == 1
    page.get_by_text("Regulation and corrective action").click()
    told = page.locator("#results .about-it").inner_text()
    gist = "A pay table pays no less than the published floor. (Rule 7, Harbour Draw, (1) to (24), (12)(A))"
    assert f"{sample.DOCUMENT}/(12)(A): {gist}" in told
    assert "Raise the row to the floor" in told


def test_hostile_findings_are_text_when_they_are_written_out(open_report: Opener) -> None:
    page = open_report("hostile")
    before = Counter(page.evaluate("[...document.querySelectorAll('*')].map(one => one.localName)"))
    page.get_by_label("Group by").select_option("requirement")
    for summary in page.locator("#results .bunch > summary").all():
        summary.click()
    for summary in page.get_by_text("Regulation and corrective action").all():
        summary.click()
    text = page.locator("#results").inner_text()
    assert [hostile for hostile in sample.HOSTILE_TEXTS if sanitize(hostile) not in text] == []
    after = Counter(page.evaluate("[...document.querySelectorAll('*')].map(one => one.localName)"))
    assert after["script"] == before["script"] == 2
    assert set(after) == set(before)
    assert page.locator("img, iframe, [onload], [onerror], [style]").count() == 0


def test_data_that_cannot_be_unpacked_leaves_the_page_as_it_is(browser: Browser, tmp_path: Path) -> None:
    page = render("html", sample.RESULTS)
    start = page.index(b'id="findings-data">') + 40
    path = tmp_path / "broken.html"
    path.write_bytes(page[:start] + b"AAAA" + page[start + 4 :])
    opened = browser.new_page()
    opened.goto(path.as_uri())
    opened.get_by_text("This browser cannot search them").wait_for()
    assert opened.locator("#tools").is_hidden()
    assert opened.locator("article.group").count() == 5
    opened.close()


def test_tens_of_thousands_of_findings_are_one_file_that_opens(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "many.html"
    path.write_bytes(render("html", many(30_000)))
    assert path.stat().st_size < 4_500_000
    page = browser.new_page()
    page.set_default_timeout(60_000)
    page.goto(path.as_uri())
    wait_until_ready(page)
    assert search(page, "/029999") == 1
    page.close()


def test_the_schedule_of_what_was_found_is_printed_alone(open_report: Opener) -> None:
    page = open_report("few")
    page.evaluate("window.print = () => {}")
    failures = [at for at, finding in enumerate(REPORTS["few"].findings) if finding.status is Status.FAIL]
    unwaived = [at for at in failures if REPORTS["few"].findings[at].waived is None]
    label = page.locator("#find-dealer option", has_text=re.compile(r"^Tan \(")).inner_text()
    page.get_by_label("Dealer", exact=True).select_option(label=label)
    wanted = [
        str(number)
        for number, at in enumerate(unwaived, 1)
        if (REPORTS["few"].findings[at].where.context or {}).get("dealer") == "Tan"
    ]
    assert 1 < len(wanted) < len(unwaived)
    page.get_by_role("button", name="Print schedule").click()
    page.emulate_media(media="print")
    rows = page.locator("#schedule-print tbody tr")
    assert rows.locator("td:first-child").all_inner_texts() == wanted
    assert page.locator("#schedule-print thead th").all_inner_texts() == list(HEADINGS.values())
    assert set(rows.locator("td:nth-child(5)").all_inner_texts()) == {"Tan"}
    assert page.locator("main").is_hidden()
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert page.locator("#schedule-print").count() == 0
    assert page.locator("main").is_visible()
