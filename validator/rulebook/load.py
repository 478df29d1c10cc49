"""From rule files to regulations: read, compose, validate, and look up every name."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from validator.cards.models import DecksFile, RankingsFile
from validator.rulebook.language.document import Document, Profile, ReadingFile
from validator.rulebook.language.game import Game
from validator.rulebook.language.requirement import RequirementFile
from validator.rulebook.library import rules_folder
from validator.rulebook.names import Namespace, unknown_names
from validator.rulebook.regulation import Regulation, Vocabulary
from validator.rulebook.sense import nonsense
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.model import Closed
from validator.text.source import read_source
from validator.text.tree import Tree
from validator.text.validate import validate
from validator.text.yaml_tree import load_yaml

VOCABULARY = "vocabulary"

FileModel = TypeVar("FileModel", bound=Closed)


@dataclass(slots=True)
class _Reader:
    """Files of one regulation as they are read: their models, trees and hashes, problems gathered."""

    folder: Path
    files: list[tuple[Tree, Closed]] = field(default_factory=list)
    hashes: list[str] = field(default_factory=list)
    problems: list[Diagnostic] = field(default_factory=list)

    def read(self, path: Path, model: type[FileModel]) -> FileModel | None:
        try:
            source = read_source(str(path))
            self.hashes.append(f"{path.relative_to(self.folder).as_posix()} {source.sha256}")
            tree = load_yaml(source)
            found = validate(tree, model)
        except InputError as error:
            self.problems.extend(error.diagnostics)
            return None
        self.files.append((tree, found))
        return found

    def stop_on_problems(self) -> None:
        if self.problems:
            raise InputError(at_most(self.problems))


def documents(folder: Path | None = None) -> tuple[str, ...]:
    """Ids of the documents a rules folder holds, sorted."""
    root = folder or rules_folder()
    return tuple(sorted(path.parent.name for path in root.glob("*/document.yaml")))


def load_regulation(document: str, folder: Path | None = None) -> Regulation:
    """One document of a rules folder (the shipped one where none is named), validated whole.

    Raises InputError with every problem found: unknown document, broken files, unknown keys, names that
    nothing defines, rules that contradict each other.
    """
    root = folder or rules_folder()
    if document not in documents(root):
        raise InputError((_unknown_document(document, root),))
    home = root / document
    reader = _Reader(root)
    decks = reader.read(root / VOCABULARY / "decks.yaml", DecksFile)
    rankings = reader.read(root / VOCABULARY / "rankings.yaml", RankingsFile)
    about = reader.read(home / "document.yaml", Document)
    readings = reader.read(home / "readings.yaml", ReadingFile)
    game = reader.read(home / "game.yaml", Game) if (home / "game.yaml").exists() else None
    topics = [reader.read(path, RequirementFile) for path in sorted(home.glob("requirements/*.yaml"))]
    reader.stop_on_problems()
    assert decks and rankings and about and readings
    regulation = Regulation(
        document=about,
        readings={reading.reading: reading for reading in readings.readings},
        choices={reading.reading: reading.adopted for reading in readings.readings},
        chosen=frozenset(),
        game=game,
        requirements=tuple(one for topic in topics if topic for one in topic.requirements),
        vocabulary=Vocabulary(decks=decks.decks, rankings=rankings.rankings),
        sha256=hashlib.sha256("\n".join(reader.hashes).encode()).hexdigest(),
    )
    names = Namespace.of(regulation)
    for tree, model in reader.files:
        reader.problems.extend(unknown_names(tree, model, names))
    reader.stop_on_problems()
    reader.problems.extend(nonsense(regulation, reader.files))
    reader.stop_on_problems()
    return regulation


def load_profile(path: str) -> Profile:
    """A profile from a file. Raises InputError."""
    return validate(load_yaml(read_source(path)), Profile)


def rulebook_sha256(regulations: Iterable[Regulation]) -> str:
    """One SHA-256 over several regulations, independent of their order."""
    lines = sorted(f"{regulation.id} {regulation.sha256}" for regulation in regulations)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _unknown_document(document: str, root: Path) -> Diagnostic:
    known = documents(root)
    near = did_you_mean(document, known)
    return Diagnostic(
        code="unknown-document",
        message=f"the rulebook has no document `{document}`",
        file=str(root),
        expected=f"one of {', '.join(known)}" if known else "a folder with a document.yaml",
        help=f"did you mean `{near}`?" if near else None,
    )
