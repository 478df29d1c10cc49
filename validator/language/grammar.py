"""The grammar of conditions: grains, places, operands, and names that refer to parts of a document."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from msgspec import Struct
from pydantic import BaseModel, StringConstraints

from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    AbbreviatedModel,
    ClosedModel,
    OneOperatorModel,
    iterate_set_keys,
    map_fields_to_keys,
    to_key,
)
from fairdeal.validator.text.positioned_document import DataPath


class NameReference(Struct, frozen=True):
    """The kind of thing that a text names. Kinds are the keys of the namespace of a game (`rulebook.names`)."""

    kind: str


WagerName = Annotated[str, NameReference("wager")]
LineName = Annotated[str, NameReference("line")]
HandName = Annotated[str, NameReference("hand")]
FactName = Annotated[str, NameReference("fact")]
StepName = Annotated[str, NameReference("step")]
OccasionName = Annotated[str, NameReference("occasion")]
DecisionTaken = Annotated[str, NameReference("decision-taken")]
CaseName = Annotated[str, NameReference("case")]
DecisionName = Annotated[str, NameReference("decision")]
StageName = Annotated[str, NameReference("stage")]
FirstSeatName = Annotated[str, NameReference("first-seat")]
WayDealt = Annotated[str, NameReference("way")]
PayTableName = Annotated[str, NameReference("pay-table")]
RankingName = Annotated[str, NameReference("ranking")]
CategoryName = Annotated[str, NameReference("category")]
DrawingName = Annotated[str, NameReference("drawing")]
DrawingRuleName = Annotated[str, NameReference("drawing-rule")]
RowName = Annotated[str, NameReference("row")]
ScaleName = Annotated[str, NameReference("scale")]
CapName = Annotated[str, NameReference("cap")]
DeckName = Annotated[str, NameReference("deck")]
ReadingName = Annotated[str, NameReference("reading")]
ClauseName = Annotated[str, NameReference("clause")]
RequirementName = Annotated[str, NameReference("requirement")]
ListName = Annotated[str, NameReference("list")]
MeterName = Annotated[str, NameReference("meter")]
PositionName = Annotated[str, NameReference("position")]
OutcomeName = Annotated[str, NameReference("outcome")]
BettingRoundName = Annotated[str, NameReference("betting-round")]
SubmissionPath = Annotated[str, NameReference("submission-path")]

BUTTON = "button"
"""The position that every table has: the seat with the button."""
DECLARED = "declared"
"""In place of a decision: the decision that the seat declared in its turn."""
SUBMITTED = "submitted"
"""In place of a way of dealing: the way that the submission names."""


PlacedModels = Sequence[tuple[DataPath, BaseModel]]
"""A model and all models within it, each with its place in the file."""


def walk_models(model: BaseModel, here: DataPath) -> Iterator[tuple[DataPath, BaseModel]]:
    """Yield a model and all models within it, each with its place in the file, in the order of fields."""
    waiting: list[tuple[DataPath, object]] = [(here, model)]
    while waiting:
        path, value = waiting.pop()
        inner: Iterable[tuple[str | int, object]]
        if isinstance(value, list):
            inner = enumerate(value)
        elif isinstance(value, dict):
            inner = value.items()
        elif isinstance(value, BaseModel):
            yield path, value
            inner = iterate_set_keys(value)
        else:
            continue
        waiting.extend([((*path, key), item) for key, item in inner if not isinstance(item, _PLAIN)][::-1])


_PLAIN = (str, int, NoneType)
_NUMBER = (int, NoneType)


def iterate_models(model: BaseModel) -> Iterator[BaseModel]:
    """Yield a model and all models within it, in the order of fields."""
    waiting: list[Any] = [model]
    while waiting:
        value = waiting.pop()
        inner: Iterable[object]
        if isinstance(value, list):
            inner = value
        elif isinstance(value, dict):
            inner = value.values()
        else:
            fields = _list_fields(type(value))  # type: ignore[arg-type]  # every class is hashable
            if fields is None:
                continue
            yield value
            given = value.model_fields_set
            inner = [getattr(value, field) for field in (given if len(given) == 1 else fields) if field in given]
        waiting.extend([item for item in inner if not isinstance(item, _PLAIN)][::-1])


@cache
def _list_fields(kind: type) -> Sequence[str] | None:
    """Return the names of the fields of a model; None for a class that is no model."""
    return tuple(kind.model_fields) if issubclass(kind, BaseModel) else None


class _NameKinds(Struct, frozen=True):
    """The kinds of things that values of an annotated type name."""

    text: str | None = None
    """Kind of thing that a text names; None for a text that is no name."""
    item: "_NameKinds | None" = None
    """Kinds of the items of a list; None if they may only contain models."""
    key: "_NameKinds | None" = None
    """Kinds of the keys of a mapping."""
    entry: "_NameKinds | None" = None
    """Kinds of the values of a mapping."""


def iterate_references(model: BaseModel, path: DataPath) -> Iterator[tuple[DataPath, str, str]]:
    """Yield each name in a model that must be defined elsewhere: its place, the kind of thing it names, the name."""
    waiting: list[tuple[DataPath, object, _NameKinds | None]] = [(path, model, None)]
    while waiting:
        here, value, kinds = waiting.pop()
        inner: list[tuple[DataPath, object, _NameKinds | None]] = []
        if isinstance(value, str):
            if kinds is not None and kinds.text is not None:
                yield here, kinds.text, value
        elif isinstance(value, list):
            of_item = None if kinds is None else kinds.item
            inner = [((*here, index), item, of_item) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            of_key, of_entry = (None, None) if kinds is None else (kinds.key, kinds.entry)
            for key, item in value.items():
                inner += [((*here, key), key, of_key), ((*here, key), item, of_entry)]
        elif isinstance(value, BaseModel):  # last: the question is slow for what is no model
            given, fields = value.model_fields_set, _map_referring_fields(type(value))
            inner = [
                ((*here, fields[field][0]), item, fields[field][1])
                for field in (given if len(given) == 1 else fields)
                if field in given and field in fields and not isinstance(item := getattr(value, field), _NUMBER)
            ]
        if inner:
            waiting.extend(inner[::-1])


def list_reading_names(*models: BaseModel | None) -> tuple[str, ...]:
    """Return the names of the readings that models refer to, each once."""
    references = (reference for model in models if model is not None for reference in iterate_references(model, ()))
    return tuple(dict.fromkeys(name for _, kind, name in references if kind == "reading"))


@cache
def _map_referring_fields(model: type[BaseModel]) -> Mapping[str, tuple[str, _NameKinds]]:
    """Return the key of each field of a model and what it names, without fields that contain no names and no models."""
    found: dict[str, tuple[str, _NameKinds]] = {}
    for field, info in model.model_fields.items():
        # pydantic separates the outermost metadata from the type
        annotation = Annotated[(info.annotation, *info.metadata)] if info.metadata else info.annotation
        if _may_refer(annotation):
            found[field] = to_key(field), _list_name_kinds(annotation)
    return found


def _may_refer(annotation: Any) -> bool:
    """Return whether values of an annotated type may contain names or models."""
    if get_origin(annotation) is Annotated:
        inner, *notes = get_args(annotation)
        return any(isinstance(note, NameReference) for note in notes) or _may_refer(inner)
    if get_origin(annotation) is not None:
        return get_origin(annotation) is not Literal and any(map(_may_refer, get_args(annotation)))
    return annotation not in (str, int, bool, NoneType)


def _list_name_kinds(annotation: Any) -> _NameKinds:
    kind, _ = find_reference_kind(annotation)
    items, entries = _list_item_types(annotation, list), _list_item_types(annotation, dict)
    key, entry = map(_list_name_kinds, entries) if entries else (None, None)
    return _NameKinds(text=kind, item=_list_name_kinds(items[0]) if items else None, key=key, entry=entry)


def _list_item_types(annotation: Any, container: type) -> tuple[Any, ...]:
    """Return the types within a list or a mapping that an annotated type permits; empty if it permits none."""
    if get_origin(annotation) is Annotated:
        return _list_item_types(get_args(annotation)[0], container)
    if get_origin(annotation) in (Union, UnionType):
        return next(filter(None, (_list_item_types(part, container) for part in get_args(annotation))), ())
    return get_args(annotation) if get_origin(annotation) is container else ()


@cache
def find_reference_kind(annotation: Any) -> tuple[str | None, Any]:
    """Return the kind of thing that an annotated type names, if any, and the type without annotations."""
    if get_origin(annotation) is Annotated:
        kind = next((note.kind for note in annotation.__metadata__ if isinstance(note, NameReference)), None)
        deeper, inner = find_reference_kind(get_args(annotation)[0])
        return kind or deeper, inner
    if get_origin(annotation) in (Union, UnionType):
        parts = [find_reference_kind(part) for part in get_args(annotation)]
        kind = next((named for named, _ in parts if named is not None), None)
        inner = next((part for _, part in parts if get_origin(part) in (list, dict)), annotation)
        return kind, inner
    return None, annotation


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

    def expand(self, operand: str) -> Any:
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
PotSharing = Literal["winning", "losing", "received"]
"""Seats that win a share of a pot, seats that win none, or seats that received what they were due."""
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


ResultText = Annotated[int, Ge(0), Le(999)] | Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{1,20}$")]
"""A value of an outcome, or a range of numbers such as `1-36`."""
SelectionText = (
    Annotated[int, Ge(0), Le(999)]
    | Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{1,20}( [0-9A-Za-z-]{1,20}){0,49}$")]
)
"""A selection: one value or several, or a range of numbers that means a selection of each."""
_NUMBER_RANGE = re.compile("([0-9]{1,3})-([0-9]{1,3})")


def expand_results(texts: Iterable[str | int]) -> list[str]:
    """Return the values that texts mean; a range means every number in it."""
    values: list[str] = []
    for text in map(str, texts):
        numbers = _NUMBER_RANGE.fullmatch(text)
        values += [text] if numbers is None else map(str, range(int(numbers[1]), int(numbers[2]) + 1))
    return values


def join_selection(parts: Iterable[str]) -> str:
    """Return the text of a selection, with its parts in the order in which logs are compared."""
    return " ".join(sorted(parts, key=lambda part: (len(part), part)))


class NamedChoice(AbbreviatedModel):
    """A name and the choice made for it, the two fields of the model, written `NAME: CHOICE`."""

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return the name and the choice of a mapping with one entry; any other value unchanged."""
        if not isinstance(value, dict) or len(value) != 1:
            return value
        return dict(zip(map_fields_to_keys(cls).values(), next(iter(value.items())), strict=True))

    @classmethod
    def find_refused_key(cls, value: object) -> tuple[str, str] | None:
        """Return the key of the name if a value has both keys of the model."""
        name, choice = map_fields_to_keys(cls).values()
        is_long = isinstance(value, dict) and set(value) == {name, choice}
        return (name, f"the {name} and what is under `{choice}` are written as one entry") if is_long else None

    @classmethod
    def abbreviate(cls, data: dict[str, Any]) -> Any:
        """Return the mapping with one entry."""
        name, choice = data.values()
        return {name: choice}


class ReadingIs(NamedChoice):
    """An option of a reading that must be in force: adopted, or chosen by a profile. Written `READING: OPTION`."""

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
    decision: Annotated[list[DecisionTaken], MinLen(1)] | None = None
    """Permitted decisions. `declared`: the decision that the seat declared in its turn, if the declaration binds it."""
    wager: Literal["placed", "not-of-the-game", "not-placed"] | None = None
    """The stake of the seat on the wager that the event names. `placed`: its own stake on a wager of the game.
    `not-of-the-game`: a stake on a wager that the game does not have. `not-placed`: no stake."""


class OutcomeIs(OneOperatorModel):
    """An outcome, and the values that it must have."""

    COMPANIONS = frozenset({"of"})

    of: OutcomeName
    """The outcome."""
    one_of: Annotated[list[ResultText], MinLen(1), MaxLen(1000)] = NO_OPERAND
    """Values, one of which it must have. `1-36` means all numbers between; dice are in any order."""
    is_: Literal["selected", "this-seat"] = NO_OPERAND
    """`selected`: the value that the judged stake selects, or one of them. For a selection of totals, the total of the
    dice; for one of faces, each selected face is shown. `this-seat`: the number of the seat."""


class OutcomeNumber(ClosedModel):
    """The number of an outcome, or the number of dice that show a face."""

    of: OutcomeName
    """The outcome."""
    showing: Annotated[int, Ge(1), Le(9)] | Literal["selected"] | None = None
    """The face to count: a number, or the one that the judged stake selects. Left out, the number is the sum of the
    dice, or the number of a wheel."""


class NumberStated(OneOperatorModel):
    """A comparison of the number that an event states, such as a count, with a fixed number."""

    equals: WholeNumber = NO_OPERAND
    """The number must be equal to this."""
    differs_from: WholeNumber = NO_OPERAND
    """The number must differ from this."""
    at_least: WholeNumber = NO_OPERAND
    """The number must be at least this."""
    at_most: WholeNumber = NO_OPERAND
    """The number must be at most this."""


class AlikeCards(ClosedModel):
    """The cards of a hand, and what they share."""

    hand: HandName
    """The hand."""
    in_: Literal["rank", "suit", "colour"]
    """`rank`: all are of one rank. `suit`: all are of one suit. `colour`: all are red, or all are black."""
    is_: Literal["red", "black", "clubs", "diamonds", "hearts", "spades"] | None = None
    """The only colour or suit that counts. Left out, any does. The hand may have one card."""


class PointsOfStep(ClosedModel):
    """The cards that the events of a step show, valued by points."""

    step: StepName
    """The step whose cards count."""
    rank_by: RankingName
    """The ranking that counts them."""


class ListedHand(ClosedModel):
    """A hand for which a pay table must have a row."""

    of: LineName
    """The line whose pay table is searched: the posted table in use, if there is one."""
    hand: HandName
    """The hand."""


class Holds(OneOperatorModel):
    """A hand, and a category of its ranking that it must have."""

    COMPANIONS = frozenset({"hand"})

    hand: HandName
    """The hand."""
    at_least: CategoryName = NO_OPERAND
    """A category, mark or band of the ranking, such as `pair` or `queen-high`: this or better."""
    is_: CategoryName = NO_OPERAND
    """A category, mark or band of the ranking: exactly this."""


class HandComparison(ClosedModel):
    """A comparison of two hands of one ranking, including kickers.

    Of two sizes, the larger hand counts only with as many leading ranks as the smaller has cards. Its ranking needs the
    categories of the smaller one.
    """

    hand: HandName
    """The hand that is compared."""
    is_: Literal["higher", "equal", "lower"]
    """The required result."""
    to: HandName
    """The hand that it is compared with."""
    to_seat: OutcomeName | None = None
    """The outcome whose value is the number of the seat with the hand `to`. Left out, the judged seat."""


class OptionIs(NamedChoice):
    """An option of the submission and its required value. Written `OPTION: VALUE`."""

    name: str
    """The option: a key under `options` in the submission."""
    is_: bool | str
    """The required value."""


class MeterAt(NamedChoice):
    """A meter, and a point in the round at which it is read; or one of its submitted terms. Written `METER: POINT`."""

    name: MeterName
    """The meter, by its name in a pay table of the game."""
    at: Literal["opening", "shown", "closing", "seed", "increment"]
    """`opening`: before the wagers of the round. `shown`: when awards are made, after all wagers and before any award.
    `closing`: after the round. `seed`: the submitted amount that it starts from. `increment`: the submitted amount that
    a wager adds."""
