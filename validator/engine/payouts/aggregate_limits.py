"""Limits on what several stakes are paid together: where they bite, and what is due under them.

Amounts here are whole minor units between two bounds, since the pay table, the limit and the cards may each be known
in part only.
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

_VERY_MUCH = FAR // 2**12
"""More than evidence can state of one stake, and little enough to be added up over all stakes of a round."""


class Limited(Struct, frozen=True, kw_only=True):
    """The stakes that a cap may limit, and the groups whose stakes it limits together.

    One entry a stake: `line`, an index into the cap's lines; `stake`, its index in that line; `group`; `paid`, what
    it is due at least. One entry a group: `round`; `seat`, ABSENT where the group is a whole round; `line`, ABSENT
    where it is of several; `least` and `most`, what its stakes are due without the limit, up to `FAR`; `low` and
    `high`, between which the limit lies, `FAR` where there may be none. `bites` says where it certainly changes what
    is due, or would if it were as low as the text permits; `may_bite`, where that is not known.
    """

    cap: Cap
    lines: tuple[Line, ...]
    line: Ints
    stake: Ints
    group: Ints
    paid: Ints
    round: Ints32
    seat: Ints
    line_of_group: Ints
    least: Ints
    most: Ints
    tips_least: Ints
    """Least amount that is due on the tips of each group."""
    tips_most: Ints
    """Largest amount that is due on the tips of each group."""
    low: Ints
    high: Ints
    bites: Flags
    may_bite: Flags

    def per_group(self, values: Ints) -> Ints:
        """Values of stakes added up by group."""
        return _summed(values, self.group, len(self.round))

    def due_within(self) -> tuple[Ints, Ints]:
        """Return the least and the most that is due to each group if the limit counts tips in, int64[groups] each."""
        return np.minimum(self.least, self.low), np.minimum(self.most, self.high)

    def due_beside_tips(self) -> tuple[Ints, Ints]:
        """Return the least and the most that is due to each group if the limit leaves tips out, int64[groups] each."""
        if not self.tips_most.any():
            return self.due_within()
        least, most = self.least - self.tips_least, np.where(self.most < FAR, self.most - self.tips_most, FAR)
        high = np.minimum(np.minimum(most, self.high) + self.tips_most, FAR)
        return np.minimum(least, self.low) + self.tips_least, high

    def of_stakes(self, column: str) -> Ints:
        """A column of the lines, one entry a stake."""
        parts = [getattr(line, column) for line in self.lines]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


@fact
def limits(scope: Scope) -> tuple[Limited, ...]:
    """Every cap of the game over its stakes."""
    return limits_on(scope, settle(scope))


def limits_on(scope: Scope, lines: Mapping[str, Line]) -> tuple[Limited, ...]:
    """Every cap of the game over lines that have been settled."""
    return tuple(_limited(scope, cap, lines) for cap in scope.prepared.game.settlement.caps)


def judged_together(scope: Scope, line: str) -> Flags | None:
    """bool[stakes]: the stakes on a line that a cap bites on, so that they are judged with others; None if none."""
    return _marked(scope, line, "bites")


def perhaps_limited(scope: Scope, line: str) -> Flags | None:
    """bool[stakes]: the stakes on a line of which it is not known whether a cap bites on them; None if none."""
    return _marked(scope, line, "may_bite")


def _marked(scope: Scope, line: str, which: str) -> Flags | None:
    result: Flags | None = None
    for limited in limits(scope):
        marked = getattr(limited, which)[limited.group]
        for index, line_ in enumerate(limited.lines):
            if line_.name == line and marked.any():
                result = np.zeros(len(line_.seat), bool) if result is None else result
                result[limited.stake[marked & (limited.line == index)]] = True
    return result


def _limited(scope: Scope, cap: Cap, settled: Mapping[str, Line]) -> Limited:
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
    parts = [_bounds_of(line_) for line_ in lines]
    paid, at_most = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    tip = np.concatenate([line_.tip for line_ in lines])
    least, most, tips_least, tips_most = (
        np.minimum(_summed(values, group, len(round_)), FAR) for values in (paid, at_most, paid * tip, at_most * tip)
    )
    low, high, holds = _limit(scope, cap)
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


def _bounds_of(line: Line) -> tuple[Ints, Ints]:
    """What each stake of a line is due at least and at most, by the tables that may be in use."""
    low, high = line.due_paid.min(axis=0) // line.per, -(-line.due_paid.max(axis=0) // line.per)
    return np.where(line.settled, np.minimum(low, _VERY_MUCH), 0), np.where(
        line.settled, np.minimum(high, _VERY_MUCH), _VERY_MUCH
    )


def _limit(scope: Scope, cap: Cap) -> tuple[Ints, Ints, Codes]:
    """Per round: between which amounts the limit lies, and whether it holds at all."""
    low, high = scope.bounds(cap.at_most, "round")
    holds = np.full(len(low), YES, np.uint8) if cap.when is None else scope.truth(cap.when, "round")
    known = np.maximum(high, cap.not_below)
    return np.maximum(low, cap.not_below), np.where(holds == YES, known, FAR), holds


def _summed(values: Ints, group: Ints, groups: int) -> Ints:
    total = np.zeros(groups, np.int64)
    np.add.at(total, group, values)
    return total


def within_limits(limited: Limited) -> Ints:
    """int64[stakes]: what each stake is paid by a house that pays in order of lines until a known limit is reached."""
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
