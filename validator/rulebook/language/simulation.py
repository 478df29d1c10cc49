"""How a house plays when a game is simulated: what it has submitted, how many sit down, what they tend to do."""

from __future__ import annotations

from typing import Annotated

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, NaiveDatetime, model_validator

from validator.evidence.submission import Submission
from validator.rulebook.language.conditions import Condition, Place
from validator.rulebook.language.refs import DecisionName, WagerName
from validator.text.model import Closed
from validator.text.scalars import Name

PerMille = Annotated[int, Ge(0), Le(1000)]
Unit = Annotated[int, Ge(1), Le(10**6)]


class Seating(Closed):
    """How many hands are in a round."""

    least: Annotated[int, Ge(1), Le(32)]
    """The fewest."""
    most: Annotated[int, Ge(1), Le(32)]
    """The most."""

    @model_validator(mode="after")
    def _in_order(self) -> Seating:
        if self.least > self.most:
            raise ValueError(f"at least {self.least} hands and at most {self.most} cannot both be had")
        return self


class Units(Closed):
    """What amounts are multiples of, in minor currency units."""

    wager: Unit
    """A player's own stakes."""
    tip: Unit
    """Stakes for the dealer."""


class Chances(Closed):
    """How often something happens, in a thousand."""

    wagers: dict[WagerName, PerMille] = Field(default_factory=dict)
    """A wager that may be placed before the deal is placed; one that is left out, as often as not."""
    tip: PerMille = 0
    """A stake that may carry a tip carries one."""
    second_hand: PerMille = 0
    """A seat belongs to the player of the seat before it, as long as the house allows that player more hands."""
    miscounts: dict[Place, PerMille] = Field(default_factory=dict)
    """A place is dealt a card too many or too few, where the game knows such a miscount."""
    exposure: PerMille = 0
    """A card is shown in the deal of a round."""


class Habit(Closed):
    """What seats tend to decide."""

    decision: DecisionName
    """The decision, where it is open."""
    when: Condition | None = None
    """The seats that tend to it; left out, all."""
    chance: PerMille
    """How many in a thousand of them follow the habit."""


class Simulation(Closed):
    """All that the rules leave open and a simulated round must nevertheless settle."""

    submission: Submission
    """A complying submission, played under where no other is given."""
    tables: Annotated[list[Name], MinLen(1), MaxLen(1000)]
    """The tables, where the submission names none."""
    seats: Seating
    """How many hands are in a round."""
    start: NaiveDatetime
    """When the first round is played; not before the day the submission takes effect."""
    seconds: Annotated[int, Ge(1), Le(86_400)]
    """From one round to the next at the same table."""
    units: Units
    """What amounts are multiples of."""
    chances: Chances
    """How often something happens."""
    habits: list[Habit] = Field(default_factory=list)
    """What seats decide: the first habit that fits a seat and comes up. A seat without one takes any open
    decision if it has to, else none."""
