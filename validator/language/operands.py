"""Operands of operators that other models of rules, or the engine, use as well."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen

from validator.language.refs import DecisionTaken, HandName, LineName, ReadingName, StageName, StepName
from validator.language.terms import Actor, EventPlace, WholeNumber
from validator.text.models.model import ClosedModel, OneOperatorModel, unset_operator

SeatReceives = Literal["awarded", "returned", "uncalled"]
"""Amounts that a seat receives or gets back."""
PotNumber = Literal["total", "uncalled", "awarded", "returned", "raked", "dropped", "rake-due", "count", "boards"]
"""Amounts and numbers of the pots of a round."""
RakeNumber = Literal["taken", "due"]
"""Amounts of the rake at an event."""
PotSharing = Literal["winning", "losing"]
"""Seats that win a share of a pot, or seats that win none."""
CONTENDS_AT_THE_END = "contends-at-the-end"
"""The only betting predicate that applies to a seat at the end of the round, not to an event."""


class ReadingIs(ClosedModel):
    """An option of a reading that must be in force: adopted, or chosen by a profile."""

    name: ReadingName
    """The reading."""
    is_: str
    """The option."""


class EventHas(ClosedModel):
    """Features that the judged event must have. Keys that are left out are not checked."""

    face: Literal["down", "up"] | None = None
    """Side of the cards: face down or face up."""
    by: Actor | None = None
    """The person or machine that did it."""
    cards: Annotated[int, Ge(1), Le(12)] | None = None
    """Number of cards that the event lists."""
    arranged_as: HandName | None = None
    """The hand by whose ranking the cards are ordered from left to right, highest group first."""
    positions: Annotated[list[Annotated[int, Ge(1), Le(9)]], MinLen(1)] | None = None
    """Permitted positions of the cards, counted from the dealer's left. Each card has a position of its own, and no
    card lies elsewhere."""
    in_: Annotated[list[Literal["chips", "plaques", "coupon", "cash", "words"]], MinLen(1)] | None = None
    """Permitted means of the wager: one of these."""
    also_in: Annotated[list[Literal["chips", "plaques", "coupon", "cash", "words"]], MinLen(1)] | None = None
    """Means in which the seat also placed the same wager, before or after: at least once one of these."""
    dealt_next: Literal[True] | None = None
    """The cards of the event, which left the deck but went to nobody, are the next ones dealt. Holds also if no card is
    dealt afterwards."""
    place: EventPlace | None = None
    """Place of the event."""
    stage: Annotated[list[StageName], MinLen(1)] | None = None
    """Permitted stages of the deal for its cards. Burnt cards belong to the stage of the cards that follow."""
    number: WholeNumber | None = None
    """Number that the event states."""
    deck: Literal["in-play", "other"] | None = None
    """The deck of the event: the one in play, or another. An event that names no deck concerns the deck in play."""
    decision: Annotated[list[DecisionTaken], MinLen(1)] | None = None
    """Permitted decisions. `declared`: the decision that the seat declared in its turn, if the declaration binds it."""
    wager: Literal["placed", "not-of-the-game", "not-placed"] | None = None
    """The stake of the seat on the wager that the event names. `placed`: its own stake on a wager of the game.
    `not-of-the-game`: a stake on a wager that the game does not have. `not-placed`: no stake."""


class NumberStated(OneOperatorModel):
    """A comparison of the number that an event states, such as a count, with a fixed number."""

    equals: WholeNumber = unset_operator()
    """The number must be equal to this."""
    differs_from: WholeNumber = unset_operator()
    """The number must differ from this."""
    at_least: WholeNumber = unset_operator()
    """The number must be at least this."""
    at_most: WholeNumber = unset_operator()
    """The number must be at most this."""


class CardsAmongSteps(ClosedModel):
    """Two steps, the first of which may show only cards that the second shows."""

    step: StepName
    """The step whose cards are searched for."""
    among: StepName
    """The step that must show them as well."""


class ListedHand(ClosedModel):
    """A hand for which a pay table must have a row."""

    pay_table: LineName
    """The line whose pay table is searched: the posted table in use, if there is one."""
    hand: HandName
    """The hand."""
