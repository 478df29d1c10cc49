"""Rounds in the making: columns that fill up from stage to stage, and the batch they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints8, Ints16, Ints32
from validator.engine.core.context import Scope
from validator.engine.core.kleene import YES
from validator.evidence.columns.batch import MOMENT, Batch, Coded, Events, Hands, Meters, Seats, Stakes
from validator.evidence.columns.empty import no_hands, no_meters, no_names, no_numbers
from validator.evidence.handlog.event_values import HIGHEST_SEAT, WIDEST_HAND
from validator.language.conditions import Condition
from validator.language.terms import Place
from validator.simulate.bets import Bets, Ending, Irregularities
from validator.simulate.house import House
from validator.simulate.parts import Part, in_order

OWN, TIP = 0, 1
PLACES_HELD: tuple[Place, ...] = ("player", "dealer", "community")
"""The places at which cards are held."""
PLAYERS = tuple(f"P{number}" for number in range(1, HIGHEST_SEAT + 1))
"""What players are called: each by the number of the first seat that is his."""


class Exchanged(Struct, frozen=True, kw_only=True):
    """Cards exchanged between betting rounds, in a `stage` of the deal: `seat` int64[n] are the seats that were asked;
    what each seat of the rounds put `aside`, what it has `drawn`, and what it holds `after` it, a row a seat."""

    stage: int
    seat: Ints
    aside: Hands
    drawn: Hands
    after: Hands


class Rounds(Struct, frozen=True, kw_only=True):
    """Rounds as far as they have been played.

    Seats are columns as in `Seats`, in ascending order of their numbers. Stakes are tables: `amount`, `paid`
    and `taken` are int64[names, 2, seats], by the house's names, the player's own stakes and tips; 0 where
    there is none. `case` is int16 of the same shape, the case of settlement. `way` is int8[rounds], an index
    into the house's ways of dealing. `claimed` is int8[names, seats], whether a seat declared a win: 1, 0, or ABSENT
    where nobody asks.

    `aside` and `drawn` are the cards each place put aside and was dealt in their stead. `deck` is uint8[rounds,
    cards], the shuffled decks, of which `used`, int64[rounds], cards are gone. `meters` is int64[meters, 3, rounds]:
    what each meter of the house reads at the opening, when awards are made and at the close; ABSENT where that has
    not come yet. `mishaps` are events of the deal that went wrong, their places in it still open.

    `exchanges` are those between betting rounds, in order; the log tells of them by events alone.

    `button` is int8[rounds], the number of the seat where the button lies, and `stack` int64[seats], the chips at the
    start; ABSENT in games without. `irregular` is what goes wrong, `bets` are the acts of betting, `ending` is how the
    pots were divided; None as long as that has not come.
    """

    offsets: Ints
    round: Ints32
    number: Ints16
    player: Ints32
    decision: Ints32
    hands: Hands
    dealer: Hands
    community: Hands
    way: Ints8
    amount: Ints
    paid: Ints
    taken: Ints
    case: Ints16
    claimed: Ints8
    aside: Mapping[Place, Hands]
    drawn: Mapping[Place, Hands]
    deck: Codes
    used: Ints
    meters: Ints
    mishaps: Sequence[Part]
    button: Ints8
    stack: Ints
    irregular: Irregularities | None = None
    bets: Bets | None = None
    ending: Ending | None = None
    exchanges: tuple[Exchanged, ...] = ()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def hands_at(self, place: Place) -> Hands:
        """The cards a place was dealt: a row a seat for `player`, else a row a round."""
        return {"player": self.hands, "dealer": self.dealer, "community": self.community}[place]

    @property
    def held(self) -> Hands:
        """The cards each seat holds after all exchanges between betting rounds."""
        return self.exchanges[-1].after if self.exchanges else self.hands

    @property
    def place_in_round(self) -> Ints:
        """int64[seats]: 0 for the seat of the lowest number in its round."""
        return np.arange(len(self.round)) - self.offsets[self.round]


def seated(house: House, offsets: Ints, number: Ints16, player: Ints32) -> Rounds:
    """Rounds in which the seats are taken and nothing has happened yet."""
    rounds, seats = len(offsets) - 1, len(number)
    shape = (len(house.names), 2, seats)
    return Rounds(
        offsets=offsets,
        round=np.repeat(np.arange(rounds, dtype=np.int32), np.diff(offsets)),
        number=number,
        player=player,
        decision=np.full(seats, ABSENT, np.int32),
        hands=no_hands(seats),
        dealer=no_hands(rounds),
        community=no_hands(rounds),
        way=np.zeros(rounds, np.int8),
        amount=np.zeros(shape, np.int64),
        paid=np.zeros(shape, np.int64),
        taken=np.zeros(shape, np.int64),
        case=np.full(shape, ABSENT, np.int16),
        claimed=np.full((len(house.names), seats), ABSENT, np.int8),
        aside={place: no_hands(rows_of(place, rounds, seats)) for place in PLACES_HELD},
        drawn={place: no_hands(rows_of(place, rounds, seats)) for place in PLACES_HELD},
        deck=np.zeros((rounds, 0), np.uint8),
        used=np.zeros(rounds, np.int64),
        meters=np.full((len(house.meters), 3, rounds), ABSENT, np.int64),
        mishaps=(),
        button=np.full(rounds, ABSENT, np.int8),
        stack=no_numbers(seats),
    )


def rows_of(place: Place, rounds: int, seats: int) -> int:
    """How many hands there are at a place."""
    return seats if place == "player" else rounds


def scope_of(house: House, rounds: Rounds) -> Scope:
    """The rounds opened for questions, as far as they have been played; of events, only mishaps have been told yet."""
    events = in_order(rounds.mishaps, len(rounds), house.texts) if rounds.mishaps else no_events(rounds)
    return Scope(batch_of(house, rounds, events), house.prepared, house.configuration)


def seats_where(scope: Scope, condition: Condition | None) -> Flags:
    """bool[seats]: where a condition certainly holds."""
    if condition is None:
        return np.ones(scope.length("seat"), np.bool_)
    return scope.truth(condition, "seat") == YES


def batch_of(house: House, rounds: Rounds, events: Events) -> Batch:
    """The rounds as a batch. They have no ids, tables and times yet."""
    count = len(rounds)
    nowhere = np.zeros(count, np.int32)
    ending = rounds.ending
    return Batch(
        file=Coded(codes=nowhere, names=("",)),
        game=house.game.game,
        round=("",) * count,
        line=np.arange(1, count + 1),
        table=Coded(codes=nowhere, names=("",)),
        casino=Coded(codes=nowhere, names=(house.submission.licensee.name,)),
        day=nowhere,
        time=np.zeros(count, np.int64),
        dated=np.full(count, MOMENT, np.uint8),
        offset=np.zeros(count, np.int16),
        number=np.full(count, ABSENT, np.int32),
        deck=no_names(count),
        button=rounds.button,
        small_bet=no_numbers(count),
        big_bet=no_numbers(count),
        after=no_names(count),
        complete=np.ones(count, np.bool_),
        dealer=rounds.dealer,
        dealer_discarded=rounds.aside["dealer"],
        dealer_drawn=rounds.drawn["dealer"],
        community=rounds.community,
        community_discarded=rounds.aside["community"],
        meters=_meters(house, rounds),
        seats=Seats(
            offsets=rounds.offsets,
            round=rounds.round,
            number=rounds.number,
            player=Coded(codes=rounds.player, names=PLAYERS),
            decision=Coded(codes=rounds.decision, names=house.decisions),
            hands=rounds.hands,
            discarded=rounds.aside["player"],
            drawn=rounds.drawn["player"],
            stack=rounds.stack,
            stack_after=no_numbers(len(rounds.number)) if ending is None else ending.stack_after,
            won=no_numbers(len(rounds.number)) if ending is None else ending.won,
            playing=np.ones(len(rounds.number), np.bool_),
        ),
        stakes=_stakes(house, rounds),
        events=events,
        recorded=np.ones(count, np.bool_),
        unrecorded=np.zeros(count, np.uint64),
        currency=no_names(count),
        context=no_names(count),
    )


def _stakes(house: House, rounds: Rounds) -> Stakes:
    """Stakes seat by seat, in the order of the house's names, a tip after the player's own."""
    listed = np.moveaxis((rounds.amount > 0) | (rounds.paid > 0), 2, 0)
    seat, name, tip = np.nonzero(listed)
    bonus = np.array([one in house.game.bonuses for one in house.names], np.bool_)[name]
    # What players win of each other is told of their seats, not of their stakes.
    pooled = house.game.pots is not None
    return Stakes(
        seat=seat.astype(np.int32),
        wager=Coded(codes=name.astype(np.int32), names=house.names),
        tip=tip == TIP,
        bonus=bonus,
        amount=rounds.amount[name, tip, seat],
        paid=np.where(pooled, ABSENT, rounds.paid[name, tip, seat]),
        taken=np.where(bonus | pooled, ABSENT, rounds.taken[name, tip, seat]),
        claimed=np.where(tip == TIP, ABSENT, rounds.claimed[name, seat]).astype(np.int8),
    )


def _meters(house: House, rounds: Rounds) -> Meters:
    """The readings of all meters of every round, as far as there are any."""
    known, count = len(house.meters), len(rounds)
    if not known or (rounds.meters == ABSENT).all():
        return no_meters(count)
    opening, shown, closing = (rounds.meters[:, column].T.ravel() for column in range(3))
    return Meters(
        offsets=np.arange(count + 1, dtype=np.int64) * known,
        round=np.repeat(np.arange(count, dtype=np.int32), known),
        meter=Coded(
            codes=np.tile(np.arange(known, dtype=np.int32), count), names=tuple(one.name for one in house.meters)
        ),
        opening=opening,
        shown=shown,
        closing=closing,
    )


def no_events(rounds: Rounds) -> Events:
    """Events of rounds in which nothing has been told."""
    nothing = np.zeros(0, np.int32)
    small = np.zeros(0, np.int8)
    unnamed = Coded(codes=nothing, names=())
    return Events(
        offsets=np.zeros(len(rounds) + 1, np.int64),
        round=nothing,
        kind=np.zeros(0, np.uint8),
        seat=nothing,
        place=small,
        face=small,
        by=small,
        means=small,
        wager=unnamed,
        tip=np.zeros(0, np.bool_),
        amount=np.zeros(0, np.int64),
        decision=unnamed,
        what=unnamed,
        deck=unnamed,
        positions=unnamed,
        pot=small,
        chips=np.zeros(0, np.int16),
        cards_row=nothing,
        hands=Hands(cards=np.zeros((0, WIDEST_HAND), np.uint8), count=np.zeros(0, np.int16)),
    )
