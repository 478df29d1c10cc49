"""The rulebook: regulations loaded on demand, cached, and read as one profile chooses.

The key of a cached regulation is the hash of all its files and of the program that validated it. An entry therefore
equals what `load_regulation` makes of the same files.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from pathlib import Path as FilePath

import msgspec
from msgspec import Struct

from fairdeal.validator.disk_cache import build_key, load_entry, store_entry
from fairdeal.validator.evidence.event_kinds import KnownGame
from fairdeal.validator.results.results import InputFile, InputKind
from fairdeal.validator.rules import rule_files
from fairdeal.validator.rules.document_model import Profile
from fairdeal.validator.rules.regulation import Regulation, apply_profile, build_known_games
from fairdeal.validator.text.closed_model import hash_structure
from fairdeal.validator.text.diagnostics import Diagnostic, InputError, find_similar, limit_diagnostics
from fairdeal.validator.text.document_loader import load_document, validate
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument
from fairdeal.validator.text.source import Source, read_source

_TRUSTED = (
    "fairdeal.validator.cards.ranking_models",
    "fairdeal.validator.language.",
    "fairdeal.validator.rules.betting_model",
    "fairdeal.validator.rules.check_model",
    "fairdeal.validator.rules.deal_model",
    "fairdeal.validator.rules.document_model",
    "fairdeal.validator.rules.fault_model",
    "fairdeal.validator.rules.requirement_model",
    "fairdeal.validator.rules.game_model",
    "fairdeal.validator.rules.payment_model",
    "fairdeal.validator.rules.simulation_model",
    "fairdeal.validator.rules.regulation",
    "fairdeal.validator.text.plain_values",
    "fairdeal.validator.results.",
)
MAX_SHARED = 16
"""Number of regulations that a process keeps in memory."""


def load_cached_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Return a regulation like `load_regulation`, but without validating unchanged files again.

    Raises InputError.
    """
    return _load_or_fetch(document, folder, _hash_document(document, folder))


def get_shared_regulation(document: str, folder: Path | None = None) -> Regulation:
    """Return a regulation like `cached_regulation`, as one object for the same files.

    The process keeps the last `MAX_SHARED` regulations. A regulation never changes.

    Raises InputError.
    """
    try:
        return _load_shared(DocumentVersion(document, _hash_document(document, folder), folder))
    except FilesChangedError as changed:
        return changed.regulation


@dataclass(frozen=True, slots=True)
class DocumentVersion:
    """A document with certain content. The same content elsewhere is the same version."""

    document: str
    """Id of the document."""
    sha256: str
    """Hash of its files."""
    folder: Path | None = field(compare=False)
    """Rules folder from which it is loaded."""


class FilesChangedError(Exception):
    """Error for files that changed while they were read: the regulation is valid but of another version."""

    def __init__(self, regulation: Regulation) -> None:
        super().__init__(regulation.id)
        self.regulation = regulation
        """Regulation of the changed files."""


@lru_cache(maxsize=MAX_SHARED)
def _load_shared(version: DocumentVersion) -> Regulation:
    regulation = _load_or_fetch(version.document, version.folder, version.sha256)
    if regulation.sha256 != version.sha256:
        raise FilesChangedError(regulation)
    return regulation


def _load_or_fetch(document: str, folder: Path | None, sha256: str) -> Regulation:
    key = build_key("regulation", document, sha256)
    cached = load_entry(key, trusted=_TRUSTED)
    if isinstance(cached, Regulation) and cached.sha256 == sha256:
        return cached
    from fairdeal.validator.rulebook.rule_loader import load_regulation  # noqa: PLC0415 - a cached regulation needs no loader

    regulation = load_regulation(document, folder)
    if regulation.sha256 == sha256:
        derive_properties(regulation)
        store_entry(key, regulation)
    return regulation


def derive_properties(regulation: Regulation) -> None:
    """Compute properties that most runs need. Models keep them, so that they are stored with a regulation."""
    for requirement in regulation.requirements:
        _ = requirement.readings, requirement.check.identity
    if regulation.game is not None:
        hash_structure(regulation.game)


def _hash_document(document: str, folder: Path | None) -> str:
    """Return the hash of all files of a document; empty if there is no such document or a file cannot be read."""
    root = folder or rule_files.rules_folder()
    if document not in rule_files.list_documents(root):
        return ""
    try:
        return rule_files.hash_files(
            (rule_files.name_rule_file(path, root), read_source(str(path)).sha256)
            for path in rule_files.iterate_rule_files(document, root)
        )
    except InputError:
        return ""


class Rulebook(Struct, kw_only=True):
    """All documents of a rules folder, read as one profile chooses."""

    folder: Path | None = None
    """Rules folder; None for the shipped one."""
    profile: Profile | None = None
    """Profile that chooses readings; None for the adopted readings."""
    profile_file: InputFile | None = None
    """File of the profile, if it was read from one."""
    _loaded: dict[str, Regulation] = msgspec.field(default_factory=dict)

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of all documents, sorted."""
        return rule_files.list_documents(self.folder)

    @property
    def games(self) -> frozenset[str]:
        """Ids of the documents whose rounds can be judged. Loads no document."""
        return rule_files.list_games(self.folder)

    @property
    def known_games(self) -> Mapping[str, KnownGame]:
        """The games whose rounds can be judged, each with what its rules state about its evidence.

        Looking up a game loads it, and raises InputError if that fails.
        """
        return _Games(self)

    def regulation(self, document: str) -> Regulation:
        """Return one document, loaded and validated on first use. Raises InputError."""
        if document not in self._loaded:
            regulation = get_shared_regulation(document, self.folder)
            self._loaded[document] = regulation if self.profile is None else apply_profile(regulation, self.profile)
        return self._loaded[document]

    def all(self) -> tuple[Regulation, ...]:
        """Return every document, in order of ids. Raises InputError."""
        return tuple(self.regulation(document) for document in self.documents)

    def sha256(self, used: tuple[str, ...]) -> str:
        """Return one SHA-256 over the files of some documents."""
        return hash_regulations(self.regulation(document) for document in used)


class _Games(Mapping[str, KnownGame]):
    """Mapping of games to what their rules state about evidence; looking up a game loads it."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rulebook, self._games = rulebook, rulebook.games

    def __contains__(self, game: object) -> bool:
        return game in self._games

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)

    def __getitem__(self, game: str) -> KnownGame:
        if game not in self._games:
            raise KeyError(game)
        return build_known_games(self._rulebook.regulation(game))[game]


def hash_regulations(regulations: Iterable[Regulation]) -> str:
    """Return one SHA-256 over several regulations, independent of their order."""
    lines = sorted(f"{regulation.id} {regulation.sha256}" for regulation in regulations)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


_NAME_FORM = re.compile(r"[a-z0-9][a-z0-9-]{0,99}(/[a-z0-9][a-z0-9-]{0,99})?")


def open_with_profile(rulebook: Rulebook, name: str) -> Rulebook:
    """Return the rulebook with the readings that a profile chooses.

    Args:
        rulebook: The rulebook.
        name: A file, `-` for standard input, or a profile of a document by its name or as `DOCUMENT/NAME`.

    Raises InputError if there is no such profile, or if it cannot be read or breaks its schema. The profile may name
    only documents, readings and options that the rulebook has.
    """
    path, known_as = _locate_profile(rulebook, name)
    return apply_named_profile(rulebook, read_source(path), known_as=known_as)


def apply_named_profile(rulebook: Rulebook, source: Source, *, known_as: str | None = None) -> Rulebook:
    """Return the rulebook with the readings that a profile chooses.

    Args:
        rulebook: The rulebook.
        source: The text of the profile.
        known_as: Its name in results, if that is not the name of its file.

    Raises InputError as `read_as_chosen` does.
    """
    input_file = InputFile(
        file=known_as or source.name, sha256=source.sha256, kind=InputKind.PROFILE, read=1, checked=1, quarantined=0
    )
    return Rulebook(folder=rulebook.folder, profile=_load_profile(rulebook, source), profile_file=input_file)


def read_profile(rulebook: Rulebook, path: str) -> Profile:
    """Return the profile in a file after checking it against a rulebook. Raises InputError."""
    return _load_profile(rulebook, read_source(path))


def may_be_profile_name(text: str) -> bool:
    """Return whether a text may be the name of a profile; any other text is a file."""
    return _NAME_FORM.fullmatch(text) is not None


def _load_profile(rulebook: Rulebook, source: Source) -> Profile:
    tree = load_document(source)
    profile = validate(tree, Profile)
    problems = limit_diagnostics(_find_profile_problems(rulebook, profile, tree))
    if problems:
        raise InputError(problems)
    return profile


def _locate_profile(rulebook: Rulebook, name: str) -> tuple[str, str | None]:
    """Return the file of a profile, and its name as `DOCUMENT/NAME` if it belongs to a document.

    An existing file takes precedence over a name.
    """
    if not may_be_profile_name(name) or FilePath(name).exists():
        return name, None
    known = rule_files.list_profiles(rulebook.folder)
    matches = [full for full in known if name in {full, full.partition("/")[2]}]
    if len(matches) == 1:
        return str(known[matches[0]]), matches[0]
    near = find_similar(name, [full.partition("/")[2] for full in known])
    listed = ", ".join(matches or known)
    raise InputError(
        (
            Diagnostic(
                code="unknown-profile",
                message=f"several profiles are called `{name}`"
                if matches
                else "there is no such file, and no profile of that name",
                expected=f"a file, or one of {listed}" if listed else "a file; no profile lies with the documents",
                help=f"did you mean `{near}`?" if near and not matches else None,
                file=name,
            ),
        )
    )


def _find_profile_problems(rulebook: Rulebook, profile: Profile, tree: PositionedDocument) -> Iterator[Diagnostic]:
    for index, choice in enumerate(profile.choices):
        place: DataPath = ("choices", index)
        if choice.document not in rulebook.documents:
            yield _build_unknown_name(tree, (*place, "document"), "the rulebook", choice.document, rulebook.documents)
            continue
        readings = rulebook.regulation(choice.document).readings
        if choice.reading not in readings:
            yield _build_unknown_name(tree, (*place, "reading"), choice.document, choice.reading, readings)
            continue
        options = readings[choice.reading].options
        if choice.is_ not in options:
            yield _build_unknown_name(tree, (*place, "is"), choice.reading, choice.is_, options)


def _build_unknown_name(
    tree: PositionedDocument, path: DataPath, owner: str, name: str, known: Iterable[str]
) -> Diagnostic:
    kind = path[-1]
    names = tuple(known)
    near = find_similar(name, names)
    return tree.build_diagnostic(
        path,
        f"unknown-{kind}",
        f"{owner} has no {kind} `{name}`",
        expected=f"one of {', '.join(names)}",
        help=f"did you mean `{near}`?" if near else None,
    )
