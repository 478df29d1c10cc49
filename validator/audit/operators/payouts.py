"""Check of payments: amounts paid and taken against the amounts due, with the reason."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from validator.arrays import ABSENT, Ints16
from validator.audit.operators.payout_text import (
    describe_amount_due,
    describe_amount_paid,
    done_with_balance,
    explain_amount_due,
    list_table_clauses,
    required_in_words,
    stake_of,
)
from validator.audit.statuses.status_codes import (
    BREAKS_OFF,
    ERROR,
    FAIL,
    NOT_EVIDENCED,
    PASS,
    CheckResult,
    FindingDetails,
    build_place,
)
from validator.cards.cards import UNKNOWN
from validator.engine.cards.ranked_hands import collect_hand_cards
from validator.engine.core.context import EvaluationContext
from validator.engine.payouts.aggregate_limits import find_jointly_limited, find_possibly_limited
from validator.engine.payouts.settlement import (
    SettledLine,
    is_wrong_in_every_case,
    leaves_due_open,
    settle_by_each_case,
    settle_lines,
)
from validator.engine.text.evidence_text import describe_hand
from validator.engine.timeline.truncated_records import is_truncated
from validator.results.findings import EvidencePlace
from validator.rules.model.requirement import SettledCheck


def check_settlement(scope: EvaluationContext, check: SettledCheck) -> CheckResult:
    """Check the amounts paid and taken on every stake that one of the cases decides."""
    cases = scope.compiled_game.game.settlement.cases
    case_indices = [index for index, case in enumerate(cases) if case.case in check.cases]
    parts: list[tuple[SettledLine, Any, Any]] = []
    for line in settle_lines(scope).values():
        if not any(line.name in cases[index].lines for index in case_indices):
            continue
        last = max(index for index, case in enumerate(cases) if line.name in case.lines)
        is_checked_case = np.zeros(len(cases) + 1, bool)
        is_checked_case[[*case_indices, *([ABSENT] if last in case_indices else [])]] = (
            True  # ABSENT indexes the last entry
        )
        is_ours = line.is_decided_by(is_checked_case)
        is_checked_together = find_jointly_limited(scope, line.name)
        chosen = np.flatnonzero(is_ours if is_checked_together is None else is_ours & ~is_checked_together)
        if len(chosen):
            marks_of_line = scope.compute_once(("paid-marks", line.name), partial(_check_payments, scope, line))
            statuses = marks_of_line.take(chosen)
            nearest = scope.compute_once(("nearest-cases", line.name), partial(_find_nearest_cases, scope, line))
            statuses[(statuses == FAIL) & ~is_checked_case[nearest[chosen]]] = NOT_EVIDENCED
            parts.append((line, chosen, statuses))
    statuses = np.concatenate([part[2] for part in parts]) if parts else np.zeros(0, np.uint8)
    seats = np.concatenate([line.seat.take(chosen) for line, chosen, _ in parts]) if parts else np.zeros(0, np.int32)
    bounds = np.cumsum([len(part[2]) for part in parts])

    def find(item: int) -> tuple[SettledLine, int]:
        part = int(np.searchsorted(bounds, item, side="right"))
        line, chosen, _ = parts[part]
        return line, int(chosen[item - (bounds[part - 1] if part else 0)])

    return CheckResult(
        status_codes=statuses,
        round=scope.batch.seats.round.take(seats),
        describe_failure=lambda item: _describe_payment_failure(scope, *find(item)),
        describe_gap=lambda item: _describe_payment_gap(scope, *find(item)),
    )


def _check_payments(scope: EvaluationContext, line: SettledLine) -> Any:
    agrees = line.matches_due()
    statuses = np.full(len(line.seat), NOT_EVIDENCED, np.uint8)
    is_decided = line.is_settled & line.is_recorded()
    statuses[is_decided & agrees.all(axis=0)] = PASS
    statuses[is_decided & ~line.may_match_due().any(axis=0)] = FAIL
    statuses[is_wrong_in_every_case(scope, line.name)] = FAIL
    limited = find_possibly_limited(scope, line.name)
    if limited is not None:
        # Too little may be right under the limit: stakes that cannot be checked may have reached it.
        too_little = (line.paid * line.denominator < line.due_paid).all(axis=0) & (line.due_taken == line.taken).any(
            axis=0
        )
        statuses[limited & (too_little | ~line.is_settled) & (statuses == FAIL)] = NOT_EVIDENCED
    # If the record stops early, more may be paid later, and stakes may be returned.
    stops = is_truncated(scope, "seat")[line.seat]
    if stops.any():
        statuses[stops & (statuses == FAIL) & ~line.is_overpaid()] = NOT_EVIDENCED
    statuses[line.case == ABSENT] = ERROR
    return statuses


def _find_nearest_cases(scope: EvaluationContext, line: SettledLine) -> Ints16:
    """Return the case of each stake; for one that is wrong in every case, the case nearest to the recorded amounts."""
    cases = line.case.copy()
    for index in np.flatnonzero(is_wrong_in_every_case(scope, line.name)).tolist():
        cases[index] = min(
            settle_by_each_case(scope, line, index), key=lambda alone: abs(_find_balance(alone, index))
        ).case[index]
    return cases


def _describe_payment_failure(scope: EvaluationContext, line: SettledLine, index: int) -> FindingDetails:
    where = _place_of_stake(scope, line, index)
    if line.case[index] == ABSENT:
        return FindingDetails(where=where, expected="a case of settlement that applies", observed="none does")
    if not line.is_settled[index]:
        return _describe_failure_in_every_case(scope, line, index)
    case = scope.compiled_game.game.settlement.cases[line.case[index]]
    regulation = scope.compiled_game.regulation
    clauses = (*case.clauses, *list_table_clauses(scope, line, case, index))
    balance = _find_balance(line, index)
    return FindingDetails(
        where=where,
        expected=required_in_words(scope, line, index),
        observed=done_with_balance(line, index, balance),
        clauses=tuple(regulation.qualify(clause) for clause in dict.fromkeys(clauses)),
        readings=tuple(regulation.qualify(name) for name in case.readings),
        balance=balance,
    )


def _describe_failure_in_every_case(scope: EvaluationContext, line: SettledLine, index: int) -> FindingDetails:
    """Describe a stake whose settlement fits none of the cases that may apply."""
    cases, regulation = settle_by_each_case(scope, line, index), scope.compiled_game.regulation
    settled_by = [scope.compiled_game.game.settlement.cases[alone.case[index]] for alone in cases]
    balance = min((_find_balance(alone, index) for alone in cases), key=abs)
    dues = " or ".join(dict.fromkeys(describe_amount_due(alone, index) for alone in cases))
    clauses = dict.fromkeys(clause for case in settled_by for clause in case.clauses)
    readings = dict.fromkeys(name for case in settled_by for name in case.readings)
    return FindingDetails(
        where=_place_of_stake(scope, line, index),
        expected=f"{dues} on the {stake_of(scope, line, index)}, whichever of these cases it is",
        observed=done_with_balance(line, index, balance),
        clauses=tuple(map(regulation.qualify, clauses)),
        readings=tuple(map(regulation.qualify, readings)),
        balance=balance,
    )


def _find_balance(line: SettledLine, index: int) -> Fraction:
    """Return how much the player received too much (positive) or too little, by the nearest amount due."""
    done = int(line.paid[index]) - int(line.taken[index])
    return min((done - (paid - taken) for paid, taken in line.list_possible_dues(index)), key=abs)


def _describe_payment_gap(scope: EvaluationContext, line: SettledLine, index: int) -> FindingDetails:
    where = _place_of_stake(scope, line, index)
    if not line.is_recorded()[index]:
        return FindingDetails(
            where=where, expected="what was paid and taken", observed="the log does not record what was paid and taken"
        )
    case = scope.compiled_game.game.settlement.cases[line.case[index]]
    limited = find_possibly_limited(scope, line.name)
    if limited is not None and limited[index] and line.is_settled[index]:
        return FindingDetails(
            where=where,
            expected=f"{describe_amount_due(line, index)} on {explain_amount_due(scope, line, index)}, or less under the limit",
            observed=f"it is unknown what the limit leaves; {describe_amount_paid(line, index)}",
        )
    if line.is_settled[index] and is_truncated(scope, "seat")[line.seat[index]]:
        return FindingDetails(
            where=where,
            expected=f"{describe_amount_due(line, index)} on {explain_amount_due(scope, line, index)}",
            observed=f"{BREAKS_OFF}; {describe_amount_paid(line, index)}",
        )
    if line.is_settled[index]:
        return FindingDetails(
            where=where,
            expected=f"the pay table in use; by the permitted ones {describe_amount_due(line, index)} may be due",
            observed=f"the pay table in use is not submitted; {describe_amount_paid(line, index)}",
        )
    if leaves_due_open(case):
        regulation = scope.compiled_game.regulation
        return FindingDetails(
            where=where,
            expected="an amount at the licensee's discretion",
            observed=f"the text leaves the amount open on {explain_amount_due(scope, line, index)}; {describe_amount_paid(line, index)}",
            clauses=regulation.qualify_clauses(case.clauses),
            readings=tuple(regulation.qualify(name) for name in case.readings),
        )
    seat = int(line.seat[index])
    if _is_miscounted(scope, seat):
        return FindingDetails(
            where=where,
            expected="a settlement case for hands with this number of cards",
            observed=f"the rules have none; {_describe_hands_at(scope, seat)}",
        )
    return FindingDetails(
        where=where,
        expected="the cards and decisions that decide what is due",
        observed=f"the log does not show them all; {_describe_hands_at(scope, seat)}",
    )


def _is_miscounted(scope: EvaluationContext, seat: int) -> bool:
    """Return whether a hand whose cards are all shown has a number of cards other than its ranking requires."""
    round_ = int(scope.batch.seats.round[seat])
    for name, hand in scope.compiled_game.hands.items():
        for place, required in zip(hand.places, hand.sizes, strict=True):
            cards, row = collect_hand_cards(scope, name, place), seat if place == "player" else round_
            if cards.count[row] > 0 and cards.count[row] != required and UNKNOWN not in cards.cards[row]:
                return True
    return False


def _place_of_stake(scope: EvaluationContext, line: SettledLine, index: int) -> EvidencePlace:
    seat = int(line.seat[index])
    wager = f"{line.name} (tip)" if line.tip[index] else line.name
    return build_place(scope, int(scope.batch.seats.round[seat]), seat=seat, wager=wager)


def _describe_hands_at(scope: EvaluationContext, seat: int) -> str:
    return "; ".join(describe_hand(scope, hand, "seat", seat) for hand in scope.compiled_game.hands)
