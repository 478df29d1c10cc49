"""Loaded regulations: models of the files of a document, readings and periods in force, remedies, and known acts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import wraps
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.cards.ranking_models import AnyRanking, DeckModel
from fairdeal.validator.evidence.handlog.event_kinds import KnownGame
from fairdeal.validator.results.findings import Evidence, Severity
from fairdeal.validator.results.results import AppliedReading
from fairdeal.validator.rules import requirement_model
from fairdeal.validator.rules.betting_model import ActKind, InTurnCheck, TurnsCheck
from fairdeal.validator.rules.deal_model import DealtCheck, SameOrderCheck
from fairdeal.validator.rules.document_model import Clause, Document, Profile, Reading, RulebookEdition
from fairdeal.validator.rules.game_model import Game
from fairdeal.validator.rules.milestone_model import MilestoneCheck
from fairdeal.validator.rules.procedure_model import EveryCheck, NeededCheck, SuccessionCheck

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
            why=f"chosen by the profile instead of `{reading.adopted}`" if name in self.chosen else reading.why,
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
        if choice.option not in reading.options:
            raise ValueError(
                f"the reading `{choice.reading}` has no option `{choice.option}`, only {', '.join(reading.options)}"
            )
        choices[choice.reading] = choice.option
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


def suggest_remedy(
    regulation: Regulation,
    requirement: requirement_model.Requirement | SelfDeclaredRequirement,
    *,
    is_about_money: bool = False,
) -> str:
    """Return the corrective action for a failure, in a sentence: the requirement's own remedy or one by its check.

    Args:
        regulation: the regulation.
        requirement: the requirement.
        is_about_money: True if the requirement is a condition that compares amounts.
    """
    if requirement.remedy or isinstance(requirement, SelfDeclaredRequirement):
        return requirement.remedy or ""
    check = requirement.check
    if check.operator in _FIXED:
        return _FIXED[check.operator]
    if check.operator in _BY_REGULATION:
        return _BY_REGULATION[check.operator](regulation, check.operand)
    game = regulation.game
    if game is None:
        return _FOLLOW_RULE
    if is_about_money and isinstance(check.operand, requirement_model.RoundCheck) and check.operand.of is None:
        return "Correct the amount."
    return _BY_GAME[check.operator](game, check.operand)


_FOLLOW_RULE = "Correct what can still be corrected, and follow the rule from now on."
_FIXED = {
    "submitted": "Provide at the table what is required, and state it in the submission.",
    "publications": "Correct the publications to show every row of the pay table in use.",
    "signs": "Correct the signs at the table to show what is submitted.",
    "alike": "Submit the same value for all tables.",
    "settled": "Correct the settlement.",
    "capped": "Correct the settlement: pay up to the limit and no more.",
    "drawn-by": "Keep the cards that the drawing rule requires, and exchange the others.",
}
"""Remedies by operator of the check, for checks with a single remedy."""


def _pay_tables(regulation: Regulation, check: Any) -> str:
    line = check.for_ if regulation.game is None else line_title(regulation.game, check.for_)
    table = "the printed pay table" if len(check.one_of) == 1 else "one of the printed pay tables in full"
    return f"Post {table} for {line}, and submit it."


def _attest(regulation: Regulation, check: requirement_model.Attested) -> str:
    return f"Obtain an attestation by the {check.by}."


_BY_REGULATION: Mapping[str, Callable[[Regulation, Any], str]] = {"pay-tables": _pay_tables, "attested": _attest}


def _titles(game: Game, steps: Sequence[str], joint: str = "; then ") -> str:
    return joint.join(game.all_acts[name].title for name in steps)


def _rule(game: Game, check: requirement_model.RoundCheck) -> str:
    if check.of is None:
        return _FOLLOW_RULE
    return f"Correct what can still be corrected, and follow the rule every time {_titles(game, [check.of])}."


def _award(game: Game, check: requirement_model.AwardedCheck) -> str:
    return {
        "shares": "Correct the award: give every winner the required share.",
        "uncalled": "Return the uncalled bet, no more and no less.",
        "refunds": "Return to every seat the amount that it put in, no more and no less.",
    }[check.asks]


def _sequence(game: Game, check: requirement_model.SequenceCheck) -> str:
    steps = [step.step for step in check.steps if not isinstance(step, requirement_model.Repeat)]
    if len(steps) < len(check.steps):
        return "Take the steps in the required order."
    return f"Follow this order: {_titles(game, steps)}."


def _order(game: Game, check: MilestoneCheck) -> str:
    order = "; ".join(game.describe_milestone(milestone) for milestone in check.milestones)
    return f"Keep this order: {order}."


def _deal(game: Game, check: DealtCheck) -> str:
    return {
        "turn": "Deal to the places in turn.",
        "burn": "Burn the number of cards that the rules require before the cards are dealt.",
        "count": "Deal the number of cards that the rules require, no more and no fewer.",
    }[check.asks]


def _same_order(game: Game, check: SameOrderCheck) -> str:
    return f"Follow the order of seats of this step: {_titles(game, [check.first])}."


def _in_turn(game: Game, check: InTurnCheck) -> str:
    return f"Proceed around the table seat by seat: {_titles(game, check.steps)}."


def _turns(game: Game, check: TurnsCheck) -> str:
    return f"Proceed clockwise around the table, from the first seat: {_titles(game, [check.step])}."


def _every(game: Game, check: EveryCheck) -> str:
    return "Do it in time." if check.operator != "step" else f"Ensure in time that {_titles(game, [check.step])}."


def _need(game: Game, check: NeededCheck) -> str:
    before = _titles(game, check.waiting, " or ")
    return f"Ensure this before {before}: {_titles(game, check.steps)}."


def _succession(game: Game, check: SuccessionCheck) -> str:
    if check.operator == "copies-since":
        return "Check the shoe, and take it out of play if a card is in it too often."
    if check.operator != "deck":
        return "Compare with the previous round at the table, and correct what can still be corrected."
    return f"Continue with {'the same deck as' if check.deck == 'same' else 'another deck than'} in the previous round."


_BY_GAME: Mapping[str, Callable[[Game, Any], str]] = {
    "rule": _rule,
    "awarded": _award,
    "sequence": _sequence,
    "order": _order,
    "dealt": _deal,
    "same-order": _same_order,
    "in-turn": _in_turn,
    "turns": _turns,
    "every": _every,
    "needed": _need,
    "succession": _succession,
}


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
