"""Check of aggregate limits: the total paid on stakes that a limit restricts together."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, find_true
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.wording.payment_wording import (
    format_amounts,
    payment_in_words,
)
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import UNBOUNDED
from fairdeal.validator.engine.payouts.payout_limits import (
    LimitedStakes,
    payout_limits,
)
from fairdeal.validator.engine.timeline.truncated_records import is_truncated
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.rules.requirement_model import CappedCheck
from fairdeal.validator.text.money import format_money


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
