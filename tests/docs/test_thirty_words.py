"""The page of thirty words, followed as a reader does: its game is accepted and needs no other word."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import yaml

from tests.docs.blocks import DOCS
from tests.docs.followed_pages import follow
from tests.facade.commands import ROOT, run

PAGE = "house-game-in-thirty-words.md"
NAMES_BELOW = ("wagers", "decisions", "hands", "acts", "other-events", "ways")
"""Keys whose mappings have names that the author chooses."""


def collect_words(value: Any, above: str = "") -> set[str]:
    """Return the keys of a file that are words of the language."""
    if isinstance(value, list):
        return {word for item in value for word in collect_words(item, above)}
    if not isinstance(value, dict):
        return set()
    own = set() if above in NAMES_BELOW else set(value)
    inner = (collect_words(item, "" if above in NAMES_BELOW else key) for key, item in value.items())
    return own.union(*inner)


def test_the_game_of_the_page_is_accepted_and_needs_no_other_word(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules_data" / "vocabulary", tmp_path / "rules_data" / "vocabulary")
    steps = follow(PAGE, tmp_path)
    assert [step for step in steps if not step.is_as_shown] == []
    game = yaml.safe_load((tmp_path / "my-rules/high-three/game.yaml").read_text("utf-8"))
    rows = re.findall(r"^\| (\d+) \| `([^`]+)` \| (.*)$", (DOCS / PAGE).read_text("utf-8"), re.MULTILINE)
    assert [int(number) for number, *_ in rows] == list(range(1, 31))
    listed = {word for _, word, rest in rows for word in (word, *re.findall("`([^`]+)`", rest))}
    used = collect_words(game)
    assert used - listed == set()
    assert {word for _, word, _ in rows} - used == set()


def test_a_change_of_the_game_is_noticed(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "rules_data" / "vocabulary", tmp_path / "rules_data" / "vocabulary")
    follow(PAGE, tmp_path)
    game = tmp_path / "my-rules/high-three/game.yaml"
    text = game.read_text("utf-8")
    for old, new in (("{decided: fold}", "{decided: fodl}"), ("before: [decide, ", "before: [decided, ")):
        game.write_text(text.replace(old, new), "utf-8")
        assert run("rules", "check", "high-three", "--rules", tmp_path / "my-rules").code == 3
