"""Kinds of event that a hand log may record, bounds and closed lists of their values, and facts about a game.

Rule files name the kinds too; the module imports no NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Literal, get_args

from msgspec import Meta, Struct

EventKind = Literal[
    "remedy",
    "fault",
    "count",
    "deck",
    "device",
    "announce",
    "outcome",
    "wager",
    "withdraw",
    "pay",
    "collect",
    "return",
    "tuck",
    "claim",
    "leave",
    "arrive",
    "declare",
    "decide",
    "tender",
    "split",
    "award",
    "chips-in",
    "chips-out",
    "rake",
    "drop",
    "misdeal",
    "turn-down",
    "collect-cards",
    "reveal",
    "discard",
    "draw",
    "deal",
    "expose",
    "set",
    "shuffle",
    "cut",
]

EventPart = Literal[
    "misdeal/player",
    "misdeal/dealer",
    "misdeal/table",
    "turn-down/player",
    "turn-down/dealer",
    "turn-down/community",
    "turn-down/burn",
    "collect-cards/player",
    "collect-cards/dealer",
    "collect-cards/community",
    "collect-cards/burn",
    "reveal/player",
    "reveal/dealer",
    "reveal/community",
    "reveal/burn",
    "discard/player",
    "discard/dealer",
    "discard/community",
    "discard/deck",
    "draw/player",
    "draw/dealer",
    "draw/community",
    "draw/burn",
    "deal/player",
    "deal/dealer",
    "deal/community",
    "deal/burn",
    "deal/order",
    "expose/player",
    "expose/dealer",
    "expose/community",
    "expose/burn",
    "set/player",
    "set/dealer",
]
"""Kinds that always name a place, place by place: a log may record part of a kind."""


WIDEST_HAND = 12
"""Most cards in one hand or one event."""
MAX_AMOUNT = 10**12
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
CARDS_PATTERN = r"^(?:[2-9TJQKA][cdhs]|Jk|\?\?){0,12}$(?!\n)"
POSITIONS_PATTERN = r"^(?=.)1?2?3?4?5?6?7?8?9?$(?!\n)"

Amount = Annotated[int, Meta(ge=0, le=MAX_AMOUNT, description="In minor currency units.")]
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
        description="Two characters a card, rank and suit, as in `AsKdTc`; `Jk` is a joker, `??` an unknown card.",
        extra_json_schema={"pattern": CARDS_PATTERN},
    ),
]

LOW_PATTERN = r"^(?:[2-9TJQKA][cdhs]|Jk|\?\?){1,12}$(?!\n)"
VALUE_PATTERN = r"^[0-9A-Za-z-]{1,20}$(?!\n)"
SELECTION_PATTERN = r"^(?=.{1,100}$)[0-9A-Za-z-]{1,20}(?: [0-9A-Za-z-]{1,20})*$(?!\n)"
OutcomeValue = Annotated[
    str,
    Meta(
        pattern=VALUE_PATTERN,
        description="The result: the number of a wheel such as `17`, or one digit a die such as `34`.",
    ),
]
Selection = Annotated[
    str,
    Meta(
        pattern=SELECTION_PATTERN,
        description="Selection of the stake, with a blank between: `17 20`. The order means nothing.",
    ),
]
LowCards = Annotated[
    str,
    Meta(
        pattern=LOW_PATTERN,
        description="The cards of the Low Hand, two characters each, as in `AsKd`; `??` where the face is not known.",
    ),
]
Positions = Annotated[
    str,
    Meta(
        pattern=POSITIONS_PATTERN,
        description="Cards of the place, counted from the dealer's left: `125` is the first, second and fifth.",
    ),
]
Number = Annotated[int, Meta(ge=0, le=MAX_AMOUNT)]
Pot = Annotated[int, Meta(ge=0, le=MOST_POTS, description="0 is the main pot; side pots count from 1, as made.")]
Pieces = Annotated[int, Meta(ge=1, le=MOST_CHIPS, description="Number of chips, whatever their value.")]

Actor = Literal["dealer", "player", "machine", "floorperson", "supervisor"]
Machine = Literal["dealer", "machine"]
Face = Literal["down", "up"]
Place = Literal["player", "dealer", "community", "burn"]
SetPlace = Literal["player", "dealer"]
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
COLLECTED_LOTS: tuple[str, str] = ("hand", "discards")
"""Lots that a log distinguishes among collected cards: cards that were kept, or discards."""
PUT_ASIDE = "set-aside"
"""Text of a remedy that sends cards to the discards."""


NameSort = Literal["bonuses", "passive", "staying"]
"""Sort of names in a `KnownGame`."""
ListNames = Callable[[NameSort], Collection[str]]
"""Function that returns the names of a sort."""


class KnownGame(Struct, frozen=True, kw_only=True):
    """Facts about a game that its evidence must agree with."""

    acts: Collection[str]
    """Kinds of event that the rules provide for, each anywhere or, as in `discard/community`, at a place."""
    cards: int
    """Number of cards in play at once."""
    jokers: int = 0
    """Number of jokers among them."""
    bonuses: Collection[str] = ()
    """Names of payments without a stake of their own."""
    outcomes: Mapping[str, Mapping[str, int]] = {}
    """Number of each text that may state a result, by outcome. Orders of the same dice have the same number."""
    staying: Collection[str] = ()
    """Names of wagers whose stakes may stay on the table for later rounds."""
    passive: Collection[str] = ()
    """Names of decisions that put no chips in unless they state an amount, such as a check."""
