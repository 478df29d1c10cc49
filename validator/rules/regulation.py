"""Loaded regulations: models of the files of a document, readings and periods in force, and known acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import wraps
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.cards.ranking_models import AnyRanking, DeckModel
from fairdeal.validator.evidence.event_kinds import KnownGame
from fairdeal.validator.results.findings import Evidence, Severity
from fairdeal.validator.results.results import AppliedReading
from fairdeal.validator.rules import requirement_model
from fairdeal.validator.rules.betting_model import ActKind
from fairdeal.validator.rules.document_model import Clause, Document, Profile, Reading, RulebookEdition
from fairdeal.validator.rules.game_model import Game

Derived = TypeVar("Derived")
MAX_DERIVED = 16
"""Number of regulations for which a process keeps what it derived from them."""


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
    requirements: tuple[requirement_model.Requirement, ...]
    """All requirements, those stated by the game included."""
    vocabulary: SharedVocabulary
    """Decks and rankings."""
    sha256: str
    """SHA-256 over all files it was loaded from, those that documents share included."""
    edition: RulebookEdition | None = None
    """Version and date of its rules folder; None if the folder states none."""

    @property
    def id(self) -> str:
        """Id of the document."""
        return self.document.document

    @property
    def cards_in_play(self) -> int:
        """Number of cards in play; 0 without a game or cards."""
        if self.game is None or self.game.deck is None:
            return 0
        deck = self.vocabulary.decks[self.game.deck.cards]
        return deck.size * self.game.decks

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

    def find_requirement(self, name: str) -> requirement_model.Requirement:
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

    def apply_otherwise(self, part: Any) -> Any:
        """Return the alternative under `otherwise` whose reading is in force; the part itself if there is none."""
        others = (other for other in reversed(part.otherwise) if self.choices[other.reading.name] == other.reading.is_)
        return next(others, part)

    def build_reading_relied(self, name: str) -> AppliedReading:
        """Return a reading in the form that results show."""
        reading = self.readings[name]
        return AppliedReading(
            reading=self.qualify(name),
            document=self.id,
            clauses=self.qualify_clauses(reading.clauses),
            question=reading.question,
            adopted=reading.options[self.choices[name]],
            why=f"chosen by the profile instead of `{reading.adopted}`" if name in self.chosen else reading.reason,
            from_profile=name in self.chosen,
        )

    def find_period(self, requirement: requirement_model.Requirement) -> tuple[date | None, date | None]:
        """Return the first and the last day on which a requirement is in force; None means no limit."""
        first, last = self.document.from_, self.document.until
        if requirement.from_ is not None:
            first = requirement.from_ if first is None else max(first, requirement.from_)
        if requirement.until is not None:
            last = requirement.until if last is None else min(last, requirement.until)
        return first, last

    def is_in_force(self, requirement: requirement_model.Requirement, day: date) -> bool:
        """Return whether a requirement is in force on a day; the first and the last day are included."""
        first, last = self.find_period(requirement)
        return (first is None or first <= day) and (last is None or day <= last)


def cache_by_regulation(derive: Callable[[Regulation], Derived]) -> Callable[[Regulation], Derived]:
    """Keep what a function derives from the last `MAX_DERIVED` regulations. Two equal regulations are distinct."""
    kept: dict[int, tuple[Regulation, Derived]] = {}

    @wraps(derive)
    def find_or_derive(regulation: Regulation) -> Derived:
        entry = kept.pop(id(regulation), None) or (regulation, derive(regulation))
        kept[id(regulation)] = entry
        while len(kept) > MAX_DERIVED:
            kept.pop(next(iter(kept)), None)
        return entry[1]

    return find_or_derive


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
        if choice.is_ not in reading.options:
            raise ValueError(
                f"the reading `{choice.reading}` has no option `{choice.is_}`, only {', '.join(reading.options)}"
            )
        choices[choice.reading] = choice.is_
    chosen = frozenset(name for name, option in choices.items() if option != regulation.readings[name].adopted)
    return replace(regulation, choices=choices, chosen=chosen)


def line_title(game: Game, line: str) -> str:
    """Return the title of a wager or bonus; for an unknown name, the name itself."""
    if line in game.wagers:
        return game.wagers[line].title
    return game.bonuses[line].title if line in game.bonuses else line


def line_title_or_it(game: Game, line: str) -> str:
    """Return the title of a wager or bonus; `it` for the line of the judged stake."""
    return "it" if line == "this" else line_title(game, line)


STATED_ODDS_REQUIREMENT = "stated-odds"
"""Id of the requirement on stated odds. No document may use it."""


class SelfDeclaredRequirement(Struct, frozen=True, kw_only=True):
    """A requirement that follows from statements of the submission. It has the fields of a requirement of rule
    files."""

    requirement: str
    """Id of the requirement."""
    title: str
    """Title, as in reports."""
    severity: Severity
    """Severity of a failure."""
    message: str
    """Meaning of a failure, in a sentence."""
    broken: str
    """Sentence on what went wrong."""
    remedy: str
    """Corrective action."""
    clauses: tuple[str, ...] = ()
    """Clauses: none."""
    readings: tuple[str, ...] = ()
    """Readings: none."""
    evidence: Evidence = Evidence.SUBMISSION
    """Kind of evidence that it is checked on."""


SELF_DECLARED_ODDS = SelfDeclaredRequirement(
    requirement=STATED_ODDS_REQUIREMENT,
    title="Stated odds match the odds of the submitted game",
    severity=Severity.MAJOR,
    message="The submission states odds that differ from those of the game as submitted.",
    broken="The submission stated odds that differ from the odds of the game it offers.",
    remedy="State the figures that `fairdeal odds GAME --submission FILE` computes, or leave them out.",
)


_PASSIVE: tuple[ActKind, ...] = ("check", "fold", "concede")


@cache_by_regulation
def build_known_games(regulation: Regulation) -> Mapping[str, KnownGame]:
    """Return what the rules state about the evidence of the game, by document; empty for a document without a game."""
    if regulation.game is None:
        return {}
    game = regulation.game
    known = KnownGame(
        acts=collect_known_acts(game),
        cards=regulation.cards_in_play,
        jokers=0 if game.deck is None else regulation.vocabulary.decks[game.deck.cards].jokers * game.decks,
        bonuses=tuple(game.bonuses),
        outcomes={name: outcome.number_texts() for name, outcome in game.outcomes.items()},
        staying=tuple(game.staying_wagers),
        passive=tuple(name for name, decision in game.decisions.items() if decision.kind in _PASSIVE),
    )
    return {regulation.id: known}


def collect_known_acts(game: Game) -> frozenset[str]:
    """Return the kinds of event that a game knows.

    These are the kinds of its steps, those that settle stakes or divide pots, and those that exchange cards. A kind
    that steps limit to places is known only there, for example `discard/community`. A step of each seat limits its
    kinds to players. A step that applies to any place adds no kind that is already limited.
    """
    named = [(act.events, act.place or ("player" if act.grain == "seat" else None)) for act in game.all_acts.values()]
    known = {f"{kind}/{place}" for kinds, place in named for kind in kinds if place}
    if game.settlement.cases:
        known |= {"pay", "collect", "withdraw"}
    if game.pots is not None:
        known |= {"award", "rake"}
    places = {rule.place for rule in game.drawing.values()}
    if any(decision.discards is not None for decision in game.decisions.values()):
        known |= {"discard/player"}
    if game.deal.exchanging_stages:
        places |= {"player"}
    known |= {f"{kind}/{place}" for kind in ("discard", "draw") for place in places}
    at_places = {name.partition("/")[0] for name in known if "/" in name}
    known |= {str(kind) for kinds, place in named if place is None for kind in kinds} - at_places
    if not any(kind.startswith("discard") for kind in known) and any(
        hand.cards == "held" for hand in game.hands.values()
    ):
        known |= {"discard"}
    return frozenset(known)
