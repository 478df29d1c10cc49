"""Deals that stopped early: whether the deal was in turn until then, and which place was misdealt."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Flags,
    Ints,
    Ints16,
    Ints32,
    Truths,
    are_all,
    find_true,
    group_equal,
    has_any,
    is_among,
    is_one_of,
)
from fairdeal.validator.engine.core import kleene
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.deal_checks import dealing_order
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
    playing, staked = scope.batch.seats.playing, _has_stake(scope)
    is_complete = _is_completed_by_outcome(scope, playing & staked)
    if are_all(is_complete):
        return kleene.constant(kleene.NO, rounds)
    last = find_last_by_round(scope, find_true(events.kind == KIND_CODES["deal"]))
    later = find_true(np.arange(len(events.kind)) > last[events.round])
    went_on = has_any_by_round(
        scope, later[is_one_of(events.kind[later], (KIND_CODES["decide"], KIND_CODES["reveal"]))]
    )
    over = scope.batch.complete | has_any_by_round(scope, later[events.kind[later] == KIND_CODES["misdeal"]])
    ways = scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values()
    result = np.logical_or.reduce(
        [_is_incomplete_beginning(scope, way, seats) for way in ways for seats in (playing, playing & staked)]
    )
    result &= ~went_on & ~_is_each_misdealt(scope)
    value = kleene.where_known(
        result, dealing_order.is_order_recorded(scope) & are_kinds_recorded(scope, ["deal"]) & (over | ~result)
    )
    value[is_complete] = kleene.NO
    return value


def _is_each_misdealt(scope: EvaluationContext) -> Flags:
    """Return whether every place of the first stage has cards, and each that is short was declared misdealt by itself.

    A declaration for the whole table counts for the places of no player. At least one place must be declared.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    keys = (
        (events.round.astype(np.int64) * len(PLACES) + events.place) * (scope.count_items("seat") + 1) + events.seat + 1
    )
    declared = keys[(events.kind == KIND_CODES["misdeal"]) & (events.place != ABSENT)]
    if not len(declared):
        return np.zeros(rounds, bool)
    ways = scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values()
    served = {PLACES.index(place) for way in ways for place in way.count_dealt()} - {BURN}
    dealt = find_true((events.kind == KIND_CODES["deal"]) & is_one_of(events.place, sorted(served)))
    first, place_of_event = group_equal(keys[dealt])
    owner, misdealt = events.round[dealt[first]], is_among(keys[dealt[first]], declared)
    table = has_any_by_round(scope, (events.kind == KIND_CODES["misdeal"]) & (events.place == PLACES.index("table")))
    misdealt |= table[owner] & (events.seat[dealt[first]] == ABSENT)
    is_full = _is_full(scope, dealt, first, place_of_event)
    due = np.bincount(scope.batch.seats.round, _has_stake(scope), rounds) + len(served - {PLACES.index("player")})
    declared_of, settled_of = np.bincount(owner, misdealt, rounds), np.bincount(owner, misdealt | is_full, rounds)
    # After a truncated record the other declarations may follow.
    all_declared = (declared_of > 0) & ((settled_of == due) | ~scope.batch.complete)
    return (due > 0) & all_declared & (np.bincount(owner, minlength=rounds) == due)


def _is_full(scope: EvaluationContext, dealt: Ints, first: Ints, place_of_event: Ints) -> Flags:
    """Return whether places have all their cards by the events of the deal.

    Args:
        scope: the rounds.
        dealt: the events of the deal.
        first: for each place of each round, its first event among these.
        place_of_event: for each event, the number of its place.

    Returns:
        bool[m], one per place.
    """
    events = scope.batch.events
    size = np.append(events.hands.count, 0)[events.cards_row[dealt]]
    count = np.bincount(place_of_event, size, len(first))
    ways = [way.count_dealt() for way in scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values()]
    least = np.array([min((way[place] for way in ways if place in way), default=0) for place in PLACES])
    return count >= least[events.place[dealt[first]]]


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
    ways = [way.count_dealt() for way in scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values()]
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
    playing, result = scope.batch.seats.playing, np.zeros(len(scope.batch), bool)
    served = [playing]
    staked = playing & _has_stake(scope)
    if scope.compiled_game.game.betting is None and not np.array_equal(playing, staked):
        served.append(staked)
    for seats in served:
        for way in scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values():
            if not are_all(result):
                result |= _compare_with_way(scope, way, seats)[0]
    recorded = (
        dealing_order.is_order_recorded(scope)
        & are_kinds_recorded(scope, ["deal"])
        & dealing_order.is_first_seat_known(scope, FIRST_STAGE)
    )
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
    result, playing, staked = np.zeros(len(asked), bool), scope.batch.seats.playing, _has_stake(scope)
    stops = find_deals_in_progress(scope)[0]
    for way in scope.compiled_game.game.deal.stages[FIRST_STAGE].permitted_ways.values():
        for seated in (playing, playing & staked):
            if has_any(left := asked & ~result):
                dealt, due = _list_packets(scope, way, seated)
                for round_ in find_true(left).tolist():
                    result[round_] = _is_miscount(
                        dealt.list_of_round(round_), due.list_of_round(round_), stops=bool(stops[round_])
                    )
    return result


class _Packets(Struct, frozen=True, kw_only=True):
    """Packets of every round, joined."""

    start: Ints
    """Index of the first packet of each round, and the number of all packets, int64[rounds + 1]."""
    place: Ints32
    """Place of each packet: index of a seat, or number of seats and number of the place."""
    size: Ints16
    """Number of cards of each packet."""

    def list_of_round(self, round_: int) -> list[tuple[int, int]]:
        """Return place and size of the packets of a round, in order."""
        part = slice(self.start[round_], self.start[round_ + 1])
        return list(zip(self.place[part].tolist(), self.size[part].tolist(), strict=True))


def _is_miscount(dealt: list[tuple[int, int]], due: list[tuple[int, int]], *, stops: bool) -> bool:
    """Return whether packets are in turn except for one or two places with a wrong number of cards so far.

    In the middle of a deal, a packet of a size that the place is never due is a miscount as well. If the record `stops`
    in the deal, a place with a card too many may still receive the card that it is due. A place that was passed over
    may end with too few.
    """
    places = sorted({place for place, _ in due})
    groups = [group for size in (1, 2) for group in combinations(places, size)]
    if any(_are_miscounted(group, dealt, due, stops=stops) for group in groups):
        return True
    return stops and _is_one_too_many(dealt, due)


def _is_one_too_many(dealt: list[tuple[int, int]], due: list[tuple[int, int]]) -> bool:
    """Return whether packets begin a way of dealing, except for one that is too large or that came twice."""
    wrong = next((at for at, pair in enumerate(zip(dealt, due, strict=False)) if pair[0] != pair[1]), len(due))
    if wrong >= len(dealt):
        return False
    (place, size), rest = dealt[wrong], dealt[wrong + 1 :]
    is_too_large = wrong < len(due) and place == due[wrong][0] and size > due[wrong][1]
    at = wrong + 1 if is_too_large else wrong
    came_twice = wrong > 0 and place == dealt[wrong - 1][0]
    return (is_too_large or came_twice) and rest == due[at : at + len(rest)]


def _are_miscounted(
    group: tuple[int, ...], dealt: list[tuple[int, int]], due: list[tuple[int, int]], *, stops: bool
) -> bool:
    """Return whether the packets of all other places are in turn, and each of these places is miscounted so far."""
    others = [packet for packet in dealt if packet[0] not in group]
    others_due = [at for at, packet in enumerate(due) if packet[0] not in group]
    if len(others) > len(others_due) or others != [due[at] for at in others_due[: len(others)]]:
        return False
    last = others_due[len(others) - 1] if others else 0
    goes_on = len(others) < len(others_due)
    following = others_due[len(others)] if goes_on else len(due)
    passed = max((at for at, packet in enumerate(dealt) if packet[0] not in group), default=0)
    for place in group:
        least, most = (sum(size for at, size in due[:end] if at == place) for end in (last, following))
        received = [size for at, size in dealt if at == place]
        sizes = {size for at, size in due if at == place}
        if least <= sum(received) <= most and not (goes_on and not sizes.issuperset(received)):
            before = [size for at, size in dealt[:passed] if at == place]
            then_due = [size for at, size in due[last:following] if at == place]
            is_in_turn = received[len(before) :] == then_due[: len(received) - len(before)]
            is_out_of_step = sum(before) < least or _is_doubled(place, dealt, max(sizes))
            if not (stops and is_in_turn and is_out_of_step):
                return False
    return True


def _is_doubled(place: int, dealt: list[tuple[int, int]], most: int) -> bool:
    """Return whether a place received a packet that is too large, or two packets in succession."""
    is_too_large = any(at == place and size > most for at, size in dealt)
    return is_too_large or any(first[0] == second[0] == place for first, second in pairwise(dealt))


def _has_stake(scope: EvaluationContext) -> Flags:
    """Return whether each seat has a stake."""
    result = np.zeros(scope.count_items("seat"), bool)
    result[scope.batch.stakes.seat] = True
    return result


def _is_incomplete_beginning(scope: EvaluationContext, way: DealingWay, seated: Flags) -> Flags:
    """Return whether the cards dealt are an incomplete beginning of a way of dealing.

    Args:
        seated: bool[seats], the seats that are served.
    """
    in_turn, missing, in_part = _compare_with_way(scope, way, seated)
    return in_turn & (missing > 0) & ~((missing == 1) & in_part)


def _compare_with_way(scope: EvaluationContext, way: DealingWay, seated: Flags) -> tuple[Flags, Ints, Flags]:
    """Compare the cards dealt with a way of dealing.

    Args:
        seated: bool[seats], the seats that are served.

    Returns:
        Per round: whether the cards are the way or the beginning of it; the number of missing packets, int64; whether
            the place of the last packet was dealt any card.
    """
    dealt, due = _list_packets(scope, way, seated)
    number, rounds = np.diff(dealt.start), scope.count_items("round")
    owner = np.repeat(np.arange(rounds), number)
    shift = due.start[:-1] - dealt.start[:-1]
    at = np.minimum(np.arange(len(owner)) + shift.repeat(number), len(due.place) - 1)
    in_turn = np.ones(rounds, bool)
    in_turn[owner.compress((dealt.place != due.place.take(at)) | (dealt.size != due.size.take(at)))] = False
    missing, in_part = np.diff(due.start) - number, np.zeros(rounds, bool)
    last_due = due.place.take(due.start[1:] - 1)
    in_part[owner.compress(dealt.place == last_due.take(owner))] = True
    return in_turn & (missing >= 0), missing, in_part


def _list_packets(scope: EvaluationContext, way: DealingWay, seated: Flags) -> tuple[_Packets, _Packets]:
    """Return the packets dealt first, without burnt cards, and the packets due by a way of dealing to some seats."""
    events, seats, rounds = scope.batch.events, scope.count_items("seat"), scope.count_items("round")
    served = np.zeros((rounds, len(PLACES)), bool)
    served[:, [PLACES.index(place) for place in way.count_dealt() if place not in ("player", "burn")]] = True
    start, due, size_due = dealing_order.expected_packets(
        scope, FIRST_STAGE, way, np.concatenate([seated, served.ravel()])
    )
    chosen = dealing_order.find_dealing_events(scope, FIRST_STAGE)
    chosen, sizes = dealing_order.join_packets(scope, way, chosen[events.place[chosen] != BURN])
    place = np.where(events.seat[chosen] >= 0, events.seat[chosen], seats + events.place[chosen].astype(np.int32))
    first = np.searchsorted(events.round[chosen], np.arange(rounds + 1))
    received = _Packets(start=first, place=place.astype(np.int32), size=sizes.astype(np.int16))
    return received, _Packets(start=start, place=due, size=size_due)
