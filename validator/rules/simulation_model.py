"""Models of a simulation: the submission, the number of players, and their habits."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import NaiveDatetime, model_validator

from fairdeal.validator.evidence.submission_model import Submission
from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import Actor, Place
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.rules.fault_model import MannerHabit
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    ClosedModel,
    Identifier,
    Name,
    OneOperatorModel,
)
from fairdeal.validator.text.plain_values import Money, PositiveMoney

PerMille = Annotated[int, Ge(0), Le(1000)]


class HandsPerRound(ClosedModel):
    """The number of hands in a round."""

    at_least: Annotated[int, Ge(1), Le(32)]
    """The lowest number."""
    at_most: Annotated[int, Ge(1), Le(32)]
    """The highest number."""

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.at_least > self.at_most:
            raise ValueError(f"the lowest number of hands, {self.at_least}, is above the highest, {self.at_most}")
        return self


class Units(ClosedModel):
    """Smallest steps of amounts."""

    wager: PositiveMoney
    """Unit of the own stakes of players."""
    tip: PositiveMoney
    """Unit of stakes for the dealer."""


class SimulationChances(ClosedModel):
    """Chances of events, in a thousand."""

    wagers: dict[grammar.WagerName, PerMille] = {}
    """Chance that a wager is placed that may be placed before the deal, or that a debt is collected in a round. Wagers
    that are left out: one half."""
    tip: PerMille = 0
    """Chance that a stake which may carry a tip carries one."""
    second_hand: PerMille = 0
    """Chance that a seat belongs to the player of the seat before it, if that player is allowed more hands."""
    miscounts: dict[Place, PerMille] = {}
    """Chance that a place is dealt one card too many or too few, if the game defines such a miscount."""
    claims: dict[grammar.WagerName, PerMille] = {}
    """Chance that a seat declares a win that would be paid. Wagers that are left out: always."""


class StackLimits(ClosedModel):
    """Chips of players on the table."""

    at_least: PositiveMoney
    """The least chips with which a player sits down."""
    at_most: PositiveMoney
    """The most chips with which a player sits down."""
    chips: Annotated[list[PositiveMoney], MaxLen(20)] = []
    """Values of the chips in play. Left out, one value: the unit of wagers."""
    leaves_above: Money | None = None
    """A player who has more leaves before the next round. Left out, nobody leaves for that reason."""
    adds: PerMille = 0
    """Chance that a player with fewer chips than a player sits down with adds chips before the next round. A player
    without chips adds some or leaves."""
    short: PerMille = 0
    """Number of rounds in a thousand in which players have any amount of chips, down to a single unit. The table then
    opens anew, because the amounts do not follow from the previous round."""

    @model_validator(mode="after")
    def _require_order(self) -> Self:
        if self.at_least > self.at_most:
            raise ValueError(f"the lowest amount, {self.at_least}, is above the highest, {self.at_most}")
        return self


class DeadButton(ClosedModel):
    """A button at a position without a player."""

    when: Condition | None = None
    """The rounds in which it may happen. Left out, all."""
    chance: PerMille
    """Number of such rounds in a thousand in which it happens, if the seats leave a position empty."""


class Posting(ClosedModel):
    """A wager that players put in before any seat acts: its posted minimum or, if they have less, all their chips."""

    wager: grammar.WagerName
    """The wager."""
    when: Condition
    """The seats that put it in."""


class Size(OneOperatorModel):
    """The size of a bet, or the amount by which a raise exceeds the bet before it, as a multiple of a quantity. It is
    limited to the range from the least permitted amount to the chips of the player."""

    COMPANIONS = frozenset({"of"})

    of: Quantity
    """The quantity, when the seat acts."""
    times: Annotated[list[Annotated[int, Ge(0), Le(1000)]], MinLen(2), MaxLen(2)] = NO_OPERAND
    """The lowest and the highest factor."""
    between: Annotated[list[Annotated[int, Ge(0), Le(100_000)]], MinLen(2), MaxLen(2)] = NO_OPERAND
    """The lowest and the highest factor in thousandths."""


class Habit(ClosedModel):
    """A decision that seats tend to take."""

    decision: grammar.DecisionName
    """The decision, if it is open to the seat."""
    when: Condition | None = None
    """The seats with the habit. Left out, all. With betting, it is evaluated at every act. Conditions on a hand use the
    hand after the whole deal."""
    chance: PerMille
    """Number of such seats in a thousand that follow the habit."""
    size: Size | None = None
    """The amount put in with it, in a betting round. Left out, the least permitted amount."""


class Discarding(OneOperatorModel):
    """Cards that seats tend to discard, if they may. Between betting rounds it applies to every draw anew."""

    COMPANIONS = frozenset({"when", "chance"})

    drawing: grammar.DrawingName = NO_OPERAND
    """The drawing rules to follow, for the place of the seat or for another place."""
    cards: Annotated[int, Ge(0), Le(12)] = NO_OPERAND
    """Number of cards to discard: cards without a pair before pairs, lower cards before higher ones."""
    when: Condition | None = None
    """The seats with the habit. Left out, all."""
    chance: PerMille = 1000
    """Number of such seats in a thousand that follow the habit."""


class MeterRun(ClosedModel):
    """A meter at a table. The submission states the wager that feeds it and the amount that each such wager adds."""

    start: Money
    """Value before the first round."""


class StepHabit(ClosedModel):
    """Details of a step that the rules leave open."""

    by: Actor | None = None
    """The actor."""
    when: Condition | None = None
    """The seats or rounds in which the step is done, among those that the rules name. Left out, all. Use it only for
    steps that change neither cards nor money."""
    states: Quantity | None = None
    """The number or amount that its events state."""
    in_: Literal["chips", "plaques", "coupon", "cash", "words"] | None = None
    """The means of the wager."""
    deck: Literal["other"] | None = None
    """`other`: with several decks, the step uses the next deck, not the one in play."""
    from_: Literal["dealer-left", "dealer-right"] | Annotated[list[grammar.PositionName], MinLen(1)] | None = None
    """The side of the first seat, for all steps that share its turn. Or positions of the table: the first that some
    seat has begins. Left out, the order of the deal."""


class Occurrence(OneOperatorModel):
    """Steps that happen occasionally in addition to the regular steps of a round: one event of each, in order.

    An occurrence by `chance` is an irregularity, after which the round continues by the rules. The round is void if
    they say so. If one of the steps is a misdeal among players, no player acts any more and all stakes are returned. A
    round has at most one irregularity. If rounds are varied, one against the house may have two of different kinds. All
    other occurrences happen at a table from round to round and concern the whole round.
    """

    COMPANIONS = frozenset({"steps", "when", "of", "states", "before", "after"})

    chance: PerMille = NO_OPERAND
    """Number of rounds in a thousand in which it happens."""
    opening: Literal[True] = NO_OPERAND
    """It happens in the first round after the table opens."""
    rounds: Annotated[int, Ge(1), Le(100_000)] = NO_OPERAND
    """It happens in every n-th round after the table opens, with this n."""
    hours: Annotated[int, Ge(1), Le(1000)] = NO_OPERAND
    """It happens in the first round each time this number of hours has passed since the table opened."""
    shoe: Annotated[int, Ge(1), Le(10_000)] = NO_OPERAND
    """It happens before the round in which this number of cards of the shoe would be exceeded, or the copies of a card.
    Cards are counted since it last happened. For decks that last until they are shuffled."""
    shoe_ends: Annotated[int, Ge(1), Le(10_000)] = NO_OPERAND
    """It happens in the last round of a `shoe` with this number of cards, such as when the cutting card comes out."""
    following: Condition = NO_OPERAND
    """It happens in every round whose previous round at the table satisfies this condition."""
    steps: Annotated[list[grammar.StepName], MinLen(1), MaxLen(50)]
    """The steps: the irregularity, and the response to it."""
    when: Condition | None = None
    """The rounds in which an irregularity may happen. Left out, all. The condition sees the round after the deal or,
    with `after`, after all bets. Not for a bystander."""
    of: Literal["bystander", "unused-card", "each-deck"] | None = None
    """The subject. `bystander`: a player at the table who takes no part in the round and is dealt cards in turn, if a
    position is free. `unused-card`: a card that nobody is dealt; a step that is listed twice has two such cards.
    `each-deck`: every deck of the table, with all steps once for each, by name. Left out, one of the seats that take
    part, or the whole round."""
    states: Quantity | None = None
    """The number that the irregular step states, if it is a count."""
    before: grammar.StepName | None = None
    """The events come just before the first event of this step. Not for irregularities."""
    after: grammar.StepName | None = None
    """The events come just after the last event of this step. In a round without the step, an irregularity comes at the
    place of the step.

    With neither `before` nor `after`, the events come first in the round. An irregularity then comes in the deal: a
    count just after it, everything else between two packets. A card that is drawn is then dealt next. A card that is
    shown belongs to the packet before, unless it is in the deck."""

    @model_validator(mode="after")
    def _forbid_both_sides(self) -> Self:
        if self.before is not None and self.after is not None:
            raise ValueError("`before` and `after` cannot be given together")
        return self


class SimulatedSession(ClosedModel):
    """The session of a table."""

    rounds: Annotated[int, Ge(1), Le(10**6)] | None = None
    """Number of rounds after which the table closes and opens anew. Left out, it stays open."""


class CompanionHand(ClosedModel):
    """A rare hand in the same round as another one."""

    hand: grammar.HandName
    """A hand with the cards dealt to one place, which must differ from the places of the other hands."""
    is_: grammar.CategoryName
    """The category, mark or band that it has."""


class StackedHand(CompanionHand):
    """A rare hand that should happen more often."""

    hand: grammar.HandName
    """The hand. If it consists of cards held at the end, they are the first cards dealt; their holder may discard
    them."""
    chance: PerMille
    """Number of rounds in a thousand in which a place is dealt such a hand."""
    beside: Annotated[list[CompanionHand], MaxLen(8)] = []
    """Further rare hands of other places in the same round, for example of two players who win at once or tie. Only
    rounds with a place for each have them."""


class Simulation(ClosedModel):
    """Choices that the rules leave open and a simulation must make."""

    CURRENCY_AT = ("submission", "currency")

    submission: Submission
    """A compliant submission, used if no other is given."""
    tables: Annotated[list[Name], MinLen(1), MaxLen(1000)]
    """The tables, if the submission names none."""
    seats: HandsPerRound
    """The number of hands in a round."""
    start: NaiveDatetime
    """Time of the first round, not before the effective day of the submission."""
    seconds: Annotated[int, Ge(1), Le(86_400)]
    """Seconds from one round to the next at the same table."""
    units: Units
    """Units of amounts."""
    chances: SimulationChances
    """Chances of events."""
    habits: list[Habit] = []
    """Decisions of seats, by the first habit that fits a seat and whose chance comes up. A seat without a habit takes
    any open decision if it must, else none."""
    never: list[Condition] = []
    """Acts of betting that no player makes, evaluated just before each act. The player calls or checks instead."""
    manners: Annotated[list[MannerHabit], MaxLen(50)] = []
    """Words and chips of players before acts of betting, by the first manner that fits and whose chance comes up.
    Without one, none."""
    discards: list[Discarding] = []
    """Discards of seats after their decision, by the first habit that fits and whose chance comes up. Without one,
    none."""
    meters: dict[Identifier, MeterRun] = {}
    """The recorded meters, by name in hand logs. Each table has its own."""
    steps: dict[grammar.StepName, StepHabit] = {}
    """Details of steps."""
    occurrences: Annotated[list[Occurrence], MaxLen(200)] = []
    """Occasional steps and irregularities. Several in one round happen in this order."""
    stacks: StackLimits | None = None
    """Chips of players, for games in which players play against each other. The button then moves from round to round,
    and players keep their chips."""
    dead_button: DeadButton | None = None
    """The chance that the button, which moves by one position, reaches an empty one. Left out, never."""
    forced: list[Posting] = []
    """Wagers put in before any seat acts."""
    session: SimulatedSession | None = None
    """The session of each table. Left out, rounds have no numbers, no deck is named, and there are no occasional
    steps."""
    stacked: list[StackedHand] = []
    """Rare hands that happen more often than by chance, each in rounds of its own."""

    @property
    def irregular_occurrences(self) -> list[Occurrence]:
        """Irregularities: occurrences by chance."""
        return [occurrence for occurrence in self.occurrences if occurrence.operator == "chance"]

    @property
    def regular_occurrences(self) -> list[Occurrence]:
        """Occasional steps from round to round: all other occurrences."""
        return [occurrence for occurrence in self.occurrences if occurrence.operator != "chance"]
