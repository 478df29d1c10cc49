"""Shares of the pots that each seat is due, and awards of named pots beyond these shares."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from fairdeal.validator.arrays import ABSENT, Bits32, Flags, Ints, Ints32, Truths, find_true, has_any, make_offsets
from fairdeal.validator.engine.betting.betting_replay import Contributions
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.seat_layout import has_several_seats
from fairdeal.validator.engine.pots import showdown_hands, side_pots, split_pots
from fairdeal.validator.engine.pots.pot_receipts import bound_rake, find_unrecorded_most, subtract_rake, sum_over_pots
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, events_of_kinds
from fairdeal.validator.evidence.columns.recorded_events import STATES_NUMBER
from fairdeal.validator.evidence.columns.round_batch import Hands
from fairdeal.validator.language.grammar import ReadingIs
from fairdeal.validator.rules.betting_model import OddChips, PotShare

MINOR_UNITS_PER_UNIT = 100
"""Minor units in a whole unit of the currency."""


class SettledPots(Struct, frozen=True, kw_only=True):
    """Pots of a batch as they must be divided."""

    contributions: Contributions
    """Contributions of each seat."""
    contenders: Bits32
    """Rows that may win, as masks, uint32[H]."""
    is_known: Flags
    """True if the contributions are known and somebody is left to win, bool[H]."""
    uncalled_bets: side_pots.UncalledBets
    """Uncalled bets."""
    pots: side_pots.LayeredPots
    """Pots after refunds for lost hands."""
    pots_before_refunds: side_pots.LayeredPots
    """Pots before these refunds."""


class BoardShare(Struct, frozen=True, kw_only=True):
    """Board that pots are divided by."""

    net: split_pots.NetPots
    """Part of each pot that the board wins after the rake."""
    showdown: split_pots.Showdown
    """Contests for the shares of the board."""
    due: split_pots.PotDue
    """Amount that each row is due of each pot by this board."""


class PotDivision(Struct, frozen=True, kw_only=True):
    """Division of the pots, and what each seat is due."""

    boards: tuple[BoardShare, ...]
    """Boards; in a round with fewer boards the others win nothing."""
    net: split_pots.NetPots
    """Pots after the rake."""
    chips: split_pots.ChipUnit
    """Smallest chip that the division uses."""
    due: split_pots.PotDue
    """Amount that each seat is due."""
    alternatives: tuple[split_pots.PotDue, ...]
    """Other possible amounts that each seat is due, if several chips or boards are possible."""
    most_of_each_pot: Ints
    """Most that each row may be due of each pot in any possible division, int64[S, P]."""


@cached_fact
def settle_pots(scope: EvaluationContext) -> SettledPots:
    """Cut what was put in into pots."""
    whole, put = side_pots.pot_contributions(scope), side_pots.contributions_after_refunds(scope)
    contenders = put.remaining & ~put.conceded
    if is_reading_in_force(scope, scope.compiled_game.pots.conceded_play):
        contenders = put.remaining | put.conceded
    # An all-in seat created a side pot before it conceded the earlier pots.
    conceded = put.conceded & ~contenders & side_pots.find_all_in_rows(scope)
    given_up = conceded if has_any(conceded) else None
    # A called bet remains called if the chips of the caller are refunded.
    uncalled = side_pots.find_uncalled_bets(whole.matched)
    before = side_pots.cut_into_pots(whole, contenders, uncalled, given_up)
    if put is not whole:
        uncalled = _keep_unrefunded(scope, put, uncalled)
    return SettledPots(
        contributions=put,
        contenders=contenders,
        is_known=put.is_known & (contenders != 0),
        uncalled_bets=uncalled,
        pots=before if put is whole else side_pots.cut_into_pots(put, contenders, uncalled, given_up),
        pots_before_refunds=before,
    )


def _keep_unrefunded(
    scope: EvaluationContext, put: Contributions, uncalled: side_pots.UncalledBets
) -> side_pots.UncalledBets:
    """Return the uncalled bets without those of seats whose stakes were all refunded."""
    removed = np.zeros(len(uncalled.row), bool)
    owned = find_true(uncalled.row >= 0)
    removed[owned] = side_pots.is_refunded(scope)[put.seats[uncalled.row[owned], owned]]
    return side_pots.UncalledBets(
        amount=np.where(removed, 0, uncalled.amount), row=np.where(removed, np.int8(-1), uncalled.row)
    )


@cached_fact
def pot_division(scope: EvaluationContext) -> PotDivision:
    """Divide the pots among the seats that may win them."""
    settled, readings = settle_pots(scope), _list_readings(scope)
    net = subtract_rake(scope, settled.pots)
    divided = [_divide_by_boards(settled.pots, net, reading) for reading in readings]
    due, *alternatives = (
        _share_once_raked(scope, boards, reading) for boards, reading in zip(divided, readings, strict=True)
    )
    return PotDivision(
        boards=divided[0],
        net=net,
        chips=readings[0].chips,
        due=due,
        alternatives=tuple(alternatives),
        most_of_each_pot=np.max([np.sum([board.due.most for board in boards], axis=0) for boards in divided], axis=0),
    )


class DivisionReading(Struct, frozen=True, kw_only=True):
    """Possible reading of how the pots are divided."""

    boards: showdown_hands.CommunityBoards
    showdowns: Sequence[split_pots.Showdown]
    """Showdown on each board."""
    chips: split_pots.ChipUnit


@cached_fact
def _list_readings(scope: EvaluationContext) -> tuple[DivisionReading, ...]:
    """Return the most likely division of the pots, then the other possible ones."""
    chips = _find_chip(scope)
    likely, *others = (
        DivisionReading(boards=boards, showdowns=_compare_hands(scope, boards), chips=chips)
        for boards in showdown_hands.possible_boards(scope)
    )
    return (likely, *(replace(likely, chips=other) for other in _find_other_chips(scope)), *others)


def _compare_hands(scope: EvaluationContext, boards: showdown_hands.CommunityBoards) -> tuple[split_pots.Showdown, ...]:
    settled, game = settle_pots(scope), scope.compiled_game.pots
    # Hands of rounds with unknown contributions are not evaluated.
    rows = np.where(settled.is_known, showdown_hands.find_contested_rows(settled.pots), np.uint32(0))

    def contest(share: PotShare, board: Hands) -> split_pots.Contest:
        strength = showdown_hands.compute_strengths(scope, share.hand, settled.contributions, rows, board)
        ranking = scope.compiled_game.hands[share.hand].ranking
        return split_pots.Contest(
            strength=_lower_conceded(settled, strength),
            lowest_winning=0 if share.at_least is None else ranking.lowest_strength(share.at_least),
        )

    cards = [boards.collect_board(number) for number in range(boards.most_boards)]
    return tuple(
        split_pots.Showdown.compare(settled.pots, [contest(share, board) for share in game.shares]) for board in cards
    )


def _divide_by_boards(
    pots: side_pots.LayeredPots, net: split_pots.NetPots, reading: DivisionReading
) -> tuple[BoardShare, ...]:
    result: list[BoardShare] = []
    for number, showdown in enumerate(reading.showdowns):
        part = net
        if len(reading.showdowns) > 1:
            count = reading.boards.count[pots.round]
            part = split_pots.take_board_parts(net, reading.chips, count, number, pots.round)
        due = split_pots.share_each_pot(pots, part, showdown, reading.chips)
        result.append(BoardShare(net=part, showdown=showdown, due=due))
    return tuple(result)


def _share_once_raked(
    scope: EvaluationContext, boards: Sequence[BoardShare], reading: DivisionReading
) -> split_pots.PotDue:
    """Return what each seat is due, if all pots together lose the rake only once, whichever pot it was taken from."""
    pots, (least, most) = settle_pots(scope).pots, bound_rake(scope)
    due = split_pots.sum_dues(pots, [board.due for board in boards])
    if len(boards) == 1 and not has_any((pots.count > 1) & (most > 0)):
        return due
    unraked = _divide_by_boards(pots, _build_gross(pots), reading)
    low = np.maximum(due.least, split_pots.sum_dues(pots, [board.due for board in unraked]).least - most)
    high = np.minimum(due.most, sum_over_pots(pots, pots.amount) - least + find_unrecorded_most(scope))
    return replace(due, least=low, most=np.maximum(high, low))


def _build_gross(pots: side_pots.LayeredPots) -> split_pots.NetPots:
    """Return the pots before the rake."""
    return split_pots.NetPots(
        least=pots.amount, most=pots.amount, by_rule=pots.amount, is_rake_known=np.ones(len(pots.amount), bool)
    )


def _lower_conceded(settled: SettledPots, strength: Ints32) -> Ints32:
    """Lower the strength of conceded hands with unknown cards below all others: they cannot be claimed."""
    unclaimed = side_pots.expand_masks(settled.contributions.conceded, len(strength)) & (strength < 0)
    return np.where(unclaimed, np.int32(0), strength)


def is_reading_in_force(scope: EvaluationContext, reading: ReadingIs | None) -> bool:
    """Return whether a reading is given and its option is in force."""
    return reading is not None and scope.compiled_game.regulation.is_option_in_force(reading.name, reading.is_)


def find_odd_chip_rule(scope: EvaluationContext) -> OddChips:
    """Return the rule for odd chips, by the readings in force.

    Raises:
        ValueError: no rule is in force.
    """
    for rule in scope.compiled_game.pots.odd_chips:
        if rule.reading is None or is_reading_in_force(scope, rule.reading):
            return rule
    raise ValueError("no rule for odd chips is in force under the chosen readings")


def _find_chip(scope: EvaluationContext) -> split_pots.ChipUnit:
    """Return the smallest chip for the division: the largest unit that divides all amounts put in."""
    batch, game = scope.batch, scope.compiled_game.pots
    rule = find_odd_chip_rule(scope)
    if rule.unit == "common-measure" or (rule.unit == "minor-unit" and rule.to is None):
        return split_pots.ChipUnit(unit=None, largest=np.ones(len(batch), np.int64), left_over="all")
    if rule.unit == "minor-unit":
        unit: int | None = 1
    else:
        submitted = None if scope.configuration is None else scope.configuration.data.get("smallest-chip")
        unit = submitted if isinstance(submitted, int) and submitted > 0 else None
    if rule.to is None and unit is not None:  # an amount below one chip may go to another seat than the chip
        return split_pots.ChipUnit(unit=None, largest=np.full(len(batch), 2 * unit - 1, np.int64), left_over="all")
    most = np.zeros(len(batch), np.int64)
    for line in sorted(game.lines):
        _reduce_to_divisor(most, batch.seats.round, scope.staked_amounts(line, tip=False))
    return split_pots.ChipUnit(unit=unit, largest=np.maximum(most, 1), left_over="all" if rule.to is None else "each")


def _find_other_chips(scope: EvaluationContext) -> tuple[split_pots.ChipUnit, ...]:
    """Return larger chips that may have been in play, if the rule derives the chip from the record.

    Such a chip divides every stack and every amount of chips; numbers of cuts and counts are no chips.
    """
    if find_odd_chip_rule(scope).unit != "common-measure":
        return ()
    seats, stakes, events = scope.batch.seats, scope.batch.stakes, scope.batch.events
    largest = np.zeros(len(scope.batch), np.int64)
    owner = (seats.round, seats.round[stakes.seat], events.round)
    in_chips = np.where(STATES_NUMBER[events.kind], 0, events.amount)
    for rounds, amounts in zip(owner, (seats.stack, stakes.amount, in_chips), strict=True):
        _reduce_to_divisor(largest, rounds, amounts)
    largest = np.maximum(largest, 1)
    whole = np.gcd(largest, MINOR_UNITS_PER_UNIT)
    return tuple(split_pots.ChipUnit(unit=None, largest=chip, left_over="any") for chip in (whole, largest))


def _reduce_to_divisor(chips: Ints, owner: Ints32, amounts: Ints) -> None:
    """Reduce the chips of rounds to divisors of the positive amounts, which are grouped by round."""
    recorded = find_true(amounts > 0)
    owner, amounts = owner.take(recorded), amounts.take(recorded)
    runs = find_true(np.diff(owner, prepend=ABSENT))
    if len(runs):
        np.gcd.at(chips, owner.take(runs), np.gcd.reduceat(amounts, runs))


@cached_fact
def is_winning(scope: EvaluationContext) -> Truths:
    """Return whether each seat has one of the best hands for a pot, even if no chip of the pot is left for it.

    Returns:
        uint8[seats].
    """
    settled, reading = settle_pots(scope), _list_readings(scope)[0]
    put, pots = settled.contributions, settled.pots
    wins, may_win = np.zeros((2, *put.seats.shape), bool)
    for number, showdown in enumerate(reading.showdowns):
        row, pot = np.nonzero(showdown.wins & (reading.boards.count[pots.round] > number))
        may_win[row, pots.round[pot]] = True
        known = showdown.is_known[pot]
        wins[row[known], pots.round[pot[known]]] = True
    value = kleene.from_yes_no(wins, ~may_win)
    # The last seat left wins, even if there is nothing to win.
    alone = ~has_several_seats(settled.contenders) & side_pots.expand_masks(settled.contenders, len(value))
    value = np.where(alone, np.uint8(kleene.YES), value)
    value = np.where(settled.is_known, value, np.uint8(kleene.UNKNOWN))
    result = kleene.constant(kleene.NO, scope.count_items("seat"))
    there = put.seats != ABSENT
    result[put.seats[there]] = value[there]
    return result


@cached_fact
def find_excess_of_named_pots(scope: EvaluationContext) -> Ints:
    """Return what each row was awarded of pots beyond its share of them.

    A total may be right although a part of it is from a pot that the seat does not win: the recorded rake need not name
    its pot. Logs may number pots differently. A number therefore counts only if awards name exactly the pots there are,
    and each award fits its pot.

    Returns:
        int64[S, H], in minor units.
    """
    settled = settle_pots(scope)
    result = np.zeros(settled.contributions.seats.shape, np.int64)
    awards = _find_named_awards(scope)
    if not len(awards):
        return result
    events, pots = scope.batch.events, settled.pots
    first = make_offsets(pots.count)[:-1]
    pot = first[events.round[awards]] + np.maximum(events.pot[awards], 0)
    awarded = np.zeros((len(result), len(pots.amount)), np.int64)
    np.add.at(awarded, (_find_rows(scope)[events.seat[awards]], pot), events.amount[awards])
    total, uncalled = awarded.sum(axis=0), settled.uncalled_bets.amount[pots.round]
    net = pot_division(scope).net
    most = net.most + uncalled
    fits = (total >= net.least) & (total <= most)
    sure = np.zeros(len(pots.count), bool)
    sure[events.round[awards]] = True
    sure[pots.round[~fits]] = False
    # An uncalled bet may be included in any award to its owner. In another award it is reported as not returned.
    owner = settled.uncalled_bets.row[pots.round] == np.arange(len(result))[:, None]
    allowed = pot_division(scope).most_of_each_pot + np.where(owner, uncalled, np.maximum(total - net.most, 0))
    excess = np.maximum(awarded - allowed, 0)
    for at in find_true(sure[pots.round] & excess.any(axis=0)).tolist():
        round_, named = pots.round[at], awarded[:, at, None]
        others = np.delete(first[round_] + np.arange(pots.count[round_]), pots.number[at])
        # The awards of a number may belong to another pot if it explains all of them.
        explains = (total[at] >= net.least[others]) & (total[at] <= most[others])
        if not (explains & (named <= allowed[:, others]).all(axis=0)).any():
            result[:, round_] += excess[:, at]
    return result


def _find_named_awards(scope: EvaluationContext) -> Ints:
    """Return the awards of rounds with several pots in which awards name exactly the pots there are."""
    settled, events = settle_pots(scope), scope.batch.events
    chosen = events_of_kinds(scope, ("award",))
    chosen = chosen[(events.seat[chosen] != ABSENT) & (events.amount[chosen] > 0)]
    count = settled.pots.count
    sure: Flags = are_kinds_recorded(scope, ("award",)) & scope.batch.complete & settled.is_known & (count > 1)
    highest = np.zeros(len(count), np.int64)
    np.maximum.at(highest, events.round[chosen], events.pot[chosen])
    sure &= highest + 1 == count
    sure[events.round[chosen[_find_rows(scope)[events.seat[chosen]] == ABSENT]]] = False
    return chosen[sure[events.round[chosen]]]


@cached_fact
def _find_rows(scope: EvaluationContext) -> Ints:
    """Return the row of each seat in the contributions; ABSENT if it has none."""
    seats = settle_pots(scope).contributions.seats
    result = np.full(scope.count_items("seat"), ABSENT, np.int64)
    row, round_ = np.nonzero(seats >= 0)
    result[seats[row, round_]] = row
    return result
