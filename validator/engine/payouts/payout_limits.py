"""Limits on the total that several stakes are paid: where they apply, and what is due under them.

Amounts are bounds in whole minor units, since the pay table, the limit and the cards may each be partly unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints32, has_any
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.core.kleene import NO, UNBOUNDED, YES
from fairdeal.validator.engine.payouts.line_settlement import SettledLine, settle_lines
from fairdeal.validator.rules.payment_model import Cap

_MOST_PER_STAKE = UNBOUNDED // 2**12
"""Amount beyond what evidence can state for one stake, and small enough to be added up over a round."""


class LimitedStakes(Struct, frozen=True, kw_only=True):
    """Stakes that a cap may limit, and the groups of stakes that it limits together."""

    cap: Cap
    """Cap of the game."""
    lines: tuple[SettledLine, ...]
    """Lines that the cap applies to, settled."""
    line: Ints
    """Index of the line of each stake in `lines`."""
    stake: Ints
    """Index of each stake in its line."""
    group: Ints
    """Group of each stake."""
    least_due: Ints
    """Least amount due to each stake."""
    round: Ints32
    """Round of each group."""
    seat: Ints
    """Seat of each group; ABSENT if the group is a whole round."""
    line_of_group: Ints
    """Line of each group; ABSENT if the group has several lines."""
    least: Ints
    """Least amount due to each group without the limit, up to `UNBOUNDED`."""
    most: Ints
    """Largest amount due to each group without the limit, up to `UNBOUNDED`."""
    tips_least: Ints
    """Least amount that is due on the tips of each group."""
    tips_most: Ints
    """Largest amount that is due on the tips of each group."""
    limit_low: Ints
    """Lower bound of the limit of each group."""
    limit_high: Ints
    """Upper bound of the limit of each group; `UNBOUNDED` if there may be no limit."""
    bites: Flags
    """True if the limit certainly changes what is due, or would if it were as low as the text permits."""
    may_bite: Flags
    """True if it is unknown whether the limit changes what is due."""

    def sum_by_group(self, values: Ints) -> Ints:
        """Return the sum of values of stakes for each group."""
        return _sum_by_group(values, self.group, len(self.round))

    def bound_due_with_tips(self) -> tuple[Ints, Ints]:
        """Return the least and the most that each group is due if the limit includes tips.

        Returns:
            int64[groups] each.
        """
        return np.minimum(self.least, self.limit_low), np.minimum(self.most, self.limit_high)

    def bound_due_without_tips(self) -> tuple[Ints, Ints]:
        """Return the least and the most that each group is due if the limit excludes tips.

        Returns:
            int64[groups] each.
        """
        if not has_any(self.tips_most):
            return self.bound_due_with_tips()
        least, most = (
            self.least - self.tips_least,
            np.where(self.most < UNBOUNDED, self.most - self.tips_most, UNBOUNDED),
        )
        high = np.minimum(np.minimum(most, self.limit_high) + self.tips_most, UNBOUNDED)
        return np.minimum(least, self.limit_low) + self.tips_least, high

    def collect_column(self, column: str) -> Ints:
        """Return a column of the lines with one entry per stake."""
        parts = [getattr(line, column) for line in self.lines]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


@cached_fact
def payout_limits(scope: EvaluationContext) -> tuple[LimitedStakes, ...]:
    """Return every cap of the game with the stakes it may limit."""
    return limit_lines(scope, settle_lines(scope))


def limit_lines(scope: EvaluationContext, lines: Mapping[str, SettledLine]) -> tuple[LimitedStakes, ...]:
    """Apply every cap of the game to lines that have been settled."""
    return tuple(_limit_stakes(scope, cap, lines) for cap in scope.compiled_game.game.settlement.caps)


@cached_fact
def find_jointly_limited(scope: EvaluationContext, line: str) -> Flags | None:
    """Return the stakes on a line that a cap limits together with others; None if there are none.

    Returns:
        bool[stakes].
    """
    return _find_marked(scope, line, "bites")


@cached_fact
def find_possibly_limited(scope: EvaluationContext, line: str) -> Flags | None:
    """Return the stakes on a line that a cap may or may not limit; None if there are none.

    Returns:
        bool[stakes].
    """
    return _find_marked(scope, line, "may_bite")


def _find_marked(scope: EvaluationContext, line: str, which: str) -> Flags | None:
    result: Flags | None = None
    for limited in payout_limits(scope):
        groups = getattr(limited, which)
        if not has_any(groups):
            continue
        marked = groups[limited.group]
        for index, line_ in enumerate(limited.lines):
            if line_.name == line and has_any(marked):
                result = np.zeros(len(line_.seat), bool) if result is None else result
                result[limited.stake[marked & (limited.line == index)]] = True
    return result


def _limit_stakes(scope: EvaluationContext, cap: Cap, settled: Mapping[str, SettledLine]) -> LimitedStakes:
    lines = tuple(settled[name] for name in cap.lines)
    seat = np.concatenate([line.seat for line in lines]).astype(np.int64)
    line = np.concatenate([np.full(len(line_.seat), index) for index, line_ in enumerate(lines)])
    seats, rounds = scope.count_items("seat"), scope.count_items("round")
    owner = scope.batch.seats.round
    match cap.each:
        case "hand":
            group, round_, seat_of, line_of = seat, owner, np.arange(seats), np.full(seats, ABSENT)
        case "line":
            group, round_ = line * seats + seat, np.tile(owner, len(lines))
            seat_of, line_of = np.tile(np.arange(seats), len(lines)), np.repeat(np.arange(len(lines)), seats)
        case _:
            group, round_ = owner[seat].astype(np.int64), np.arange(rounds, dtype=np.int32)
            seat_of = line_of = np.full(rounds, ABSENT)
    parts = [_bound_due(line_) for line_ in lines]
    paid, at_most = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    tip = np.concatenate([line_.tip for line_ in lines])
    least, most, tips_least, tips_most = (
        np.minimum(_sum_by_group(values, group, len(round_)), UNBOUNDED)
        for values in (paid, at_most, paid * tip, at_most * tip)
    )
    low, high, holds = _bound_limit(scope, cap)
    bites = (holds[round_] != NO) & (least > low[round_])
    return LimitedStakes(
        cap=cap,
        lines=lines,
        line=line,
        stake=np.concatenate([np.arange(len(line_.seat)) for line_ in lines]),
        group=group,
        least_due=paid,
        round=round_,
        seat=seat_of,
        line_of_group=line_of,
        least=least,
        most=most,
        tips_least=tips_least,
        tips_most=tips_most,
        limit_low=low[round_],
        limit_high=high[round_],
        bites=bites,
        may_bite=(holds[round_] != NO) & ~bites & (most > low[round_]),
    )


def _bound_due(line: SettledLine) -> tuple[Ints, Ints]:
    """Return the least and the most that each stake of a line is due, by the tables that may be in use."""
    low, largest = line.due_paid.min(axis=0) // line.denominator, line.due_paid.max(axis=0)
    high = -(-(largest if line.spread is None else largest + line.spread[0]) // line.denominator)
    return np.where(line.is_settled, np.minimum(low, _MOST_PER_STAKE), 0), np.where(
        line.is_settled, np.minimum(high, _MOST_PER_STAKE), _MOST_PER_STAKE
    )


def _bound_limit(scope: EvaluationContext, cap: Cap) -> tuple[Ints, Ints, Codes]:
    """Return the bounds of the limit in each round, and whether it applies."""
    low, high = scope.compute_bounds(cap.at_most, "round")
    holds = np.full(len(low), YES, np.uint8) if cap.when is None else scope.evaluate(cap.when, "round")
    known = np.maximum(high, cap.not_below)
    return np.maximum(low, cap.not_below), np.where(holds == YES, known, UNBOUNDED), holds


def _sum_by_group(values: Ints, group: Ints, groups: int) -> Ints:
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total


def pay_within_limits(limited: LimitedStakes) -> Ints:
    """Return what each stake is paid if lines are paid in order until a known limit is reached.

    Returns:
        int64[stakes].
    """
    order = np.lexsort((limited.line, limited.group))
    paid = limited.least_due[order]
    before = np.cumsum(paid) - paid
    group = limited.group[order]
    first = np.concatenate([np.ones(min(1, len(group)), bool), group[1:] != group[:-1]])
    before -= np.maximum.accumulate(np.where(first, before, 0))
    left = np.where(limited.limit_high < UNBOUNDED, limited.limit_low, UNBOUNDED)[group] - before
    result = np.empty_like(paid)
    result[order] = np.clip(left, 0, paid)
    return result
