"""Check of payments: amounts paid and taken against the amounts due, with the reason."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Ints16
from validator.audit.operators.payout_text import (
    because,
    clauses_of_tables,
    done_in_words,
    done_with_balance,
    due_in_words,
    required_in_words,
    stake_of,
)
from validator.audit.statuses.status_codes import (
    BREAKS_OFF,
    ERROR,
    FAIL,
    NOT_EVIDENCED,
    PASS,
    Judged,
    Told,
    place_of,
)
from validator.cards.cards import UNKNOWN
from validator.engine.cards.ranked_hands import cards_of
from validator.engine.core.context import Scope
from validator.engine.payouts.aggregate_limits import judged_together, perhaps_limited
from validator.engine.payouts.settlement import Line, by_each_case, is_open, settle, wrong_in_every_case
from validator.engine.text.evidence_text import held
from validator.engine.timeline.truncated_records import breaks_off
from validator.results.findings import Where
from validator.rules.model.requirement import SettledCheck


def settled(scope: Scope, check: SettledCheck) -> Judged:
    """Check the amounts paid and taken on every stake that one of the cases decides."""
    cases = scope.prepared.game.settlement.cases
    case_indices = [index for index, case in enumerate(cases) if case.case in check.cases]
    parts: list[tuple[Line, Any, Any]] = []
    for line in settle(scope).values():
        if not any(line.name in cases[index].lines for index in case_indices):
            continue
        last = max(index for index, case in enumerate(cases) if line.name in case.lines)
        is_checked_case = np.zeros(len(cases) + 1, bool)
        is_checked_case[[*case_indices, *([ABSENT] if last in case_indices else [])]] = (
            True  # ABSENT indexes the last entry
        )
        is_ours = line.decided_by(is_checked_case)
        is_checked_together = judged_together(scope, line.name)
        chosen = np.flatnonzero(is_ours if is_checked_together is None else is_ours & ~is_checked_together)
        if len(chosen):
            marks_of_line = scope.once(("paid-marks", line.name), partial(_check_payments, scope, line))
            statuses = marks_of_line.take(chosen)
            nearest = scope.once(("nearest-cases", line.name), partial(_find_nearest_cases, scope, line))
            statuses[(statuses == FAIL) & ~is_checked_case[nearest[chosen]]] = NOT_EVIDENCED
            parts.append((line, chosen, statuses))
    statuses = np.concatenate([part[2] for part in parts]) if parts else np.zeros(0, np.uint8)
    seats = np.concatenate([line.seat.take(chosen) for line, chosen, _ in parts]) if parts else np.zeros(0, np.int32)
    bounds = np.cumsum([len(part[2]) for part in parts])

    def find(item: int) -> tuple[Line, int]:
        part = int(np.searchsorted(bounds, item, side="right"))
        line, chosen, _ = parts[part]
        return line, int(chosen[item - (bounds[part - 1] if part else 0)])

    return Judged(
        marks=statuses,
        round=scope.batch.seats.round.take(seats),
        tell=lambda item: _describe_payment_failure(scope, *find(item)),
        gap=lambda item: _describe_payment_gap(scope, *find(item)),
    )


def _check_payments(scope: Scope, line: Line) -> Any:
    agrees = line.agrees()
    statuses = np.full(len(line.seat), NOT_EVIDENCED, np.uint8)
    is_decided = line.settled & line.recorded()
    statuses[is_decided & agrees.all(axis=0)] = PASS
    statuses[is_decided & ~line.may_agree().any(axis=0)] = FAIL
    statuses[wrong_in_every_case(scope, line.name)] = FAIL
    limited = perhaps_limited(scope, line.name)
    if limited is not None:
        # Too little may be right under the limit: stakes that cannot be checked may have reached it.
        too_little = (line.paid * line.per < line.due_paid).all(axis=0) & (line.due_taken == line.taken).any(axis=0)
        statuses[limited & (too_little | ~line.settled) & (statuses == FAIL)] = NOT_EVIDENCED
    # If the record stops early, more may be paid later, and stakes may be returned.
    stops = breaks_off(scope, "seat")[line.seat]
    if stops.any():
        statuses[stops & (statuses == FAIL) & ~line.too_much()] = NOT_EVIDENCED
    statuses[line.case == ABSENT] = ERROR
    return statuses


def _find_nearest_cases(scope: Scope, line: Line) -> Ints16:
    """Return the case of each stake; for one that is wrong in every case, the case nearest to the recorded amounts."""
    cases = line.case.copy()
    for index in np.flatnonzero(wrong_in_every_case(scope, line.name)).tolist():
        cases[index] = min(by_each_case(scope, line, index), key=lambda alone: abs(_find_balance(alone, index))).case[
            index
        ]
    return cases


def _describe_payment_failure(scope: Scope, line: Line, index: int) -> Told:
    where = _place_of_stake(scope, line, index)
    if line.case[index] == ABSENT:
        return Told(where=where, expected="a case of settlement that applies", observed="none does")
    if not line.settled[index]:
        return _describe_failure_in_every_case(scope, line, index)
    case = scope.prepared.game.settlement.cases[line.case[index]]
    regulation = scope.prepared.regulation
    clauses = (*case.clauses, *clauses_of_tables(scope, line, case, index))
    balance = _find_balance(line, index)
    return Told(
        where=where,
        expected=required_in_words(scope, line, index),
        observed=done_with_balance(line, index, balance),
        clauses=tuple(regulation.full_id(clause) for clause in dict.fromkeys(clauses)),
        readings=tuple(regulation.full_id(name) for name in case.readings),
        balance=balance,
    )


def _describe_failure_in_every_case(scope: Scope, line: Line, index: int) -> Told:
    """Describe a stake whose settlement fits none of the cases that may apply."""
    cases, regulation = by_each_case(scope, line, index), scope.prepared.regulation
    settled_by = [scope.prepared.game.settlement.cases[alone.case[index]] for alone in cases]
    balance = min((_find_balance(alone, index) for alone in cases), key=abs)
    dues = " or ".join(dict.fromkeys(due_in_words(alone, index) for alone in cases))
    clauses = dict.fromkeys(clause for case in settled_by for clause in case.clauses)
    readings = dict.fromkeys(name for case in settled_by for name in case.readings)
    return Told(
        where=_place_of_stake(scope, line, index),
        expected=f"{dues} on the {stake_of(scope, line, index)}, whichever of these cases it is",
        observed=done_with_balance(line, index, balance),
        clauses=tuple(map(regulation.full_id, clauses)),
        readings=tuple(map(regulation.full_id, readings)),
        balance=balance,
    )


def _find_balance(line: Line, index: int) -> Fraction:
    """Return how much the player received too much (positive) or too little, by the nearest amount due."""
    done = int(line.paid[index]) - int(line.taken[index])
    return min((done - (paid - taken) for paid, taken in line.dues(index)), key=abs)


def _describe_payment_gap(scope: Scope, line: Line, index: int) -> Told:
    where = _place_of_stake(scope, line, index)
    if not line.recorded()[index]:
        return Told(
            where=where, expected="what was paid and taken", observed="the log does not record what was paid and taken"
        )
    case = scope.prepared.game.settlement.cases[line.case[index]]
    limited = perhaps_limited(scope, line.name)
    if limited is not None and limited[index] and line.settled[index]:
        return Told(
            where=where,
            expected=f"{due_in_words(line, index)} on {because(scope, line, index)}, or less under the limit",
            observed=f"it is unknown what the limit leaves; {done_in_words(line, index)}",
        )
    if line.settled[index] and breaks_off(scope, "seat")[line.seat[index]]:
        return Told(
            where=where,
            expected=f"{due_in_words(line, index)} on {because(scope, line, index)}",
            observed=f"{BREAKS_OFF}; {done_in_words(line, index)}",
        )
    if line.settled[index]:
        return Told(
            where=where,
            expected=f"the pay table in use; by the permitted ones {due_in_words(line, index)} may be due",
            observed=f"the pay table in use is not submitted; {done_in_words(line, index)}",
        )
    if is_open(case):
        regulation = scope.prepared.regulation
        return Told(
            where=where,
            expected="an amount at the licensee's discretion",
            observed=f"the text leaves the amount open on {because(scope, line, index)}; {done_in_words(line, index)}",
            clauses=regulation.clause_ids(case.clauses),
            readings=tuple(regulation.full_id(name) for name in case.readings),
        )
    seat = int(line.seat[index])
    if _is_miscounted(scope, seat):
        return Told(
            where=where,
            expected="a settlement case for hands with this number of cards",
            observed=f"the rules have none; {_describe_hands_at(scope, seat)}",
        )
    return Told(
        where=where,
        expected="the cards and decisions that decide what is due",
        observed=f"the log does not show them all; {_describe_hands_at(scope, seat)}",
    )


def _is_miscounted(scope: Scope, seat: int) -> bool:
    """Return whether a hand whose cards are all shown has a number of cards other than its ranking requires."""
    round_ = int(scope.batch.seats.round[seat])
    for name, hand in scope.prepared.hands.items():
        for place, required in zip(hand.places, hand.sizes, strict=True):
            cards, row = cards_of(scope, name, place), seat if place == "player" else round_
            if cards.count[row] > 0 and cards.count[row] != required and UNKNOWN not in cards.cards[row]:
                return True
    return False


def _place_of_stake(scope: Scope, line: Line, index: int) -> Where:
    seat = int(line.seat[index])
    wager = f"{line.name} (tip)" if line.tip[index] else line.name
    return place_of(scope, int(scope.batch.seats.round[seat]), seat=seat, wager=wager)


def _describe_hands_at(scope: Scope, seat: int) -> str:
    return "; ".join(held(scope, hand, "seat", seat) for hand in scope.prepared.hands)
