"""The desk in a browser: a first submission, an audit, hostile names and pages, and accessibility."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.conftest import NARROW, WIDE
from tests.desk.client import DeskThread, RunningDesk
from tests.desk.test_tables import GAME, ROWS, write_csv
from tests.facade.commands import run
from tests.facade.demo import DEMO

AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
TIMEOUT = 30_000
HOSTILE = "<img src=x onerror=alert(1)>\u202e"


class Visitor:
    """Browser that opened the first address of a desk, and keeps the complaints of its pages."""

    def __init__(self, browser: Browser, desk: RunningDesk, *, width: int = WIDE, **options: Any) -> None:
        self.desk = desk
        self.context: BrowserContext = browser.new_context(viewport={"width": width, "height": 900}, **options)
        self.context.set_default_timeout(TIMEOUT)
        self.troubles: list[str] = []
        self.page = self.open_tab()
        self.page.goto(f"{desk.origin}/?token={desk.keys.token}")
        self.page.wait_for_url(f"{desk.origin}/")

    def open_tab(self) -> Page:
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.troubles.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.troubles.append(f"dialog: {dialog.message}"))
        page.on("console", lambda message: self.troubles.append(f"console: {message.text}"))
        page.on("request", lambda request: self._note(request.url))
        return page

    def _note(self, url: str) -> None:
        if not url.startswith((self.desk.origin, "data:")):
            self.troubles.append(f"request: {url}")

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.desk.origin}{path}")
        return self.page


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("desk") / "home"


@pytest.fixture(scope="module")
def desk(home: Path) -> Iterator[RunningDesk]:
    with DeskThread(home, max_upload=8 << 20) as running:
        yield running


@pytest.fixture
def visitor(browser: Browser, desk: RunningDesk) -> Iterator[Visitor]:
    visitor = Visitor(browser, desk)
    yield visitor
    visitor.context.close()
    assert visitor.troubles == []


def fill(page: Page, values: dict[str, str]) -> None:
    for name, value in values.items():
        field = page.locator(f'[name="{name}"]')
        if field.first.get_attribute("type") == "checkbox" or field.count() > 1:
            page.locator(f'[name="{name}"][value="{value}"]').check()
        elif field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
        else:
            field.fill(value)


def add(page: Page, button: str, at: int = 0) -> None:
    with page.expect_navigation():
        page.get_by_role("button", name=button, exact=True).nth(at).click()


def test_a_casino_makes_its_first_submission(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.go("/submissions")
    page.get_by_label("Game").select_option(label="Caribbean Draw Poker (caribbean-draw)")
    page.get_by_label("Casino", exact=True).fill("Golden Gulch")
    page.get_by_label("First day in force").fill("2026-02-01")
    page.get_by_label("Currency").fill("USD")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("Not complete yet")).to_be_visible()
    for button in ("Add ante", "Add bet", "Add the pay table bet"):
        add(page, button)
    page.locator('[name="/layout/style"]').fill("caribbean-draw")
    for legend in ("Ante", "Bet", "Cards"):
        add(page, f"Add an area with the legend “{legend}”")
    add(page, "Add a sign for ante")
    assert "royal-flush 100 to 1" in " ".join(page.locator(".printed").first.inner_text().split())
    # Findings appear while one types, and go when the value is lawful.
    message = page.locator('[id="m:/wagers/0/maximum"]')
    page.locator('[name="/wagers/0/maximum"]').fill("9")
    expect(message).to_contain_text("2.50 at most")
    page.locator('[name="/wagers/0/maximum"]').fill("2.50")
    expect(message).to_be_empty()
    page.locator('[name="/layout/positions"]').fill("7")
    expect(page.locator("#drawing svg .seat")).to_have_count(7)
    fill(
        page,
        {
            **{"/deck/cards": "standard-52", "/deck/decks": "1", "/dealing": "one-at-a-time", "/hands-per-player": "1"},
            **{"/wagers/0/minimum": "1", "/wagers/0/posted": "layout", "/wagers/0/tips": "yes"},
            **{
                "/wagers/1/minimum": "2",
                "/wagers/1/maximum": "5",
                "/wagers/1/posted": "layout",
                "/wagers/1/tips": "no",
            },
            **{
                "/pay-tables/0/displayed": "layout",
                "/layout/signage/0/minimum": "1",
                "/layout/signage/0/maximum": "2.50",
            },
        },
    )
    with page.expect_navigation():
        page.get_by_role("button", name="Save").first.click()
    attest = page.get_by_role("button", name=re.compile("^Add the attestation"))
    while attest.count():
        add_first = attest.first
        with page.expect_navigation():
            add_first.click()
    for at in range(page.locator('[name^="/attestations/"][name$="/by"]').count()):
        fill(page, {f"/attestations/{at}/by": "A. Person, general manager", f"/attestations/{at}/given": "2026-01-15"})
    page.get_by_role("button", name="Save").first.click()
    expect(page.get_by_text("Nothing is left to do.")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    path = tmp_path / "submission.yaml"
    download.value.save_as(path)
    checked = run("check", path)
    assert checked.code == 0, checked.text


def make_log(folder: Path) -> Path:
    """Write the demo's log with the dealers of its tables."""
    lines = (DEMO / "hand-log.jsonl").read_text("utf-8").splitlines()
    for at, line in enumerate(lines):
        try:
            record = json.loads(line)
        except ValueError:
            continue
        lines[at] = json.dumps({**record, "context": {"dealer": ("Kim", "Lee")[at % 2]}})
    path = folder / "march.jsonl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_an_officer_audits_and_closes_a_finding(browser: Browser, tmp_path: Path) -> None:
    home = tmp_path / "home"
    with DeskThread(home) as desk:
        visitor = Visitor(browser, desk)
        page = visitor.page
        page.locator("#files").set_input_files([make_log(tmp_path), DEMO / "submission.yaml", DEMO / "waivers.yaml"])
        page.get_by_role("button", name="Evaluate").click()
        expect(page.get_by_role("heading", name="Violations")).to_be_visible(timeout=60_000)
        everything = page.locator("p[role=status] strong").inner_text()
        page.get_by_label("Dealer").select_option("Kim")
        page.get_by_role("button", name="Filter").click()
        assert page.locator("p[role=status] strong").inner_text() != everything
        assert "context.dealer=Kim" in page.url
        page.locator(".rows a").first.click()
        assert "Kim" in page.locator(".facts").first.inner_text()
        page.get_by_label("State").select_option("closed")
        page.get_by_label("Add a note").fill(f"Paid back. {HOSTILE}")
        page.get_by_role("button", name="Save").click()
        expect(page.locator(".note-of-finding")).to_contain_text("Paid back. <img")
        finding = page.url.removeprefix(desk.origin)
        page.get_by_role("link", name="This round step by step").click()
        expect(page.get_by_role("heading", name="Settlement of each wager")).to_be_visible()
        visitor.go("/runs/1").get_by_role("link", name="Letter to the licensee").click()
        expect(page.get_by_role("heading", name="Notice of violation", exact=True)).to_be_visible()
        visitor.go("/runs/1/report")
        expect(page.locator("#tools")).to_be_visible()
        assert visitor.troubles == []
        visitor.context.close()
    with DeskThread(home) as desk:
        visitor = Visitor(browser, desk)
        assert "closed" in visitor.go(finding).locator(".tags").inner_text()
        visitor.context.close()


def test_a_foreign_page_cannot_change_anything(browser: Browser, desk: RunningDesk, visitor: Visitor) -> None:
    """Another site posts to the desk from the same browser, by a form and by a script."""
    draft = desk.post("/submissions/new", {"game": "co-rule8-burnout", "effective": "2026-02-01"}).location
    action = f"{desk.origin}{draft}/remove"
    form = f'<form method="post" action="{action}"></form>'
    page = visitor.context.new_page()
    page.route("http://evil.example/", lambda route: route.fulfill(content_type="text/html", body=form))
    page.goto("http://evil.example/")
    page.evaluate("document.forms[0].submit()")
    expect(page.locator("body")).to_contain_text("comes from a page of another site")
    page.goto("http://evil.example/")
    page.evaluate("url => fetch(url, {method: 'POST', mode: 'no-cors', credentials: 'include'}).catch(() => 0)", action)
    page.goto(action.replace("127.0.0.1", "localhost"))  # a GET changes nothing, and has no cookie
    page.close()
    assert visitor.go(draft).get_by_role("button", name="Remove this draft").is_visible()


def test_two_tabs_do_not_overwrite_each_other(visitor: Visitor, desk: RunningDesk) -> None:
    draft = desk.post("/submissions/new", {"game": "co-rule8-burnout", "effective": "2026-02-01"}).location
    first, second = visitor.page, visitor.open_tab()
    for page, name in ((first, "First"), (second, "Second")):
        page.goto(f"{desk.origin}{draft}")
        page.locator('[name="/licensee/name"]').fill(name)
    first.get_by_role("button", name="Save").first.click()
    expect(first.locator('[name="/licensee/name"]')).to_have_value("First")
    second.get_by_role("button", name="Save").first.click()
    expect(second.get_by_role("alert")).to_contain_text("changed in another tab")
    expect(second.get_by_label("What you entered")).to_have_value(re.compile("Second"))
    assert b"First" in desk.get(f"{draft}/file").body
    visitor.troubles[:] = [trouble for trouble in visitor.troubles if "409" not in trouble]


def test_hostile_texts_stay_texts(visitor: Visitor, desk: RunningDesk) -> None:
    draft = desk.post("/submissions/new", {"game": "co-rule8-burnout", "effective": "2026-02-01"}).location
    page = visitor.go(draft)
    for field in page.locator(
        '#draft-form input:not([type="hidden"], [type="checkbox"], [type="date"], [name="/document"])'
    ).all():
        field.fill(f"{HOSTILE}'\"]}}: -")
    page.get_by_role("button", name="Save").first.click()
    page.wait_for_load_state()
    assert page.locator("img").count() == 0
    page.get_by_role("button", name="Check the saved draft").click()
    expect(page.get_by_role("heading", name="Messages")).to_be_visible(timeout=60_000)
    assert page.locator("img").count() == 0


def test_an_officer_points_at_the_columns_of_a_table(visitor: Visitor, tmp_path: Path) -> None:
    """Guesses are corrected with a preview, by the keyboard alone; then the table is audited."""
    path = tmp_path / f"{HOSTILE[:9]}.csv"
    path.write_bytes(write_csv(*ROWS))
    page = visitor.page
    page.locator("#files").set_input_files(path)
    page.get_by_role("button", name="Evaluate").click()
    page.get_by_label("Game").select_option(GAME)
    page.get_by_role("button", name="Next").press("Enter")
    preview = page.locator("#preview")
    expect(preview).to_contain_text("has no time zone")
    page.get_by_label("Offset from UTC").fill("-07:00")
    expect(preview).to_contain_text("Of 3 rows, 1 cannot be read")
    page.get_by_label("Player Cards").press("Home")  # the column is not used
    expect(preview).to_contain_text("All of 3 rows can be read")
    assert page.evaluate("document.activeElement.id") == "into-4"
    page.get_by_role("button", name="Import and evaluate").press("Enter")
    expect(page.locator(".verdict")).to_be_visible(timeout=60_000)


def test_seats_stakes_and_decisions_of_a_round_are_added_by_controls(visitor: Visitor) -> None:
    page = visitor.go("/rulebook/scenario?game=caribbean-draw&seed=3")
    parts = page.locator("fieldset.entry")
    before = parts.count()
    with page.expect_navigation():
        page.get_by_role("button", name="Add a seat").press("Enter")
    assert parts.count() == before + 1
    assert parts.last.locator("input").first.evaluate("field => field === document.activeElement")
    page.keyboard.type("AhKhQhJhTh")
    parts.last.get_by_label("Decision").select_option("call")
    for stake in ("ante", "bet"):
        parts.last.locator("select").last.select_option(stake)
        with page.expect_navigation():
            parts.last.get_by_role("button", name="Add a stake").click()
    parts.last.get_by_label("Amount").last.fill("2.00")
    expect(page.locator("#due")).to_contain_text("the 2.00 Bet")
    expect(page.locator("#due")).to_contain_text("royal flush")


@pytest.fixture(scope="module")
def pages(desk: RunningDesk) -> list[str]:
    """Return the address of a page of each kind."""
    draft = desk.post(
        "/submissions/new", {"game": "caribbean-draw", "content": "example", "effective": "2026-02-01"}
    ).location
    run_page = desk.audit(DEMO / "hand-log.jsonl", DEMO / "submission.yaml")
    table = desk.upload("/audits", [("hands.csv", write_csv(*ROWS))]).location
    odds = desk.post(f"/rulebook/odds?id={GAME}").location
    desk.finish(odds)
    return [
        *("/", "/submissions", draft, f"{draft}/text", "/nowhere", "/rulebook?q=meter"),
        *(f"/rulebook/document?id={GAME}", f"/rulebook/clause?id={GAME}/(13)", f"{odds}/odds"),
        *("/rulebook/requirement?id=caribbean-draw/ante-cap", "/rulebook/scenario?game=caribbean-draw"),
        *("/rulebook/scenario?game=poker-room", table, f"{table}?game={GAME}", table.partition("/tables")[0]),
        *(run_page, f"{run_page}/findings/1", f"{run_page}/findings/1/round", f"{run_page}/compare?with=1"),
    ]


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
def test_pages_are_accessible(browser: Browser, desk: RunningDesk, pages: list[str], width: int, scheme: str) -> None:
    """No finding of axe, nothing wider than the screen; every second page on a phone, the others on a wide screen."""
    visitor = Visitor(browser, desk, width=width, color_scheme=scheme, bypass_csp=True)
    found: dict[str, object] = {}
    for path in pages[width == NARROW :: 2]:
        page = visitor.go(path)
        page.evaluate(AXE)
        violations = page.evaluate("async () => (await axe.run()).violations")
        if violations:
            found[path] = [(violation["id"], violation["nodes"][0]["html"]) for violation in violations]
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
    visitor.context.close()
    assert found == {}


def test_everything_works_without_a_script_and_by_keyboard(browser: Browser, desk: RunningDesk) -> None:
    visitor = Visitor(browser, desk, java_script_enabled=False)
    page = visitor.go("/submissions")
    page.get_by_label("Game").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.type("Golden Gulch")
    page.get_by_label("Currency").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Not complete yet")).to_be_visible()
    page.locator('[name="/licensee/name"]').focus()
    page.keyboard.type(" Casino")
    page.keyboard.press("Enter")
    expect(page.locator('[name="/licensee/name"]')).to_have_value(re.compile("Casino"))
    assert page.locator(".field-message").count() > 0
    page.get_by_role("button", name="Check the saved draft").click()
    expect(page.locator(".outcome")).to_be_visible(timeout=60_000)
    visitor.context.close()
