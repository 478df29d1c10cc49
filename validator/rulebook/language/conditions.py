"""Conditions on what happened at the table: structure, never strings to be parsed.

A condition is a mapping with one operator. It is yes, no or unknown; unknown is what the log does not show.
Each operator speaks at its own grain (a round, a seat, a stake, an event): a condition on a round holds
for all its seats; a condition on seats is brought up to the round by `some-seat` and `every-seat`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import model_validator

from validator.rulebook.language.refs import (
    CategoryName,
    DecisionName,
    FactName,
    HandName,
    LineName,
    ReadingName,
    StepName,
    WagerName,
)
from validator.text.model import Closed, OneOf, unset

Place = Literal["player", "dealer", "community"]
Number = Annotated[int, Ge(0), Le(10**12)]


class Times(Closed):
    """A whole multiple of a quantity."""

    by: Annotated[int, Ge(1), Le(1000)]
    """How many times."""
    of: Quantity
    """The quantity that is multiplied."""


class Quantity(OneOf):
    """A number read off a round: an amount in minor currency units, or a count. A bare number is itself."""

    exactly: Number = unset()
    """A fixed number; an amount in minor currency units, or a count."""
    amount: LineName = unset()
    """What the seat staked itself on a wager (0 where it did not). `this`: the stake that is judged."""
    tip: LineName = unset()
    """What the seat staked for the dealer on a wager. `this`: on the wager of the stake that is judged."""
    minimum: LineName = unset()
    """The posted minimum of a wager, from the submission. `this`: of the stake that is judged."""
    maximum: LineName = unset()
    """The posted maximum of a wager, from the submission. `this`: of the stake that is judged."""
    cards: Place = unset()
    """How many cards a place holds: the seat's own, the dealer's, the community's."""
    hands_of_player: Literal["so-far"] = unset()
    """How many hands the seat's player holds in this round, this seat and those before it counted."""
    events: StepName = unset()
    """How many events of a step there are: of a step of each seat or stake the seat's own, else the round's."""
    times: Times = unset()
    """A multiple of another quantity."""

    @model_validator(mode="before")
    @classmethod
    def _bare_number(cls, value: object) -> object:
        return {"exactly": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Comparison(OneOf):
    """A quantity held against a bound. Exactly one bound stands beside `of`."""

    BESIDE = frozenset({"of"})

    of: Quantity
    """The quantity that is judged."""
    equals: Quantity = unset()
    """It must be the same."""
    differs_from: Quantity = unset()
    """It must not be the same."""
    at_least: Quantity = unset()
    """It must not be less."""
    at_most: Quantity = unset()
    """It must not be more."""
    more_than: Quantity = unset()
    """It must be more."""


class Holds(OneOf):
    """A hand held against the ranking it is ranked by."""

    BESIDE = frozenset({"hand"})

    hand: HandName
    """The hand that is judged."""
    at_least: CategoryName = unset()
    """A category, mark or band of the ranking (`pair`, `queen-high`): this or better."""
    is_: CategoryName = unset()
    """A category, mark or band of the ranking: neither more nor less."""


class Compare(Closed):
    """Two hands of one ranking held against each other, kickers included."""

    hand: HandName
    """The hand whose side is told."""
    is_: Literal["higher", "equal", "lower"]
    """How it stands to the other."""
    to: HandName
    """The other hand."""


class ReadingIs(Closed):
    """Whether an option of a reading is the one in force (adopted, or chosen by a profile)."""

    name: ReadingName
    """The reading."""
    is_: str
    """One of its options."""


class OptionIs(Closed):
    """A choice of the licensee, from the submission; unknown where none was given."""

    name: str
    """The choice, a key of the submission's `options`."""
    is_: bool | str
    """What it must be."""


class EventHas(Closed):
    """What the event that is judged shows. Keys left out are not looked at."""

    face: Literal["down", "up"] | None = None
    """How the cards lie."""
    by: Literal["dealer", "player", "machine"] | None = None
    """Who did it."""
    cards: Annotated[int, Ge(1), Le(12)] | None = None
    """How many cards it shows."""
    arranged_as: HandName | None = None
    """The cards stand left to right in the order of the hand's ranking, highest group first."""


class Condition(OneOf):
    """A statement about a round of play that is yes, no or unknown."""

    all_: Annotated[list[Condition], MinLen(1)] = unset()
    """Every one of these holds."""
    any_: Annotated[list[Condition], MinLen(1)] = unset()
    """At least one of these holds."""
    not_: Condition = unset()
    """This does not hold."""
    fact: FactName = unset()
    """A condition that the game defines under a name."""
    placed: WagerName = unset()
    """The seat has a stake of its own on this wager. `this`: on the wager of the stake that is judged."""
    tipped: WagerName = unset()
    """The seat has a stake for the dealer on this wager."""
    decided: DecisionName = unset()
    """The seat took this decision."""
    decision_is_open: Literal[True] = unset()
    """The seat's decision, if the log names one, is one of the game's decisions that is open to the seat."""
    holds: Holds = unset()
    """A hand is at least, or exactly, of a category."""
    compare: Compare = unset()
    """A hand is higher than, equal to or lower than another."""
    number: Comparison = unset()
    """A quantity held against another."""
    some_seat: Condition = unset()
    """At least one seat of the round fulfils this."""
    every_seat: Condition = unset()
    """Every seat of the round fulfils this."""
    wager_is: Annotated[list[LineName], MinLen(1)] = unset()
    """The stake that is judged lies on one of these wagers."""
    is_tip: Literal[True] = unset()
    """The stake that is judged was placed for the dealer."""
    cards_from_deck: Literal[True] = unset()
    """No card of the round turns up more often than the decks in play hold it."""
    takes_tips: LineName = unset()
    """The submission says that tips are taken on this wager. `this`: the wager of the stake that is judged."""
    offered: LineName = unset()
    """The submission offers this wager. `this`: the wager of the stake that is judged."""
    option: OptionIs = unset()
    """A choice of the licensee."""
    reading: ReadingIs = unset()
    """A reading of the text that is in force."""
    event: EventHas = unset()
    """What the event that is judged shows."""
