"""Loader of regulations: reads, composes and validates rule files, and resolves every name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from fairdeal.validator.cards.ranking_models import DecksFile, RankingsFile
from fairdeal.validator.language.name_references import walk_models
from fairdeal.validator.rulebook.lint.namespace import Namespace, find_undefined_names
from fairdeal.validator.rulebook.lint.rule_check import CheckedFile, run_checks
from fairdeal.validator.rulebook.lint.semantic_errors import VOCABULARY_CHECKS, find_semantic_errors
from fairdeal.validator.rulebook.loading.game_requirements import RuleFile, add_game_requirements
from fairdeal.validator.rulebook.vocabulary.pattern_instances import expand_patterns
from fairdeal.validator.rulebook.vocabulary.pattern_model import PatternContext, PatternsFile
from fairdeal.validator.rulebook.vocabulary.pay_table_expansion import expand_pay_matrices
from fairdeal.validator.rules.betting_model import BettingRound
from fairdeal.validator.rules.deal_model import DrawingRule, Stage
from fairdeal.validator.rules.document_model import Clause, Document, Reading, ReadingFile, RulebookEdition
from fairdeal.validator.rules.game_model import Game, Step
from fairdeal.validator.rules.payment_model import Cap, Case, ScaleBand
from fairdeal.validator.rules.procedure_model import Phase
from fairdeal.validator.rules.regulation import Regulation, SharedVocabulary
from fairdeal.validator.rules.requirement_model import RequirementFile
from fairdeal.validator.rules.rule_file_cache import RuleFileCache
from fairdeal.validator.rules.rule_files import (
    EDITION_FILE,
    GAME_FILE,
    PATTERNS_FILE,
    REQUIREMENTS_FOLDER,
    VOCABULARY_FOLDER,
    hash_files,
    iterate_rule_files,
    list_documents,
    rules_folder,
)
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument
from fairdeal.validator.text.source import Source, read_source
from fairdeal.validator.text.validation import validate
from fairdeal.validator.text.yaml_document import load_yaml

_NAME_KEYS = {
    Clause: "clause",
    Reading: "reading",
    Step: "step",
    Phase: "phase",
    Case: "case",
    Cap: "cap",
    Stage: "stage",
    BettingRound: "round",
    ScaleBand: "band",
    DrawingRule: "rule",
}
"""The key of the name, for each model that is listed by name."""


def find_duplicate_names(tree: PositionedDocument, model: ClosedModel) -> Iterator[Diagnostic]:
    """Yield a diagnostic for every item whose name an earlier item of the same list has."""
    seen: set[tuple[DataPath, str]] = set()
    for path, item in walk_models(model, ()):
        key = _NAME_KEYS.get(type(item))
        if key is not None:
            name = str(getattr(item, key))
            if (path[:-1], name) in seen:
                message = f"the {key} {name} is listed twice"
                yield tree.build_diagnostic(
                    (*path, key), "semantic-error", message, help="give one of them another name"
                )
            seen.add((path[:-1], name))


_MODELS: dict[str, type[ClosedModel]] = {
    "decks.yaml": DecksFile,
    "rankings.yaml": RankingsFile,
    PATTERNS_FILE: PatternsFile,
    EDITION_FILE: RulebookEdition,
    "document.yaml": Document,
    "readings.yaml": ReadingFile,
    GAME_FILE: Game,
}

FileModel = TypeVar("FileModel", bound=ClosedModel)

MAX_VOCABULARY_FILES = 12
"""Number of vocabulary files that a process keeps."""


def load_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Load one document of a rules folder, by default the shipped one, and validate it completely.

    Raises InputError with every problem found: unknown document, broken files, unknown keys, undefined names, rules
    that contradict each other.
    """
    return build_regulation(read_rule_files(document, folder))


def read_rule_files(
    document: str, folder: Path | None = None, trees: RuleFileCache | None = None
) -> tuple[RuleFile, ...]:
    """Return the files of a document, vocabulary first, each validated on its own.

    Instances of patterns and tables of matrices are expanded. Requirements that the game states are not yet extracted.

    Args:
        document: The id of the document.
        folder: The rules folder; by default the shipped one.
        trees: Files that were parsed before.

    Raises InputError with every problem of every file.
    """
    root = folder or rules_folder()
    if document not in list_documents(root):
        raise InputError((_build_unknown_document(document, root),))
    trees = trees or RuleFileCache()
    files: list[RuleFile] = []
    problems: list[Diagnostic] = []
    context = PatternContext(document=document)
    has_errors = False
    for path in iterate_rule_files(document, root):
        try:
            if path.parent.name == VOCABULARY_FOLDER:
                files.append(_load_vocabulary_file(VocabularyText.from_path(path)))
                continue
            sha256, tree = trees.read(path)
            name = path.relative_to(root).as_posix()
            model = RequirementFile if path.parent.name == REQUIREMENTS_FOLDER else _MODELS[path.name]
            if path.name == GAME_FILE:
                tree = expand_pay_matrices(tree)
                context = PatternContext(document=document, game=tree.data if isinstance(tree.data, dict) else {})
            if (
                model in (Game, RequirementFile) and not has_errors
            ):  # errors in earlier files would only cause further ones
                patterns = {
                    key: pattern
                    for file in _select_models(files, PatternsFile)
                    for key, pattern in file.patterns.items()
                }
                tree = expand_patterns(tree, patterns, context)
            file = RuleFile(name=name, sha256=sha256, tree=tree, model=validate(tree, model))
            if isinstance(file.model, Document) and file.model.document != document:
                message = f"the id of a document must be the name of its folder, `{document}`"
                problems.append(tree.build_diagnostic(("document",), "semantic-error", message))
            files.append(file)
        except InputError as error:
            problems.extend(error.diagnostics)
            has_errors = has_errors or path.parent.name != REQUIREMENTS_FOLDER
    _raise_if_any(problems)
    return tuple(files)


@dataclass(frozen=True, slots=True)
class VocabularyText:
    """Text of a vocabulary file, identified by path and hash."""

    path: Path
    """Path of the file."""
    sha256: str
    """SHA-256 of the text."""
    source: Source = field(compare=False)
    """The text."""

    @classmethod
    def from_path(cls, path: Path) -> VocabularyText:
        """Read a file. Raises InputError."""
        source = read_source(str(path))
        return cls(path, source.sha256, source)


@lru_cache(maxsize=MAX_VOCABULARY_FILES)
def _load_vocabulary_file(text: VocabularyText) -> RuleFile:
    """Return a vocabulary file, which documents share. A process validates it once while it is unchanged.

    Raises InputError.
    """
    tree, name = load_yaml(text.source), text.path.name
    file = RuleFile(
        name=f"{VOCABULARY_FOLDER}/{name}", sha256=text.sha256, tree=tree, model=validate(tree, _MODELS[name])
    )
    if isinstance(file.model, PatternsFile):
        _raise_if_any(list(run_checks(VOCABULARY_CHECKS, None, [CheckedFile(tree=tree, model=file.model)])))
    return file


def build_regulation(files: Sequence[RuleFile]) -> Regulation:
    """Build the regulation of a document from its files, resolve every name and check its semantics.

    Raises InputError.
    """
    complete = add_game_requirements(files)
    regulation = compose_regulation(complete)
    _raise_if_any([problem for file in files for problem in find_duplicate_names(file.tree, file.model)])
    names = Namespace.from_regulation(regulation)
    _raise_if_any([problem for file in complete for problem in find_undefined_names(file.tree, file.model, names)])
    _raise_if_any(list(find_semantic_errors(regulation, [file.to_checked() for file in complete])))
    return regulation


def compose_regulation(files: Sequence[RuleFile]) -> Regulation:
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
        vocabulary=SharedVocabulary(decks=decks.decks, rankings=rankings.rankings),
        sha256=hash_files({file.name: file.sha256 for file in files}.items()),
        edition=next(iter(_select_models(files, RulebookEdition)), None),
    )


def _select_models(files: Sequence[RuleFile], model: type[FileModel]) -> list[FileModel]:
    return [file.model for file in files if isinstance(file.model, model)]


def _raise_if_any(problems: Sequence[Diagnostic]) -> None:
    if problems:  # a requirement that a game states appears in two files
        raise InputError(limit_diagnostics(list(dict.fromkeys(problems))))


def _build_unknown_document(document: str, root: Path) -> Diagnostic:
    known = list_documents(root)
    near = find_similar(document, known)
    return Diagnostic(
        code="unknown-document",
        message=f"the rulebook has no document `{document}`",
        file=str(root),
        expected=f"one of {', '.join(known)}" if known else "a folder with a document.yaml",
        help=f"did you mean `{near}`?" if near else None,
    )
