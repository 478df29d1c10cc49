"""A game as data: what is dealt, what may be wagered and decided, what each wager is due, in what order."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MinLen
from pydantic import Field, model_validator

from validator.evidence.handlog.event_kinds import Kind
from validator.language.conditions import Condition
from validator.language.operands import NumberStated, ReadingIs
from validator.language.refs import (
    CaseName,
    DecisionName,
    DeckName,
    LineName,
    RankingName,
    StageName,
    StepName,
    WagerName,
)
from validator.language.terms import Actor, EventPlace, Place
from validator.results.statuses import Severity
from validator.rules.model.betting import Act, Betting
from validator.rules.model.course import Course, FreeStep, Phase
from validator.rules.model.deal import Deal, Irregularities
from validator.rules.model.histories import Histories
from validator.rules.model.keep_rules import Drawing
from validator.rules.model.pay_tables import PayMatrix, PayTable, Scale
from validator.rules.model.pots import Pots
from validator.rules.model.requirement import Requirement
from validator.rules.model.settlement import Settlement
from validator.rules.model.table import Table
from validator.text.models.model import Closed
from validator.text.models.scalars import Identifier, Prose


class DeckInPlay(Closed):
    """The cards a round is played with."""

    cards: DeckName
    """The deck, by its name in the vocabulary."""
    decks: Annotated[int, Ge(1), Le(12)]
    """How many of it are in play at once."""


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
    cards: Literal["dealt", "held", "open"] = "dealt"
    """`dealt`: the cards as they were dealt. `held`: less those discarded, and those drawn in their stead. `open`: of
    the cards dealt to a player, those that were dealt face up."""
    through: StageName | None = None
    """The last stage of the deal whose open cards count; left out, all do."""
    uses: dict[Place, Annotated[int, Ge(1)]] | None = None
    """How many cards of each place make up the hand, exactly so many; left out, the best of all of them together."""
    best_of: Annotated[int, Ge(2)] | None = None
    """Of how many cards it is the best hand, where its places hold more than its ranking counts. Without it, or `uses`,
    the check of the rules warns that the cards of a later stage may have slipped in."""
    rank_by: RankingName
    """The ranking, by its name in the vocabulary."""
    otherwise: list[OtherRanking] = Field(default_factory=list)
    """Rankings that other readings of the text call for."""

    def rankings(self) -> tuple[str, ...]:
        """The rankings that it may be ranked by, as the text is read."""
        return (self.rank_by, *(other.rank_by for other in self.otherwise))

    def full(self, deal: Deal) -> dict[Place, int]:
        """How many cards each place has that counts in the hand, once all of them are dealt."""
        match self.cards:
            case "held":
                return {**deal.cards, **deal.held}
            case "open":
                return {place: deal.open_cards(place, self.through) for place in self.from_}
            case _:
                return deal.cards


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
    """The seats that may place a tip on it, where the house takes tips; left out, none. It sees the tip as it lies."""
    stake: Literal["kept", "spent"] = "kept"
    """`kept`: it lies on the table until it is settled. `spent`: the house keeps it whatever happens, as a token in
    a machine, unless it is returned; awards are paid beside it, and only the balance counts."""
    requirements: list[Requirement] = Field(default_factory=list)
    """What of it can be broken. Parameters of a pattern that the wager says itself may be left out."""


class EarnedBy(Closed):
    """Whose hands earn a bonus."""

    other_players: Condition
    """Seats of other players: the pay table is read once for each of those that fulfil this, and what it pays adds up.
    Where the log names both players, they are others if their names differ."""


class Bonus(Closed):
    """A payment that needs no stake of its own."""

    title: Prose
    """Its name as players read it."""
    reckoned_on: WagerName
    """The wager whose amount it is reckoned on."""
    earned_by: EarnedBy | None = None
    """The hands of others that earn it; left out, the seat's own."""


class OwnDiscards(Closed):
    """How many of its cards a seat puts aside by its own choice."""

    least: Annotated[int, Ge(0), Le(12)]
    """The fewest."""
    most: Annotated[int, Ge(1), Le(12)]
    """The most."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"{self.least} cards at least and {self.most} at most are none")
        return self


class Decision(Closed):
    """One of the choices open to a seat once it has its cards."""

    title: Prose
    """The choice in a few words."""
    open_to: Condition | None = None
    """The seats that may take it; left out, all."""
    places: WagerName | None = None
    """The wager that taking it places."""
    discards: OwnDiscards | None = None
    """The cards that a seat which takes it puts aside then, of those it was dealt; left out, none. It tells what
    players may choose from when the odds are worked out."""
    kind: Act | None = None
    """What it means in a round of betting; left out, nothing."""
    requirements: list[Requirement] = Field(default_factory=list)
    """What of it can be broken. Parameters of a pattern that the decision says itself may be left out."""


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
    place: EventPlace | None = None
    """The place it is about."""
    by: Actor | None = None
    """Who does it, where the text says."""
    deck: Literal["in-play", "other"] | None = None
    """The deck it happens to: the one in play, which is meant where an event names none, or another."""
    unnamed_deck: Literal["any"] | None = None
    """The deck that an event which names none happened to: any of them, where the table may have several and the event
    is not done by the dealer; left out, the one in play."""
    what: Identifier | None = None
    """The words or thing it is about. Cards that are collected without a word are the `discards` or the `hand` of a
    seat where all that the event names are of those it has put aside, or none is."""
    what_is: Annotated[list[Identifier], MinLen(1)] | None = None
    """The words or thing it is about: one of these."""
    stage: StageName | None = None
    """The stage of the deal in which the cards are handed out, or exchanged."""
    face: Literal["down", "up"] | None = None
    """How the cards lie."""
    decisions: list[DecisionName] = Field(default_factory=list)
    """The decisions it is about; left out, any or none."""
    said_again: bool = False
    """Whether only decisions belong to it that say what the decision of the same seat before them said."""
    pot: Literal["main", "side"] | None = None
    """Which pot it is about: the main pot, or any side pot."""
    of_seats: Literal["winning", "losing"] | None = None
    """The seats it is about: those to which a share of a pot is due, or the others that were dealt in."""
    covers: StepName | None = None
    """A step that shows cards by mistake (`expose`), which this one turns down (`turn-down`): only events after which
    none of those cards lies open belong to it. One that tells no cards turns down all that lie open at its place."""
    after: StepName | None = None
    """A step of the round: only events after the last of it belong to this one, and none of a round without it. Where
    both happen once a seat or stake, those of the same seat are meant, and a seat without it has none."""
    before: StepName | None = None
    """A step of the round: only events before the first of it belong to this one, and none of a round without it; where
    both happen once a seat or stake, of the same seat."""
    but: list[StepName] = Field(default_factory=list)
    """Steps whose events do not belong to this one."""
    stated: NumberStated | None = None
    """What number it states; events that state none do not belong to it."""
    when: Condition | None = None
    """The seats (or rounds) for which it happens; events elsewhere do not belong to it."""
    evident: bool = False
    """Whether what the log leaves open belongs to another step; left out, it is open whether it belongs to this one."""
    turn: Identifier | None = None
    """Steps that follow each other and share a turn are gone through seat by seat."""
    aside: bool = False
    """Not part of the course of a round: it names events that an irregularity brings, or some that another
    step already covers."""
    requirements: list[Requirement] = Field(default_factory=list)
    """What of it can be broken. Parameters of a pattern that the step says itself may be left out."""


class Game(Closed):
    """How a round of the game is dealt, wagered, decided and settled."""

    game: Identifier
    """The id of the document it belongs to."""
    title: Prose
    """The game's name."""
    severity: Severity | None = None
    """How much hangs on those of its requirements of which neither they nor what they are part of says so."""
    deck: DeckInPlay
    """The cards it is played with."""
    deal: Deal
    """How they are dealt."""
    table: Table | None = None
    """The seats, where players play each other."""
    hands: Annotated[dict[Identifier, Hand], MinLen(1)]
    """The hands that are ranked, by name."""
    wagers: Annotated[dict[Identifier, Wager], MinLen(1)]
    """The wagers, by name."""
    bonuses: dict[Identifier, Bonus] = Field(default_factory=dict)
    """The bonuses, by name."""
    decisions: dict[Identifier, Decision] = Field(default_factory=dict)
    """The decisions, by name."""
    betting: Betting | None = None
    """How players bet against each other, where they do."""
    facts: dict[Identifier, Condition] = Field(default_factory=dict)
    """Conditions that rules refer to by name."""
    drawing: dict[Identifier, Drawing] = Field(default_factory=dict)
    """Rules by which cards are exchanged, by name."""
    scales: dict[Identifier, Scale] = Field(default_factory=dict)
    """Quantities cut into bands that pay tables go by, by name."""
    pay_tables: dict[Identifier, PayTable] = Field(default_factory=dict)
    """Every pay table printed in the text, by name."""
    pay_matrices: list[PayMatrix] = Field(default_factory=list)
    """Pay tables that are read side by side; each of them is one of `pay-tables` by that."""
    settlement: Settlement = Field(default_factory=Settlement)
    """What every wager is due that the house settles; left out where all of them join the pots."""
    pots: Pots | None = None
    """How what players put in is divided among them; left out where they play against the house alone."""
    procedure: Annotated[list[Step], MinLen(1)]
    """The steps of a round, in order of play."""
    courses: dict[Identifier, Course] = Field(default_factory=dict)
    """The courses that a round must take, by name. An event that is out of place in one of them is not looked at in
    those that follow it in the list."""
    anywhere: list[FreeStep] = Field(default_factory=list)
    """The steps that are in no course. Where the game has courses, every step is in one or stands here."""
    irregularities: Irregularities = Field(default_factory=Irregularities)
    """What may go wrong, and how play goes on."""
    histories: Histories = Field(default_factory=Histories)
    """How rounds of it are told in formats of other people."""

    def phase_title(self, phase: Phase) -> str:
        """What a phase is, so that it can be said after "before" and "after"."""
        step = next((one for one in self.procedure if [one.step] == phase.steps == [phase.phase]), None)
        named = f"the {phase.phase.replace('-', ' ')}" if step is None else step.title
        return phase.title_ or named

    @model_validator(mode="after")
    def _settled_somehow(self) -> Self:
        if self.pots is None and "settlement" not in self.model_fields_set:
            raise ValueError("`settlement`, `pots` or both must stand here")
        return self


__all__ = ["CaseName", "DecisionName", "Game", "Step"]
