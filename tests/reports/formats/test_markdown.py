"""Summary in Markdown: rendered by GitHub, it has only our own tags."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fairdeal.validator.reports.formats import markdown_summary
from fairdeal.validator.reports.formats.markdown_summary import escape_markdown
from tests.facade.reports import render
from tests.facade.results import Results
from tests.facade.text import sanitize
from tests.reports import sample
from tests.reports.formats.helpers import ALL, many, recorded_twice

OURS = {
    "h2",
    "h3",
    "p",
    "ul",
    "li",
    "strong",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "details",
    "summary",
    "span",
}


class Page(HTMLParser):
    """The tags of a page, its text, and attributes other than the alignment of columns."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs if name != "align"]

    def handle_data(self, data: str) -> None:
        self.text += data


def page(text: str) -> Page:
    """Render Markdown with GitHub's own library, raw HTML included."""
    return Page(cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE))


def test_the_oracle_makes_links() -> None:
    assert "a" in page("see www.example.com").tags
    assert {"a", "img", "em", "b"} <= set(page("[a](b) ![c](d) *e* <b>f</b>").tags)


def summary(results: Results = sample.RESULTS) -> str:
    return render("markdown", results).decode()


@pytest.mark.parametrize("name", sorted(ALL))
def test_no_text_becomes_anything_but_text(name: str) -> None:
    made = page(summary(ALL[name]))
    assert set(made.tags) <= OURS
    assert made.attributes == []
    assert not re.search(r"[@#!%]\w", made.text)
    assert made.tags.count("details") == made.tags.count("summary")


@pytest.mark.parametrize("name", sorted(ALL))
def test_it_is_no_longer_than_a_comment_may_be(name: str) -> None:
    assert len(render("markdown", ALL[name])) <= 65_536
    assert summary(ALL[name]).count("<details>") == summary(ALL[name]).count("</details>")


def test_it_tells_the_worst_with_the_money() -> None:
    text = summary()
    assert text.startswith(
        "## fairdeal: violations\n\nThe casinos violated 4 of the 10 rules checked. A waiver applies to 1 of them.\n"
    )
    assert "- **Casinos:** Blue Lantern; Harbour House\n" in text
    assert "- **Period:** 2026-03-01 to 2026-03-31\n" in text
    assert "- **Amounts:** <span>$</span>25.00 owed to players, <span>$</span>25.00 overpaid (3 findings)\n" in text
    failed = [line for line in text.split("\n") if re.match(r"\| [A-Z]", line)]
    assert [line.split(" | ")[1] for line in failed] == ["critical", "critical", "major"]
    assert "meter-displayed" not in "".join(failed)
    assert "- The log records no events of 27 rounds (of 12,480). (2 rules, first at" in text
    assert "**The progressive meter is displayed at the table** (meter-displayed): granted by J. Marlow" in text
    assert "the line ends in the middle of a record" in text
    assert f"- {escape_markdown(sample.LOG)}: 6 records repeat another record of the same round" in summary(
        recorded_twice()
    )


def test_money_and_number_of_findings_stand_beside_the_requirement() -> None:
    (sum_,) = sample.build_sums("requirement", (None, "settled-in-full", 3, 2_500, 2_500))
    results = replace(sample.RESULTS, money=replace(sample.MONEY, sums=(sum_,)))
    assert "(settled-in-full) | critical | 3 | <span>$</span>25.00 | <span>$</span>25.00 |" in summary(results)


def test_what_finds_no_room_is_counted() -> None:
    results = sample.long_names(sample.crowd())
    assert re.search(r"^and [\d,]+ more entries$", summary(results), re.M)
    assert "more entr" not in summary()


def test_many_findings_are_told_by_their_first() -> None:
    text = summary(many(2_000))
    assert "2,000 findings" in text
    assert text.count("round R-") == markdown_summary.PER_REQUIREMENT


@given(st.text(alphabet="ab1 \\`*_[](){}<>#+-=.!|~&:/@$\n\t;wx'\"^", max_size=30))
def test_any_text_reads_as_it_was_written(text: str) -> None:
    made = page(f"- {escape_markdown(text)}\n\n| a |\n| --- |\n| {escape_markdown(text)} |\n")
    assert set(made.tags) <= OURS
    shown = " ".join(sanitize(text).split())
    said = " ".join(made.text.replace("\u200b", "").split())
    assert said == " ".join(f"{shown} a {shown}".split())


@pytest.mark.parametrize(
    "text",
    [
        *("www.example.com", "http://example.com", "HTTPS://example.com", "ftp://example.com", "a@example.com"),
        *("mailto:a@example.com", "xmpp:a@example.com/b", "[a](b)", "![a](b)", "<b>", "&lt;b&gt;", "*a*", "__a__"),
        *("~~a~~", "`a`", "---", "===", "<!-- a", "[^1]", "a\\", "$a$", "\\*a*", "- a", "1. a", "1) a", "+ a", "# a"),
        *("> a", "- [ ] a", "12. ", "-"),
        *("!1", '%"a"', "a!12", "%1"),
    ],
)
def test_no_mark_means_anything(text: str) -> None:
    made = page(f"- {escape_markdown(text)}\n")
    assert [tag for tag in made.tags if tag != "span"] == ["ul", "li"]
    assert made.text.replace("\u200b", "").strip() == text.strip()
