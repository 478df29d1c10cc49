"""Pay tables as data: scales that they may go by, tables as printed, and tables that are read side by side."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import AfterValidator, Field, WithJsonSchema, model_validator

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import ClauseName, HandName, LineName, RowName, ScaleName
from validator.language.submission.conditions import SubmissionCondition
from validator.rules.model.requirement_words import StatementRequirement
from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose
from validator.text.values.odds import PAYOUT_FORM, PayoutText, parse_payout

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
    def _hand_or_scale(self) -> Self:
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
