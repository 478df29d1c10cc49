"""Models of a game: deck, hands, wagers, decisions and acts."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Annotated, ClassVar, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, PrivateAttr, model_validator

from fairdeal.validator.evidence.event_kinds import EventKind
from fairdeal.validator.language.grammar import (
    Actor,
    CaseName,
    DecisionName,
    DeckName,
    EventPlace,
    LineName,
    NumberStated,
    OutcomeName,
    Place,
    RankingName,
    ReadingIs,
    StageName,
    StepName,
    WagerName,
)
from fairdeal.validator.language.round_conditions import Condition, Outcome, Selection
from fairdeal.validator.language.submission_conditions import join_names
from fairdeal.validator.results.findings import Severity
from fairdeal.validator.rules.betting_model import ActKind, Betting, Histories, Pots, Table
from fairdeal.validator.rules.check_model import BoundedMilestone, Moment
from fairdeal.validator.rules.deal_model import Deal, Drawing, Miscount
from fairdeal.validator.rules.payment_model import BankShare, Commission, PayMatrix, PayTable, Scale, Settlement, Void
from fairdeal.validator.rules.requirement_model import Milestone, Requirement
from fairdeal.validator.text.closed_model import ClosedModel, Identifier, Prose
from fairdeal.validator.text.positioned_document import DataPath

__all__ = ["Act", "CaseName", "DecisionName", "Game"]


class DeckInPlay(ClosedModel):
    """The cards of a round."""

    cards: DeckName
    """The deck, by its name in the vocabulary."""
    decks: Annotated[int, Ge(1), Le(12)]
    """Number of such decks in play at once."""
    lasts: Literal["one-round", "until-shuffled"] = "one-round"
    """`one-round`: every round is dealt from all cards. `until-shuffled`: cards that were dealt stay out until the next
    shuffle, as in a shoe."""


class OtherRanking(ClosedModel):
    """The ranking of a hand under another option of a reading."""

    reading: ReadingIs
    """The option under which it applies."""
    rank_by: RankingName
    """The ranking under that option."""


class Hand(ClosedModel):
    """Cards that are ranked together."""

    title: Prose
    """Title, in a few words."""
    from_: Annotated[list[Place], MinLen(1)]
    """The places whose cards it uses: the player at the seat, the dealer, the community."""
    cards: Literal["dealt", "held", "open", "set-high", "set-low"] = "dealt"
    """`dealt`: the cards as dealt. `held`: the cards dealt, without those discarded and with those drawn. `open`: the
    cards dealt face up. `set-high` and `set-low`: the cards that the place set into its High Hand or its Low Hand, in
    its last event `set`."""
    through: StageName | None = None
    """The last stage of the deal whose cards count: the hand as it was after that stage. Left out, all count."""
    stage: StageName | Annotated[list[StageName], MinLen(1)] | None = None
    """The only stage of the deal whose cards count, or several that follow each other. The cards are those that were
    dealt then, even if a split moved one. Left out, all count."""
    uses: dict[Place, Annotated[int, Ge(1)]] | None = None
    """The exact number of cards of each place in the hand. Left out, the best of all cards together."""
    best_of: Annotated[int, Ge(2)] | None = None
    """The number of cards from which the best hand is taken, if the places hold more cards than the ranking counts.
    Without it or `uses`, the check of rules warns that cards of a later stage may be included by mistake."""
    rank_by: RankingName
    """The ranking, by its name in the vocabulary."""
    otherwise: list[OtherRanking] = []
    """Rankings under other readings of the text."""

    def list_rankings(self) -> tuple[str, ...]:
        """Return all rankings that the hand may have under the readings."""
        return (self.rank_by, *(other.rank_by for other in self.otherwise))

    @property
    def only_stages(self) -> tuple[str, ...]:
        """The only stages whose cards count; none if all count."""
        return () if self.stage is None else (self.stage,) if isinstance(self.stage, str) else tuple(self.stage)

    @property
    def is_set(self) -> bool:
        """Return whether the place sets its cards into the hand."""
        return self.cards in ("set-high", "set-low")

    def count_full_cards(self, deal: Deal) -> dict[Place, int]:
        """Return the most cards of each place that count in the hand, after the whole deal."""
        match self.cards:
            case "held":
                return {**deal.cards, **deal.held}
            case "open":
                return {place: deal.count_open_cards(place, self.through) for place in self.from_}
            case _:
                return {place: deal.locate_cards(place, self.through, self.only_stages)[2] for place in deal.cards}

    def count_fewest_cards(self, deal: Deal) -> dict[Place, int]:
        """Return the fewest cards of each place with which the hand is complete."""
        match self.cards:
            case "dealt":
                return {place: deal.locate_cards(place, self.through, self.only_stages)[1] for place in deal.cards}
            case "held":
                return {place: deal.held.get(place, deal.fewest_cards.get(place, 0)) for place in deal.cards}
            case _:
                return self.count_full_cards(deal)


_Factor = Annotated[int, Ge(1), Le(100)]


class Bank(ClosedModel):
    """A player against whom the other players of a round win and lose."""

    outcome: OutcomeName
    """The outcome whose value is the number of the seat. With any other value, the house has the bank."""
    commission: Commission | None = None
    """The part that the house charges of what the seat wins in the round, less its losses. It states `owed`, a debt of
    the seat. Left out, none."""

    @model_validator(mode="after")
    def _require_debt(self) -> Self:
        if self.commission is not None and self.commission.owed is None:
            raise ValueError("the commission of a bank is `owed` on a debt")
        return self


class Wager(ClosedModel):
    """A stake that a player may place."""

    title: Prose
    """Title, as players read it."""
    placed: Literal["before-the-deal", "before-the-outcome", "with-a-decision", "with-a-payment"]
    """The time at which it may be placed: before the cards are dealt, before the result that is no card, or with a
    decision. `with-a-payment`: it is a debt, marked when a payment makes a commission due, and taken when it is
    collected."""
    amount: _Factor | Annotated[list[_Factor], MinLen(2), MaxLen(20)] | None = None
    """The factor of the wager under `of` that it must equal. Or the permitted factors, among which decisions choose."""
    of: WagerName | None = None
    """The wager that its amount is a multiple of."""
    behind: WagerName | None = None
    """The wager behind which it is placed: only with a stake of the seat on that wager, on the same selection."""
    when: Condition | None = None
    """A condition that must hold to place it: on other wagers of the seat or of others, on a carried result."""
    tip: Condition | None = None
    """The seats that may place a tip on it, if the licensee takes tips. Left out, none. The condition sees the tip as
    placed."""
    stake: Literal["kept", "spent"] = "kept"
    """`kept`: it stays on the table until it is settled. `spent`: the house keeps it in any case, like a token in a
    machine, unless it is returned. Awards are then paid separately, and only the balance counts."""
    against: Bank | None = None
    """The player who may have the bank, and then wins or loses the stake. Left out, always the house."""
    selects: Selection | None = None
    """Selections of the player, such as the numbers of a split. A seat may have a stake on each of them. Left out, the
    wager has no selection."""
    requirements: list[Requirement] = []
    """Requirements on the wager. Parameters of a pattern that the wager itself states may be left out."""

    @property
    def is_opening(self) -> bool:
        """Return whether it is placed at the start of a round, and not with a decision or a payment."""
        return self.placed in ("before-the-deal", "before-the-outcome")

    @property
    def is_free(self) -> bool:
        """Return whether it can be placed whatever else the seat has placed."""
        return self.when is None and self.of is None and self.behind is None

    @property
    def factors(self) -> tuple[int, ...]:
        """The permitted factors of the wager under `of`; none if the amount is free."""
        return tuple(self.amount) if isinstance(self.amount, list) else () if self.amount is None else (self.amount,)


class Bonus(ClosedModel):
    """A payment that needs no stake of its own."""

    title: Prose
    """Title, as players read it."""
    of: WagerName
    """The wager on whose amount it is computed."""
    earned_by: Condition | None = None
    """The seats of other players whose hands earn it. The pay table applies once for each seat that satisfies this
    condition, and the payments add up. If the log names both players, they are different players if their names differ.
    Left out, the hand of the seat itself earns it."""


class OwnDiscards(ClosedModel):
    """The number of cards that a seat discards by its own choice."""

    at_least: Annotated[int, Ge(0), Le(12)]
    """The lowest number."""
    at_most: Annotated[int, Ge(1), Le(12)]
    """The highest number."""

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.at_least > self.at_most:
            raise ValueError(f"the lowest number, {self.at_least}, is above the highest, {self.at_most}")
        return self


class Decision(ClosedModel):
    """A choice open to a seat after it has its cards."""

    title: Prose
    """Title, in a few words."""
    when: Condition | None = None
    """The seats that may take it. Left out, all."""
    places: WagerName | None = None
    """The wager that the decision places."""
    amount: _Factor | None = None
    """The factor of that wager, if several are permitted."""
    discards: OwnDiscards | None = None
    """The cards that a seat which takes it discards. Left out, none. It defines the choices of players for the
    computation of odds."""
    splits: WagerName | None = None
    """The second card of the hand begins a hand of its own, with an equal stake on this wager. It defines how players
    split in simulations and odds."""
    kind: ActKind | None = None
    """Meaning in a betting round. Left out, none."""
    requirements: list[Requirement] = []
    """Requirements on the decision. Parameters of a pattern that the decision itself states may be left out."""


_SEAT_EVENTS = frozenset(
    {"wager", "withdraw", "pay", "collect", "return", "decide", "declare", "tender", "split", "tuck", "claim"}
    | {"chips-in", "chips-out", "arrive", "leave"}
)
"""Kinds of event that concern one seat."""


class Act(ClosedModel):
    """A name for events of a round. It requires nothing by itself."""

    title: Prose
    """Description as a short sentence."""
    event: EventKind | Annotated[list[EventKind], MinLen(1)]
    """Kind of event that belongs to it, or several kinds."""
    each: Literal["round", "seat"] | None = None
    """`round` or `seat`: the act happens once for each. Left out, `seat` for events of a seat or a stake, and for
    events at the place `player` other than the deal; else `round`."""
    of: list[LineName] = []
    """Wagers and bonuses of the events, in order. Left out, any or none."""
    place: EventPlace | None = None
    """Place of the events."""
    by: Actor | None = None
    """Actor of the events, if the text names one."""
    deck: Literal["in-play", "other"] | None = None
    """The deck of the events: the one in play, or another. An event that names no deck means the deck in play."""
    unnamed_deck: Literal["any"] | None = None
    """`any`: an event that names no deck may concern any deck. Use it if the table may have several decks and the
    dealer does not do the step. Left out, such an event concerns the deck in play."""
    what: Identifier | Annotated[list[Identifier], MinLen(1)] | None = None
    """The words or thing of the events, or several, one of which it is. Cards collected without such a word are the
    `discards` of a seat if the event names only cards that it has discarded. They are the `hand` if it names none of
    those."""
    stage: StageName | None = None
    """The stage of the deal in which the cards are dealt or exchanged."""
    face: Literal["down", "up"] | None = None
    """Side of the cards."""
    decisions: list[DecisionName] = []
    """Decisions of the events. Left out, any or none."""
    said_again: bool = False
    """True if only decisions belong to it that repeat the previous decision of the same seat."""
    pot: Literal["main", "side"] | None = None
    """The pot of the events: the main pot, or any side pot."""
    of_seats: Literal["winning", "losing"] | None = None
    """The seats of the events. `winning`: a share of a pot is due to them. `losing`: all other seats that were dealt
    in."""
    covers: StepName | None = None
    """An act that exposes cards by mistake (`expose`), which this act turns down (`turn-down`). Only events after
    which none of those cards is face up belong to it. An event that lists no cards turns down all cards that are face
    up at its place."""
    after: StepName | None = None
    """An act. Only events after its last event belong to this act; without it, none do. If both are acts of each seat,
    this applies seat by seat."""
    before: StepName | None = None
    """An act. Only events before its first event belong to this act; without it, none do. If both are acts of each
    seat, this applies seat by seat."""
    but: list[StepName] = []
    """Acts whose events do not belong to this one."""
    stated: NumberStated | None = None
    """Condition on the number that the event states. Events without a number do not belong to it."""
    when: Condition | None = None
    """The seats or rounds for which it happens. Events of others do not belong to it."""
    evident: bool = False
    """True if events that the log leaves open belong to another act. Left out, they may belong to this act."""
    turn: Identifier | None = None
    """Name of a turn. Consecutive acts with the same turn happen seat by seat."""
    requirements: list[Requirement] = []
    """Requirements on the act. Parameters of a pattern that the act itself states may be left out."""

    _name: str = PrivateAttr("")

    @property
    def name(self) -> str:
        """The name of the act in its game."""
        return self._name

    @cached_property
    def events(self) -> tuple[EventKind, ...]:
        """All kinds of event that belong to it."""
        return (self.event,) if isinstance(self.event, str) else tuple(self.event)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words or things of the events, one of which an event has; none if they do not matter."""
        return () if self.what is None else (self.what,) if isinstance(self.what, str) else tuple(self.what)

    @cached_property
    def word(self) -> str | None:
        """The only word or thing of the events; None if there is none, or if there are several."""
        return self.what if isinstance(self.what, str) else None

    @cached_property
    def grain(self) -> Literal["round", "seat"]:
        """The unit, such as the seat, that has the act once."""
        return self.each or find_usual_grain(self.events, self.place)


def find_usual_grain(kinds: Collection[str], place: str | None) -> Literal["round", "seat"]:
    """Return the unit, such as the seat, that has events of some kinds at a place, unless an act states another."""
    is_of_seat = not _SEAT_EVENTS.isdisjoint(kinds) or (place == "player" and "deal" not in kinds)
    return "seat" if is_of_seat else "round"


class Game(ClosedModel):
    """The rules of a game: how a round is dealt, wagered, decided and settled."""

    KEY_HELP: ClassVar = {
        "courses": "write `milestones`: at the `first` act of each phase, the acts of earlier phases `before` it"
    }

    game: Identifier
    """Id of the document that it belongs to."""
    title: Prose
    """Name of the game."""
    severity: Severity | None = None
    """Severity of requirements for which neither they nor the part of the game they belong to states one."""
    outcomes: dict[Identifier, Outcome] = {}
    """The results that are no cards, by name."""
    deck: DeckInPlay | None = None
    """The cards in play. A game with `outcomes` may have no cards: then it has no `deck`, `deal` and `hands`."""
    deal: Deal = Field(default_factory=lambda: Deal.model_construct(stages=[], held={}))
    """The deal."""
    table: Table | None = None
    """The seats, if players play against each other."""
    hands: dict[Identifier, Hand] = {}
    """The hands that are ranked, by name."""
    wagers: Annotated[dict[Identifier, Wager], MinLen(1)]
    """The wagers, by name."""
    bonuses: dict[Identifier, Bonus] = {}
    """The bonuses, by name."""
    decisions: dict[Identifier, Decision] = {}
    """The decisions, by name."""
    betting: Betting | None = None
    """The betting, if players bet against each other."""
    facts: dict[Identifier, Condition] = {}
    """Conditions that rules refer to by name."""
    drawing: dict[Identifier, Drawing] = {}
    """Drawing rules by which cards are exchanged, by name."""
    scales: dict[Identifier, Scale] = {}
    """Scales by which pay tables may pay, by name."""
    pay_tables: dict[Identifier, PayTable] = {}
    """All pay tables printed in the text, by name."""
    pay_matrices: list[PayMatrix] = []
    """Pay tables printed side by side. Each of them counts as one of `pay-tables`."""
    settlement: Settlement = Field(default_factory=Settlement)
    """The amounts due on wagers that the house settles. Left out if all wagers join the pots."""
    pots: Pots | None = None
    """The pots and their division among players. Left out if players play only against the house."""
    acts: Annotated[dict[Identifier, Act], MinLen(1)]
    """The acts of a usual round by name, in the usual order of play. A simulated round has them in this order."""
    other_events: dict[Identifier, Act] = {}
    """Names for other events: irregularities, work between rounds, or a part of the events of an act. A usual round
    does not have them in addition to its acts."""
    milestones: list[Milestone] = []
    """The events of a round that acts may not pass, in the order in which they are checked. An act that passes several
    is reported at the first of them."""
    void: Void | None = None
    """Causes that make a hand or a round void, and their consequences."""
    miscounts: list[Miscount] = []
    """Wrong numbers of cards after which play continues by the rules, in addition to those under `void`."""
    histories: Histories = Field(default_factory=Histories)
    """Names of the game in external formats of rounds."""

    @property
    def all_acts(self) -> dict[str, Act]:
        """All acts and other events by name, the acts first."""
        return {**self.acts, **self.other_events}

    def locate_act(self, name: str) -> DataPath:
        """Return the place of an act, or of other events, in the file of the game."""
        return ("acts" if name in self.acts else "other-events", name)

    def describe_acts(self, acts: Iterable[str], joint: Literal["and", "or"] = "or") -> str:
        """Return the titles of some acts, joined for use after "before" and "after"."""
        return join_names([*dict.fromkeys(self.all_acts[act].title for act in acts)], joint)

    def describe_moment(self, moment: Moment) -> str:
        """Return the acts whose first or last event makes a moment: what comes after the last comes after all."""
        return self.describe_acts(moment.acts, "and" if moment.operator == "last" else "or")

    def describe_milestone(self, milestone: BoundedMilestone) -> str:
        """Return when the acts of a milestone may come: `the player folds, only before the dealer shows the hand`."""
        at = self.describe_moment(milestone.at)
        required = [
            act for act in milestone.must_happen if act not in {*milestone.before, *milestone.after, *milestone.at.acts}
        ]
        sides = (("before", [*milestone.before, *required]), ("after", milestone.after))
        return "; ".join(f"{self.describe_acts(acts)}, only {side} {at}" for side, acts in sides if acts)

    def precedes_betting(self, moment: Moment) -> bool:
        """Return whether a moment comes before the betting: in a game with betting, if the deal of a card makes it."""
        return self.betting is not None and any("deal" in self.all_acts[act].events for act in moment.acts)

    @model_validator(mode="after")
    def _name_acts(self) -> Self:
        for name in self.acts.keys() & self.other_events.keys():
            raise ValueError(f"`{name}` is the name of an act and of other events: give one of them another name")
        for name, act in self.all_acts.items():
            act._name = name
        return self

    @property
    def decks(self) -> int:
        """Number of decks in play at once; 0 without cards."""
        return 0 if self.deck is None else self.deck.decks

    @cached_property
    def staying_wagers(self) -> tuple[str, ...]:
        """Wagers whose stakes may stay on the table for later rounds."""
        lines = dict.fromkeys(line for case in self.settlement.cases if case.due.leaves_stake for line in case.lines)
        return tuple(line for line in lines if line in self.wagers)

    @cached_property
    def banking_outcomes(self) -> tuple[str, ...]:
        """Results that are the numbers of seats with the bank."""
        return tuple(
            dict.fromkeys(wager.against.outcome for wager in self.wagers.values() if wager.against is not None)
        )

    @cached_property
    def bank_shares(self) -> dict[str, BankShare]:
        """Wagers that are a share of the bank."""
        cases = (case for case in self.settlement.cases if case.due.operator == "share")
        return {line: case.due.operand for case in cases for line in case.lines}

    @cached_property
    def carried_outcomes(self) -> tuple[str, ...]:
        """Results that are carried from round to round."""
        return tuple(name for name, outcome in self.outcomes.items() if outcome.becomes)

    @model_validator(mode="after")
    def _require_cards_or_outcomes(self) -> Self:
        given = {"deck", "deal", "hands"} & self.model_fields_set
        if not given and not self.outcomes:
            raise ValueError("a game needs `outcomes`, or cards with `deck`, `deal` and `hands`")
        if 0 < len(given) < 3 or (given and not self.hands):
            raise ValueError("a game with cards needs all of `deck`, `deal` and `hands`")
        return self

    @model_validator(mode="after")
    def _require_settlement_or_pots(self) -> Self:
        if self.pots is None and "settlement" not in self.model_fields_set:
            raise ValueError("`settlement`, `pots` or both must be given")
        return self
