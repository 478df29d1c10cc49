"""Models of pay tables: scales, printed tables, and matrices of tables side by side."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import ClauseName, HandName, LineName, RowName, ScaleName
from validator.language.submission.conditions import SubmissionCondition
from validator.rules.model.requirement_words import StatementRequirement
from validator.text.models.model import ClosedModel
from validator.text.models.scalars import Identifier, Prose
from validator.text.values.odds import PAYOUT_PATTERN, PayoutText, parse_payout

Minor = Annotated[int, Ge(1), Le(10**12)]
"""An amount in minor currency units."""


class ScaleBand(ClosedModel):
    """A band of a scale."""

    band: Identifier
    """Name of the band, used by rows of pay tables."""
    at_least: Annotated[int, Ge(-(10**12)), Le(10**12)]
    """The lowest value of the band."""


class Scale(ClosedModel):
    """A quantity divided into bands; a pay table may pay by band instead of by hand."""

    title: Prose
    """Title of the quantity, in a few words."""
    of: Quantity
    """The quantity of each seat."""
    bands: Annotated[list[ScaleBand], MinLen(1)]
    """The bands, highest first. A value belongs to the first band that it reaches."""


class SharedAward(ClosedModel):
    """A row whose award several seats share."""

    row: RowName
    """The row."""
    among: Condition
    """The seats that share it equally."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that it rests on."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class OtherForm(ClosedModel):
    """The wording of the odds of a table under another option of a reading."""

    reading: ReadingIs
    """The option under which it applies."""
    form: Literal["to", "for"]
    """The wording of the odds: `N for 1` pays one unit less than `N to 1`."""


class PayTableRequirement(StatementRequirement):
    """The requirement that a line is paid by a printed table. The licensee may choose any table that names it; all of
    them belong to one line."""

    match: Literal["exactly", "at-least", "wording"] = "exactly"
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as printed, whatever they are, also in publications. `exactly` and `at-least` check the table in use."""
    when: SubmissionCondition | None = None
    """The submissions that it applies to. Left out, all."""


class PayTable(ClosedModel):
    """A printed pay table: the payment of each row, highest first. Rows are looked up by a hand, by several hands, or
    by a scale."""

    for_: LineName
    """The wager or bonus that it pays."""
    hand: HandName | Annotated[list[HandName], MinLen(1)] | None = None
    """The hand whose rank is looked up. A table may have rows of several hands with different names; the case of
    settlement then names the hand."""
    by: ScaleName | None = None
    """The scale that is looked up instead of a hand."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """The clauses that print it."""
    when: Condition | None = None
    """The rounds in which it is in use. Left out, all."""
    meter: Identifier | None = None
    """The meter of its rows, by its name in hand logs."""
    wager: Minor | None = None
    """The stake for which amounts in rows are printed, in minor currency units. For other stakes they are proportional.
    Left out, they do not depend on the stake."""
    rows: Annotated[dict[RowName, PayoutText], MinLen(1)]
    """The payment of each listed category or band. Others are not paid."""
    shared: list[SharedAward] = Field(default_factory=list)
    """Rows whose award is shared."""
    otherwise: list[OtherForm] = Field(default_factory=list)
    """Wordings under other readings of the text."""
    requirements: list[PayTableRequirement] = Field(default_factory=list)
    """Requirements that the posted table matches it, or one of the tables that name the same requirement."""

    @model_validator(mode="after")
    def _require_hand_or_scale(self) -> Self:
        if (self.hand is None) == (self.by is None):
            raise ValueError("exactly one of `hand` and `by` must be given")
        return self

    @property
    def lookup_names(self) -> tuple[str, ...]:
        """Names of the hands, or of the scale, by which rows are looked up."""
        if self.by is not None:
            return (self.by,)
        return (self.hand,) if isinstance(self.hand, str) else tuple(self.hand or ())


NO_ROW = "none"
"""The entry of a matrix for a table that does not have the row."""


def _check_cell(text: str) -> str:
    if text != NO_ROW:
        parse_payout(text)
    return text


CellText = Annotated[
    str,
    AfterValidator(_check_cell),
    WithJsonSchema({"type": "string", "pattern": f"^{NO_ROW}$|{PAYOUT_PATTERN}", "examples": ["5 to 1", NO_ROW]}),
]
"""An entry of a matrix: a payout, or that the table does not have the row."""


class MatrixColumn(ClosedModel):
    """The values of one table of a matrix that differ from the matrix."""

    clauses: Annotated[list[ClauseName], MinLen(1)] | None = None
    """The clauses that print it. Left out, those of the matrix."""
    when: Condition | None = None
    """The rounds in which it is in use. Left out, those of the matrix."""
    wager: Minor | None = None
    """The stake for which amounts in its rows are printed. Left out, that of the matrix."""
    requirements: list[PayTableRequirement] | None = None
    """Requirements that the posted table matches it. Left out, those of the matrix."""


class PayMatrix(ClosedModel):
    """Pay tables of one line side by side: a row for each hand, a column for each table."""

    for_: LineName
    """The wager or bonus that they pay."""
    hand: HandName | Annotated[list[HandName], MinLen(1)] | None = None
    """The hand whose rank is looked up, or the hands, as in a pay table."""
    by: ScaleName | None = None
    """The scale that is looked up instead of a hand."""
    clauses: Annotated[list[ClauseName], MinLen(1)] | None = None
    """The clauses that print them, for tables that do not state their own."""
    when: Condition | None = None
    """The rounds in which they are in use. Left out, all."""
    meter: Identifier | None = None
    """The meter of its rows, by its name in hand logs."""
    wager: Minor | None = None
    """The stake for which amounts in their rows are printed, in minor currency units."""
    tables: Annotated[dict[Identifier, MatrixColumn], MinLen(1)]
    """The tables by name, from left to right, each with its own values."""
    rows: Annotated[dict[RowName, Annotated[list[CellText], MinLen(1)]], MinLen(1)]
    """The payments of each listed category or band, highest first: one entry for each table, in order. `none` means
    that the table does not have the row."""
    shared: list[SharedAward] = Field(default_factory=list)
    """Rows whose award is shared."""
    otherwise: list[OtherForm] = Field(default_factory=list)
    """Wordings under other readings of the text."""
    requirements: list[PayTableRequirement] = Field(default_factory=list)
    """Requirements that the posted table matches one of the tables."""
