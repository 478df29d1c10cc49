"""Text about the amount due, its reason, and the amounts paid and taken.

Used for findings only, never for whole batches.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


def required_in_words(scope: Scope, line: Line, index: int) -> str:
    """Return what a stake should have been paid, with its clauses and the facts that decide it, in sentences."""
    clauses = clauses_in_words(scope.prepared.game.settlement.cases[line.case[index]].clauses)
    facts = "; ".join(_deciding_facts(scope, line, index))
    sentence = f"The {stake_of(scope, line, index)} should have {_outcomes(line, index)} ({clauses})."
    return f"{facts[:1].upper()}{facts[1:]}. {sentence}" if facts else sentence


def clauses_in_words(clauses: Sequence[str]) -> str:
    """Return clauses as a finding cites them: `clause 12`, `clauses 12, 13(A)`."""
    names = [re.sub(r"^\((\w+)\)", r"\1", clause) for clause in clauses]
    return f"clause{'' if len(names) == 1 else 's'} {', '.join(names)}"


def stake_of(scope: Scope, line: Line, index: int) -> str:
    """Return a stake by its amount and its name: `$60.00 Ante`, `$5.00 Super 6 Bonus (tip)`."""
    tip = " (tip)" if line.tip[index] else ""
    return f"{format_money(int(line.amount[index]))} {title_of(scope.prepared.game, line.name)}{tip}"


def _outcomes(line: Line, index: int) -> str:
    """Return what should have become of a stake, after "should have"."""
    least = "at least " if line.may_be_more(index) else ""
    dues = [(paid, taken) for due, taken in line.dues(index) for paid in _rounded_dues(line, due)]
    return " or ".join(dict.fromkeys(_outcome(line, index, paid, taken, least) for paid, taken in dues))


def _outcome(line: Line, index: int, paid: Fraction, taken: int, least: str) -> str:
    if not paid and not taken:
        return "been neither paid nor taken"
    if not taken:
        return f"been paid {least}{_format_minor_units(paid)}"
    lost = "been taken" if taken == int(line.amount[index]) else f"lost {format_money(taken)}"
    return lost if not paid else f"been paid {least}{_format_minor_units(paid)} and lost {format_money(taken)}"


def done_with_balance(line: Line, index: int, balance: Fraction) -> str:
    """Return what was paid and taken, and what the player is owed or was overpaid, in sentences."""
    return payment_in_words(int(line.paid[index]), int(line.taken[index]), balance)


def payment_in_words(paid: int, taken: int, balance: Fraction) -> str:
    """Return what was paid and taken, and what the player is owed or was overpaid, in sentences.

    Args:
        paid: the amount paid beyond the stake, in minor units.
        taken: the amount taken of the stake.
        balance: what the player got too much, below 0 too little.
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
    table = " and the pay table" if case.due.operator == "pay-table" else ""
    facts = "; ".join(_deciding_facts(scope, line, index))
    return (
        f"the {stake_of(scope, line, index)} by {clauses_in_words(case.clauses)}{table}{f': {facts}' if facts else ''}"
    )


def _deciding_facts(scope: Scope, line: Line, index: int) -> list[str]:
    """Return the hands, numbers of cards and decisions that make a stake one of its case."""
    case = scope.prepared.game.settlement.cases[line.case[index]]
    seat = int(line.seat[index])
    if case.due.operator == "pay-table":
        return list(_describe_lookup(scope, line.name, case.due.operand, seat))
    return [] if case.when is None else why(scope, case.when, "seat", seat)


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
