"""The documentation as a site: built strictly, a page for everything of the rulebook, links that lead somewhere."""

from __future__ import annotations

import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from properdocs.exceptions import Abort

from fairdeal import load_rulebook
from tests.facade.rules import Regulation, Rulebook
from tools.site import build
from tools.site.build import build_site
from tools.site.law_pages import slug

ROOT = Path(__file__).parent.parent.parent


class Page(HTMLParser):
    """Links, loaded files and anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        if "id" in given:
            self.anchors.add(given["id"])
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        elif tag == "link" and "href" in given:
            self.loads.add(given["href"])
        elif "src" in given:
            self.loads.add(given["src"])


DOCUMENTS = ("co-rule10-flushes-gone-wild", "co-rule8-burnout")
"""Documents of the site that is built here; pages of the other documents are made in the same way."""


def test_the_site_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A single test, since it builds the site. The strict build raises for a Markdown link that leads nowhere."""
    monkeypatch.setattr(Rulebook, "documents", DOCUMENTS)
    site = tmp_path / "site"
    build_site(tmp_path / "pages", site)
    rulebook = load_rulebook()
    for name in DOCUMENTS:
        assert_pages_exist(site, rulebook.regulation(name))
    assert_sources_exist(site)
    assert_links_resolve(site)


def assert_pages_exist(site: Path, regulation: Regulation) -> None:
    """Assert that the document and each clause and requirement have a page that names them."""
    home = site / "rulebook" / regulation.id
    assert f"<code>{regulation.id}</code>" in (home / "index.html").read_text("utf-8")
    for clause in regulation.document.clauses:
        page = (home / "clauses" / f"{slug(clause.clause)}.html").read_text("utf-8")
        assert f"<code>{regulation.qualify(clause.clause)}</code>" in page
        for requirement in regulation.requirements:
            if clause.clause in requirement.clauses:
                assert f'href="../requirements/{requirement.requirement}.html"' in page
    for requirement in regulation.requirements:
        page = (home / "requirements" / f"{requirement.requirement}.html").read_text("utf-8")
        assert f"<code>{regulation.qualify(requirement.requirement)}</code>" in page


def assert_sources_exist(site: Path) -> None:
    """Assert that the page of a requirement leads to its rule, and to the code that evaluates it."""
    for path in site.glob("rulebook/*/requirements/*.html"):
        places = re.findall(r"<code>((?:rules_data|validator)/[^<:]+):([0-9]+)</code>", path.read_text("utf-8"))
        assert {place.partition("/")[0] for place, _ in places} == {"rules_data", "validator"}, path
        for place, line in places:
            assert int(line) <= count_lines(place)


@cache
def count_lines(place: str) -> int:
    """Return the number of lines of a file of the repository."""
    return len((ROOT / place).read_text("utf-8").splitlines())


def assert_links_resolve(site: Path) -> None:
    """Assert that every link leads to a place of the site or out of it, and that nothing is fetched."""
    pages = {path: Page(path.read_text("utf-8")) for path in site.resolve().rglob("*.html")}
    files = {str(path) for path in site.resolve().rglob("*") if path.is_file()}
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its links begin at the root of a server
        for address in page.links | page.loads:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                assert address in page.links - page.loads, (path, address)
                continue
            target = os.path.normpath(path.parent / unquote(parts.path)) if parts.path else str(path)
            assert target in files, (path, address)
            if parts.fragment and (page_there := pages.get(Path(target))):
                assert unquote(parts.fragment) in page_there.anchors, (path, address)


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "rulebook_pages", lambda *_: [("index.md", "[no](where.md)\n")])
    with pytest.raises(Abort):
        build_site(tmp_path / "pages", tmp_path / "site")


def test_pages_of_clauses_are_called_by_their_labels() -> None:
    assert [slug(label) for label in ("(3)(A)", "Lead", "hold-em/(10)(ii)")] == ["3-a", "lead", "hold-em-10-ii"]
