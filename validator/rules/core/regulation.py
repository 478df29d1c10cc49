"""A regulation as it is used: typed models of one document's files, and what is in force of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from validator.cards.model import AnyRanking, DeckModel
from validator.results.results import ReadingRelied
from validator.rules.model.document import Clause, Document, Profile, Reading
from validator.rules.model.game import Game
from validator.rules.model.requirement import Requirement


class Vocabulary(Struct, frozen=True, kw_only=True):
    """What documents share: decks and hand rankings by name."""

    decks: Mapping[str, DeckModel]
    rankings: Mapping[str, AnyRanking]


class Regulation(Struct, frozen=True, kw_only=True):
    """One source document, encoded: clauses, readings, the game if it can be played, requirements.

    `choices` says for every reading which option applies; `chosen` are those a profile set otherwise than
    adopted. `sha256` is that of all files it was loaded from, the vocabulary included.
    """

    document: Document
    readings: Mapping[str, Reading]
    choices: Mapping[str, str]
    chosen: frozenset[str]
    game: Game | None
    requirements: tuple[Requirement, ...]
    vocabulary: Vocabulary
    sha256: str

    @property
    def id(self) -> str:
        """The document's id."""
        return self.document.document

    @property
    def cards_in_play(self) -> int:
        """How many cards a round is played with; 0 where there is no game."""
        if self.game is None:
            return 0
        deck = self.vocabulary.decks[self.game.deck.cards]
        return len(deck.ranks) * len(deck.suits) * self.game.deck.decks

    def full_id(self, name: str) -> str:
        """The id of a clause, requirement or reading, the document's id before it."""
        return f"{self.id}/{name}"

    def clause_ids(self, labels: Sequence[str]) -> tuple[str, ...]:
        """The ids of clauses given by their labels."""
        return tuple(self.full_id(label) for label in labels)

    def clause(self, label: str) -> Clause:
        """The clause with a label. Raises KeyError where there is none."""
        for clause in self.document.clauses:
            if clause.clause == label:
                return clause
        raise KeyError(label)

    def requirement(self, name: str) -> Requirement:
        """The requirement with a name. Raises KeyError where there is none."""
        for requirement in self.requirements:
            if requirement.requirement == name:
                return requirement
        raise KeyError(name)

    def applies(self, name: str, option: str) -> bool:
        """Whether an option of a reading is the one in force."""
        return self.choices[name] == option

    def relied(self, name: str) -> ReadingRelied:
        """A reading as results show it."""
        reading = self.readings[name]
        return ReadingRelied(
            reading=self.full_id(name),
            document=self.id,
            clauses=self.clause_ids(reading.clauses),
            question=reading.question,
            adopted=reading.options[self.choices[name]],
            why=f"chosen by the profile instead of `{reading.adopted}`" if name in self.chosen else reading.why,
            from_profile=name in self.chosen,
        )

    def period(self, requirement: Requirement) -> tuple[date | None, date | None]:
        """First and last day on which a requirement is in force; None is open."""
        starts = [day for day in (self.document.from_, requirement.from_) if day is not None]
        ends = [day for day in (self.document.until, requirement.until) if day is not None]
        return max(starts, default=None), min(ends, default=None)

    def in_force(self, requirement: Requirement, day: date) -> bool:
        """Whether a requirement is in force on a day; first and last day count."""
        first, last = self.period(requirement)
        return (first is None or first <= day) and (last is None or day <= last)


def with_profile(regulation: Regulation, profile: Profile) -> Regulation:
    """The regulation read as a profile chooses. Raises ValueError for a reading or option it does not have."""
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
