"""Values of event fields: bounds, patterns, and the closed lists of actors, places, faces and means."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import Meta

WIDEST_HAND = 12
"""Most cards in one hand or one event."""
MOST = 10**12
"""Largest amount, in minor currency units."""
HIGHEST_SEAT = 99
"""Highest seat number."""
MOST_POTS = 99
"""Highest number of a pot."""
MOST_CHIPS = 10_000
"""Most pieces put forward in one motion."""

NO_DECISION = "none"
"""Text for a seat that is known to have made no decision."""

LONGEST_NAME = 100
"""Most characters in the name of a wager or decision, and in the text of an event."""

# In Python `$` also matches before a last line end.
CARDS_PATTERN = r"^(?:[2-9TJQKA][cdhs]|\?\?){0,12}$(?!\n)"
POSITIONS_PATTERN = r"^(?=.)1?2?3?4?5?6?7?8?9?$(?!\n)"

Amount = Annotated[int, Meta(ge=0, le=MOST, description="In minor currency units.")]
SeatNumber = Annotated[int, Meta(ge=1, le=HIGHEST_SEAT, description="1 is the dealer's left.")]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]
DeckName = Annotated[
    str,
    Meta(min_length=1, max_length=LONGEST_NAME, description="The deck, for example by the colour of its backs."),
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
        description="Cards of the place, counted from the dealer's left: `125` is the first, second and fifth.",
    ),
]
Number = Annotated[int, Meta(ge=0, le=MOST)]
Pot = Annotated[int, Meta(ge=0, le=MOST_POTS, description="0 is the main pot; side pots count from 1, as made.")]
Pieces = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="Number of chips, whatever their value.")]

Actor = Literal["dealer", "player", "machine", "floorperson", "supervisor"]
Machine = Literal["dealer", "machine"]
Face = Literal["down", "up"]
Place = Literal["player", "dealer", "community", "burn"]
MisdealPlace = Literal["player", "dealer", "table"]
DiscardPlace = Literal["player", "dealer", "community", "deck"]
AnyPlace = Literal["player", "dealer", "community", "burn", "table", "deck"]
Means = Literal["chips", "plaques", "coupon", "cash", "words"]

ACTORS: tuple[str, ...] = get_args(Actor)
"""Persons and machines that may act. The code of an actor is its index in this list; the lists below work alike."""
FACES: tuple[str, ...] = get_args(Face)
PLACES: tuple[str, ...] = get_args(AnyPlace)
MEANS: tuple[str, ...] = get_args(Means)
AT_PLAYER = PLACES.index("player")
LOTS: tuple[str, str] = ("hand", "discards")
"""Lots that a log distinguishes among collected cards: cards that were kept, or discards."""
PUT_ASIDE = "set-aside"
"""Text of a remedy that sends cards to the discards."""
