"""Models of words and chips that players show before an act of betting, in simulated rounds."""

from typing import Annotated, Literal

from annotated_types import Ge, Le

from validator.language.conditions import Condition
from validator.language.refs import DecisionName
from validator.text.models.model import ClosedModel


class ActManner(ClosedModel):
    """Words and chips that a player shows before an act of betting."""

    as_: DecisionName | None = None
    """The decision that is shown, with the least amount that it needs. Left out, the intended decision of the act."""
    say: Literal["decision", "total", "incomplete"] | None = None
    """The words. `decision`: the decision. `total`: the decision and, for a bet or raise, the total bet of the seat.
    `incomplete`: after the first chips, that the bet is not complete. Left out, none."""
    tender: Literal["whole", "one-chip", "larger-chip", "in-parts", "and-more"] | None = None
    """The chips. `whole`: all in one motion and, if possible, in several chips. `one-chip`: one chip of the exact
    value. `larger-chip`: one chip that is worth more. `in-parts`: in two motions. `and-more`: all in one motion, then
    one more chip, the smallest. Left out, none."""


class MannerHabit(ActManner):
    """A manner of players, and how often they follow it."""

    when: Condition | None = None
    """The acts that it applies to, just before each is made. Left out, all. A manner that needs chips that the player
    does not have is not followed."""
    chance: Annotated[int, Ge(0), Le(1000)]
    """Number of acts in a thousand for which it is followed."""
