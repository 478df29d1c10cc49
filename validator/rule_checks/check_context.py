"""Context of the checks of `rules check`: a loaded document, its files, and formulas of its conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from pydantic import BaseModel

from fairdeal.validator.audit.submissions.submission_summary import Names, list_name_places
from fairdeal.validator.language.grammar import ReadingIs, iterate_models, iterate_references
from fairdeal.validator.operators.condition_propositions import PropositionBuilder
from fairdeal.validator.operators.operator_table import compile_game
from fairdeal.validator.rulebook.rule_check import CheckContext, CheckedFile
from fairdeal.validator.rulebook.rulebook import Rulebook
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.regulation import Regulation
from fairdeal.validator.text.positioned_document import DataPath, PositionedDocument

OPTIONS_PREFIX = "options of "
"""Prefix of the kind under which the options of a reading that rules use are listed."""

SubmissionKeys = tuple[str, ...]
"""Keys that lead to a place of a submission, `*` for each item of a list."""

ConstantParts = Sequence[tuple[DataPath, bool]]
"""Places of conditions that always (True) or never hold."""


class DocumentContext(CheckContext):
    """A loaded document with its files."""

    def __init__(
        self,
        rulebook: Rulebook,
        regulation: Regulation,
        files: Sequence[CheckedFile],
        examples: Sequence[PositionedDocument] = (),
    ) -> None:
        super().__init__(regulation)
        self.rulebook, self.files, self.examples = rulebook, files, examples

    @cached_property
    def used_names(self) -> Mapping[str, frozenset[str]]:
        """The names that files use, by the kind of thing they name, with the options of readings."""
        names_by_kind: dict[str, set[str]] = {}
        for file in self.files:
            if file.model is None:
                continue
            for _, kind, name in iterate_references(file.model, ()):
                names_by_kind.setdefault(kind, set()).add(name)
            for _, part in file.parts:
                if isinstance(part, ReadingIs):
                    names_by_kind.setdefault(f"{OPTIONS_PREFIX}{part.name}", set()).add(part.is_)
        return {kind: frozenset(names) for kind, names in names_by_kind.items()}

    @cached_property
    def check_parts(self) -> Mapping[str, Sequence[BaseModel]]:
        """All models within the check of each requirement, by its name."""
        return {
            requirement.requirement: tuple(iterate_models(requirement.check))
            for requirement in self.regulation.requirements
        }

    def is_used(self, kind: str, name: str) -> bool:
        """Return whether some file uses a name of a kind."""
        return name in self.used_names.get(kind, frozenset())

    @cached_property
    def submission_names(self) -> Mapping[SubmissionKeys, tuple[str, Names]]:
        """For each place of a submission that takes names of the rulebook: the kind of name, and the names by alias.

        Places whose names the rules list themselves are left out.
        """
        return {
            place.keys: (place.what, place.names())
            for place in list_name_places(self.rulebook, self.regulation)
            if place.what not in ("notice", "use of an area", "kind of rake")
        }


class GameContext(DocumentContext):
    """A loaded document that has a game."""

    @cached_property
    def terms(self) -> PropositionBuilder:
        """Builder of formulas from conditions of the game."""
        return PropositionBuilder(compile_game(self.regulation))

    @cached_property
    def constant_parts(self) -> dict[tuple[DataPath, bytes], ConstantParts]:
        """The constant parts of the conditions examined so far, by place and identity; several checks need them."""
        return {}

    @property
    def game(self) -> Game:
        """The game of the document."""
        return self.terms.game
