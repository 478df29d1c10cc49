"""Pending bets: chips beyond the bet that become the bet only if another seat accepts them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from validator.arrays import Bits32, Codes, Flags, Ints, Ints8
from validator.engine.betting.action_codes import BRING_IN, CALL, FOLD, STREET


class StepActions(NamedTuple):
    """Actions of one step, one per round, as in `BettingActions`, with the mask of each seat."""

    op: Codes
    row: Ints8
    bit: Bits32
    amount: Ints
    floor: Ints


def is_betting_action(step: StepActions) -> Flags:
    """Return which actions are betting actions of seats.

    Returns:
        bool[n].
    """
    return (step.op >= FOLD) & (step.op < STREET)


class PendingBets:
    """Last pending bet of each round."""

    total: Ints
    """Total that the bet would be, int64[rounds]; 0 if there is none."""
    uncommitted: Ints
    """Chips of it that count for nothing until another seat accepts the bet, int64[rounds]."""
    snapshot_index: Ints
    """Index of the snapshot of its action, int64[rounds]."""
    row: Ints8
    """Row of the seat that made it, int8[rounds]."""
    op: Codes
    """Effect of its action, uint8[rounds]."""

    def __init__(self, rounds: int) -> None:
        self.total, self.uncommitted, self.snapshot_index = (np.zeros(rounds, np.int64) for _ in range(3))
        self.row, self.op = np.zeros(rounds, np.int8), np.zeros(rounds, np.uint8)

    def record(self, offers: Flags, step: StepActions, level: Ints, apart: Ints, entry: Ints) -> None:
        """Record the pending bets among the actions of a step.

        Args:
            offers: the actions that are pending bets.
            level: the total of each.
            apart: the uncommitted chips of each.
            entry: the snapshot of each.
        """
        active = len(offers)
        for column, values in (
            (self.total, level),
            (self.uncommitted, apart),
            (self.snapshot_index, entry),
            (self.row, step.row),
            (self.op, step.op),
        ):
            column[:active] = np.where(offers, values, column[:active])

    def is_applied_to_own_call(self, step: StepActions, put: Ints, level: Ints) -> Flags:
        """Return where the next action of the same seat shows that uncommitted chips are part of a call.

        Returns:
            bool[n].
        """
        active, to = len(step.op), put + step.amount
        apart = self.uncommitted[:active]
        own = (self.total[:active] > 0) & (step.row == self.row[:active]) & (apart > 0)
        fits = np.where(step.op == CALL, to + apart == level, (to <= level) & (to + apart > level))
        return own & fits & (step.op >= BRING_IN) & (step.op < STREET)

    def is_accepted(self, step: StepActions, put: Ints, level: Ints, behind: Ints, owing: Flags) -> Flags:
        """Return where another seat accepts the pending bet.

        It calls, also with all its chips, or bets or raises to at least the total. A seat that owes nothing also
        accepts the bet by folding to it.

        Returns:
            bool[n].
        """
        op, to, offer = step.op, put + step.amount, self.total[: len(step.op)]
        all_in = (step.amount >= behind) & (to > level) & (to < offer)
        calls = (op == CALL) & ((to == offer) | all_in)
        reaches = (op >= BRING_IN) & (op != CALL) & (op < STREET) & (to >= offer)
        folds = (op == FOLD) & (put >= level) & ~owing
        return (offer > level) & (step.row != self.row[: len(op)]) & (calls | reaches | folds)
