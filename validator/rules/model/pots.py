"""What players put in for each other to win: how their stakes make up pots, who shares them, what the house rakes."""

from typing import Annotated, Literal

from annotated_types import MinLen
from pydantic import Field

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import CategoryName, ClauseName, HandName, LineName
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier

Joins = Literal["matched", "capped", "whole"]
"""The ways in which the stakes on a line join the pots."""


class Part(Closed):
    """How the stakes on some lines join the pots. The first case that names a line and holds decides."""

    lines: Annotated[list[LineName], MinLen(1)]
    """The lines."""
    joins: Joins
    """`matched`: added up and layered seat by seat, so that a seat can win of each other seat no more than it put in
    itself; what nobody matched is uncalled. `capped`: layered so by itself, and never uncalled. `whole`: all of it
    in the main pot."""
    when: Condition | None = None
    """The rounds it speaks of; left out, every round that no earlier case decided."""


class PotShare(Closed):
    """A hand that wins a share of every pot; pots are divided evenly among the shares that somebody wins."""

    hand: HandName
    """The hand that wins it, the best by its ranking."""
    at_least: CategoryName | None = None
    """The category, mark or band that it takes to win it, or better; left out, any hand will do."""


class OddTo(OneOf):
    """Who receives the chips that cannot be divided."""

    after: Literal["button"] = unset()
    """The tied seats clockwise from here, a chip each."""


class OddChips(Closed):
    """What becomes of chips that equal hands cannot share evenly."""

    unit: Literal["smallest-chip", "minor-unit", "common-measure"]
    """What is not divided further: the smallest chip in play, as submitted; the minor currency unit; or either that, or
    a chip of which every stack and all that was put in are multiples, be it one of a whole currency unit or the largest
    that measures them all."""
    to: OddTo | None = None
    """Who receives what is left over; left out, any of the equal hands may."""
    reading: ReadingIs | None = None
    """The option of a reading under which it holds; left out, always."""


class PotRake(Closed):
    """What submitted levels of the rake are measured by."""

    from_: Literal["total", "each-pot"]
    """Whether a level is reached by all pots together or by each for itself."""
    without: Literal["uncalled"] | None = None
    """What does not count towards a level."""
    stages: dict[Identifier, Condition] = Field(default_factory=dict)
    """The stages from which on a submission may say that the house rakes: each with the rounds that reached it."""
    reading: ReadingIs | None = None
    """The option of a reading under which it holds; left out, always."""


class Untold(Closed):
    """Chips in the pots of which the record may not tell."""

    when: Condition
    """The rounds it speaks of: all of which it is not known that it does not hold."""
    at_most: Quantity
    """How much there may be of them in any pot."""


class Pots(Closed):
    """How what players put in is divided among them."""

    parts: Annotated[list[Part], MinLen(1)]
    """How each line joins the pots, as ordered cases."""
    uncalled: LineName
    """The line on which what nobody matched goes back to its owner."""
    uncalled_apart: ReadingIs | None = None
    """The option of a reading under which it must go back before the award; else it may come with the award."""
    conceded_play: ReadingIs | None = None
    """The option of a reading under which a conceded hand whose cards are known still wins."""
    refunded: Condition | None = None
    """The seats that got back all that they had put in, their hands being lost: what was theirs is in no pot. Left out,
    none."""
    untold: Untold | None = None
    """What there may be in the pots beyond what the record tells was put in; left out, nothing."""
    several_boards: ReadingIs | None = None
    """The option of a reading under which the last community cards may be dealt several times once nobody acts any
    more: each board that they make up wins an even part of every pot. Left out, the board is dealt once."""
    shares: Annotated[list[PotShare], MinLen(1)]
    """The hands that win; a game of high and low lists two."""
    odd_chips: Annotated[list[OddChips], MinLen(1)]
    """What becomes of chips that cannot be divided, by reading: the first that holds."""
    rake: list[PotRake] = Field(default_factory=list)
    """What the rake is measured by, by reading: the first that holds; left out, the house does not rake."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text says so."""

    @property
    def lines(self) -> frozenset[str]:
        """The lines that join the pots."""
        return frozenset(line for part in self.parts for line in part.lines)
