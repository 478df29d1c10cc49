"""Order in which places receive cards, compared with the permitted ways of dealing.

In a regular round the packets of each receiver are those of a way, each later than the packet before it.
`plain_dealing` has the rules, and compares the other rounds packet by packet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import (
    ABSENT,
    Flags,
    Ints,
    Ints8,
    Ints16,
    Ints32,
    find_true,
    is_one_of,
)
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.deal_checks.plain_dealing import (
    NEVER,
    DealtPacket,
    RoundDealing,
    WayComparison,
)
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.timeline import deal_stages
from fairdeal.validator.engine.timeline.excused_acts import find_deals_in_progress, reported_out_of_order
from fairdeal.validator.engine.timeline.plain_deal_stages import burns_mid_stage
from fairdeal.validator.engine.timeline.step_events import has_any_by_round
from fairdeal.validator.evidence.columns.recorded_events import (
    DEAL_ORDER,
    is_mask_recorded,
    make_mask,
    sum_before_each,
)
from fairdeal.validator.evidence.event_kinds import ACTORS, PLACES, WIDEST_HAND
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.deal_model import SIDES, DealingWay, FirstByOutcome

_DEALER = PLACES.index("dealer")
_MANY_SEATS = 1 << 10
"""More than the highest key of a seat in turn."""


class DealingOrderCheck(Struct, frozen=True, kw_only=True):
    """Comparison of the dealing of every round with its required order."""

    broke_at: Ints
    """First event out of turn, int64[rounds]; -1 if all are in turn."""
    expected: Ints32
    """Place that was due, int32[rounds]: a seat, or the number of seats plus the number of a place; ABSENT if
    none was.
    """
    size: Ints16
    """Number of cards that the place was due, int16[rounds]."""


def check_dealing_order(scope: EvaluationContext, stages: Sequence[int]) -> DealingOrderCheck:
    """Compare the dealing of some stages with the order that the game requires.

    Each stage of a round is compared with the permitted way that it follows furthest. Cards for a place that the game
    deals nothing to are always out of turn. Cards that a milestone reports as out of order count as dealt when they
    were due.
    """
    unserved = _find_unserved(scope, stages)
    first = {round_: WayComparison(int(unserved[round_])) for round_ in find_true(unserved != ABSENT).tolist()}
    for stage in reversed(stages):
        for round_, comparison in _compare_irregular_rounds(scope, stage):
            if comparison.broke_at <= first.get(round_, WayComparison()).broke_at:
                first[round_] = comparison
    rounds = scope.count_items("round")
    broke_at, expected = np.full(rounds, ABSENT, np.int64), np.full(rounds, ABSENT, np.int32)
    size = np.zeros(rounds, np.int16)
    for round_, comparison in first.items():
        if comparison.broke_at != NEVER:
            broke_at[round_], expected[round_], size[round_] = comparison[:3]
    return DealingOrderCheck(broke_at=broke_at, expected=expected, size=size)


def is_dealt_as(scope: EvaluationContext, name: str) -> tuple[Flags, Flags]:
    """Return whether the cards of each round were dealt in a named way, and whether the log shows this.

    If no card was dealt, none was dealt in this way. A round is dealt in the permitted way that it follows furthest. Of
    several equal ways, the dealer decides if recorded; otherwise the round counts as dealt in each of them.
    """

    deal = scope.compiled_game.game.deal
    selected = [number for number, stage in enumerate(deal.stages) if name in stage.ways]
    result = [_find_fitting_ways(scope, number) for number in selected]
    fits = np.logical_and.reduce(
        [
            fits[list(deal.stages[number].ways).index(name)]
            for number, (fits, _, _) in zip(selected, result, strict=True)
        ]
    )
    dealt = np.logical_or.reduce([dealt for _, dealt, _ in result])
    is_distinct = np.logical_and.reduce([is_distinct for _, _, is_distinct in result])
    return fits & dealt, (dealt | ~find_deals_in_progress(scope)[0]) & is_distinct & is_order_recorded(scope)


def is_order_recorded(scope: EvaluationContext) -> Flags:
    """Return whether the log records the packets and the order in which cards were dealt.

    Returns:
        bool[rounds].
    """
    return is_mask_recorded(scope.batch, make_mask([DEAL_ORDER]))


@cached_fact
def _find_fitting_ways(scope: EvaluationContext, stage: int) -> tuple[Flags, Flags, Flags]:
    """Compare a stage with its ways of dealing; a stage that did not come fits all of them.

    Packets of sizes that no way gives their places, such as packets miscounted, distinguish no ways while there are no
    others.

    Returns: whether it was dealt in each way, bool[ways, rounds]; whether it was dealt at all, and whether its packets
    can distinguish the ways, bool[rounds] each.
    """
    events, chosen = scope.batch.events, find_dealing_events(scope, stage)
    ways = list(scope.compiled_game.game.deal.stages[stage].permitted_ways.values())
    fits = np.stack([way.is_followed & way.is_begun for way in _follow_ways(scope, stage)])
    for round_, dealing in iter_rounds(scope, stage, find_irregular_rounds(scope, stage)):
        comparisons = [dealing.compare_with_way(way) for way in ways]
        furthest = max(comparison.reached for comparison in comparisons)
        fits[:, round_] = [comparison.begun and comparison.reached == furthest for comparison in comparisons]
    dealt = has_any_by_round(scope, chosen)
    dealer = np.full(len(dealt), ABSENT, np.int8)
    dealer[events.round[chosen[::-1]]] = events.by[chosen[::-1]]
    others = np.stack(
        [
            np.zeros(len(dealt), bool) if way.by is None else (dealer != ABSENT) & (dealer != ACTORS.index(way.by))
            for way in ways
        ]
    )
    of_the_dealer = fits & ~others
    return np.where(of_the_dealer.any(axis=0), of_the_dealer, fits), dealt, _can_distinguish_ways(scope, stage)


def _can_distinguish_ways(scope: EvaluationContext, stage: int) -> Flags:
    """Return whether the packets of a stage can distinguish its ways.

    A single packet at which the record stops may be a larger one that lacks cards.
    """
    events, chosen = scope.batch.events, find_dealing_events(scope, stage)
    sizes, given = deal_stages.count_cards(scope, chosen), np.zeros((len(PLACES), WIDEST_HAND + 1), bool)
    for way in scope.compiled_game.game.deal.stages[stage].permitted_ways.values():
        for pass_ in way.passes:
            given[[PLACES.index(place) for place in pass_.to], pass_.each] = True
    known = given[events.place[chosen], np.clip(sizes, 0, WIDEST_HAND)]
    packets = np.bincount(events.round[chosen], minlength=len(scope.batch))
    largest = np.where(given, np.arange(WIDEST_HAND + 1), 0).max(axis=1)
    is_last = ~scope.batch.complete & (packets == 1)
    known &= ~(is_last[events.round[chosen]] & (sizes < largest[events.place[chosen]]))
    return (packets == 0) | (np.bincount(events.round[chosen], known, len(scope.batch)) > 0)


def _find_unserved(scope: EvaluationContext, stages: Sequence[int]) -> Ints:
    """Find the first cards of every round that go to a place that the game deals nothing to; ABSENT if none do.

    Cards may be burnt where the text does not mention it.
    """
    events, broke_at = scope.batch.events, np.full(scope.count_items("round"), ABSENT, np.int64)
    elsewhere = [
        PLACES.index(place) for place in PLACES if place not in {*scope.compiled_game.game.deal.served_places, "burn"}
    ]
    chosen = find_true(is_one_of(events.place, elsewhere) & is_one_of(deal_stages.stage_of_events(scope), stages))
    chosen = chosen[events.kind[chosen] == KIND_CODES["deal"]][::-1]
    broke_at[events.round[chosen]] = chosen
    return broke_at


def find_dealing_events(scope: EvaluationContext, stage: int) -> Ints:
    """Return the events in which a stage is dealt, in log order.

    Returns:
        int64[m].
    """
    return find_true(deal_stages.stage_of_events(scope) == stage)


def _compare_irregular_rounds(scope: EvaluationContext, stage: int) -> Iterator[tuple[int, WayComparison]]:
    """Yield the rounds in which a stage follows no way, compared with the way that it follows furthest."""
    if scope.compiled_game.game.deal.stages[stage].exchanges is not None:
        for round_, draws in iter_rounds(scope, stage, find_true(~_are_draws_in_turn(scope, stage)), kind="draw"):
            yield round_, draws.compare_draws()
        return
    ways = scope.compiled_game.game.deal.stages[stage].permitted_ways.values()
    misplaced = frozenset(find_true(reported_out_of_order(scope)).tolist())
    for round_, dealing in iter_rounds(scope, stage, find_irregular_rounds(scope, stage)):
        comparisons = [dealing.compare_with_way(way, misplaced) for way in ways]
        yield round_, max(comparisons, key=lambda comparison: comparison.reached)


def iter_rounds(
    scope: EvaluationContext, stage: int, rounds: Ints, kind: str = "deal"
) -> Iterator[tuple[int, RoundDealing]]:
    """Yield some rounds with the packets of a stage."""
    if not len(rounds):
        return
    events, seats, of_stage = scope.batch.events, scope.batch.seats, scope.compiled_game.game.deal.stages[stage]
    chosen = find_dealing_events(scope, stage)
    chosen = chosen[events.kind[chosen] == KIND_CODES[kind]]
    start, offsets = np.searchsorted(chosen, events.offsets).tolist(), seats.offsets.tolist()
    in_turn = _sort_by_turn(scope, of_stage.first_seat)
    of_seats, of_dealer = _rank_round_table(scope, stage)
    for round_ in rounds.tolist():
        ours = chosen[start[round_] : start[round_ + 1]]
        seat, place = events.seat[ours], events.place[ours]
        receiver = np.where(seat != ABSENT, seat, len(seats.round) + place.astype(np.int32))
        columns = (ours, receiver, place, deal_stages.count_cards(scope, ours))
        served = in_turn[offsets[round_] : offsets[round_ + 1]]
        served = served[seats.playing[served]]
        ranks = {
            **dict(zip(served.tolist(), of_seats[served].tolist(), strict=True)),
            len(seats.round) + _DEALER: int(of_dealer[round_]),
        }
        yield (
            round_,
            RoundDealing(
                packets=list(map(DealtPacket, *(column.tolist() for column in columns))),
                seats=served.tolist(),
                first_place=len(seats.round),
                ranks={} if of_stage.first_by is None else ranks,
            ),
        )


def _are_draws_in_turn(scope: EvaluationContext, stage: int) -> Flags:
    """Return whether seats receive their first draws of a stage of exchanging in turn.

    Returns:
        bool[rounds].
    """
    events, chosen = scope.batch.events, find_dealing_events(scope, stage)
    chosen = chosen[(events.kind[chosen] == KIND_CODES["draw"]) & (events.seat[chosen] != ABSENT)]
    chosen = chosen[scope.batch.seats.playing[events.seat[chosen]]]
    first = chosen[np.sort(np.unique(events.seat[chosen], return_index=True)[1])]
    keys = _find_turn_keys(scope, scope.compiled_game.game.deal.stages[stage].first_seat)[events.seat[first]]
    owner, result = events.round[first], np.ones(len(scope.batch), bool)
    result[owner[1:][(owner[1:] == owner[:-1]) & (keys[1:] <= keys[:-1])]] = False
    return result


class FollowedWay(Struct, frozen=True, kw_only=True):
    """Rounds compared with a way of dealing a stage."""

    is_counted: Flags
    """Receivers that have the right number of cards, bool[receivers]."""
    is_followed: Flags
    """True if no packet of these receivers is out of turn, bool[rounds]."""
    is_begun: Flags
    """True if the first packet is one that the way gives its place, bool[rounds]."""


@cached_fact
def _follow_ways(scope: EvaluationContext, stage: int) -> list[FollowedWay]:
    """Compare a stage with each way of dealing it."""
    ways = scope.compiled_game.game.deal.stages[stage].permitted_ways.values()
    return [_follow_way(scope, stage, way) for way in ways]


def find_irregular_rounds(scope: EvaluationContext, stage: int) -> Ints:
    """Return the rounds whose packets of a stage follow no way, if the log records their order."""
    follows = np.logical_or.reduce([way.is_followed for way in _follow_ways(scope, stage)])
    return find_true(~follows & is_order_recorded(scope))


def _follow_way(scope: EvaluationContext, stage: int, way: DealingWay) -> FollowedWay:
    events, seats = scope.batch.events, scope.count_items("seat")
    is_counted = _find_right_counts(scope, stage, way)
    chosen = find_dealing_events(scope, stage)
    receivers = deal_stages.receivers(scope).take(chosen)
    is_ours = is_counted.take(receivers)
    chosen, number = chosen.compress(is_ours), _number_packets(scope, stage).compress(is_ours)
    receiver, sizes = receivers.compress(is_ours), deal_stages.count_cards(scope, chosen)
    if any(pass_.parted for pass_ in way.passes):
        first, sizes = join_packets(way, receiver, events.place.take(chosen), sizes)
        chosen, receiver = chosen[first], receiver[first]
        number = _number_by_receiver(scope, receiver)
    owner, place = events.round.take(chosen), events.place.take(chosen)
    turns, each = _tabulate_packets(way, in_ring=scope.compiled_game.game.deal.stages[stage].first_by is not None)
    number = np.minimum(number, turns.shape[1] - 1)
    of_seats, of_dealer = _rank_round_table(scope, stage)
    rank = np.where(place == _DEALER, of_dealer.take(owner), 0)
    seated = find_true(receiver < seats)
    rank[seated] = of_seats.take(receiver.take(seated))
    keys = turns[place, number] * _MANY_SEATS + rank
    wrong, same = each[place, number] != sizes, owner[1:] == owner[:-1]
    wrong[1:] |= same & (keys[1:] <= keys[:-1])
    if burns_mid_stage(way):
        # If too few cards were burnt, nothing may come after the first burn that is missing.
        burns, due = turns[deal_stages.BURN], np.count_nonzero(each[deal_stages.BURN])
        burnt = np.bincount(owner.compress(place == deal_stages.BURN), minlength=len(scope.batch))[owner]
        wrong |= (burnt < due) & (keys > burns.take(np.minimum(burnt, due - 1)) * _MANY_SEATS)
    is_followed, is_begun = np.ones((2, len(scope.batch)), bool)
    is_followed[owner.compress(wrong)] = False
    first = find_true(np.append(True, ~same)) if len(owner) else find_true(wrong)
    is_begun[owner.take(first)] = (each[place.take(first)] == sizes.take(first)[:, None]).any(axis=1)
    return FollowedWay(is_counted=is_counted, is_followed=is_followed, is_begun=is_begun)


@cached_fact
def _number_packets(scope: EvaluationContext, stage: int) -> Ints:
    """Return the number of each event that deals a stage among those of its receiver, counted from 0."""
    return _number_by_receiver(scope, deal_stages.receivers(scope).take(find_dealing_events(scope, stage)))


def _number_by_receiver(scope: EvaluationContext, receiver: Ints) -> Ints:
    return sum_before_each(receiver, np.ones(len(receiver), np.int64), deal_stages.count_receivers(scope))


def are_all_served(scope: EvaluationContext, stage: int, seats: Flags) -> Flags:
    """Return whether a stage follows a way in which exactly some seats, and all places of the way, are served.

    Args:
        seats: bool[seats].

    Returns:
        bool[rounds]; False as well for ways whose packets may be split and that burn cards inside.
    """
    events, result = scope.batch.events, np.zeros(len(scope.batch), bool)
    chosen, owner = find_dealing_events(scope, stage), scope.batch.seats.round
    chosen = chosen[events.place[chosen] != deal_stages.BURN]
    receiver = deal_stages.receivers(scope)[chosen]
    ways = scope.compiled_game.game.deal.stages[stage].permitted_ways.values()
    for way, followed in zip(ways, _follow_ways(scope, stage), strict=True):
        if burns_mid_stage(way) and any(pass_.parted for pass_ in way.passes):
            continue
        right, served = followed.is_followed.copy(), followed.is_counted
        right[events.round[chosen[~served[receiver]]]] = False
        right[owner[served[: len(owner)] != seats]] = False
        places = [PLACES.index(place) for place in way.count_dealt() if place not in ("player", "burn")]
        result |= right & served[len(owner) :].reshape(-1, len(PLACES))[:, places].all(axis=1)
    return result


def _tabulate_packets(way: DealingWay, *, in_ring: bool) -> tuple[Ints, Ints]:
    """Return the turn of each packet of each place, and its number of cards, int64[places, packets].

    Args:
        way: the way of dealing.
        in_ring: all places of a pass share a turn.
    """
    passes = [pass_ for pass_ in way.passes for _ in range(pass_.times)]
    packets: list[list[tuple[int, int]]] = [[] for _ in PLACES]
    for turn, pass_ in enumerate(passes):
        for at, place in enumerate(pass_.to):
            packets[PLACES.index(place)].append((turn if in_ring else turn * len(PLACES) + at, pass_.each))
    longest = max(map(len, packets)) + 1  # the last entry is no packet
    table = np.array([[*of_place, *[(0, 0)] * (longest - len(of_place))] for of_place in packets], np.int64)
    return table[:, :, 0], table[:, :, 1]


@cached_fact
def _rank_round_table(scope: EvaluationContext, stage: int) -> tuple[Ints, Ints]:
    """Return the rank of each seat in its pass, int64[seats], and that of the dealer's place, int64[rounds]."""
    of_stage, seats = scope.compiled_game.game.deal.stages[stage], scope.batch.seats
    if of_stage.first_by is None:
        return _find_turn_keys(scope, of_stage.first_seat), np.zeros(len(scope.batch), np.int64)
    first, places = find_first_place(scope, of_stage.first_by)[0], of_stage.first_by.places
    return (seats.number.astype(np.int64) - first[seats.round]) % places, -first % places


def join_packets(way: DealingWay, receiver: Ints, place: Ints8, sizes: Ints) -> tuple[Ints, Ints]:
    """Return the index of the first event of every packet, and its number of cards.

    Consecutive cards to a place are one packet if the way permits the packet to be split.

    Returns:
        int64[m] each.
    """
    parted = is_one_of(place, [PLACES.index(name) for pass_ in way.passes if pass_.parted for name in pass_.to])
    goes_on = np.zeros(len(receiver), bool)
    goes_on[1:] = (receiver[1:] == receiver[:-1]) & parted[1:]
    first = find_true(~goes_on)
    return first, np.add.reduceat(sizes, first) if len(first) else sizes


def _find_right_counts(scope: EvaluationContext, stage: int, way: DealingWay) -> Flags:
    """Return the receivers that a way serves and that have the right number of cards in the stage."""
    rounds, seats = scope.count_items("round"), scope.count_items("seat")
    got = deal_stages.count_cards_dealt_in(scope, stage)
    dealt = way.count_dealt()
    players, elsewhere = got[:seats], got[seats:].reshape(rounds, len(PLACES))
    right = np.zeros(elsewhere.shape, bool)
    # Another check counts the cards burnt before a stage.
    right[:, deal_stages.BURN] = "burn" in dealt and (
        burns_mid_stage(way) | (elsewhere[:, deal_stages.BURN] == dealt["burn"])
    )
    for place, full in dealt.items():
        if place not in ("player", "burn"):
            right[:, PLACES.index(place)] = elsewhere[:, PLACES.index(place)] == full
    seated = scope.batch.seats.playing & ("player" in dealt) & (players == dealt.get("player", 0))
    return np.concatenate([seated, right.ravel()])


def _find_turn_keys(scope: EvaluationContext, first: str) -> Ints:
    """Return the sort key of seats in dealing order; the first seat of a round has the lowest."""
    seats = scope.batch.seats
    number = seats.number.astype(np.int64)
    if first in SIDES:
        return -number if first == "dealer-right" else number
    rows, _ = find_position_rows(scope, first)
    table = seat_layout(scope)
    behind = table.row_of_seat.astype(np.int64) - rows[seats.round]
    return behind % np.maximum(table.seat_count.astype(np.int64), 1)[seats.round]


@cached_fact
def _sort_by_turn(scope: EvaluationContext, first: str) -> Ints:
    """Return the seats in dealing order, round by round."""
    return np.lexsort((_find_turn_keys(scope, first), scope.batch.seats.round))


def is_first_seat_known(scope: EvaluationContext, stage: int) -> Flags:
    """Return whether the log shows which seat is served first in a stage.

    Returns:
        bool[rounds].
    """
    first, by = (
        scope.compiled_game.game.deal.stages[stage].first_seat,
        scope.compiled_game.game.deal.stages[stage].first_by,
    )
    if by is not None:
        return find_first_place(scope, by)[1]
    return np.ones(scope.count_items("round"), bool) if first in SIDES else find_position_rows(scope, first)[1]


def find_first_place(scope: EvaluationContext, first_by: FirstByOutcome) -> tuple[Ints, Flags]:
    """Return the place that an outcome makes the first in each round, 0 for the dealer's, and whether it is known.

    Returns:
        int64[rounds], bool[rounds].
    """
    values = outcome_values(scope, first_by.outcome)
    numbers = [number or ABSENT for number in scope.compiled_game.outcomes[first_by.outcome].numbers]
    number = np.array([*numbers, ABSENT], np.int64)[values]
    return (number - 1) % first_by.places, number > 0
