"""The parts of conditions that hold no further condition: hands, readings, options, events, meters."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from validator.rules.conditions.refs import (
    CategoryName,
    DecisionTaken,
    HandName,
    LineName,
    MeterName,
    ReadingName,
    StageName,
)
from validator.text.models.model import Closed, OneOf, unset

Place = Literal["player", "dealer", "community"]
Actor = Literal["dealer", "player", "machine", "floorperson", "supervisor"]
EventPlace = Literal["player", "dealer", "community", "burn", "deck", "table"]
Number = Annotated[int, Ge(0), Le(10**12)]
BettingWord = Literal[
    "open",
    "in-turn",
    "still-in",
    "faced",
    "unopened",
    "may-raise",
    "all-in",
    "contested",
    "option-owed",
    "option-moot",
    "check-raising",
    "more-to-come",
    "contends-at-the-end",
    "declared-in-turn",
    "declared-raise",
    "declared-wager",
    "said-incomplete",
]
"""What can be said of the betting just before an event, but for `contends-at-the-end`, which is said of a seat."""
BettingNumber = Literal[
    "put-in",
    "bets-to",
    "to-call",
    "level",
    "raise-by",
    "last-raise",
    "smallest-bet",
    "smallest-raise",
    "largest-raise",
    "largest-answer",
    "behind",
    "pot",
    "raises",
    "players-in",
    "voluntary-players",
    "voluntary-wagers",
    "declared",
    "declared-in",
    "tenders",
    "first-tender",
    "tendered",
    "tendered-chips",
]
"""What can be measured of the betting at an event."""


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


class Listed(Closed):
    """Whether a pay table has a row for a hand."""

    pay_table: LineName
    """The line whose pay table is meant: the posted one that is in use, where there is one."""
    hand: HandName
    """The hand that is looked up."""


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
    by: Actor | None = None
    """Who did it."""
    cards: Annotated[int, Ge(1), Le(12)] | None = None
    """How many cards it shows."""
    arranged_as: HandName | None = None
    """The cards stand left to right in the order of the hand's ranking, highest group first."""
    positions: Annotated[list[Annotated[int, Ge(1), Le(9)]], MinLen(1)] | None = None
    """Where the cards lay that it is about, counted from the dealer's left; in any order."""
    in_: Annotated[list[Literal["chips", "plaques", "coupon", "cash", "words"]], MinLen(1)] | None = None
    """What was wagered: one of these."""
    place: EventPlace | None = None
    """Where it happened."""
    stage: Annotated[list[StageName], MinLen(1)] | None = None
    """The stage of the deal that its cards belong to: one of these. Burnt cards belong to that of the cards that
    follow."""
    number: Number | None = None
    """The number it states."""
    deck: Literal["in-play", "other"] | None = None
    """Whether it happened to the deck in play or to another; what names no deck happened to the one in play."""
    decision: Annotated[list[DecisionTaken], MinLen(1)] | None = None
    """What was decided: one of these. `declared`: what the seat had declared in its turn, where that binds it."""


class NumberStated(OneOf):
    """The number an event states, such as a count, held against a fixed one."""

    equals: Number = unset()
    """It must be the same."""
    differs_from: Number = unset()
    """It must not be the same."""
    at_least: Number = unset()
    """It must not be less."""
    at_most: Number = unset()
    """It must not be more."""


class MeterAt(Closed):
    """What a meter reads at one point of the round, in minor currency units."""

    name: MeterName
    """The meter, as a pay table of the game names it."""
    at: Literal["opening", "shown", "closing"]
    """`opening`: before the round's wagers. `shown`: when awards are made, the round's wagers in, no award
    out. `closing`: after the round."""


class MeterTerm(Closed):
    """A term by which a meter runs, from the submission."""

    meter: MeterName
    """The meter, as a pay table of the game names it."""
    is_: Literal["seed", "increment"]
    """`seed`: the amount it starts from. `increment`: what a wager adds to it."""
