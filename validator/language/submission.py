"""What a submission must state: conditions on its values, and pay tables row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from annotated_types import Ge, MinLen
from pydantic import model_validator

from validator.language.logic import ReadingIs
from validator.language.refs import LineName, ListName, PayTableName, SubmissionPath
from validator.language.registry import ShortForm, in_full
from validator.text.models.model import Closed, OneOf, unset

Scalar = int | bool | str
Wording = Literal["to", "for", "win", "colon", "push", "percentage", "amount"]
Count = Annotated[int, Ge(0)]


class Value(OneOf):
    """A value of the submission held against what is allowed."""

    BESIDE = frozenset({"at"})

    at: SubmissionPath
    """Where the value stands: keys joined by dots. A leading dot starts from the item that is judged, two
    from the item around it; a dot alone is the item itself. `earlier.` starts from the submission that this one
    replaces."""
    equals: Scalar = unset()
    """It must be this."""
    equals_value: SubmissionPath = unset()
    """It must be the same as the value at another place."""
    equals_list: Annotated[list[Scalar], MinLen(1)] = unset()
    """The list must have exactly these items, in this order."""
    one_of: Annotated[list[Scalar], MinLen(1)] = unset()
    """It must be one of these."""
    at_least: int = unset()
    """It must not be less."""
    at_most: int = unset()
    """It must not be more."""
    at_most_value: SubmissionPath = unset()
    """It must not be more than the value at another place."""
    at_least_value: SubmissionPath = unset()
    """It must not be less than the value at another place."""
    more_than_value: SubmissionPath = unset()
    """It must be more than the value at another place."""
    includes: Scalar = unset()
    """The list must have this among its items."""
    includes_value: SubmissionPath = unset()
    """The list must have the value at another place among its items."""
    reads: str = unset()
    """The text must be this one, large and small letters and blanks not being looked at."""
    worded: Annotated[list[Wording], MinLen(1)] = unset()
    """The odds must be printed in one of these wordings: `5 to 1`, `6 for 1`, `win 5`, `5:1` (`colon`), `push`,
    `10% of meter` (`percentage`), `$500` (`amount`)."""
    in_list: ListName = unset()
    """The text must stand in this list of the document, large and small letters and blanks not being looked at.
    On days on which the list is not in force the answer is unknown."""


class Every(Closed):
    """A condition on each item of a list of the submission."""

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition | None = None
    """The items it speaks of; left out, all."""
    must: SubmissionCondition
    """What each of them must fulfil."""


class Some(Closed):
    """At least one item of a list of the submission."""

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition
    """What at least one item must fulfil."""


class Distinct(Closed):
    """No two items of a list agree in a value."""

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition | None = None
    """The items it speaks of; left out, all."""
    by: SubmissionPath
    """Where the value stands in each item; a dot alone, where the items themselves are the values."""


class Counted(OneOf):
    """How many items a list of the submission has."""

    BESIDE = frozenset({"in_", "where"})

    in_: SubmissionPath
    """Where the list stands."""
    where: SubmissionCondition | None = None
    """The items that are counted; left out, all."""
    equals: Count = unset()
    """There must be so many."""
    at_least: Count = unset()
    """There must not be fewer."""
    at_most: Count = unset()
    """There must not be more."""
    equals_value: SubmissionPath = unset()
    """There must be as many as the number at another place says."""


class Offers(ShortForm):
    """The wager or bonus is one of those that the submission lists."""

    key = "offers"
    operand = LineName
    sample = "{offers: main}"

    def full(self, operand: str) -> dict[str, Any]:
        return {"some": {"in": "wagers", "where": {"value": {"at": ".wager", "equals": operand}}}}


class AtTheTable(ShortForm):
    """The list of places names the layout or signage, as `.posted` of a wager, or `.displayed` of a pay table."""

    key = "at-the-table"
    operand = SubmissionPath
    sample = "{at-the-table: payout-limit.posted}"

    def full(self, operand: str) -> dict[str, Any]:
        return {"any": [{"value": {"at": operand, "includes": place}} for place in ("layout", "signage")]}


SHORT_FORMS: Mapping[str, ShortForm] = {one.key: one() for one in (Offers, AtTheTable)}
"""The short forms of conditions on submissions, by their keys."""


class SubmissionCondition(OneOf):
    """A statement about a submission that is yes, no or unknown: unknown is what it does not state."""

    all_: Annotated[list[SubmissionCondition], MinLen(1)] = unset()
    """Every one of these holds."""
    any_: Annotated[list[SubmissionCondition], MinLen(1)] = unset()
    """At least one of these holds."""
    not_: SubmissionCondition = unset()
    """This does not hold."""
    value: Value = unset()
    """A value held against what is allowed."""
    given: SubmissionPath = unset()
    """The submission states this."""
    every: Every = unset()
    """Each item of a list fulfils a condition."""
    some: Some = unset()
    """At least one item of a list fulfils a condition."""
    distinct: Distinct = unset()
    """No two items of a list agree in a value."""
    count: Counted = unset()
    """How many items a list has."""
    reading: ReadingIs = unset()
    """A reading of the text that is in force."""
    offers: LineName = unset()
    """The wager or bonus is one of those that the submission lists."""
    at_the_table: SubmissionPath = unset()
    """The list of places names the layout or signage, as `.posted` of a wager, or `.displayed` of a pay table."""

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, value: object) -> object:
        return in_full(SHORT_FORMS, value)


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
    def _of_wagers(self) -> SignsCheck:
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
