"""Checks on submissions: required statements, pay tables and signs."""

from typing import Annotated, Literal, Self

from annotated_types import MinLen
from pydantic import model_validator

from validator.language.refs import LineName, PayTableName
from validator.language.submission.conditions import SubmissionCondition
from validator.text.models.model import ClosedModel


class SubmittedCheck(ClosedModel):
    """A condition that every submission must satisfy."""

    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""
    must: SubmissionCondition
    """The condition that they must satisfy."""


class PublicationsCheck(ClosedModel):
    """A comparison, row by row, of pay tables in publications with the pay table in use for the same wager.

    If only publications show a table for a wager, that table is in use.
    """

    for_: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses whose tables are compared."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""


class SignsCheck(ClosedModel):
    """A comparison of the data on signs at the table with the rest of the submission.

    Data that only signs show must be complete on them, once the submission states any of it. Words on a sign that
    name a wager and two amounts other than its limits are `not-evidenced`, never a failure.
    """

    show: Literal["limits", "odds", "rake"]
    """`limits`: the minimum and maximum of a wager. `odds`: rows of the pay table in use. `rake`: the kind and levels
    of the rake."""
    for_: Annotated[list[LineName], MinLen(1)] | None = None
    """The wagers and bonuses whose limits or odds are compared."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""

    @model_validator(mode="after")
    def _require_wagers(self) -> Self:
        if (self.show == "rake") != (self.for_ is None):
            raise ValueError("`for` must be given with `show: limits` and `show: odds`, and only then")
        return self


class PayTablesCheck(ClosedModel):
    """A comparison, row by row, of a posted pay table with the printed ones."""

    for_: LineName
    """The wager or bonus whose posted pay table is compared."""
    match: Literal["exactly", "at-least", "wording"]
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as printed, whatever they are, also in publications. `exactly` and `at-least` check the table in use."""
    one_of: Annotated[list[PayTableName], MinLen(1)]
    """The printed tables that the licensee may choose from."""
    when: SubmissionCondition | None = None
    """The submissions that the check applies to. Left out, all."""
