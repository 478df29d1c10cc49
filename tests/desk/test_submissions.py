"""Drafts of submissions: forms that never state anything by themselves, findings at their fields, and files kept."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import urlencode

import pytest
from openpyxl import load_workbook

from fairdeal.validator.rulebook.rulebook import Rulebook
from tests.desk.client import Answer, RunningDesk, read_fields
from tests.desk.conftest import POKER
from tests.facade.commands import run

DOCUMENTS = Rulebook().documents
NEW = {"licensee": "Silver Fork", "effective": "2026-05-01", "currency": "USD"}


def begin(desk: RunningDesk, game: str, content: str = "blank") -> str:
    return desk.post("/submissions/new", {"game": game, "content": content, **NEW}).location


def save(desk: RunningDesk, draft: str, fields: list[tuple[str, str]]) -> Answer:
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    return desk.send("POST", f"{draft}/save", kind, urlencode(fields).encode())


@pytest.mark.parametrize("game", DOCUMENTS)
@pytest.mark.parametrize("content", ["blank", "example"])
def test_a_form_that_is_saved_as_it_is_changes_nothing(desk: RunningDesk, game: str, content: str) -> None:
    draft = begin(desk, game, content)
    before = desk.get(f"{draft}/file").body
    if content == "blank":
        assert re.findall(rb"(?m)^ *([a-z-]+):", before) == [
            *(b"submission", b"licensee", b"name", b"document", b"effective", b"currency")
        ]
    fields = read_fields(desk.get(draft).text)
    assert len(fields) > 5
    assert save(desk, draft, fields).location == draft
    assert desk.get(f"{draft}/file").body == before


@pytest.mark.parametrize("game", DOCUMENTS)
def test_an_example_is_compliant(desk: RunningDesk, game: str) -> None:
    assert "Nothing is left to do." in desk.get(begin(desk, game, "example")).plain


def test_findings_are_at_their_fields(desk: RunningDesk) -> None:
    """The words are those of the check of the same file."""
    draft = begin(desk, "caribbean-draw")
    added = save(desk, draft, [*read_fields(desk.get(draft).text), ("add", "/wagers#0")])
    assert added.location == f"{draft}#g:/wagers/0"
    fields = dict(read_fields(desk.get(draft).text)) | {"/wagers/0/maximum": "9.75"}
    trial = desk.post(f"/try{draft}", fields)
    part = re.search(r'data-part="m:/wagers/0/maximum">(.*?)</div>', trial.text, re.DOTALL)
    assert part
    assert "2.50 at most" in part[1]
    # A trial saves nothing.
    assert b"9.75" not in desk.get(f"{draft}/file").body
    assert save(desk, draft, list(fields.items())).location == draft
    text = desk.get(f"{draft}/file").body
    assert text.decode().endswith('wagers:\n- wager: ante\n  maximum: "9.75"\n')
    checked = run("check", "-", "-o", "json", stdin=text).results
    places = {finding["where"].get("pointer"): finding for finding in checked["findings"]}
    finding = places["/wagers/0/maximum"]
    assert finding["message"] in unescape(re.sub(r"\s+", " ", part[1]))


def test_what_is_cleared_or_removed_is_not_stated(desk: RunningDesk) -> None:
    draft = begin(desk, "caribbean-draw", "example")
    fields = dict(read_fields(desk.get(draft).text))
    save(desk, draft, [*(fields | {"/dealing": "", "/deck/decks": ""}).items(), ("remove", "/wagers/1")])
    text = desk.get(f"{draft}/file").body.decode()
    assert "dealing:" not in text
    assert "decks:" not in text
    assert "/wagers/2/wager" in fields
    assert fields["/wagers/1/wager"] not in re.findall(r"wager: (.*)", text.partition("pay-tables")[0])


def test_nowhere_is_a_statement_of_its_own(desk: RunningDesk) -> None:
    draft = begin(desk, "caribbean-draw", "example")
    fields = [pair for pair in read_fields(desk.get(draft).text) if pair[0] != "/wagers/0/posted"]
    save(desk, draft, [*fields, ("/wagers/0/posted", "none of these")])
    assert "posted: []" in desk.get(f"{draft}/file").body.decode()
    assert ("/wagers/0/posted", "none of these") in read_fields(desk.get(draft).text)


def test_a_draft_that_changed_in_another_tab_is_not_overwritten(desk: RunningDesk) -> None:
    draft = begin(desk, "caribbean-draw")
    first = read_fields(desk.get(draft).text)
    second = [(name, "Gold Fork" if name == "/licensee/name" else value) for name, value in first]
    third = [(name, "Copper Fork" if name == "/licensee/name" else value) for name, value in first]
    assert save(desk, draft, second).location == draft
    refused = save(desk, draft, third)
    assert refused.status == 409
    assert "Copper Fork" in refused.plain
    assert b"Gold Fork" in desk.get(f"{draft}/file").body


def test_a_file_is_opened_with_its_comments(desk: RunningDesk) -> None:
    given = (POKER / "submission.yaml").read_bytes()
    draft = desk.upload("/submissions/open", [("house.yaml", given)]).location
    assert desk.get(f"{draft}/file").body == given
    fields = [("version", "1"), ("/licensee/name", "Silver <b>Fork")]
    assert save(desk, draft, fields).location == draft
    old, new = given.decode().split("\n"), desk.get(f"{draft}/file").body.decode().split("\n")
    changed = [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]
    assert len(changed) == 1
    assert "Silver <b>Fork" in changed[0][1]
    assert "<b>Fork" not in desk.get(draft).text


def test_a_value_that_cannot_be_read_hides_no_other_finding(desk: RunningDesk) -> None:
    draft = begin(desk, "co-rule10-3card-shine", "example")
    fields = dict(read_fields(desk.get(draft).text))
    wrong = {"/deck/decks": "many", "/layout/style": "", "/wagers/0/maximum": "x", "/dealing": "by-post"}
    trial = desk.post(f"/try{draft}", fields | wrong)
    assert "Cannot be read yet" in trial.plain
    for field, says in (("/deck/decks", "many"), ("/layout/style", "Style is needed here"), ("/dealing", "packets")):
        part = re.search(f'data-part="m:{field}">(.*?)</div>', trial.text, re.DOTALL)
        assert part
        assert says in part[1], field
    assert "Not stated" not in trial.plain  # of what was left out


def test_stated_odds_are_not_worked_out_while_one_types(desk: RunningDesk) -> None:
    """Counting the deals of this wager takes minutes."""
    draft = begin(desk, "co-rule10-flushes-gone-wild", "example")
    text = f"{desk.get(f'{draft}/file').text}stated-odds: [{{wager: ante, house-advantage: 3%}}]\n"
    shown = desk.post(f"/try{draft}/text", {"text": text}).plain
    assert "Stated odds are compared with those of the game when you check the saved draft" in shown
    assert "Compliant" not in shown


@pytest.mark.parametrize("game", DOCUMENTS)
def test_a_draft_is_saved_as_a_workbook_and_opened_again(desk: RunningDesk, game: str) -> None:
    """Blank fields stay blank, and findings appear at the same fields."""
    for content in ("blank", "example"):
        draft = begin(desk, game, content)
        book = desk.get(f"{draft}/workbook")
        assert 'filename="' + game + '.xlsx"' in book.headers["content-disposition"]
        again = desk.upload("/submissions/open", [("house.xlsx", book.body)]).location
        first, second = desk.get(draft), desk.get(again)
        assert "house.yaml" in second.plain
        assert dict(read_fields(first.text)) == dict(read_fields(second.text))
        assert re.findall(r'class="field-message.*', first.text) == re.findall(r'class="field-message.*', second.text)


def test_a_draft_that_a_workbook_cannot_state_is_refused(desk: RunningDesk) -> None:
    draft = begin(desk, "caribbean-draw")
    text = "document: caribbean-draw\neffective: 2026-05-01\nwagers: [{wager: ante}, 5]\n"
    desk.post(f"{draft}/text/save", {"version": "1", "text": text})
    assert desk.get(f"{draft}/workbook").status == 422
    assert desk.upload("/submissions/open", [("house.xlsx", b"PK\x03\x04")]).status == 422


@pytest.mark.parametrize(
    "text", ["", "a: [", "document: nowhere\n", "- a\n", "document: caribbean-draw\nwagers: 5\n", "\0"]
)
def test_any_text_can_be_kept_and_corrected(desk: RunningDesk, text: str) -> None:
    draft = begin(desk, "caribbean-draw")
    answer = desk.post(f"{draft}/text/save", {"version": "1", "text": text})
    assert answer.location == f"{draft}/text"
    for page in (draft, f"{draft}/text"):
        shown = desk.get(page)
        assert shown.status == 200
        assert "Traceback" not in shown.text
    assert desk.post(f"/try{draft}/text", {"text": text}).status == 200


def test_a_check_of_a_draft_is_kept(desk: RunningDesk) -> None:
    draft = begin(desk, "co-rule8-burnout", "example")
    page = desk.post(f"{draft}/check").location
    assert "Compliant" in desk.finish(page).plain
    assert desk.post(f"{draft}/remove").location == "/submissions"
    assert desk.get(draft).status == 404


def test_a_finding_in_a_workbook_names_its_cell(desk: RunningDesk, tmp_path: Path) -> None:
    path = tmp_path / "house.xlsx"
    run("new", "caribbean-draw", "--example", "-o", path)
    book = load_workbook(path)
    book["Wagers"]["D2"] = 9
    book.save(path)
    page = desk.audit(path)
    assert "house.xlsx , sheet Wagers, cell D2" in desk.get(page).plain
    assert "house.xlsx , sheet Wagers, cell D2" in desk.get(f"{page}/findings/1").plain
    draft = desk.upload("/submissions/open", [("house.xlsx", path)]).location
    part = re.search(r'id="m:/wagers/0/maximum">(.*?)</div>', desk.get(draft).text, re.DOTALL)
    assert part
    assert "2.50 at most" in part[1]
