"""Conditions on what happened at the table: structure, never strings to be parsed.

A condition is a mapping with one operator. It is yes, no or unknown; unknown is what the log does not show.
Each operator speaks at its own grain (a round, a seat, a stake, an event): a condition on a round holds
for all its seats; a condition on seats is brought up to the round by `some-seat` and `every-seat`.
"""

from __future__ import annotations

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import model_validator

from validator.rules.conditions.particulars import (
    BettingNumber,
    BettingWord,
    Compare,
    EventHas,
    Holds,
    Listed,
    MeterAt,
    MeterTerm,
    Number,
    OptionIs,
    Place,
    ReadingIs,
)
from validator.rules.conditions.refs import (
    BettingRoundName,
    DecisionName,
    FactName,
    HandName,
    LineName,
    PositionName,
    StepName,
    SubmissionPath,
    WagerName,
    WayDealt,
)
from validator.rules.conditions.submission import SubmissionCondition
from validator.text.models.model import Closed, OneOf, unset

__all__ = [
    "Compare",
    "Comparison",
    "Condition",
    "Difference",
    "EventHas",
    "Holds",
    "OptionIs",
    "Place",
    "Quantity",
    "ReadingIs",
    "Times",
    "Total",
]


SeatReceives = Literal["awarded", "returned", "uncalled"]
"""The amounts that come back to a seat."""
PotNumber = Literal["total", "uncalled", "awarded", "returned", "raked", "dropped", "rake-due", "count"]
"""The amounts of a round's pots, and how many there are."""
RakeNumber = Literal["taken", "due"]
"""The amounts of the rake as they stand at an event."""


class Times(Closed):
    """A whole multiple of a quantity."""

    by: Annotated[int, Ge(1), Le(1000)]
    """How many times."""
    of: Quantity
    """The quantity that is multiplied."""


class Difference(Closed):
    """One quantity less another; below zero where the other is more."""

    from_: Quantity
    """The quantity that something is taken from."""
    less: Quantity
    """What is taken from it."""


class Total(Closed):
    """A quantity of each seat added up over seats."""

    of: Quantity
    """The quantity, asked of each seat."""
    over: Condition
    """The seats it is added up over."""


class PassedOver(Closed):
    """Two seat numbers, with the players between them."""

    from_: Quantity
    """The seat number that is gone from, clockwise."""
    to: Quantity
    """The seat number that is come to. Where both are one, it is once round the table."""


RECKONED = ("sum", "difference", "times", "smaller")
"""The quantities that are worked out from others, item by item."""


class Quantity(OneOf):
    """A number read off a round: an amount in minor currency units, or a count. A bare number is itself."""

    exactly: Number = unset()
    """A fixed number; an amount in minor currency units, or a count."""
    amount: LineName = unset()
    """What the seat staked itself on a wager (0 where it did not). `this`: the stake that is judged."""
    tip: LineName = unset()
    """What the seat staked for the dealer on a wager. `this`: on the wager of the stake that is judged."""
    minimum: LineName = unset()
    """The posted minimum of a wager, from the submission. `this`: of the stake that is judged."""
    maximum: LineName = unset()
    """The posted maximum of a wager, from the submission. `this`: of the stake that is judged."""
    cards: Place | Literal["everywhere"] = unset()
    """How many cards a place was dealt: the seat's own, the dealer's, the community's. `everywhere`: how many
    left the deck in the round, replacement cards and cards burnt or set aside included."""
    discarded: Place = unset()
    """How many cards a place put aside."""
    drawn: Place = unset()
    """How many replacement cards a place received."""
    held: Place = unset()
    """How many cards a place holds in the end: those dealt, less those discarded, and those drawn."""
    length: HandName = unset()
    """Of how many cards the part of a hand is made that counts, where its ranking goes by length."""
    hands_of_player: Literal["so-far", "span"] = unset()
    """`so-far`: how many hands the seat's player holds in this round, this seat and those before it counted.
    `span`: how many positions there are from the player's lowest to the player's highest, both counted. A seat
    without stake and cards holds no hand."""
    events: StepName = unset()
    """How many events of a step there are: of a step of each seat or stake the seat's own, else the round's."""
    cards_in: StepName = unset()
    """Of how many cards the events of a step tell: of a step of each seat or stake the seat's own, else the round's."""
    counted: StepName = unset()
    """The number or amount that the last event of a step states: of a step of each seat or stake the seat's
    own, else the round's."""
    stated: Literal["this", "pot"] = unset()
    """Of the event that is judged, `this`: the number or amount that it states; `pot`: the number of the pot that it
    names, the main pot being 0, which is meant where none is named."""
    paid: LineName = unset()
    """What the seat was paid on a wager of its own, or on a bonus; 0 where it has none."""
    taken: LineName = unset()
    """What was taken of the seat's own stake on a wager; 0 where it has none."""
    seats: Condition = unset()
    """How many seats of the round fulfil a condition."""
    sum_: Annotated[list[Quantity], MinLen(1)] = unset()
    """Quantities added up."""
    difference: Difference = unset()
    """One quantity less another."""
    smaller: Annotated[list[Quantity], MinLen(2)] = unset()
    """The smallest of several quantities."""
    total: Total = unset()
    """A quantity of each seat added up over seats of the round."""
    times: Times = unset()
    """A multiple of another quantity."""
    submitted: SubmissionPath = unset()
    """A whole number that stands in the submission at a place named by its keys, joined by dots."""
    meter: MeterAt = unset()
    """What a meter reads."""
    term: MeterTerm = unset()
    """A term by which a meter runs, from the submission."""
    previous: Quantity = unset()
    """A quantity of the round before at the table. Where players are judged, of the same player's seat in the round
    before that has the player, nothing being missing between the two; of a `new-player` it is 0."""
    button: Literal["seat"] = unset()
    """The number of the seat where the button lies."""
    next_seat: Quantity = unset()
    """The number of the next seat clockwise from a seat number among those that take part in this round."""
    passed_over: PassedOver = unset()
    """How many players lie clockwise between two seat numbers, neither of them counted, of those who take part in this
    round and took part in the round before."""
    betting: BettingNumber = unset()
    """A number of the betting, just before the event that is judged. `put-in`: what the seat puts in with it.
    `bets-to`: what the seat then has in the betting round. `to-call`: what it lacks to the bet. `level`: the bet to
    be met. `raise-by`: how far it goes beyond that bet. `last-raise`: how far the last full bet or raise went.
    `smallest-bet`, `smallest-raise`, `largest-raise`: what the game asks for and leaves open. `largest-answer`: the
    largest bet that some other player still in could meet in the betting round. `behind`: the chips of the seat. `pot`:
    what has been put in in all. `raises`: how many the betting round has had. `players-in`: seats that have neither
    folded nor conceded. `voluntary-players`: seats that put in chips of their own will.
    `voluntary-wagers`: how often chips were. Of what the seat did in its turn before the event: `declared`: the total
    it named for a bet or raise that binds it, 0 where it named none. `declared-in`: the chips that its binding words
    oblige it to put in. `tenders`: how often it put chips forward. `first-tender`: how much the first time, 0 where
    never; `tendered-chips`: in how many pieces; `tendered`: how much in all."""
    stack: Literal["start", "after", "reckoned"] = unset()
    """The chips of the seat before anything was put in, or when the round is over, as they are counted. `reckoned`:
    what they come to when the round is over, by the count at its start: less all that the seat put in, with what it
    was given back and was awarded. Chips that came or went in the middle of the round may be in it or not; what the log
    does not record leaves it between bounds."""
    staked: Literal["this-seat", "all-seats"] = unset()
    """What was staked on all wagers together: by the seat, or by all seats of the round."""
    received: SeatReceives = unset()
    """An amount of the seat. `awarded`: what it received from pots. `returned`: what it was given back of its stakes.
    `uncalled`: what it put in that nobody matched."""
    chips: Literal["added", "removed"] = unset()
    """What the seat bought or added to its chips in the record of the round, or took off the table. Where its player
    has left and somebody has come to it since, what was done before is not counted; whether that is which was done
    in the middle of the round, is not known."""
    players: Literal["dealt-in", "seated"] = unset()
    """How many seats take part in the round, or are listed."""
    pot: PotNumber = unset()
    """An amount of the round's pots. `total`: all pots together, before rake and without the uncalled bet.
    `uncalled`: what nobody matched. `awarded`: what seats received from pots; where only their chips before and after
    the round are recorded, all that came back to them less what is recorded as returned. `returned`: stakes given
    back. `raked`: what the house took, or, where the log does not record it, what was put in and came back to
    nobody. `dropped`: what went into the table's container. `rake-due`: what the submitted levels come to. `count`: how
    many pots were made, those counted that were given up or whose winner lost the hand; what nobody called is none."""
    rake_so_far: RakeNumber = unset()
    """An amount of the rake when the event that is judged is over. `taken`: what the house has taken. `due`: what the
    submitted levels come to that are reached by all that had been put in, be it called or not."""
    bet_size: Literal["small", "big"] = unset()
    """The size of small or of big bets, where the limit is fixed: as submitted, else as the record of the round states
    it; 0 where neither does."""
    shown_cards: Literal["player"] = unset()
    """How many different cards of the seat's own were shown; one whose face is not recorded may be another, or not."""

    def parts(self) -> list[Quantity]:
        """The quantities that it is worked out from, where it is one of `RECKONED`, `next-seat` or `passed-over`;
        else none."""
        match self.operator:
            case "sum" | "smaller":
                return list(self.operand)
            case "difference":
                return [self.operand.from_, self.operand.less]
            case "times":
                return [self.operand.of]
            case "next-seat":
                return [self.operand]
            case "passed-over":
                return [self.operand.from_, self.operand.to]
            case _:
                return []

    @model_validator(mode="before")
    @classmethod
    def _bare_number(cls, value: object) -> object:
        return {"exactly": value} if isinstance(value, int) and not isinstance(value, bool) else value


class Comparison(OneOf):
    """A quantity held against a bound. Exactly one bound stands beside `of`."""

    BESIDE = frozenset({"of"})

    of: Quantity
    """The quantity that is judged."""
    equals: Quantity = unset()
    """It must be the same."""
    differs_from: Quantity = unset()
    """It must not be the same."""
    at_least: Quantity = unset()
    """It must not be less."""
    at_most: Quantity = unset()
    """It must not be more."""
    more_than: Quantity = unset()
    """It must be more."""
    less_than: Quantity = unset()
    """It must be less."""


class Condition(OneOf):
    """A statement about a round of play that is yes, no or unknown."""

    all_: Annotated[list[Condition], MinLen(1)] = unset()
    """Every one of these holds."""
    any_: Annotated[list[Condition], MinLen(1)] = unset()
    """At least one of these holds."""
    not_: Condition = unset()
    """This does not hold."""
    fact: FactName = unset()
    """A condition that the game defines under a name."""
    placed: WagerName = unset()
    """The seat has a stake of its own on this wager. `this`: on the wager of the stake that is judged."""
    tipped: WagerName = unset()
    """The seat has a stake for the dealer on this wager."""
    decided: DecisionName = unset()
    """The seat took this decision, as its only one of the round or as one of several. The summary of a round names one
    decision of a seat; of the others events tell."""
    decision_is_open: Literal[True] = unset()
    """The seat's decision, if the log names one, is one of the game's decisions that is open to the seat."""
    holds: Holds = unset()
    """A hand is at least, or exactly, of a category."""
    compare: Compare = unset()
    """A hand is higher than, equal to or lower than another, the higher being the better by its ranking."""
    listed: Listed = unset()
    """The pay table in use has a row for a hand."""
    number: Comparison = unset()
    """A quantity held against another."""
    some_seat: Condition = unset()
    """At least one seat of the round fulfils this."""
    every_seat: Condition = unset()
    """Every seat of the round fulfils this."""
    wager_is: Annotated[list[LineName], MinLen(1)] = unset()
    """The stake that is judged lies on one of these wagers."""
    is_tip: Literal[True] = unset()
    """The stake that is judged was placed for the dealer."""
    cards_from_deck: Literal[True] = unset()
    """No card of the round turns up more often than the decks in play hold it."""
    first_of_session: Literal[True] = unset()
    """The round is the first since the table opened: its number is 1."""
    new_player: Literal[True] = unset()
    """The player of the seat has sat down since the round before at the table: the table opened, or the player was not
    there since it did, or had left. Who is missing from rounds that record nobody who leaves has sat out."""
    cards_unused: StepName = unset()
    """No card that the events of a step show, such as a card set aside, is held by anybody in the end."""
    takes_tips: LineName = unset()
    """The submission says that tips are taken on this wager. `this`: the wager of the stake that is judged."""
    offered: LineName = unset()
    """The submission offers this wager. `this`: the wager of the stake that is judged."""
    option: OptionIs = unset()
    """A choice of the licensee."""
    submitted: SubmissionCondition = unset()
    """A statement about the submission in force; unknown where there is none."""
    dealt_as: WayDealt = unset()
    """The cards were dealt in this way. `submitted`: in the way the submission names."""
    claimed: WagerName = unset()
    """The seat declared a win on this wager."""
    evident: Condition = unset()
    """This holds, and the evidence shows it: where it is unknown, the answer is no. Meant for what only the
    events of a round can show, so that a record without events is taken as regular; not for what must hold."""
    reading: ReadingIs = unset()
    """A reading of the text that is in force."""
    event: EventHas = unset()
    """What the event that is judged shows."""
    betting_round: Annotated[list[BettingRoundName], MinLen(1)] = unset()
    """The betting round that was going on when the event happened, or that it ended, is one of these."""
    betting: BettingWord = unset()
    """What is said of the betting, just before the event that is judged. `open`: somebody owes an act in this betting
    round. `in-turn`: the seat of the event is the one. `still-in`: the seat takes part and has neither folded nor
    conceded. `faced`: the bet to be met is more than the seat has in this betting round. `unopened`: there is no
    bet in it yet. `may-raise`: the betting is open to a raise of the seat. `all-in`: the event takes the seat's last
    chips. `contested`: two seats or more are still in. `option-owed`: one that posted a bet still owes an act of its
    own in the first betting round, nobody having raised. `option-moot`: the seat does, but nobody else has chips to act
    with. `check-raising`: the seat raises, having checked in this betting round. `more-to-come`: another betting round
    follows in the record, and two seats or more that are still in have chips to bet. `contends-at-the-end`, said of a
    seat: it did not fold, and the pots were not left to it alone. Of what the seat said in its turn before the event:
    `declared-in-turn`: words that bind it. `declared-wager`: words that bind it to put chips in. `declared-raise`: that
    it would raise. `said-incomplete`: that its bet was not complete. The first words bind that some lawful act fits;
    not those after chips were put forward, unless the seat said that the bet was not complete before it put chips
    forward again."""
    position: PositionName = unset()
    """The seat is the one that has this position in the round."""
    taking_part: Literal[True] = unset()
    """The seat takes part in the round, and does not only sit at the table."""
