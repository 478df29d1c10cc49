"""Rule files from disk, with the place of each rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from pathlib import Path as FilePath
from typing import TypeVar

from msgspec import Struct
from pydantic import BaseModel

from fairdeal.validator.cards.ranking_models import DecksFile, RankingsFile
from fairdeal.validator.language.grammar import iterate_references, walk_models
from fairdeal.validator.rulebook.dependencies import Namespace, find_undefined_names
from fairdeal.validator.rulebook.game_requirements import GameRequirements, RuleFile, add_game_requirements
from fairdeal.validator.rulebook.pattern_instances import expand_patterns
from fairdeal.validator.rulebook.pattern_model import PatternContext, PatternsFile
from fairdeal.validator.rulebook.rule_check import CheckedFile, run_checks
from fairdeal.validator.rulebook.semantic_errors import LOADING_CHECKS, find_semantic_errors
from fairdeal.validator.rulebook.short_forms import expand_pay_matrices, expand_void
from fairdeal.validator.rules import rule_files
from fairdeal.validator.rules.betting_model import BettingRound
from fairdeal.validator.rules.check_model import CappedCheck, SettledCheck
from fairdeal.validator.rules.deal_model import DrawingRule, Stage
from fairdeal.validator.rules.document_model import Clause, Document, Reading, ReadingFile, RulebookEdition
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.payment_model import Cap, Case
from fairdeal.validator.rules.regulation import Regulation, SharedVocabulary
from fairdeal.validator.rules.requirement_model import Requirement, RequirementFile
from fairdeal.validator.rules.rule_files import RuleFileCache
from fairdeal.validator.text.closed_model import ClosedModel
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics, merge_repeated
from fairdeal.validator.text.document_loader import validate
from fairdeal.validator.text.positioned_document import Data, DataPath, PositionedDocument
from fairdeal.validator.text.source import Source, read_source
from fairdeal.validator.text.yaml_document import load_yaml

_MAPPINGS: Mapping[tuple[str, ...], str] = {
    ("acts",): "step",
    ("other-events",): "step",
    ("facts",): "fact",
    ("hands",): "hand",
    ("table", "positions"): "position",
    ("drawing",): "drawing",
    ("pay-tables",): "pay-table",
    ("patterns",): "pattern",
}
"""Mappings of a game or of the file of patterns, with the kind of their keys."""

_LISTS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "case": (("settlement", "cases"), "case"),
    "cap": (("settlement", "caps"), "cap"),
    "stage": (("deal", "stages"), "stage"),
}
"""Lists of a game, by the kind of their items, with the key that names an item."""


class RuleExcerpt(Struct, frozen=True, kw_only=True):
    """A requirement in a rule file."""

    place: str
    """Location as `path:line`; shipped files are in `rules_data`."""
    text: str
    """Text of the requirement in the file."""
    written_out: Mapping[str, Data]
    """Content together with the head of the file, with patterns expanded."""


class RuleIndex(Struct, frozen=True, kw_only=True):
    """Locations of requirements and other definitions in the rule files of a document."""

    requirements: Mapping[str, RuleExcerpt]
    """Requirements by name."""
    defined: Mapping[tuple[str, str], str]
    """Locations of other definitions, as `path:line`, by kind and name."""

    @classmethod
    def from_files(cls, document: str, folder: Path | None = None) -> RuleIndex:
        """Return the locations for a document.

        Args:
            document: id of the document.
            folder: rules folder; None for the shipped one.

        Raises:
            InputError: if files are broken.
        """
        files = add_game_requirements(read_rule_files(document, folder))
        home = folder or FilePath("rules_data")
        return cls(
            requirements={name: excerpt for file in files for name, excerpt in _list_excerpts(file, home)},
            defined={
                key: place
                for file in files
                if file.name.endswith((f"/{rule_files.GAME_FILE}", f"/{rule_files.PATTERNS_FILE}"))
                for key, place in _list_definitions(file, home)
            },
        )

    def find_referenced(self, regulation: Regulation, requirement: Requirement) -> list[tuple[str, str, str]]:
        """Return what a check refers to, directly or through facts, in order: kind, name, location."""
        found: dict[tuple[str, str], str] = {}
        pending: list[BaseModel] = [requirement.check]
        while pending:
            for _, kind, name in iterate_references(pending.pop(0), ()):
                if (kind, name) in self.defined and (kind, name) not in found:
                    found[kind, name] = self.defined[kind, name]
                    if kind == "fact" and regulation.game is not None:
                        pending.append(regulation.game.facts[name])
        return [(kind, name, place) for (kind, name), place in found.items()]


def _list_excerpts(file: RuleFile, home: FilePath) -> Iterator[tuple[str, RuleExcerpt]]:
    if isinstance(file, GameRequirements):
        entries_by_name = _map_entries(file.tree)
        for name, places in file.stated.items():
            text = "\n".join(_extract_text(file.game, place) for place in places)
            place = _format_place(file, home, _get_line(file.game, places[0]))
            yield name, RuleExcerpt(place=place, text=text, written_out=entries_by_name[name])
        return
    match file.tree.data:
        case dict(head) if isinstance(entries := head.get("requirements"), list):
            starts = [file.tree.get_position(("requirements", number)).line for number in range(len(entries))]
            for entry, start, end in zip(entries, starts, [*starts[1:], len(file.tree.lines) + 1], strict=True):
                assert isinstance(entry, dict)
                text = _trim_trailing(file.tree.lines[start - 1 : end - 1])
                defaults: dict[str, Data] = {key: head[key] for key in ("severity", "remedy") if key in head}
                excerpt = RuleExcerpt(
                    place=_format_place(file, home, start), text=text, written_out={**defaults, **entry}
                )
                yield str(entry["requirement"]), excerpt


def _map_entries(tree: PositionedDocument) -> dict[str, dict[str, Data]]:
    """Return the entries of a file of requirements, by name."""
    listed = tree.data.get("requirements") if isinstance(tree.data, dict) else None
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    return {str(item["requirement"]): item for item in entries}


def _extract_text(tree: PositionedDocument, place: DataPath) -> str:
    """Return the lines of an element of a file, up to the next element."""
    start = _get_line(tree, place)
    lines = {_get_line(tree, path) for path in tree.positions if path[: len(place)] != place}
    end = min((line for line in lines if line > start), default=len(tree.lines) + 1)
    return _trim_trailing(tree.lines[start - 1 : end - 1])


def _trim_trailing(lines: Sequence[str]) -> str:
    """Return lines as text, without trailing blank lines and comments, which belong to the next element."""
    text = list(lines)
    while text and text[-1].lstrip()[:1] in ("", "#"):
        text.pop()
    return "\n".join(text)


def _get_line(tree: PositionedDocument, place: DataPath) -> int:
    position = tree.get_position(place)
    return position.key_line or position.line


def _list_definitions(file: RuleFile, home: FilePath) -> Iterator[tuple[tuple[str, str], str]]:
    for path, kind in _MAPPINGS.items():
        if path in file.tree.positions and isinstance(names := file.tree.get_value(path), dict):
            for name in names:
                yield (kind, name), _format_place(file, home, _get_line(file.tree, (*path, name)))
    for kind, (path, key) in _LISTS.items():
        if path in file.tree.positions and isinstance(items := file.tree.get_value(path), list):
            for number, item in enumerate(items):
                assert isinstance(item, dict)
                yield (kind, str(item[key])), _format_place(file, home, file.tree.get_position((*path, number)).line)


def _format_place(file: RuleFile, home: FilePath, line: int) -> str:
    return f"{(home / file.name).as_posix()}:{line}"


_NAME_KEYS = {
    Clause: "clause",
    Reading: "reading",
    Case: "case",
    Cap: "cap",
    Stage: "stage",
    BettingRound: "round",
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
    rule_files.PATTERNS_FILE: PatternsFile,
    rule_files.EDITION_FILE: RulebookEdition,
    "document.yaml": Document,
    "readings.yaml": ReadingFile,
    rule_files.GAME_FILE: Game,
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
    root = folder or rule_files.rules_folder()
    if document not in rule_files.list_documents(root):
        raise InputError((_build_unknown_document(document, root),))
    trees = trees or RuleFileCache()
    files: list[RuleFile] = []
    problems: list[Diagnostic] = []
    context = PatternContext(document=document)
    has_errors = False
    for path in rule_files.iterate_rule_files(document, root):
        try:
            if path.parent.name == rule_files.VOCABULARY_FOLDER:
                files.append(_load_vocabulary_file(VocabularyText.from_path(path)))
                continue
            sha256, tree = trees.read(path)
            name = rule_files.name_rule_file(path, root)
            model = RequirementFile if path.parent.name == rule_files.REQUIREMENTS_FOLDER else _MODELS[path.name]
            if path.name == rule_files.GAME_FILE:
                tree = expand_void(expand_pay_matrices(tree))
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
            has_errors = has_errors or path.parent.name != rule_files.REQUIREMENTS_FOLDER
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
        name=f"{rule_files.VOCABULARY_FOLDER}/{name}",
        sha256=text.sha256,
        tree=tree,
        model=validate(tree, _MODELS[name]),
    )
    if isinstance(file.model, PatternsFile):
        _raise_if_any(list(run_checks(LOADING_CHECKS, None, [CheckedFile(tree=tree, model=file.model)])))
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
    game = next(iter(_select_models(files, Game)), None)
    return Regulation(
        document=document,
        readings={reading.reading: reading for reading in readings.readings},
        choices={reading.reading: reading.adopted for reading in readings.readings},
        chosen=frozenset(),
        game=game,
        requirements=tuple(
            _add_readings_of_payments(requirement, game)
            for topic in _select_models(files, RequirementFile)
            for requirement in topic.requirements
        ),
        vocabulary=SharedVocabulary(decks=decks.decks, rankings=rankings.rankings),
        sha256=rule_files.hash_files({file.name: file.sha256 for file in files}.items()),
        edition=next(iter(_select_models(files, RulebookEdition)), None),
    )


def _add_readings_of_payments(requirement: Requirement, game: Game | None) -> Requirement:
    """Return a requirement that rests also on the readings of the cases or the limit that it judges."""
    match requirement.check.operand:
        case SettledCheck(cases=names) if game is not None:
            judged: list[Case | Cap] = [case for case in game.settlement.cases if case.case in names]
        case CappedCheck(cap=name) if game is not None:
            judged = [cap for cap in game.settlement.caps if cap.cap == name]
        case _:
            return requirement
    readings = dict.fromkeys((*requirement.readings, *(name for part in judged for name in part.readings)))
    return requirement.model_copy(update={"readings": (*readings,)})  # replaces the cached property


def _select_models(files: Sequence[RuleFile], model: type[FileModel]) -> list[FileModel]:
    return [file.model for file in files if isinstance(file.model, model)]


def _raise_if_any(problems: Sequence[Diagnostic]) -> None:
    unique: dict[tuple[object, ...], Diagnostic] = {}
    for problem in problems:  # a requirement that a game states appears in two files, with and without its pattern
        said = problem.message.partition(" (of the pattern ")[0]
        unique.setdefault((problem.file, problem.line, problem.column, problem.code, said), problem)
    if unique:
        raise InputError(limit_diagnostics(merge_repeated(unique.values())))


def _build_unknown_document(document: str, root: Path) -> Diagnostic:
    known = rule_files.list_documents(root)
    near = find_similar(document, known)
    return Diagnostic(
        code="unknown-document",
        message=f"the rulebook has no document `{document}`",
        file=str(root),
        expected=f"one of {', '.join(known)}" if known else "a folder with a document.yaml",
        help=f"did you mean `{near}`?" if near else None,
    )
