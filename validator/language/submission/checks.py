"""Checks on submissions: what they must state, and their pay tables and signs, row by row."""

from typing import Annotated, Literal, Self

from annotated_types import MinLen
from pydantic import model_validator

from validator.language.refs import LineName, PayTableName
from validator.language.submission.conditions import SubmissionCondition
from validator.text.models.model import Closed


class SubmittedCheck(Closed):
    """A statement every submission must fulfil."""

    when: SubmissionCondition | None = None
    """The submissions it speaks of; to the others it does not apply."""
    must: SubmissionCondition
    """What they must fulfil."""


class PublicationsCheck(Closed):
    """Pay tables that are printed in publications alone, held against the table in use for the same wager, row by row.
    Where a wager has no table but in publications, that one is in use."""

    for_: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses whose tables are judged."""
    when: SubmissionCondition | None = None
    """The submissions it speaks of; to the others it does not apply."""


class SignsCheck(Closed):
    """What signs at the table show as data, held against what is submitted elsewhere. What is on signs alone must be on
    them in full, once any of it is stated of them. Words on a sign that name a wager and two amounts which are not its
    limits are not evidenced, never a failure."""

    show: Literal["limits", "odds", "rake"]
    """`limits`: the minimum and maximum of a wager. `odds`: rows of the pay table in use. `rake`: its kind and
    levels."""
    for_: Annotated[list[LineName], MinLen(1)] | None = None
    """The wagers and bonuses whose limits or odds are judged."""
    when: SubmissionCondition | None = None
    """The submissions it speaks of; to the others it does not apply."""

    @model_validator(mode="after")
    def _of_wagers(self) -> Self:
        if (self.show == "rake") != (self.for_ is None):
            raise ValueError("`for` goes with limits and odds, and with them alone")
        return self


class PayTablesCheck(Closed):
    """Posted pay tables held against the printed ones, row by row."""

    for_: LineName
    """The wager or bonus whose posted pay table is judged."""
    match: Literal["exactly", "at-least", "wording"]
    """`exactly`: every row pays what one printed table pays. `at-least`: no row pays less. `wording`: odds are worded
    as they are printed, whatever they are, in publications too; the other two judge the table in use."""
    one_of: Annotated[list[PayTableName], MinLen(1)]
    """The printed tables the licensee may choose from."""
    when: SubmissionCondition | None = None
    """The submissions it speaks of; to the others it does not apply."""
