"""Checks of totals: awarded pots, uncalled bets, refunded stakes, and stakes that a limit restricts together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints32, Statuses, Truths, find_true
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.operators.payment_checks import format_amounts, payment_in_words
from fairdeal.validator.audit.status_codes import CheckResult, FindingDetails, build_place, combine_status
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.payouts.payout_limits import LimitedStakes, payout_limits
from fairdeal.validator.engine.pots import pot_shares, pot_totals, side_pots
from fairdeal.validator.engine.pots.pot_receipts import NOT_RECORDED, measure_excess, received_chips
from fairdeal.validator.engine.pots.showdown_hands import most_likely_boards
from fairdeal.validator.engine.timeline.excused_acts import is_truncated
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.rules.check_model import AwardedCheck, CappedCheck
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.plain_values import format_money


def describe_shares(scope: EvaluationContext, row: int, round_: int) -> str:
    """Describe the amounts of the pots due to a seat, with the hands that win or lose them."""
    seat = int(pot_shares.settle_pots(scope).contributions.seats[row, round_])
    parts = " and ".join(_describe_shares_of_pots(scope, row, round_)) or "nothing"
    return (
        f"seat {scope.batch.seats.number[seat]} should receive {parts}{_describe_contesting_hands(scope, row, round_)}"
    )


def _describe_shares_of_pots(scope: EvaluationContext, row: int, round_: int) -> Iterator[str]:
    pots, shared = pot_shares.settle_pots(scope).pots, pot_shares.pot_division(scope)
    chosen = find_true(pots.round == round_)
    boards = int(most_likely_boards(scope).count[round_])
    for (index, pot), number in product(enumerate(chosen.tolist()), range(boards)):
        net, due = shared.boards[number].net, shared.boards[number].due
        least, most, by_rule = int(due.least[row, pot]), int(due.most[row, pot]), int(due.by_rule[row, pot])
        if most == 0:
            continue
        name = name_pot(index, len(chosen)) + (f" on board {number + 1}" if boards > 1 else "")
        pot_size = int(net.least[pot])
        is_raked = pot_size == net.most[pot]
        winners = int((due.most[:, pot] > 0).sum())
        if least == most:
            yield _describe_share(name, least, pot_size if is_raked else least, winners)
        elif shared.chips.unit is not None and is_raked and by_rule >= 0:
            yield _describe_share(name, by_rule, pot_size, winners)
        else:
            yield f"between {format_money(least)} and {format_money(most)} of the {name}"


def _describe_share(name: str, amount: int, pot_size: int, winners: int) -> str:
    """Describe the amount due from a pot, the pot's size if larger, and whether it includes the odd chip."""
    if amount == pot_size:
        return f"the {name} of {format_money(amount)}"
    odd = " with the odd chip" if amount * winners > pot_size else ""
    return f"{format_money(amount)} of the {name} of {format_money(pot_size)}{odd}"


def name_pot(index: int, pots: int) -> str:
    """Return the name of a pot by its number among the pots of a round."""
    if index == 0:
        return "main pot" if pots > 1 else "pot"
    return "side pot" if pots == 2 else f"side pot {index}"


def _describe_contesting_hands(scope: EvaluationContext, row: int, round_: int) -> str:
    """Describe the hands of a seat in brackets, if they were compared and can win."""
    described: list[str] = []
    boards = pot_shares.pot_division(scope).boards[: int(most_likely_boards(scope).count[round_])]
    for board, (place, share) in product(boards, enumerate(scope.compiled_game.pots.shares)):
        contest = board.showdown.contests[place]
        strength = int(contest.strength[row, round_])
        if strength > 0 and strength >= contest.lowest_winning:
            described.append(scope.compiled_game.hands[share.hand].ranking.describe(strength))
    pots = pot_shares.settle_pots(scope)
    contends = bool(side_pots.expand_masks(pots.contenders[round_ : round_ + 1], row + 1)[row, 0])
    if not described:
        return "" if contends else " (folded or conceded)"
    return f" ({' and '.join(dict.fromkeys(described))})"


def format_received(amount: int) -> str:
    """Describe the amount that a seat received, if recorded."""
    if amount == NOT_RECORDED:
        return "what the seat received is not recorded"
    return f"received {format_money(amount) if amount else 'nothing'}"


def describe_return_to(scope: EvaluationContext, seat: int, amount: int) -> str:
    """Describe an amount that is returned to a seat."""
    number = scope.batch.seats.number[seat]
    return f"seat {number} should get back {format_money(amount) if amount else 'nothing'}"


def describe_pots_gap(scope: EvaluationContext, round_: int) -> FindingDetails:
    """Describe a round whose pots are not known."""
    return FindingDetails(
        where=build_place(scope, round_),
        expected="the amounts put in by the seats, and the seats that may win them",
        observed="not recorded in the log",
    )


_ItemText = Callable[[int], str]


def check_pot_awards(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    """Check the amount that each seat received; one item for each seat.

    A round counts as one item if the amounts put in, or the seats that may win them, are not known.
    """
    match check.asks:
        case "shares":
            return _check_shares_of_pots(scope, check)
        case "uncalled":
            return _check_uncalled_bets(scope, check)
        case _:
            return _check_refunds(scope, check)


def _check_shares_of_pots(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    pots, due, amounts = (
        pot_shares.settle_pots(scope),
        pot_shares.pot_division(scope).due,
        pot_totals.credit_pots(scope),
    )
    known = pots.is_known & (pots.pots.count > 0)
    row, round_ = np.nonzero((pots.contributions.seats >= 0) & known)
    holds, beyond_pots = pot_totals.check_shares(scope), pot_shares.find_excess_of_named_pots(scope)

    def describe_observed(item: int) -> str:
        amount, unduly = (int(column[row[item], round_[item]]) for column in (amounts.received, beyond_pots))
        words = format_received(amount)
        if 0 < unduly < amount:
            return f"{words}, of which {format_money(unduly)} is beyond the seat's share of a pot"
        return words

    return _build_result(
        scope,
        check,
        seat=pots.contributions.seats[row, round_],
        holds=holds[row, round_],
        doubtful=find_true(~pots.is_known),
        expected=lambda item: describe_shares(scope, int(row[item]), int(round_[item])),
        observed=describe_observed,
        balance=lambda item: (
            measure_excess(due, amounts, int(row[item]), int(round_[item])) or int(beyond_pots[row[item], round_[item]])
        ),
    )


def _check_uncalled_bets(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    pots, amounts = pot_shares.settle_pots(scope), pot_totals.credit_pots(scope)
    returned = side_pots.arrange_in_rows(pots.contributions, received_chips(scope).returned_stakes, NOT_RECORDED)
    rows = np.arange(len(returned))[:, None]
    is_owner = (pots.uncalled_bets.row == rows) & (pots.uncalled_bets.amount > 0)
    row, round_ = np.nonzero((is_owner | (amounts.undue_return > 0)) & pots.contributions.is_known)
    is_owned = is_owner[row, round_]
    seat = pots.contributions.seats[row, round_]

    def describe_expected(item: int) -> str:
        return describe_return_to(
            scope, int(seat[item]), int(pots.uncalled_bets.amount[round_[item]]) if is_owned[item] else 0
        )

    def describe_observed(item: int) -> str:
        index = int(round_[item])
        returned_amount = returned[row[item], index]
        return format_received(
            int(max(amounts.bet_returned[index], returned_amount) if is_owned[item] else returned_amount)
        )

    def find_balance_of(item: int) -> int:
        index = int(round_[item])
        return int(
            amounts.bet_returned[index] - pots.uncalled_bets.amount[index]
            if is_owned[item]
            else amounts.undue_return[row[item], index]
        )

    return _build_result(
        scope,
        check,
        seat=seat,
        holds=np.where(
            is_owned,
            amounts.is_bet_returned[round_],
            kleene.from_yes_no(np.zeros(len(row), bool), amounts.is_undue_certain[row, round_]),
        ),
        doubtful=find_true(~pots.contributions.is_known),
        expected=describe_expected,
        observed=describe_observed,
        balance=find_balance_of,
    )


def _check_refunds(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    put, amounts = side_pots.staked_in_pots(scope), received_chips(scope)
    # An award in place of a refund is no refund; an award in addition to it exceeds the amount put in.
    refunded_amount = np.where(
        (amounts.returned_stakes != NOT_RECORDED) & (amounts.returned_stakes != put),
        amounts.returned_stakes,
        amounts.total,
    )
    seat = find_true((put > 0) | (refunded_amount > 0)).astype(np.int32)
    return _build_result(
        scope,
        check,
        seat=seat,
        holds=kleene.where_known(refunded_amount == put, refunded_amount != NOT_RECORDED)[seat],
        doubtful=np.zeros(0, np.int64),
        expected=lambda item: describe_return_to(scope, int(seat[item]), int(put[seat[item]])),
        observed=lambda item: format_received(int(refunded_amount[seat[item]])),
        balance=lambda item: int(refunded_amount[seat[item]] - put[seat[item]]),
    )


def _build_result(
    scope: EvaluationContext,
    check: AwardedCheck,
    *,
    seat: Ints32,
    holds: Truths,
    doubtful: Ints,
    expected: _ItemText,
    observed: _ItemText,
    balance: Callable[[int], int],
) -> CheckResult:
    """Build the result of a check: an item for each seat, then one for each round whose pots are not known."""
    applies_to = scope.evaluate(check.when, "round")
    rounds: Ints32 = np.concatenate([scope.batch.seats.round[seat], doubtful]).astype(np.int32)
    holds = np.concatenate([holds, kleene.constant(kleene.UNKNOWN, len(doubtful))])
    statuses: Statuses = combine_status(applies_to[rounds], holds)

    def describe_failure(item: int) -> FindingDetails:
        return FindingDetails(
            where=build_place(scope, int(rounds[item]), seat=int(seat[item])),
            expected=expected(item),
            observed=observed(item),
            balance=Fraction(balance(item)),
            between_players=True,
        )

    def describe_gap(item: int) -> FindingDetails:
        if item >= len(seat):
            return describe_pots_gap(scope, int(rounds[item]))
        return FindingDetails(
            where=build_place(scope, int(rounds[item]), seat=int(seat[item])),
            expected=expected(item),
            observed=f"the evidence does not show whether this is right: {observed(item)}",
        )

    return CheckResult(
        status_codes=statuses, round=rounds, describe_failure=describe_failure, describe_gap=describe_gap
    )


def check_aggregate_limit(scope: EvaluationContext, check: CappedCheck) -> status_codes.CheckResult:
    """Check the total paid on each group of stakes that the limit restricts."""
    limited = next(limit for limit in payout_limits(scope) if limit.cap.cap == check.cap)
    groups = find_true(limited.bites)
    paid = limited.sum_by_group(limited.collect_column("paid"))
    return status_codes.CheckResult(
        status_codes=_check_totals(limited, paid, is_truncated(scope, "round")[limited.round])[groups],
        round=limited.round[groups],
        describe_failure=lambda item: _describe_limit_failure(scope, limited, paid, int(groups[item])),
        describe_gap=lambda item: _describe_limit_gap(scope, limited, paid, int(groups[item])),
    )


def _check_totals(limited: LimitedStakes, paid: Ints, stops: Flags) -> Codes:
    """Return the status of each group of stakes.

    Args:
        limited: groups and amounts.
        paid: total paid for each group.
        stops: whether the record of the group's round is incomplete.

    Returns:
        uint8[groups].
    """
    lowest, highest = _bounds_of_due(limited)
    more_allowed = limited.sum_by_group(_open_ended(limited)) > 0
    is_below_limit = (limited.least == limited.most) & (paid == limited.least)
    is_exact = ((lowest == highest) | is_below_limit) & (paid == highest)
    for least, most in (limited.bound_due_with_tips(), limited.bound_due_without_tips()):
        is_exact |= (least == most) & (paid == most)
    too_much = (paid > highest) & ~more_allowed
    # If the record stops early, more may be paid later, and stakes may be returned.
    is_wrong = too_much | (((paid < lowest) | _is_taken_wrongly(limited)) & ~stops)
    is_right = is_exact | (more_allowed & (paid >= highest))
    statuses = np.full(len(paid), status_codes.NOT_EVIDENCED, np.uint8)
    statuses[is_right] = status_codes.PASS
    statuses[is_wrong] = status_codes.FAIL
    statuses[limited.sum_by_group(_not_recorded(limited)) > 0] = status_codes.NOT_EVIDENCED
    return statuses


def _bounds_of_due(limited: LimitedStakes) -> tuple[Ints, Ints]:
    """Return the minimum and maximum due for each group under the limit, whether tips count or not."""
    return limited.bound_due_with_tips()[0], limited.bound_due_without_tips()[1]


def _open_ended(limited: LimitedStakes) -> Ints:
    floors = [
        np.zeros(len(line.seat), bool) if line.is_minimum is None else np.logical_or.reduce(line.is_minimum)
        for line in limited.lines
    ]
    return np.concatenate(floors).astype(np.int64)


def _not_recorded(limited: LimitedStakes) -> Ints:
    return np.concatenate([~line.is_recorded() for line in limited.lines]).astype(np.int64)


def _is_taken_wrongly(limited: LimitedStakes) -> Flags:
    """Return whether too much or too little of a stake in each group was taken."""
    wrong: list[Flags] = []
    for line in limited.lines:
        least, most = line.bound_due_taken()
        wrong.append(line.is_settled & ((least > line.taken) | (most < line.kept)).all(axis=0))
    return limited.sum_by_group(np.concatenate(wrong).astype(np.int64)) > 0


def _describe_limit_failure(
    scope: EvaluationContext, limited: LimitedStakes, paid: Ints, group: int
) -> status_codes.FindingDetails:
    lowest, highest = (int(bound[group]) for bound in _bounds_of_due(limited))
    done, taken = int(paid[group]), int(limited.sum_by_group(limited.collect_column("taken"))[group])
    balance = Fraction(done - min(max(done, lowest), highest) - _excess_taken(limited, group))
    regulation = scope.compiled_game.regulation
    return status_codes.FindingDetails(
        where=_place_of_group(scope, limited, group),
        expected=_expected_total(scope, limited, group),
        observed=payment_in_words(done, taken, balance),
        clauses=regulation.qualify_clauses(limited.cap.clauses),
        readings=tuple(regulation.qualify(name) for name in limited.cap.readings),
        balance=balance,
    )


def _excess_taken(limited: LimitedStakes, group: int) -> int:
    """Return how much more was taken of the stakes of a group than is due, by the nearest amount due."""
    excess: list[Ints] = []
    for line in limited.lines:
        difference = line.taken - np.clip(line.taken, *line.bound_due_taken())
        nearest = difference[np.abs(difference).argmin(axis=0), np.arange(difference.shape[1])]
        excess.append(np.where(line.is_settled, nearest, 0))
    return int(limited.sum_by_group(np.concatenate(excess))[group])


def _describe_limit_gap(
    scope: EvaluationContext, limited: LimitedStakes, paid: Ints, group: int
) -> status_codes.FindingDetails:
    where, expected = _place_of_group(scope, limited, group), _expected_total(scope, limited, group)
    if limited.sum_by_group(_not_recorded(limited))[group]:
        return status_codes.FindingDetails(
            where=where, expected=expected, observed="the log does not record what was paid and taken"
        )
    return status_codes.FindingDetails(
        where=where,
        expected=expected,
        observed=f"{format_amounts(Fraction(int(paid[group])), Fraction(0))}; the limit, or the pay table "
        f"in use, is not submitted",
    )


def _expected_total(scope: EvaluationContext, limited: LimitedStakes, group: int) -> str:
    lowest, highest = (int(bound[group]) for bound in _bounds_of_due(limited))
    least, most = int(limited.least[group]), int(limited.most[group])
    titles = " and ".join(line_title(scope.compiled_game.game, name) for name in _lines_of_group(limited, group))
    unlimited = format_money(least) if least == most else f"at least {format_money(least)}"
    limit = format_money(lowest)
    if highest >= UNBOUNDED or limited.limit_high[group] >= UNBOUNDED:
        limit = f"{limit} or more, under the limit if there is one,"
    elif highest > lowest:
        limit = f"{limit} to {format_money(highest)}"
    return f"{limit} paid on {titles}; without a limit {unlimited} would be due"


def _lines_of_group(limited: LimitedStakes, group: int) -> list[str]:
    line = int(limited.line_of_group[group])
    return limited.cap.lines if line == ABSENT else [limited.cap.lines[line]]


def _place_of_group(scope: EvaluationContext, limited: LimitedStakes, group: int) -> EvidencePlace:
    line = int(limited.line_of_group[group])
    return status_codes.build_place(
        scope,
        int(limited.round[group]),
        seat=int(limited.seat[group]),
        wager=None if line == ABSENT else limited.cap.lines[line],
    )
