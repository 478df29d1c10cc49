"""Check of awarded pots, uncalled bets and refunded stakes: amount received by each seat against the amount due."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from validator.arrays import Ints, Ints32, Statuses, Tri
from validator.audit.operators.pot_award_text import back_to, gap_of, received_in_words, shares_in_words
from validator.audit.statuses.status_codes import Judged, Told, place_of, weigh
from validator.engine.core import kleene
from validator.engine.core.context import Scope, fact
from validator.engine.pots.awards_of_pots import beyond_named_pots
from validator.engine.pots.contributions_to_pots import in_rows, of_those_out, refunded, staked
from validator.engine.pots.pot_shares import applies, division, settled
from validator.engine.pots.received import UNTOLD, received
from validator.engine.pots.received_breakdown import Credited, beyond, credited, rightly
from validator.engine.pots.split_pots import Due
from validator.rules.model.requirement import AwardedCheck
from validator.text.values.money import format_money

_ItemText = Callable[[int], str]


def awarded(scope: Scope, check: AwardedCheck) -> Judged:
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


@fact
def credited_in(scope: Scope) -> Credited:
    """Return the amounts that each seat received from the pots and from an uncalled bet."""
    return _credit_for_due(scope, division(scope).due)


def _credit_for_due(scope: Scope, due: Due) -> Credited:
    pots, amounts = settled(scope), received(scope)
    return credited(
        pots.free,
        due,
        in_rows(pots.put, amounts.won, UNTOLD),
        in_rows(pots.put, amounts.back, UNTOLD),
        in_rows(pots.put, amounts.all, UNTOLD),
        undue=_returned_unduly(scope),
        apart=applies(scope, scope.prepared.pots.uncalled_apart),
    )


@fact
def _returned_unduly(scope: Scope) -> Ints:
    """Return the amounts returned beyond a row's own uncalled bet, in minor units.

    A seat whose stakes are all refunded is due all of its returns. So is a seat that was out when it put chips in.

    Returns:
        int64[S, H].
    """
    pots = settled(scope)
    returned = in_rows(pots.put, received(scope).back, UNTOLD)
    of_refunded_seats = in_rows(pots.put, refunded(scope).astype(np.int64), 0) > 0
    own = np.where(pots.free.row == np.arange(len(returned))[:, None], pots.free.amount, 0)
    own += in_rows(pots.put, of_those_out(scope), 0)
    return np.where((pots.put.seats >= 0) & ~of_refunded_seats, np.maximum(returned - own, 0), 0)


@fact
def shares_as_due(scope: Scope) -> Tri:
    """Return whether each row received its share of the pots, under any of the possible divisions.

    Returns:
        uint8[S, H].
    """
    division_ = division(scope)
    holds = rightly(division_.due, credited_in(scope))
    for alternative in division_.otherwise:
        holds = np.maximum(holds, rightly(alternative, _credit_for_due(scope, alternative)))
    return np.where(beyond_named_pots(scope) > 0, np.uint8(kleene.NO), holds)


def _check_shares_of_pots(scope: Scope, check: AwardedCheck) -> Judged:
    pots, due, amounts = settled(scope), division(scope).due, credited_in(scope)
    known = pots.known & (pots.pots.count > 0)
    row, round_ = np.nonzero((pots.put.seats >= 0) & known)
    holds, beyond_pots = shares_as_due(scope), beyond_named_pots(scope)

    def describe_observed(item: int) -> str:
        amount, unduly = (int(column[row[item], round_[item]]) for column in (amounts.received, beyond_pots))
        words = received_in_words(amount)
        if 0 < unduly < amount:
            return f"{words}, of which {format_money(unduly)} is beyond the seat's share of a pot"
        return words

    return _build_result(
        scope,
        check,
        seat=pots.put.seats[row, round_],
        holds=holds[row, round_],
        doubtful=np.flatnonzero(~pots.known),
        expected=lambda item: shares_in_words(scope, int(row[item]), int(round_[item])),
        observed=describe_observed,
        balance=lambda item: (
            beyond(due, amounts, int(row[item]), int(round_[item])) or int(beyond_pots[row[item], round_[item]])
        ),
    )


def _check_uncalled_bets(scope: Scope, check: AwardedCheck) -> Judged:
    pots, amounts = settled(scope), credited_in(scope)
    returned = in_rows(pots.put, received(scope).back, UNTOLD)
    rows = np.arange(len(returned))[:, None]
    is_owner = (pots.free.row == rows) & (pots.free.amount > 0)
    row, round_ = np.nonzero((is_owner | (amounts.undue > 0)) & pots.put.known)
    is_owned = is_owner[row, round_]
    seat = pots.put.seats[row, round_]

    def describe_expected(item: int) -> str:
        return back_to(scope, int(seat[item]), int(pots.free.amount[round_[item]]) if is_owned[item] else 0)

    def describe_observed(item: int) -> str:
        index = int(round_[item])
        returned_amount = returned[row[item], index]
        return received_in_words(int(max(amounts.came[index], returned_amount) if is_owned[item] else returned_amount))

    def find_balance_of(item: int) -> int:
        index = int(round_[item])
        return int(amounts.came[index] - pots.free.amount[index] if is_owned[item] else amounts.undue[row[item], index])

    return _build_result(
        scope,
        check,
        seat=seat,
        holds=np.where(
            is_owned,
            amounts.returned[round_],
            kleene.decided(np.zeros(len(row), bool), amounts.undue_for_sure[row, round_]),
        ),
        doubtful=np.flatnonzero(~pots.put.known),
        expected=describe_expected,
        observed=describe_observed,
        balance=find_balance_of,
    )


def _check_refunds(scope: Scope, check: AwardedCheck) -> Judged:
    put, amounts = staked(scope), received(scope)
    # An award in place of a refund is no refund; an award in addition to it exceeds the amount put in.
    refunded_amount = np.where((amounts.back != UNTOLD) & (amounts.back != put), amounts.back, amounts.all)
    seat = np.flatnonzero((put > 0) | (refunded_amount > 0)).astype(np.int32)
    return _build_result(
        scope,
        check,
        seat=seat,
        holds=kleene.where_known(refunded_amount == put, refunded_amount != UNTOLD)[seat],
        doubtful=np.zeros(0, np.int64),
        expected=lambda item: back_to(scope, int(seat[item]), int(put[seat[item]])),
        observed=lambda item: received_in_words(int(refunded_amount[seat[item]])),
        balance=lambda item: int(refunded_amount[seat[item]] - put[seat[item]]),
    )


def _build_result(
    scope: Scope,
    check: AwardedCheck,
    *,
    seat: Ints32,
    holds: Tri,
    doubtful: Ints,
    expected: _ItemText,
    observed: _ItemText,
    balance: Callable[[int], int],
) -> Judged:
    """Build the result of a check: an item for each seat, then one for each round whose pots are not known."""
    applies_to = scope.truth(check.when, "round")
    rounds: Ints32 = np.concatenate([scope.batch.seats.round[seat], doubtful]).astype(np.int32)
    holds = np.concatenate([holds, kleene.constant(kleene.UNKNOWN, len(doubtful))])
    statuses: Statuses = weigh(applies_to[rounds], holds)

    def describe_failure(item: int) -> Told:
        return Told(
            where=place_of(scope, int(rounds[item]), seat=int(seat[item])),
            expected=expected(item),
            observed=observed(item),
            balance=Fraction(balance(item)),
        )

    def describe_gap(item: int) -> Told:
        if item >= len(seat):
            return gap_of(scope, int(rounds[item]))
        return Told(
            where=place_of(scope, int(rounds[item]), seat=int(seat[item])),
            expected=expected(item),
            observed=f"the evidence does not show whether this is right: {observed(item)}",
        )

    return Judged(marks=statuses, round=rounds, tell=describe_failure, gap=describe_gap)
