"""From rule files to regulations: read, compose, validate, and look up every name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from validator.cards.model import DecksFile, RankingsFile
from validator.rulebook.lint.lint import nonsense
from validator.rulebook.lint.patterns import pattern_problems
from validator.rulebook.lint.references import Namespace, unknown_names
from validator.rulebook.loading.game_requirements import with_game_requirements
from validator.rulebook.loading.named_twice import named_twice
from validator.rulebook.loading.rule_file import RuleFile
from validator.rulebook.vocabulary.pattern_model import PatternsFile
from validator.rulebook.vocabulary.pattern_words import Stated
from validator.rulebook.vocabulary.patterns import written_out
from validator.rulebook.vocabulary.pay_matrices import with_single_tables
from validator.rules.core.library import (
    GAME_FILE,
    PATTERNS_FILE,
    TOPICS,
    VOCABULARY,
    documents,
    files_sha256,
    rule_files,
    rules_folder,
)
from validator.rules.core.regulation import Regulation, Vocabulary
from validator.rules.core.rule_trees import RuleTrees
from validator.rules.model.document import Document, ReadingFile
from validator.rules.model.game import Game
from validator.rules.model.requirement import RequirementFile
from validator.text.diagnostics import Diagnostic, InputError, at_most, did_you_mean
from validator.text.models.model import Closed
from validator.text.models.validate import validate
from validator.text.source import read_source

_MODELS: dict[str, type[Closed]] = {
    "decks.yaml": DecksFile,
    "rankings.yaml": RankingsFile,
    PATTERNS_FILE: PatternsFile,
    "document.yaml": Document,
    "readings.yaml": ReadingFile,
    GAME_FILE: Game,
}

FileModel = TypeVar("FileModel", bound=Closed)

MOST_KEPT = 12
"""Files of vocabularies that a process holds on to."""
_vocabulary: dict[tuple[Path, str], RuleFile] = {}
"""Files of vocabularies in which nothing is wrong, by their path and the hash of their text."""


def load_regulation(document: str, folder: Path | None = None) -> Regulation:
    """One document of a rules folder (the shipped one where none is named), validated whole.

    Raises InputError with every problem found: unknown document, broken files, unknown keys, names that
    nothing defines, rules that contradict each other.
    """
    return regulation_from(read_rule_files(document, folder))


def read_rule_files(document: str, folder: Path | None = None, trees: RuleTrees | None = None) -> tuple[RuleFile, ...]:
    """The files that make up a document, the vocabulary before its own, each validated by itself, with instances of
    patterns and tables of matrices written out; `trees` are those that were read already. What the game states as
    requirements is not taken out of it yet.

    Raises InputError with every problem of every file.
    """
    root = folder or rules_folder()
    if document not in documents(root):
        raise InputError((_unknown_document(document, root),))
    trees = trees or RuleTrees()
    files: list[RuleFile] = []
    problems: list[Diagnostic] = []
    stated = Stated(document=document)
    unsound = False
    for path in rule_files(document, root):
        try:
            if path.parent.name == VOCABULARY:
                files.append(_vocabulary_file(path, trees))
                continue
            sha256, tree = trees.read(path)
            name = path.relative_to(root).as_posix()
            model = RequirementFile if path.parent.name == TOPICS else _MODELS[path.name]
            if path.name == GAME_FILE:
                tree = with_single_tables(tree)
                stated = Stated(document=document, game=tree.data if isinstance(tree.data, dict) else {})
            if model in (Game, RequirementFile) and not unsound:  # of what rests on something wrong nothing is said
                patterns = {name: one for file in _all(files, PatternsFile) for name, one in file.patterns.items()}
                tree = written_out(tree, patterns, stated)
            file = RuleFile(name=name, sha256=sha256, tree=tree, model=validate(tree, model))
            if isinstance(file.model, Document) and file.model.document != document:
                message = f"the id of a document is the name of its folder, `{document}`"
                problems.append(tree.diagnostic(("document",), "semantic-error", message))
            files.append(file)
        except InputError as error:
            problems.extend(error.diagnostics)
            unsound = unsound or path.parent.name != TOPICS
    _stop_on(problems)
    return tuple(files)


def _vocabulary_file(path: Path, trees: RuleTrees) -> RuleFile:
    """A file of the vocabulary, which documents share: as long as it stays as it is a process validates it once.

    Raises InputError.
    """
    key = path, read_source(str(path)).sha256
    if key not in _vocabulary:
        sha256, tree = trees.read(path)
        key = path, sha256
        file = RuleFile(
            name=f"{VOCABULARY}/{path.name}", sha256=sha256, tree=tree, model=validate(tree, _MODELS[path.name])
        )
        if isinstance(file.model, PatternsFile):
            _stop_on([tree.diagnostic(at, "semantic-error", message) for at, message in pattern_problems(file.model)])
        while len(_vocabulary) >= MOST_KEPT:
            _vocabulary.pop(next(iter(_vocabulary)))
        _vocabulary[key] = file
    return _vocabulary[key]


def regulation_from(files: Sequence[RuleFile]) -> Regulation:
    """The regulation that the files of a document make up, every name looked up, the whole tried for sense.

    Raises InputError.
    """
    whole = with_game_requirements(files)
    regulation = composed(whole)
    _stop_on([one for file in files for one in named_twice(file.tree, file.model)])
    names = Namespace.of(regulation)
    _stop_on([one for file in whole for one in unknown_names(file.tree, file.model, names)])
    _stop_on(list(nonsense(regulation, [(file.tree, file.model) for file in whole])))
    return regulation


def composed(files: Sequence[RuleFile]) -> Regulation:
    """The regulation that the files of a document make up, with the requirements of its game, whether or not it makes
    sense."""
    (decks,), (rankings,) = _all(files, DecksFile), _all(files, RankingsFile)
    (about,), (readings,) = _all(files, Document), _all(files, ReadingFile)
    return Regulation(
        document=about,
        readings={reading.reading: reading for reading in readings.readings},
        choices={reading.reading: reading.adopted for reading in readings.readings},
        chosen=frozenset(),
        game=next(iter(_all(files, Game)), None),
        requirements=tuple(one for topic in _all(files, RequirementFile) for one in topic.requirements),
        vocabulary=Vocabulary(decks=decks.decks, rankings=rankings.rankings),
        sha256=files_sha256({file.name: file.sha256 for file in files}.items()),
    )


def _all(files: Sequence[RuleFile], model: type[FileModel]) -> list[FileModel]:
    return [file.model for file in files if isinstance(file.model, model)]


def _stop_on(problems: Sequence[Diagnostic]) -> None:
    if problems:  # what a game states as a requirement is looked at in both
        raise InputError(at_most(list(dict.fromkeys(problems))))


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
