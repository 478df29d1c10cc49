"""How a house plays when a game is simulated: what it has submitted, how many sit down, what they tend to do."""

from typing import Annotated, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import Field, NaiveDatetime, model_validator

from validator.evidence.submission.model import Submission
from validator.language.conditions import Condition, Quantity
from validator.language.refs import CategoryName, DecisionName, DrawingName, HandName, PositionName, StepName, WagerName
from validator.language.terms import Actor, Place
from validator.rules.simulation.manners import Custom
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier, Name

PerMille = Annotated[int, Ge(0), Le(1000)]
Unit = Annotated[int, Ge(1), Le(10**6)]
Minor = Annotated[int, Ge(0), Le(10**12)]
"""An amount in minor currency units."""


class Seating(Closed):
    """How many hands are in a round."""

    least: Annotated[int, Ge(1), Le(32)]
    """The fewest."""
    most: Annotated[int, Ge(1), Le(32)]
    """The most."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"at least {self.least} hands and at most {self.most} cannot both be had")
        return self


class Units(Closed):
    """What amounts are multiples of, in minor currency units."""

    wager: Unit
    """A player's own stakes."""
    tip: Unit
    """Stakes for the dealer."""


class Chances(Closed):
    """How often something happens, in a thousand."""

    wagers: dict[WagerName, PerMille] = Field(default_factory=dict)
    """A wager that may be placed before the deal is placed; one that is left out, as often as not."""
    tip: PerMille = 0
    """A stake that may carry a tip carries one."""
    second_hand: PerMille = 0
    """A seat belongs to the player of the seat before it, as long as the house allows that player more hands."""
    miscounts: dict[Place, PerMille] = Field(default_factory=dict)
    """A place is dealt a card too many or too few, where the game knows such a miscount."""
    claims: dict[WagerName, PerMille] = Field(default_factory=dict)
    """A seat that would be paid if it declared a win on a wager declares it; a wager that is left out, always."""


class Stacks(Closed):
    """The chips that players have on the table, in minor currency units."""

    least: Annotated[int, Ge(1), Le(10**12)]
    """What a player sits down with at least."""
    most: Annotated[int, Ge(1), Le(10**12)]
    """What a player sits down with at most."""
    chips: Annotated[list[Annotated[int, Ge(1), Le(10**9)]], MaxLen(20)] = Field(default_factory=list)
    """What chips there are, each by its value; left out, one, of the unit of wagers."""
    leaves_above: Minor | None = None
    """A player who has more is gone in the next round; left out, nobody leaves for that."""
    adds: PerMille = 0
    """A player who has less than a player sits down with adds chips before the next round; so does one who has
    none, or leaves."""
    short: PerMille = 0
    """In so many rounds players have any number of chips, down to a single unit. The table then opens anew, for nobody
    could have come by them in the round before."""

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"at least {self.least} and at most {self.most} cannot both be had")
        return self


class DeadButton(Closed):
    """A button that lies where nobody takes part."""

    when: Condition | None = None
    """The rounds in which it may; left out, all."""
    chance: PerMille
    """In how many of a thousand of them it does, where the seats leave a position empty for it."""


class Posting(Closed):
    """A wager that players put in before anybody acts, of its posted minimum or, where they have less, of all they
    have."""

    wager: WagerName
    """The wager."""
    when: Condition
    """The seats that put it in."""


class Size(OneOf):
    """How much is bet, or by how much a raise goes beyond the bet before it: a multiple of something. What is below
    the least that is allowed, or above what the player has, is that instead."""

    BESIDE = frozenset({"of"})

    of: Quantity
    """What it is a multiple of, as it is when the seat acts."""
    times: Annotated[list[Annotated[int, Ge(0), Le(1000)]], MinLen(2), MaxLen(2)] = unset()
    """So many times as much, at least and at most."""
    between: Annotated[list[Annotated[int, Ge(0), Le(100_000)]], MinLen(2), MaxLen(2)] = unset()
    """So many thousandths of it, at least and at most."""


class Habit(Closed):
    """What seats tend to decide."""

    decision: DecisionName
    """The decision, where it is open."""
    when: Condition | None = None
    """The seats that tend to it; left out, all. Where there is betting it is asked at every act. A hand is looked at as
    it will be when all cards are dealt, for it is no more than a tendency."""
    chance: PerMille
    """How many in a thousand of them follow the habit."""
    size: Size | None = None
    """How much goes in with it, in a round of betting; left out, the least that is allowed."""


class Discarding(OneOf):
    """What seats tend to put aside, where they may; between betting rounds, in every draw anew."""

    BESIDE = frozenset({"when", "chance"})

    drawing: DrawingName = unset()
    """What rules of drawing ask for, be they for the seat's place or for another."""
    cards: Annotated[int, Ge(0), Le(12)] = unset()
    """So many cards: those that stand alone before those of a pair, and lower ones before higher ones."""
    when: Condition | None = None
    """The seats that tend to it; left out, all."""
    chance: PerMille = 1000
    """How many in a thousand of them follow the habit."""


class MeterRun(Closed):
    """How a meter runs at a table."""

    start: Minor
    """What it reads before the first round, in minor currency units."""
    fed_by: WagerName | None = None
    """The wager that feeds it; left out, the one that the submission names, or else that of its pay table."""
    increment: Minor | None = None
    """What each wager adds, in minor currency units; left out, what the submission says, or else nothing."""
    per_mille: PerMille = 0
    """What is added besides, of every thousand minor units wagered."""


class StepHabit(Closed):
    """How a step is done, where the rules leave it open."""

    by: Actor | None = None
    """Who does it."""
    when: Condition | None = None
    """The seats or rounds in which it is done, of those that the rules name; left out, all. Nothing else hangs on it,
    so it is for steps that change neither cards nor money."""
    states: Quantity | None = None
    """The number or amount that its events state."""
    in_: Literal["chips", "plaques", "coupon", "cash", "words"] | None = None
    """What is wagered in it."""
    deck: Literal["other"] | None = None
    """It is done with the deck that comes next in turn, not with the one in play, where a table has several."""
    from_: Literal["dealer-left", "dealer-right"] | Annotated[list[PositionName], MinLen(1)] | None = None
    """The side from which it goes from seat to seat, with all steps that share its turn, or the positions of the table
    of which the first that some seat has begins; left out, as cards are dealt."""


class Occurrence(OneOf):
    """Steps that are taken now and then beside the course of a round, one event of each, in order.

    What comes by `chance` goes wrong in a round, which goes on from there by the rules: it is void where they say so,
    and where one of the steps is a misdeal among players nobody acts any more and everything that was staked is given
    back. At most one thing goes wrong in a round. All else is done at a table from round to round, and is about the
    round as a whole.
    """

    BESIDE = frozenset({"steps", "when", "of", "states", "before", "after"})

    chance: PerMille = unset()
    """In so many of a thousand rounds."""
    opening: Literal[True] = unset()
    """In the first round after the table opens."""
    rounds: Annotated[int, Ge(1), Le(100_000)] = unset()
    """In every so many-th round after the table opens."""
    hours: Annotated[int, Ge(1), Le(1000)] = unset()
    """In the first round after each so many hours since the table opened."""
    following: Condition = unset()
    """In every round after one of which this holds, at the same table."""
    steps: Annotated[list[StepName], MinLen(1), MaxLen(50)]
    """The steps: what comes to light, and what is done about it."""
    when: Condition | None = None
    """The rounds in which it may go wrong: as they are when all cards are dealt or, where it comes `after` a step, when
    all bets are made; left out, all. Not for a bystander."""
    of: Literal["bystander", "unused-card", "each-deck"] | None = None
    """Whom or what it concerns: somebody at the table who takes no part in the round and is dealt cards in turn, where
    a position is free; a card that nobody is dealt, another one for a step that is there twice; or every deck of the
    table, for each of which the steps are gone through once, by its name. Left out, one of the seats that take part, or
    the round as a whole."""
    states: Quantity | None = None
    """The number that a step states which goes wrong, where that is a count."""
    before: StepName | None = None
    """They come right before the first event of this step; not for what goes wrong."""
    after: StepName | None = None
    """They come right after the last event of this step. What goes wrong comes, or would, in a round that has no such
    step, after this one of the course.

    Where neither stands here they come before all else, and what goes wrong comes in the deal: a count right after it,
    everything else between two packets of it. A card that is drawn is then dealt next; one that is shown, unless in
    the deck itself, is of the packet before."""

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if self.before is not None and self.after is not None:
            raise ValueError("`before` and `after` cannot both stand here")
        return self


class Session(Closed):
    """What happens at a table from round to round."""

    rounds: Annotated[int, Ge(1), Le(10**6)] | None = None
    """After so many rounds the table closes and opens anew; left out, it stays open."""


class StackedBeside(Closed):
    """A rare hand in the same round as another one."""

    hand: HandName
    """A hand whose cards are those dealt to one place: another one than those of the other hands."""
    category: CategoryName
    """What it is to be: a category, mark or band of the hand's ranking."""


class Stacked(StackedBeside):
    """Hands that are rare and still should come up."""

    hand: HandName
    """A hand. Where it is of cards that are held in the end, they are the first of those dealt: whether they are kept
    is up to their holder."""
    chance: PerMille
    """In how many of a thousand rounds some place is dealt one."""
    beside: Annotated[list[StackedBeside], MaxLen(8)] = Field(default_factory=list)
    """Hands of other places in the same round that are rare as well: two players' who win at once, or two that tie.
    Only rounds that have a place for each get any."""


class Simulation(Closed):
    """All that the rules leave open and a simulated round must nevertheless settle."""

    submission: Submission
    """A complying submission, played under where no other is given."""
    tables: Annotated[list[Name], MinLen(1), MaxLen(1000)]
    """The tables, where the submission names none."""
    seats: Seating
    """How many hands are in a round."""
    start: NaiveDatetime
    """When the first round is played; not before the day the submission takes effect."""
    seconds: Annotated[int, Ge(1), Le(86_400)]
    """From one round to the next at the same table."""
    units: Units
    """What amounts are multiples of."""
    chances: Chances
    """How often something happens."""
    habits: list[Habit] = Field(default_factory=list)
    """What seats decide: the first habit that fits a seat and comes up. A seat without one takes any open
    decision if it has to, else none."""
    never: list[Condition] = Field(default_factory=list)
    """Acts of betting that nobody makes, asked of each as it is about to be made: who would make one calls or checks
    instead."""
    manners: Annotated[list[Custom], MaxLen(50)] = Field(default_factory=list)
    """What players show of their acts of betting ahead of them: the first manner that fits an act and comes up; without
    one, nothing."""
    discards: list[Discarding] = Field(default_factory=list)
    """What seats put aside, once they have decided: the first habit that fits a seat and comes up; without one,
    nothing."""
    meters: dict[Identifier, MeterRun] = Field(default_factory=dict)
    """Every meter that is recorded, by its name in hand logs. Each table has its own."""
    steps: dict[StepName, StepHabit] = Field(default_factory=dict)
    """How steps are done."""
    occurrences: Annotated[list[Occurrence], MaxLen(200)] = Field(default_factory=list)
    """What is done now and then, in the order in which it comes where several things do, and what goes wrong."""
    stacks: Stacks | None = None
    """The chips that players have, where players play against each other. The button then goes round from round to
    round, and players keep what they have."""
    dead_button: DeadButton | None = None
    """When the button, which always moves on by one position, comes to an empty one; left out, never."""
    forced: list[Posting] = Field(default_factory=list)
    """Who puts in what before anybody acts."""
    session: Session | None = None
    """What happens from round to round. Left out, rounds have no numbers, no deck is named, and nothing is done now and
    then."""
    stacked: list[Stacked] = Field(default_factory=list)
    """Rare hands that come up more often than luck would have it: each in rounds of its own."""

    @property
    def goes_wrong(self) -> list[Occurrence]:
        """What goes wrong by chance."""
        return [one for one in self.occurrences if one.operator == "chance"]

    @property
    def now_and_then(self) -> list[Occurrence]:
        """What is done from round to round."""
        return [one for one in self.occurrences if one.operator != "chance"]
