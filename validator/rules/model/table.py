"""Models of a table whose players play against each other: number of players and named positions."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field

from validator.language.conditions import Condition
from validator.language.refs import HandName, PositionName, WagerName
from validator.text.models.model import ClosedModel, OneOperatorModel, unset_operator
from validator.text.models.scalars import Identifier


class PlayerLimits(ClosedModel):
    """The permitted number of players."""

    least: Annotated[int, Ge(1), Le(32)]
    """The lowest number."""
    most: Annotated[int, Ge(1), Le(32)]
    """The highest number."""


class Position(OneOperatorModel):
    """A case that defines the seat of a position among the seats that take part in the round."""

    COMPANIONS = frozenset({"when"})

    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    at: PositionName = unset_operator()
    """The seat of another position."""
    after: PositionName = unset_operator()
    """The next seat clockwise from another position."""
    first_with: WagerName = unset_operator()
    """The first seat with a stake on a wager, clockwise from the left of the button. The stake may be zero if the
    player had no chips left. No seat if none has such a stake."""
    last_with: WagerName = unset_operator()
    """The last seat with a stake on a wager, in the same order. No seat if none has such a stake."""
    best_showing: HandName = unset_operator()
    """The seat with the best hand of face-up cards, among seats that have not folded when the last stage of the hand
    is dealt. Of equal hands, the first clockwise from the left of the button."""
    worst_showing: HandName = unset_operator()
    """The seat with the worst hand of face-up cards, by the same rules."""
    last_bettor: Literal["last-betting-round", "round-of-play"] = unset_operator()
    """The last seat that bet or raised voluntarily. `last-betting-round`: in the last betting round in which a seat
    could act. `round-of-play`: in the whole round of play. No seat if none did."""


class Table(ClosedModel):
    """The table of a game whose players play against each other."""

    players: PlayerLimits
    """The permitted number of players."""
    counted_from: Literal["button", "dealer-left"] = "button"
    """The start of the clockwise order of seats. `button`: from the left of the button, with the seat of the button
    last. `dealer-left`: from the seat with the lowest number, for tables without a button."""
    positions: dict[Identifier, Annotated[list[Position], MinLen(1)]] = Field(default_factory=dict)
    """Positions by name, each with cases in order; the first that holds defines its seat. `button` is always defined:
    the seat with the button. The seat `after` it is the first in the order of seats, even without a button."""
