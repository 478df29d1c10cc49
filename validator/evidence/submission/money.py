"""Wagers, pay tables, limits, meters, buy-in and rake, as a submission states them."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import Field, model_validator

from validator.text.models.model import Closed
from validator.text.models.scalars import Prose as Name
from validator.text.values.odds import PayoutText

MINOR_UNITS = "minor units"
"""Marks fields that hold money."""


Amount = Annotated[int, Ge(0), Le(10**12), MINOR_UNITS]


Posting = Literal["layout", "signage", "publication"]


Postings = Annotated[list[Posting], MaxLen(10)]


class SubmittedWager(Closed):
    """A wager or bonus that is offered."""

    wager: Name
    """Its name, as the rulebook has it."""
    minimum: Amount | None = None
    """The posted minimum, in minor currency units."""
    maximum: Amount | None = None
    """The posted maximum, in minor currency units."""
    posted: Postings | None = None
    """Where its limits are posted."""
    tips: bool | None = None
    """Whether a tip for the dealer may be placed on it."""


class PayRow(Closed):
    """A row of a pay table as printed."""

    hand: Name
    """The hand, by its name in the rulebook's ranking."""
    odds: PayoutText
    """What it pays, as printed: odds such as `"5 to 1"`, `push`, `"10% of meter"`, `"$5,000"`."""


def rows_or_name(table: SubmittedPayTable) -> SubmittedPayTable:
    """A pay table of which something is said. Raises ValueError.

    It stands outside the class so that a validator that is kept on disk can name it.
    """
    if table.printed is None and "rows" not in table.model_fields_set:
        raise ValueError("either `rows` or the name of a `printed` table must stand here")
    return table


class SubmittedPayTable(Closed):
    """A pay table in use, exactly as printed."""

    pays: Name
    """The wager or bonus it pays."""
    name: Name | None = None
    """What the casino calls it."""
    displayed: Postings | None = None
    """Where it is displayed; one in a `publication` is printed away from the table. One in a publication alone repeats
    the table in use, where the wager has one."""
    printed: Name | None = None
    """The table that the regulation prints, by its name in the rulebook, where all rows are as they stand there."""
    rows: Annotated[list[PayRow], MaxLen(200)] = Field(default_factory=list)
    """Its rows, in printed order; left out where it names a `printed` table."""

    _rows_somehow = model_validator(mode="after")(rows_or_name)

    @property
    def only_published(self) -> bool:
        """Whether it is printed in publications and nowhere at the table."""
        return self.displayed is not None and set(self.displayed) == {"publication"}


class PayoutLimit(Closed):
    """The most that is paid on a hand, where the house sets a limit."""

    amount: Amount
    """The limit, in minor currency units."""
    posted: Postings | None = None
    """Where it is posted."""


class SubmittedMeter(Closed):
    """A jackpot that grows with what is wagered, and the meter that shows it."""

    meter: Name
    """Its name, as the rulebook or the hand log has it."""
    seed: Amount | None = None
    """What it starts from, and starts from again when it was won, in minor currency units."""
    increment: Amount | None = None
    """What each wager that feeds it adds, in minor currency units."""
    fed_by: Name | None = None
    """The wager that feeds it."""
    games: Annotated[list[Name], MaxLen(100)] | None = None
    """The games that share it."""
    tables: Annotated[list[Name], MaxLen(10_000)] | None = None
    """The tables that share it."""
    closed_by: Literal["top-award", "permission"] | None = None
    """What ended it, where it has ended: its highest award was won, or the regulator permitted it."""


class BuyIn(Closed):
    """What a player may sit down with."""

    minimum: Amount | None = None
    """The least a player may buy in for, in minor currency units."""
    maximum: Amount | None = None
    """The most a player may buy in for, in minor currency units."""
    table_maximum: Amount | None = None
    """The most a player may have on the table, or bring to it, by what the rulebook says; in minor currency units."""


class RakeLevel(Closed):
    """What is taken when the pot has grown so far."""

    pot: Amount
    """The size of the pot, in minor currency units."""
    takes: Amount
    """What is taken then, besides what was taken before, in minor currency units."""


class SubmittedRake(Closed):
    """What the house takes out of the pots."""

    kind: Name | None = None
    """How it is reckoned, in the rulebook's word, such as `increments`."""
    levels: Annotated[list[RakeLevel], MaxLen(100)] | None = None
    """What is taken at which sizes of the pot."""
    from_: Name | None = None
    """The stage of the deal from which on it is taken; left out, from the start of every round."""
    posted: Postings | None = None
    """Where it is posted."""


class FixedLimit(Closed):
    """The sizes of bets and raises, where the limit is fixed."""

    small_bet: Amount
    """In the earlier betting rounds, in minor currency units."""
    big_bet: Amount
    """In the later betting rounds, in minor currency units."""
    posted: Postings = Field(default_factory=list)
    """Where they are posted."""
