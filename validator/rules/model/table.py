"""Who sits at a table where players play each other, and the places there that have names."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field

from validator.language.conditions import Condition
from validator.language.refs import HandName, PositionName, WagerName
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier


class Players(Closed):
    """How many may play."""

    least: Annotated[int, Ge(1), Le(32)]
    """The fewest."""
    most: Annotated[int, Ge(1), Le(32)]
    """The most."""


class Position(OneOf):
    """One case of where a position is, among the seats that take part in the round."""

    BESIDE = frozenset({"when"})

    when: Condition | None = None
    """The rounds it speaks of; left out, any."""
    at: PositionName = unset()
    """The seat that is also another position."""
    after: PositionName = unset()
    """The next seat clockwise from another position."""
    first_with: WagerName = unset()
    """The first seat with a stake on a wager, counted clockwise from the left of the button; it may be one of nothing,
    where all chips were gone. No seat where none has."""
    last_with: WagerName = unset()
    """The last seat with a stake on a wager, counted in the same way. No seat where none has."""
    best_showing: HandName = unset()
    """The seat whose cards that lie open make the best hand, of those that have not folded when the hand's last
    stage has been dealt; of equal hands the first clockwise from the left of the button."""
    worst_showing: HandName = unset()
    """The seat whose cards that lie open make the worst hand, in the same way."""
    last_bettor: Literal["last-betting-round", "round-of-play"] = unset()
    """The last seat that bet or raised of its own will: in the last betting round in which anybody could act, or in
    the whole round of play. No seat where none did."""


class Table(Closed):
    """The seats of a game whose players play each other."""

    players: Players
    """How many may play."""
    counted_from: Literal["button", "dealer-left"] = "button"
    """Where seats are counted from, clockwise: from the left of the button, the seat at which it lies coming last; or
    from the dealer's left, which is the seat with the lowest number, where there is no button."""
    positions: dict[Identifier, Annotated[list[Position], MinLen(1)]] = Field(default_factory=dict)
    """Named positions, each an ordered list of cases of which the first that holds says where it is. `button` is
    the seat where the button lies; it is always known under that name. The seat `after` it is the first that is
    counted, also where there is none."""
