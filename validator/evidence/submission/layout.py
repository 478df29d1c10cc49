"""What stands at the table as a submission states it: layout and signs."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import AfterValidator

from validator.evidence.submission.money import Amount, PayRow, RakeLevel
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Prose as Name


class Area(OneOf):
    """An area of the layout, for a wager or for any other use."""

    BESIDE = frozenset({"legend", "per"})

    wager: Name = unset()
    """The wager that is placed there."""
    for_: Name = unset()
    """What else it is for, in the rulebook's word, such as `community`, `discards` or `cards`."""
    legend: Name
    """The words printed on it."""
    per: Literal["position", "table"] | None = None
    """Whether each position has one, or the table; left out, the table has one for `community` and for
    `discards`, and each position one for anything else."""


class ShownRake(Closed):
    """The rake as a sign shows it."""

    kind: Name | None = None
    """How it says that the rake is reckoned."""
    levels: Annotated[list[RakeLevel], MaxLen(100)] | None = None
    """What it says is taken at which sizes of the pot."""


class Sign(Closed):
    """A sign at the table: its words and, as data, the limits, odds or rake that it shows. One that shows the limits of
    several wagers is stated once for each."""

    text: Name | None = None
    """The words on it."""
    wager: Name | None = None
    """The wager or bonus whose limits or odds it shows, by its name in the rulebook."""
    minimum: Amount | None = None
    """The minimum that it shows."""
    maximum: Amount | None = None
    """The maximum that it shows."""
    rows: Annotated[list[PayRow], MaxLen(200)] | None = None
    """The rows of the pay table that it shows, as printed, each as in `pay-tables`: `{hand: flush, odds: 3 to 1}`."""
    rake: ShownRake | None = None
    """The rake that it shows."""


def _sign(given: Sign | str) -> Sign:
    """A sign that may be written as the words on it."""
    return Sign.model_construct(text=given) if isinstance(given, str) else given


class TableLayout(Closed):
    """The cloth."""

    style: Name
    """The game whose style of layout it is: the id of its document."""
    shape: Literal["half-round", "oval"] | None = None
    """The outline of the table, as drawings show it; left out, half-round."""
    positions: Annotated[int, Ge(1), Le(99)] | None = None
    """How many betting positions it has."""
    areas: Annotated[list[Area], MaxLen(100)] | None = None
    """Its areas: those of each position, from the player's edge towards the dealer, and those of the table."""
    signage: Annotated[list[Annotated[Sign | Name, AfterValidator(_sign)]], MaxLen(100)] | None = None
    """The table's signs; a text alone is the words on one, which are not taken for limits or odds."""

    @property
    def signs(self) -> list[Sign]:
        """The signs, each as data."""
        return [one for one in self.signage or [] if isinstance(one, Sign)]
