"""Models of submissions and waivers: how a casino will run, post and equip one game."""

import datetime
from typing import Annotated, Any, ClassVar, Literal

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import AfterValidator, StringConstraints, model_validator

from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    ClosedModel,
    Day,
    Identifier,
    OneOperatorModel,
)
from fairdeal.validator.text.closed_model import Prose as Name
from fairdeal.validator.text.plain_values import Money, PayoutText, written_in

Posting = Literal["layout", "signage", "publication"]


Postings = Annotated[list[Posting], MaxLen(10)]


class SubmittedWager(ClosedModel):
    """Wager or bonus that is offered."""

    wager: Name
    """The name of the wager in the rulebook."""
    minimum: Money | None = None
    """The posted minimum."""
    maximum: Money | None = None
    """The posted maximum."""
    posted: Postings | None = None
    """The places where the limits are posted."""
    tips: bool | None = None
    """True if a tip for the dealer may be placed on the wager."""


class PayRow(ClosedModel):
    """Row of a pay table as printed."""

    KEY_HELP: ClassVar = {"odds": 'write both numbers, as in "5 to 1"'}

    hand: Name
    """The hand, by its name in the rulebook's ranking."""
    odds: PayoutText
    """The payout, as printed: odds such as `"5 to 1"`, `push`, `"10% of meter"`, `"$5,000"`."""


def require_rows_or_printed_name(table: "SubmittedPayTable") -> "SubmittedPayTable":
    """Return a pay table that states its rows or the name of a printed table. Raises ValueError.

    The function is outside the class because a validator cached on disk refers to it by name.
    """
    if table.printed is None and "rows" not in table.model_fields_set:
        raise ValueError("a pay table needs `rows` or the name of a `printed` table")
    return table


class SubmittedPayTable(ClosedModel):
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
    rows: Annotated[list[PayRow], MaxLen(200)] = []
    """The rows, in printed order; left out with a `printed` table."""

    _check_rows = model_validator(mode="after")(require_rows_or_printed_name)

    @property
    def is_only_published(self) -> bool:
        """True if the table is printed in publications and nowhere at the gaming table."""
        return self.displayed is not None and set(self.displayed) == {"publication"}


class PayoutLimit(ClosedModel):
    """Limit on the payout of a hand, if the casino sets one."""

    amount: Money
    """The limit."""
    posted: Postings | None = None
    """The places where the limit is posted."""


class SubmittedMeter(ClosedModel):
    """Progressive jackpot that grows with the amounts wagered, and the meter that shows it."""

    meter: Name
    """The name of the meter in the rulebook or the hand log."""
    seed: Money | None = None
    """The amount at which the meter starts, and restarts after a win."""
    increment: Money | None = None
    """The amount that each wager adds."""
    fed_by: Name | None = None
    """The wager that feeds the meter."""
    games: Annotated[list[Name], MaxLen(100)] | None = None
    """The games that share the meter."""
    tables: Annotated[list[Name], MaxLen(10_000)] | None = None
    """The tables that share the meter."""
    closed_by: Literal["top-award", "permission"] | None = None
    """The reason why the meter ended, if it has: its highest award was won, or the regulator permitted it."""


class BuyIn(ClosedModel):
    """Limits on the buy-in of a player."""

    minimum: Money | None = None
    """The least a player may buy in for."""
    maximum: Money | None = None
    """The most a player may buy in for."""
    table_maximum: Money | None = None
    """The most that a player may have on the table, or bring to it, as the rulebook says."""


class RakeLevel(ClosedModel):
    """Amount taken when the pot reaches a size."""

    pot: Money
    """The size of the pot."""
    takes: Money
    """The amount taken at this size, in addition to the amounts of lower levels."""


class SubmittedRake(ClosedModel):
    """Rake taken out of the pots."""

    kind: Name | None = None
    """The method of calculation, in the rulebook's word, such as `increments`."""
    levels: Annotated[list[RakeLevel], MaxLen(100)] | None = None
    """The amounts taken and the sizes of the pot at which they are taken."""
    from_: Name | None = None
    """The first stage of the deal at which rake is taken; the start of every round if left out."""
    posted: Postings | None = None
    """The places where the rake is posted."""


class FixedLimit(ClosedModel):
    """Sizes of bets and raises, if the limit is fixed."""

    small_bet: Money
    """The size in the earlier betting rounds."""
    big_bet: Money
    """The size in the later betting rounds."""
    posted: Postings = []
    """The places where the sizes are posted."""


class Area(OneOperatorModel):
    """Area of the layout, for a wager or for another use."""

    COMPANIONS = frozenset({"legend", "per"})

    wager: Name = NO_OPERAND
    """The wager that is placed there."""
    for_: Name = NO_OPERAND
    """Another use of the area, in the rulebook's word, such as `community`, `discards` or `cards`."""
    legend: Name
    """The words printed on it."""
    per: Literal["position", "table"] | None = None
    """The owner of such an area: each position, or the table. If left out, the table has one for `community` and
    `discards`, and each position has one for anything else."""


class ShownRake(ClosedModel):
    """Rake as a sign shows it."""

    kind: Name | None = None
    """The method by which the rake is calculated, as shown."""
    levels: Annotated[list[RakeLevel], MaxLen(100)] | None = None
    """The amounts taken and the sizes of the pot at which they are taken, as shown."""


class Sign(ClosedModel):
    """Sign at the table: its words and, as data, the limits, odds or rake that it shows.

    A sign that shows the limits of several wagers is stated once for each wager.
    """

    text: Name | None = None
    """The words on it."""
    wager: Name | None = None
    """The wager or bonus whose limits or odds are shown, by its name in the rulebook."""
    minimum: Money | None = None
    """The minimum shown."""
    maximum: Money | None = None
    """The maximum shown."""
    rows: Annotated[list[PayRow], MaxLen(200)] | None = None
    """The rows of the pay table shown, as printed, each as in `pay-tables`: `{hand: flush, odds: 3 to 1}`."""
    rake: ShownRake | None = None
    """The rake shown."""


def _parse_sign(given: Sign | str) -> Sign:
    """Return a sign; a text alone gives the words on it."""
    return Sign.model_construct(text=given) if isinstance(given, str) else given


class SubmittedLayout(ClosedModel):
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


TO_BE_FILLED_IN = "TO BE FILLED IN"
"""Placeholder in a form for a required name that is not known yet."""


class Licensee(ClosedModel):
    """Casino that makes the submission."""

    name: Name
    """The casino's name. Rounds with this `casino` are audited under this submission."""
    license: Name | None = None
    """The license number."""


class CoverCard(ClosedModel):
    """Card that covers the bottom of a deck."""

    colour: Name | None = None
    """The colour of the card."""
    opaque: bool | None = None
    """True if nothing shows through the card."""
    solid: bool | None = None
    """True if the card is of one colour all over."""


class SubmittedDeck(ClosedModel):
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


class Equipment(ClosedModel):
    """Devices on the table."""

    shuffler: Literal["none", "manual", "mechanical"] | None = None
    """The shuffling device; `mechanical` dispenses or stacks shuffled cards."""
    shoe: Literal["none", "manual", "automated"] | None = None
    """The dealing shoe."""
    shuffler_counts: bool | None = None
    """True if the shuffling device counts the cards of the deck."""


class Attestation(ClosedModel):
    """Person's statement on a matter that only a person can confirm."""

    clause: Name
    """The clause that the attestation is for: the id, or the label within the document."""
    by: Name | None = None
    """The person who gives it, with their office; if left out, nobody has."""
    given: Day | None = None
    """The day it was given; if left out, it has not been given."""
    statement: Name | None = None
    """The person's words."""


class Notice(ClosedModel):
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


class SubmittedWaiver(OneOperatorModel):
    """Waiver that the casino claims the regulator granted; the claim alone lifts nothing."""

    COMPANIONS = frozenset({"reason", "by", "until"})

    clause: Name = NO_OPERAND
    """The clause that the waiver is claimed to lift: the id, or the label within the document."""
    clauses: Annotated[list[Name], MinLen(1), MaxLen(100)] = NO_OPERAND
    """The clauses that the waiver is claimed to lift, if there are several."""
    reason: Name
    """The reason for the waiver."""
    by: Name
    """The person who is claimed to have granted it."""
    until: Day | None = None
    """The last day of the waiver, as claimed."""

    @property
    def lifted_clauses(self) -> tuple[str, ...]:
        """Clauses that the waiver is claimed to lift."""
        return tuple(self.clauses or (self.clause,))


ShareText = Annotated[
    str, StringConstraints(pattern=r"^-?(?:[0-9]{1,4}(?:\.[0-9]{1,20})? ?%|[0-9]{1,30}/[1-9][0-9]{0,29})$")
]
"""Share of the stake, as stated: `3.37%` or `1/20`."""


class StatedOdds(ClosedModel):
    """Mathematics of a wager as the casino states it. It is checked against the rules: a wrong figure is a finding."""

    wager: Name
    """The wager, by its name in the rulebook."""
    house_advantage: ShareText | None = None
    """The house's expected share of each unit staked on the wager: `3.37%` (right to the last stated digit) or a
    fraction such as `1/20`."""
    element_of_risk: ShareText | None = None
    """The house's expected share of each unit staked on the wager and on the wagers that go with it."""


class Submission(ClosedModel):
    """Submission of a casino for one game: choices, limits, pay tables, layout, equipment, attestations."""

    CURRENCY_AT = ("currency",)
    KEY_HELP: ClassVar = {
        "currency": "write a code of ISO 4217, such as USD",
        "document": "write the id of the game's document; `fairdeal rules list` shows them",
    }

    submission: Name
    """The casino's own name for the submission."""
    licensee: Licensee
    """The casino."""
    document: Identifier
    """The id of the document whose game it is."""
    effective: Day
    """The first day on which the submission is to be in force."""
    tables: Annotated[list[Name], MaxLen(10_000)] = []
    """The tables that the submission covers; all tables of the game if left out."""
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] | None = None
    """The currency of the amounts, as an ISO 4217 code such as `USD`. Amounts are in units of it: `5`, `5.00`,
    `"$5.00"` or `"1,000"`. If left out, they have two decimals. For rounds in another currency they count as not
    stated."""
    options: Annotated[dict[Identifier, bool | Name | None], MaxLen(100)] = {}
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
    smallest_chip: Money | None = None
    """The value of the smallest chip at the table."""
    meters: Annotated[list[SubmittedMeter], MaxLen(100)] | None = None
    """Progressive jackpots, each with its meter."""
    stated_odds: Annotated[list[StatedOdds], MaxLen(100)] | None = None
    """The stated mathematics of the wagers."""
    layout: SubmittedLayout | None = None
    """The layout of the table."""
    games_offered: Annotated[list[Name], MaxLen(1000)] | None = None
    """The games, or varieties of a game, that the casino offers, by name."""
    notices: Annotated[list[Annotated[Notice | Name, AfterValidator(_parse_notice)]], MaxLen(100)] | None = None
    """Notices given; a text alone gives the subject of a notice."""
    attestations: Annotated[list[Attestation], MaxLen(1000)] | None = None
    """Persons' attestations."""
    waivers: Annotated[list[SubmittedWaiver], MaxLen(1000)] = []
    """Waivers that the casino claims were granted; the claims alone lift nothing."""

    def to_file_data(self) -> dict[str, Any]:
        """Return the submission as in a file: a pay table with a `printed` name has no rows."""
        with written_in(self.currency):
            data = self.model_dump(mode="json", by_alias=True, exclude_unset=True)
        for table in data.get("pay-tables") or ():
            if "printed" in table:
                table.pop("rows", None)
        return data

    def list_tables_in_use(self) -> list[tuple[int, SubmittedPayTable]]:
        """Return the pay tables by which the casino pays, each with its index in the list.

        A table that is only published counts if its wager has no other.
        """
        tables = list(enumerate(self.pay_tables or []))
        at_the_table = {table.pays for _, table in tables if not table.is_only_published}
        return [(at, table) for at, table in tables if not (table.is_only_published and table.pays in at_the_table)]


class WaiverTerms(ClosedModel):
    """Terms of a waiver: the clauses that it lifts, the grantor and the days."""

    clauses: Annotated[list[Name], MinLen(1), MaxLen(100)]
    """The clauses that the waiver lifts: their ids, or their labels within the document."""
    tables: Annotated[list[Name], MaxLen(10_000)] = []
    """The tables that the waiver is for; all tables of the game if left out."""
    by: Name
    """The person who granted the waiver, with their office."""
    granted: Day
    """The day on which it was granted."""
    from_: Day | None = None
    """The first day; if left out, the day on which it was granted."""
    until: Day | None = None
    """The last day; if left out, there is none."""
    reason: Name | None = None
    """The reason for the waiver."""

    @property
    def first_day(self) -> datetime.date:
        """First day of the waiver."""
        return self.from_ or self.granted


class GrantedWaiver(WaiverTerms):
    """Permission to depart from clauses."""

    licensee: Name
    """The casino that holds the waiver, by the `licensee.name` of its submissions and the `casino` of its rounds."""
    document: Identifier
    """The id of the document whose clauses are lifted."""


class WaiversFile(ClosedModel):
    """Waivers that a regulator granted."""

    regulator: Name
    """The authority that granted them."""
    waivers: Annotated[list[GrantedWaiver], MaxLen(10_000)]
    """The waivers."""
