"""Contributions of players to the pots."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from validator.arrays import ABSENT, Bits32, Flags, Ints, Ints8
from validator.engine.betting.contributions import Contributed
from validator.engine.betting.replay import JOINS, betting_of, contributed
from validator.engine.core.context import Scope, fact
from validator.engine.core.first_case import first_holding
from validator.engine.core.kleene import YES
from validator.engine.pots.side_pots import members
from validator.engine.seats.seat_order import seating
from validator.engine.timeline.step_events import events_of_kinds
from validator.rules.model.pots import Joins, Part


@fact
def put_in(scope: Scope) -> Contributed:
    """Return what each seat had put in at the end of the betting, by how its lines join the pots.

    Other chips of folded seats that were not returned belong to the main pot and earn no share.
    """
    ended, others = _contributions_by_actions(scope), of_those_out(scope)
    if not others.any():
        return ended
    events, back = scope.batch.events, events_of_kinds(scope, ("return",))
    left = others.copy()
    np.subtract.at(left, events.seat[back], np.maximum(events.amount[back], 0))
    whole, rounds = ended.whole.copy(), np.arange(ended.whole.shape[1])
    # These chips are added to a row that has also put in other chips.
    whole[(ended.matched + ended.capped + whole).argmax(axis=0), rounds] += per_round(scope, np.maximum(left, 0))
    return replace(ended, whole=whole)


@fact
def of_those_out(scope: Scope) -> Ints:
    """Return the chips that folded or absent seats put in by events other than their betting actions.

    Returns:
        int64[seats].
    """
    ended, events = _contributions_by_actions(scope), scope.batch.events
    recorded = events_of_kinds(scope, ("wager", "decide"))
    recorded = recorded[(events.seat[recorded] != ABSENT) & (events.amount[recorded] > 0) & ~events.tip[recorded]]
    result = np.zeros(scope.length("seat"), np.int64)
    np.add.at(result, events.seat[recorded], events.amount[recorded])
    result = np.minimum(result, staked(scope))
    there, stay = ended.seats >= 0, members(ended.remaining | ended.conceded, len(ended.seats))
    result[ended.seats[there]] -= (ended.matched + ended.capped + ended.whole)[there]
    result[ended.seats[there & stay]] = 0
    return np.maximum(result, 0)


@fact
def _contributions_by_actions(scope: Scope) -> Contributed:
    result = [(line, _find_joining(scope, line)) for line in sorted(scope.prepared.pots.lines)]
    known = np.logical_and.reduce([join.known for _, join in result])
    ended = contributed(scope, {line: join.code for line, join in result})
    # The turn and the stacks do not matter once the betting is over.
    return replace(ended, known=betting_of(scope).whole & seating(scope).turning & known)


@fact
def refunded(scope: Scope) -> Flags:
    """Return the seats that surely got back all they had put in, so that none of it is in a pot.

    Returns:
        bool[seats].
    """
    rule = scope.prepared.pots.refunded
    if rule is None:
        return np.zeros(scope.length("seat"), bool)
    return scope.truth(rule, "seat") == YES


@fact
def all_in(scope: Scope) -> Bits32:
    """Return the rows that put in all their chips, as masks.

    Returns:
        uint32[H].
    """
    put, seats = put_in(scope), scope.batch.seats
    result = in_rows(put, ((seats.stack != ABSENT) & (staked(scope) >= seats.stack)).astype(np.int64), 0)
    rows = np.arange(len(result), dtype=np.uint32)[:, None]
    mask: Bits32 = np.bitwise_or.reduce(result.astype(np.uint32) << rows, axis=0)
    return mask


def left_in(scope: Scope) -> Contributed:
    """Return the contributions without those of seats whose lost hands were refunded."""
    put, back = put_in(scope), refunded(scope)
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


def _find_joining(scope: Scope, line: str) -> _LineJoining:
    cases = [part for part in scope.prepared.pots.parts if line in part.lines]
    rounds = scope.length("round")
    every = np.ones(rounds, bool)

    def value(part: Part) -> tuple[Ints8, Flags]:
        joins: Joins = part.joins
        return np.full(rounds, JOINS.index(joins), np.int8), every

    code, known = first_holding(scope, cases, value, np.full(rounds, ABSENT, np.int8))
    staked = np.zeros(rounds, bool)
    staked[scope.batch.seats.round[scope.amount(line, tip=False) > 0]] = True
    return _LineJoining(code=code, known=(known & (code != ABSENT)) | ~staked)


@fact
def staked(scope: Scope) -> Ints:
    """Return what each seat put in on all lines that join the pots.

    Returns:
        int64[seats], in minor units.
    """
    lines = sorted(scope.prepared.pots.lines)
    return np.sum([scope.amount(line, tip=False) for line in lines], axis=0, dtype=np.int64)


def per_round(scope: Scope, values: Ints) -> Ints:
    """Return the sum of values of seats over the seats of each round.

    Returns:
        int64[rounds].
    """
    result = np.zeros(scope.length("round"), np.int64)
    np.add.at(result, scope.batch.seats.round, values)
    return result


def in_rows(put: Contributed, values: Ints, otherwise: int) -> Ints:
    """Arrange values of seats by row; `otherwise` where a round has no such row.

    Returns:
        int64[S, H].
    """
    there = put.seats >= 0
    if not len(values):
        return np.full(put.seats.shape, otherwise, np.int64)
    return np.where(there, values[np.where(there, put.seats, 0)], otherwise)
