"""Check of settlement: amounts paid and taken on every stake against the amounts due, and words for both."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints16, find_true, has_any
from fairdeal.validator.audit import status_codes
from fairdeal.validator.audit.wording import payment_wording
from fairdeal.validator.audit.wording.payment_wording import explain_amount_due, find_stated_selection
from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards
from fairdeal.validator.engine.facts.seat_layout import is_house_banking
from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.engine.payouts import line_settlement
from fairdeal.validator.engine.payouts.payout_limits import find_jointly_limited, find_possibly_limited
from fairdeal.validator.engine.timeline.excused_acts import is_truncated
from fairdeal.validator.evidence.columns.log_draft import describe_line
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.rules.requirement_model import SettledCheck


@cached_by_game
def _select_cases(prepared: CompiledGame, names: tuple[str, ...]) -> Mapping[str, Flags]:
    """Return the lines that some cases settle, in the order of settlement, with which cases these are.

    Returns:
        bool[cases + 1] for each line. The last entry is for stakes that no case decides; the check of the last case of
        a line reports them.
    """
    cases, selected = prepared.game.settlement.cases, dict[str, Flags]()
    chosen = [index for index, case in enumerate(cases) if case.case in names]
    for line in prepared.game.settlement.order:
        if any(line in cases[index].lines for index in chosen):
            last = max(index for index, case in enumerate(cases) if line in case.lines)
            selected[line] = np.zeros(len(cases) + 1, bool)
            selected[line][[*chosen, *([ABSENT] if last in chosen else [])]] = True
    return selected


def check_settlement(scope: EvaluationContext, check: SettledCheck) -> status_codes.CheckResult:
    """Check the amounts paid and taken on every stake that one of the cases decides."""
    parts: list[tuple[line_settlement.SettledLine, Any, Any]] = []
    for name, is_checked_case in _select_cases(scope.compiled_game, tuple(check.cases)).items():
        line = line_settlement.settle_lines(scope)[name]
        if not len(line.seat):
            continue
        is_ours = line.is_decided_by(is_checked_case)
        is_checked_together = find_jointly_limited(scope, line.name)
        chosen = find_true(is_ours if is_checked_together is None else is_ours & ~is_checked_together)
        if len(chosen):
            marks_of_line = scope.compute_once(("paid-marks", line.name), partial(_check_payments, scope, line))
            statuses = marks_of_line.take(chosen)
            failed = statuses == status_codes.FAIL
            if has_any(failed):
                nearest = scope.compute_once(("nearest-cases", line.name), partial(_find_nearest_cases, scope, line))
                statuses[failed & ~is_checked_case[nearest[chosen]]] = status_codes.NOT_EVIDENCED
            parts.append((line, chosen, statuses))
    statuses = np.concatenate([part[2] for part in parts]) if parts else np.zeros(0, np.uint8)
    seats = np.concatenate([line.seat.take(chosen) for line, chosen, _ in parts]) if parts else np.zeros(0, np.int32)
    bounds = np.cumsum([len(part[2]) for part in parts])

    def find(item: int) -> tuple[line_settlement.SettledLine, int]:
        part = int(np.searchsorted(bounds, item, side="right"))
        line, chosen, _ = parts[part]
        return line, int(chosen[item - (bounds[part - 1] if part else 0)])

    return status_codes.CheckResult(
        status_codes=statuses,
        round=scope.batch.seats.round.take(seats),
        describe_failure=lambda item: _describe_payment_failure(scope, *find(item)),
        describe_gap=lambda item: _describe_payment_gap(scope, *find(item)),
    )


def _check_payments(scope: EvaluationContext, line: line_settlement.SettledLine) -> Any:
    agrees = line.matches_due()
    statuses = np.full(len(line.seat), status_codes.NOT_EVIDENCED, np.uint8)
    is_decided = line.is_settled & line.is_recorded()
    statuses[is_decided & agrees.all(axis=0)] = status_codes.PASS
    statuses[is_decided & ~line.may_match_due().any(axis=0)] = status_codes.FAIL
    statuses[line_settlement.is_wrong_in_every_case(scope, line.name)] = status_codes.FAIL
    limited = find_possibly_limited(scope, line.name)
    if limited is not None:
        # Too little may be right under the limit: stakes that cannot be checked may have reached it.
        least, most = line.bound_due_taken()
        too_little = (line.paid * line.denominator < line.due_paid).all(axis=0)
        too_little &= ((least <= line.taken) & (line.taken <= most)).any(axis=0)
        statuses[limited & (too_little | ~line.is_settled) & (statuses == status_codes.FAIL)] = (
            status_codes.NOT_EVIDENCED
        )
    # If the record stops early, more may be paid later, and stakes may be returned.
    stops = is_truncated(scope, "seat")[line.seat]
    if has_any(stops):
        statuses[stops & (statuses == status_codes.FAIL) & ~line.is_overpaid()] = status_codes.NOT_EVIDENCED
    statuses[line.case == ABSENT] = status_codes.ERROR
    return statuses


def _find_nearest_cases(scope: EvaluationContext, line: line_settlement.SettledLine) -> Ints16:
    """Return the case of each stake; for one that is wrong in every case, the case nearest to the recorded amounts."""
    cases = line.case.copy()
    for index in find_true(line_settlement.is_wrong_in_every_case(scope, line.name)).tolist():
        cases[index] = min(
            line_settlement.settle_by_each_case(scope, line, index), key=lambda alone: abs(_find_balance(alone, index))
        ).case[index]
    return cases


def _describe_payment_failure(
    scope: EvaluationContext, line: line_settlement.SettledLine, index: int
) -> status_codes.FindingDetails:
    where = _place_of_stake(scope, line, index)
    if line.case[index] == ABSENT:
        return status_codes.FindingDetails(
            where=where, expected="a case of settlement that applies", observed="none does"
        )
    if not line.is_settled[index]:
        return _describe_failure_in_every_case(scope, line, index)
    case = scope.compiled_game.game.settlement.cases[line.case[index]]
    regulation = scope.compiled_game.regulation
    clauses = (*case.clauses, *payment_wording.list_table_clauses(scope, line, case, index))
    balance = _find_balance(line, index)
    return status_codes.FindingDetails(
        where=where,
        expected=payment_wording.required_in_words(scope, line, index),
        observed=payment_wording.done_with_balance(line, index, balance),
        clauses=tuple(regulation.qualify(clause) for clause in dict.fromkeys(clauses)),
        readings=tuple(regulation.qualify(name) for name in case.readings),
        balance=balance,
        between_players=_is_against_player(scope, line, index),
    )


def _is_against_player(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> bool:
    """Return whether another player of the round wins or loses a stake, instead of the house."""
    return bool(is_house_banking(scope, line.name)[scope.batch.seats.round[line.seat[index]]] == NO)


def _describe_failure_in_every_case(
    scope: EvaluationContext, line: line_settlement.SettledLine, index: int
) -> status_codes.FindingDetails:
    """Describe a stake whose settlement fits none of the cases that may apply."""
    cases, regulation = line_settlement.settle_by_each_case(scope, line, index), scope.compiled_game.regulation
    settled_by = [scope.compiled_game.game.settlement.cases[alone.case[index]] for alone in cases]
    balance = min((_find_balance(alone, index) for alone in cases), key=abs)
    dues = " or ".join(dict.fromkeys(payment_wording.describe_amount_due(alone, index) for alone in cases))
    clauses = dict.fromkeys(clause for case in settled_by for clause in case.clauses)
    readings = dict.fromkeys(name for case in settled_by for name in case.readings)
    return status_codes.FindingDetails(
        where=_place_of_stake(scope, line, index),
        expected=f"{dues} on the {payment_wording.stake_of(scope, line, index)}, whichever of these cases it is",
        observed=payment_wording.done_with_balance(line, index, balance),
        clauses=tuple(map(regulation.qualify, clauses)),
        readings=tuple(map(regulation.qualify, readings)),
        balance=balance,
        between_players=_is_against_player(scope, line, index),
    )


def _find_balance(line: line_settlement.SettledLine, index: int) -> Fraction:
    """Return how much the player received too much (positive) or too little, by the nearest amount due."""
    done = int(line.paid[index]) - int(line.taken[index])
    return min((done - (paid - taken) for paid, taken in line.list_possible_dues(index)), key=abs)


def _describe_payment_gap(
    scope: EvaluationContext, line: line_settlement.SettledLine, index: int
) -> status_codes.FindingDetails:
    """Describe a stake of which it is open what is due, or whether it was paid."""
    expected, observed = _explain_payment_gap(scope, line, index)
    case, regulation = scope.compiled_game.game.settlement.cases[line.case[index]], scope.compiled_game.regulation
    is_left_open = line.is_recorded()[index] and not line.is_settled[index] and line_settlement.leaves_due_open(case)
    return status_codes.FindingDetails(
        where=_place_of_stake(scope, line, index),
        expected=expected,
        observed=observed,
        clauses=regulation.qualify_clauses(case.clauses) if is_left_open else (),
        readings=tuple(regulation.qualify(name) for name in case.readings) if is_left_open else (),
    )


def _explain_payment_gap(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> tuple[str, str]:
    """Return what the evidence would have to show about a stake, and what it shows."""
    if not line.is_recorded()[index]:
        return "what was paid and taken", "the log does not record what was paid and taken"
    seat, case = int(line.seat[index]), scope.compiled_game.game.settlement.cases[line.case[index]]
    if not line.is_settled[index]:
        if line_settlement.leaves_due_open(case):
            stake, paid = explain_amount_due(scope, line, index), payment_wording.describe_amount_paid(line, index)
            return "an amount at the licensee's discretion", f"the text leaves the amount open on {stake}; {paid}"
        if _is_miscounted(scope, seat):
            hands = _describe_hands_at(scope, seat)
            return "a settlement case for hands with this number of cards", f"the rules have none; {hands}"
        known = _describe_known_at(scope, line, index)
        return (
            "the cards, results and decisions that decide what is due",
            f"the log does not show them all; {known}",
        )
    amount, paid = payment_wording.describe_amount_due(line, index), payment_wording.describe_amount_paid(line, index)
    due, limited = f"{amount} on {explain_amount_due(scope, line, index)}", find_possibly_limited(scope, line.name)
    if limited is not None and limited[index]:
        return f"{due}, or less under the limit", f"it is unknown what the limit leaves; {paid}"
    if is_truncated(scope, "seat")[seat]:
        return due, f"{status_codes.BREAKS_OFF}; {paid}"
    if line.may_be_late[index]:
        return f"{due}, if it was placed in time", f"the log does not show whether it was too late; {paid}"
    return (
        f"the pay table in use; by the permitted ones {amount} may be due",
        f"the pay table in use is not submitted; {paid}",
    )


def _is_miscounted(scope: EvaluationContext, seat: int) -> bool:
    """Return whether a hand whose cards are all shown has a number of cards other than its ranking requires."""
    round_ = int(scope.batch.seats.round[seat])
    for name, hand in scope.compiled_game.hands.items():
        for place, fewest, most in zip(hand.places, hand.fewest, hand.sizes, strict=True):
            cards, row = collect_hand_cards(scope, name, place), seat if place == "player" else round_
            count = int(cards.count[row])
            if count > 0 and not fewest <= count <= most and UNKNOWN not in cards.cards[row]:
                return True
    return False


def _place_of_stake(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> EvidencePlace:
    seat = int(line.seat[index])
    wager = describe_line(line.name, find_stated_selection(scope, line, index)) + (" (tip)" if line.tip[index] else "")
    return status_codes.build_place(scope, int(scope.batch.seats.round[seat]), seat=seat, wager=wager)


def _describe_hands_at(scope: EvaluationContext, seat: int) -> str:
    return "; ".join(map(ItemEvidence(scope, "seat", seat).describe_hand, scope.compiled_game.hands))


def _describe_known_at(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> str:
    """Describe the hands, the results that are no cards and the selection that decide what a stake is due."""
    seat = int(line.seat[index])
    parts = [_describe_hands_at(scope, seat)] if scope.compiled_game.hands else []
    parts += map(ItemEvidence(scope, "seat", seat).describe_outcome, scope.compiled_game.outcomes)
    if line.name in scope.compiled_game.selections:
        parts.append(f"the stake is on {find_stated_selection(scope, line, index) or 'no recorded selection'}")
    return "; ".join(parts)
