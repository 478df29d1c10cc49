"""A casino's submission: how it means to run one game, as it would post and equip it."""

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
"""What stands in a form where a name must stand and none is known yet."""


class Licensee(Closed):
    """The casino that submits."""

    name: Name
    """Its name; rounds whose `casino` is this name are judged by this submission."""
    license: Name | None = None
    """Its license number."""


class CoverCard(Closed):
    """The card that covers the bottom of a deck."""

    colour: Name | None = None
    """Its colour."""
    opaque: bool | None = None
    """Whether nothing shows through it."""
    solid: bool | None = None
    """Whether it is of one colour all over."""


class SubmittedDeck(Closed):
    """The cards in use."""

    cards: Name | None = None
    """The kind of deck, for example `standard-52`."""
    decks: Annotated[int, Ge(0), Le(1000)] | None = None
    """How many decks the table is dealt from: all at once or, where a round takes fewer, in turn."""
    kept: Annotated[int, Ge(0), Le(1000)] | None = None
    """How many decks are kept at the table, those that rest while another is dealt included."""
    backs: Annotated[list[Name], MaxLen(100)] | None = None
    """Colours of the backs, one for each deck."""
    cover_card: CoverCard | None = None
    """The cover card."""


class Equipment(Closed):
    """Devices on the table."""

    shuffler: Literal["none", "manual", "mechanical"] | None = None
    """The shuffling device; `mechanical` dispenses or stacks shuffled cards."""
    shoe: Literal["none", "manual", "automated"] | None = None
    """The dealing shoe."""
    shuffler_counts: bool | None = None
    """Whether the shuffling device counts the cards of the deck."""


class Attestation(Closed):
    """Somebody's word on something only a person can vouch for."""

    clause: Name
    """The clause it is given for: the id, or its label within the document."""
    by: Name | None = None
    """Who gives it, with their office; left out, nobody has."""
    given: Day | None = None
    """When; left out, it has not been given."""
    statement: Name | None = None
    """In their words."""


class Notice(Closed):
    """A notice that was given to the regulator or to the public."""

    of: Name
    """What it is of, in the rulebook's word."""
    given: Day | None = None
    """When."""
    by: Name | None = None
    """Who gave it."""


def _notice(given: Notice | str) -> Notice:
    """A notice that may be written as what it is of."""
    return Notice.model_construct(of=given) if isinstance(given, str) else given


class SubmittedWaiver(OneOf):
    """A waiver that the casino says the regulator granted: a claim, which by itself lifts nothing."""

    BESIDE = frozenset({"reason", "by", "until"})

    clause: Name = unset()
    """The clause it is said to lift: the id, or its label within the document."""
    clauses: Annotated[list[Name], MinLen(1), MaxLen(100)] = unset()
    """The clauses it is said to lift, where one waiver lifts several."""
    reason: Name
    """Why."""
    by: Name
    """Who is said to have granted it."""
    until: Day | None = None
    """What is said to be its last day."""

    @property
    def lifts(self) -> tuple[str, ...]:
        """The clauses it is said to lift."""
        return tuple(self.clauses or (self.clause,))


ShareText = Annotated[
    str, StringConstraints(pattern=r"^-?(?:[0-9]{1,4}(?:\.[0-9]{1,20})? ?%|[0-9]{1,30}/[1-9][0-9]{0,29})$")
]
"""A share of what is staked, as it is stated: `3.37%` or `1/20`."""


class StatedOdds(Closed):
    """The mathematics of a wager, as the casino states it; it is held against the rules: a wrong figure is a
    finding."""

    wager: Name
    """The wager, by its name in the rulebook."""
    house_advantage: ShareText | None = None
    """What the house keeps of each unit staked on it, such as `3.37%` (right to the last digit that is stated) or a
    fraction such as `1/20`."""
    element_of_risk: ShareText | None = None
    """What it keeps of each unit put at stake on it and what goes with it."""


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
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None
    """The currency of its amounts, as a code of ISO 4217 such as `USD`; for rounds in another its amounts count as not
    stated."""
    options: Annotated[dict[Identifier, bool | Name | None], MaxLen(100)] = Field(default_factory=dict)
    """Choices the text leaves to the licensee."""
    deck: SubmittedDeck | None = None
    """The cards."""
    dealing: Name | None = None
    """The way of dealing, by its name in the rulebook."""
    hands_per_player: Annotated[int, Ge(0), Le(1000)] | None = None
    """How many hands one player may play in a round."""
    hand_order: Annotated[list[Name], MinLen(1), MaxLen(100)] | None = None
    """The order of hands as posted, highest first; left out, none is posted."""
    equipment: Equipment | None = None
    """Devices on the table."""
    wagers: Annotated[list[SubmittedWager], MaxLen(100)] | None = None
    """What is offered."""
    pay_tables: Annotated[list[SubmittedPayTable], MaxLen(100)] | None = None
    """The pay tables in use, and those in publications."""
    payout_limit: PayoutLimit | None = None
    """The most that is paid on a hand."""
    buy_in: BuyIn | None = None
    """What a player may sit down with."""
    fixed_limit: FixedLimit | None = None
    """The sizes of bets and raises, where players may not choose them."""
    rake: SubmittedRake | None = None
    """What the house takes out of the pots."""
    smallest_chip: Amount | None = None
    """What the smallest chip at the table is worth, in minor currency units."""
    meters: Annotated[list[SubmittedMeter], MaxLen(100)] | None = None
    """Jackpots that grow, each with its meter."""
    stated_odds: Annotated[list[StatedOdds], MaxLen(100)] | None = None
    """The mathematics of its wagers."""
    layout: TableLayout | None = None
    """The cloth."""
    games_offered: Annotated[list[Name], MaxLen(1000)] | None = None
    """The games, or varieties of a game, that the house offers, by name."""
    notices: Annotated[list[Annotated[Notice | Name, AfterValidator(_notice)]], MaxLen(100)] | None = None
    """Notices given; a text alone says what the notice is of."""
    attestations: Annotated[list[Attestation], MaxLen(1000)] | None = None
    """Words of persons."""
    waivers: Annotated[list[SubmittedWaiver], MaxLen(1000)] = Field(default_factory=list)
    """Waivers that the casino says were granted: claims, which lift nothing."""

    def as_written(self) -> dict[str, Any]:
        """It as a file says it: a pay table by its rows or by the name of a printed one, whose rows were filled in."""
        data = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        for table in data.get("pay-tables") or ():
            if "printed" in table:
                table.pop("rows", None)
        return data

    def tables_in_use(self) -> list[tuple[int, SubmittedPayTable]]:
        """The pay tables by which it pays, each with its place in the list: one that is only published is one of them
        where its wager has no other."""
        tables = list(enumerate(self.pay_tables or []))
        at_the_table = {table.pays for _, table in tables if not table.only_published}
        return [(at, table) for at, table in tables if not (table.only_published and table.pays in at_the_table)]
