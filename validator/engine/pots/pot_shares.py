"""What every seat is due of the pots of a batch, each part of it worked out once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints32, Tri
from validator.engine.betting.contributions import Contributed
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.pots.boards import Boards, boards_of
from validator.engine.pots.contributions_to_pots import all_in, left_in, put_in, refunded
from validator.engine.pots.hand_strengths import contested, strengths
from validator.engine.pots.rake import net_of_rake, raked, sum_over_pots, untold
from validator.engine.pots.side_pots import Layered, Uncalled, layered, members, uncalled
from validator.engine.pots.split_pots import Chips, Contest, Due, Net, added_up, due_of_each, of_one_board, share_out
from validator.engine.seats.seat_sets import several
from validator.language.operands import ReadingIs, Sharing
from validator.rules.model.pots import OddChips

WHOLE_UNIT = 100
"""Minor units in a whole one of the currency."""


class Settled(Struct, frozen=True, kw_only=True):
    """The pots of a batch as they are to be divided; `contenders` is uint32[H], the rows that may win. `known` is
    bool[H], where it is known what was put in and somebody is left to win it. `before` are the pots as they were before
    anything was given back for a lost hand."""

    put: Contributed
    contenders: Bits32
    known: Flags
    free: Uncalled
    pots: Layered
    before: Layered


class Board(Struct, frozen=True, kw_only=True):
    """A board that pots are divided by."""

    net: Net
    """What the board wins of each pot, once the house has raked it."""
    contests: tuple[Contest, ...]


class Division(Struct, frozen=True, kw_only=True):
    """What the pots are divided by, and what each seat is due."""

    boards: tuple[Board, ...]
    """The boards; of a round that has fewer the others win nothing."""
    net: Net
    """What is left of each pot once the house has raked it."""
    chips: Chips
    due: Due
    otherwise: tuple[Due, ...]
    """What each seat may be due as well, where several chips or boards may have been in play."""

    @property
    def contests(self) -> tuple[Contest, ...]:
        """What the shares of the first board go by."""
        return self.boards[0].contests


@fact
def settled(scope: Scope) -> Settled:
    """What was put in, cut into pots."""
    whole, put = put_in(scope), left_in(scope)
    contenders = put.remaining & ~put.conceded
    if applies(scope, scope.prepared.pots.conceded_play):
        contenders = put.remaining | put.conceded
    # Who went all-in had made a side pot before giving up what was before it.
    conceded = put.conceded & ~contenders & all_in(scope)
    given_up = conceded if conceded.any() else None
    # A bet that was called stays so when the chips of the caller are given back.
    free = uncalled(whole.matched)
    before = layered(whole, contenders, free, given_up)
    if put is not whole:
        free = _still_there(scope, put, free)
    return Settled(
        put=put,
        contenders=contenders,
        known=put.known & (contenders != 0),
        free=free,
        pots=before if put is whole else layered(put, contenders, free, given_up),
        before=before,
    )


def _still_there(scope: Scope, put: Contributed, free: Uncalled) -> Uncalled:
    """What nobody matched, but for that of seats whose stakes were all given back."""
    gone = np.zeros(len(free.row), bool)
    owned = np.flatnonzero(free.row >= 0)
    gone[owned] = refunded(scope)[put.seats[free.row[owned], owned]]
    return Uncalled(amount=np.where(gone, 0, free.amount), row=np.where(gone, np.int8(-1), free.row))


@fact
def division(scope: Scope) -> Division:
    """The pots divided among the seats that may win them."""
    made = settled(scope)
    net = net_of_rake(scope, made.pots, made.free)
    likely, *others = _ways(scope)
    return Division(
        boards=_won_by_boards(made, net, likely),
        net=net,
        chips=likely.chips,
        due=_shared_out(scope, net, likely),
        otherwise=tuple(_shared_out(scope, net, way) for way in others),
    )


Contests = Sequence[tuple[Contest, ...]]
"""What the shares of each board go by."""


class Way(Struct, frozen=True, kw_only=True):
    """A way in which the pots may be divided."""

    boards: Boards
    contests: Contests
    chips: Chips


@fact
def _ways(scope: Scope) -> tuple[Way, ...]:
    """Return how the pots are most likely divided, then how they may be as well."""
    chips = _chips(scope)
    likely, *others = (
        Way(boards=boards, contests=_contests(scope, boards), chips=chips) for boards in boards_of(scope)
    )
    return (likely, *(replace(likely, chips=other) for other in _other_chips(scope)), *others)


@fact
def most_of_each_pot(scope: Scope) -> Ints:
    """Return the most that each row may be due of each pot, in whichever way they are divided, int64[S, P]."""
    made, net = settled(scope), division(scope).net
    result = np.zeros((len(made.put.seats), len(made.pots.amount)), np.int64)
    for way in _ways(scope):
        boards = _won_by_boards(made, net, way)
        np.maximum(
            result, sum(due_of_each(made.pots, board.net, board.contests, way.chips) for board in boards), out=result
        )
    return result


def _contests(scope: Scope, boards: Boards) -> Contests:
    made, game = settled(scope), scope.prepared.pots
    # Of rounds that are not known nothing is said, so no hand of theirs is looked at.
    rows = np.where(made.known, contested(made.pots), np.uint32(0))
    lowest = [
        0 if share.at_least is None else scope.prepared.hands[share.hand].ranking.at_least(share.at_least)
        for share in game.shares
    ]
    return [
        tuple(
            Contest(
                strength=_of_players(made, strengths(scope, share.hand, made.put, rows, boards.board(number))),
                lowest=least,
            )
            for share, least in zip(game.shares, lowest, strict=True)
        )
        for number in range(boards.most)
    ]


def _won_by_boards(made: Settled, net: Net, way: Way) -> tuple[Board, ...]:
    if way.boards.most == 1:
        return (Board(net=net, contests=way.contests[0]),)
    hand = made.pots.hand
    return tuple(
        Board(net=of_one_board(net, way.chips, way.boards.count[hand], number, hand), contests=contests)
        for number, contests in enumerate(way.contests)
    )


def _shared_out(scope: Scope, net: Net, way: Way) -> Due:
    """Return what each seat is due, where all pots together lose one rake at most, whichever it was taken from."""
    made, pots = settled(scope), settled(scope).pots

    def due_of(left: Net) -> Due:
        won = _won_by_boards(made, left, way)
        return added_up([share_out(pots, board.net, board.contests, way.chips) for board in won])

    due, (least, most) = due_of(net), raked(scope, made.free)
    if way.boards.most == 1 and not ((pots.count > 1) & (most > 0)).any():
        return due
    low = np.maximum(due.least, due_of(_gross(pots)).least - most)
    high = np.minimum(due.most, sum_over_pots(pots, pots.amount) - least + untold(scope))
    return replace(due, least=low, most=np.maximum(high, low))


def _gross(pots: Layered) -> Net:
    """Return the pots as they were before the rake."""
    return Net(least=pots.amount, most=pots.amount, ruled=pots.amount, told=np.ones(len(pots.amount), bool))


def _of_players(made: Settled, strength: Ints32) -> Ints32:
    """Strengths with those of conceded hands whose cards are not known below all others: they cannot be claimed."""
    unclaimed = members(made.put.conceded, len(strength)) & (strength < 0)
    return np.where(unclaimed, np.int32(0), strength)


def applies(scope: Scope, reading: ReadingIs | None) -> bool:
    """Whether there is such a reading and its option is the one in force."""
    return reading is not None and scope.prepared.regulation.applies(reading.name, reading.is_)


def rule_of_odd_chips(scope: Scope) -> OddChips:
    """The rule for chips that cannot be divided, as the text is read. Raises ValueError where none holds."""
    for rule in scope.prepared.pots.odd_chips:
        if rule.reading is None or applies(scope, rule.reading):
            return rule
    raise ValueError("no rule for odd chips holds, as the text is read")


def _chips(scope: Scope) -> Chips:
    """What pots are not divided below: a chip measures all that was put in."""
    batch, game = scope.batch, scope.prepared.pots
    rule = rule_of_odd_chips(scope)
    if rule.unit == "common-measure" or (rule.unit == "minor-unit" and rule.to is None):
        return Chips(unit=None, most=np.ones(len(batch), np.int64), left_over="all")
    if rule.unit == "minor-unit":
        unit: int | None = 1
    else:
        submitted = None if scope.configuration is None else scope.configuration.data.get("smallest-chip")
        unit = submitted if isinstance(submitted, int) and submitted > 0 else None
    if rule.to is None and unit is not None:  # what is less than a chip may go to another seat than the chip
        return Chips(unit=None, most=np.full(len(batch), 2 * unit - 1, np.int64), left_over="all")
    most = np.zeros(len(batch), np.int64)
    for line in sorted(game.lines):
        _measure(most, batch.seats.round, scope.amount(line, tip=False))
    return Chips(unit=unit, most=np.maximum(most, 1), left_over="all" if rule.to is None else "each")


def _other_chips(scope: Scope) -> tuple[Chips, ...]:
    """Larger chips that may have been in play, where the rule leaves that to what the record shows: a chip measures
    every stack and all that was put in."""
    if rule_of_odd_chips(scope).unit != "common-measure":
        return ()
    seats, stakes, events = scope.batch.seats, scope.batch.stakes, scope.batch.events
    largest = np.zeros(len(scope.batch), np.int64)
    owner = (seats.round, seats.round[stakes.seat], events.round)
    for rounds, amounts in zip(owner, (seats.stack, stakes.amount, events.amount), strict=True):
        _measure(largest, rounds, amounts)
    largest = np.maximum(largest, 1)
    whole = np.gcd(largest, WHOLE_UNIT)
    return tuple(Chips(unit=None, most=chip, left_over="any") for chip in (whole, largest))


def _measure(chips: Ints, owner: Ints32, amounts: Ints) -> None:
    """Make the chips of rounds, int64[rounds], measure some amounts above 0, which lie together by round (`owner`)."""
    recorded = np.flatnonzero(amounts > 0)
    owner, amounts = owner.take(recorded), amounts.take(recorded)
    runs = np.flatnonzero(np.diff(owner, prepend=ABSENT))
    if len(runs):
        np.gcd.at(chips, owner.take(runs), np.gcd.reduceat(amounts, runs))


@fact
def winning(scope: Scope) -> Tri:
    """uint8[seats]: whether a share of a pot is due to each seat; before the rake where it hangs on which pots were
    raked."""
    made, divided = settled(scope), division(scope)
    put, due = made.put, divided.due
    value = kleene.decided(due.least > 0, due.most == 0)
    if (value == kleene.UNKNOWN).any():
        won = _won_by_boards(made, _gross(made.pots), _ways(scope)[0])
        due = added_up([share_out(made.pots, board.net, board.contests, divided.chips) for board in won])
        value = np.where(value == kleene.UNKNOWN, kleene.decided(due.least > 0, due.most == 0), value)
    # Who is alone left wins, though nobody put in anything that could be won.
    alone = ~several(made.contenders) & members(made.contenders, len(value))
    value = np.where(alone, np.uint8(kleene.YES), value)
    value = np.where(made.known, value, np.uint8(kleene.UNKNOWN))
    result = kleene.constant(kleene.NO, scope.length("seat"))
    there = put.seats != ABSENT
    result[put.seats[there]] = value[there]
    return result


def sharing(scope: Scope, side: Sharing) -> Tri:
    """uint8[seats]: whether each seat takes part and a share of a pot is due to it, or none is."""
    if side == "winning":
        return winning(scope)
    return np.minimum(kleene.known(scope.batch.seats.playing), kleene.negated(winning(scope)))
