"""Report page as a file: self-contained, well formed, complete, and unaffected by quoted texts."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields, replace

from fairdeal.validator.reports.html.html_pages import BLOCK, load_asset, load_page_style
from fairdeal.validator.reports.report_wording import (
    describe_claim,
    describe_waiver,
    format_day,
    format_sentence,
    format_time,
)
from tests.facade.reports import data_lines, read_findings, render
from tests.facade.results import ClauseText, EvidencePlace, Finding, Results
from tests.facade.text import sanitize
from tests.reports import sample
from tests.reports.helpers import anything
from tests.reports.many import many

VOID = {"meta", "br", "input"}
ALL = {
    "violations": sample.RESULTS,
    "empty": sample.EMPTY,
    "compliant": sample.COMPLIANT,
    "hostile": sample.hostile(),
    "long": sample.long_names(),
    "crowded": sample.crowd(),
}


class Page(HTMLParser):
    """Tags, attributes and text of a page; an unclosed or misplaced tag is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.style = ""
        self.scripts: list[str] = []
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag == "script":
            self.scripts.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script":
            self.scripts[-1] += data
        elif self.open and self.open[-1] == "style":
            self.style += data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def values(self, name: str) -> list[str | None]:
        return [value for _, attribute, value in self.attributes if attribute == name]


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    return {name: render("html", results) for name, results in ALL.items()}


@pytest.fixture(scope="module")
def pages(files: dict[str, bytes]) -> dict[str, Page]:
    return {name: Page(page.decode()) for name, page in files.items()}


@pytest.mark.parametrize("name", ALL)
def test_only_the_style_and_script_named_by_hash_may_run(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    (policy,) = (value for tag, key, value in page.attributes if key == "content" and "default-src" in str(value))
    assert page.style == str(load_page_style())
    data, script = page.scripts
    assert script == str(load_asset("report.js"))
    hashes = ["sha256-" + b64encode(sha256(text.encode()).digest()).decode() for text in (page.style, script)]
    assert policy == (
        f"default-src 'none'; style-src '{hashes[0]}'; script-src '{hashes[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert page.tags["style"] == 1
    assert page.values("type").count("text/plain") == 1
    assert re.fullmatch(r"[A-Za-z0-9+/=\n]+", data)  # nothing that could end the data or begin anything


@pytest.mark.parametrize("name", ALL)
def test_no_attribute_styles_runs_or_fetches(pages: dict[str, Page], name: str) -> None:
    for tag, attribute, value in pages[name].attributes:
        assert attribute != "style" and not attribute.startswith("on"), (tag, attribute)
        assert attribute not in {"src", "srcset", "action", "formaction", "data", "poster", "xlink:href"}
        if attribute == "href":
            assert str(value).startswith("#")
    assert not re.search(
        r"url\(|@import|https?:|innerHTML|insertAdjacent|eval", pages[name].style + load_asset("report.js")
    )


@pytest.mark.parametrize("name", ALL)
def test_ids_are_unique_and_references_lead_somewhere(pages: dict[str, Page], name: str) -> None:
    ids = Counter(pages[name].values("id"))
    assert set(ids.values()) == {1}
    targets = [str(value)[1:] for value in pages[name].values("href")]
    targets += [part for value in pages[name].values("aria-labelledby") for part in str(value).split()]
    targets += [str(value) for value in pages[name].values("for")]
    assert set(targets) <= set(ids)


def _collect_texts(value: Any) -> set[str]:
    """Return every free text in the results except fixed words, and the file of a clause, which is cited otherwise."""
    if isinstance(value, Struct):
        named = [part.name for part in fields(value) if not (isinstance(value, ClauseText) and part.name == "source")]
        return set().union(*(_collect_texts(getattr(value, name)) for name in named))
    if isinstance(value, tuple):
        return set().union(*map(_collect_texts, value))
    return {value} if type(value) is str else set()


def _list_forms(text: str) -> set[str]:
    """Return the forms a text may have on a page: as it is, within its document, with formatted days and times."""
    return {text, text.removeprefix(f"{sample.DOCUMENT}/"), format_day(text), format_time(text), format_sentence(text)}


@pytest.mark.parametrize("name", ["violations", "empty", "hostile", "long"])
def test_every_text_of_the_results_is_on_the_page(pages: dict[str, Page], files: dict[str, bytes], name: str) -> None:
    """Clauses without findings are in the data alone; the findings have a test of their own."""
    clauses = json.loads(data_lines(files[name])[0])["clauses"]
    there = "\n".join([pages[name].text, *(text for clause, words in clauses.items() for text in (clause, *words))])
    missing = {
        text
        for text in _collect_texts(replace(ALL[name], findings=()))
        if not any(sanitize(said) in there for said in _list_forms(text))
    }
    assert missing == set()


def _build_page_data(finding: Finding) -> dict[str, Any]:
    """Build the data of a page for a finding from the result model."""
    where: EvidencePlace = finding.where
    day = where.time[:10] if where.time is not None and re.match(r"\d{4}-\d\d-\d\d", where.time) else None
    day, clock = day if where.day is None else where.day, where.local or where.time
    if day is not None and clock is not None:
        clock = clock[10:] if clock.startswith(day) else format_time(clock)
    claimed = None if finding.claimed is None else describe_claim(finding.claimed, granted=finding.waived is not None)
    texts: dict[str, Any] = {
        name: getattr(finding, name) for name in ("requirement", "document", "remedy", "expected", "observed", "id")
    }
    texts["message"] = finding.headline
    texts |= {
        name: getattr(where, name)
        for name in ("casino", "table", "player", "wager", "pointer", "submission", "file", "round")
    }
    texts |= {"day": day, "clock": clock, "claimed": claimed, "currency": finding.currency}
    texts |= {"waived": None if finding.waived is None else describe_waiver(finding.waived)}
    said = {name: sanitize(text) for name, text in texts.items() if text is not None}
    pairs = [part for pair in (where.context or {}).items() for part in pair]
    for name, listed in (("clauses", finding.clauses), ("reading", finding.reading), ("context", pairs)):
        said |= {name: "\n".join(map(sanitize, listed))} if "\n".join(map(sanitize, listed)) else {}
    numbers = {name: getattr(where, name) for name in ("line", "column", "seat", "event")}
    numbers |= {
        "owed": finding.owed,
        "overpaid": finding.overpaid,
        "count": None if finding.count == 1 else finding.count,
    }
    said |= {name: number for name, number in numbers.items() if number is not None}
    said |= {"status": finding.status.value, "severity": finding.severity.value}
    return said | ({} if finding.state is None else {"state": finding.state.value})


@pytest.mark.parametrize("results", [*ALL.values(), many(2 * BLOCK + 3)], ids=[*ALL, "many"])
def test_every_finding_is_in_the_data_whole(results: Results) -> None:
    assert read_findings(render("html", results)) == [_build_page_data(finding) for finding in results.findings]


@given(st.lists(anything(Finding), max_size=4))
def test_any_finding_is_in_the_data_whole(findings: list[Finding]) -> None:
    page = render("html", replace(sample.RESULTS, findings=findings))
    assert read_findings(page) == [_build_page_data(finding) for finding in findings]
    Page(page.decode())


def test_hostile_text_adds_no_element(pages: dict[str, Page], files: dict[str, bytes]) -> None:
    def shape(page: Page) -> Counter[str]:
        # A legend too long for its spot is replaced by a number, which takes fewer lines of the drawing; days that are
        # none are drawn in no columns.
        drawn = {"text", "rect", "g", "title", "figure", "figcaption", "svg", "path", "details", "summary", "p"}
        drawn |= {"span", "bdi"}
        return Counter({tag: count for tag, count in page.tags.items() if tag not in drawn})

    def without_days(name: str) -> Page:
        # Days that are none have no bar.
        return Page(re.sub(r'<div class="places">.*?</div>\n</div>', "", files[name].decode(), flags=re.DOTALL))

    assert shape(without_days("hostile")) == shape(without_days("long")) == shape(without_days("violations"))
    assert "<script>alert(1)</script>" in pages["hostile"].text
    assert '"><img src=x onerror=alert(1)>' in pages["hostile"].text
    assert "{{ 7 * 7 }}{% raw %}" in pages["hostile"].text


def test_hostile_text_leaves_no_unseen_character(pages: dict[str, Page], files: dict[str, bytes]) -> None:
    unseen = r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]"
    assert not re.search(unseen, files["hostile"].decode())
    assert not any(
        re.search(unseen, text) for finding in read_findings(files["hostile"]) for text in map(str, finding.values())
    )
    assert "[U+202E]txt.exe[U+202C] [U+2066][U+2069] [U+200B]" in pages["hostile"].text


def test_headings_are_in_order() -> None:
    for results in ALL.values():
        html = render("html", results).decode()
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_sections_stand_in_the_order_of_a_hearing(files: dict[str, bytes]) -> None:
    assert re.findall(r'<section id="([a-z]+)"', files["violations"].decode()) == [
        "verdict",
        "findings",
        "open",
        "money",
        "house",
        "layouts",
        "readings",
        "requirements",
        "provenance",
        "hearing",
    ]


def test_every_table_has_a_caption_and_scoped_headings(pages: dict[str, Page]) -> None:
    for page in pages.values():
        assert page.tags["table"] == page.tags["caption"]
        assert page.tags["th"] == len(page.values("scope"))


def test_three_findings_of_a_requirement_are_written_out_and_the_rest_counted() -> None:
    def count_shown(results: Results) -> tuple[int, list[str]]:
        html = render("html", results).decode()
        article = html.partition('data-requirement="settled-in-full"')[2].partition("</article>")[0]
        return article.count('<li class="finding">'), [
            re.sub(r"<[^>]*>", "", text) for text in re.findall(r'<p class="more">(.*?)(?:<button|</p>)', html)
        ]

    assert count_shown(sample.crowd(many=3)) == (3, [])
    assert count_shown(sample.crowd(many=4)) == (3, ["31 of 4 findings shown. "])  # 3 on a screen, 1 on paper
    assert count_shown(sample.crowd(many=1_450)) == (
        3,
        ["31 of 1,450 findings shown. ", "1,250 more records are not listed here."],
    )


def test_without_a_script_the_page_says_how_many_of_how_many_it_shows(pages: dict[str, Page]) -> None:
    assert "10 findings. The first three of each kind are shown; the results file lists all" in pages["violations"].text
    assert "457 findings. The first three of each kind are shown" in pages["crowded"].text
    hidden = [tag for tag, name, _ in pages["crowded"].attributes if name == "hidden"]
    assert Counter(hidden) == {"div": 2, "button": 1}  # parts that only the script can use


def test_what_is_open_is_told_once_a_cause(pages: dict[str, Page]) -> None:
    section = (
        pages["violations"].text.partition("What could not be confirmed")[2].partition("Statements of the licensee")[0]
    )
    assert section.count("The log records no events of 27 rounds (of 12,480).") == 1
    assert re.search(
        r"2 rules could not be confirmed\s+The cards are cut before they are dealt\s+not-in-this-report", section
    )
    assert "Request: a log with the events of every round." in section


def test_the_page_names_the_hash_of_its_results(files: dict[str, bytes]) -> None:
    for name, results in ALL.items():
        written = sha256(render("json", results)).hexdigest()
        assert files[name].count(written.encode()) == 2  # in the provenance and above the signatures
    assert b"fairdeal report RESULTS.json --output html:again.html" in files["violations"]


def test_an_older_file_says_nothing_of_money_and_the_page_says_so() -> None:
    page = Page(render("html", replace(sample.RESULTS, money=None)).decode())
    assert "n older version wrote these results, without amounts" in page.text
    assert "Players received" not in page.text
    assert "money" not in page.values("id")


def test_a_baseline_tells_new_from_known(pages: dict[str, Page]) -> None:
    said = (
        "Compared with the audit of 2026-03-02 08:15:00Z (results-of-february.json): "
        "1 new, 9 known, 2 no longer found; 1 record newly quarantined."
    )
    assert said in pages["violations"].text
    assert "No longer found since the earlier audit: 2 findings" in pages["violations"].text
    assert "paid $5.00, $5.00 over" in pages["violations"].text
    assert "not compared with an earlier audit" in pages["compliant"].text


def test_more_than_ten_tables_are_folded_up() -> None:
    def fold(many: int) -> list[str]:
        html = render("html", sample.crowd(many=many)).decode()
        return re.findall(r"<details>\n<summary>(Rounds in the logs.*?)</summary>", html)

    assert fold(10) == []
    assert fold(11) == ["Rounds in the logs: 11 tables, 90,156 rounds"]
