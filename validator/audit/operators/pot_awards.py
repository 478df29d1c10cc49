"""Check of awarded pots, uncalled bets and refunded stakes: amount received by each seat against the amount due."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from validator.arrays import Ints, Ints32, Statuses, Truths
from validator.audit.operators.pot_award_text import (
    describe_pots_gap,
    describe_return_to,
    describe_shares,
    format_received,
)
from validator.audit.statuses.status_codes import CheckResult, FindingDetails, build_place, combine_status
from validator.engine.core import kleene
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.pots.awards_of_pots import find_excess_of_named_pots
from validator.engine.pots.contributions_to_pots import (
    arrange_in_rows,
    chips_of_folded_seats,
    is_refunded,
    staked_in_pots,
)
from validator.engine.pots.pot_shares import is_reading_in_force, pot_division, settle_pots
from validator.engine.pots.received import NOT_RECORDED, received_chips
from validator.engine.pots.received_breakdown import CreditedChips, credit_received, is_share_right, measure_excess
from validator.engine.pots.split_pots import PotDue
from validator.rules.model.requirement import AwardedCheck
from validator.text.values.money import format_money

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


@cached_fact
def credit_pots(scope: EvaluationContext) -> CreditedChips:
    """Return the amounts that each seat received from the pots and from an uncalled bet."""
    return _credit_for_due(scope, pot_division(scope).due)


def _credit_for_due(scope: EvaluationContext, due: PotDue) -> CreditedChips:
    pots, amounts = settle_pots(scope), received_chips(scope)
    return credit_received(
        pots.uncalled_bets,
        due,
        arrange_in_rows(pots.contributions, amounts.won, NOT_RECORDED),
        arrange_in_rows(pots.contributions, amounts.returned_stakes, NOT_RECORDED),
        arrange_in_rows(pots.contributions, amounts.total, NOT_RECORDED),
        undue=_returned_unduly(scope),
        apart=is_reading_in_force(scope, scope.compiled_game.pots.uncalled_apart),
    )


@cached_fact
def _returned_unduly(scope: EvaluationContext) -> Ints:
    """Return the amounts returned beyond a row's own uncalled bet, in minor units.

    A seat whose stakes are all refunded is due all of its returns. So is a seat that was out when it put chips in.

    Returns:
        int64[S, H].
    """
    pots = settle_pots(scope)
    returned = arrange_in_rows(pots.contributions, received_chips(scope).returned_stakes, NOT_RECORDED)
    of_refunded_seats = arrange_in_rows(pots.contributions, is_refunded(scope).astype(np.int64), 0) > 0
    own = np.where(pots.uncalled_bets.row == np.arange(len(returned))[:, None], pots.uncalled_bets.amount, 0)
    own += arrange_in_rows(pots.contributions, chips_of_folded_seats(scope), 0)
    return np.where((pots.contributions.seats >= 0) & ~of_refunded_seats, np.maximum(returned - own, 0), 0)


@cached_fact
def check_shares(scope: EvaluationContext) -> Truths:
    """Return whether each row received its share of the pots, under any of the possible divisions.

    Returns:
        uint8[S, H].
    """
    division_ = pot_division(scope)
    holds = is_share_right(division_.due, credit_pots(scope))
    for alternative in division_.alternatives:
        holds = np.maximum(holds, is_share_right(alternative, _credit_for_due(scope, alternative)))
    return np.where(find_excess_of_named_pots(scope) > 0, np.uint8(kleene.NO), holds)


def _check_shares_of_pots(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    pots, due, amounts = settle_pots(scope), pot_division(scope).due, credit_pots(scope)
    known = pots.is_known & (pots.pots.count > 0)
    row, round_ = np.nonzero((pots.contributions.seats >= 0) & known)
    holds, beyond_pots = check_shares(scope), find_excess_of_named_pots(scope)

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
        doubtful=np.flatnonzero(~pots.is_known),
        expected=lambda item: describe_shares(scope, int(row[item]), int(round_[item])),
        observed=describe_observed,
        balance=lambda item: (
            measure_excess(due, amounts, int(row[item]), int(round_[item])) or int(beyond_pots[row[item], round_[item]])
        ),
    )


def _check_uncalled_bets(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    pots, amounts = settle_pots(scope), credit_pots(scope)
    returned = arrange_in_rows(pots.contributions, received_chips(scope).returned_stakes, NOT_RECORDED)
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
        doubtful=np.flatnonzero(~pots.contributions.is_known),
        expected=describe_expected,
        observed=describe_observed,
        balance=find_balance_of,
    )


def _check_refunds(scope: EvaluationContext, check: AwardedCheck) -> CheckResult:
    put, amounts = staked_in_pots(scope), received_chips(scope)
    # An award in place of a refund is no refund; an award in addition to it exceeds the amount put in.
    refunded_amount = np.where(
        (amounts.returned_stakes != NOT_RECORDED) & (amounts.returned_stakes != put),
        amounts.returned_stakes,
        amounts.total,
    )
    seat = np.flatnonzero((put > 0) | (refunded_amount > 0)).astype(np.int32)
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
