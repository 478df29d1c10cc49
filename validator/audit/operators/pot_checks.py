"""Check of awarded pots, uncalled bets and refunded stakes: amount received by each seat against the amount due."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from fairdeal.validator.arrays import Ints, Ints32, Statuses, Truths, find_true
from fairdeal.validator.audit.status_codes import CheckResult, FindingDetails, build_place, combine_status
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.pots import credited_shares, pot_shares, side_pots
from fairdeal.validator.engine.pots.received_chips import (
    NOT_RECORDED,
    measure_excess,
    received_chips,
)
from fairdeal.validator.engine.pots.split_pots import most_likely_boards, share_one_pot
from fairdeal.validator.rules.requirement_model import AwardedCheck
from fairdeal.validator.text.money import format_money


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
    for index, number in product(range(len(chosen)), range(boards)):
        net, contests = shared.boards[number].net, shared.boards[number].contests
        due = share_one_pot(pots, net, contests, shared.chips, chosen[index : index + 1])
        least, most, by_rule = int(due.least[row, 0]), int(due.most[row, 0]), int(due.by_rule[row, 0])
        if most == 0:
            continue
        name = name_pot(index, len(chosen)) + (f" on board {number + 1}" if boards > 1 else "")
        pot_size = int(net.least[chosen[index]])
        is_raked = pot_size == net.most[chosen[index]]
        winners = int((due.most[:, 0] > 0).sum())
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
        contest = board.contests[place]
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
        credited_shares.credit_pots(scope),
    )
    known = pots.is_known & (pots.pots.count > 0)
    row, round_ = np.nonzero((pots.contributions.seats >= 0) & known)
    holds, beyond_pots = credited_shares.check_shares(scope), pot_shares.find_excess_of_named_pots(scope)

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
    pots, amounts = pot_shares.settle_pots(scope), credited_shares.credit_pots(scope)
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
