"""What comes of working out a wager: every deal's share in each outcome, and what is best for the player."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from msgspec import Struct

from validator.arrays import Codes, Flags, Ints, Reals
from validator.language.terms import Place
from validator.odds.rounds.play import Alternative
from validator.odds.rounds.proof import Proof
from validator.odds.rounds.settled import Settled


class Share(Struct, frozen=True, kw_only=True):
    """A part of all deals: what comes of it, by which alternative, for how much (in minor units), how often."""

    outcome: str
    alternative: int
    net: Fraction
    count: int


class Choice(Struct, frozen=True, kw_only=True, eq=False):
    """What is best, by class of the player's cards: `cards`, uint8[n, k], `weight`, int64[n]; `best`, int64[n], is an
    index into alternatives, `gone`, int64[n], into `ways`, which of the cards are then put aside, by their places."""

    cards: Codes
    weight: Ints
    best: Ints
    gone: Ints
    ways: tuple[tuple[int, ...], ...]


class PointChoice(Struct, frozen=True, kw_only=True, eq=False):
    """Best decisions at a decision point, by the cards that the player sees there."""

    after: tuple[str, ...]
    """The decisions that the seat has taken before."""
    decisions: tuple[str | None, ...]
    """The decisions to choose from; None is to decide nothing."""
    cards: Mapping[Place, Codes]
    """The cards of each place, uint8[n, k], where the cards of other places do not stand in for them."""
    weight: Ints
    """How many deals lead to each row of cards, int64[n]."""
    best: Ints
    """The best decision with each row of cards, int64[n]."""


class Done(NamedTuple):
    """A decision, and which of the cards are put aside, by their places in the class; None where that is all the
    same."""

    decision: str | None
    gone: tuple[int, ...] | None


class Worths(Struct, frozen=True, kw_only=True, eq=False):
    """What anything a player may do (`does`) is worth to the player, by class of the own cards (`cards`, uint8[n, k];
    `find` has the class, int64[m], of hands, uint8[m, k]): `worth`, float64[d, n], for a unit staked on the wager;
    `may`, bool[d, n], whether it is open."""

    cards: Codes
    find: Callable[[Codes], Ints]
    does: tuple[Done, ...]
    worth: Reals
    may: Flags
    by_itself: bool = False
    """Whether one decision is never worse than another, whatever the cards are: it is taken for any other wager too."""


class SharedDeals(Struct, frozen=True, kw_only=True, eq=False):
    """Random cards that seats of a round share, each with random hands of players next to them."""

    decisions: tuple[str | None, ...]
    """Decisions of a player, None for no decision."""
    weight: Reals
    """Weight of each deal, float64[shared, hands]; 0 where a card is in both."""
    net: Reals
    """Balance of the player for a unit staked, float64[decisions, shared, hands]."""
    cost: Reals
    """Cost of a decision for a unit staked, float64[decisions, shared, hands]."""
    best: Ints
    """Decision that theory takes, int64[shared, hands]."""


class Solution(Struct, frozen=True, kw_only=True):
    """A wager worked out."""

    alternatives: tuple[Alternative, ...]
    """What a player may do."""
    shares: tuple[Share, ...]
    """The shares of all deals; no counts of deals where `error` is stated."""
    choice: Choice | None
    """What is best by the own cards, where a seat decides once and what is best depends on them."""
    points: tuple[PointChoice, ...] = ()
    """What is best at each decision point, where a seat decides several times or sees other cards."""
    error: float | None = None
    """The standard error of the advantage for a unit staked, where not all deals were counted."""
    proof: Proof | None = None
    """What all deals prove, whatever the player decides."""


def shares_of(alternative: int, result: Settled, count: Ints) -> Iterator[Share]:
    """The shares of all deals that come to one outcome and one balance; `count`, int64[n], is how many there are of
    each deal that was settled."""
    for outcome, net in sorted({*zip(result.outcome.tolist(), result.net.tolist(), strict=True)}):
        number = int(count[(result.outcome == outcome) & (result.net == net)].sum())
        if number:
            yield Share(
                outcome=result.outcomes[outcome],
                alternative=alternative,
                net=Fraction(net, result.per),
                count=number,
            )
