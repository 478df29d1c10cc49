"""Building blocks of the rule language: grains, literal types, keywords and operands that several models share.

A keyword is an operator, a bound or a short form. Models of conditions have one field for each keyword of their kind.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from annotated_types import Ge, Le, MinLen

from fairdeal.validator.language.name_references import (
    CategoryName,
    DecisionTaken,
    HandName,
    LineName,
    MeterName,
    ReadingName,
    StageName,
    StepName,
)
from fairdeal.validator.text.closed_model import ClosedModel, OneOperatorModel, unset_operator

Grain: TypeAlias = Literal["round", "seat", "stake", "event"]

_COARSER: dict[Grain, frozenset[Grain]] = {
    "round": frozenset({"round"}),
    "seat": frozenset({"round", "seat"}),
    "stake": frozenset({"round", "seat", "stake"}),
    "event": frozenset({"round", "seat", "event"}),
}


class MixedGrainsError(ValueError):
    """Error for a condition that applies to stakes and to events at once."""


def includes_grain(grain: Grain, inner: Grain) -> bool:
    """Return whether a condition of grain `inner` can be evaluated at `grain`.

    A condition on a round applies to each of its seats, and a condition on a seat to each of its stakes and events.
    Stakes and events do not include each other.
    """
    return inner in _COARSER[grain]


def find_common_grain(*grains: Grain) -> Grain:
    """Return the coarsest grain at which conditions of several grains can be evaluated together.

    Raises:
        MixedGrainsError: if stakes and events are mixed.
    """
    return reduce(_find_common, grains, "round")


def _find_common(first: Grain, other: Grain) -> Grain:
    if includes_grain(first, other):
        return first
    if includes_grain(other, first):
        return other
    raise MixedGrainsError("a condition cannot apply to stakes and to events at once")


def grain_of_place(place: str) -> Grain:
    """Return the grain of the cards at a place: `seat` for players' cards, else `round`."""
    return "seat" if place == "player" else "round"


Place = Literal["player", "dealer", "community"]
Actor = Literal["dealer", "player", "machine", "floorperson", "supervisor"]
Cardholder: TypeAlias = Place | Literal["everywhere"]
EventPlace = Literal["player", "dealer", "community", "burn", "deck", "table"]
WholeNumber = Annotated[int, Ge(0), Le(10**12)]


Operand = TypeVar("Operand")


class Keyword(Generic[Operand]):
    """The code behind a keyword of the rule language; a field of a model documents it and declares its operand."""

    key: ClassVar[str]
    """The keyword as rule files write it."""
    sample: ClassVar[str]
    """An example as flow YAML. Its names belong to no real game: wagers `main`, `raise` and `side`, a bonus `bonus`,
    hands `player` and `dealer`."""


class ShortForm(Keyword[str]):
    """An abbreviation of a longer condition, with a text as operand.

    The reader of rule files expands it first, so all other code sees only the full form.
    """

    def expand(self, operand: str) -> dict[str, Any]:
        """Return the full condition."""
        raise NotImplementedError


def expand_short_form(forms: Mapping[str, ShortForm], value: object) -> object:
    """Return the full form of a short form; any other value unchanged."""
    key = find_short_form(forms, value)
    return value if key is None or not isinstance(value, dict) else forms[key].expand(value[key])


def find_short_form(forms: Mapping[str, ShortForm], value: object) -> str | None:
    """Return the key of a short form; None for any other value."""
    if isinstance(value, dict) and len(value) == 1:
        ((key, operand),) = value.items()
        if key in forms and isinstance(operand, str):
            return str(key)
    return None


SeatReceives = Literal["awarded", "returned", "uncalled"]
"""Amounts that a seat receives or gets back."""
PotNumber = Literal["total", "uncalled", "awarded", "returned", "raked", "dropped", "rake-due", "count", "boards"]
"""Amounts and numbers of the pots of a round."""
RakeNumber = Literal["taken", "due"]
"""Amounts of the rake at an event."""
PotSharing = Literal["winning", "losing"]
"""Seats that win a share of a pot, or seats that win none."""
BettingPredicateName = Literal[
    "open",
    "left-open",
    "in-turn",
    "out-of-order",
    "acts-next",
    "still-in",
    "gives-up",
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
"""Predicates on the betting just before an event; `contends-at-the-end` applies to a seat."""
BettingQuantityName = Literal[
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
    "motions",
    "first-tender",
    "tendered",
    "tendered-chips",
]
"""Quantities of the betting at an event."""
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


class Holds(OneOperatorModel):
    """A hand, and a category of its ranking that it must have."""

    COMPANIONS = frozenset({"hand"})

    hand: HandName
    """The hand."""
    at_least: CategoryName = unset_operator()
    """A category, mark or band of the ranking, such as `pair` or `queen-high`: this or better."""
    is_: CategoryName = unset_operator()
    """A category, mark or band of the ranking: exactly this."""


class HandComparison(ClosedModel):
    """A comparison of two hands of one ranking, including kickers."""

    hand: HandName
    """The hand that is compared."""
    is_: Literal["higher", "equal", "lower"]
    """The required result."""
    to: HandName
    """The hand that it is compared with."""


class OptionIs(ClosedModel):
    """An option of the submission and its required value."""

    name: str
    """The option: a key under `options` in the submission."""
    is_: bool | str
    """The required value."""


class MeterAt(ClosedModel):
    """A meter, and a point in the round at which it is read."""

    name: MeterName
    """The meter, by its name in a pay table of the game."""
    at: Literal["opening", "shown", "closing"]
    """`opening`: before the wagers of the round. `shown`: when awards are made, after all wagers and before any award.
    `closing`: after the round."""


class MeterTerm(ClosedModel):
    """A meter, and one of its submitted terms."""

    meter: MeterName
    """The meter, by its name in a pay table of the game."""
    is_: Literal["seed", "increment"]
    """`seed`: the amount that it starts from. `increment`: the amount that a wager adds."""
