"""Hostile strings in every field of every form: they stay text, and no form gives an internal error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import urlencode

import pytest

from tests.desk.client import RunningDesk
from tests.desk.conftest import POKER
from tests.desk.test_tables import GAME, ROWS, write_csv

HOSTILE = "<img src=x onerror=alert(1)>\"'{{7*7}}\u202e\r\n: -\0"
KIND = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def pages(desk: RunningDesk, poker_run: str) -> list[str]:
    """Return a page of each kind that has a form."""
    drafts = [
        desk.post("/submissions/new", {"game": game, "content": "example", "effective": "2026-02-01"}).location
        for game in (GAME, "poker-room")
    ]
    table = desk.upload("/audits", [("hands.csv", write_csv(*ROWS))]).location
    return [
        *("/", "/submissions", *drafts, f"{drafts[0]}/text", poker_run, f"{poker_run}/findings/1", table),
        *(f"{table}?game={GAME}", "/rulebook?q=meter"),
        *("/rulebook/scenario?game=poker-room", f"/rulebook/scenario?game={GAME}"),
    ]


def list_forms(page: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the method, the address and the names of the fields of each form, buttons included."""
    for form in re.findall(r"<form.*?</form>", page, re.DOTALL):
        tag = unescape(form[: form.index(">")])
        action, method = re.search(r'action="([^"]*)"', tag), re.search(r'method="([^"]*)"', tag)
        assert action
        assert method
        names = [unescape(name) for name in re.findall(r'<(?:input|select|textarea|button)[^>]* name="([^"]*)"', form)]
        addresses = [action[1], *map(unescape, re.findall(r'formaction="([^"]*)"', form))]
        for address in addresses:
            yield method[1], address, list(dict.fromkeys(names))


def test_hostile_strings_in_every_field_stay_text(desk: RunningDesk, pages: list[str]) -> None:
    tried = 0
    for path in pages:
        for method, address, names in list_forms(desk.get(path).text):
            if address.endswith(("/remove", "/verify", "/check")) or "/odds" in address:
                continue
            version = re.search(r'name="version" value="(\d+)"', desk.get(path).text)
            own = {"version": version[1]} if version else {}
            rules = {"game": GAME, "rows": "seat"} if "/tables/" in address else {"game": "poker-room"}
            for stated in (own, own | rules) if "game" in names else (own,):
                fields = dict.fromkeys(names, HOSTILE) | stated
                tried += len(names)
                if method == "get":
                    answer = desk.get(f"{address}?{urlencode(fields)}")
                elif address in ("/audits", "/submissions/open"):
                    answer = desk.upload(address, [(f"{HOSTILE}.yaml", b"a: 1\n")], fields)
                else:
                    answer = desk.send("POST", address, KIND, urlencode(fields).encode())
                assert answer.status in (200, 303, 400, 404, 409, 422), (address, answer.plain[:300])
                assert "<img" not in answer.text, address
            shown = desk.get(path)
            assert shown.status == 200, path
            assert "<img" not in shown.text, path
    assert tried > 400
    assert "<img" not in desk.get("/").text
    assert "<img" not in desk.get("/submissions").text


def test_hostile_cells_of_a_table_stay_text(desk: RunningDesk) -> None:
    head, *rows = ROWS
    wild = [(*row[:-1], '"<img src=x>\u202e"') for row in (head, *rows)]
    page = desk.upload("/audits", [("<img src=y>.csv", write_csv(*wild))]).location
    for address in (page, f"{page}?game={GAME}&rows=wager"):
        shown = desk.get(address).text
        assert "<img" not in shown
        assert "&lt;img" in shown


def test_hostile_words_of_the_evidence_stay_text(desk: RunningDesk) -> None:
    log = (POKER / "hand-log.jsonl").read_text("utf-8").replace("Ann", "<img src=x>").replace("P1-12", "<img src=z>")
    page = desk.upload("/audits", [("<img src=y>.jsonl", log.encode())]).location
    shown = desk.finish(page).text
    assert "<img" not in shown
    link = re.search(r'href="([^"]*/findings/[0-9]+)"', shown)
    assert link
    assert "<img" not in desk.get(link[1]).text
