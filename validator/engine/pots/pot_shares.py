"""Shares of the pots that each seat is due."""

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
"""Minor units in a whole unit of the currency."""


class Settled(Struct, frozen=True, kw_only=True):
    """Pots of a batch as they must be divided."""

    put: Contributed
    """Contributions of each seat."""
    contenders: Bits32
    """Rows that may win, as masks, uint32[H]."""
    known: Flags
    """True if the contributions are known and somebody is left to win, bool[H]."""
    free: Uncalled
    """Uncalled bets."""
    pots: Layered
    """Pots after refunds for lost hands."""
    before: Layered
    """Pots before these refunds."""


class Board(Struct, frozen=True, kw_only=True):
    """Board that pots are divided by."""

    net: Net
    """Part of each pot that the board wins after the rake."""
    contests: tuple[Contest, ...]
    """Contest for each share of the board."""


class Division(Struct, frozen=True, kw_only=True):
    """Division of the pots, and what each seat is due."""

    boards: tuple[Board, ...]
    """Boards; in a round with fewer boards the others win nothing."""
    net: Net
    """Pots after the rake."""
    chips: Chips
    """Smallest chip that the division uses."""
    due: Due
    """Amount that each seat is due."""
    otherwise: tuple[Due, ...]
    """Other possible amounts that each seat is due, if several chips or boards are possible."""

    @property
    def contests(self) -> tuple[Contest, ...]:
        """Return the contests of the first board."""
        return self.boards[0].contests


@fact
def settled(scope: Scope) -> Settled:
    """Cut what was put in into pots."""
    whole, put = put_in(scope), left_in(scope)
    contenders = put.remaining & ~put.conceded
    if applies(scope, scope.prepared.pots.conceded_play):
        contenders = put.remaining | put.conceded
    # An all-in seat created a side pot before it conceded the earlier pots.
    conceded = put.conceded & ~contenders & all_in(scope)
    given_up = conceded if conceded.any() else None
    # A called bet remains called if the chips of the caller are refunded.
    free = uncalled(whole.matched)
    before = layered(whole, contenders, free, given_up)
    if put is not whole:
        free = _keep_unrefunded(scope, put, free)
    return Settled(
        put=put,
        contenders=contenders,
        known=put.known & (contenders != 0),
        free=free,
        pots=before if put is whole else layered(put, contenders, free, given_up),
        before=before,
    )


def _keep_unrefunded(scope: Scope, put: Contributed, free: Uncalled) -> Uncalled:
    """Return the uncalled bets without those of seats whose stakes were all refunded."""
    removed = np.zeros(len(free.row), bool)
    owned = np.flatnonzero(free.row >= 0)
    removed[owned] = refunded(scope)[put.seats[free.row[owned], owned]]
    return Uncalled(amount=np.where(removed, 0, free.amount), row=np.where(removed, np.int8(-1), free.row))


@fact
def division(scope: Scope) -> Division:
    """Divide the pots among the seats that may win them."""
    made = settled(scope)
    net = net_of_rake(scope, made.pots, made.free)
    likely, *others = _list_readings(scope)
    return Division(
        boards=_divide_by_boards(made, net, likely),
        net=net,
        chips=likely.chips,
        due=_share_once_raked(scope, net, likely),
        otherwise=tuple(_share_once_raked(scope, net, way) for way in others),
    )


Contests = Sequence[tuple[Contest, ...]]
"""Contests of each board."""


class Way(Struct, frozen=True, kw_only=True):
    """Possible reading of how the pots are divided."""

    boards: Boards
    contests: Contests
    chips: Chips


@fact
def _list_readings(scope: Scope) -> tuple[Way, ...]:
    """Return the most likely division of the pots, then the other possible ones."""
    chips = _find_chip(scope)
    likely, *others = (
        Way(boards=boards, contests=_evaluate_contests(scope, boards), chips=chips) for boards in boards_of(scope)
    )
    return (likely, *(replace(likely, chips=other) for other in _find_other_chips(scope)), *others)


@fact
def most_of_each_pot(scope: Scope) -> Ints:
    """Return the most that each row may be due of each pot, in any possible division.

    Returns:
        int64[S, P].
    """
    made, net = settled(scope), division(scope).net
    result = np.zeros((len(made.put.seats), len(made.pots.amount)), np.int64)
    for way in _list_readings(scope):
        boards = _divide_by_boards(made, net, way)
        np.maximum(
            result, sum(due_of_each(made.pots, board.net, board.contests, way.chips) for board in boards), out=result
        )
    return result


def _evaluate_contests(scope: Scope, boards: Boards) -> Contests:
    made, game = settled(scope), scope.prepared.pots
    # Hands of rounds with unknown contributions are not evaluated.
    rows = np.where(made.known, contested(made.pots), np.uint32(0))
    lowest = [
        0 if share.at_least is None else scope.prepared.hands[share.hand].ranking.at_least(share.at_least)
        for share in game.shares
    ]
    return [
        tuple(
            Contest(
                strength=_lower_conceded(made, strengths(scope, share.hand, made.put, rows, boards.board(number))),
                lowest=least,
            )
            for share, least in zip(game.shares, lowest, strict=True)
        )
        for number in range(boards.most)
    ]


def _divide_by_boards(made: Settled, net: Net, way: Way) -> tuple[Board, ...]:
    if way.boards.most == 1:
        return (Board(net=net, contests=way.contests[0]),)
    hand = made.pots.hand
    return tuple(
        Board(net=of_one_board(net, way.chips, way.boards.count[hand], number, hand), contests=contests)
        for number, contests in enumerate(way.contests)
    )


def _share_once_raked(scope: Scope, net: Net, way: Way) -> Due:
    """Return what each seat is due, if all pots together lose the rake only once, whichever pot it was taken from."""
    made, pots = settled(scope), settled(scope).pots

    def due_of(left: Net) -> Due:
        won = _divide_by_boards(made, left, way)
        return added_up([share_out(pots, board.net, board.contests, way.chips) for board in won])

    due, (least, most) = due_of(net), raked(scope, made.free)
    if way.boards.most == 1 and not ((pots.count > 1) & (most > 0)).any():
        return due
    low = np.maximum(due.least, due_of(_build_gross(pots)).least - most)
    high = np.minimum(due.most, sum_over_pots(pots, pots.amount) - least + untold(scope))
    return replace(due, least=low, most=np.maximum(high, low))


def _build_gross(pots: Layered) -> Net:
    """Return the pots before the rake."""
    return Net(least=pots.amount, most=pots.amount, ruled=pots.amount, told=np.ones(len(pots.amount), bool))


def _lower_conceded(made: Settled, strength: Ints32) -> Ints32:
    """Lower the strength of conceded hands with unknown cards below all others: they cannot be claimed."""
    unclaimed = members(made.put.conceded, len(strength)) & (strength < 0)
    return np.where(unclaimed, np.int32(0), strength)


def applies(scope: Scope, reading: ReadingIs | None) -> bool:
    """Return whether a reading is given and its option is in force."""
    return reading is not None and scope.prepared.regulation.applies(reading.name, reading.is_)


def rule_of_odd_chips(scope: Scope) -> OddChips:
    """Return the rule for odd chips, by the readings in force.

    Raises:
        ValueError: no rule is in force.
    """
    for rule in scope.prepared.pots.odd_chips:
        if rule.reading is None or applies(scope, rule.reading):
            return rule
    raise ValueError("no rule for odd chips is in force under the chosen readings")


def _find_chip(scope: Scope) -> Chips:
    """Return the smallest chip for the division: the largest unit that divides all amounts put in."""
    batch, game = scope.batch, scope.prepared.pots
    rule = rule_of_odd_chips(scope)
    if rule.unit == "common-measure" or (rule.unit == "minor-unit" and rule.to is None):
        return Chips(unit=None, most=np.ones(len(batch), np.int64), left_over="all")
    if rule.unit == "minor-unit":
        unit: int | None = 1
    else:
        submitted = None if scope.configuration is None else scope.configuration.data.get("smallest-chip")
        unit = submitted if isinstance(submitted, int) and submitted > 0 else None
    if rule.to is None and unit is not None:  # an amount below one chip may go to another seat than the chip
        return Chips(unit=None, most=np.full(len(batch), 2 * unit - 1, np.int64), left_over="all")
    most = np.zeros(len(batch), np.int64)
    for line in sorted(game.lines):
        _reduce_to_divisor(most, batch.seats.round, scope.amount(line, tip=False))
    return Chips(unit=unit, most=np.maximum(most, 1), left_over="all" if rule.to is None else "each")


def _find_other_chips(scope: Scope) -> tuple[Chips, ...]:
    """Return larger chips that may have been in play, if the rule derives the chip from the record.

    Such a chip divides every stack and all amounts put in.
    """
    if rule_of_odd_chips(scope).unit != "common-measure":
        return ()
    seats, stakes, events = scope.batch.seats, scope.batch.stakes, scope.batch.events
    largest = np.zeros(len(scope.batch), np.int64)
    owner = (seats.round, seats.round[stakes.seat], events.round)
    for rounds, amounts in zip(owner, (seats.stack, stakes.amount, events.amount), strict=True):
        _reduce_to_divisor(largest, rounds, amounts)
    largest = np.maximum(largest, 1)
    whole = np.gcd(largest, WHOLE_UNIT)
    return tuple(Chips(unit=None, most=chip, left_over="any") for chip in (whole, largest))


def _reduce_to_divisor(chips: Ints, owner: Ints32, amounts: Ints) -> None:
    """Reduce the chips of rounds to divisors of the positive amounts, which are grouped by round."""
    recorded = np.flatnonzero(amounts > 0)
    owner, amounts = owner.take(recorded), amounts.take(recorded)
    runs = np.flatnonzero(np.diff(owner, prepend=ABSENT))
    if len(runs):
        np.gcd.at(chips, owner.take(runs), np.gcd.reduceat(amounts, runs))


@fact
def winning(scope: Scope) -> Tri:
    """Return whether each seat is due a share of a pot.

    If this depends on which pots were raked, the pots before the rake decide.

    Returns:
        uint8[seats].
    """
    made, divided = settled(scope), division(scope)
    put, due = made.put, divided.due
    value = kleene.decided(due.least > 0, due.most == 0)
    if (value == kleene.UNKNOWN).any():
        won = _divide_by_boards(made, _build_gross(made.pots), _list_readings(scope)[0])
        due = added_up([share_out(made.pots, board.net, board.contests, divided.chips) for board in won])
        value = np.where(value == kleene.UNKNOWN, kleene.decided(due.least > 0, due.most == 0), value)
    # The last seat left wins, even if there is nothing to win.
    alone = ~several(made.contenders) & members(made.contenders, len(value))
    value = np.where(alone, np.uint8(kleene.YES), value)
    value = np.where(made.known, value, np.uint8(kleene.UNKNOWN))
    result = kleene.constant(kleene.NO, scope.length("seat"))
    there = put.seats != ABSENT
    result[put.seats[there]] = value[there]
    return result


def sharing(scope: Scope, side: Sharing) -> Tri:
    """Return whether each seat plays and is due a share of a pot, or is due none.

    Returns:
        uint8[seats].
    """
    if side == "winning":
        return winning(scope)
    return np.minimum(kleene.known(scope.batch.seats.playing), kleene.negated(winning(scope)))
