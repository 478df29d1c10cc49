"""Words for stakes, for amounts due and paid, and for what decided them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from fairdeal.validator.arrays import ABSENT
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext
from fairdeal.validator.engine.item_evidence import ItemEvidence
from fairdeal.validator.engine.payouts import line_settlement
from fairdeal.validator.engine.payouts.due_amounts import bound_rounded, find_earning_seats
from fairdeal.validator.engine.payouts.pay_table_lookup import find_looked_up_name, find_tables_in_use, look_up_tables
from fairdeal.validator.evidence.columns.log_draft import describe_line
from fairdeal.validator.operators.rule_renderer import explain_holding
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
