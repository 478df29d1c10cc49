"""Rule folders of games that are not shipped, with the shipped vocabulary and rankings of their own."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.facade.rules import Regulation, load_regulation, rules_folder

_RULES = Path(__file__).with_name("rules")


def rulebook(folder: Path, document: str, changes: Mapping[str, str] | None = None) -> Path:
    """Write a rule folder with one document, its game.yaml changed text by text, and return it."""
    shutil.copytree(rules_folder() / "vocabulary", folder / "vocabulary")
    shutil.copytree(_RULES / document, folder / document)
    rankings = folder / "vocabulary" / "rankings.yaml"
    rankings.write_text(rankings.read_text("utf-8") + (_RULES / "rankings.txt").read_text("utf-8"), "utf-8")
    game = folder / document / "game.yaml"
    text = game.read_text("utf-8")
    for old, new in (changes or {}).items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    game.write_text(text, "utf-8")
    return folder


def regulation(folder: Path, document: str, changes: Mapping[str, str] | None = None) -> Regulation:
    """Load a document from a rule folder of its own."""
    return load_regulation(document, rulebook(folder, document, changes))
