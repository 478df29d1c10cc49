"""The page as a file: closed, well formed, complete, and unmoved by what it quotes."""

from __future__ import annotations

import re
from base64 import b64encode
from collections import Counter
from hashlib import sha256
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import fields, replace

from tests.reports import sample
from tests.reports.helpers import rendered
from validator.text.visible import visible
from validator.verdicts import Results

VOID = {"meta", "br", "input"}
ALL = {
    "violations": sample.RESULTS,
    "empty": sample.EMPTY,
    "compliant": sample.COMPLIANT,
    "hostile": sample.hostile(),
    "long": sample.long_names(),
    "crowded": sample.crowded(),
}


class Page(HTMLParser):
    """Tags, attributes and text of a page; an unclosed or misplaced tag is an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.raw: dict[str, str] = {}
        self.texts: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in {"style", "script"}:
            self.raw[self.open[-1]] = self.raw.get(self.open[-1], "") + data
        else:
            self.texts.append(data)

    @property
    def text(self) -> str:
        return "".join(self.texts)

    def values(self, name: str) -> list[str | None]:
        return [value for _, attribute, value in self.attributes if attribute == name]


@pytest.fixture(scope="module")
def pages() -> dict[str, Page]:
    return {name: Page(rendered("html", results).decode()) for name, results in ALL.items()}


@pytest.mark.parametrize("name", ALL)
def test_only_the_style_and_script_named_by_hash_may_run(pages: dict[str, Page], name: str) -> None:
    page = pages[name]
    (policy,) = (value for tag, key, value in page.attributes if key == "content" and "default-src" in str(value))
    hashes = {kind: "sha256-" + b64encode(sha256(text.encode()).digest()).decode() for kind, text in page.raw.items()}
    assert policy == (
        f"default-src 'none'; style-src '{hashes['style']}'; script-src '{hashes['script']}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    assert page.tags["style"] == page.tags["script"] == 1


@pytest.mark.parametrize("name", ALL)
def test_no_attribute_styles_runs_or_fetches(pages: dict[str, Page], name: str) -> None:
    for tag, attribute, value in pages[name].attributes:
        assert attribute != "style" and not attribute.startswith("on"), (tag, attribute)
        assert attribute not in {"src", "srcset", "action", "formaction", "data", "poster", "xlink:href"}
        if attribute == "href":
            assert str(value).startswith("#")
    assert not re.search(r"url\(|@import|https?:", pages[name].raw["style"] + pages[name].raw["script"])


@pytest.mark.parametrize("name", ALL)
def test_ids_are_unique_and_references_lead_somewhere(pages: dict[str, Page], name: str) -> None:
    ids = Counter(pages[name].values("id"))
    assert set(ids.values()) == {1}
    targets = [str(value)[1:] for value in pages[name].values("href")]
    targets += [part for value in pages[name].values("aria-labelledby") for part in str(value).split()]
    targets += [str(value) for value in pages[name].values("for")]
    assert set(targets) <= set(ids)


def _texts(value: Any) -> set[str]:
    """Every free text in the results except fixed words."""
    if isinstance(value, Struct):
        return set().union(*(_texts(getattr(value, part.name)) for part in fields(value)))
    if isinstance(value, tuple):
        return set().union(*map(_texts, value))
    return {value} if type(value) is str else set()


@pytest.mark.parametrize("name", ["violations", "empty", "hostile", "long"])
def test_every_text_of_the_results_is_on_the_page(pages: dict[str, Page], name: str) -> None:
    results = replace(ALL[name], subject=sample.NOBODY, money=sample.NOTHING, open=(), clauses=(), explanations=())
    results = replace(results, findings=[replace(one, id="") for one in results.findings])
    missing = {text for text in _texts(results) if visible(text) not in pages[name].text}
    assert missing == set()


def test_hostile_text_adds_no_element(pages: dict[str, Page]) -> None:
    def shape(page: Page) -> Counter[str]:
        # A legend too long for its spot is replaced by a number, which takes fewer lines of the drawing.
        return Counter({tag: count for tag, count in page.tags.items() if tag != "text"})

    assert shape(pages["hostile"]) == shape(pages["long"]) == shape(pages["violations"])
    assert "<script>alert(1)</script>" in pages["hostile"].text
    assert '"><img src=x onerror=alert(1)>' in pages["hostile"].text
    assert "{{ 7 * 7 }}{% raw %}" in pages["hostile"].text


def test_hostile_text_leaves_no_unseen_character(pages: dict[str, Page]) -> None:
    html = rendered("html", sample.hostile()).decode()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]", html)
    assert "[U+202E]txt.exe[U+202C] [U+2066][U+2069] [U+200B]" in pages["hostile"].text


def test_headings_are_in_order() -> None:
    for results in ALL.values():
        html = rendered("html", results).decode()
        levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
        assert levels[0] == 1 and levels.count(1) == 1
        assert all(after <= before + 1 for before, after in pairwise(levels))


def test_sections_stand_in_the_order_of_a_hearing() -> None:
    html = rendered("html", sample.RESULTS).decode()
    assert re.findall(r'<section id="([a-z]+)"', html) == [
        "verdict",
        "counts",
        "coverage",
        "findings",
        "requirements",
        "layouts",
        "claims",
        "readings",
        "quarantine",
        "provenance",
        "signature",
    ]


def test_every_table_has_a_caption_and_scoped_headings(pages: dict[str, Page]) -> None:
    for page in pages.values():
        assert page.tags["table"] == page.tags["caption"]
        assert page.tags["th"] == len(page.values("scope"))


def test_two_hundred_findings_are_shown_and_the_rest_counted() -> None:
    def rows(results: Results) -> tuple[int, list[str]]:
        html = rendered("html", results).decode()
        table = re.search(r'<table class="places">.*?HD-3.*?</table>', html, re.S)
        assert table
        return len(re.findall(r'<th scope="row">', table[0].rpartition("<table")[2])), re.findall(
            r'<p class="more">(.*?)</p>', html
        )

    assert rows(sample.crowded(many=200)) == (200, [])
    assert rows(sample.crowded(many=201)) == (
        200,
        [
            "1 more finding of this requirement is not shown here; the results file holds it.",
            "1 record set aside is not shown here.",
        ],
    )
    assert rows(sample.crowded(many=1_450)) == (
        200,
        [
            "1,250 more findings of this requirement are not shown here; the results file holds them all.",
            "1,250 records set aside are not shown here.",
        ],
    )


def test_the_script_is_an_addition_only(pages: dict[str, Page]) -> None:
    """Nothing but the filter is hidden, and every list of findings is open, before any script runs; only a long list
    of tables is folded up."""
    for name, page in pages.items():
        assert [tag for tag, name, _ in page.attributes if name == "hidden"] == ["div"]
        assert page.tags["details"] - len(page.values("open")) == (name == "crowded")


def test_more_than_ten_tables_are_folded_up() -> None:
    def summary(many: int) -> list[str]:
        return re.findall(r"<details>\n<summary>(.*?)</summary>", rendered("html", sample.crowded(many=many)).decode())

    assert summary(10) == []
    assert summary(11) == ["What the logs cover: 11 tables, 90,156 rounds; rounds may be missing at 11 tables"]
