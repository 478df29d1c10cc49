"""The rulebook: regulations loaded on demand and read as one profile chooses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct, field

from validator.evidence.consistency.known_game import KnownGame
from validator.results.results import InputFile
from validator.rulebook.loading.cache import shared_regulation
from validator.rules.core.acts import known_game
from validator.rules.core.library import documents, games
from validator.rules.core.regulation import Regulation, with_profile
from validator.rules.model.document import Profile


class Rulebook(Struct, kw_only=True):
    """All documents of a rules folder, read as one profile chooses."""

    folder: Path | None = None
    """Rules folder; None for the shipped one."""
    profile: Profile | None = None
    """Profile that chooses readings; None for the adopted readings."""
    profile_file: InputFile | None = None
    """File of the profile, if it was read from one."""
    _loaded: dict[str, Regulation] = field(default_factory=dict)

    @property
    def documents(self) -> tuple[str, ...]:
        """Ids of all documents, sorted."""
        return documents(self.folder)

    @property
    def games(self) -> frozenset[str]:
        """Ids of the documents whose rounds can be judged. Loads no document."""
        return games(self.folder)

    @property
    def known_games(self) -> Mapping[str, KnownGame]:
        """The games whose rounds can be judged, each with what its rules state about its evidence.

        Looking up a game loads it, and raises InputError if that fails.
        """
        return _Games(self)

    def regulation(self, document: str) -> Regulation:
        """Return one document, loaded and validated on first use. Raises InputError."""
        if document not in self._loaded:
            regulation = shared_regulation(document, self.folder)
            self._loaded[document] = regulation if self.profile is None else with_profile(regulation, self.profile)
        return self._loaded[document]

    def all(self) -> tuple[Regulation, ...]:
        """Return every document, in order of ids. Raises InputError."""
        return tuple(self.regulation(document) for document in self.documents)

    def sha256(self, used: tuple[str, ...]) -> str:
        """Return one SHA-256 over the files of some documents."""
        return rulebook_sha256(self.regulation(document) for document in used)


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
        return known_game(self._rulebook.regulation(game))[game]


def rulebook_sha256(regulations: Iterable[Regulation]) -> str:
    """Return one SHA-256 over several regulations, independent of their order."""
    lines = sorted(f"{regulation.id} {regulation.sha256}" for regulation in regulations)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()
