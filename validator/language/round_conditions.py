"""Conditions on rounds of play, quantities, comparisons, and results that are no cards, such as those of a wheel."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cached_property
from itertools import combinations_with_replacement, product
from math import factorial, prod
from typing import Annotated, Any, ClassVar, Literal, Self

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import StringConstraints, model_validator

from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import OutcomeName, ResultText, expand_results, join_selection
from fairdeal.validator.language.submission_conditions import StepHappened, SubmissionCondition, WithinLimits
from fairdeal.validator.text.closed_model import (
    NO_OPERAND,
    AbbreviatedModel,
    ClosedModel,
    OneOperatorModel,
    Prose,
    map_fields_to_keys,
)
from fairdeal.validator.text.plain_values import CountOrMoney, Money


class Difference(ClosedModel):
    """The difference of two quantities; negative if the second is larger."""

    UNWRITTEN: ClassVar = {"from": "it is the operand"}

    from_: "Quantity"
    """The quantity to subtract from."""
    less: "Quantity"
    """The quantity to subtract."""


class Times(ClosedModel):
    """A whole multiple of a quantity."""

    UNWRITTEN: ClassVar = {"of": "it is the operand"}

    by: Annotated[int, Ge(1), Le(1000)]
    """The factor."""
    of: "Quantity"
    """The quantity that is multiplied."""


class Remainder(ClosedModel):
    """The remainder of a division."""

    UNWRITTEN: ClassVar = {"of": "it is the operand"}

    of: "Quantity"
    """The quantity that is divided."""
    by: Annotated[CountOrMoney, Ge(2), Le(1_000_000)]
    """The divisor: a whole number, or an amount, as `$5` or `2.50`."""


class OverSeats(ClosedModel):
    """A quantity of seats, and the seats to combine."""

    UNWRITTEN: ClassVar = {"of": "it is the operand"}

    of: "Quantity"
    """The quantity of each seat."""
    when: "Condition"
    """The seats that are included."""


class PassedOver(ClosedModel):
    """Two seat numbers, clockwise."""

    UNWRITTEN: ClassVar = {"from": "it is the operand"}

    from_: "Quantity"
    """The seat number to start from."""
    to: "Quantity"
    """The seat number to end at. If both are equal, the whole table lies between them."""


class Quantity(AbbreviatedModel, OneOperatorModel):
    """A number taken from a round: an amount of money, or a count. A bare whole number is a count; a bare amount is
    written `$5` or `2.50`."""

    MAIN_PARTS: ClassVar = {
        **dict.fromkeys(("largest", "remainder", "times", "total"), "of"),
        **dict.fromkeys(("difference", "passed-over"), "from"),
    }

    exactly: grammar.WholeNumber = NO_OPERAND
    """A fixed number that is no amount of money, but for 0."""
    money: Money = NO_OPERAND
    """A fixed amount of money."""
    sum_: "Annotated[list[Quantity], MinLen(1)]" = NO_OPERAND
    """The sum of quantities."""
    difference: Difference = NO_OPERAND
    """The difference of two quantities."""
    smaller: "Annotated[list[Quantity], MinLen(2)]" = NO_OPERAND
    """The smallest of several quantities."""
    times: Times = NO_OPERAND
    """A multiple of another quantity."""
    remainder: Remainder = NO_OPERAND
    """The remainder of a division: divided by 2, 0 for an even number and 1 for an odd one."""
    total: OverSeats = NO_OPERAND
    """The sum of a quantity over seats of the round."""
    largest: OverSeats = NO_OPERAND
    """The largest value of a quantity among seats of the round; 0 if there is no such seat."""
    seats: "Condition" = NO_OPERAND
    """The number of seats of the round that satisfy a condition."""
    amount: grammar.LineName = NO_OPERAND
    """The amount of the seat's own stake on a wager; 0 if it has none. `this`: the judged stake."""
    tip: grammar.LineName = NO_OPERAND
    """The amount that the seat staked for the dealer on a wager. `this`: on the wager of the judged stake."""
    paid: grammar.LineName = NO_OPERAND
    """The amount paid to the seat on a wager of its own, or on a bonus; 0 if it has none."""
    brought: grammar.LineName = NO_OPERAND
    """The part of the seat's own stakes on a wager that lay on the table since an earlier round. Stakes that were taken
    back in the round are included. `this`: the part of the judged stake."""
    behind: Literal["this"] = NO_OPERAND
    """The seat's own stake on the wager behind which the wager of the judged stake is placed, on the same selection; 0
    if there is none."""
    left: grammar.WagerName = NO_OPERAND
    """The part of the seat's own stakes on a wager that stays on the table for the next round, by the cases of
    settlement. Do not use it within settlement."""
    owed: grammar.WagerName = NO_OPERAND
    """The commissions that the payments of this round make due and that the seat owes on a debt, by the cases of
    settlement. Do not use it within settlement."""
    taken: grammar.LineName = NO_OPERAND
    """The amount taken of the seat's own stake on a wager; 0 if it has none."""
    staked: Literal["this-seat", "all-seats"] = NO_OPERAND
    """The total amount staked on all wagers. `this-seat`: by the seat. `all-seats`: by all seats of the round."""
    minimum: grammar.LineName = NO_OPERAND
    """The posted minimum of a wager, from the submission. `this`: of the judged stake."""
    maximum: grammar.LineName = NO_OPERAND
    """The posted maximum of a wager, from the submission. `this`: of the judged stake."""
    submitted: grammar.SubmissionPath = NO_OPERAND
    """A whole number in the submission; its path is keys joined by dots."""
    meter: grammar.MeterAt = NO_OPERAND
    """The value of a meter, or a submitted term of it."""
    length: grammar.HandName = NO_OPERAND
    """The number of cards in the part of a hand that counts, for a ranking by length."""
    points: grammar.HandName = NO_OPERAND
    """The points of a hand, for a ranking that counts points."""
    points_in: grammar.PointsOfStep = NO_OPERAND
    """The points of the cards that the events of a step show; 0 without such an event."""
    cards: grammar.Cardholder = NO_OPERAND
    """The number of cards dealt to a place: the seat, the dealer or the community. Cards that the way of dealing sets
    aside at once are included. `everywhere`: the number of cards that left the deck in the round, with replacement
    cards and cards burnt or set aside."""
    discarded: grammar.Place = NO_OPERAND
    """The number of cards that a place discarded."""
    drawn: grammar.Place = NO_OPERAND
    """The number of replacement cards that a place received."""
    held: grammar.Place = NO_OPERAND
    """The number of cards that a place holds at the end: dealt, minus discarded, plus drawn."""
    shown_cards: Literal["player"] = NO_OPERAND
    """The number of different cards of the seat that were shown. A card with no recorded face may be a further one or
    not."""
    outcome: grammar.OutcomeNumber = NO_OPERAND
    """The number of an outcome that is no card: that of a wheel, the sum of dice, or the number of dice that show a
    face."""
    events: grammar.StepName = NO_OPERAND
    """The number of events of a step: for a step of each seat or stake, those of the seat; else those of the round."""
    cards_in: grammar.StepName = NO_OPERAND
    """The number of cards that the events of a step show: for a step of each seat or stake, those of the seat; else
    those of the round. With one deck, a card that is shown twice, or in two faults, counts once."""
    kept_cards_in: grammar.StepName = NO_OPERAND
    """The number of cards of a hand that the events of a step show: as `cards-in`, without the cards that the place of
    the step is known to have discarded."""
    counted: grammar.StepName = NO_OPERAND
    """The number or amount that the last event of a step states: for a step of each seat or stake, the last event of
    the seat; else that of the round."""
    stated: Literal["this", "pot"] = NO_OPERAND
    """A number of the judged event. `this`: the number or amount that it states. `pot`: the number of the pot that it
    names. The main pot is 0, and an event that names no pot means the main pot."""
    betting: grammar.BettingQuantityName = NO_OPERAND
    """A quantity of the betting just before the judged event. `put-in`: the amount that the seat puts in with the
    event. `bets-to`: the amount that the seat then has in the betting round. `to-call`: the amount that it needs to
    match the current bet. `level`: the current bet. `raise-by`: the amount by which the seat exceeds the current bet.
    `last-raise`: the size of the last full bet or raise. `smallest-bet`, `smallest-raise`, `largest-raise`: the limits
    that the game sets. `largest-answer`: the largest bet that another player still in could match in the betting round.
    `behind`: the chips of the seat. `pot`: the total amount put in. `raises`: the number of raises in the betting
    round. `players-in`: the number of seats that have neither folded nor conceded. `voluntary-players`: the number of
    seats that put in chips voluntarily. `voluntary-wagers`: the number of times that chips were put in voluntarily. The
    remaining quantities are about the acts of the seat in its turn before the event. `declared`: the total that it
    named for a bet or raise that binds it, 0 if none. `declared-in`: the chips that its binding words oblige it to put
    in. `tenders`: the number of times that it put chips forward. `motions`: the same, known only if the chips recorded
    for them cover the amount put in. `first-tender`: the amount put forward the first time, 0 if none.
    `tendered-chips`: the number of chips put forward the first time. `tendered`: the total amount put forward."""
    bet_size: Literal["small", "big"] = NO_OPERAND
    """The size of small or of big bets under a fixed limit: as submitted, else as the record of the round states it; 0
    if neither does."""
    stack: Literal["start", "after", "reckoned"] = NO_OPERAND
    """The chips of the seat. `start`: as counted before anything is put in. `after`: as counted when the round is over.
    `reckoned`: computed for the end of the round. It is the count at the start, less all that the seat put in, plus all
    that it got back and was awarded. Chips that came or went in the middle of the round may be included or not. If the
    log does not record an amount, the result is a range."""
    received: grammar.SeatReceives = NO_OPERAND
    """An amount that the seat receives. `awarded`: the amount from pots. `returned`: the stakes that it gets back.
    `uncalled`: the amount that it put in and nobody matched."""
    chips: Literal["added", "removed"] = NO_OPERAND
    """The chips that the seat bought or added in the record of the round, or took off the table. If the player of the
    seat has left and another has arrived, earlier chips are not counted. For chips moved in the middle of the round, it
    is then not known whether they are included."""
    pot: grammar.PotNumber = NO_OPERAND
    """An amount or number of the pots of the round. `total`: all pots together, before the rake and without the
    uncalled bet. `uncalled`: the amount that nobody matched. `awarded`: the amount that seats received from pots. If
    the record has only their chips before and after the round, it is all that seats got back, less recorded returns.
    `returned`: the stakes given back. `raked`: the rake taken. If the log does not record it, it is the amount put in
    that no seat got back. `dropped`: the amount put into the container of the table. `rake-due`: the rake by the
    submitted levels. `count`: the number of pots, including those that were given up or whose winner lost the hand; the
    uncalled bet is no pot. `boards`: the number of boards among which the pots are divided, 1 for a single board."""
    rake_so_far: grammar.RakeNumber = NO_OPERAND
    """An amount of the rake after the judged event. `taken`: the rake taken so far. `due`: the rake by the submitted
    levels that the amount put in so far, called or not, has reached."""
    hands_of_box: Literal["all"] = NO_OPERAND
    """The number of hands of the box that the seat belongs to: 1, and one more for each split."""
    of_box: "Quantity" = NO_OPERAND
    """A quantity of the first hand of the box, from which the hand of the seat was split off."""
    hands_of_player: Literal["so-far", "span"] = NO_OPERAND
    """A number of hands of the player of the seat. `so-far`: the hands that the player holds at this seat and the seats
    before it. `span`: the number of positions from the lowest to the highest of the player, both included. A seat
    without stake and cards holds no hand."""
    players: Literal["dealt-in", "seated"] = NO_OPERAND
    """The number of seats. `dealt-in`: those that take part in the round. `seated`: all that the record lists."""
    button: Literal["seat"] = NO_OPERAND
    """The number of the seat with the button."""
    previous: "Quantity" = NO_OPERAND
    """A quantity of the previous round at the table. If players are judged, it is taken from the seat of the same
    player in that player's previous round, if no round between is missing. For a `new-player` it is 0."""
    next_seat: "Quantity" = NO_OPERAND
    """The number of the next seat, clockwise from a seat number, that takes part in this round."""
    passed_over: PassedOver = NO_OPERAND
    """The number of players clockwise between two seat numbers, both excluded. Only players count who take part in this
    round and took part in the previous one."""

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return the mapping of a number or an amount, or the operator with its whole operand."""
        if isinstance(value, (str, Decimal, float)):
            return {"money": value}
        if isinstance(value, int) and not isinstance(value, bool):
            return {"exactly": value}
        return cls.write_out_operand(value)


class Comparison(AbbreviatedModel, OneOperatorModel):
    """A comparison of a quantity with a bound: the operator of the quantity and exactly one bound."""

    COMPANIONS = frozenset({"of"})
    UNWRITTEN: ClassVar = {"of": "the quantity is written with its bound"}

    of: Quantity
    """The quantity that is compared."""
    equals: Quantity = NO_OPERAND
    """The quantity is equal to this."""
    differs_from: Quantity = NO_OPERAND
    """The quantity differs from this."""
    at_least: Quantity = NO_OPERAND
    """The quantity is at least this."""
    at_most: Quantity = NO_OPERAND
    """The quantity is at most this."""
    more_than: Quantity = NO_OPERAND
    """The quantity is more than this."""
    less_than: Quantity = NO_OPERAND
    """The quantity is less than this."""

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return a mapping with the quantity under `of`, next to the bound."""
        if not isinstance(value, dict) or "of" in value:
            return value
        known = value.keys() & _QUANTITY_KEYS
        beside = {key for key in value if key in _BOUND_KEYS or (known and key not in _QUANTITY_KEYS | _QUANTITY_PARTS)}
        of = {key: part for key, part in value.items() if key not in beside}
        return {"of": of, **{key: part for key, part in value.items() if key in beside}}


class Condition(AbbreviatedModel, OneOperatorModel):
    """A condition on a round of play: yes, no, or unknown if the log does not show it."""

    SHORT_FORMS: ClassVar[Mapping[str, grammar.ShortForm]] = {
        form.key: form for form in (WithinLimits(), StepHappened())
    }
    """The short forms of conditions, by key."""

    all_: "Annotated[list[Condition], MinLen(1)]" = NO_OPERAND
    """All of these conditions hold."""
    any_: "Annotated[list[Condition], MinLen(1)]" = NO_OPERAND
    """At least one of these conditions holds."""
    not_: "Condition" = NO_OPERAND
    """This condition does not hold."""
    evident: "Condition" = NO_OPERAND
    """This condition holds, and the evidence shows it; if it is unknown, the answer is no. Use it for facts that only
    events of a round can show, so that a record without events counts as regular. Do not use it for requirements."""
    fact: grammar.FactName = NO_OPERAND
    """A fact of the game holds: a condition that the game file defines under a name."""
    reading: grammar.ReadingIs = NO_OPERAND
    """An option of a reading is in force."""
    some_seat: "Condition" = NO_OPERAND
    """At least one seat of the round satisfies this condition."""
    every_seat: "Condition" = NO_OPERAND
    """Every seat of the round satisfies this condition."""
    number: Comparison = NO_OPERAND
    """A comparison of two quantities holds."""
    placed: grammar.WagerName = NO_OPERAND
    """The seat has a stake of its own on this wager. `this`: on the wager of the judged stake."""
    tipped: grammar.WagerName = NO_OPERAND
    """The seat has a stake for the dealer, a tip, on this wager."""
    claimed: grammar.WagerName = NO_OPERAND
    """The seat declared a win on this wager."""
    paid_as_due: grammar.WagerName = NO_OPERAND
    """The amounts paid and taken on the seat's own stake are those due by the cases of settlement; holds also if the
    seat has no stake. Do not use it within settlement."""
    wager_is: Annotated[list[grammar.LineName], MinLen(1)] = NO_OPERAND
    """The judged stake is on one of these wagers or bonuses."""
    is_tip: Literal[True] = NO_OPERAND
    """The judged stake was placed for the dealer: it is a tip."""
    offers: grammar.LineName = NO_OPERAND
    """The submission offers this wager. `this`: the wager of the judged stake."""
    takes_tips: grammar.LineName = NO_OPERAND
    """The submission states that tips are taken on this wager. `this`: the wager of the judged stake."""
    option: grammar.OptionIs = NO_OPERAND
    """An option of the submission has this value; unknown if the submission does not state it."""
    submitted: SubmissionCondition = NO_OPERAND
    """The submission in force satisfies this condition; unknown if there is no submission."""
    holds: grammar.Holds = NO_OPERAND
    """The hand has at least, or exactly, a category."""
    compare: grammar.HandComparison = NO_OPERAND
    """A hand is higher than, equal to or lower than another; higher means better in the ranking."""
    alike: grammar.AlikeCards = NO_OPERAND
    """All cards of a hand have one rank, one suit or one colour."""
    listed: grammar.ListedHand = NO_OPERAND
    """The pay table in use has a row for the hand."""
    cards_from_deck: Literal[True] = NO_OPERAND
    """No card of the round appears more often than the decks in play contain it."""
    cards_set: Literal["player", "dealer"] = NO_OPERAND
    """The seat or the dealer has set all its cards, each once, into a High Hand and a Low Hand of the right sizes. The
    hands are those with `cards: set-high` and `set-low`."""
    cards_unused: grammar.StepName = NO_OPERAND
    """No card that the events of a step show is in a hand at the end or is dealt later. Example: cards set aside."""
    cards_among: Annotated[list[grammar.StepName], MinLen(2), MaxLen(2)] = NO_OPERAND
    """Every card that the events of the first step show is also shown by the events of the second. Each card counts
    once."""
    dealt_as: grammar.WayDealt = NO_OPERAND
    """The cards were dealt in this way. `submitted`: in the way that the submission names."""
    dealt_in_turn: Literal["any", "broken-off"] = NO_OPERAND
    """The first stage of the deal gave every seat that plays its cards in turn. `any`: whether it was completed or not.
    `broken-off`: it stopped before every place had its cards, and all cards until then were dealt in turn. No place had
    a wrong number of cards, and more cards were due. Does not hold if a seat decided or showed a hand afterwards."""
    event: grammar.EventHas = NO_OPERAND
    """The judged event has these features."""
    betting: grammar.BettingPredicateName = NO_OPERAND
    """A predicate on the betting just before the judged event. `open`: a seat must still act in this betting round.
    `left-open`: the same, but seats that were passed over and owe no chips do not count. In each turn it holds at only
    one of the events that come when a betting round is complete (`complete-at`). `in-turn`: it is the turn of the seat
    of the event. `out-of-order`: the seat puts chips in when it may not act. Or it calls ahead of its turn as much as
    the table then treats as the bet, so that the amount cannot be checked. `acts-next`: the seat's own fold, call, bet
    or raise follows, and nothing in between changes the state of the betting. `still-in`: the seat takes part and has
    neither folded nor conceded. `gives-up`: by this event the seat folds without a word (`folded-by`). `faced`: the
    current bet is more than the seat has put in in this betting round. `unopened`: the betting round has no bet yet.
    `may-raise`: the betting is open to a raise by the seat. `all-in`: the event takes the last chips of the seat.
    `contested`: at least two seats are still in. `option-owed`: a seat that posted a bet must still act in the first
    betting round, and nobody has raised. `option-moot`: the seat has this option, but no other seat has chips to act
    with. `check-raising`: the seat raises after it has checked in this betting round. `more-to-come`: the record has a
    further betting round, and at least two seats that are still in have chips to bet. `contends-at-the-end`, for a
    seat: it did not fold, and it is not the only seat left for the pots. The remaining predicates are about the words
    of the seat in its turn before the event. `declared-in-turn`: words that bind it. `declared-wager`: words that bind
    it to put chips in. `declared-raise`: it declared a raise. `said-incomplete`: it said that its bet is not complete.
    The first words that a lawful act fits are binding. Words after chips were put forward are not. They are only if the
    seat said that its bet was not complete before it put chips forward again, or if `words-after-chips` holds.
    """
    betting_round: Annotated[list[grammar.BettingRoundName], MinLen(1)] = NO_OPERAND
    """The event happens in one of these betting rounds, or ends it."""
    pot_share: grammar.PotSharing = NO_OPERAND
    """The seat wins or loses when the pots are divided. `winning`: it has one of the best hands for a pot, even if no
    chip is left for it. `losing`: it takes part and has none. `received`: it was awarded exactly its share, if only
    nothing."""
    decided: grammar.DecisionName = NO_OPERAND
    """The seat took this decision in the round, perhaps among others. The summary of a round records one decision of a
    seat; events record the others."""
    decided_in_the_end: grammar.DecisionName = NO_OPERAND
    """The final decision of the seat is this one: the decision in the summary, else the last one in the events. If a
    seat decided several times, its hand is settled by the final decision."""
    decision_is_open: Literal[True] = NO_OPERAND
    """The decision of the seat, if the log records one, is a decision of the game that is open to the seat."""
    position: grammar.PositionName = NO_OPERAND
    """The seat has this position in the round."""
    split_hand: Literal["any", "split-off"] = NO_OPERAND
    """The hand of the seat comes from a split. `split-off`: it began with a card of another hand. `any`: it did, or a
    card of its own was split off."""
    taking_part: Literal[True] = NO_OPERAND
    """The seat takes part in the round; a seat that only sits at the table does not."""
    called_off: Literal[True] = NO_OPERAND
    """A misdeal is declared for the seat or for all, and the hand is not played on: no event records that a stake of
    the seat was paid or taken. Stakes that are spent when placed may be paid and taken."""
    first_of_session: Literal[True] = NO_OPERAND
    """The round is the first since the table opened: its number is 1."""
    new_player: Literal[True] = NO_OPERAND
    """The player of the seat has sat down since the previous round at the table. The table has just opened, or the
    player had left, or was not there since it opened. A player who is missing from rounds without a record of leaving
    has sat out."""
    deck_as_before: Literal[True] = NO_OPERAND
    """The deck in play is the deck of the previous round at the table."""
    outcome: grammar.OutcomeIs = NO_OPERAND
    """An outcome that is no card, such as the number of a wheel, has one of some values."""
    selection: Annotated[list[grammar.SelectionText], MinLen(1), MaxLen(1000)] | Literal["permitted"] = NO_OPERAND
    """The judged stake is on one of these selections: a value, a range of numbers such as `1-36`, or several with a
    blank between. `permitted`: on a selection that its wager permits, or on none if the wager has no selections."""
    named_by: grammar.StepName = NO_OPERAND
    """An event of this step names the judged stake: its seat, its wager, its selection, and whether it is a tip."""
    within_limits: grammar.LineName = NO_OPERAND
    """The stake on a wager is neither below its posted minimum nor above its posted maximum."""
    happened: grammar.StepName = NO_OPERAND
    """The step happened at least once: in the round or, for a step of each seat, at the seat."""

    UNWRITTEN: ClassVar = {
        "all": "conditions that must all hold are written as a list",
        "fact": "a fact is written as its name",
        "number": "the quantity and its bound are written as the condition",
    }

    @classmethod
    def write_out(cls, value: Any) -> Any:
        """Return the fact of a name, all conditions of a list, the long form of a short form, or a comparison."""
        value = grammar.expand_short_form(cls.SHORT_FORMS, value)
        if isinstance(value, str):
            return {"fact": value}
        if isinstance(value, list):
            return {"all": value}
        if not isinstance(value, dict) or "number" in value:
            return value
        # Some quantities have the key of a condition, which has no other key next to it.
        compares = _BOUND_KEYS | (_QUANTITY_KEYS if len(value) > 1 else _QUANTITY_KEYS - _CONDITION_KEYS)
        return value if value.keys().isdisjoint(compares) else {"number": value}


_QUANTITY_KEYS = frozenset(map_fields_to_keys(Quantity).values())
_QUANTITY_PARTS = frozenset(
    key
    for operand in (Difference, OverSeats, PassedOver, Remainder, Times)
    for key in map_fields_to_keys(operand).values()
)
"""Keys that a file writes next to the operator of a quantity."""
_CONDITION_KEYS = frozenset(map_fields_to_keys(Condition).values())
_BOUND_KEYS = frozenset(map_fields_to_keys(Comparison).values()) - {"of"}
MOST_VALUES = 64
"""Most different values of an outcome."""
_MOST_SECTORS = 1000
_FACES = "123456"


class Outcome(ClosedModel):
    """A result that is no card, drawn anew in each round, or carried from round to round. It has `values` or dice."""

    title: Prose
    """Title, in a few words: the winning number."""
    values: (
        Annotated[list[ResultText], MinLen(1), MaxLen(_MOST_SECTORS)]
        | Annotated[dict[str, Annotated[int, Ge(1), Le(_MOST_SECTORS)]], MinLen(1), MaxLen(MOST_VALUES)]
        | None
    ) = None
    """The values of the sectors of a wheel, all equally likely: `1-36` means all numbers between. A value with
    several sectors is repeated, or `values` is a mapping of the number of sectors of each value."""
    dice: Annotated[int, Ge(1), Le(5)] | None = None
    """Number of dice with six faces. A value is one digit a die, in any order."""
    layout: Annotated[list[Annotated[list[ResultText], MinLen(1), MaxLen(50)]], MaxLen(50)] = []
    """Rows of the layout on which players select values that lie together. All rows have the same length."""
    becomes: dict[str, Condition] = {}
    """For a result that is not drawn but carried, such as a point: the value with which the next round begins, each
    with its condition on this round: its results, its wagers. The first that holds counts; without one, the value
    stays. When a table opens, it is the first of `values`. The log may state the value with which a round begins."""
    when: Condition | None = None
    """The rounds that have a result. Others have the first of `values`, unless the log states another. Left out,
    all."""

    @cached_property
    def weights(self) -> dict[str, int]:
        """Number of equally likely results of each value. The digits of dice are in ascending order."""
        if self.dice is not None:
            rolls = combinations_with_replacement(_FACES, self.dice)
            return {"".join(roll): _count_orders(roll) for roll in rolls}
        if isinstance(self.values, dict):
            return dict(self.values)
        counts: dict[str, int] = {}
        for value in expand_results(self.values or []):
            counts[value] = counts.get(value, 0) + 1
        return counts

    @property
    def is_dice(self) -> bool:
        """Return whether the outcome is that of dice."""
        return self.dice is not None

    @property
    def faces(self) -> tuple[str, ...]:
        """Return the faces of a die; none for other outcomes."""
        return tuple(_FACES) if self.is_dice else ()

    def number_texts(self) -> dict[str, int]:
        """Return the number of the value for each text that states it: dice in any order."""
        numbers = {value: number for number, value in enumerate(self.weights)}
        if not self.is_dice:
            return numbers
        return {"".join(roll): numbers["".join(sorted(roll))] for roll in product(self.faces, repeat=self.dice or 1)}

    def find_value(self, text: str) -> str | None:
        """Return the value that a text states; None if there is no such value."""
        value = "".join(sorted(text)) if self.is_dice else text
        return value if value in self.weights else None

    def read_number(self, value: str) -> int | None:
        """Return the number of a value: the sum of dice, or the number of a wheel. None if it is no number."""
        if self.is_dice:
            return sum(map(int, value))
        return int(value) if re.fullmatch("[0-9]{1,9}", value) else None

    @model_validator(mode="after")
    def _require_values_or_dice(self) -> Self:
        if self.is_dice == (self.values is not None):
            raise ValueError("either `values` or `dice` must be given")
        count = len(self.weights)
        if count > MOST_VALUES:
            raise ValueError(f"the outcome has {count} different values, but at most {MOST_VALUES} are possible")
        if len({len(row) for row in self.layout}) > 1:
            raise ValueError("the rows of the layout differ in length")
        placed = [value for row in self.layout for value in expand_results(row)]
        stray = next((value for value in placed if value not in self.weights or placed.count(value) > 1), None)
        if stray is not None:
            raise ValueError(f"`{stray}` is on the layout twice, or is no value of the outcome")
        if self.becomes and self.is_dice:
            raise ValueError("dice are drawn anew in each round: a result that is carried has `values`")
        if self.when is not None and (self.is_dice or self.becomes):
            raise ValueError("only a result with `values` that is not carried may have `when`")
        unknown = [value for value in self.becomes if value not in self.weights]
        if unknown:
            raise ValueError(f"the outcome becomes `{unknown[0]}`, which is no value of it")
        return self


class Selection(ClosedModel):
    """Permitted selections of a wager: one value of an outcome, or several.

    Left out `blocks` and `among`, it is any value, total or face.
    """

    outcome: OutcomeName
    """The outcome."""
    by: Literal["value", "total", "face"] = "value"
    """Kind of selection: values of the outcome, totals of the dice, or faces of a die."""
    when: Literal["placed", "stays"] = "placed"
    """`placed`: a stake has its selection when it is placed. `stays`: it has none then; if it stays on the table, the
    result of the round becomes its selection."""
    blocks: list[Annotated[str, StringConstraints(pattern=r"^[1-9][0-9]?x[1-9][0-9]?$")]] = []
    """Selections of values that form a rectangle on the layout: `2x3` is two rows of three values."""
    among: Annotated[list[Annotated[list[ResultText], MinLen(1), MaxLen(50)]], MaxLen(500)] = []
    """Further selections, each a list: `[0, 1, 2]`."""

    def list_selections(self, outcome: Outcome) -> list[str]:
        """Return the permitted selections, as logs write them."""
        listed = [expand_results(values) for values in self.among]
        listed += [block for shape in self.blocks for block in _list_blocks(outcome, *map(int, shape.split("x")))]
        if not self.blocks and not self.among:
            listed = [[part] for part in self.list_parts(outcome)]
        return list(dict.fromkeys(map(join_selection, listed)))

    def list_parts(self, outcome: Outcome) -> list[str]:
        """Return the values, totals or faces that may be selected."""
        if self.by == "value":
            return [*outcome.weights]
        if self.by == "face":
            return [*outcome.faces]
        totals = {outcome.read_number(value) for value in outcome.weights} - {None}
        return list(map(str, sorted(total for total in totals if total is not None)))


def _list_blocks(outcome: Outcome, high: int, wide: int) -> list[list[str]]:
    """Return the values of each rectangle of a size on a layout."""
    rows = [expand_results(row) for row in outcome.layout]
    return [
        [value for row in rows[top : top + high] for value in row[left : left + wide]]
        for top in range(len(rows) - high + 1)
        for left in range(len(rows[0]) - wide + 1)
    ]


def _count_orders(roll: Iterable[str]) -> int:
    """Return the number of orders in which dice show some faces."""
    faces = list(roll)
    return factorial(len(faces)) // prod(factorial(faces.count(face)) for face in set(faces))
