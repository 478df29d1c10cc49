"""How a simulated round is made to break a requirement: changes to stakes, payments, cards and events."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field

from validator.language.conditions import Condition
from validator.language.refs import LineName, StepName
from validator.language.terms import Actor, EventPlace, Number, Place
from validator.rules.simulation.manners import Manner
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier


class Alter(Closed):
    """A field of the events of a step that is recorded otherwise than it should be."""

    step: StepName
    """The step; its first event in the round is altered, where that makes a difference."""
    face: Literal["down", "up"] | None = None
    """How its cards lie instead."""
    by: Actor | None = None
    """Who does it instead."""
    cards: Literal["reversed", "fewer"] | None = None
    """Its cards in the opposite order, or all but the last."""
    in_: Literal["chips", "plaques", "coupon", "cash", "words"] | None = None
    """What is wagered in it instead."""
    deck: Literal["in-play"] | None = None
    """It is done with the deck in play instead of another one."""
    number: Number | None = None
    """The number or amount it states instead."""
    what: Identifier | None = None
    """The words or thing it is about instead."""
    positions: Annotated[list[Annotated[int, Ge(1), Le(9)]], MinLen(1)] | None = None
    """Where its cards lay instead, counted from the dealer's left."""
    place: EventPlace | None = None
    """Where it happens instead; not a place of the seats."""
    pot: Annotated[int, Ge(0), Le(31)] | None = None
    """The number of the pot that it names instead, the main pot being 0."""

    @property
    def spots(self) -> str | None:
        """The positions as logs write them."""
        return None if self.positions is None else "".join(str(one) for one in sorted(set(self.positions)))


class Move(OneOf):
    """A step out of its place."""

    BESIDE = frozenset({"step"})

    step: StepName
    """The step; all its events in the round are moved."""
    before: StepName = unset()
    """They come right before the first event of this one."""
    after: StepName = unset()
    """They come right after the last event of this one."""


class Insert(OneOf):
    """A step that should not have happened."""

    BESIDE = frozenset({"step", "times"})

    step: StepName
    """The step; one event of it is added."""
    times: Annotated[int, Ge(1), Le(8)] = 1
    """So many times over."""
    before: StepName = unset()
    """It comes right before the first event of this one."""
    after: StepName = unset()
    """It comes right after the last event of this one."""


class DiscardFault(Closed):
    """Cards of a hand put aside otherwise."""

    place: Place
    """Whose hand: of one seat, of the dealer, of the community. It is one that would put aside another number."""
    cards: Annotated[int, Ge(0), Le(12)]
    """So many are put aside instead, those that stand alone and are low before others."""
    unasked: Literal[True] | None = None
    """The hand is one that may put none aside."""


class WithdrawFault(OneOf):
    """A part of a wager that is taken back when it may not be."""

    BESIDE = frozenset({"step", "wager", "amount"})

    step: StepName
    """The step of taking back."""
    wager: LineName
    """The wager of one seat that has placed it: so much more is placed first, and is then taken back."""
    amount: Annotated[int, Ge(1), Le(10**9)]
    """How much, in minor currency units."""
    before: StepName = unset()
    """It comes right before the first event of this step."""
    after: StepName = unset()
    """It comes right after the last event of this step."""


class DrawFault(Closed):
    """More cards drawn than were put aside."""

    place: Place
    """Whose hand: of one seat, of the dealer."""
    more: Annotated[int, Ge(1), Le(12)]
    """So many more."""


class MeterFault(OneOf):
    """A meter that reads otherwise than it should."""

    BESIDE = frozenset({"name", "at"})

    name: Identifier
    """The meter."""
    at: Literal["opening", "shown", "closing"] = "closing"
    """Where in the round."""
    more: Annotated[int, Ge(1), Le(10**9)] = unset()
    """By this more, in minor currency units."""
    less: Annotated[int, Ge(1), Le(10**9)] = unset()
    """By this less, in minor currency units."""


class StakeFault(OneOf):
    """A wager other than it should be."""

    BESIDE = frozenset({"wager"})

    wager: LineName
    """The wager of one seat that has placed it (or, with `added`, has not)."""
    more: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Larger by this, in minor currency units."""
    less: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Smaller by this, in minor currency units."""
    above_maximum: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Larger than the posted maximum by this, in minor currency units."""
    removed: Literal[True] = unset()
    """Not placed at all, nor a tip on it."""
    added: Annotated[int, Ge(1), Le(10**12)] = unset()
    """Placed, with this amount, by a seat that has no such stake."""
    tipped: Annotated[int, Ge(1), Le(10**12)] = unset()
    """A tip of this amount placed on it, by a seat that has none there."""
    renamed: Identifier = unset()
    """Recorded under this name, where it carries no tip."""


class ActFault(OneOf):
    """An act of betting that goes wrong. The round goes on from it as it stands."""

    BESIDE = frozenset({"rounds", "manner"})

    rounds: list[Identifier] = Field(default_factory=list)
    """The betting rounds in which it is made; left out, any."""
    manner: Manner | None = None
    """What is said and put forward ahead of it, of the act as it was meant; left out, nothing. It is for faults in what
    somebody decides or puts in."""
    omitted: Literal[True] = unset()
    """The betting round ends although it is somebody's turn."""
    added: Literal[True] = unset()
    """Somebody checks although the betting round is complete."""
    folded: Literal[True] = unset()
    """Somebody who is out checks, once the betting round is complete in which nobody bet."""
    dealt_on: Literal[True] = unset()
    """The next cards are dealt although all but one have folded."""
    out_of_turn: Literal[True] = unset()
    """Somebody acts before the one whose turn it is."""
    decision: Identifier = unset()
    """Somebody decides this, with the least that goes in with it."""
    less: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Somebody who calls puts in less by this, in minor currency units."""
    more: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Somebody who bets or raises puts in more by this, in minor currency units."""
    passes_for: Identifier = unset()
    """What somebody who bets or raises puts in is put down with this decision, which is not to put chips in."""
    puts_in: Annotated[int, Ge(1), Le(10**12)] = unset()
    """Somebody who bets or raises puts in so much, in minor currency units, which is more than was meant."""
    below_smallest: Literal[True] = unset()
    """Somebody bets or raises by a unit less than the least that is allowed."""
    more_than_stack: Annotated[int, Ge(1), Le(10**9)] = unset()
    """Somebody puts in more by this than all the chips there are, in minor currency units."""


class AwardFault(OneOf):
    """A pot that is awarded otherwise than it should be."""

    wrong_seat: Literal[True] = unset()
    """All that one seat won goes to another that was in at the end."""
    short: Annotated[int, Ge(1), Le(10**9)] = unset()
    """One seat gets less by this, in minor currency units."""


class RakeFault(OneOf):
    """A rake that is another than it should be; the pots are awarded less what was taken."""

    more: Annotated[int, Ge(1), Le(10**9)] = unset()
    """By this more, in minor currency units."""
    less: Annotated[int, Ge(1), Le(10**9)] = unset()
    """By this less, in minor currency units."""


class BetweenFault(OneOf):
    """Something that goes wrong at a table from one round to the next."""

    button: Literal["stays", "opens-elsewhere", "at-an-empty-seat"] = unset()
    """The button does not move on; or it lies one position further when the table opens; or it does so in any round,
    and nobody is there."""
    missing: Annotated[int, Ge(1), Le(10**9)] = unset()
    """A player begins with so much less than was left, in minor currency units."""
    pocketed: Annotated[int, Ge(1), Le(10**9)] = unset()
    """A player has so much less when a round is over than it has left, in minor currency units."""
    buys: Annotated[int, Ge(1), Le(10**12)] = unset()
    """A player sits down with so much, in minor currency units."""


class MiscountFault(OneOf):
    """A hand that is dealt another number of cards."""

    BESIDE = frozenset({"place"})

    place: Literal["player", "community"]
    """Whose hand: of one seat, of the community."""
    more: Annotated[int, Ge(1), Le(4)] = unset()
    """So many cards more, with the last ones."""
    less: Annotated[int, Ge(1), Le(4)] = unset()
    """So many cards less, of the last ones."""


class EarlierFault(OneOf):
    """What goes wrong earlier in a round that otherwise would never get to where a requirement speaks. It breaks other
    requirements, which are found as well."""

    BESIDE = frozenset({"where"})

    where: Condition | None = None
    """The seats in which it happens; left out, any."""
    stake: StakeFault = unset()
    """A wager other than it should be."""
    decision: Identifier = unset()
    """One seat decides this instead of what it did; `none`: it does not decide."""
    stack: Annotated[int, Ge(1), Le(10**12)] = unset()
    """One seat has so many chips when the round begins, in minor currency units."""


class Fault(OneOf):
    """How a simulated round is made to break the requirement, and nothing that does not follow from it.

    The fault is made where it belongs, so that the round goes on from it: a stake that is too large is settled
    as it stands, a seat that should not have folded is treated as one that folded.
    """

    BESIDE = frozenset({"where", "following", "upon"})

    following: Condition | None = None
    """What held in the round before at the table (of the deck in play, where steps are needed for each deck), if it is
    planted only after such rounds. Meant for steps."""
    upon: EarlierFault | None = None
    """What has gone wrong before, in the same round."""
    where: Condition | None = None
    """The seats (or rounds) in which it is planted; left out, any. It sees the round as far as it has come: of
    an opening wager, only what was wagered; of a step, everything."""
    pay: Literal["over", "under"] = unset()
    """One stake the requirement judges is paid (or, if nothing is due, taken) otherwise than is due."""
    stake: StakeFault = unset()
    """A wager other than it should be."""
    stack: Annotated[int, Ge(1), Le(10**12)] = unset()
    """One seat has so many chips when the round begins, in minor currency units. Where that is more than players sit
    down with, the table opens anew with the round."""
    seats: Annotated[int, Ge(1), Le(32)] = unset()
    """So many hands take part in the round."""
    hands_of_one: Annotated[int, Ge(2), Le(32)] = unset()
    """All hands of a round of at least so many hands are one player's."""
    discard: DiscardFault = unset()
    """Another number of cards is put aside, and as many drawn; of several exchanges in the last."""
    withdraw: WithdrawFault = unset()
    """A wager is taken back, in part."""
    draw: DrawFault = unset()
    """Another number of cards is drawn than was put aside; of several exchanges in the last."""
    meter: MeterFault = unset()
    """A meter reads otherwise."""
    deck: Literal["same"] = unset()
    """The deck in play is not changed for the round; after it decks go on in turn."""
    dealt: Literal["otherwise"] = unset()
    """The cards are dealt in another way of the game than the one the house has submitted."""
    decision: Identifier = unset()
    """One seat decides this instead of what it did; `none`: it does not decide."""
    other_decision: Identifier = unset()
    """One seat decides this instead of what it did, which is no decision of the game."""
    card: Literal["repeated"] = unset()
    """The first card of the dealer, or of the community in a game without one, is one that the first seat holds too;
    that of the second seat where players play against each other."""
    miscount: MiscountFault = unset()
    """A hand is dealt another number of cards."""
    between: BetweenFault = unset()
    """Something goes wrong from the round before to this one."""
    act: ActFault = unset()
    """An act of betting goes wrong. `where` is asked of the act: of what somebody decides or puts in, as it is after it
    went wrong."""
    award: AwardFault = unset()
    """A pot is awarded otherwise."""
    rake: RakeFault = unset()
    """Another rake is taken."""
    omit: StepName = unset()
    """A step does not happen."""
    expose: StepName = unset()
    """One card of a packet comes to light in the middle of the deal, told as an event of this step."""
    insert: Insert = unset()
    """A step happens that should not; where it is one of seats, for a seat that fits."""
    move: Move = unset()
    """A step happens in the wrong place."""
    swap: StepName = unset()
    """A step is done for the first two of its seats the other way round, and with it all that shares its turn."""
    alter: Alter = unset()
    """A step happens, but not as it should."""
