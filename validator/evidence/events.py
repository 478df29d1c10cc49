"""The kinds of event a hand log may record: each kind has exactly its own fields.

The structs are the one definition. The closed lists, their codes in `columns.Events`, the fields a kind has
and must have, and the Parquet columns are all derived from them.
"""

from __future__ import annotations

from itertools import groupby
from typing import Annotated, Literal, NamedTuple, get_args, get_type_hints

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType
from numpy.typing import NDArray

WIDEST_HAND = 12
"""The most cards in one hand or one event."""
MOST = 10**12
"""The largest amount, in minor currency units."""
HIGHEST_SEAT = 99
"""The largest seat number."""

LONGEST_NAME = 100
"""The most characters in the name of a wager or decision, and in what is announced, done or counted."""

# In Python `$` also matches before a last line end.
CARDS_PATTERN = r"^(?:[2-9TJQKA][cdhs]|\?\?){0,12}$(?!\n)"

Amount = Annotated[int, Meta(ge=0, le=MOST, description="In minor currency units.")]
SeatNumber = Annotated[int, Meta(ge=1, le=HIGHEST_SEAT, description="1 is the dealer's left.")]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
CardText = Annotated[
    str,
    Meta(
        max_length=2 * WIDEST_HAND,
        description="Two characters a card, rank and suit, as in `AsKdTc`; `??` where the face is not known.",
        extra_json_schema={"pattern": CARDS_PATTERN},
    ),
]

Actor = Literal["dealer", "player", "machine"]
Device = Literal["dealer", "machine"]
Face = Literal["down", "up"]
Place = Literal["player", "dealer", "community", "burn"]
MisdealPlace = Literal["player", "dealer", "table"]

ACTORS: tuple[str, ...] = get_args(Actor)
"""Who did it; the code of an actor is its place in this list, as for the lists below."""
FACES: tuple[str, ...] = get_args(Face)
PLACES: tuple[str, ...] = (*get_args(Place), "table")
AT_PLAYER = PLACES.index("player")


class Event(
    msgspec.Struct,
    frozen=True,
    gc=False,
    forbid_unknown_fields=True,
    tag_field="event",
    tag=lambda name: "".join("-" * (c.isupper() and i > 0) + c.lower() for i, c in enumerate(name)),
):
    """Something that happened at the table. An optional field that is null or left out is not recorded."""


class Shuffle(Event, frozen=True, kw_only=True):
    """The cards were shuffled."""

    by: Device | UnsetType | None = UNSET


class Cut(Event, frozen=True, kw_only=True):
    """The cards were cut."""

    by: Actor | UnsetType | None = UNSET


class _AtStake(Event, frozen=True, kw_only=True):
    """An event about one stake; `tip` where the stake was placed for the dealer."""

    seat: SeatNumber
    wager: Name
    amount: Amount
    tip: bool | UnsetType | None = UNSET


class Wager(_AtStake, frozen=True, kw_only=True):
    """A wager was placed."""


class Withdraw(_AtStake, frozen=True, kw_only=True):
    """A wager was taken back by the player."""


class Announce(Event, frozen=True, kw_only=True):
    """The dealer announced something."""

    what: Name


class _AtPlace(Event, frozen=True, kw_only=True):
    """An event at a place; `seat` stands exactly where the place is `player`."""

    place: Place
    seat: SeatNumber | UnsetType | None = UNSET


class Deal(_AtPlace, frozen=True, kw_only=True):
    """Cards were dealt."""

    cards: CardText
    face: Face | UnsetType | None = UNSET
    by: Device | UnsetType | None = UNSET


class Expose(_AtPlace, frozen=True, kw_only=True):
    """Cards came to light that should not have."""

    cards: CardText
    by: Actor | UnsetType | None = UNSET


class TurnDown(_AtPlace, frozen=True, kw_only=True):
    """Exposed cards were turned down again."""

    cards: CardText | UnsetType | None = UNSET


class Decide(Event, frozen=True, kw_only=True):
    """A seat took a decision."""

    seat: SeatNumber
    decision: Name


class Tuck(Event, frozen=True, kw_only=True):
    """Cards were tucked under a wager."""

    seat: SeatNumber
    wager: Name


class Reveal(_AtPlace, frozen=True, kw_only=True):
    """A hand was turned up and shown."""

    cards: CardText


class Collect(_AtStake, frozen=True, kw_only=True):
    """A losing stake was taken."""


class Pay(_AtStake, frozen=True, kw_only=True):
    """A winning stake or a bonus was paid; `amount` is what was paid beyond the stake."""


class Return(_AtStake, frozen=True, kw_only=True):
    """A stake was given back."""


class CollectCards(_AtPlace, frozen=True, kw_only=True):
    """Cards were collected."""

    cards: CardText | UnsetType | None = UNSET


class Misdeal(Event, frozen=True, kw_only=True):
    """A hand, or with `table` the whole round, was declared dead."""

    place: MisdealPlace
    seat: SeatNumber | UnsetType | None = UNSET


class Fault(Event, frozen=True, kw_only=True):
    """A device failed."""

    what: Name


class Remedy(Event, frozen=True, kw_only=True):
    """Something was done about a fault or an irregularity."""

    what: Name


class Count(Event, frozen=True, kw_only=True, rename={"amount": "number"}):
    """Something was counted; `number` is the count."""

    what: Name
    amount: Annotated[int, Meta(ge=0, le=MOST)]


AnyEvent = (
    Announce
    | Fault
    | Remedy
    | Count
    | Wager
    | Withdraw
    | Pay
    | Collect
    | Return
    | Tuck
    | Decide
    | Misdeal
    | TurnDown
    | CollectCards
    | Reveal
    | Deal
    | Expose
    | Shuffle
    | Cut
)

TYPES: tuple[type[Event], ...] = get_args(AnyEvent)
"""The struct of every kind, in the order of their codes: kinds that share a field stand together, so that in
events sorted by kind a field is one run or two."""
KINDS: tuple[str, ...] = tuple(str(kind.__struct_config__.tag) for kind in TYPES)
KIND: dict[str, int] = {name: code for code, name in enumerate(KINDS)}
FIELDS: tuple[str, ...] = tuple(dict.fromkeys(name for kind in TYPES for name in kind.__struct_fields__))
"""Every field of any kind, by the name of its column."""
CHOICES: dict[str, tuple[str, ...]] = {"place": PLACES, "face": FACES, "by": ACTORS}
"""The closed lists, by field."""


class FieldRule(NamedTuple):
    """Which kinds have a field: `has` and `required` are bool[kinds].

    `runs` are the stretches of neighbouring kinds, first and end code, that agree in having it and in
    requiring it.
    """

    has: NDArray[np.bool_]
    required: NDArray[np.bool_]
    runs: tuple[tuple[int, int, bool], ...]


def _rule(field: str) -> FieldRule:
    needed: list[bool | None] = [
        {part.name: part.required for part in msgspec.structs.fields(kind)}.get(field) for kind in TYPES
    ]
    runs = []
    for required, group in groupby(range(len(TYPES)), key=needed.__getitem__):
        kinds = list(group)
        if required is not None:
            runs.append((kinds[0], kinds[-1] + 1, required))
    return FieldRule(
        np.array([required is not None for required in needed]),
        np.array([required is True for required in needed]),
        tuple(runs),
    )


RULES: dict[str, FieldRule] = {field: _rule(field) for field in FIELDS}


def _chosen(hint: object, choices: tuple[str, ...]) -> set[str]:
    """The members of a closed list that a (possibly optional) annotation names."""
    inner = get_args(hint)
    return {part for part in inner if part in choices}.union(*(_chosen(part, choices) for part in inner))


def _permitted(field: str) -> NDArray[np.bool_]:
    choices = CHOICES[field]
    table = np.zeros((len(KINDS), len(choices) + 1), np.bool_)
    for code, kind in enumerate(TYPES):
        named = _chosen(get_type_hints(kind).get(field), choices)
        table[code, :-1] = [choice in named for choice in choices]
    table[:, -1] = ~RULES[field].required
    return table


PERMITTED: dict[str, NDArray[np.bool_]] = {field: _permitted(field) for field in CHOICES}
"""For each closed list, bool[kinds, choices + 1]: which codes a kind may have; the last column is ABSENT."""
