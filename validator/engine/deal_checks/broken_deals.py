"""Deals that stopped early: whether the deal was in turn until then, and which place was misdealt."""

from __future__ import annotations

from collections import Counter

import numpy as np

from fairdeal.validator.arrays import (
    ABSENT,
    Flags,
    Truths,
    are_all,
    find_true,
    is_one_of,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.deal_checks import dealing_order
from fairdeal.validator.engine.deal_checks.plain_dealing import RoundDealing, is_miscount
from fairdeal.validator.engine.timeline.deal_stages import BURN
from fairdeal.validator.engine.timeline.excused_acts import find_deals_in_progress
from fairdeal.validator.engine.timeline.step_events import are_kinds_recorded, find_last_by_round, has_any_by_round
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.language.grammar import grain_of_place
from fairdeal.validator.rules.deal_model import DealingWay

FIRST_STAGE = 0
"""Stage in which every place is served; folded players get no later cards."""


@cached_fact
def has_stopped_in_turn(scope: EvaluationContext) -> Truths:
    """Return whether the first stage of the deal stopped early, with all cards until then dealt in a permitted way.

    The result is no if somebody decided, or a hand was shown, afterwards: the deal was then considered complete. It may
    have been complete if only the last packet of a place is missing. The same is true if each place that is short of
    cards was declared misdealt by itself.
    If a truncated record stops in the deal, the deal stopped if a misdeal was declared.

    Returns:
        uint8[rounds].
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    staked = _has_stake(scope)
    is_complete = _is_completed_by_outcome(scope, scope.batch.seats.playing & staked)
    if are_all(is_complete):
        return kleene.constant(kleene.NO, rounds)
    last = find_last_by_round(scope, find_true(events.kind == KIND_CODES["deal"]))
    later = find_true(np.arange(len(events.kind)) > last[events.round])
    went_on = has_any_by_round(
        scope, later[is_one_of(events.kind[later], (KIND_CODES["decide"], KIND_CODES["reveal"]))]
    )
    over = scope.batch.complete | has_any_by_round(scope, later[events.kind[later] == KIND_CODES["misdeal"]])
    recorded = dealing_order.is_order_recorded(scope) & are_kinds_recorded(scope, ["deal"])
    ways, result = _list_ways(scope), np.zeros(rounds, bool)
    for round_, dealing in dealing_order.iter_rounds(scope, FIRST_STAGE, find_true(~is_complete & ~went_on & recorded)):
        result[round_] = any(
            dealing.is_incomplete_beginning(way, seats) for way in ways for seats in _list_served(dealing, staked)
        ) and not _is_each_misdealt(scope, round_, staked)
    value = kleene.where_known(result, recorded & (over | ~result))
    value[is_complete] = kleene.NO
    return value


def _list_ways(scope: EvaluationContext) -> list[DealingWay]:
    """Return the ways of dealing the first stage."""
    return list(scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values())


def _list_served(dealing: RoundDealing, staked: Flags) -> tuple[list[int], list[int]]:
    """Return the playing seats of a round, and those with a stake."""
    return list(dealing.seats), [seat for seat in dealing.seats if staked[seat]]


def _is_each_misdealt(scope: EvaluationContext, round_: int, staked: Flags) -> bool:
    """Return whether every place of the first stage has cards, and each that is short was declared misdealt by itself.

    A declaration for the whole table counts for the places of no player. At least one place must be declared.
    """
    events, part = scope.batch.events, slice(*scope.batch.events.offsets[round_ : round_ + 2].tolist())
    ways = [way.count_dealt() for way in _list_ways(scope)]
    declared: set[tuple[int, int]] = set()
    dealt = Counter[tuple[int, int]]()
    columns = (events.kind[part], events.place[part], events.seat[part], events.cards_row[part])
    for kind, place, seat, row in zip(*(column.tolist() for column in columns), strict=True):
        if kind == KIND_CODES["misdeal"] and place != ABSENT:
            declared.add((place, seat))
        elif kind == KIND_CODES["deal"] and place != BURN and any(PLACES[place] in way for way in ways):
            dealt[place, seat] += int(events.hands.count[row]) if row != ABSENT else 0
    of_table = any(PLACES[place] == "table" for place, _ in declared)
    misdealt = {(place, seat) for place, seat in dealt if (place, seat) in declared or (of_table and seat == ABSENT)}
    full = {
        (place, seat)
        for (place, seat), count in dealt.items()
        if count >= min(way[PLACES[place]] for way in ways if PLACES[place] in way)
    }
    seats = slice(*scope.batch.seats.offsets[round_ : round_ + 2].tolist())
    due = int(staked[seats].sum()) + len({place for way in ways for place in way} - {"player", "burn"})
    # After a truncated record the other declarations may follow.
    all_declared = bool(misdealt) and (len(misdealt | full) == due or not scope.batch.complete[round_])
    return all_declared and len(dealt) == due


def _is_completed_by_outcome(scope: EvaluationContext, seated: Flags) -> Flags:
    """Return whether the outcome alone shows that no deal stopped.

    It does if somebody decided, or if some place has too many cards. It also does if no place has too few cards, or
    only one that has some.
    """
    rounds = scope.count_items("round")
    known, excess, short, bare = (
        np.ones(rounds, bool),
        np.zeros(rounds, bool),
        np.zeros(rounds, np.int64),
        np.zeros(rounds, bool),
    )
    ways = [way.count_dealt() for way in _list_ways(scope)]
    for place, held in scope.compiled_game.game.deal.cards.items():
        # A place may keep only some cards of a packet.
        least, most = (bound((held, *(way[place] for way in ways if place in way))) for bound in (min, max))
        count, grain = scope.dealt_hands(place).count, grain_of_place(place)
        counted = seated | (count > 0) if grain == "seat" else np.ones(len(count), bool)
        owner, count = scope.rounds_of(grain)[counted], count[counted]
        known[owner[count < 0]] = False
        excess[owner[count > most]] = True
        bare[owner[count == 0]] = True
        short += np.bincount(owner, count < least, rounds).astype(np.int64)
    decided = np.zeros(rounds, bool)
    seats = scope.batch.seats
    decided[seats.round[seats.decision.is_one_of(scope.compiled_game.game.decisions)]] = True
    return decided | (known & (excess | (short == 0) | ((short == 1) & ~bare)))


@cached_fact
def is_dealt_in_turn(scope: EvaluationContext) -> Truths:
    """Return whether the cards of the first stage were dealt in a permitted way, or the beginning of one.

    Every playing seat is served. If players do not bet against each other, only those with a stake may be served.

    Returns:
        uint8[rounds].
    """
    staked, only_staked = _has_stake(scope), scope.compiled_game.game.betting is None
    recorded = (
        dealing_order.is_order_recorded(scope)
        & are_kinds_recorded(scope, ["deal"])
        & dealing_order.is_first_seat_known(scope, FIRST_STAGE)
    )
    result = dealing_order.are_all_served(scope, FIRST_STAGE, scope.batch.seats.playing)
    if only_staked:
        result |= dealing_order.are_all_served(scope, FIRST_STAGE, scope.batch.seats.playing & staked)
    for round_, dealing in dealing_order.iter_rounds(scope, FIRST_STAGE, find_true(recorded & ~result)):
        served = _list_served(dealing, staked)[: 1 + only_staked]
        result[round_] = any(dealing.is_beginning(way, seats) for way in _list_ways(scope) for seats in served)
    return kleene.where_known(result, recorded)


def is_only_miscounted(scope: EvaluationContext, asked: Flags) -> Flags:
    """Return whether the only irregularity in the first stage is that one or two places have a wrong number of cards.

    Without these places, the packets of the others are a permitted way of dealing or the beginning of one. No packet
    was dealt out of turn.

    Args:
        asked: bool[rounds], the rounds to check, one at a time; few, since their dealing is irregular.

    Returns:
        bool[rounds].
    """
    result, staked, stops = np.zeros(len(asked), bool), _has_stake(scope), find_deals_in_progress(scope)[0]
    for round_, dealing in dealing_order.iter_rounds(scope, FIRST_STAGE, find_true(asked)):
        result[round_] = any(
            is_miscount(*dealing.list_packets(way, seats), stops=bool(stops[round_]))
            for way in _list_ways(scope)
            for seats in _list_served(dealing, staked)
        )
    return result


@cached_fact
def _has_stake(scope: EvaluationContext) -> Flags:
    """Return whether each seat has a stake."""
    result = np.zeros(scope.count_items("seat"), bool)
    result[scope.batch.stakes.seat] = True
    return result
