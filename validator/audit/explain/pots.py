"""Description of the pots of one round: eligible seats, amounts due and amounts received."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.audit.operators.pot_award_text import back_to, pot_name, received_in_words, shares_in_words
from validator.audit.operators.pot_awards import credited_in, shares_as_due
from validator.engine.core.context import Scope
from validator.engine.core.kleene import NO
from validator.engine.pots.pot_shares import Settled, settled
from validator.engine.pots.side_pots import members
from validator.engine.pots.totals import pot_amount
from validator.engine.timeline.step_events import kinds_recorded
from validator.language.operands import PotNumber
from validator.text.values.money import format_money

_NOT_AS_DUE = " - WRONG"


def pots_in_words(scope: Scope) -> Iterator[str]:
    """Describe the pots of the only round of a context: amounts due, to the house too, and amounts received."""
    pots = settled(scope)
    if not pots.known[0]:
        yield "the amounts put in by the seats, and which seats may win them, are not fully recorded"
        return
    if pots.free.amount[0]:
        due = back_to(scope, _seat_of_uncalled_bet(pots), int(pots.free.amount[0]))
        yield f"uncalled bet: {due}{_describe_return(scope)}"
    yield from each_pot(scope)
    yield from _describe_rake(scope)
    received, correct = credited_in(scope), shares_as_due(scope)
    for row in np.flatnonzero(pots.put.seats[:, 0] >= 0).tolist():
        amount = received_in_words(int(received.received[row, 0]))
        wrong = _NOT_AS_DUE if correct[row, 0] == NO else ""
        yield f"{shares_in_words(scope, row, 0)}; {amount}{wrong}"


def each_pot(scope: Scope) -> Iterator[str]:
    """Describe each pot so far, with the seats that can win it."""
    pots, numbers = settled(scope), scope.batch.seats.number
    for index in range(len(pots.pots.amount)):
        rows = np.flatnonzero(members(pots.pots.eligible[index : index + 1], len(pots.put.seats))[:, 0])
        seats = [str(numbers[seat]) for seat in pots.put.seats[rows, 0]]
        named = f"seats {', '.join(seats)}" if len(seats) > 1 else f"seat {seats[0]}"
        amount = format_money(int(pots.pots.amount[index]))
        yield f"{pot_name(index, len(pots.pots.amount))}: {amount}, for {named}"


def nobody_called(scope: Scope) -> Iterator[str]:
    """Describe the part of the bets so far that nobody has called."""
    pots = settled(scope)
    if pots.free.amount[0]:
        owner = scope.batch.seats.number[_seat_of_uncalled_bet(pots)]
        yield f"uncalled bet: {format_money(int(pots.free.amount[0]))} of seat {owner}"


def _seat_of_uncalled_bet(pots: Settled) -> int:
    return int(pots.put.seats[pots.free.row[0], 0])


def _describe_return(scope: Scope) -> str:
    received = credited_in(scope)
    wrong = _NOT_AS_DUE if received.returned[0] == NO else ""
    return f"; returned: {format_money(int(received.came[0]))}{wrong}"


def _describe_rake(scope: Scope) -> Iterator[str]:
    """Describe the rake, where the record shows it, and the rake due."""
    raked, due = _rake_amount(scope, "raked"), _rake_amount(scope, "rake-due")
    if raked is None and due is None:
        return
    by_sign = "not known" if due is None else format_money(due)
    taken = "not recorded" if raked is None else format_money(raked)
    if raked is not None and not kinds_recorded(scope, ("rake",))[0]:
        taken += " (inferred from the chips that are missing; the log does not record the rake)"
    wrong = _NOT_AS_DUE if None not in {raked, due} and raked != due else ""
    yield f"rake by the posted levels: {by_sign}; raked: {taken}{wrong}"


def _rake_amount(scope: Scope, name: PotNumber) -> int | None:
    least, most, known = (column[0] for column in pot_amount(scope, name))
    return int(least) if known and least == most else None
