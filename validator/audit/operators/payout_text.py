"""Text about the amount due, its reason, and the amounts paid and taken.

Used for findings only, never for whole batches.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor

from validator.engine.core.context import Scope
from validator.engine.payouts.pay_table_lookup import look_up, looked_at
from validator.engine.payouts.payouts import earned_from
from validator.engine.payouts.settlement import Line
from validator.engine.payouts.tables_in_use import tables_in_use
from validator.engine.text.evidence_text import held, why
from validator.rules.core.titles import title_of
from validator.rules.model.settlement import ByTable, Case
from validator.text.values.money import format_money

_DECIMALS = 10**4
"""Fractions of a minor unit that are written as further decimal places."""


def due_in_words(line: Line, index: int) -> str:
    """Describe the amounts that may be due on a stake."""
    least = "at least " if line.may_be_more(index) else ""
    return least + " or ".join(
        amounts(paid, taken) for due, taken in line.dues(index) for paid in _rounded_dues(line, due)
    )


def _rounded_dues(line: Line, due: Fraction) -> Iterator[Fraction]:
    """Yield the amounts that satisfy a due amount: itself, or the adjacent minor units by the rounding rule."""
    if line.fractions == "exactly" or due.denominator == 1:
        yield due
        return
    if line.fractions != "up":
        yield Fraction(floor(due))
    if line.fractions != "down":
        yield Fraction(ceil(due))


def done_in_words(line: Line, index: int) -> str:
    """Describe the amounts paid and taken on a stake."""
    return amounts(Fraction(int(line.paid[index])), int(line.taken[index]))


def because(scope: Scope, line: Line, index: int) -> str:
    """Describe a stake with the clauses of its settlement case and the facts that select the case."""
    case = scope.prepared.game.settlement.cases[line.case[index]]
    seat = int(line.seat[index])
    tip = " (tip)" if line.tip[index] else ""
    amount = format_money(int(line.amount[index]))
    stake = f"{title_of(scope.prepared.game, line.name)}{tip} of {amount} by {', '.join(case.clauses)}"
    if case.due.operator == "pay-table":
        facts = "; ".join(_describe_lookup(scope, line.name, case.due.operand, seat))
        return f"{stake} and the pay table: {facts}"
    return stake if case.when is None else f"{stake}: {'; '.join(why(scope, case.when, 'seat', seat))}"


def clauses_of_tables(scope: Scope, line: Line, case: Case, index: int) -> list[str]:
    """Return the clauses that print the pay tables of a case, and those by which an award is shared."""
    if case.due.operator != "pay-table":
        return []
    tables = [used.printed.table for used in tables_in_use(scope, case.due.operand)]
    clauses = [clause for table in tables for clause in table.clauses]
    for row, _ in _shared_rows(scope, case.due.operand, int(line.seat[index])):
        clauses += [
            clause for table in tables for shared in table.shared if shared.row == row for clause in shared.clauses
        ]
    return clauses


def _describe_lookup(scope: Scope, line: str, due: ByTable, seat: int) -> Iterator[str]:
    """Yield the facts by which a pay table is looked up for a seat."""
    name = looked_at(scope, due)
    scale = scope.prepared.game.scales.get(name)
    seats = [seat] if (others := earned_from(scope, line, seat)) is None else others
    for earning_seat in seats:
        owner = "" if earning_seat == seat else f"seat {int(scope.batch.seats.number[earning_seat])}: "
        if scale is None:
            yield f"{owner}{held(scope, name, 'seat', earning_seat)}"
        else:
            values, known = scope.numbers(scale.of, "seat")
            yield f"{owner}{scale.title}: {int(values[earning_seat]) if known[earning_seat] else 'not known'}"
    if not seats:
        yield "no other player has such a hand"
    yield from (f"shared by {count} seats" for _, count in _shared_rows(scope, due, seat))


def _shared_rows(scope: Scope, due: ByTable, seat: int) -> Iterator[tuple[str, int]]:
    """Yield the shared rows of a seat's hand with the number of seats that share each, if there are several."""
    lookup = look_up(scope, due)
    if lookup is not None:
        cell, round_ = lookup.cells[seat], int(scope.batch.seats.round[seat])
        shares = {
            earning_seat.name: int(earning_seat.seats[round_])
            for table in lookup.shares
            for earning_seat in table
            if earning_seat.row[cell]
        }
        yield from ((name, count) for name, count in shares.items() if count > 1)


def amounts(paid: Fraction, taken: int) -> str:
    """Format an amount paid beyond the stake and an amount taken, in minor units."""
    if not paid and not taken:
        return "nothing paid, nothing taken"
    if not taken:
        return f"{_format_minor_units(paid)} paid"
    return (
        f"{format_money(taken)} taken" if not paid else f"{_format_minor_units(paid)} paid, {format_money(taken)} taken"
    )


def _format_minor_units(amount: Fraction) -> str:
    """Format an amount in minor units exactly: `1.50`, `1.515`, `0.66 and 2/3 of 0.01`."""
    whole, part = divmod(amount, 1)
    if not part:
        return format_money(whole)
    if _DECIMALS % part.denominator == 0:
        return f"{format_money(whole)}{f'{int(part * _DECIMALS):04d}'.rstrip('0')}"
    return f"{format_money(whole)} and {part} of 0.01"


def balance_of(balance: Fraction) -> str:
    """Format how much the player received too much or too little; empty if neither."""
    if not balance:
        return ""
    return f" ({_format_minor_units(abs(balance))} {'too much' if balance > 0 else 'too little'} to the player)"
