"""Check of settlement: amounts paid and taken on every stake against the amounts due, and words for both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from fairdeal.validator.arrays import ABSENT, Flags, Ints16, find_true, has_any
from fairdeal.validator.audit import status_codes
from fairdeal.validator.cards.card_codes import UNKNOWN
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.core.kleene import NO
from fairdeal.validator.engine.facts.final_hands import collect_hand_cards
from fairdeal.validator.engine.facts.seat_layout import is_house_banking
from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.engine.payouts import line_settlement
from fairdeal.validator.engine.payouts.due_amounts import bound_rounded, find_earning_seats
from fairdeal.validator.engine.payouts.pay_table_lookup import find_looked_up_name, find_tables_in_use, look_up_tables
from fairdeal.validator.engine.payouts.payout_limits import find_jointly_limited, find_possibly_limited
from fairdeal.validator.engine.timeline.excused_acts import is_truncated
from fairdeal.validator.evidence.columns.log_draft import describe_line
from fairdeal.validator.operators.rule_renderer import explain_holding
from fairdeal.validator.results.findings import EvidencePlace
from fairdeal.validator.rules.check_model import SettledCheck
from fairdeal.validator.rules.payment_model import ByTable, Case
from fairdeal.validator.rules.regulation import line_title
from fairdeal.validator.text.plain_values import format_money

_DECIMALS = 10**4
"""Fractions of a minor unit that are written as further decimal places."""


def describe_amount_due(line: line_settlement.SettledLine, index: int) -> str:
    """Describe the amounts that may be due on a stake."""
    least = "at least " if line.may_exceed_due(index) else ""
    return least + " or ".join(format_amounts(paid, taken) for paid, taken in _list_rounded_dues(line, index))


def required_in_words(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> str:
    """Return what a stake should have been paid, with its clauses and the facts that decide it, in sentences."""
    clauses = clauses_in_words(scope.compiled_game.game.settlement.cases[line.case[index]].clauses)
    facts = "; ".join(_deciding_facts(scope, line, index))
    sentence = f"The {stake_of(scope, line, index)} should have {_outcomes(line, index)} ({clauses})."
    return f"{facts[:1].upper()}{facts[1:]}. {sentence}" if facts else sentence


def clauses_in_words(clauses: Sequence[str]) -> str:
    """Return clauses as a finding cites them: `clause 12`, `clauses 12, 13(A)`."""
    names = [re.sub(r"^\((\w+)\)", r"\1", clause) for clause in clauses]
    return f"clause{'' if len(names) == 1 else 's'} {', '.join(names)}"


def stake_of(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> str:
    """Return a stake by its amount and its name: `$60.00 Main wager`, `$5.00 Main wager (tip)`."""
    amount, stake = int(line.amount[index]), int(line.stake[index])
    placed = amount if stake == ABSENT else int(scope.batch.stakes.amount[stake])
    late = ", placed too late," if placed and not amount else ""
    return f"{format_money(amount or placed)} {title_of_stake(scope, line, index)}{late}"


def title_of_stake(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> str:
    """Return the title of the line of a stake, with its selection: `Split on 17 20`, `Main wager (tip)`."""
    title = describe_line(line_title(scope.compiled_game.game, line.name), find_stated_selection(scope, line, index))
    return f"{title} (tip)" if line.tip[index] else title


def find_stated_selection(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> str | None:
    """Return the selection of a stake as the log states it; None if it states none, or for a bonus."""
    stake = int(line.stake[index])
    return None if stake == ABSENT else scope.batch.stakes.selection.text(stake)


def _outcomes(line: line_settlement.SettledLine, index: int) -> str:
    """Return what should have become of a stake, after "should have"."""
    least = "at least " if line.may_exceed_due(index) else ""
    dues = _list_rounded_dues(line, index)
    return " or ".join(dict.fromkeys(_outcome(line, index, paid, taken, least) for paid, taken in dues))


def _outcome(line: line_settlement.SettledLine, index: int, paid: Fraction, taken: Fraction, least: str) -> str:
    if not paid and not taken:
        return "been neither paid nor taken"
    if not taken:
        return f"been paid {least}{_format_minor_units(paid)}"
    lost = "been taken" if taken == int(line.amount[index]) else f"lost {_format_minor_units(taken)}"
    return lost if not paid else f"been paid {least}{_format_minor_units(paid)} and lost {_format_minor_units(taken)}"


def done_with_balance(line: line_settlement.SettledLine, index: int, balance: Fraction) -> str:
    """Return what was paid and taken, and what the player is owed or was overpaid, in sentences."""
    return payment_in_words(int(line.paid[index]), int(line.taken[index]), balance)


def payment_in_words(paid: int, taken: int, balance: Fraction) -> str:
    """Return what was paid and taken, and what the player is owed or was overpaid, in sentences.

    Args:
        paid: the amount paid beyond the stake, in minor units.
        taken: the amount taken of the stake.
        balance: amount overpaid to the player, below 0 if owed.
    """
    if not paid and not taken:
        done = "Nothing was taken." if balance > 0 else "Nothing was paid."
    elif not taken:
        done = f"{format_money(paid)} was paid."
    else:
        done = f"{f'{format_money(paid)} was paid and ' if paid else ''}{format_money(taken)} was taken."
    if not balance:
        return done
    return f"{done} The player {'was overpaid' if balance > 0 else 'is owed'} {_format_minor_units(abs(balance))}."


def _list_rounded_dues(line: line_settlement.SettledLine, index: int) -> list[tuple[Fraction, Fraction]]:
    """Return the amounts paid and taken that satisfy what may be due on a stake."""
    return [
        (paid, taken)
        for due_paid, due_taken in line.list_possible_dues(index)
        for paid in _rounded_dues(line, due_paid)
        for taken in _rounded_dues(line, due_taken)
    ]


def _rounded_dues(line: line_settlement.SettledLine, due: Fraction) -> Iterator[Fraction]:
    """Yield the amounts that satisfy a due amount: itself, or the adjacent minor units by the rounding rule."""
    if line.rounding is None:
        yield due
        return
    bounds = bound_rounded(np.array([due.numerator]), due.denominator, line.rounding)
    yield from dict.fromkeys(Fraction(int(bound[0])) for bound in bounds)


def describe_amount_paid(line: line_settlement.SettledLine, index: int) -> str:
    """Describe the amounts paid and taken on a stake."""
    return format_amounts(Fraction(int(line.paid[index])), Fraction(int(line.taken[index])))


def explain_amount_due(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> str:
    """Describe a stake with the clauses of its settlement case and the facts that select the case."""
    case = scope.compiled_game.game.settlement.cases[line.case[index]]
    table = " and the pay table" if case.due.operator == "pay-table" else ""
    facts = "; ".join(_deciding_facts(scope, line, index))
    return (
        f"the {stake_of(scope, line, index)} by {clauses_in_words(case.clauses)}{table}{f': {facts}' if facts else ''}"
    )


def _deciding_facts(scope: EvaluationContext, line: line_settlement.SettledLine, index: int) -> list[str]:
    """Return the hands, numbers of cards and decisions that make a stake one of its case."""
    case = scope.compiled_game.game.settlement.cases[line.case[index]]
    seat = int(line.seat[index])
    if case.due.operator == "pay-table":
        return list(_describe_lookup(scope, line.name, case.due.operand, seat))
    if case.when is None:
        return []
    is_of_stake = scope.compiled_game.find_grain(case.when) == "stake"
    item = ItemEvidence(scope, "stake", int(line.stake[index])) if is_of_stake else ItemEvidence(scope, "seat", seat)
    return explain_holding(item, case.when)


def list_table_clauses(
    scope: EvaluationContext, line: line_settlement.SettledLine, case: Case, index: int
) -> list[str]:
    """Return the clauses that print the pay tables of a case, and those by which an award is shared."""
    if case.due.operator != "pay-table":
        return []
    tables = [used.printed.table for used in find_tables_in_use(scope, case.due.operand)]
    clauses = [clause for table in tables for clause in table.clauses]
    for row, _ in _shared_rows(scope, case.due.operand, int(line.seat[index])):
        clauses += [
            clause for table in tables for shared in table.shared if shared.category == row for clause in shared.clauses
        ]
    return clauses


def _describe_lookup(scope: EvaluationContext, line: str, due: ByTable, seat: int) -> Iterator[str]:
    """Yield the facts by which a pay table is looked up for a seat."""
    name = find_looked_up_name(scope, due)
    scale = scope.compiled_game.game.scales.get(name)
    seats = [seat] if (others := find_earning_seats(scope, line, seat)) is None else others
    for earning_seat in seats:
        owner = "" if earning_seat == seat else f"seat {int(scope.batch.seats.number[earning_seat])}: "
        if scale is None:
            yield f"{owner}{ItemEvidence(scope, 'seat', earning_seat).describe_hand(name)}"
        else:
            values, known = scope.evaluate_numbers(scale.of, "seat")
            yield f"{owner}{scale.title}: {int(values[earning_seat]) if known[earning_seat] else 'not known'}"
    if not seats:
        yield "no other player has such a hand"
    yield from (f"shared by {count} seats" for _, count in _shared_rows(scope, due, seat))


def _shared_rows(scope: EvaluationContext, due: ByTable, seat: int) -> Iterator[tuple[str, int]]:
    """Yield the shared rows of a seat's hand with the number of seats that share each, if there are several."""
    lookup = look_up_tables(scope, due)
    if lookup is not None:
        cell, round_ = lookup.cells[seat], int(scope.batch.seats.round[seat])
        shares = {
            earning_seat.name: int(earning_seat.sharer_count[round_])
            for table in lookup.shared_rows
            for earning_seat in table
            if earning_seat.cells[cell]
        }
        yield from ((name, count) for name, count in shares.items() if count > 1)


def format_amounts(paid: Fraction, taken: Fraction) -> str:
    """Format an amount paid beyond the stake and an amount taken, in minor units."""
    if not paid and not taken:
        return "nothing paid, nothing taken"
    if not taken:
        return f"{_format_minor_units(paid)} paid"
    return (
        f"{_format_minor_units(taken)} taken"
        if not paid
        else f"{_format_minor_units(paid)} paid, {_format_minor_units(taken)} taken"
    )


def _format_minor_units(amount: Fraction) -> str:
    """Format an amount in minor units exactly: `1.50`, `1.515`, `0.66 and 2/3 of 0.01`."""
    whole, part = divmod(amount, 1)
    if not part:
        return format_money(whole)
    if _DECIMALS % part.denominator == 0:
        return f"{format_money(whole)}{f'{int(part * _DECIMALS):04d}'.rstrip('0')}"
    return f"{format_money(whole)} and {part} of 0.01"


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
    clauses = (*case.clauses, *list_table_clauses(scope, line, case, index))
    balance = _find_balance(line, index)
    return status_codes.FindingDetails(
        where=where,
        expected=required_in_words(scope, line, index),
        observed=done_with_balance(line, index, balance),
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
    dues = " or ".join(dict.fromkeys(describe_amount_due(alone, index) for alone in cases))
    clauses = dict.fromkeys(clause for case in settled_by for clause in case.clauses)
    readings = dict.fromkeys(name for case in settled_by for name in case.readings)
    return status_codes.FindingDetails(
        where=_place_of_stake(scope, line, index),
        expected=f"{dues} on the {stake_of(scope, line, index)}, whichever of these cases it is",
        observed=done_with_balance(line, index, balance),
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
            stake, paid = explain_amount_due(scope, line, index), describe_amount_paid(line, index)
            return "an amount at the licensee's discretion", f"the text leaves the amount open on {stake}; {paid}"
        if _is_miscounted(scope, seat):
            hands = _describe_hands_at(scope, seat)
            return "a settlement case for hands with this number of cards", f"the rules have none; {hands}"
        known = _describe_known_at(scope, line, index)
        return (
            "the cards, results and decisions that decide what is due",
            f"the log does not show them all; {known}",
        )
    amount, paid = describe_amount_due(line, index), describe_amount_paid(line, index)
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
