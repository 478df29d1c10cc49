"""Loader of regulations: reads, composes and validates rule files, and resolves every name."""

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
"""Number of vocabulary files that a process keeps."""
_vocabulary_files: dict[tuple[Path, str], RuleFile] = {}
"""Valid vocabulary files, by path and hash of the text."""


def load_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Load one document of a rules folder, by default the shipped one, and validate it completely.

    Raises InputError with every problem found: unknown document, broken files, unknown keys, undefined names, rules
    that contradict each other.
    """
    return regulation_from(read_rule_files(document, folder))


def read_rule_files(document: str, folder: Path | None = None, trees: RuleTrees | None = None) -> tuple[RuleFile, ...]:
    """Return the files of a document, vocabulary first, each validated on its own.

    Instances of patterns and tables of matrices are expanded. Requirements that the game states are not yet extracted.

    Args:
        document: The id of the document.
        folder: The rules folder; by default the shipped one.
        trees: Files that were parsed before.

    Raises InputError with every problem of every file.
    """
    root = folder or rules_folder()
    if document not in documents(root):
        raise InputError((_build_unknown_document(document, root),))
    trees = trees or RuleTrees()
    files: list[RuleFile] = []
    problems: list[Diagnostic] = []
    context = Stated(document=document)
    has_errors = False
    for path in rule_files(document, root):
        try:
            if path.parent.name == VOCABULARY:
                files.append(_load_vocabulary_file(path, trees))
                continue
            sha256, tree = trees.read(path)
            name = path.relative_to(root).as_posix()
            model = RequirementFile if path.parent.name == TOPICS else _MODELS[path.name]
            if path.name == GAME_FILE:
                tree = with_single_tables(tree)
                context = Stated(document=document, game=tree.data if isinstance(tree.data, dict) else {})
            if (
                model in (Game, RequirementFile) and not has_errors
            ):  # errors in earlier files would only cause further ones
                patterns = {
                    key: pattern
                    for file in _select_models(files, PatternsFile)
                    for key, pattern in file.patterns.items()
                }
                tree = written_out(tree, patterns, context)
            file = RuleFile(name=name, sha256=sha256, tree=tree, model=validate(tree, model))
            if isinstance(file.model, Document) and file.model.document != document:
                message = f"the id of a document must be the name of its folder, `{document}`"
                problems.append(tree.diagnostic(("document",), "semantic-error", message))
            files.append(file)
        except InputError as error:
            problems.extend(error.diagnostics)
            has_errors = has_errors or path.parent.name != TOPICS
    _raise_if_any(problems)
    return tuple(files)


def _load_vocabulary_file(path: Path, trees: RuleTrees) -> RuleFile:
    """Return a vocabulary file, which documents share. A process validates it once while it is unchanged.

    Raises InputError.
    """
    key = path, read_source(str(path)).sha256
    if key not in _vocabulary_files:
        sha256, tree = trees.read(path)
        key = path, sha256
        file = RuleFile(
            name=f"{VOCABULARY}/{path.name}", sha256=sha256, tree=tree, model=validate(tree, _MODELS[path.name])
        )
        if isinstance(file.model, PatternsFile):
            _raise_if_any(
                [tree.diagnostic(at, "semantic-error", message) for at, message in pattern_problems(file.model)]
            )
        while len(_vocabulary_files) >= MOST_KEPT:
            _vocabulary_files.pop(next(iter(_vocabulary_files)))
        _vocabulary_files[key] = file
    return _vocabulary_files[key]


def regulation_from(files: Sequence[RuleFile]) -> Regulation:
    """Build the regulation of a document from its files, resolve every name and check its semantics.

    Raises InputError.
    """
    complete = with_game_requirements(files)
    regulation = composed(complete)
    _raise_if_any([problem for file in files for problem in named_twice(file.tree, file.model)])
    names = Namespace.of(regulation)
    _raise_if_any([problem for file in complete for problem in unknown_names(file.tree, file.model, names)])
    _raise_if_any(list(nonsense(regulation, [(file.tree, file.model) for file in complete])))
    return regulation


def composed(files: Sequence[RuleFile]) -> Regulation:
    """Build the regulation of a document with the requirements of its game, without semantic checks."""
    (decks,), (rankings,) = _select_models(files, DecksFile), _select_models(files, RankingsFile)
    (document,), (readings,) = _select_models(files, Document), _select_models(files, ReadingFile)
    return Regulation(
        document=document,
        readings={reading.reading: reading for reading in readings.readings},
        choices={reading.reading: reading.adopted for reading in readings.readings},
        chosen=frozenset(),
        game=next(iter(_select_models(files, Game)), None),
        requirements=tuple(
            requirement for topic in _select_models(files, RequirementFile) for requirement in topic.requirements
        ),
        vocabulary=Vocabulary(decks=decks.decks, rankings=rankings.rankings),
        sha256=files_sha256({file.name: file.sha256 for file in files}.items()),
    )


def _select_models(files: Sequence[RuleFile], model: type[FileModel]) -> list[FileModel]:
    return [file.model for file in files if isinstance(file.model, model)]


def _raise_if_any(problems: Sequence[Diagnostic]) -> None:
    if problems:  # a requirement that a game states appears in two files
        raise InputError(at_most(list(dict.fromkeys(problems))))


def _build_unknown_document(document: str, root: Path) -> Diagnostic:
    known = documents(root)
    near = did_you_mean(document, known)
    return Diagnostic(
        code="unknown-document",
        message=f"the rulebook has no document `{document}`",
        file=str(root),
        expected=f"one of {', '.join(known)}" if known else "a folder with a document.yaml",
        help=f"did you mean `{near}`?" if near else None,
    )
