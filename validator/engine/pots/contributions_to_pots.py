"""Contributions of players to the pots."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8
from validator.engine.betting.contributions import Contributions
from validator.engine.betting.replay import JOIN_WAYS, collect_contributions, replay_betting
from validator.engine.core.context import EvaluationContext, cached_fact
from validator.engine.core.first_case import select_first_case
from validator.engine.core.kleene import YES
from validator.engine.pots.side_pots import expand_masks
from validator.engine.seats.seat_order import seat_layout
from validator.engine.timeline.step_events import events_of_kinds
from validator.rules.model.pots import Joins, PotPart


@cached_fact
def pot_contributions(scope: EvaluationContext) -> Contributions:
    """Return what each seat had put in at the end of the betting, by how its lines join the pots.

    Other chips of folded seats that were not returned belong to the main pot and earn no share.
    """
    ended, others = _contributions_by_actions(scope), chips_of_folded_seats(scope)
    if not others.any():
        return ended
    events, back = scope.batch.events, events_of_kinds(scope, ("return",))
    left = others.copy()
    np.subtract.at(left, events.seat[back], np.maximum(events.amount[back], 0))
    whole, rounds = ended.whole.copy(), np.arange(ended.whole.shape[1])
    # These chips are added to a row that has also put in other chips.
    whole[(ended.matched + ended.capped + whole).argmax(axis=0), rounds] += sum_per_round(scope, np.maximum(left, 0))
    return replace(ended, whole=whole)


@cached_fact
def chips_of_folded_seats(scope: EvaluationContext) -> Ints:
    """Return the chips that folded or absent seats put in by events other than their betting actions.

    Returns:
        int64[seats].
    """
    ended, events = _contributions_by_actions(scope), scope.batch.events
    recorded = events_of_kinds(scope, ("wager", "decide"))
    recorded = recorded[(events.seat[recorded] != ABSENT) & (events.amount[recorded] > 0) & ~events.tip[recorded]]
    result = np.zeros(scope.count_items("seat"), np.int64)
    np.add.at(result, events.seat[recorded], events.amount[recorded])
    result = np.minimum(result, staked_in_pots(scope))
    there, stay = ended.seats >= 0, expand_masks(ended.remaining | ended.conceded, len(ended.seats))
    result[ended.seats[there]] -= (ended.matched + ended.capped + ended.whole)[there]
    result[ended.seats[there & stay]] = 0
    return np.maximum(result, 0)


@cached_fact
def _contributions_by_actions(scope: EvaluationContext) -> Contributions:
    result = [(line, _find_joining(scope, line)) for line in sorted(scope.compiled_game.pots.lines)]
    known = np.logical_and.reduce([join.known for _, join in result])
    ended = collect_contributions(scope, {line: join.code for line, join in result})
    # The turn and the stacks do not matter once the betting is over.
    return replace(ended, is_known=replay_betting(scope).is_fully_known & seat_layout(scope).is_order_known & known)


@cached_fact
def is_refunded(scope: EvaluationContext) -> Flags:
    """Return the seats that surely got back all they had put in, so that none of it is in a pot.

    Returns:
        bool[seats].
    """
    rule = scope.compiled_game.pots.refunded
    if rule is None:
        return np.zeros(scope.count_items("seat"), bool)
    return scope.evaluate(rule, "seat") == YES


@cached_fact
def find_all_in_rows(scope: EvaluationContext) -> Bits32:
    """Return the rows that put in all their chips, as masks.

    Returns:
        uint32[H].
    """
    put, seats = pot_contributions(scope), scope.batch.seats
    result = arrange_in_rows(
        put, ((seats.stack != ABSENT) & (staked_in_pots(scope) >= seats.stack)).astype(np.int64), 0
    )
    rows = np.arange(len(result), dtype=np.uint32)[:, None]
    mask: Bits32 = np.bitwise_or.reduce(result.astype(np.uint32) << rows, axis=0)
    return mask


def contributions_after_refunds(scope: EvaluationContext) -> Contributions:
    """Return the contributions without those of seats whose lost hands were refunded."""
    put, back = pot_contributions(scope), is_refunded(scope)
    if not back.any():
        return put
    removed = (put.seats >= 0) & back[put.seats]
    return replace(
        put,
        matched=np.where(removed, 0, put.matched),
        capped=np.where(removed, 0, put.capped),
        whole=np.where(removed, 0, put.whole),
    )


class _LineJoining(Struct, frozen=True, kw_only=True):
    """Joining of a line to the pots."""

    code: Ints8
    """Way in which the line joins the pots, as an index of `JOIN_WAYS`, int8[rounds]."""
    known: Flags
    """True if it is known or does not matter, bool[rounds]."""


def _find_joining(scope: EvaluationContext, line: str) -> _LineJoining:
    cases = [part for part in scope.compiled_game.pots.parts if line in part.lines]
    rounds = scope.count_items("round")
    every = np.ones(rounds, bool)

    def value(part: PotPart) -> tuple[Ints8, Flags]:
        joins: Joins = part.joins
        return np.full(rounds, JOIN_WAYS.index(joins), np.int8), every

    code, known = select_first_case(scope, cases, value, np.full(rounds, ABSENT, np.int8))
    staked = np.zeros(rounds, bool)
    staked[scope.batch.seats.round[scope.staked_amounts(line, tip=False) > 0]] = True
    return _LineJoining(code=code, known=(known & (code != ABSENT)) | ~staked)


@cached_fact
def staked_in_pots(scope: EvaluationContext) -> Ints:
    """Return what each seat put in on all lines that join the pots.

    Returns:
        int64[seats], in minor units.
    """
    lines = sorted(scope.compiled_game.pots.lines)
    return np.sum([scope.staked_amounts(line, tip=False) for line in lines], axis=0, dtype=np.int64)


def sum_per_round(scope: EvaluationContext, values: Ints) -> Ints:
    """Return the sum of values of seats over the seats of each round.

    Returns:
        int64[rounds].
    """
    result = np.zeros(scope.count_items("round"), np.int64)
    np.add.at(result, scope.batch.seats.round, values)
    return result


def arrange_in_rows(put: Contributions, values: Ints, otherwise: int) -> Ints:
    """Arrange values of seats by row; `otherwise` where a round has no such row.

    Returns:
        int64[S, H].
    """
    there = put.seats >= 0
    if not len(values):
        return np.full(put.seats.shape, otherwise, np.int64)
    return np.where(there, values[np.where(there, put.seats, 0)], otherwise)
