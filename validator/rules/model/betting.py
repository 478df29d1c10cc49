"""Models of betting: forced wagers, betting rounds, sizes of bets and raises, and order of seats."""

from typing import Annotated, Literal

from annotated_types import Ge, Le, MinLen
from pydantic import Field

from validator.language.conditions import Condition, Quantity
from validator.language.operands import ReadingIs
from validator.language.refs import CourseName, PositionName, StepName, WagerName
from validator.text.models.model import ClosedModel, OneOperatorModel, unset_operator
from validator.text.models.scalars import Identifier

ActKind = Literal["fold", "check", "call", "bet", "raise", "complete", "bring-in", "concede", "discard", "stand-pat"]
"""Meanings of decisions in a betting round."""


class ForcedWager(ClosedModel):
    """A wager that is put in before any seat acts."""

    wager: WagerName
    """The wager."""
    counts: Literal["apart", "toward-the-bet", "as-the-bet"]
    """`apart`: it does not count toward the current bet. `toward-the-bet`: it counts. `as-the-bet`: it counts, and its
    posted minimum is the current bet even if the player has less."""


class LargerSize(ClosedModel):
    """A larger size of bets and raises that a player may choose."""

    when: Condition
    """The rounds in which players may choose it."""
    size: Quantity
    """The size. A raise of a bet of that size must be by the same size."""


class BettingRound(ClosedModel):
    """A betting round."""

    round: Identifier
    """Name of the betting round."""
    after: StepName | None = None
    """The step whose last event begins it. Left out for the first, which begins with the round of play."""
    opens: PositionName
    """The position that acts first. If its seat may not act, the next seat clockwise does."""
    size: Quantity | None = None
    """The size of all bets and raises in it under a fixed limit. If `sizes` has `fixed`, it applies only in those
    rounds."""
    or_larger: LargerSize | None = None
    """A larger size that may be chosen instead."""


class LeastBet(ClosedModel):
    """A case of the least amount of an opening bet."""

    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    at_least: Quantity
    """The least amount."""


class LeastRaise(OneOperatorModel):
    """A case of the least amount by which a raise must exceed the bet before it."""

    COMPANIONS = frozenset({"when"})

    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    at_least: Quantity = unset_operator()
    """The least amount."""
    as_last: Literal[True] = unset_operator()
    """The size of the last full bet or raise of the betting round, but at least the smallest bet."""


class Sizes(ClosedModel):
    """Limits of bets and raises. A betting round with a `size` does not use `opening` and `raise`."""

    opening: Annotated[list[LeastBet], MinLen(1)]
    """Cases for opening bets, in order; the first that holds applies."""
    raise_: Annotated[list[LeastRaise], MinLen(1)]
    """Cases for raises, in order; the first that holds applies."""
    most: Literal["table-stakes", "pot"] = "table-stakes"
    """The largest bet or raise without a fixed size. `table-stakes`: all chips of the player. `pot`: the pot after the
    current bet is called."""
    limit: Quantity | None = None
    """An amount that no bet or raise may exceed, for example under a spread limit. Left out, no such amount."""
    fixed: Condition | None = None
    """The rounds of play with a fixed limit. Left out, all whose betting rounds have a `size`."""
    half_counts: Condition | None = None
    """The rounds of play in which, at a fixed size, an all-in of at least half a bet counts as a whole bet. The next
    raise then goes to the following multiple of the size, and the betting is open again to players who have acted. An
    all-in of less than half a bet is completed to the size. Left out, each raise exceeds the bet before it by the
    size."""
    raises: Annotated[int, Ge(1), Le(100)] | None = None
    """The most raises in a betting round. Left out, any number."""


class Reopens(ClosedModel):
    """A case of raises that open the betting again to a seat that has acted."""

    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    by: Literal["full-raise", "full-raise-in-all", "any-raise"]
    """`full-raise`: raises at least as large as the last full bet or raise. `full-raise-in-all`: also smaller raises,
    if all raises since the last act of the seat together are that large. `any-raise`: all raises."""


class FoldedBy(ClosedModel):
    """A step by which a player who must act, or faces a bet, gives up the hand without a recorded fold."""

    step: StepName
    """The step, which must be one of each seat."""
    when: Condition | None = None
    """The seats whose hands it gives up. Left out, all."""
    out: Condition | None = None
    """The seats whose hands it takes out of play at any time, for example hands lost earlier. Left out, none."""


class Betting(ClosedModel):
    """Betting among players: in turn, clockwise, until all have checked or answered the last bet."""

    wager: WagerName
    """The wager for the chips of bets, calls and raises."""
    forced: list[ForcedWager] = Field(default_factory=list)
    """The wagers that are put in before any seat acts."""
    course: CourseName | None = None
    """The course that orders the acts of players. An act that a requirement finds out of place in it is no act of the
    betting. No other rule of the betting judges it, and its chips go into the pot."""
    rounds: Annotated[list[BettingRound], MinLen(1)]
    """The betting rounds, in order."""
    words_after_chips: Condition | None = None
    """The rounds of play in which words bind even after the player has put chips forward. Left out, none. Words before
    the chips, or after a statement that the bet is not complete, always bind."""
    folded_by: FoldedBy | None = None
    """A step that gives up a hand, in addition to the decision to fold."""
    complete_at: list[StepName] = Field(default_factory=list)
    """Steps that come when a betting round is complete. If it is not complete and several of them come in the same
    turn, the failure is reported at the one listed first."""
    sizes: Sizes
    """Limits of bets and raises."""
    reopens: Annotated[list[Reopens], MinLen(1)]
    """Raises that open the betting again: cases in order, of which the first that holds applies."""


class OtherDirection(ClosedModel):
    """The direction around the table under another option of a reading."""

    reading: ReadingIs
    """The option under which it applies."""
    from_: Literal["dealer-left", "dealer-right"]
    """The side of the first seat in that direction."""


class InTurnCheck(ClosedModel):
    """The steps happen seat by seat around the table: each seat in one uninterrupted visit, with the steps in order.
    Steps that do not happen at a seat are skipped."""

    steps: Annotated[list[StepName], MinLen(1)]
    """The steps of a visit, in order."""
    from_: Literal["dealer-left", "dealer-right"]
    """The side of the first seat: `dealer-left` begins at seat 1."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    otherwise: list[OtherDirection] = Field(default_factory=list)
    """Directions under other readings of the text."""


class OtherStart(ClosedModel):
    """The first seat under another option of a reading."""

    reading: ReadingIs
    """The option under which it applies."""
    starting: Annotated[list[PositionName], MinLen(1)]
    """The positions to begin at, in order of preference."""


class TurnsCheck(ClosedModel):
    """A step happens at its seats in clockwise order from a position of the table. Seats without the step are
    skipped."""

    step: StepName
    """The step."""
    starting: Annotated[list[PositionName], MinLen(1)]
    """The positions to begin at: the first of them that a seat has in the round."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    otherwise: list[OtherStart] = Field(default_factory=list)
    """First seats under other readings of the text."""
