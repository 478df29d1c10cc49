"""Rounds of betting as data: what is forced, who opens, how much a bet and a raise must be, when they are open."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import CourseName, PositionName, StepName, WagerName
from validator.text.models.model import Closed, OneOf, unset
from validator.text.models.scalars import Identifier

Act = Literal["fold", "check", "call", "bet", "raise", "complete", "bring-in", "concede", "discard", "stand-pat"]
"""What a decision means in a round of betting."""


class Forced(Closed):
    """A wager that is put in before anybody acts."""

    wager: WagerName
    """The wager."""
    counts: Literal["apart", "toward-the-bet", "as-the-bet"]
    """`apart`: it does not count toward the bet that is to be met. `toward-the-bet`: it does. `as-the-bet`: it does,
    and its posted minimum is the bet to be met even where the player has less."""


class LargerSize(Closed):
    """A larger size of bets and raises that a player may choose."""

    when: Condition
    """The rounds in which that is open to players."""
    size: Quantity
    """The size. Who raises a bet of that size raises by as much."""


class BettingRound(Closed):
    """One round of betting."""

    round: Identifier
    """Its name."""
    after: StepName | None = None
    """The step whose last event begins it; left out for the first, which begins with the round of play."""
    opens: PositionName
    """The position that is the first to act, or the next clockwise that may."""
    size: Quantity | None = None
    """The one size of bets and raises in it, where the limit is fixed; where `sizes` say when it is, only then."""
    or_larger: LargerSize | None = None
    """The size that may be chosen in its stead."""


class LeastBet(Closed):
    """One case of how much an opening bet must be."""

    when: Condition | None = None
    """The rounds it speaks of; left out, any."""
    at_least: Quantity
    """The least amount."""


class LeastRaise(OneOf):
    """One case of by how much a raise must exceed the bet before it."""

    BESIDE = frozenset({"when"})

    when: Condition | None = None
    """The rounds it speaks of; left out, any."""
    at_least: Quantity = unset()
    """The least amount."""
    as_last: Literal[True] = unset()
    """As much as the last full bet or raise of the betting round, at the least the smallest bet."""


class Sizes(Closed):
    """How much bets and raises may be. A betting round of one size does not look at `opening` and `raise`."""

    opening: Annotated[list[LeastBet], MinLen(1)]
    """Opening bets: ordered cases, of which the first that holds decides."""
    raise_: Annotated[list[LeastRaise], MinLen(1)]
    """Raises: ordered cases, of which the first that holds decides."""
    most: Literal["table-stakes", "pot"] = "table-stakes"
    """The most a bet or raise may be where its size is not fixed: all of the player's chips, or as much as the pot
    once the bet before it is met."""
    limit: Quantity | None = None
    """An amount that no bet or raise may exceed, as where a spread limit is played; left out, none but those before."""
    fixed: Condition | None = None
    """The rounds of play whose limit is fixed; left out, all whose betting rounds have a `size`."""
    half_counts: Condition | None = None
    """The rounds of play in which, at a fixed size, half a bet or more of who has no more chips counts as a whole one:
    the next raise goes to the following multiple of the size, and the betting is open again to who has acted. Less than
    half is completed to the size. Left out, each raise goes by the size beyond the bet before it."""
    raises: Annotated[int, Ge(1), Le(100)] | None = None
    """How many raises a betting round may have; left out, any number."""


class Reopens(Closed):
    """One case of which raises open the betting again to a seat that has acted."""

    when: Condition | None = None
    """The rounds it speaks of; left out, any."""
    by: Literal["full-raise", "full-raise-in-all", "any-raise"]
    """`full-raise`: those that are not smaller than the last full bet or raise. `full-raise-in-all`: also smaller ones,
    to a seat since whose last act raises came to no less than that together. `any-raise`: all."""


class FoldedBy(Closed):
    """A step by which a player who is to act, or faces a bet, gives the hand up, though no fold was told."""

    step: StepName
    """The step, of seats."""
    when: Condition | None = None
    """The seats whose hands it gives up; left out, all."""
    out: Condition | None = None
    """The seats whose hands it takes out of play whoever is to act, as those that were lost before; left out, none."""


class Betting(Closed):
    """How players bet against each other: in turn, clockwise, until all have checked or answered the last bet."""

    wager: WagerName
    """The wager that what a seat bets, calls and raises lies on."""
    forced: list[Forced] = Field(default_factory=list)
    """What is put in before anybody acts."""
    course: CourseName | None = None
    """The course that says when players act. What a requirement finds out of place in it is no act of the betting: it
    is judged by none of its rules besides, and its chips lie in the pot."""
    rounds: Annotated[list[BettingRound], MinLen(1)]
    """The rounds of betting, in order."""
    words_after_chips: Condition | None = None
    """The rounds of play in which words bind also where the player has put chips forward before them; left out, none:
    there words bind that come before the chips, or after word that the bet is not complete."""
    folded_by: FoldedBy | None = None
    """What gives a hand up besides the decision to fold."""
    complete_at: list[StepName] = Field(default_factory=list)
    """Steps that come when a betting round is complete. Where one was not, and several of them come in the same turn,
    that is told at the one listed first."""
    sizes: Sizes
    """How much bets and raises may be."""
    reopens: Annotated[list[Reopens], MinLen(1)]
    """Ordered cases, of which the first that holds decides."""


class OtherDirection(Closed):
    """The direction round the table under another option of a reading than the one adopted."""

    reading: ReadingIs
    """The option."""
    from_: Literal["dealer-left", "dealer-right"]
    """The side from which the seats then come up."""


class InTurnCheck(Closed):
    """Seats come up one after the other round the table, each in one visit that nothing interrupts, and within
    a visit the steps come in their order. A step that does not happen at a seat is passed over."""

    steps: Annotated[list[StepName], MinLen(1)]
    """The steps of a visit, in order."""
    from_: Literal["dealer-left", "dealer-right"]
    """The side from which the seats come up: `dealer-left` begins at seat 1."""
    when: Condition | None = None
    """The rounds it speaks of."""
    otherwise: list[OtherDirection] = Field(default_factory=list)
    """Directions that other readings of the text call for."""


class OtherStart(Closed):
    """Where the seats begin under another option of a reading than the one adopted."""

    reading: ReadingIs
    """The option."""
    starting: Annotated[list[PositionName], MinLen(1)]
    """The positions that then are asked for, in order."""


class TurnsCheck(Closed):
    """The seats of a step come up clockwise from a position of the table. A seat where the step does not happen is
    passed over."""

    step: StepName
    """The step."""
    starting: Annotated[list[PositionName], MinLen(1)]
    """The positions to begin at: the first of them that a seat has in the round."""
    when: Condition | None = None
    """The rounds it speaks of."""
    otherwise: list[OtherStart] = Field(default_factory=list)
    """Beginnings that other readings of the text call for."""
