"""Stakes on a wager, and the seats that a bonus may be due to, as columns."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from validator.arrays import Flags, Ints, Ints32
from validator.engine.core.context import EvaluationContext
from validator.engine.facts.outcomes import amounts_paid_on, stake_outcomes


class StakeBasis(Struct, frozen=True, kw_only=True):
    """Seats and stakes that amounts due are computed from."""

    seat: Ints32
    """Seat of each stake, int32[n]."""
    amount: Ints
    """Stake in minor currency units, int64[n]."""


class LineStakes(Struct, frozen=True, kw_only=True):
    """Stakes on one line, one entry per stake."""

    seat: Ints32
    """Seat of each stake."""
    tip: Flags
    """True if the stake is a tip."""
    amount: Ints
    """Amount of the stake; for a bonus, the amount that the bonus is computed from."""
    paid: Ints
    """Recorded amount paid; ABSENT if unknown."""
    taken: Ints
    """Recorded amount taken; ABSENT if unknown."""
    kept: Ints
    """Least amount that was kept of a stake that was taken."""

    def select(self, chosen: Ints) -> StakeBasis:
        """Return the seats and amounts of some of the stakes."""
        return StakeBasis(seat=self.seat.take(chosen), amount=self.amount.take(chosen))


def collect_line_stakes(scope: EvaluationContext, line: str) -> LineStakes:
    """Return the stakes on a wager, or those that a bonus is computed from."""
    if line in scope.compiled_game.game.bonuses:
        return _collect_bonus(scope, line)
    stakes, result = scope.batch.stakes, stake_outcomes(scope)
    chosen = scope.stake_indices(line)
    return LineStakes(
        seat=stakes.seat.take(chosen),
        tip=stakes.tip.take(chosen),
        amount=stakes.amount.take(chosen),
        paid=result.paid.take(chosen),
        taken=result.taken.take(chosen),
        kept=result.kept.take(chosen),
    )


def _collect_bonus(scope: EvaluationContext, name: str) -> LineStakes:
    """Return the seats that a bonus may be due to: all that have a stake on its wager."""
    base = scope.compiled_game.game.bonuses[name].reckoned_on
    parts: list[LineStakes] = []
    for tip in (False, True):
        amount, paid = scope.staked_amounts(base, tip=tip), amounts_paid_on(scope, name, tip=tip)
        listed = np.zeros(len(paid), bool)
        own = scope.stake_indices(name)
        listed[scope.batch.stakes.seat[own[scope.batch.stakes.tip[own] == tip]]] = True
        # A tip earns the bonus only if the log shows a payment; an entry of nothing shows the opposite.
        due = (listed & (paid != 0)) | (paid > 0) if tip else listed | (amount > 0)
        seat = np.flatnonzero(due).astype(np.int32)
        parts.append(
            LineStakes(
                seat=seat,
                tip=np.full(len(seat), tip),
                amount=amount[seat],
                paid=paid[seat],
                taken=np.zeros(len(seat), np.int64),
                kept=np.zeros(len(seat), np.int64),
            )
        )
    plain, tips = parts
    if not len(tips.seat):
        return plain
    return LineStakes(
        seat=np.concatenate([plain.seat, tips.seat]),
        tip=np.concatenate([plain.tip, tips.tip]),
        amount=np.concatenate([plain.amount, tips.amount]),
        paid=np.concatenate([plain.paid, tips.paid]),
        taken=np.concatenate([plain.taken, tips.taken]),
        kept=np.concatenate([plain.kept, tips.kept]),
    )
