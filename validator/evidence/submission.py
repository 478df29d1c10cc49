"""A casino's submission: how it means to run one game, as it would post and equip it."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen
from pydantic import Field

from validator.text.model import Closed
from validator.text.payouts import PayoutText
from validator.text.scalars import Day, Identifier
from validator.text.scalars import Prose as Name

Amount = Annotated[int, Ge(0), Le(10**12)]
Posting = Literal["layout", "signage"]


class Licensee(Closed):
    """The casino that submits."""

    name: Name
    """Its name; rounds whose `casino` is this name are judged by this submission."""
    license: Name | None = None
    """Its license number."""


class SubmittedDeck(Closed):
    """The cards in use."""

    cards: Name
    """The kind of deck, for example `standard-52`."""
    decks: Annotated[int, Ge(0), Le(1000)]
    """How many decks are in play at once."""
    backs: Annotated[list[Name], MaxLen(100)] = Field(default_factory=list)
    """Colours of the backs."""


class Equipment(Closed):
    """Devices on the table."""

    shuffler: Literal["none", "manual", "mechanical"] | None = None
    """The shuffling device; `mechanical` dispenses or stacks shuffled cards."""
    shoe: Literal["none", "manual", "automated"] | None = None
    """The dealing shoe."""


class SubmittedWager(Closed):
    """A wager or bonus that is offered."""

    wager: Name
    """Its name, as the rulebook has it."""
    minimum: Amount | None = None
    """The posted minimum, in minor currency units."""
    maximum: Amount | None = None
    """The posted maximum, in minor currency units."""
    posted: Annotated[list[Posting], MaxLen(10)] = Field(default_factory=list)
    """Where its limits are posted."""
    tips: bool | None = None
    """Whether a tip for the dealer may be placed on it."""


class PayRow(Closed):
    """A row of a pay table as printed."""

    hand: Name
    """The row, by its name in the rulebook: mostly a category of hands."""
    odds: PayoutText
    """What it pays, as printed, for example `"5 to 1"`, `push`, `10% of meter` or `"$5,000"`."""


class SubmittedPayTable(Closed):
    """A pay table in use, exactly as printed."""

    pays: Name
    """The wager or bonus it pays."""
    name: Name | None = None
    """What the casino calls it."""
    displayed: Annotated[list[Posting], MaxLen(10)] | None = None
    """Where it is displayed."""
    rows: Annotated[list[PayRow], MaxLen(200)]
    """Its rows, in printed order."""


class Area(Closed):
    """A betting area of the layout."""

    wager: Name
    """The wager that is placed there."""
    legend: Name
    """The words printed on it."""


class TableLayout(Closed):
    """The cloth."""

    style: Name
    """The game whose style of layout it is: the id of its document."""
    positions: Annotated[int, Ge(1), Le(99)] | None = None
    """How many betting positions it has."""
    areas: Annotated[list[Area], MaxLen(100)] | None = None
    """The betting areas of each position."""
    signage: Annotated[list[Name], MaxLen(100)] = Field(default_factory=list)
    """Words on the table's signs."""


class Attestation(Closed):
    """Somebody's word on something only a person can vouch for."""

    clause: Name
    """The clause it is given for: the id, or its label within the document."""
    by: Name
    """Who gives it, with their office."""
    given: Day
    """When."""
    statement: Name | None = None
    """In their words."""


class SubmittedWaiver(Closed):
    """A permission the regulator granted."""

    clause: Name
    """The clause it lifts: the id, or its label within the document."""
    reason: Name
    """Why."""
    by: Name
    """Who granted it."""
    until: Day | None = None
    """Its last day."""


class Submission(Closed):
    """What a casino submits for one game: choices, limits, pay tables, layout, equipment, vouchers."""

    submission: Name
    """The casino's own name for it."""
    licensee: Licensee
    """The casino."""
    document: Identifier
    """The id of the document whose game it is."""
    effective: Day
    """The first day it is meant to be in force."""
    tables: Annotated[list[Name], MaxLen(10_000)] = Field(default_factory=list)
    """The tables it covers; left out, all tables of the game."""
    options: Annotated[dict[Identifier, bool | Name], MaxLen(100)] = Field(default_factory=dict)
    """Choices the text leaves to the licensee."""
    deck: SubmittedDeck | None = None
    """The cards."""
    dealing: Name | None = None
    """The way of dealing, by its name in the rulebook."""
    hands_per_player: Annotated[int, Ge(0), Le(1000)] | None = None
    """How many hands one player may play in a round."""
    hand_order: Annotated[list[Name], MaxLen(100)] | None = None
    """The order of hands as posted, highest first."""
    equipment: Equipment | None = None
    """Devices on the table."""
    wagers: Annotated[list[SubmittedWager], MaxLen(100)] | None = None
    """What is offered."""
    pay_tables: Annotated[list[SubmittedPayTable], MaxLen(100)] | None = None
    """The pay tables in use."""
    layout: TableLayout | None = None
    """The cloth."""
    notices: Annotated[list[Name], MaxLen(100)] = Field(default_factory=list)
    """Notices given."""
    attestations: Annotated[list[Attestation], MaxLen(1000)] = Field(default_factory=list)
    """Words of persons."""
    waivers: Annotated[list[SubmittedWaiver], MaxLen(1000)] = Field(default_factory=list)
    """Permissions granted."""
