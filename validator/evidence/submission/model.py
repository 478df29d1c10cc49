"""A casino's submission: how the casino will run, post and equip one game."""

from typing import Annotated, Any, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Field, StringConstraints

from validator.evidence.submission.layout import TableLayout
from validator.evidence.submission.money import (
    Amount,
    BuyIn,
    FixedLimit,
    PayoutLimit,
    SubmittedMeter,
    SubmittedPayTable,
    SubmittedRake,
    SubmittedWager,
)
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Day, Identifier
from validator.text.models.scalars import Prose as Name

TO_BE_FILLED_IN = "TO BE FILLED IN"
"""Placeholder in a form for a required name that is not known yet."""


class Licensee(Closed):
    """Casino that makes the submission."""

    name: Name
    """The casino's name. Rounds with this `casino` are audited under this submission."""
    license: Name | None = None
    """The license number."""


class CoverCard(Closed):
    """Card that covers the bottom of a deck."""

    colour: Name | None = None
    """The colour of the card."""
    opaque: bool | None = None
    """True if nothing shows through the card."""
    solid: bool | None = None
    """True if the card is of one colour all over."""


class SubmittedDeck(Closed):
    """Cards in use."""

    cards: Name | None = None
    """The kind of deck, for example `standard-52`."""
    decks: Annotated[int, Ge(0), Le(1000)] | None = None
    """The number of decks that the table is dealt from: all at once or, if a round takes fewer, in turn."""
    kept: Annotated[int, Ge(0), Le(1000)] | None = None
    """The number of decks kept at the table, including those that rest while another is dealt."""
    backs: Annotated[list[Name], MaxLen(100)] | None = None
    """The colours of the backs, one for each deck."""
    cover_card: CoverCard | None = None
    """The cover card."""


class Equipment(Closed):
    """Devices on the table."""

    shuffler: Literal["none", "manual", "mechanical"] | None = None
    """The shuffling device; `mechanical` dispenses or stacks shuffled cards."""
    shoe: Literal["none", "manual", "automated"] | None = None
    """The dealing shoe."""
    shuffler_counts: bool | None = None
    """True if the shuffling device counts the cards of the deck."""


class Attestation(Closed):
    """Person's statement on a matter that only a person can confirm."""

    clause: Name
    """The clause that the attestation is for: the id, or the label within the document."""
    by: Name | None = None
    """The person who gives it, with their office; if left out, nobody has."""
    given: Day | None = None
    """The day it was given; if left out, it has not been given."""
    statement: Name | None = None
    """The person's words."""


class Notice(Closed):
    """Notice that was given to the regulator or to the public."""

    of: Name
    """The subject of the notice, in the rulebook's word."""
    given: Day | None = None
    """The day it was given."""
    by: Name | None = None
    """The person who gave it."""


def _parse_notice(given: Notice | str) -> Notice:
    """Return a notice; a text alone gives its subject."""
    return Notice.model_construct(of=given) if isinstance(given, str) else given


class SubmittedWaiver(OneOf):
    """Waiver that the casino claims the regulator granted; the claim alone lifts nothing."""

    BESIDE = frozenset({"reason", "by", "until"})

    clause: Name = unset()
    """The clause that the waiver is claimed to lift: the id, or the label within the document."""
    clauses: Annotated[list[Name], MinLen(1), MaxLen(100)] = unset()
    """The clauses that the waiver is claimed to lift, if there are several."""
    reason: Name
    """The reason for the waiver."""
    by: Name
    """The person who is claimed to have granted it."""
    until: Day | None = None
    """The last day of the waiver, as claimed."""

    @property
    def lifts(self) -> tuple[str, ...]:
        """Clauses that the waiver is claimed to lift."""
        return tuple(self.clauses or (self.clause,))


ShareText = Annotated[
    str, StringConstraints(pattern=r"^-?(?:[0-9]{1,4}(?:\.[0-9]{1,20})? ?%|[0-9]{1,30}/[1-9][0-9]{0,29})$")
]
"""Share of the stake, as stated: `3.37%` or `1/20`."""


class StatedOdds(Closed):
    """Mathematics of a wager as the casino states it. It is checked against the rules: a wrong figure is a finding."""

    wager: Name
    """The wager, by its name in the rulebook."""
    house_advantage: ShareText | None = None
    """The house's expected share of each unit staked on the wager: `3.37%` (right to the last stated digit) or a
    fraction such as `1/20`."""
    element_of_risk: ShareText | None = None
    """The house's expected share of each unit staked on the wager and on the wagers that go with it."""


class Submission(Closed):
    """Submission of a casino for one game: choices, limits, pay tables, layout, equipment, attestations."""

    submission: Name
    """The casino's own name for the submission."""
    licensee: Licensee
    """The casino."""
    document: Identifier
    """The id of the document whose game it is."""
    effective: Day
    """The first day on which the submission is to be in force."""
    tables: Annotated[list[Name], MaxLen(10_000)] = Field(default_factory=list)
    """The tables that the submission covers; all tables of the game if left out."""
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None
    """The currency of the amounts, as an ISO 4217 code such as `USD`. For rounds in another currency the amounts count
    as not stated."""
    options: Annotated[dict[Identifier, bool | Name | None], MaxLen(100)] = Field(default_factory=dict)
    """Choices that the text leaves to the licensee."""
    deck: SubmittedDeck | None = None
    """The cards."""
    dealing: Name | None = None
    """The dealing procedure, by its name in the rulebook."""
    hands_per_player: Annotated[int, Ge(0), Le(1000)] | None = None
    """The number of hands that one player may play in a round."""
    hand_order: Annotated[list[Name], MinLen(1), MaxLen(100)] | None = None
    """The order of hands as posted, highest first; if left out, none is posted."""
    equipment: Equipment | None = None
    """Devices on the table."""
    wagers: Annotated[list[SubmittedWager], MaxLen(100)] | None = None
    """The wagers offered."""
    pay_tables: Annotated[list[SubmittedPayTable], MaxLen(100)] | None = None
    """The pay tables in use, and those in publications."""
    payout_limit: PayoutLimit | None = None
    """The most that is paid on a hand."""
    buy_in: BuyIn | None = None
    """The limits on the buy-in of a player."""
    fixed_limit: FixedLimit | None = None
    """The sizes of bets and raises, if players may not choose them."""
    rake: SubmittedRake | None = None
    """The rake taken out of the pots."""
    smallest_chip: Amount | None = None
    """The value of the smallest chip at the table, in minor currency units."""
    meters: Annotated[list[SubmittedMeter], MaxLen(100)] | None = None
    """Progressive jackpots, each with its meter."""
    stated_odds: Annotated[list[StatedOdds], MaxLen(100)] | None = None
    """The stated mathematics of the wagers."""
    layout: TableLayout | None = None
    """The layout of the table."""
    games_offered: Annotated[list[Name], MaxLen(1000)] | None = None
    """The games, or varieties of a game, that the casino offers, by name."""
    notices: Annotated[list[Annotated[Notice | Name, AfterValidator(_parse_notice)]], MaxLen(100)] | None = None
    """Notices given; a text alone gives the subject of a notice."""
    attestations: Annotated[list[Attestation], MaxLen(1000)] | None = None
    """Persons' attestations."""
    waivers: Annotated[list[SubmittedWaiver], MaxLen(1000)] = Field(default_factory=list)
    """Waivers that the casino claims were granted; the claims alone lift nothing."""

    def as_written(self) -> dict[str, Any]:
        """Return the submission as in a file: a pay table with a `printed` name has no rows."""
        data = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        for table in data.get("pay-tables") or ():
            if "printed" in table:
                table.pop("rows", None)
        return data

    def tables_in_use(self) -> list[tuple[int, SubmittedPayTable]]:
        """Return the pay tables by which the casino pays, each with its index in the list.

        A table that is only published counts if its wager has no other.
        """
        tables = list(enumerate(self.pay_tables or []))
        at_the_table = {table.pays for _, table in tables if not table.only_published}
        return [(at, table) for at, table in tables if not (table.only_published and table.pays in at_the_table)]
