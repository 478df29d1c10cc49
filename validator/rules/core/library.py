"""Where rule data and schemas lie, in a checkout and in an installed wheel, and which files make up a document."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
_IN_WHEEL = _PACKAGE / "_shipped"
_SHIPPED = _IN_WHEEL if _IN_WHEEL.is_dir() else _PACKAGE.parent

GAME_FILE = "game.yaml"
"""The file of a document's game."""
PATTERNS_FILE = "patterns.yaml"
"""The file of the vocabulary in which patterns of requirements stand; a rules folder may do without."""
VOCABULARY = "vocabulary"
"""The folder, within a rules folder, of what its documents share."""
TOPICS = "requirements"
"""The folder, within a document's own, of the files of requirements."""
SNAPSHOT = "examples.snapshot.yaml"
"""The file of what a document's examples give besides what they say."""


def rules_folder() -> Path:
    """The folder of the shipped regulations, whatever the working directory."""
    return _SHIPPED / "rules_data"


def schemas_folder() -> Path:
    """The folder of the shipped JSON Schemas."""
    return _SHIPPED / "schemas"


def documents(folder: Path | None = None) -> tuple[str, ...]:
    """Ids of the documents a rules folder (the shipped one where none is named) holds, sorted."""
    root = folder or rules_folder()
    return tuple(sorted(path.parent.name for path in root.glob("*/document.yaml")))


def games(folder: Path | None = None) -> frozenset[str]:
    """Ids of those documents whose rounds can be judged, as they have the rules of a game."""
    root = folder or rules_folder()
    return frozenset(document for document in documents(folder) if _game_file(document, root).exists())


def profiles(folder: Path | None = None) -> dict[str, Path]:
    """The files of the profiles that lie with the documents of a rules folder, by `DOCUMENT/NAME`, sorted."""
    root = folder or rules_folder()
    return {f"{path.parent.parent.name}/{path.stem}": path for path in sorted(root.glob("*/profiles/*.yaml"))}


def rule_files(document: str, root: Path) -> Iterator[Path]:
    """The files that make up a document of a rules folder, the vocabulary before its own."""
    home = root / document
    shared = root / VOCABULARY
    yield shared / "decks.yaml"
    yield shared / "rankings.yaml"
    if (shared / PATTERNS_FILE).exists():
        yield shared / PATTERNS_FILE
    yield home / "document.yaml"
    yield home / "readings.yaml"
    if _game_file(document, root).exists():
        yield _game_file(document, root)
    yield from sorted((home / TOPICS).glob("*.yaml"))


def all_files(document: str, root: Path) -> Iterator[Path]:
    """Every rule file of a document of a rules folder: those that make it up, how its game is simulated, its examples
    with their snapshot, and the profiles that lie with it."""
    home = root / document
    yield from rule_files(document, root)
    yield from sorted(home.glob("simulation.yaml"))
    yield from sorted(home.glob("examples/*.yaml"))
    yield from sorted(home.glob(SNAPSHOT))
    yield from sorted(home.glob("profiles/*.yaml"))


def _game_file(document: str, root: Path) -> Path:
    return root / document / GAME_FILE


def files_sha256(files: Iterable[tuple[str, str]]) -> str:
    """One SHA-256 over files, given by their names within the rules folder and their own hashes, in order."""
    return hashlib.sha256("\n".join(f"{name} {sha256}" for name, sha256 in files).encode()).hexdigest()
