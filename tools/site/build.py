"""From `docs/`, the pages of the root and the rulebook to a site that works from a folder, without a server."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from properdocs.commands.build import build
from properdocs.config import load_config

from fairdeal.validator.rulebook.rulebook import Rulebook
from tools.generated_files.__main__ import ROOT
from tools.site.api_page import write_api_page
from tools.site.law_pages import rulebook_pages

FROM_ROOT = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""Pages that strangers look for at the root of a repository."""

_END_OF_BEGINNING = "## The poker room\n"
"""Heading of the README before which the first page of the site ends."""

_FENCE = re.compile(r"^```(\w+) .*$", re.M)
"""The head of a block with claims that tests read (`yaml file=game.yaml`), which Python-Markdown takes for no block."""


def build_site(pages: Path, place: Path, texts: Path | None = None) -> int:
    """Write all pages into one folder and build the site from them into another; both are emptied first. How many.

    Raises InputError for broken rule files, and properdocs.exceptions.Abort where a link leads nowhere.
    """
    count = write_pages(pages, texts)
    build(load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(pages), site_dir=str(place), strict=True))
    write_index_script(place / "search")
    return count


def write_index_script(folder: Path) -> None:
    """Replace the search index by a script that defines it: a page on disk may load scripts, but fetch nothing."""
    index = folder / "search_index.json"
    (folder / "search_index.js").write_text(f"window.searchIndex = {index.read_text('utf-8')};\n", "utf-8")
    index.unlink()


def write_start_page() -> str:
    """Return the first page: the beginning of the README, then the list of pages of `docs/index.md`."""
    beginning, mark, _ = (ROOT / "README.md").read_text("utf-8").partition(_END_OF_BEGINNING)
    if not mark:
        raise ValueError(f"the README has no heading `{_END_OF_BEGINNING.strip()}`")
    _, start, pages = (ROOT / "docs" / "index.md").read_text("utf-8").partition("## ")
    return f"{beginning}{start}{pages}".replace("](docs/", "](")


def write_pages(folder: Path, texts: Path | None = None) -> int:
    """Write every page as Markdown, with the pictures of `docs/`, into a folder, which is emptied first. How many."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for name in ("site.css", "search.js"):
        shutil.copy(Path(__file__).with_name(name), folder)
    (folder / "index.md").write_text(write_start_page(), "utf-8")
    (folder / "api.md").write_text(write_api_page(), "utf-8")
    for name in FROM_ROOT:
        (folder / name).write_text((ROOT / name).read_text("utf-8").replace("](docs/", "]("), "utf-8")
    for path in folder.glob("*.md"):
        text = path.read_text("utf-8")
        path.write_text(re.sub(rf"\]\(\.\./({'|'.join(map(re.escape, FROM_ROOT))})", r"](\1", text), "utf-8")
    for path in folder.rglob("*.md"):
        path.write_text(_FENCE.sub(r"```\1", path.read_text("utf-8")), "utf-8")
    for address, text in rulebook_pages(Rulebook(), texts):
        path = folder / "rulebook" / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return sum(1 for _ in folder.rglob("*.md"))
