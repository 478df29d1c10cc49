"""Wagers, pay tables, limits, meters, buy-in and rake, as a submission states them."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import Field, model_validator

from validator.text.models.model import Closed
from validator.text.models.scalars import Prose as Name
from validator.text.values.odds import PayoutText

MINOR_UNITS = "minor units"
"""Marker of fields that hold money."""


Amount = Annotated[int, Ge(0), Le(10**12), MINOR_UNITS]


Posting = Literal["layout", "signage", "publication"]


Postings = Annotated[list[Posting], MaxLen(10)]


class SubmittedWager(Closed):
    """Wager or bonus that is offered."""

    wager: Name
    """The name of the wager in the rulebook."""
    minimum: Amount | None = None
    """The posted minimum, in minor currency units."""
    maximum: Amount | None = None
    """The posted maximum, in minor currency units."""
    posted: Postings | None = None
    """The places where the limits are posted."""
    tips: bool | None = None
    """True if a tip for the dealer may be placed on the wager."""


class PayRow(Closed):
    """Row of a pay table as printed."""

    hand: Name
    """The hand, by its name in the rulebook's ranking."""
    odds: PayoutText
    """The payout, as printed: odds such as `"5 to 1"`, `push`, `"10% of meter"`, `"$5,000"`."""


def rows_or_name(table: SubmittedPayTable) -> SubmittedPayTable:
    """Return a pay table that states its rows or the name of a printed table. Raises ValueError.

    The function is outside the class because a validator cached on disk refers to it by name.
    """
    if table.printed is None and "rows" not in table.model_fields_set:
        raise ValueError("a pay table needs `rows` or the name of a `printed` table")
    return table


class SubmittedPayTable(Closed):
    """Pay table in use, exactly as printed."""

    pays: Name
    """The wager or bonus that the table pays."""
    name: Name | None = None
    """The casino's name for the table."""
    displayed: Postings | None = None
    """The places where the table is displayed; a `publication` is printed away from the gaming table. A table in a
    publication alone repeats the table in use, if the wager has one."""
    printed: Name | None = None
    """The name in the rulebook of the table that the regulation prints, if all rows are as printed there."""
    rows: Annotated[list[PayRow], MaxLen(200)] = Field(default_factory=list)
    """The rows, in printed order; left out with a `printed` table."""

    _check_rows = model_validator(mode="after")(rows_or_name)

    @property
    def only_published(self) -> bool:
        """True if the table is printed in publications and nowhere at the gaming table."""
        return self.displayed is not None and set(self.displayed) == {"publication"}


class PayoutLimit(Closed):
    """Limit on the payout of a hand, if the casino sets one."""

    amount: Amount
    """The limit, in minor currency units."""
    posted: Postings | None = None
    """The places where the limit is posted."""


class SubmittedMeter(Closed):
    """Progressive jackpot that grows with the amounts wagered, and the meter that shows it."""

    meter: Name
    """The name of the meter in the rulebook or the hand log."""
    seed: Amount | None = None
    """The amount at which the meter starts, and restarts after a win, in minor currency units."""
    increment: Amount | None = None
    """The amount that each wager adds, in minor currency units."""
    fed_by: Name | None = None
    """The wager that feeds the meter."""
    games: Annotated[list[Name], MaxLen(100)] | None = None
    """The games that share the meter."""
    tables: Annotated[list[Name], MaxLen(10_000)] | None = None
    """The tables that share the meter."""
    closed_by: Literal["top-award", "permission"] | None = None
    """The reason why the meter ended, if it has: its highest award was won, or the regulator permitted it."""


class BuyIn(Closed):
    """Limits on the buy-in of a player."""

    minimum: Amount | None = None
    """The least a player may buy in for, in minor currency units."""
    maximum: Amount | None = None
    """The most a player may buy in for, in minor currency units."""
    table_maximum: Amount | None = None
    """The most that a player may have on the table, or bring to it, as the rulebook says; in minor currency units."""


class RakeLevel(Closed):
    """Amount taken when the pot reaches a size."""

    pot: Amount
    """The size of the pot, in minor currency units."""
    takes: Amount
    """The amount taken at this size, in addition to the amounts of lower levels, in minor currency units."""


class SubmittedRake(Closed):
    """Rake taken out of the pots."""

    kind: Name | None = None
    """The method of calculation, in the rulebook's word, such as `increments`."""
    levels: Annotated[list[RakeLevel], MaxLen(100)] | None = None
    """The amounts taken and the sizes of the pot at which they are taken."""
    from_: Name | None = None
    """The first stage of the deal at which rake is taken; the start of every round if left out."""
    posted: Postings | None = None
    """The places where the rake is posted."""


class FixedLimit(Closed):
    """Sizes of bets and raises, if the limit is fixed."""

    small_bet: Amount
    """The size in the earlier betting rounds, in minor currency units."""
    big_bet: Amount
    """The size in the later betting rounds, in minor currency units."""
    posted: Postings = Field(default_factory=list)
    """The places where the sizes are posted."""
