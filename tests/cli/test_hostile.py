"""Hostile words through the real commands: quoted so that they can be seen, never obeyed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.cli.hostile import ATTACKS, LONG, UNSEEN, make_hostile_log, make_hostile_submission
from tests.facade.commands import run
from tests.facade.demo import comply, demo_round, replace_once, to_log
from tests.facade.reports import unpack_data
from tests.facade.text import sanitize

UNSAFE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029\u2066-\u2069]")
"""Characters that must not reach a terminal or a page: controls other than the line feed, marks of direction."""


@pytest.fixture(autouse=True)
def inputs(place: Path) -> None:
    (place / "hostile.json").write_text(json.dumps(make_hostile_submission()))
    (place / "hostile.jsonl").write_bytes(make_hostile_log())
    (place / "good.yaml").write_text(comply())


class Page(HTMLParser):
    """The elements of a page, their attributes, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


COMMANDS = {"check": "check hostile.json", "audit": "audit hostile.jsonl -s hostile.json"}


@pytest.fixture(params=COMMANDS)
def reports(request: pytest.FixtureRequest) -> dict[str, str]:
    """Return the reports of a command on the hostile inputs, by format."""
    finished = run(*COMMANDS[request.param].split(), "-o", "text:r.text", "-o", "json:r.json", "-o", "html:r.html")
    assert finished.code == 1
    return {form: Path(f"r.{form}").read_text("utf-8") for form in ("text", "json", "html")}


def test_reports_about_hostile_words_quote_them(reports: dict[str, str]) -> None:
    page = Page(reports["html"])
    assert page.elements.count("script") == 2  # the findings as data, and its own, by the hash its policy allows
    assert not {"img", "iframe", "base", "link", "object", "embed", "form"} & set(page.elements)
    assert not [name for name in page.attributes if name.startswith("on") or name == "style"]
    told = re.sub(r"[0-9a-f]{20,}", "", unpack_data(reports["html"].encode()).decode())
    assert "1337" not in told  # 7 * 191, had anybody reckoned it
    assert [attack for attack in ATTACKS if sanitize(attack) not in page.text] == []
    assert not UNSAFE.search(reports["html"] + reports["text"])
    assert "[U+202E]" in reports["text"]
    again = run("report", "r.json", "-o", "json", "-o", "html:again.html")
    assert (again.code, again.text) == (0, reports["json"])
    assert Path("again.html").read_text("utf-8") == reports["html"]


def test_every_hostile_record_is_counted() -> None:
    audited = run("audit", "hostile.jsonl", "-o", "json")
    log = audited.results["provenance"]["inputs"][0]
    assert log["read"] == make_hostile_log().count(b"\n")
    unread = 2 + len(ATTACKS) + len(UNSEEN) + len(ATTACKS) + len(ATTACKS)
    assert log["quarantined"] == len(audited.results["quarantined"]) >= unread
    assert all(len(entry["reason"]) < 500 for entry in audited.results["quarantined"])


@pytest.mark.parametrize("name", ["told", *ATTACKS[:2], ATTACKS[8], *UNSEEN[:3]], ids=ascii)
def test_a_hostile_round_is_told_plainly(name: str) -> None:
    told = run("explain", "hostile.jsonl", "--round", name, "-s", "hostile.json")
    assert told.code == 0
    assert not UNSAFE.search(told.text)
    assert told.text.count("\n") < 300


@pytest.mark.parametrize("bad", [*UNSEEN, LONG], ids=ascii)
def test_a_name_that_is_no_name_is_refused_in_few_plain_words(bad: str) -> None:
    for key in ("submission", "document", "dealing"):
        data = {**make_hostile_submission(), key: bad}
        Path("bad.json").write_text(json.dumps(data))
        finished = run("check", "bad.json")
        if finished.code == 3:
            assert len(finished.err) < 2000
        assert not UNSAFE.search(finished.err + finished.text)


@pytest.mark.parametrize("bad", [*ATTACKS, LONG], ids=lambda bad: bad[:20])
def test_a_hostile_key_is_refused_in_few_plain_words(bad: str) -> None:
    Path("bad.json").write_text(json.dumps({**make_hostile_submission(), bad: 1}))
    finished = run("check", "bad.json")
    assert finished.code == 3
    assert len(finished.err) < 2000
    assert not UNSAFE.search(finished.err)


def test_hostile_names_of_the_rulebook_are_refused_in_plain_words() -> None:
    data = {**make_hostile_submission(), "options": dict.fromkeys(UNSEEN, True)}
    data["waivers"] = [{"clauses": [*ATTACKS, LONG], "reason": "none", "by": "nobody"}]
    Path("bad.json").write_text(json.dumps(data))
    finished = run("check", "bad.json")
    assert finished.code == 3
    assert finished.err.count("error[unknown-name]") == len(ATTACKS) + 1 + len(UNSEEN)
    assert len(finished.err) < 20_000
    assert not UNSAFE.search(finished.err)


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "night\u202elmth.jsonl", "a\x1b[31mb", "new\nline"])
def test_hostile_file_names_are_quoted_too(name: str) -> None:
    safe = name.replace("/", "-")
    Path(safe).write_bytes(to_log([demo_round("hand-16"), "broken"]))
    for form in ("text", "json", "html"):
        audited = run("audit", safe, "-o", form)
        assert audited.code == 1
        if form != "json":  # which escapes them in its own way
            assert not UNSAFE.search(audited.text)
        if form == "html":
            assert Page(audited.text).elements.count("script") == 2
    Path(safe).write_text("[")
    assert not UNSAFE.search(run("check", safe).err)


def test_hostile_words_in_rules_are_quoted_too() -> None:
    """A rule author is trusted with more than a casino, but not with the reader's terminal."""
    profile = "profile: a\ntitle: '<script>alert(1)</script>'\nchoices: []\n"
    Path("profile.yaml").write_text(profile)
    Path("house.yaml").write_text(comply(replace_once("dealing: three-card-packets", "dealing: '<b>\u202e'")))
    page = run("check", "house.yaml", "--profile", "profile.yaml", "-o", "html").text
    assert Page(page).elements.count("b") == 0
    assert not UNSAFE.search(page)
