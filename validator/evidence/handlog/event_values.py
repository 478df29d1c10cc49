"""What stands in the fields of events: bounds, texts, and the closed lists of who, where and how."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta

WIDEST_HAND = 12
"""The most cards in one hand or one event."""
MOST = 10**12
"""The largest amount, in minor currency units."""
HIGHEST_SEAT = 99
"""The largest seat number."""
MOST_POTS = 99
"""The largest number of a pot."""
MOST_CHIPS = 10_000
"""The most pieces put forward in one motion."""

NO_DECISION = "none"
"""What a log writes where it is known that a seat took no decision."""

LONGEST_NAME = 100
"""The most characters in the name of a wager or decision, and in what is announced, done or counted."""

# In Python `$` also matches before a last line end.
CARDS_PATTERN = r"^(?:[2-9TJQKA][cdhs]|\?\?){0,12}$(?!\n)"
POSITIONS_PATTERN = r"^(?=.)1?2?3?4?5?6?7?8?9?$(?!\n)"

Amount = Annotated[int, Meta(ge=0, le=MOST, description="In minor currency units.")]
SeatNumber = Annotated[int, Meta(ge=1, le=HIGHEST_SEAT, description="1 is the dealer's left.")]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
DeckName = Annotated[
    str,
    Meta(min_length=1, max_length=LONGEST_NAME, description="Which deck: the colour of its backs, for example."),
]
CardText = Annotated[
    str,
    Meta(
        max_length=2 * WIDEST_HAND,
        description="Two characters a card, rank and suit, as in `AsKdTc`; `??` where the face is not known.",
        extra_json_schema={"pattern": CARDS_PATTERN},
    ),
]

Positions = Annotated[
    str,
    Meta(
        pattern=POSITIONS_PATTERN,
        description="Which cards of the place, counted from the dealer's left: `125` is the first, second and fifth.",
    ),
]
Number = Annotated[int, Meta(ge=0, le=MOST)]
Pot = Annotated[int, Meta(ge=0, le=MOST_POTS, description="0 is the main pot; side pots count from 1, as made.")]
Pieces = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="How many chips, whatever they are worth.")]

Actor = Literal["dealer", "player", "machine", "floorperson", "supervisor"]
Machine = Literal["dealer", "machine"]
Face = Literal["down", "up"]
Place = Literal["player", "dealer", "community", "burn"]
MisdealPlace = Literal["player", "dealer", "table"]
DiscardPlace = Literal["player", "dealer", "community", "deck"]
AnyPlace = Literal["player", "dealer", "community", "burn", "table", "deck"]
Means = Literal["chips", "plaques", "coupon", "cash", "words"]

ACTORS: tuple[str, ...] = get_args(Actor)
"""Who did it; the code of an actor is its place in this list, as for the lists below."""
FACES: tuple[str, ...] = get_args(Face)
PLACES: tuple[str, ...] = get_args(AnyPlace)
MEANS: tuple[str, ...] = get_args(Means)
AT_PLAYER = PLACES.index("player")
LOTS: tuple[str, str] = ("hand", "discards")
"""What a log says of collected cards: those that were not put aside, or those that were."""
PUT_ASIDE = "set-aside"
"""What a log says of the remedy that cards go to the discards."""
