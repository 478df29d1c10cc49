"""Payments judged: what was paid and taken against what is due, and why it is due."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from validator.checks.marks import ERROR, FAIL, NOT_EVIDENCED, PASS, Judged, Told, place_of
from validator.play.scope import Scope
from validator.play.settlement import NO_CASE, Line, settle, tables_in_use
from validator.play.shown import held, shown
from validator.play.words import title_of
from validator.rulebook.language.game import Case
from validator.rulebook.language.requirement import SettledCheck
from validator.text.money import format_money
from validator.verdicts import Where


def settled(scope: Scope, check: SettledCheck) -> Judged:
    """What was paid and taken against what is due, for every stake one of the cases decides."""
    cases = scope.prepared.game.settlement.cases
    wanted = [index for index, case in enumerate(cases) if case.case in check.cases]
    parts: list[tuple[Line, Any, Any]] = []
    for line in settle(scope).values():
        if not any(line.name in cases[index].lines for index in wanted):
            continue
        last = max(index for index, case in enumerate(cases) if line.name in case.lines)
        wanted_case = np.zeros(len(cases) + 1, bool)  # the last one is for NO_CASE
        wanted_case[[*wanted, *([NO_CASE] if last in wanted else [])]] = True
        ours = line.decided_by(wanted) | ((line.case == NO_CASE) & (last in wanted))
        chosen = np.flatnonzero(ours)
        if len(chosen):
            marks_of_line = scope.once(("paid-marks", line.name), partial(_marks, line))
            parts.append((line, chosen, marks_of_line[chosen]))
    marks = np.concatenate([part[2] for part in parts]) if parts else np.zeros(0, np.uint8)
    seats = np.concatenate([line.seat[chosen] for line, chosen, _ in parts]) if parts else np.zeros(0, np.int32)
    bounds = np.cumsum([len(part[2]) for part in parts])

    def find(item: int) -> tuple[Line, int]:
        part = int(np.searchsorted(bounds, item, side="right"))
        line, chosen, _ = parts[part]
        return line, int(chosen[item - (bounds[part - 1] if part else 0)])

    return Judged(
        marks=marks,
        round=scope.batch.seats.round[seats],
        tell=lambda item: _told(scope, *find(item)),
        gap=lambda item: _gap(scope, *find(item)),
    )


def _marks(line: Line) -> Any:
    agrees = line.agrees()
    marks = np.full(len(line.seat), NOT_EVIDENCED, np.uint8)
    judged = line.settled & line.recorded()
    marks[judged & agrees.all(axis=0)] = PASS
    marks[judged & ~agrees.any(axis=0)] = FAIL
    marks[line.case == NO_CASE] = ERROR
    return marks


def _told(scope: Scope, line: Line, index: int) -> Told:
    where = _place(scope, line, index)
    if line.case[index] == NO_CASE:
        return Told(where=where, expected="a case of settlement that applies", observed="none does")
    case = scope.prepared.game.settlement.cases[line.case[index]]
    due = " or ".join(amounts(one, int(line.due_taken[index])) for one in line.dues(index))
    paid, taken = Fraction(int(line.paid[index])), int(line.taken[index])
    regulation = scope.prepared.regulation
    balances = [(paid - taken) - (due_paid - int(line.due_taken[index])) for due_paid in line.dues(index)]
    return Told(
        where=where,
        expected=f"{due} on {because(scope, line, index)}",
        observed=f"{amounts(paid, taken)}{balance_of(min(balances, key=abs))}",
        clauses=tuple(regulation.full_id(clause) for clause in (*case.clauses, *_table_clauses(scope, line, case))),
        readings=tuple(regulation.full_id(name) for name in case.readings),
    )


def _table_clauses(scope: Scope, line: Line, case: Case) -> list[str]:
    """The clauses that print the pay tables a case pays by."""
    if case.due.operator != "pay-table":
        return []
    tables = scope.prepared.game.pay_tables
    return [clause for name in tables_in_use(scope, line.name) for clause in tables[name].clauses]


def _gap(scope: Scope, line: Line, index: int) -> Told:
    where = _place(scope, line, index)
    if not line.recorded()[index]:
        return Told(where=where, expected="what was paid and taken", observed="the log does not say")
    if line.settled[index]:
        paid = amounts(Fraction(int(line.paid[index])), int(line.taken[index]))
        due = " or ".join(amounts(one, int(line.due_taken[index])) for one in line.dues(index))
        return Told(
            where=where,
            expected=f"the pay table in use; by the permitted ones {due} may be due",
            observed=f"{paid}; the table in use is not submitted",
        )
    return Told(
        where=where,
        expected="the cards and decisions that tell what is due",
        observed=f"the log does not show them all; {_hands(scope, int(line.seat[index]))}",
    )


def _place(scope: Scope, line: Line, index: int) -> Where:
    seat = int(line.seat[index])
    wager = f"{line.name} (tip)" if line.tip[index] else line.name
    return place_of(scope, int(scope.batch.seats.round[seat]), seat=seat, wager=wager)


def because(scope: Scope, line: Line, index: int) -> str:
    """A stake, the clauses of its case, and what makes it that case: hands, cards counted, decisions."""
    case = scope.prepared.game.settlement.cases[line.case[index]]
    seat = int(line.seat[index])
    tip = " (tip)" if line.tip[index] else ""
    amount = format_money(int(line.amount[index]))
    stake = f"{title_of(scope.prepared.game, line.name)}{tip} of {amount} by {', '.join(case.clauses)}"
    if case.due.operator == "pay-table":
        return f"{stake} and the pay table: {held(scope, scope.prepared.hand_of(line.name), 'seat', seat)}"
    return stake if case.when is None else f"{stake}: {shown(scope, case.when, 'seat', seat)}"


def _hands(scope: Scope, seat: int) -> str:
    return "; ".join(held(scope, hand, "seat", seat) for hand in scope.prepared.hands)


def amounts(paid: Fraction, taken: int) -> str:
    """What was or is to be paid beyond the stake and taken of it, in minor units, in words."""
    shown_paid = format_money(int(paid)) if paid.denominator == 1 else f"{paid / 100}"
    if not paid and not taken:
        return "nothing paid, nothing taken"
    if not taken:
        return f"{shown_paid} paid"
    return f"{format_money(taken)} taken" if not paid else f"{shown_paid} paid, {format_money(taken)} taken"


def balance_of(balance: Fraction) -> str:
    """By how much the player got too much or too little, in words; empty where neither."""
    if not balance:
        return ""
    return f" ({format_money(abs(round(balance)))} {'too much' if balance > 0 else 'too little'} to the player)"
