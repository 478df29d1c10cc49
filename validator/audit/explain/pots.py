"""The pots of one round told: who can win each, what is due of them, what came of it."""

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
    """The pots of the only round of a scope, what is due of them to the house and to each seat, and what came of it."""
    made = settled(scope)
    if not made.known[0]:
        yield "what each seat put in, and which seats may win it, is not fully recorded"
        return
    if made.free.amount[0]:
        yield f"uncalled bet: {back_to(scope, _owner(made), int(made.free.amount[0]))}{_came_back(scope)}"
    yield from each_pot(scope)
    yield from _rake(scope)
    got, right = credited_in(scope), shares_as_due(scope)
    for row in np.flatnonzero(made.put.seats[:, 0] >= 0).tolist():
        won = received_in_words(int(got.received[row, 0]))
        wrong = _NOT_AS_DUE if right[row, 0] == NO else ""
        yield f"{shares_in_words(scope, row, 0)}; {won}{wrong}"


def each_pot(scope: Scope) -> Iterator[str]:
    """Each pot that was put in so far, with the seats that can win it."""
    made, numbers = settled(scope), scope.batch.seats.number
    for index in range(len(made.pots.amount)):
        rows = np.flatnonzero(members(made.pots.eligible[index : index + 1], len(made.put.seats))[:, 0])
        seats = [str(numbers[seat]) for seat in made.put.seats[rows, 0]]
        named = f"seats {', '.join(seats)}" if len(seats) > 1 else f"seat {seats[0]}"
        amount = format_money(int(made.pots.amount[index]))
        yield f"{pot_name(index, len(made.pots.amount))}: {amount}, for {named}"


def nobody_called(scope: Scope) -> Iterator[str]:
    """What was put in so far that nobody has called."""
    made = settled(scope)
    if made.free.amount[0]:
        owner = scope.batch.seats.number[_owner(made)]
        yield f"uncalled bet: {format_money(int(made.free.amount[0]))} of seat {owner}"


def _owner(made: Settled) -> int:
    return int(made.put.seats[made.free.row[0], 0])


def _came_back(scope: Scope) -> str:
    got = credited_in(scope)
    wrong = _NOT_AS_DUE if got.returned[0] == NO else ""
    return f"; came back: {format_money(int(got.came[0]))}{wrong}"


def _rake(scope: Scope) -> Iterator[str]:
    """What was raked, where the record decides it, and what was due."""
    raked, due = _amount(scope, "raked"), _amount(scope, "rake-due")
    if raked is None and due is None:
        return
    by_sign = "not known" if due is None else format_money(due)
    taken = "not recorded" if raked is None else format_money(raked)
    if raked is not None and not kinds_recorded(scope, ("rake",))[0]:
        taken += " (inferred from the chips that are missing; the log does not record the rake)"
    wrong = _NOT_AS_DUE if None not in {raked, due} and raked != due else ""
    yield f"rake by the posted levels: {by_sign}; raked: {taken}{wrong}"


def _amount(scope: Scope, name: PotNumber) -> int | None:
    least, most, known = (column[0] for column in pot_amount(scope, name))
    return int(least) if known and least == most else None
