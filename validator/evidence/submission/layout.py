"""Layout and signs of a table, as a submission states them."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import AfterValidator

from validator.evidence.submission.money import Amount, PayRow, RakeLevel
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Prose as Name


class Area(OneOf):
    """Area of the layout, for a wager or for another use."""

    BESIDE = frozenset({"legend", "per"})

    wager: Name = unset()
    """The wager that is placed there."""
    for_: Name = unset()
    """Another use of the area, in the rulebook's word, such as `community`, `discards` or `cards`."""
    legend: Name
    """The words printed on it."""
    per: Literal["position", "table"] | None = None
    """The owner of such an area: each position, or the table. If left out, the table has one for `community` and
    `discards`, and each position has one for anything else."""


class ShownRake(Closed):
    """Rake as a sign shows it."""

    kind: Name | None = None
    """The method by which the rake is calculated, as shown."""
    levels: Annotated[list[RakeLevel], MaxLen(100)] | None = None
    """The amounts taken and the sizes of the pot at which they are taken, as shown."""


class Sign(Closed):
    """Sign at the table: its words and, as data, the limits, odds or rake that it shows.

    A sign that shows the limits of several wagers is stated once for each wager.
    """

    text: Name | None = None
    """The words on it."""
    wager: Name | None = None
    """The wager or bonus whose limits or odds are shown, by its name in the rulebook."""
    minimum: Amount | None = None
    """The minimum shown."""
    maximum: Amount | None = None
    """The maximum shown."""
    rows: Annotated[list[PayRow], MaxLen(200)] | None = None
    """The rows of the pay table shown, as printed, each as in `pay-tables`: `{hand: flush, odds: 3 to 1}`."""
    rake: ShownRake | None = None
    """The rake shown."""


def _parse_sign(given: Sign | str) -> Sign:
    """Return a sign; a text alone gives the words on it."""
    return Sign.model_construct(text=given) if isinstance(given, str) else given


class TableLayout(Closed):
    """Layout of the table."""

    style: Name
    """The game whose style of layout this is: the id of its document."""
    shape: Literal["half-round", "oval"] | None = None
    """The outline of the table, as in drawings; half-round if left out."""
    positions: Annotated[int, Ge(1), Le(99)] | None = None
    """The number of betting positions."""
    areas: Annotated[list[Area], MaxLen(100)] | None = None
    """The areas of the layout: those of each position, from the player's edge towards the dealer, and those of the
    table."""
    signage: Annotated[list[Annotated[Sign | Name, AfterValidator(_parse_sign)]], MaxLen(100)] | None = None
    """The table's signs. A text alone gives the words on a sign; no limits or odds are read from it."""

    @property
    def signs(self) -> list[Sign]:
        """Signs of the table, each as data."""
        return [sign for sign in self.signage or [] if isinstance(sign, Sign)]
