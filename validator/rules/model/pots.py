"""Models of pots: how stakes join them, how they are shared, odd chips and the rake."""

from typing import Annotated, Literal

from annotated_types import MinLen
from pydantic import Field

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import CategoryName, ClauseName, HandName, LineName
from validator.text.models.model import ClosedModel, OneOperatorModel, unset_operator
from validator.text.models.scalars import Identifier

Joins = Literal["matched", "capped", "whole"]
"""Ways in which the stakes on a line join the pots."""


class PotPart(ClosedModel):
    """A case of how the stakes on some lines join the pots. The first case that names a line and holds applies."""

    lines: Annotated[list[LineName], MinLen(1)]
    """The lines."""
    joins: Joins
    """`matched`: stakes are added up and divided into layers, so that a seat can win from each other seat no more than
    it put in itself. An amount that nobody matched is uncalled. `capped`: the stakes of the line are divided into
    layers by themselves, and never uncalled. `whole`: all of the stakes go into the main pot."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, every round that no earlier case decided."""


class PotShare(ClosedModel):
    """A hand that wins a share of every pot. Pots are divided evenly among the shares that are won."""

    hand: HandName
    """The hand; the best one by its ranking wins the share."""
    at_least: CategoryName | None = None
    """The least category, mark or band that wins it. Left out, any hand."""


class OddTo(OneOperatorModel):
    """The seats that receive chips that cannot be divided."""

    after: Literal["button"] = unset_operator()
    """The tied seats clockwise from here, one chip each."""


class OddChips(ClosedModel):
    """A rule for chips that equal hands cannot share evenly."""

    unit: Literal["smallest-chip", "minor-unit", "common-measure"]
    """The unit that is not divided further. `smallest-chip`: the smallest chip in play, as submitted. `minor-unit`: the
    minor currency unit. `common-measure`: the minor currency unit, or a chip that divides every stack and the amount
    put in. That chip is one whole currency unit, or the largest that divides them all."""
    to: OddTo | None = None
    """The seats that receive the rest. Left out, any of the equal hands."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class PotRake(ClosedModel):
    """The amounts to which submitted levels of the rake apply."""

    from_: Literal["total", "each-pot"]
    """`total`: levels apply to all pots together. `each-pot`: levels apply to each pot by itself."""
    without: Literal["uncalled"] | None = None
    """An amount that does not count toward a level."""
    stages: dict[Identifier, Condition] = Field(default_factory=dict)
    """Stages that a submission may name as the start of the rake, each with the rounds that reached it."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class UnrecordedChips(ClosedModel):
    """Chips in the pots that the record may not show."""

    when: Condition
    """The rounds that may have such chips; rounds for which the condition is unknown are included."""
    at_most: Quantity
    """The highest amount of such chips in any pot."""


class Pots(ClosedModel):
    """The pots of a game and their division among players."""

    parts: Annotated[list[PotPart], MinLen(1)]
    """Cases of how each line joins the pots, in order."""
    uncalled: LineName
    """The line on which the uncalled bet is returned to its owner."""
    uncalled_apart: ReadingIs | None = None
    """The option of a reading under which the uncalled bet must be returned before the award. Otherwise it may come
    with the award."""
    conceded_play: ReadingIs | None = None
    """The option of a reading under which a conceded hand with known cards can still win."""
    refunded: Condition | None = None
    """The seats that got back the amount that they put in because their hands are dead. It belongs to no pot. Left out,
    none."""
    untold: UnrecordedChips | None = None
    """Chips that may be in the pots in addition to those recorded. Left out, none."""
    several_boards: ReadingIs | None = None
    """The option of a reading under which the last community cards may be dealt several times after all action. Each
    board then wins an equal part of every pot. Left out, the board is dealt once."""
    shares: Annotated[list[PotShare], MinLen(1)]
    """The hands that win. A high-low game lists two."""
    odd_chips: Annotated[list[OddChips], MinLen(1)]
    """Rules for chips that cannot be divided, by reading. The first that holds applies."""
    rake: list[PotRake] = Field(default_factory=list)
    """Amounts for the levels of the rake, by reading. The first that holds applies. Left out, there is no rake."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""

    @property
    def lines(self) -> frozenset[str]:
        """Lines that join the pots."""
        return frozenset(line for part in self.parts for line in part.lines)
