"""What every wager is due, as data: pay tables, cases of settlement, awards, limits."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import ClauseName, HandName, LineName, ReadingName, RowName, ScaleName
from validator.language.submission.conditions import SubmissionCondition
from validator.results.statuses import Severity
from validator.rules.model.requirement_words import StatementRequirement
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier, Prose
from validator.text.values.odds import PAYOUT_FORM, OddsText, PayoutText, parse_payout

Minor = Annotated[int, Ge(1), Le(10**12)]
"""An amount in minor currency units."""


class ScaleBand(Closed):
    """A stretch of a scale."""

    band: Identifier
    """Its name, by which pay tables have a row for it."""
    at_least: Annotated[int, Ge(-(10**12)), Le(10**12)]
    """The lowest value that belongs to it."""


class Scale(Closed):
    """A quantity cut into bands, by which a pay table may pay as it pays by a hand."""

    title: Prose
    """What it measures, in a few words."""
    of: Quantity
    """The quantity, asked of each seat."""
    bands: Annotated[list[ScaleBand], MinLen(1)]
    """The bands, highest first: a value is of the first that it reaches."""


class Shared(Closed):
    """A row whose award several seats share."""

    row: RowName
    """The row."""
    among: Condition
    """The seats that share it, each alike."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text says so."""
    reading: ReadingIs | None = None
    """The option of a reading under which it holds; left out, always."""


class OtherForm(Closed):
    """The wording of a table's odds under another option of a reading than the one adopted."""

    reading: ReadingIs
    """The option."""
    form: Literal["to", "for"]
    """How the odds are then worded: `N for 1` pays one less than `N to 1`."""


class PayTableRequirement(StatementRequirement):
    """The requirement that a line is paid by a printed table. All tables that name it may be chosen from; they are of
    one line."""

    match: Literal["exactly", "at-least", "wording"] = "exactly"
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as they are printed, whatever they are, in publications too; the other two judge the table in use."""
    when: SubmissionCondition | None = None
    """The submissions it speaks of; left out, all."""


class PayTable(Closed):
    """What is paid for each row, highest first, as printed. It goes by a hand, by several, or by a scale."""

    for_: LineName
    """The wager or bonus that it pays."""
    hand: HandName | Annotated[list[HandName], MinLen(1)] | None = None
    """The hand whose rank is looked up. A table may print rows of several hands, no two of one name; the case
    of settlement then says which hand is meant."""
    by: ScaleName | None = None
    """The scale that is looked up in place of a hand."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where it is printed."""
    when: Condition | None = None
    """The rounds in which it is in use; left out, any."""
    meter: Identifier | None = None
    """The meter that rows speak of, by its name in hand logs."""
    wager: Minor | None = None
    """The stake that the amounts in its rows are printed for, in minor currency units; for others they are in
    proportion. Left out, they do not depend on the stake."""
    rows: Annotated[dict[RowName, PayoutText], MinLen(1)]
    """What each listed category or band pays; what is not listed is not paid."""
    shared: list[Shared] = Field(default_factory=list)
    """Rows whose award is shared."""
    otherwise: list[OtherForm] = Field(default_factory=list)
    """Wordings that other readings of the text call for."""
    requirements: list[PayTableRequirement] = Field(default_factory=list)
    """That what is posted is held against it, or against one of the tables that name the same requirement."""

    @model_validator(mode="after")
    def _hand_or_scale(self) -> PayTable:
        if (self.hand is None) == (self.by is None):
            raise ValueError("exactly one of `hand` and `by` must stand here")
        return self

    @property
    def looks_at(self) -> tuple[str, ...]:
        """The hands, or the scale, that rows are looked up by."""
        if self.by is not None:
            return (self.by,)
        return (self.hand,) if isinstance(self.hand, str) else tuple(self.hand or ())


NO_ROW = "none"
"""The entry of a matrix for a table that does not have the row."""


def _payout_or_none(text: str) -> str:
    if text != NO_ROW:
        parse_payout(text)
    return text


CellText = Annotated[
    str,
    AfterValidator(_payout_or_none),
    WithJsonSchema({"type": "string", "pattern": f"^{NO_ROW}$|{PAYOUT_FORM}", "examples": ["5 to 1", NO_ROW]}),
]
"""An entry of a matrix: a payout, or that the table does not have the row."""


class MatrixColumn(Closed):
    """What a table of a matrix has of its own, beside its name."""

    clauses: Annotated[list[ClauseName], MinLen(1)] | None = None
    """Where it is printed; left out, where the matrix is."""
    when: Condition | None = None
    """The rounds in which it is in use; left out, as the matrix says."""
    wager: Minor | None = None
    """The stake that the amounts in its rows are printed for; left out, as the matrix says."""
    requirements: list[PayTableRequirement] | None = None
    """That what is posted is held against it; left out, as the matrix says."""


class PayMatrix(Closed):
    """Pay tables of one line that are read side by side: hands down, tables across."""

    for_: LineName
    """The wager or bonus that they pay."""
    hand: HandName | Annotated[list[HandName], MinLen(1)] | None = None
    """The hand whose rank is looked up, or the hands, as in a pay table."""
    by: ScaleName | None = None
    """The scale that is looked up in place of a hand."""
    clauses: Annotated[list[ClauseName], MinLen(1)] | None = None
    """Where they are printed, where that is not said of each."""
    when: Condition | None = None
    """The rounds in which they are in use; left out, any."""
    meter: Identifier | None = None
    """The meter that rows speak of, by its name in hand logs."""
    wager: Minor | None = None
    """The stake that the amounts in their rows are printed for, in minor currency units."""
    tables: Annotated[dict[Identifier, MatrixColumn], MinLen(1)]
    """The tables by name, from left to right, and what each has of its own."""
    rows: Annotated[dict[RowName, Annotated[list[CellText], MinLen(1)]], MinLen(1)]
    """What each listed category or band pays, highest first: an entry a table, in their order; `none` where a table
    does not have the row."""
    shared: list[Shared] = Field(default_factory=list)
    """Rows whose award is shared."""
    otherwise: list[OtherForm] = Field(default_factory=list)
    """Wordings that other readings of the text call for."""
    requirements: list[PayTableRequirement] = Field(default_factory=list)
    """That what is posted is held against one of the tables."""


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
    def _row_or_payout(self) -> Unlisted:
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
