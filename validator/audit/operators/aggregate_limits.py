"""Check of the total paid on several stakes against an aggregate limit."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from validator.arrays import ABSENT, Codes, Flags, Ints
from validator.audit.operators.payout_text import amounts, payment_in_words
from validator.audit.statuses.status_codes import FAIL, NOT_EVIDENCED, PASS, Judged, Told, place_of
from validator.engine.core.context import Scope
from validator.engine.core.intervals import FAR
from validator.engine.payouts.aggregate_limits import Limited, limits
from validator.engine.timeline.truncated_records import breaks_off
from validator.results.findings import Where
from validator.rules.core.titles import title_of
from validator.rules.model.requirement import CappedCheck
from validator.text.values.money import format_money


def capped(scope: Scope, check: CappedCheck) -> Judged:
    """Check the total paid on each group of stakes that the limit restricts."""
    limited = next(limit for limit in limits(scope) if limit.cap.cap == check.cap)
    groups = np.flatnonzero(limited.bites)
    paid = limited.per_group(limited.of_stakes("paid"))
    return Judged(
        marks=_check_totals(limited, paid, breaks_off(scope, "round")[limited.round])[groups],
        round=limited.round[groups],
        tell=lambda item: _describe_limit_failure(scope, limited, paid, int(groups[item])),
        gap=lambda item: _describe_limit_gap(scope, limited, paid, int(groups[item])),
    )


def _check_totals(limited: Limited, paid: Ints, stops: Flags) -> Codes:
    """Return the status of each group of stakes.

    Args:
        limited: groups and amounts.
        paid: total paid for each group.
        stops: whether the record of the group's round is incomplete.

    Returns:
        uint8[groups].
    """
    lowest, highest = _bounds_of_due(limited)
    more_allowed = limited.per_group(_open_ended(limited)) > 0
    is_below_limit = (limited.least == limited.most) & (paid == limited.least)
    is_exact = ((lowest == highest) | is_below_limit) & (paid == highest)
    for least, most in (limited.due_within(), limited.due_beside_tips()):
        is_exact |= (least == most) & (paid == most)
    too_much = (paid > highest) & ~more_allowed
    # If the record stops early, more may be paid later, and stakes may be returned.
    is_wrong = too_much | (((paid < lowest) | _is_taken_wrongly(limited)) & ~stops)
    is_right = is_exact | (more_allowed & (paid >= highest))
    statuses = np.full(len(paid), NOT_EVIDENCED, np.uint8)
    statuses[is_right] = PASS
    statuses[is_wrong] = FAIL
    statuses[limited.per_group(_not_recorded(limited)) > 0] = NOT_EVIDENCED
    return statuses


def _bounds_of_due(limited: Limited) -> tuple[Ints, Ints]:
    """Return the minimum and maximum due for each group under the limit, whether tips count or not."""
    return limited.due_within()[0], limited.due_beside_tips()[1]


def _open_ended(limited: Limited) -> Ints:
    floors = [
        np.zeros(len(line.seat), bool) if line.floor is None else np.logical_or.reduce(line.floor)
        for line in limited.lines
    ]
    return np.concatenate(floors).astype(np.int64)


def _not_recorded(limited: Limited) -> Ints:
    return np.concatenate([~line.recorded() for line in limited.lines]).astype(np.int64)


def _is_taken_wrongly(limited: Limited) -> Flags:
    """Return whether too much or too little of a stake in each group was taken."""
    wrong = [
        line.settled & ((line.due_taken > line.taken) | (line.due_taken < line.kept)).all(axis=0)
        for line in limited.lines
    ]
    return limited.per_group(np.concatenate(wrong).astype(np.int64)) > 0


def _describe_limit_failure(scope: Scope, limited: Limited, paid: Ints, group: int) -> Told:
    lowest, highest = (int(bound[group]) for bound in _bounds_of_due(limited))
    done, taken = int(paid[group]), int(limited.per_group(limited.of_stakes("taken"))[group])
    balance = Fraction(done - min(max(done, lowest), highest) - _excess_taken(limited, group))
    regulation = scope.prepared.regulation
    return Told(
        where=_place_of_group(scope, limited, group),
        expected=_expected_total(scope, limited, group),
        observed=payment_in_words(done, taken, balance),
        clauses=regulation.clause_ids(limited.cap.clauses),
        readings=tuple(regulation.full_id(name) for name in limited.cap.readings),
        balance=balance,
    )


def _excess_taken(limited: Limited, group: int) -> int:
    """Return how much more was taken of the stakes of a group than is due, by the nearest amount due."""
    excess: list[Ints] = []
    for line in limited.lines:
        difference = line.taken - line.due_taken
        nearest = difference[np.abs(difference).argmin(axis=0), np.arange(difference.shape[1])]
        excess.append(np.where(line.settled, nearest, 0))
    return int(limited.per_group(np.concatenate(excess))[group])


def _describe_limit_gap(scope: Scope, limited: Limited, paid: Ints, group: int) -> Told:
    where, expected = _place_of_group(scope, limited, group), _expected_total(scope, limited, group)
    if limited.per_group(_not_recorded(limited))[group]:
        return Told(where=where, expected=expected, observed="the log does not record what was paid and taken")
    return Told(
        where=where,
        expected=expected,
        observed=f"{amounts(Fraction(int(paid[group])), 0)}; the limit, or the pay table in use, is not submitted",
    )


def _expected_total(scope: Scope, limited: Limited, group: int) -> str:
    lowest, highest = (int(bound[group]) for bound in _bounds_of_due(limited))
    least, most = int(limited.least[group]), int(limited.most[group])
    titles = " and ".join(title_of(scope.prepared.game, name) for name in _lines_of_group(limited, group))
    unlimited = format_money(least) if least == most else f"at least {format_money(least)}"
    limit = format_money(lowest)
    if highest >= FAR or limited.high[group] >= FAR:
        limit = f"{limit} or more, under the limit if there is one,"
    elif highest > lowest:
        limit = f"{limit} to {format_money(highest)}"
    return f"{limit} paid on {titles}; without a limit {unlimited} would be due"


def _lines_of_group(limited: Limited, group: int) -> list[str]:
    line = int(limited.line_of_group[group])
    return limited.cap.lines if line == ABSENT else [limited.cap.lines[line]]


def _place_of_group(scope: Scope, limited: Limited, group: int) -> Where:
    line = int(limited.line_of_group[group])
    return place_of(
        scope,
        int(limited.round[group]),
        seat=int(limited.seat[group]),
        wager=None if line == ABSENT else limited.cap.lines[line],
    )
