"""What every wager is due, as data: cases of settlement, what tables lack, limits."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import ClauseName, HandName, LineName, ReadingName, RowName
from validator.results.statuses import Severity
from validator.rules.model.requirement_words import StatementRequirement
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier, Prose
from validator.text.values.odds import OddsText, PayoutText


class Unlisted(Closed):
    """What a category is paid by a table that has no row for it."""

    category: RowName
    """The category or band that may be missing from a table."""
    pays_as: RowName | None = None
    """The row it is paid by."""
    pays: PayoutText | None = None
    """What it is paid, in place of `pays-as`."""
    reading: ReadingIs | None = None
    """The reading this rests on, of which another option may say otherwise; left out, the text says it."""

    @model_validator(mode="after")
    def _row_or_payout(self) -> Self:
        if (self.pays_as is None) == (self.pays is None):
            raise ValueError("exactly one of `pays` and `pays-as` must stand here")
        return self


AtLeast = Literal["at-least", "at-least-posted", "at-least-printed"]
"""The ways in which a printed table may be a floor."""


class ByTable(Closed):
    """By the pay table in use for a line: a listed hand is paid, any other loses. Bare text is the line."""

    of: LineName
    """The line whose pay table it is: the stake's own, or another that shares its table."""
    hand: HandName | None = None
    """The hand that is looked up; it may be left out where the table has rows of one hand only."""
    match: Literal["exactly", "at-least", "at-least-posted", "at-least-printed"] = "exactly"
    """`exactly`: the posted table must be a printed one, and its odds are due. `at-least`: the printed table is a
    floor; a posted table that is nowhere below it is due as posted, and where there is none, more may be paid.
    `at-least-posted`: so, but more than is posted may be paid too. `at-least-printed`: what is posted does not
    matter."""

    @model_validator(mode="before")
    @classmethod
    def _bare_line(cls, value: object) -> object:
        return {"of": value} if isinstance(value, str) else value


class Due(OneOf):
    """What a wager is due. Bare text is an outcome (`lost`, `returned`, `nothing`, `open`) or odds (`1 to 1`)."""

    outcome: Literal["lost", "returned", "nothing", "open"] = unset()
    """`lost`: the stake is taken. `returned`: the stake is given back. `nothing`: a bonus is not paid. `open`: the
    text leaves the amount to the house."""
    odds: OddsText = unset()
    """The stake stays the player's and is paid at these odds."""
    pay_table: ByTable = unset()
    """By the pay table in use for a line."""

    @model_validator(mode="before")
    @classmethod
    def _bare_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return {"outcome": value} if value in ("lost", "returned", "nothing", "open") else {"odds": value}


class Case(Closed):
    """One case of settlement. The first case of a line whose condition holds decides what is due."""

    case: Identifier
    """Its name."""
    lines: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses it decides, tips on them included."""
    when: Condition | None = None
    """The seats it speaks of; left out, every seat that no earlier case decided."""
    due: Due
    """What is due."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text says so."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Readings it rests on."""
    requirements: list[StatementRequirement] = Field(default_factory=list)
    """The one requirement that judges the stakes it decides; left out, one of its own name, unless some requirement has
    a check `settled` with it."""


class Fractions(Closed):
    """How an amount due that is no whole minor currency unit is met."""

    allow: Literal["either", "down", "up"]
    """By the whole amount below it, by the one above it, or by either."""
    reading: ReadingIs | None = None
    """The option of a reading under which it holds; left out, always."""


class Matching(Closed):
    """How what is due `at-least` by table is held against posted tables under another option of a reading."""

    match: AtLeast
    """In the place of `at-least` wherever a case has it."""
    reading: ReadingIs
    """The option."""


class Cap(Closed):
    """A limit on what several lines are paid together."""

    cap: Identifier
    """Its name."""
    lines: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses that it limits, tips on them included."""
    per: Literal["hand", "line", "round"]
    """Whether it limits what a seat is paid on all of them, on each, or what all seats of a round are paid."""
    at_most: Quantity
    """The limit in minor currency units. Where it is not known there may be one or none."""
    not_below: Annotated[int, Ge(0), Le(10**12)] = 0
    """The lowest limit that the text permits."""
    when: Condition | None = None
    """The rounds in which it holds; left out, any."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text permits it."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Readings it rests on."""
    requirements: list[StatementRequirement] = Field(default_factory=list)
    """The one requirement that judges what is paid where it cuts in; left out, one of its own name, unless some
    requirement has a check `capped` with it."""


class Settlement(Closed):
    """What every wager is due. Every case and every limit is a requirement."""

    severity: Severity | None = None
    """How much hangs on those of its requirements that do not say so themselves."""
    remedy: Prose | None = None
    """What to do about a failure of those of its requirements that do not say so themselves."""
    order: list[LineName] = Field(default_factory=list)
    """The order in which a seat's wagers and bonuses are collected and paid."""
    cases: list[Case] = Field(default_factory=list)
    """The cases, in order."""
    unlisted: list[Unlisted] = Field(default_factory=list)
    """Categories that some pay table has no row for, though a hand may be of them. Of several entries for one that
    hold, the last goes."""
    fractions: list[Fractions] = Field(default_factory=list)
    """How amounts are met that are no whole minor units, by reading; where none holds, they are due exactly."""
    matching: list[Matching] = Field(default_factory=list)
    """How printed tables are floors, by reading; where none holds, as the cases say."""
    caps: list[Cap] = Field(default_factory=list)
    """Limits on what is paid."""
