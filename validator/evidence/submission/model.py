"""A casino's submission: how it means to run one game, as it would post and equip it."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, Field, StringConstraints, model_validator

from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Day, Identifier
from validator.text.models.scalars import Prose as Name
from validator.text.values.odds import PayoutText

MINOR_UNITS = "minor units"
"""Marks fields that hold money."""
TO_BE_FILLED_IN = "TO BE FILLED IN"
"""What stands in a form where a name must stand and none is known yet."""

Amount = Annotated[int, Ge(0), Le(10**12), MINOR_UNITS]
Posting = Literal["layout", "signage", "publication"]
Postings = Annotated[list[Posting], MaxLen(10)]


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
    """How many decks are in play at once."""
    kept: Annotated[int, Ge(0), Le(1000)] | None = None
    """How many decks are kept at the table."""
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
    """The currency of its amounts, as a code of ISO 4217 such as `USD`; rounds in another are set aside."""
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

    def tables_in_use(self) -> list[tuple[int, SubmittedPayTable]]:
        """The pay tables by which it pays, each with its place in the list: one that is only published is one of them
        where its wager has no other."""
        tables = list(enumerate(self.pay_tables or []))
        at_the_table = {table.pays for _, table in tables if not table.only_published}
        return [(at, table) for at, table in tables if not (table.only_published and table.pays in at_the_table)]
