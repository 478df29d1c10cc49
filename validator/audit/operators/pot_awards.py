"""Pots awarded, uncalled bets and whole stakes given back: what each seat received against what is due to it."""

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

Words = Callable[[int], str]


def awarded(scope: Scope, check: AwardedCheck) -> Judged:
    """What each seat received held against what is due to it, one item a seat; a round of which it is not known what
    was put in, or who may win it, is one item."""
    match check.asks:
        case "shares":
            return _shares(scope, check)
        case "uncalled":
            return _uncalled(scope, check)
        case _:
            return _refunds(scope, check)


@fact
def credited_in(scope: Scope) -> Credited:
    """What each seat is credited with of the pots and of an uncalled bet."""
    return _credited(scope, division(scope).due)


def _credited(scope: Scope, due: Due) -> Credited:
    made, got = settled(scope), received(scope)
    return credited(
        made.free,
        due,
        in_rows(made.put, got.won, UNTOLD),
        in_rows(made.put, got.back, UNTOLD),
        in_rows(made.put, got.all, UNTOLD),
        undue=_not_due_back(scope),
        apart=applies(scope, scope.prepared.pots.uncalled_apart),
    )


@fact
def _not_due_back(scope: Scope) -> Ints:
    """int64[S, H]: what rows got back beyond what was left uncalled of theirs, in minor units. What a seat got back all
    of whose stakes are refunded is due to it, and what it put in when it was out."""
    made = settled(scope)
    back = in_rows(made.put, received(scope).back, UNTOLD)
    lost = in_rows(made.put, refunded(scope).astype(np.int64), 0) > 0
    own = np.where(made.free.row == np.arange(len(back))[:, None], made.free.amount, 0)
    own += in_rows(made.put, of_those_out(scope), 0)
    return np.where((made.put.seats >= 0) & ~lost, np.maximum(back - own, 0), 0)


@fact
def shares_as_due(scope: Scope) -> Tri:
    """Return whether each row received its share of the pots, in whichever way they may be divided, uint8[S, H]."""
    divided = division(scope)
    holds = rightly(divided.due, credited_in(scope))
    for other in divided.otherwise:
        holds = np.maximum(holds, rightly(other, _credited(scope, other)))
    return np.where(beyond_named_pots(scope) > 0, np.uint8(kleene.NO), holds)


def _shares(scope: Scope, check: AwardedCheck) -> Judged:
    made, due, got = settled(scope), division(scope).due, credited_in(scope)
    known = made.known & (made.pots.count > 0)
    row, round_ = np.nonzero((made.put.seats >= 0) & known)
    holds, beyond_pots = shares_as_due(scope), beyond_named_pots(scope)

    def observed(item: int) -> str:
        amount, undue = (int(one[row[item], round_[item]]) for one in (got.received, beyond_pots))
        words = received_in_words(amount)
        if 0 < undue < amount:
            return f"{words}, of which {format_money(undue)} is beyond the seat's share of a pot"
        return words

    return _judged(
        scope,
        check,
        seat=made.put.seats[row, round_],
        holds=holds[row, round_],
        doubtful=np.flatnonzero(~made.known),
        expected=lambda item: shares_in_words(scope, int(row[item]), int(round_[item])),
        observed=observed,
        balance=lambda item: (
            beyond(due, got, int(row[item]), int(round_[item])) or int(beyond_pots[row[item], round_[item]])
        ),
    )


def _uncalled(scope: Scope, check: AwardedCheck) -> Judged:
    made, got = settled(scope), credited_in(scope)
    back = in_rows(made.put, received(scope).back, UNTOLD)
    rows = np.arange(len(back))[:, None]
    owner = (made.free.row == rows) & (made.free.amount > 0)
    row, round_ = np.nonzero((owner | (got.undue > 0)) & made.put.known)
    owned = owner[row, round_]
    seat = made.put.seats[row, round_]

    def expected(item: int) -> str:
        return back_to(scope, int(seat[item]), int(made.free.amount[round_[item]]) if owned[item] else 0)

    def observed(item: int) -> str:
        at = int(round_[item])
        given = back[row[item], at]
        return received_in_words(int(max(got.came[at], given) if owned[item] else given))

    def balance(item: int) -> int:
        at = int(round_[item])
        return int(got.came[at] - made.free.amount[at] if owned[item] else got.undue[row[item], at])

    return _judged(
        scope,
        check,
        seat=seat,
        holds=np.where(
            owned, got.returned[round_], kleene.decided(np.zeros(len(row), bool), got.undue_for_sure[row, round_])
        ),
        doubtful=np.flatnonzero(~made.put.known),
        expected=expected,
        observed=observed,
        balance=balance,
    )


def _refunds(scope: Scope, check: AwardedCheck) -> Judged:
    put, got = staked(scope), received(scope)
    # What was awarded instead was not given back; what was awarded besides is more than was put in.
    came = np.where((got.back != UNTOLD) & (got.back != put), got.back, got.all)
    seat = np.flatnonzero((put > 0) | (came > 0)).astype(np.int32)
    return _judged(
        scope,
        check,
        seat=seat,
        holds=kleene.where_known(came == put, came != UNTOLD)[seat],
        doubtful=np.zeros(0, np.int64),
        expected=lambda item: back_to(scope, int(seat[item]), int(put[seat[item]])),
        observed=lambda item: received_in_words(int(came[seat[item]])),
        balance=lambda item: int(came[seat[item]] - put[seat[item]]),
    )


def _judged(
    scope: Scope,
    check: AwardedCheck,
    *,
    seat: Ints32,
    holds: Tri,
    doubtful: Ints,
    expected: Words,
    observed: Words,
    balance: Callable[[int], int],
) -> Judged:
    """Items of seats, each with whether what is due to it holds, and after them the rounds that nothing is known of."""
    applies_to = scope.truth(check.when, "round")
    rounds: Ints32 = np.concatenate([scope.batch.seats.round[seat], doubtful]).astype(np.int32)
    holds = np.concatenate([holds, kleene.constant(kleene.UNKNOWN, len(doubtful))])
    marks: Statuses = weigh(applies_to[rounds], holds)

    def tell(item: int) -> Told:
        return Told(
            where=place_of(scope, int(rounds[item]), seat=int(seat[item])),
            expected=expected(item),
            observed=observed(item),
            balance=Fraction(balance(item)),
        )

    def gap(item: int) -> Told:
        if item >= len(seat):
            return gap_of(scope, int(rounds[item]))
        return Told(
            where=place_of(scope, int(rounds[item]), seat=int(seat[item])),
            expected=expected(item),
            observed=f"the evidence does not show whether this is right: {observed(item)}",
        )

    return Judged(marks=marks, round=rounds, tell=tell, gap=gap)
