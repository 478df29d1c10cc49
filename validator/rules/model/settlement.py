"""Models of settlement: cases of amounts due, rows that tables lack, fractions and limits."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import ClauseName, HandName, LineName, ReadingName, RowName
from validator.results.statuses import Severity
from validator.rules.model.requirement_words import StatementRequirement
from validator.text.models.model import ClosedModel, OneOperatorModel, unset_operator
from validator.text.models.scalars import Identifier, Prose
from validator.text.values.odds import OddsText, PayoutText


class Unlisted(ClosedModel):
    """The payment of a category by tables without a row for it."""

    category: RowName
    """The category or band that a table may lack."""
    pays_as: RowName | None = None
    """The row by which it is paid."""
    pays: PayoutText | None = None
    """The payment, instead of `pays-as`."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, the text states it."""

    @model_validator(mode="after")
    def _require_row_or_payout(self) -> Self:
        if (self.pays_as is None) == (self.pays is None):
            raise ValueError("exactly one of `pays` and `pays-as` must be given")
        return self


AtLeast = Literal["at-least", "at-least-posted", "at-least-printed"]
"""Ways in which a printed table may be a floor."""


class ByTable(ClosedModel):
    """Payment by the pay table in use for a line: a listed hand is paid, any other loses. Bare text is the line."""

    of: LineName
    """The line with the pay table: that of the stake, or another that shares its table."""
    hand: HandName | None = None
    """The hand that is looked up. It may be left out if the table has rows of one hand only."""
    match: Literal["exactly", "at-least", "at-least-posted", "at-least-printed"] = "exactly"
    """`exactly`: the posted table must be a printed one, and its odds are due. `at-least`: the printed table is a
    floor. A posted table that is nowhere below it is due as posted; without a posted table, more may be paid.
    `at-least-posted`: the same, but more than posted may be paid as well. `at-least-printed`: the posted table does not
    matter."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_line(cls, value: object) -> object:
        return {"of": value} if isinstance(value, str) else value


class Due(OneOperatorModel):
    """The amount due on a wager. Bare text is an outcome (`lost`, `returned`, `nothing`, `open`) or odds (`1 to 1`)."""

    outcome: Literal["lost", "returned", "nothing", "open"] = unset_operator()
    """`lost`: the stake is taken. `returned`: the stake is returned. `nothing`: a bonus is not paid. `open`: the text
    leaves the amount to the house."""
    odds: OddsText = unset_operator()
    """The player keeps the stake and is paid at these odds."""
    pay_table: ByTable = unset_operator()
    """Payment by the pay table in use for a line."""

    @model_validator(mode="before")
    @classmethod
    def _expand_bare_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return {"outcome": value} if value in ("lost", "returned", "nothing", "open") else {"odds": value}


class Case(ClosedModel):
    """A case of settlement. The first case of a line whose condition holds decides the amount due."""

    case: Identifier
    """Name of the case."""
    lines: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses that it decides, including tips on them."""
    when: Condition | None = None
    """The seats that it applies to. Left out, every seat that no earlier case decided."""
    due: Due
    """The amount due."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    readings: list[ReadingName] = Field(default_factory=list)
    """The readings that it rests on."""
    requirements: list[StatementRequirement] = Field(default_factory=list)
    """The single requirement that judges the stakes of the case. Left out, one with the name of the case, unless
    another requirement has a check `settled` with it."""


class Fractions(ClosedModel):
    """A rule for an amount due that is no whole number of minor currency units."""

    allow: Literal["either", "down", "up"]
    """The permitted whole amount: the one below, the one above, or either."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class Matching(ClosedModel):
    """The meaning of `at-least` in cases with a pay table, under another option of a reading."""

    match: AtLeast
    """The value that replaces `at-least` in every case."""
    reading: ReadingIs
    """The option under which it applies."""


class Cap(ClosedModel):
    """A limit on the total payment on several lines."""

    cap: Identifier
    """Name of the limit."""
    lines: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses that it limits, including tips on them."""
    per: Literal["hand", "line", "round"]
    """`hand`: limits the payment to a seat on all lines together. `line`: on each line. `round`: to all seats of the
    round."""
    at_most: Quantity
    """The limit in minor currency units. If it is unknown, there may be a limit or not."""
    not_below: Annotated[int, Ge(0), Le(10**12)] = 0
    """The lowest limit that the text permits."""
    when: Condition | None = None
    """The rounds in which it applies. Left out, all."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that permit it."""
    readings: list[ReadingName] = Field(default_factory=list)
    """The readings that it rests on."""
    requirements: list[StatementRequirement] = Field(default_factory=list)
    """The single requirement that judges payments to which the limit applies. Left out, one with the name of the limit,
    unless another requirement has a check `capped` with it."""


class Settlement(ClosedModel):
    """The settlement of a game. Every case and every limit is a requirement."""

    severity: Severity | None = None
    """Severity of its requirements that have none of their own."""
    remedy: Prose | None = None
    """Remedy of its requirements that have none of their own."""
    order: list[LineName] = Field(default_factory=list)
    """The order in which the wagers and bonuses of a seat are collected and paid."""
    cases: list[Case] = Field(default_factory=list)
    """The cases, in order."""
    unlisted: list[Unlisted] = Field(default_factory=list)
    """Categories without a row in some pay table. If several entries for a category hold, the last one applies."""
    fractions: list[Fractions] = Field(default_factory=list)
    """Rules for amounts that are no whole number of minor units, by reading. If none holds, amounts are due exactly."""
    matching: list[Matching] = Field(default_factory=list)
    """Meanings of `at-least`, by reading. If none holds, as stated in the cases."""
    caps: list[Cap] = Field(default_factory=list)
    """Limits on payments."""
