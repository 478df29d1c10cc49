"""Solution for a wager: the share of all deals in each outcome, and the best decisions of the player."""

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
    """Share of all deals with one outcome."""

    outcome: str
    alternative: int
    """Alternative of the player, as an index."""
    net: Fraction
    """Balance of the player, in minor units."""
    count: int
    """Number of deals."""


class Choice(Struct, frozen=True, kw_only=True, eq=False):
    """Best alternative by class of the player's cards."""

    cards: Codes
    """Cards of each class, uint8[n, k]."""
    weight: Ints
    """Number of hands in each class, int64[n]."""
    best: Ints
    """Best alternative, as an index, int64[n]."""
    gone: Ints
    """Best discards, as an index into `discard_ways`, int64[n]."""
    ways: tuple[tuple[int, ...], ...]
    """Ways to discard: columns of the class's cards."""


class PointChoice(Struct, frozen=True, kw_only=True, eq=False):
    """Best decisions at a decision point, by the cards that the player sees there."""

    after: tuple[str, ...]
    """Decisions that the seat has taken before."""
    decisions: tuple[str | None, ...]
    """Decisions to choose from; None is to decide nothing."""
    cards: Mapping[Place, Codes]
    """Cards of each place, uint8[n, k], if cards of other places cannot replace them."""
    weight: Ints
    """Number of deals that lead to each row of cards, int64[n]."""
    best: Ints
    """Best decision for each row of cards, as an index, int64[n]."""


class Done(NamedTuple):
    """Decision with its discards."""

    decision: str | None
    gone: tuple[int, ...] | None
    """Columns of the class's cards that are discarded; None if discards do not matter."""


class Worths(Struct, frozen=True, kw_only=True, eq=False):
    """Worth of every decision by class of the player's own cards."""

    cards: Codes
    """Cards of each class, uint8[n, k]."""
    find: Callable[[Codes], Ints]
    """Returns the class, int64[m], of hands, uint8[m, k]."""
    does: tuple[Done, ...]
    """Decisions with their discards."""
    worth: Reals
    """Worth to the player per unit staked on the wager, float64[d, n]."""
    may: Flags
    """True if the decision is open, bool[d, n]."""
    by_itself: bool = False
    """True if one decision is never worse than the others, whatever the cards are."""


class SharedDeals(Struct, frozen=True, kw_only=True, eq=False):
    """Random cards that seats of a round share, each with random hands of players."""

    decisions: tuple[str | None, ...]
    """Decisions of a player; None for no decision."""
    weight: Reals
    """Weight of each deal, float64[shared, hands]; 0 if a card occurs in both."""
    net: Reals
    """Balance of the player per unit staked, float64[decisions, shared, hands]."""
    cost: Reals
    """Cost of a decision per unit staked, float64[decisions, shared, hands]."""
    best: Ints
    """Decision that theory takes, int64[shared, hands]."""


class Solution(Struct, frozen=True, kw_only=True):
    """Solution for a wager."""

    alternatives: tuple[Alternative, ...]
    """Alternatives of the player."""
    shares: tuple[Share, ...]
    """Shares of all deals. Their counts are not numbers of deals if `error` is stated."""
    choice: Choice | None
    """Best alternatives, if a seat decides once by its own cards and the best decision depends on them."""
    points: tuple[PointChoice, ...] = ()
    """Best decisions at each point, if a seat decides several times or sees other cards."""
    error: float | None = None
    """Standard error of the house advantage per unit staked, if not all deals were counted."""
    proof: Proof | None = None
    """Results of all deals with every decision."""


def shares_of(alternative: int, result: Settled, count: Ints) -> Iterator[Share]:
    """Yield the shares of all deals with one outcome and one balance.

    Args:
        alternative: index of the alternative.
        result: settled deals.
        count: number of deals that each settled deal represents, int64[n].
    """
    for outcome, net in sorted({*zip(result.outcome.tolist(), result.net.tolist(), strict=True)}):
        number = int(count[(result.outcome == outcome) & (result.net == net)].sum())
        if number:
            yield Share(
                outcome=result.outcomes[outcome],
                alternative=alternative,
                net=Fraction(net, result.per),
                count=number,
            )
