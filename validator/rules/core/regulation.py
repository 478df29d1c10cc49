"""A loaded regulation: models of the files of one document, its readings and periods in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from validator.cards.model import AnyRanking, DeckModel
from validator.results.results import AppliedReading
from validator.rules.model.document import Clause, Document, Profile, Reading
from validator.rules.model.game import Game
from validator.rules.model.requirement import Requirement


class SharedVocabulary(Struct, frozen=True, kw_only=True):
    """Decks and hand rankings that documents share."""

    decks: Mapping[str, DeckModel]
    """Decks by name."""
    rankings: Mapping[str, AnyRanking]
    """Hand rankings by name."""


class Regulation(Struct, frozen=True, kw_only=True):
    """An encoded source document with the readings in force."""

    document: Document
    """Citation, dates and clauses."""
    readings: Mapping[str, Reading]
    """Readings by name."""
    choices: Mapping[str, str]
    """Option in force of each reading."""
    chosen: frozenset[str]
    """Readings for which a profile chose another option than the adopted one."""
    game: Game | None
    """The game; None if the document has none."""
    requirements: tuple[Requirement, ...]
    """All requirements, those stated by the game included."""
    vocabulary: SharedVocabulary
    """Decks and rankings."""
    sha256: str
    """SHA-256 over all files it was loaded from, the vocabulary included."""

    @property
    def id(self) -> str:
        """Id of the document."""
        return self.document.document

    @property
    def cards_in_play(self) -> int:
        """Number of cards in play; 0 without a game."""
        if self.game is None:
            return 0
        deck = self.vocabulary.decks[self.game.deck.cards]
        return len(deck.ranks) * len(deck.suits) * self.game.deck.decks

    def qualify(self, name: str) -> str:
        """Return the full id of a clause, requirement or reading: the id of the document, a slash and the name."""
        return f"{self.id}/{name}"

    def qualify_clauses(self, labels: Sequence[str]) -> tuple[str, ...]:
        """Return the full ids of clauses, given their labels."""
        return tuple(self.qualify(label) for label in labels)

    def find_clause(self, label: str) -> Clause:
        """Return the clause with a label.

        Raises:
            KeyError: if there is none.
        """
        for clause in self.document.clauses:
            if clause.clause == label:
                return clause
        raise KeyError(label)

    def find_requirement(self, name: str) -> Requirement:
        """Return the requirement with a name.

        Raises:
            KeyError: if there is none.
        """
        for requirement in self.requirements:
            if requirement.requirement == name:
                return requirement
        raise KeyError(name)

    def is_option_in_force(self, name: str, option: str) -> bool:
        """Return whether an option of a reading is in force."""
        return self.choices[name] == option

    def build_reading_relied(self, name: str) -> AppliedReading:
        """Return a reading in the form that results show."""
        reading = self.readings[name]
        return AppliedReading(
            reading=self.qualify(name),
            document=self.id,
            clauses=self.qualify_clauses(reading.clauses),
            question=reading.question,
            adopted=reading.options[self.choices[name]],
            why=f"chosen by the profile instead of `{reading.adopted}`" if name in self.chosen else reading.why,
            from_profile=name in self.chosen,
        )

    def find_period(self, requirement: Requirement) -> tuple[date | None, date | None]:
        """Return the first and the last day on which a requirement is in force; None means no limit."""
        starts = [day for day in (self.document.from_, requirement.from_) if day is not None]
        ends = [day for day in (self.document.until, requirement.until) if day is not None]
        return max(starts, default=None), min(ends, default=None)

    def is_in_force(self, requirement: Requirement, day: date) -> bool:
        """Return whether a requirement is in force on a day; the first and the last day are included."""
        first, last = self.find_period(requirement)
        return (first is None or first <= day) and (last is None or day <= last)


def apply_profile(regulation: Regulation, profile: Profile) -> Regulation:
    """Return the regulation with the readings that a profile chooses.

    Raises:
        ValueError: if the regulation does not have a reading or option of the profile.
    """
    choices = dict(regulation.choices)
    for choice in profile.choices:
        if choice.document != regulation.id:
            continue
        reading = regulation.readings.get(choice.reading)
        if reading is None:
            raise ValueError(f"{regulation.id} has no reading `{choice.reading}`")
        if choice.option not in reading.options:
            raise ValueError(
                f"the reading `{choice.reading}` has no option `{choice.option}`, only {', '.join(reading.options)}"
            )
        choices[choice.reading] = choice.option
    chosen = frozenset(name for name, option in choices.items() if option != regulation.readings[name].adopted)
    return replace(regulation, choices=choices, chosen=chosen)
