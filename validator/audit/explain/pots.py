"""Description of the pots of one round: eligible seats, amounts due and amounts received."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from validator.audit.operators.pot_award_text import describe_return_to, describe_shares, format_received, name_pot
from validator.audit.operators.pot_awards import check_shares, credit_pots
from validator.engine.core.context import EvaluationContext
from validator.engine.core.kleene import NO
from validator.engine.pots.pot_shares import SettledPots, settle_pots
from validator.engine.pots.side_pots import expand_masks
from validator.engine.pots.totals import bound_pot_amount
from validator.engine.timeline.step_events import are_kinds_recorded
from validator.language.operands import PotNumber
from validator.text.values.money import format_money

_NOT_AS_DUE = " - WRONG"


def describe_pots(scope: EvaluationContext) -> Iterator[str]:
    """Describe the pots of the only round of a context: amounts due, to the house too, and amounts received."""
    pots = settle_pots(scope)
    if not pots.is_known[0]:
        yield "the amounts put in by the seats, and which seats may win them, are not fully recorded"
        return
    if pots.uncalled_bets.amount[0]:
        due = describe_return_to(scope, _seat_of_uncalled_bet(pots), int(pots.uncalled_bets.amount[0]))
        yield f"uncalled bet: {due}{_describe_return(scope)}"
    yield from describe_each_pot(scope)
    yield from _describe_rake(scope)
    received, correct = credit_pots(scope), check_shares(scope)
    for row in np.flatnonzero(pots.contributions.seats[:, 0] >= 0).tolist():
        amount = format_received(int(received.received[row, 0]))
        wrong = _NOT_AS_DUE if correct[row, 0] == NO else ""
        yield f"{describe_shares(scope, row, 0)}; {amount}{wrong}"


def describe_each_pot(scope: EvaluationContext) -> Iterator[str]:
    """Describe each pot so far, with the seats that can win it."""
    pots, numbers = settle_pots(scope), scope.batch.seats.number
    for index in range(len(pots.pots.amount)):
        rows = np.flatnonzero(expand_masks(pots.pots.eligible[index : index + 1], len(pots.contributions.seats))[:, 0])
        seats = [str(numbers[seat]) for seat in pots.contributions.seats[rows, 0]]
        named = f"seats {', '.join(seats)}" if len(seats) > 1 else f"seat {seats[0]}"
        amount = format_money(int(pots.pots.amount[index]))
        yield f"{name_pot(index, len(pots.pots.amount))}: {amount}, for {named}"


def describe_uncalled_bet(scope: EvaluationContext) -> Iterator[str]:
    """Describe the part of the bets so far that nobody has called."""
    pots = settle_pots(scope)
    if pots.uncalled_bets.amount[0]:
        owner = scope.batch.seats.number[_seat_of_uncalled_bet(pots)]
        yield f"uncalled bet: {format_money(int(pots.uncalled_bets.amount[0]))} of seat {owner}"


def _seat_of_uncalled_bet(pots: SettledPots) -> int:
    return int(pots.contributions.seats[pots.uncalled_bets.row[0], 0])


def _describe_return(scope: EvaluationContext) -> str:
    received = credit_pots(scope)
    wrong = _NOT_AS_DUE if received.is_bet_returned[0] == NO else ""
    return f"; returned: {format_money(int(received.bet_returned[0]))}{wrong}"


def _describe_rake(scope: EvaluationContext) -> Iterator[str]:
    """Describe the rake, where the record shows it, and the rake due."""
    raked, due = _rake_amount(scope, "raked"), _rake_amount(scope, "rake-due")
    if raked is None and due is None:
        return
    by_sign = "not known" if due is None else format_money(due)
    taken = "not recorded" if raked is None else format_money(raked)
    if raked is not None and not are_kinds_recorded(scope, ("rake",))[0]:
        taken += " (inferred from the chips that are missing; the log does not record the rake)"
    wrong = _NOT_AS_DUE if None not in {raked, due} and raked != due else ""
    yield f"rake by the posted levels: {by_sign}; raked: {taken}{wrong}"


def _rake_amount(scope: EvaluationContext, name: PotNumber) -> int | None:
    least, most, known = (column[0] for column in bound_pot_amount(scope, name))
    return int(least) if known and least == most else None
