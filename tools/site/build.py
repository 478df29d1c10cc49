"""From `docs/`, the pages of the root and the rulebook to a site that works from a folder, without a server."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from properdocs.commands.build import build
from properdocs.config import load_config

from fairdeal.cli.generate import ROOT
from fairdeal.validator.rulebook.loading.rulebook import Rulebook
from tools.site.rulebook_pages import rulebook_pages

FROM_ROOT = ("CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
"""Pages that strangers look for at the root of a repository."""

_FENCE = re.compile(r"^```(\w+) .*$", re.M)
"""The head of a block with claims that tests read (`yaml file=game.yaml`), which Python-Markdown takes for no block."""


def build_site(pages: Path, place: Path) -> int:
    """Write all pages into one folder and build the site from them into another; both are emptied first. How many.

    Raises InputError for broken rule files, and properdocs.exceptions.Abort where a link leads nowhere.
    """
    count = write_pages(pages)
    build(load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(pages), site_dir=str(place), strict=True))
    return count


def write_pages(folder: Path) -> int:
    """Write every page as Markdown, with the pictures of `docs/`, into a folder, which is emptied first. How many."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    shutil.copy(Path(__file__).with_name("site.css"), folder)
    for name in FROM_ROOT:
        (folder / name).write_text((ROOT / name).read_text("utf-8").replace("](docs/", "]("), "utf-8")
    for path in folder.glob("*.md"):
        text = path.read_text("utf-8")
        path.write_text(re.sub(rf"\]\(\.\./({'|'.join(map(re.escape, FROM_ROOT))})", r"](\1", text), "utf-8")
    for path in folder.rglob("*.md"):
        path.write_text(_FENCE.sub(r"```\1", path.read_text("utf-8")), "utf-8")
    for address, text in rulebook_pages(Rulebook()):
        path = folder / "rulebook" / address
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return sum(1 for _ in folder.rglob("*.md"))
