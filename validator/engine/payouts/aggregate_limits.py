"""Limits on the total that several stakes are paid: where they apply, and what is due under them.

Amounts are bounds in whole minor units, since the pay table, the limit and the cards may each be partly unknown.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from validator.arrays import ABSENT, Codes, Flags, Ints, Ints32
from validator.engine.core.context import Scope, fact
from validator.engine.core.intervals import FAR
from validator.engine.core.kleene import NO, YES
from validator.engine.payouts.settlement import Line, settle
from validator.rules.model.settlement import Cap

_MOST_PER_STAKE = FAR // 2**12
"""Amount beyond what evidence can state for one stake, and small enough to be added up over a round."""


class Limited(Struct, frozen=True, kw_only=True):
    """Stakes that a cap may limit, and the groups of stakes that it limits together."""

    cap: Cap
    """Cap of the game."""
    lines: tuple[Line, ...]
    """Lines that the cap applies to, settled."""
    line: Ints
    """Index of the line of each stake in `lines`."""
    stake: Ints
    """Index of each stake in its line."""
    group: Ints
    """Group of each stake."""
    paid: Ints
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
    low: Ints
    """Lower bound of the limit of each group."""
    high: Ints
    """Upper bound of the limit of each group; `UNBOUNDED` if there may be no limit."""
    bites: Flags
    """True if the limit certainly changes what is due, or would if it were as low as the text permits."""
    may_bite: Flags
    """True if it is unknown whether the limit changes what is due."""

    def per_group(self, values: Ints) -> Ints:
        """Return the sum of values of stakes for each group."""
        return _sum_by_group(values, self.group, len(self.round))

    def due_within(self) -> tuple[Ints, Ints]:
        """Return the least and the most that each group is due if the limit includes tips.

        Returns:
            int64[groups] each.
        """
        return np.minimum(self.least, self.low), np.minimum(self.most, self.high)

    def due_beside_tips(self) -> tuple[Ints, Ints]:
        """Return the least and the most that each group is due if the limit excludes tips.

        Returns:
            int64[groups] each.
        """
        if not self.tips_most.any():
            return self.due_within()
        least, most = self.least - self.tips_least, np.where(self.most < FAR, self.most - self.tips_most, FAR)
        high = np.minimum(np.minimum(most, self.high) + self.tips_most, FAR)
        return np.minimum(least, self.low) + self.tips_least, high

    def of_stakes(self, column: str) -> Ints:
        """Return a column of the lines with one entry per stake."""
        parts = [getattr(line, column) for line in self.lines]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


@fact
def limits(scope: Scope) -> tuple[Limited, ...]:
    """Return every cap of the game with the stakes it may limit."""
    return limits_on(scope, settle(scope))


def limits_on(scope: Scope, lines: Mapping[str, Line]) -> tuple[Limited, ...]:
    """Apply every cap of the game to lines that have been settled."""
    return tuple(_limit_stakes(scope, cap, lines) for cap in scope.prepared.game.settlement.caps)


def judged_together(scope: Scope, line: str) -> Flags | None:
    """Return the stakes on a line that a cap limits together with others; None if there are none.

    Returns:
        bool[stakes].
    """
    return _find_marked(scope, line, "bites")


def perhaps_limited(scope: Scope, line: str) -> Flags | None:
    """Return the stakes on a line that a cap may or may not limit; None if there are none.

    Returns:
        bool[stakes].
    """
    return _find_marked(scope, line, "may_bite")


def _find_marked(scope: Scope, line: str, which: str) -> Flags | None:
    result: Flags | None = None
    for limited in limits(scope):
        marked = getattr(limited, which)[limited.group]
        for index, line_ in enumerate(limited.lines):
            if line_.name == line and marked.any():
                result = np.zeros(len(line_.seat), bool) if result is None else result
                result[limited.stake[marked & (limited.line == index)]] = True
    return result


def _limit_stakes(scope: Scope, cap: Cap, settled: Mapping[str, Line]) -> Limited:
    lines = tuple(settled[name] for name in cap.lines)
    seat = np.concatenate([line.seat for line in lines]).astype(np.int64)
    line = np.concatenate([np.full(len(line_.seat), index) for index, line_ in enumerate(lines)])
    seats, rounds = scope.length("seat"), scope.length("round")
    owner = scope.batch.seats.round
    match cap.per:
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
        np.minimum(_sum_by_group(values, group, len(round_)), FAR)
        for values in (paid, at_most, paid * tip, at_most * tip)
    )
    low, high, holds = _bound_limit(scope, cap)
    bites = (holds[round_] != NO) & (least > low[round_])
    return Limited(
        cap=cap,
        lines=lines,
        line=line,
        stake=np.concatenate([np.arange(len(line_.seat)) for line_ in lines]),
        group=group,
        paid=paid,
        round=round_,
        seat=seat_of,
        line_of_group=line_of,
        least=least,
        most=most,
        tips_least=tips_least,
        tips_most=tips_most,
        low=low[round_],
        high=high[round_],
        bites=bites,
        may_bite=(holds[round_] != NO) & ~bites & (most > low[round_]),
    )


def _bound_due(line: Line) -> tuple[Ints, Ints]:
    """Return the least and the most that each stake of a line is due, by the tables that may be in use."""
    low, high = line.due_paid.min(axis=0) // line.per, -(-line.due_paid.max(axis=0) // line.per)
    return np.where(line.settled, np.minimum(low, _MOST_PER_STAKE), 0), np.where(
        line.settled, np.minimum(high, _MOST_PER_STAKE), _MOST_PER_STAKE
    )


def _bound_limit(scope: Scope, cap: Cap) -> tuple[Ints, Ints, Codes]:
    """Return the bounds of the limit in each round, and whether it applies."""
    low, high = scope.bounds(cap.at_most, "round")
    holds = np.full(len(low), YES, np.uint8) if cap.when is None else scope.truth(cap.when, "round")
    known = np.maximum(high, cap.not_below)
    return np.maximum(low, cap.not_below), np.where(holds == YES, known, FAR), holds


def _sum_by_group(values: Ints, group: Ints, groups: int) -> Ints:
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total


def within_limits(limited: Limited) -> Ints:
    """Return what each stake is paid if lines are paid in order until a known limit is reached.

    Returns:
        int64[stakes].
    """
    order = np.lexsort((limited.line, limited.group))
    paid = limited.paid[order]
    before = np.cumsum(paid) - paid
    group = limited.group[order]
    first = np.concatenate([np.ones(min(1, len(group)), bool), group[1:] != group[:-1]])
    before -= np.maximum.accumulate(np.where(first, before, 0))
    left = np.where(limited.high < FAR, limited.low, FAR)[group] - before
    result = np.empty_like(paid)
    result[order] = np.clip(left, 0, paid)
    return result
