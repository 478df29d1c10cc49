"""A tiny rulebook and a shipped one, changed in one place each."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from fairdeal.validator.rule_checks.check_registry import find_warnings, find_warnings_in_play
from fairdeal.validator.rulebook.simulation_file import read_simulation
from tests.docs.blocks import blocks
from tests.facade.rules import Regulation, Rulebook, RuleFile, read_rule_files, rules_folder
from tests.facade.text import Diagnostic, PositionedDocument, decode_source, load_yaml

DUEL, SHINE = "high-card-duel", "co-rule10-3card-shine"


def write_rulebook(folder: Path) -> Path:
    """Write the game of the walk-through, and a shipped one."""
    shutil.copytree(rules_folder() / "vocabulary", folder / "vocabulary")
    shutil.copytree(rules_folder() / SHINE, folder / SHINE)
    for block in blocks("encode-a-game.md"):
        if "file" in block.options:
            path = folder / block.options["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.read_text("utf-8") + "\n" if path.exists() else ""
            path.write_text(before + block.text, "utf-8")
    # Its requirements in full, where the walk-through has instances of patterns: mistakes are made in what is written.
    shutil.copytree(Path(__file__).with_name("duel"), folder / DUEL / "requirements", dirs_exist_ok=True)
    # In full, the limits are those of a stake; the pattern speaks of the seat.
    examples = folder / DUEL / "examples" / "rounds.yaml"
    text = examples.read_text("utf-8")
    examples.write_text(
        text.replace("within-the-limits, at: {seat: 2}", "within-the-limits, at: {seat: 2, wager: ante}")
    )
    return folder


def list_warnings(folder: Path, document: str) -> list[Diagnostic]:
    """List all warnings about a document."""
    return list(_find_all(folder, document))


def _find_all(folder: Path, document: str) -> Iterator[Diagnostic]:
    book, regulation, files = _read(folder, document)
    examples = [
        _parse_tree(str(path), path.read_bytes()) for path in sorted((folder / document / "examples").glob("*.yaml"))
    ]
    yield from find_warnings(book, regulation, files, examples)


def list_warnings_in_play(folder: Path, document: str) -> list[Diagnostic]:
    """List all warnings that show when the deals of a document are enumerated and its game is played."""
    return list(find_warnings_in_play(*_read(folder, document)))


def _read(folder: Path, document: str) -> tuple[Rulebook, Regulation, tuple[RuleFile, ...]]:
    book = Rulebook(folder=folder)
    regulation, files = book.regulation(document), read_rule_files(document, folder)
    if (folder / document / "simulation.yaml").exists():
        files = (*files, read_simulation(regulation, folder)[0])
    return book, regulation, files


@cache
def _parse_tree(name: str, content: bytes) -> PositionedDocument:
    """Parse a file as a tree; most files do not change from one mistake to the next."""
    return load_yaml(decode_source(name, content))
