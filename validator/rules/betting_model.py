"""Models of games in which players play against each other: table, positions, betting, pots, histories."""

from typing import Annotated, ClassVar, Literal

from annotated_types import Ge, Le, MaxLen, MinLen

from fairdeal.validator.language import grammar
from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.language.round_conditions import Condition, Quantity
from fairdeal.validator.text.closed_model import NO_OPERAND, ClosedModel, Identifier, OneOperatorModel


class PlayerLimits(ClosedModel):
    """The permitted number of players."""

    at_least: Annotated[int, Ge(1), Le(32)]
    """The lowest number."""
    at_most: Annotated[int, Ge(1), Le(32)]
    """The highest number."""


class Position(OneOperatorModel):
    """A case that defines the seat of a position among the seats that take part in the round."""

    COMPANIONS = frozenset({"when"})

    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    at: grammar.PositionName = NO_OPERAND
    """The seat of another position."""
    after: grammar.PositionName = NO_OPERAND
    """The next seat clockwise from another position."""
    first_with: grammar.WagerName = NO_OPERAND
    """The first seat with a stake on a wager, clockwise from the left of the button. The stake may be zero if the
    player had no chips left. No seat if none has such a stake."""
    last_with: grammar.WagerName = NO_OPERAND
    """The last seat with a stake on a wager, in the same order. No seat if none has such a stake."""
    best_showing: grammar.HandName = NO_OPERAND
    """The seat with the best hand of face-up cards, among seats that have not folded when the last stage of the hand
    is dealt. Of equal hands, the first clockwise from the left of the button."""
    worst_showing: grammar.HandName = NO_OPERAND
    """The seat with the worst hand of face-up cards, by the same rules."""
    last_bettor: Literal["last-betting-round", "round-of-play"] = NO_OPERAND
    """The last seat that bet or raised voluntarily. `last-betting-round`: in the last betting round in which a seat
    could act. `round-of-play`: in the whole round of play. No seat if none did."""


class Table(ClosedModel):
    """The table of a game whose players play against each other."""

    players: PlayerLimits
    """The permitted number of players."""
    positions: dict[Identifier, Annotated[list[Position], MinLen(1)]] = {}
    """Positions by name, each with cases in order; the first that holds defines its seat. `button` is always defined:
    the seat with the button. The seat `after` it is the first in the order of seats, even without a button."""


ActKind = Literal["fold", "check", "call", "bet", "raise", "complete", "bring-in", "concede", "discard", "stand-pat"]
"""Meanings of decisions in a betting round."""


class ForcedWager(ClosedModel):
    """A wager that is put in before any seat acts."""

    wager: grammar.WagerName
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
    after: grammar.StepName | None = None
    """The step whose last event begins it. Left out for the first, which begins with the round of play."""
    opens: grammar.PositionName
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
    at_least: Quantity = NO_OPERAND
    """The least amount."""
    as_last: Literal[True] = NO_OPERAND
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

    step: grammar.StepName
    """The step, which must be one of each seat."""
    when: Condition | None = None
    """The seats whose hands it gives up. Left out, all."""
    out: Condition | None = None
    """The seats whose hands it takes out of play at any time, for example hands lost earlier. Left out, none."""
    out_at: list[grammar.StepName] = []
    """Steps of a seat that take such a hand out of play even if `step` does not follow, for example its loss."""


class Betting(ClosedModel):
    """Betting among players: in turn, clockwise, until all have checked or answered the last bet."""

    KEY_HELP: ClassVar = {"course": "remove it: milestones that a dealt card makes come before the betting"}

    wager: grammar.WagerName
    """The wager for the chips of bets, calls and raises."""
    forced: list[ForcedWager] = []
    """The wagers that are put in before any seat acts."""
    rounds: Annotated[list[BettingRound], MinLen(1)]
    """The betting rounds, in order."""
    words_after_chips: Condition | None = None
    """The rounds of play in which words bind even after the player has put chips forward. Left out, none. Words before
    the chips, or after a statement that the bet is not complete, always bind."""
    folded_by: FoldedBy | None = None
    """A step that gives up a hand, in addition to the decision to fold."""
    complete_at: list[grammar.StepName] = []
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

    steps: Annotated[list[grammar.StepName], MinLen(1)]
    """The steps of a visit, in order. A decision and the wager that it places may come in either order."""
    from_: Literal["dealer-left", "dealer-right"]
    """The side of the first seat: `dealer-left` begins at seat 1."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    otherwise: list[OtherDirection] = []
    """Directions under other readings of the text."""


class OtherStart(ClosedModel):
    """The first seat under another option of a reading."""

    reading: ReadingIs
    """The option under which it applies."""
    starting: Annotated[list[grammar.PositionName], MinLen(1)]
    """The positions to begin at, in order of preference."""


class TurnsCheck(ClosedModel):
    """A step happens at its seats in clockwise order from a position of the table. Seats without the step are
    skipped."""

    step: grammar.StepName
    """The step."""
    starting: Annotated[list[grammar.PositionName], MinLen(1)]
    """The positions to begin at: the first of them that a seat has in the round."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, all."""
    otherwise: list[OtherStart] = []
    """First seats under other readings of the text."""


Joins = Literal["matched", "capped", "whole"]
"""Ways in which the stakes on a line join the pots."""


class PotPart(ClosedModel):
    """A case of how the stakes on some lines join the pots. The first case that names a line and holds applies."""

    lines: Annotated[list[grammar.LineName], MinLen(1)]
    """The lines."""
    joins: Joins
    """`matched`: stakes are added up and divided into layers, so that a seat can win from each other seat no more than
    it put in itself. An amount that nobody matched is uncalled. `capped`: the stakes of the line are divided into
    layers by themselves, and never uncalled. `whole`: all of the stakes go into the main pot."""
    when: Condition | None = None
    """The rounds that it applies to. Left out, every round that no earlier case decided."""


class PotShare(ClosedModel):
    """A hand that wins a share of every pot. Pots are divided evenly among the shares that are won."""

    hand: grammar.HandName
    """The hand; the best one by its ranking wins the share."""
    at_least: grammar.CategoryName | None = None
    """The least category, mark or band that wins it. Left out, any hand."""


class OddTo(OneOperatorModel):
    """The seats that receive chips that cannot be divided."""

    after: Literal["button"] = NO_OPERAND
    """The tied seats clockwise from here, one chip each."""


class OddChips(ClosedModel):
    """A rule for chips that equal hands cannot share evenly."""

    unit: Literal["smallest-chip", "minor-unit", "common-measure"]
    """The unit that is not divided further. `smallest-chip`: the smallest chip in play, as submitted. `minor-unit`: the
    minor currency unit. `common-measure`: the minor currency unit, or a chip that divides every stack and the amount
    put in. That chip is one whole currency unit, or the largest that divides them all."""
    to: OddTo | None = None
    """The seats that receive the rest. Left out, any of the equal hands."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class PotRake(ClosedModel):
    """The amounts to which submitted levels of the rake apply."""

    from_: Literal["total", "each-pot"]
    """`total`: levels apply to all pots together. `each-pot`: levels apply to each pot by itself."""
    without: Literal["uncalled"] | None = None
    """An amount that does not count toward a level."""
    stages: dict[Identifier, Condition] = {}
    """Stages that a submission may name as the start of the rake, each with the rounds that reached it."""
    reading: ReadingIs | None = None
    """The option of a reading under which it applies. Left out, always."""


class UnrecordedChips(ClosedModel):
    """Chips in the pots that the record may not show."""

    when: Condition
    """The rounds that may have such chips; rounds for which the condition is unknown are included."""
    at_most: Quantity
    """The highest amount of such chips in any pot."""


class Pots(ClosedModel):
    """The pots of a game and their division among players."""

    parts: Annotated[list[PotPart], MinLen(1)]
    """Cases of how each line joins the pots, in order."""
    uncalled: grammar.LineName
    """The line on which the uncalled bet is returned to its owner."""
    uncalled_apart: ReadingIs | None = None
    """The option of a reading under which the uncalled bet must be returned before the award. Otherwise it may come
    with the award."""
    conceded_play: ReadingIs | None = None
    """The option of a reading under which a conceded hand with known cards can still win."""
    refunded: Condition | None = None
    """The seats that got back the amount that they put in because their hands are dead. It belongs to no pot. Left out,
    none."""
    untold: UnrecordedChips | None = None
    """Chips that may be in the pots in addition to those recorded. Left out, none."""
    several_boards: ReadingIs | None = None
    """The option of a reading under which the last community cards may be dealt several times after all action. Each
    board then wins an equal part of every pot. Left out, the board is dealt once."""
    shares: Annotated[list[PotShare], MinLen(1)]
    """The hands that win. A high-low game lists two."""
    odd_chips: Annotated[list[OddChips], MinLen(1)]
    """Rules for chips that cannot be divided, by reading. The first that holds applies."""
    rake: list[PotRake] = []
    """Amounts for the levels of the rake, by reading. The first that holds applies. Left out, there is no rake."""
    clauses: Annotated[list[grammar.ClauseName], MinLen(1)]
    """The clauses that it rests on."""

    @property
    def lines(self) -> frozenset[str]:
        """Lines that join the pots."""
        return frozenset(line for part in self.parts for line in part.lines)


VariantCode = Annotated[str, MinLen(1), MaxLen(20)]


class HistoryDecisions(ClosedModel):
    """The decision of the game for each act of a hand history."""

    fold: grammar.DecisionName
    """`f`: folds."""
    check: grammar.DecisionName
    """`cc` with nothing to call."""
    call: grammar.DecisionName
    """`cc` with a bet to call."""
    bet: grammar.DecisionName
    """`cbr` before any bet."""
    raise_: grammar.DecisionName
    """`cbr` after a bet."""
    concede: grammar.DecisionName
    """`sm` without cards: the hand is not shown."""
    bring_in: grammar.DecisionName | None = None
    """`pb`: posts the bring-in. Left out, hands with a bring-in are quarantined."""
    complete: grammar.DecisionName | None = None
    """`cbr` before any bet in the first betting round of a hand with a bring-in. Left out, `bet` or `raise`."""
    discard: grammar.DecisionName | None = None
    """`sd`: discards cards and draws others. Left out, hands with discards are quarantined."""
    stand_pat: grammar.DecisionName | None = None
    """`sd` without cards: keeps all cards. Left out, hands with such an act are quarantined."""


class PokerHandHistories(ClosedModel):
    """Names of the game for hands in the Poker Hand History format (PHH)."""

    variants: Annotated[list[VariantCode], MinLen(1)]
    """Codes of the variants that are this game. No other game of the rulebook may have them."""
    antes: grammar.WagerName | None = None
    """The wager for antes. Left out, hands with antes are quarantined. The same applies to the other wagers."""
    blinds: list[grammar.WagerName] = []
    """The wagers that the first seats after the button post, in order."""
    straddle: grammar.WagerName | None = None
    """The wager that a later seat posts and that counts toward its bets."""
    dead: grammar.WagerName | None = None
    """The wager that is posted and does not count toward bets. The format writes it as a negative blind."""
    bets: grammar.WagerName
    """The line for bets, calls and raises."""
    decisions: HistoryDecisions
    """The decisions for its acts."""


class Histories(ClosedModel):
    """External formats in which rounds of the game may be recorded."""

    phh: PokerHandHistories | None = None
    """The Poker Hand History format."""
