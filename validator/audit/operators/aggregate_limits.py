"""What stakes were paid together, held against a limit."""

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
    """What the stakes of a group were paid against the limit, for every group it bites on."""
    limited = next(one for one in limits(scope) if one.cap.cap == check.cap)
    groups = np.flatnonzero(limited.bites)
    paid = limited.per_group(limited.of_stakes("paid"))
    return Judged(
        marks=_marks(limited, paid, breaks_off(scope, "round")[limited.round])[groups],
        round=limited.round[groups],
        tell=lambda item: _told(scope, limited, paid, int(groups[item])),
        gap=lambda item: _gap(scope, limited, paid, int(groups[item])),
    )


def _marks(limited: Limited, paid: Ints, stops: Flags) -> Codes:
    """Return the mark of each group that the limit bites on, uint8[groups]; `stops` is whether its record does."""
    lowest, highest = _due(limited)
    more_allowed = limited.per_group(_may_be_more(limited)) > 0
    without = (limited.least == limited.most) & (paid == limited.least)
    known = ((lowest == highest) | without) & (paid == highest)
    for least, most in (limited.due_within(), limited.due_beside_tips()):
        known |= (least == most) & (paid == most)
    too_much = (paid > highest) & ~more_allowed
    # Where the record stops, more may be paid later, and what was taken may be put back.
    broken = too_much | (((paid < lowest) | _taken_wrongly(limited)) & ~stops)
    right = known | (more_allowed & (paid >= highest))
    marks = np.full(len(paid), NOT_EVIDENCED, np.uint8)
    marks[right] = PASS
    marks[broken] = FAIL
    marks[limited.per_group(_unrecorded(limited)) > 0] = NOT_EVIDENCED
    return marks


def _due(limited: Limited) -> tuple[Ints, Ints]:
    """Per group: the least and the most that may be due under the limit, be tips counted in or left out."""
    return limited.due_within()[0], limited.due_beside_tips()[1]


def _may_be_more(limited: Limited) -> Ints:
    floors = [
        np.zeros(len(line.seat), bool) if line.floor is None else np.logical_or.reduce(line.floor)
        for line in limited.lines
    ]
    return np.concatenate(floors).astype(np.int64)


def _unrecorded(limited: Limited) -> Ints:
    return np.concatenate([~line.recorded() for line in limited.lines]).astype(np.int64)


def _taken_wrongly(limited: Limited) -> Flags:
    """Whether of a stake in the group something was taken that is not due, or left that is."""
    wrong = [
        line.settled & ((line.due_taken > line.taken) | (line.due_taken < line.kept)).all(axis=0)
        for line in limited.lines
    ]
    return limited.per_group(np.concatenate(wrong).astype(np.int64)) > 0


def _told(scope: Scope, limited: Limited, paid: Ints, group: int) -> Told:
    lowest, highest = (int(bound[group]) for bound in _due(limited))
    done, taken = int(paid[group]), int(limited.per_group(limited.of_stakes("taken"))[group])
    balance = Fraction(done - min(max(done, lowest), highest) - _taken_too_much(limited, group))
    regulation = scope.prepared.regulation
    return Told(
        where=_place(scope, limited, group),
        expected=_expected(scope, limited, group),
        observed=payment_in_words(done, taken, balance),
        clauses=regulation.clause_ids(limited.cap.clauses),
        readings=tuple(regulation.full_id(name) for name in limited.cap.readings),
        balance=balance,
    )


def _taken_too_much(limited: Limited, group: int) -> int:
    """What was taken of the stakes of a group beyond what is due of each, by the due that is nearest."""
    beyond: list[Ints] = []
    for line in limited.lines:
        each = line.taken - line.due_taken
        nearest = each[np.abs(each).argmin(axis=0), np.arange(each.shape[1])]
        beyond.append(np.where(line.settled, nearest, 0))
    return int(limited.per_group(np.concatenate(beyond))[group])


def _gap(scope: Scope, limited: Limited, paid: Ints, group: int) -> Told:
    where, expected = _place(scope, limited, group), _expected(scope, limited, group)
    if limited.per_group(_unrecorded(limited))[group]:
        return Told(where=where, expected=expected, observed="the log does not say what was paid and taken")
    return Told(
        where=where,
        expected=expected,
        observed=f"{amounts(Fraction(int(paid[group])), 0)}; the limit, or the pay table in use, is not submitted",
    )


def _expected(scope: Scope, limited: Limited, group: int) -> str:
    lowest, highest = (int(bound[group]) for bound in _due(limited))
    least, most = int(limited.least[group]), int(limited.most[group])
    together = " and ".join(title_of(scope.prepared.game, name) for name in _lines(limited, group))
    without = format_money(least) if least == most else f"at least {format_money(least)}"
    limit = format_money(lowest)
    if highest >= FAR or limited.high[group] >= FAR:
        limit = f"{limit} or more, by the limit if there is one,"
    elif highest > lowest:
        limit = f"{limit} to {format_money(highest)}"
    return f"{limit} paid on {together}; without a limit {without} would be due"


def _lines(limited: Limited, group: int) -> list[str]:
    line = int(limited.line_of_group[group])
    return limited.cap.lines if line == ABSENT else [limited.cap.lines[line]]


def _place(scope: Scope, limited: Limited, group: int) -> Where:
    line = int(limited.line_of_group[group])
    return place_of(
        scope,
        int(limited.round[group]),
        seat=int(limited.seat[group]),
        wager=None if line == ABSENT else limited.cap.lines[line],
    )
