"""What players do among each other in a round: acts of betting, and how the pots were divided."""

from __future__ import annotations

from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Ints8, Ints32


class Shown(Struct, frozen=True, kw_only=True):
    """Words said and chips put forward ahead of acts of betting: `act` int64[n] which act of those at hand it is,
    `kind` uint8[n] the kind of event, `detail` int64[n] its place among those of the same act. `decision`, `amount` and
    `chips` int64[n] are as in `Events`, ABSENT where an event has none."""

    act: Ints
    kind: Codes
    detail: Ints
    decision: Ints
    amount: Ints
    chips: Ints


class Bets(Struct, frozen=True, kw_only=True):
    """Acts of betting in the order in which they were drawn, which is that of play within each round.

    `round` int32[n] and `seat` int64[n] are whose act it is, `street` int8[n] which betting round it is in and `turn`
    int64[n] which act of that; `decision` int32[n] is a code of the house's decisions, `amount` int64[n] minor units,
    0 where nothing goes in. `shown` is what seats said and put forward ahead of these acts. `stages` is int8[rounds],
    how many stages of the deal came; `folded` is bool[seats].
    """

    round: Ints32
    seat: Ints
    street: Ints8
    turn: Ints
    decision: Ints32
    amount: Ints
    shown: Shown
    stages: Ints8
    folded: Flags


class Irregularities(Struct, frozen=True, kw_only=True):
    """What goes wrong in each round: `of` int8[rounds] is its place in the simulation's list, ABSENT where nothing
    does; `seat` int64[rounds] is whom it concerns, if it concerns a seat."""

    of: Ints8
    seat: Ints


class Amounts(Struct, frozen=True, kw_only=True):
    """Amounts of seats: `seat` int64[n], `of` int64[n] the pot or wager, `amount` int64[n] minor units."""

    seat: Ints
    of: Ints
    amount: Ints


class Ending(Struct, frozen=True, kw_only=True):
    """The end of rounds. `shows` and `concedes` bool[seats] are what seats do at the showdown, in the order of `rank`
    int64[seats]; `rake` int64[rounds]; `returned` what nobody called, by wager; `awards` what was won of each pot.
    `winning` bool[seats] is to whom a share of a pot was due. `won` and `stack_after` are int64[seats], ABSENT as long
    as the pots are not divided."""

    shows: Flags
    concedes: Flags
    rank: Ints
    rake: Ints
    returned: Amounts
    awards: Amounts
    winning: Flags
    won: Ints
    stack_after: Ints
