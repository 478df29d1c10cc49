"""Ten questions of an officer, answered by what a screen of 1,400 by 900 pixels shows before anybody scrolls.

The questions:

 1. Who was audited, and under which license?
 2. Which game, under which regulation?
 3. Which days?
 4. What is the verdict?
 5. How many rounds of how many have a violation, and how many rules?
 6. How much does the house owe, how much has it overpaid, and how much is wrong between players?
 7. What are the most serious violations?
 8. At which tables?
 9. On which days, and with which dealers?
10. What must be requested of the licensee next?
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from fairdeal.validator.reports.report_wording import format_day
from tests.browser.conftest import Opener, wait_until_ready
from tests.facade.commands import run
from tests.facade.demo import GAME
from tests.facade.text import format_money
from tests.reports.month import CASINO, ROUNDS, SHORT, Month, make_month

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SCREEN = (1_400, 900)
TALLEST = 6_000
"""Height of the report of 3,000 rounds with some 20 findings, in pixels."""

_SHOWN = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), shown = [];
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width && box.top >= 0 && box.bottom <= window.innerHeight) { shown.push(node.data); }
  }
  return shown.join(" ").replace(/\\s+/g, " ");
}"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Month:
    return make_month(tmp_path_factory.mktemp("month"))


def open_file(browser: Browser, uri: str) -> Page:
    """Open a report on a screen of an officer."""
    page = browser.new_page(viewport={"width": SCREEN[0], "height": SCREEN[1]})
    page.goto(uri)
    wait_until_ready(page)
    return page


@pytest.fixture(scope="module")
def screen(browser: Browser, played: Month) -> Iterator[str]:
    """Return the text that the first screen shows whole."""
    path = played.log.with_name("month.html")
    path.write_text(played.page, "utf-8")
    page = open_file(browser, path.as_uri())
    yield page.evaluate(_SHOWN)
    page.close()


def test_who_when_and_by_which_law(screen: str) -> None:
    assert f"{CASINO} (license SIM-0001)" in screen
    assert "3 Card Shine (Rule 10, 30-1099.52)" in screen
    assert "from 1 to 31 March 2026" in screen


def test_the_verdict_and_its_extent(screen: str, played: Month) -> None:
    assert "Violations" in screen
    assert f"{CASINO} violated 1 of 92 rules" in screen
    assert f"in {len(played.days)} of {ROUNDS} rounds" in screen


def test_the_three_amounts(screen: str, played: Month) -> None:
    owed = format_money(SHORT * len(played.days))
    assert f"Owed to players by the house {owed} Overpaid by the house 0.00 Wrong between players 0.00" in screen


def test_the_most_serious_violation(screen: str) -> None:
    assert "The dealer did not settle the Pair XXX wager by the posted pay table." in screen


def test_tables_days_and_dealers(screen: str, played: Month) -> None:
    for table, count in played.tables.most_common(3):
        assert f"{table} {count} {format_money(SHORT * count)} owed to players" in screen
    (day, most), *_ = Counter(played.days).most_common(1)
    assert sum(played.tables.values()) == len(played.days)
    assert f"{format_day(day)} {most} {format_money(SHORT * most)} owed to players" in screen
    assert "Dealers with the most violations" in screen
    assert all(dealer in screen for dealer in ("Ruiz", "Tan"))


def test_what_to_request(screen: str, played: Month) -> None:
    owed = format_money(SHORT * len(played.days))
    assert f"Payment of {owed} by the house to players on the restitution list." in screen
    assert f"A reply to {len(played.days)} findings on the schedule." in screen
    assert "A log with the events of every round (" in screen
    assert "Readable copies of 1 quarantined record." in screen


def test_the_first_screen_holds_for_every_game(open_report: Opener) -> None:
    """Everything in the box of the verdict is on the first screen, also where players play against each other."""
    page = open_report("poker", width=SCREEN[0])
    box = page.locator("#verdict").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= SCREEN[1]
    assert "Wrong between players\n64.00" in page.locator(".figures").inner_text()


def test_navigation_stays_in_sight(open_report: Opener) -> None:
    page = open_report("poker", width=SCREEN[0])
    page.locator("#hearing").scroll_into_view_if_needed()
    box = page.locator("nav.contents").bounding_box()
    assert box is not None
    assert box["y"] == 0
    page.locator("nav.contents a", has_text="Findings").click()
    heading = page.locator("#findings h2").bounding_box()
    assert heading is not None
    assert heading["y"] >= box["height"]


def test_three_thousand_rounds_with_twenty_findings_are_short(
    browser: Browser, tmp_path_factory: pytest.TempPathFactory
) -> None:
    place = tmp_path_factory.mktemp("tall")
    log, house, page = place / "log.jsonl", place / "house.yaml", place / "report.html"
    faults = ("pair-xxx-by-table", "super-6-by-table", "fold-forfeits-the-ante", "dealer-not-qualified")
    planted = [part for fault in faults for part in ("--fault", fault)]
    options = ("--rounds", "3000", "--seed", "4", "--fault-every", "140", *planted)
    assert run("simulate", GAME, *options, "-o", log, "--write-submission", house).code == 0
    run("audit", log, "--submission", house, "-o", f"html:{page}")
    opened = open_file(browser, page.as_uri())
    assert "22 of 3,000 rounds" in opened.locator("#verdict").inner_text()
    assert opened.evaluate("document.documentElement.scrollHeight") <= TALLEST
    opened.close()
