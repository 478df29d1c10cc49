"""A game as data: what is dealt, what may be wagered and decided, what each wager is due, in what order."""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.evidence.kinds import Kind
from validator.rulebook.language.conditions import Condition, Place, ReadingIs
from validator.rulebook.language.drawing import Drawing
from validator.rulebook.language.refs import (
    CaseName,
    CategoryName,
    ClauseName,
    DecisionName,
    DeckName,
    HandName,
    LineName,
    RankingName,
    ReadingName,
    StepName,
    WagerName,
)
from validator.text.model import Closed, OneOf, unset
from validator.text.odds import OddsText
from validator.text.scalars import Identifier, Prose

CardCount = Annotated[int, Ge(1), Le(12)]


class DeckInPlay(Closed):
    """The cards a round is played with."""

    cards: DeckName
    """The deck, by its name in the vocabulary."""
    decks: Annotated[int, Ge(1), Le(12)]
    """How many of it are in play at once."""


class Way(Closed):
    """One permitted way of handing out cards."""

    each: CardCount
    """How many cards a place receives at a time."""
    by: Literal["dealer", "machine"]
    """Who parts them from the deck: the dealer's hand, or a device that dispenses them."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text permits it."""


class Deal(Closed):
    """Who receives cards, in which turn, how many."""

    places: Annotated[list[Place], MinLen(1)]
    """The places served in one pass, in order: `player` stands for every seat in turn."""
    first: Literal["dealer-left", "dealer-right"]
    """The seat that is served first: seat 1 is at the dealer's left."""
    cards: Annotated[dict[Place, CardCount], MinLen(1)]
    """How many cards make a full hand at each place."""
    face: Literal["down", "up"]
    """How the cards lie when dealt."""
    ways: Annotated[dict[Identifier, Way], MinLen(1)]
    """The ways of dealing the licensee may choose from, by name."""


class OtherRanking(Closed):
    """The ranking of a hand under another option of a reading than the one adopted."""

    reading: ReadingIs
    """The option."""
    rank_by: RankingName
    """The ranking that then holds."""


class Hand(Closed):
    """Cards that are ranked together."""

    title: Prose
    """What it is, in a few words."""
    from_: Annotated[list[Place], MinLen(1)]
    """Whose cards: the seat's own, the dealer's, the community's."""
    rank_by: RankingName
    """The ranking, by its name in the vocabulary."""
    otherwise: list[OtherRanking] = Field(default_factory=list)
    """Rankings that other readings of the text call for."""


class Wager(Closed):
    """A stake a player may place."""

    title: Prose
    """Its name as players read it."""
    placed: Literal["before-the-deal", "with-a-decision"]
    """When it may be placed."""
    amount: Annotated[int, Ge(1), Le(100)] | None = None
    """The multiple of another wager that it must equal (with `of`)."""
    of: WagerName | None = None
    """The wager that its amount is a multiple of."""
    needs: Condition | None = None
    """What else a seat must have placed to place it."""
    tip: Condition | None = None
    """The seats that may place a tip on it, where the house takes tips; left out, none."""


class Bonus(Closed):
    """A payment that needs no stake of its own."""

    title: Prose
    """Its name as players read it."""
    reckoned_on: WagerName
    """The wager whose amount it is reckoned on."""


class Decision(Closed):
    """One of the choices open to a seat once it has its cards."""

    title: Prose
    """The choice in a few words."""
    open_to: Condition
    """The seats that may take it."""
    places: WagerName | None = None
    """The wager that taking it places."""


class PayTable(Closed):
    """Odds by category of hand, highest first, as printed."""

    for_: LineName
    """The wager or bonus that it pays."""
    hand: HandName
    """The hand whose category is looked up."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where it is printed."""
    rows: Annotated[dict[CategoryName, OddsText], MinLen(1)]
    """The odds of each listed category; a category that is not listed is not paid."""


class Unlisted(Closed):
    """What a category is paid as by a table that has no row for it."""

    category: CategoryName
    """The category that may be missing from a table."""
    pays_as: CategoryName
    """The row it is paid by."""
    reading: ReadingIs
    """The reading this rests on; another option may name another row."""


class Due(OneOf):
    """What a wager is due. Bare text is an outcome (`lost`, `returned`, `nothing`) or odds (`1 to 1`)."""

    outcome: Literal["lost", "returned", "nothing"] = unset()
    """`lost`: the stake is taken. `returned`: the stake is given back. `nothing`: a bonus is not paid."""
    odds: OddsText = unset()
    """The stake stays the player's and is paid at these odds."""
    pay_table: LineName = unset()
    """By the pay table in use for this line: a listed hand is paid, any other loses."""

    @model_validator(mode="before")
    @classmethod
    def _bare_text(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return {"outcome": value} if value in ("lost", "returned", "nothing") else {"odds": value}


class Case(Closed):
    """One case of settlement. The first case of a line whose condition holds decides what is due."""

    case: Identifier
    """Its name."""
    lines: Annotated[list[LineName], MinLen(1)]
    """The wagers and bonuses it decides, tips on them included."""
    when: Condition | None = None
    """The seats it speaks of; left out, every seat that no earlier case decided."""
    due: Due
    """What is due."""
    clauses: Annotated[list[ClauseName], MinLen(1)]
    """Where the text says so."""
    readings: list[ReadingName] = Field(default_factory=list)
    """Readings it rests on."""


class Step(Closed):
    """A step of the round, in the order of play: the events that make it up."""

    step: Identifier
    """Its name."""
    title: Prose
    """What happens, in a few words."""
    events: Annotated[list[Kind], MinLen(1)]
    """The kinds of event that belong to it."""
    each: Literal["round", "seat", "stake"] = "round"
    """Whether it happens once a round, once a seat or once a stake."""
    of: list[LineName] = Field(default_factory=list)
    """The wagers and bonuses it is about, in order; left out, any or none."""
    place: Literal["player", "dealer", "community", "burn", "table"] | None = None
    """The place it is about."""
    by: Literal["dealer", "player", "machine"] | None = None
    """Who does it, where the text says."""
    what: Identifier | None = None
    """The words or thing it is about."""
    when: Condition | None = None
    """The seats (or rounds) for which it happens; events elsewhere do not belong to it."""
    turn: Identifier | None = None
    """Steps that follow each other and share a turn are gone through seat by seat."""
    aside: bool = False
    """Not part of the course of a round: it names events that an irregularity brings, or some that another
    step already covers."""


class Miscount(Closed):
    """Cards dealt in the wrong number to a place, as a simulated round may have it."""

    place: Place
    """Where the count goes wrong."""
    declared: StepName
    """The step in which the dealer says so."""
    voids: Literal["seat", "round"]
    """Whether the seat alone or the whole round is over."""


class Exposure(Closed):
    """Cards shown while dealing, as a simulated round may have it."""

    shown: StepName
    """The step in which a card comes to light."""
    covered: StepName
    """The step that follows at once."""


class Irregularities(Closed):
    """What may go wrong in a regular game and how play goes on."""

    miscounts: list[Miscount] = Field(default_factory=list)
    """Wrong numbers of cards."""
    exposures: list[Exposure] = Field(default_factory=list)
    """Cards shown by the dealer."""


class Settlement(Closed):
    """What every wager is due."""

    order: Annotated[list[LineName], MinLen(1)]
    """The order in which a seat's wagers and bonuses are collected and paid."""
    cases: Annotated[list[Case], MinLen(1)]
    """The cases, in order."""
    unlisted: list[Unlisted] = Field(default_factory=list)
    """Categories that some pay table has no row for, though a hand may be of them."""


class Game(Closed):
    """How a round of the game is dealt, wagered, decided and settled."""

    game: Identifier
    """The id of the document it belongs to."""
    title: Prose
    """The game's name."""
    deck: DeckInPlay
    """The cards it is played with."""
    deal: Deal
    """How they are dealt."""
    hands: Annotated[dict[Identifier, Hand], MinLen(1)]
    """The hands that are ranked, by name."""
    wagers: Annotated[dict[Identifier, Wager], MinLen(1)]
    """The wagers, by name."""
    bonuses: dict[Identifier, Bonus] = Field(default_factory=dict)
    """The bonuses, by name."""
    decisions: dict[Identifier, Decision] = Field(default_factory=dict)
    """The decisions, by name."""
    facts: dict[Identifier, Condition] = Field(default_factory=dict)
    """Conditions that rules refer to by name."""
    drawing: dict[Identifier, Drawing] = Field(default_factory=dict)
    """Rules by which cards are exchanged, by name."""
    pay_tables: dict[Identifier, PayTable] = Field(default_factory=dict)
    """Every pay table printed in the text, by name."""
    settlement: Settlement
    """What every wager is due."""
    procedure: Annotated[list[Step], MinLen(1)]
    """The steps of a round, in order of play."""
    irregularities: Irregularities = Field(default_factory=Irregularities)
    """What may go wrong, and how play goes on."""


__all__ = ["CaseName", "DecisionName", "Game", "Step"]
