"""What operators apply to, as far as other parts of rules, or the engine, speak of the same."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from validator.language.refs import DecisionTaken, HandName, LineName, ReadingName, StageName, StepName
from validator.language.terms import Actor, EventPlace, Number
from validator.text.models.model import Closed, OneOf, unset

SeatReceives = Literal["awarded", "returned", "uncalled"]
"""The amounts that come back to a seat."""
PotNumber = Literal["total", "uncalled", "awarded", "returned", "raked", "dropped", "rake-due", "count", "boards"]
"""The amounts of a round's pots, and how many there are."""
RakeNumber = Literal["taken", "due"]
"""The amounts of the rake as they stand at an event."""
Sharing = Literal["winning", "losing"]
"""The seats of steps that are done for those who win the pots, or for those who do not."""
AT_THE_END = "contends-at-the-end"
"""The one word of betting that speaks of a seat and the end of the round, not of an event."""


class ReadingIs(Closed):
    """Whether an option of a reading is the one in force (adopted, or chosen by a profile)."""

    name: ReadingName
    """The reading."""
    is_: str
    """One of its options."""


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
    """Where the cards lay that it is about, counted from the dealer's left: nowhere but here, each at its own."""
    in_: Annotated[list[Literal["chips", "plaques", "coupon", "cash", "words"]], MinLen(1)] | None = None
    """What was wagered: one of these."""
    also_in: Annotated[list[Literal["chips", "plaques", "coupon", "cash", "words"]], MinLen(1)] | None = None
    """What the same wager of the seat was also placed in, before or after: at least once one of these."""
    dealt_next: Literal[True] | None = None
    """The cards that it shows, which left the deck to nobody, are the next ones dealt. Where nothing is dealt any more,
    this is so."""
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
    wager: Literal["placed", "not-of-the-game", "not-placed"] | None = None
    """What the seat has on the wager that it names: a stake of its own on a wager of the game, one on a wager that the
    game does not have, or none."""


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


class Among(Closed):
    """Cards of a step looked for among those of another."""

    step: StepName
    """The step whose cards are looked for."""
    among: StepName
    """The step in which they must come up."""


class Listed(Closed):
    """Whether a pay table has a row for a hand."""

    pay_table: LineName
    """The line whose pay table is meant: the posted one that is in use, where there is one."""
    hand: HandName
    """The hand that is looked up."""
