"""Building blocks of the rule language: grains, literal types, keywords and operands that several models share.

A keyword is an operator, a bound or a short form. Models of conditions have one field for each keyword of their kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from types import ModuleType
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from annotated_types import Ge, Le, MinLen
from pydantic import Field
from pydantic.fields import FieldInfo

from fairdeal.validator.language.name_references import (
    DecisionTaken,
    HandName,
    LineName,
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
EventPlace = Literal["player", "dealer", "community", "burn", "deck", "table"]
WholeNumber = Annotated[int, Ge(0), Le(10**12)]


Operand = TypeVar("Operand")


class Keyword(Generic[Operand]):
    """A keyword of the rule language. Schemas and reference pages show the docstring of its class."""

    key: ClassVar[str]
    """The keyword as rule files write it."""
    operand: ClassVar[Any]
    """The annotated type of the operand."""
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


AnyKeyword = TypeVar("AnyKeyword", bound=Keyword[Any])


def collect_operators(kind: type[AnyKeyword], families: Sequence[ModuleType]) -> Mapping[str, AnyKeyword]:
    """Return one object for each keyword of a kind, by key, in the order of definition in the modules.

    Raises:
        ValueError: if two keywords have the same key.
    """
    keywords: dict[str, AnyKeyword] = {}
    for family in families:
        for member in vars(family).values():
            if not (isinstance(member, type) and issubclass(member, kind) and "key" in vars(member)):
                continue
            if type(keywords.setdefault(member.key, member())) is not member:
                raise ValueError(f"two keywords are called {member.key}")
    return keywords


class OperatorModel(OneOperatorModel):
    """A model with one field for every operator of a kind. `install_operators` adds the fields."""

    OPERATORS: ClassVar[Mapping[str, Any]] = {}
    """The operators that the model accepts, by key."""
    SHORT_FORMS: ClassVar[Mapping[str, ShortForm]] = {}
    """The short forms that the model accepts, by key."""


def install_operators(
    model: type[OperatorModel], table: Mapping[str, Keyword[Any]], short: Mapping[str, ShortForm] | None = None
) -> None:
    """Add one field to a model for each operator and short form. Call it before the model reads anything."""
    model.OPERATORS, model.SHORT_FORMS = table, short or {}
    for key, keyword in (*table.items(), *model.SHORT_FORMS.items()):
        described = Field(default=None, alias=key, description=keyword.__doc__)
        model.model_fields[key.replace("-", "_")] = FieldInfo.from_annotated_attribute(keyword.operand, described)


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
