"""Order in which places receive cards, compared with the permitted ways of dealing."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints16, Ints32, find_true, has_any, is_one_of, number_items
from fairdeal.validator.engine.betting.betting_predicates import find_position_rows
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.facts.outcome_values import outcome_values
from fairdeal.validator.engine.facts.seat_layout import seat_layout
from fairdeal.validator.engine.timeline import deal_stages
from fairdeal.validator.engine.timeline.excused_acts import find_deals_in_progress, reported_out_of_order
from fairdeal.validator.engine.timeline.plain_deal_stages import burns_mid_stage
from fairdeal.validator.engine.timeline.step_events import has_any_by_round
from fairdeal.validator.evidence.columns.recorded_events import DEAL_ORDER, is_mask_recorded, make_mask
from fairdeal.validator.evidence.event_kinds import ACTORS, PLACES, WIDEST_HAND
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.deal_model import SIDES, DealingWay, FirstByOutcome

Packets = tuple[Ints32, "Ints16 | Ints"]
"""Place of each packet, as in `DealingOrderCheck.expected`, and its number of cards."""


def order_as_due(owner: Ints32, misplaced: Flags, came: Packets, start: Ints, due: Packets) -> Ints:
    """Return the order of packets in which misplaced packets are where they were due, or last if they never were.

    Args:
        owner: int32[packets], the round of each packet.
        misplaced: the misplaced packets.
        came: the packets in log order.
        start: int64[rounds + 1], the first due packet of each round.
        due: the packets due in every round, joined.

    Returns:
        int64[packets].
    """
    order = np.arange(len(owner))
    for round_ in np.unique(owner[misplaced]).tolist():
        first, end = np.searchsorted(owner, [round_, round_ + 1]).tolist()
        turn = slice(start[round_], start[round_ + 1])
        slots = list(zip(*(column[turn].tolist() for column in due), strict=True))
        packets = list(zip(*(column[first:end].tolist() for column in came), strict=True))
        order[first:end] = first + np.array(_fill_slots(packets, misplaced[first:end].tolist(), slots))
    return order


def _fill_slots(packets: list[tuple[int, int]], misplaced: list[bool], slots: list[tuple[int, int]]) -> list[int]:
    """Return the indices of packets in the order of the slots that they fill."""
    stay = deque(number for number, lost in enumerate(misplaced) if not lost)
    lost = [number for number, removed in enumerate(misplaced) if removed]
    order: list[int] = []
    for slot in slots:
        if stay and packets[stay[0]] == slot:
            order.append(stay.popleft())
            continue
        fitting = next((number for number in lost if packets[number] == slot), None)
        if fitting is None:
            break
        order.append(fitting)
        lost.remove(fitting)
    return [*order, *stay, *lost]


_NEVER = np.iinfo(np.int64).max


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
    followed = [_choose_furthest(_compare_in_place(scope, stage)) for stage in stages] + [_find_unserved(scope, stages)]
    first = np.stack([comparison.broke_at for comparison in followed]).argmin(axis=0)
    result = _choose(followed, first)
    return DealingOrderCheck(
        broke_at=np.where(result.broke_at == _NEVER, -1, result.broke_at), expected=result.expected, size=result.size
    )


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
    ways = _compare_with_ways(scope, stage)
    reached = np.stack([comparison.reached for comparison in ways])
    fits = (reached == reached.max(axis=0)) & np.stack([comparison.begun for comparison in ways])
    dealt = has_any_by_round(scope, chosen)
    dealer = np.full(len(dealt), ABSENT, np.int8)
    dealer[events.round[chosen[::-1]]] = events.by[chosen[::-1]]
    others = np.stack(
        [
            np.zeros(len(dealt), bool) if way.by is None else (dealer != ABSENT) & (dealer != ACTORS.index(way.by))
            for way in scope.compiled_game.game.deal.stages[stage].permitted_ways.values()
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


class _WayComparison(DealingOrderCheck, frozen=True, kw_only=True):
    """Comparison of the dealing of every round with one way; `broke_at` is `_NEVER` if all are in turn."""

    reached: Ints
    """Measure of how far the way is followed, int64[rounds].

    A packet out of turn that the place receives at another time counts for more than one it never receives.
    """
    begun: Flags
    """True if the first packet is one that the way gives its place."""


def _choose_furthest(ways: Sequence[_WayComparison]) -> _WayComparison:
    """Return, for each round, the comparison with the way that it follows furthest."""
    return _choose(ways, np.stack([comparison.reached for comparison in ways]).argmax(axis=0))


def _choose(several: Sequence[_WayComparison], which: Ints) -> _WayComparison:
    """Return, for each round, one of several comparisons."""
    rounds = np.arange(len(which))
    return _WayComparison(
        **{
            name: np.stack([getattr(comparison, name) for comparison in several])[which, rounds]
            for name in _WayComparison.__struct_fields__
        }
    )


def _find_unserved(scope: EvaluationContext, stages: Sequence[int]) -> _WayComparison:
    """Find the first cards of every round that go to a place that the game deals nothing to.

    Cards may be burnt where the text does not mention it.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    elsewhere = [
        PLACES.index(place) for place in PLACES if place not in {*scope.compiled_game.game.deal.served_places, "burn"}
    ]
    chosen = find_true(is_one_of(events.place, elsewhere) & is_one_of(deal_stages.stage_of_events(scope), stages))
    chosen = chosen[events.kind[chosen] == KIND_CODES["deal"]][::-1]
    broke_at = np.full(rounds, _NEVER)
    broke_at[events.round[chosen]] = chosen
    nothing, none = np.full(rounds, ABSENT, np.int32), np.zeros(rounds, np.int16)
    return _WayComparison(broke_at=broke_at, expected=nothing, size=none, reached=broke_at, begun=np.ones(rounds, bool))


def find_dealing_events(scope: EvaluationContext, stage: int) -> Ints:
    """Return the events in which a stage is dealt, in log order.

    Returns:
        int64[m].
    """
    return find_true(deal_stages.stage_of_events(scope) == stage)


@cached_fact
def _compare_with_ways(scope: EvaluationContext, stage: int) -> list[_WayComparison]:
    of = scope.compiled_game.game.deal.stages[stage]
    if of.exchanges is not None:
        return [_compare_draws(scope, stage)]
    return [_compare_with_way(scope, stage, way) for way in of.permitted_ways.values()]


def _compare_in_place(scope: EvaluationContext, stage: int) -> Sequence[_WayComparison]:
    """Compare a stage with its ways. Cards reported at a milestone count as dealt when they were due."""
    of = scope.compiled_game.game.deal.stages[stage]
    if of.exchanges is not None or not has_any(reported_out_of_order(scope)[find_dealing_events(scope, stage)]):
        return _compare_with_ways(scope, stage)
    return [_compare_with_way(scope, stage, way, reported_out_of_order(scope)) for way in of.permitted_ways.values()]


def _compare_draws(scope: EvaluationContext, stage: int) -> _WayComparison:
    """Compare the draws of a stage of exchanging, from each seat's first packet on, with the order of the seats."""
    events, owner, rounds = scope.batch.events, scope.batch.seats.round, scope.count_items("round")
    chosen = find_dealing_events(scope, stage)
    chosen = chosen[(events.kind[chosen] == KIND_CODES["draw"]) & (events.seat[chosen] != ABSENT)]
    chosen = chosen[scope.batch.seats.playing[events.seat[chosen]]]
    cards = np.bincount(events.seat[chosen], deal_stages.count_cards(scope, chosen), scope.count_items("seat")).astype(
        np.int16
    )
    seat, first = np.unique(events.seat[chosen], return_index=True)
    came = np.sort(first)
    due = seat[
        np.lexsort((_find_turn_keys(scope, scope.compiled_game.game.deal.stages[stage].first_seat)[seat], owner[seat]))
    ]
    late = find_true(events.seat[chosen[came]] != due)[::-1]
    broke_at, expected, size = np.full(rounds, _NEVER), np.full(rounds, ABSENT, np.int32), np.zeros(rounds, np.int16)
    broke_at[owner[due[late]]] = chosen[came[late]]
    expected[owner[due[late]]] = due[late]
    size[owner[due[late]]] = cards[due[late]]
    return _WayComparison(
        broke_at=broke_at, expected=expected, size=size, reached=broke_at, begun=np.ones(rounds, bool)
    )


def _compare_with_way(
    scope: EvaluationContext, stage: int, way: DealingWay, moved: Flags | None = None
) -> _WayComparison:
    """Compare a stage with a way of dealing.

    Places with a wrong number of cards at the end are ignored, so that a miscount neither hides nor causes cards out of
    turn.

    Args:
        moved: bool[events], events that count as dealt when they were due.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    counted = _find_right_counts(scope, stage, way)
    start, due_place, due_size = expected_packets(scope, stage, way, counted)
    chosen = find_dealing_events(scope, stage)
    receiver = deal_stages.receivers(scope).take(chosen)
    chosen, sizes = join_packets(scope, way, chosen.compress(counted.take(receiver)))
    owner = events.round.take(chosen)
    per_round = np.bincount(owner, minlength=rounds)
    position = number_items(per_round)
    seat, place = events.seat.take(chosen), events.place.take(chosen)
    observed = np.where(seat != ABSENT, seat, scope.count_items("seat") + place.astype(np.int32))
    if moved is not None:
        order = order_as_due(owner, moved[chosen], (observed, sizes), start, (due_place, due_size))
        chosen, sizes, observed, place = chosen[order], sizes[order], observed[order], place[order]

    more = position >= np.diff(start).repeat(per_round)
    at = np.where(more, len(due_place) - 1, start[:-1].repeat(per_round) + position)
    wrong = more | (observed != due_place.take(at)) | (sizes != due_size.take(at))
    packets = {(PLACES.index(place), pass_.each) for pass_ in way.passes for place in pass_.to}
    given = np.zeros((len(PLACES), WIDEST_HAND + 1), bool)
    given[tuple(zip(*packets, strict=True))] = True
    of_this_way = given[place, np.minimum(sizes, WIDEST_HAND)]

    broke_at, reached = np.full(rounds, _NEVER), np.full(rounds, _NEVER)
    expected, size = np.full(rounds, ABSENT, np.int32), np.zeros(rounds, np.int16)
    bad = find_true(wrong)[::-1]
    broke_at[owner[bad]] = chosen[bad]
    reached[owner[bad]] = 2 * chosen[bad] + of_this_way[bad]
    expected[owner[bad]] = np.where(more[bad], ABSENT, due_place[at[bad]])
    size[owner[bad]] = due_size[at[bad]]
    begun = np.ones(rounds, bool)
    begun[owner[~of_this_way & (position == 0)]] = False
    return _WayComparison(broke_at=broke_at, expected=expected, size=size, reached=reached, begun=begun)


def join_packets(scope: EvaluationContext, way: DealingWay, chosen: Ints) -> tuple[Ints, Ints]:
    """Return the first event of every packet, and its number of cards.

    Consecutive cards to a place are one packet if the way permits the packet to be split.

    Returns:
        int64[m] each.
    """
    events, sizes = scope.batch.events, deal_stages.count_cards(scope, chosen)
    parted = [PLACES.index(place) for pass_ in way.passes if pass_.parted for place in pass_.to]
    if not parted:
        return chosen, sizes
    receiver, to_parted = deal_stages.receivers(scope)[chosen], is_one_of(events.place[chosen], parted)
    goes_on = np.zeros(len(chosen), bool)
    goes_on[1:] = (receiver[1:] == receiver[:-1]) & to_parted[1:]
    first = find_true(~goes_on)
    return chosen[first], np.add.reduceat(sizes, first) if len(first) else sizes


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


def expected_packets(
    scope: EvaluationContext, stage: int, way: DealingWay, counted: Flags
) -> tuple[Ints, Ints32, Ints16]:
    """Return the packets due in every round, joined.

    Returns:
        int64[rounds + 1], the first packet of each round; the place that is due each packet, as in
        `DealingOrderCheck.expected`; its number of cards. A last entry matches no packet.
    """
    first_by = scope.compiled_game.game.deal.stages[stage].first_by
    if first_by is not None:
        return expect_packets_in_ring(scope, first_by, way, counted)
    seats, rounds = scope.batch.seats, scope.count_items("round")
    served = _sort_by_turn(scope, scope.compiled_game.game.deal.stages[stage].first_seat)
    served = served.compress(counted.take(served))
    elsewhere = counted[len(seats.round) :].reshape(rounds, len(PLACES))
    in_round = np.bincount(seats.round.take(served), minlength=rounds)
    rank = number_items(in_round)

    packets = [(place, pass_.each) for pass_ in way.passes for _ in range(pass_.times) for place in pass_.to]
    length = np.zeros(rounds, np.int64)
    offsets = []
    for place, _ in packets:
        offsets.append(length)
        length = length + (in_round if place == "player" else elsewhere[:, PLACES.index(place)])
    start = np.concatenate([[0], np.cumsum(length)])
    places, sizes = np.full(start[-1] + 1, ABSENT, np.int32), np.zeros(start[-1] + 1, np.int16)
    for (place, each), offset in zip(packets, offsets, strict=True):
        if place == "player":
            at = (start[:-1] + offset).repeat(in_round) + rank
            places[at] = served
        else:
            of = find_true(elsewhere[:, PLACES.index(place)])
            at = (start[:-1] + offset)[of]
            places[at] = len(seats.round) + PLACES.index(place)
        sizes[at] = each
    return start, places, sizes


_DEALER = PLACES.index("dealer")


def find_first_place(scope: EvaluationContext, first_by: FirstByOutcome) -> tuple[Ints, Flags]:
    """Return the place that an outcome makes the first in each round, 0 for the dealer's, and whether it is known.

    Returns:
        int64[rounds], bool[rounds].
    """
    values = outcome_values(scope, first_by.outcome)
    numbers = [number or ABSENT for number in scope.compiled_game.outcomes[first_by.outcome].numbers]
    number = np.array([*numbers, ABSENT], np.int64)[values]
    return (number - 1) % first_by.places, number > 0


def expect_packets_in_ring(
    scope: EvaluationContext, first_by: FirstByOutcome, way: DealingWay, counted: Flags
) -> tuple[Ints, Ints32, Ints16]:
    """Return the packets due in every round, as `expected_packets`.

    All places of a pass follow each other round the table, from the first place on.
    """
    seats, rounds = scope.batch.seats, scope.count_items("round")
    first, _ = find_first_place(scope, first_by)
    served = find_true(counted[: len(seats.round)])
    dealers = find_true(counted[len(seats.round) :].reshape(rounds, len(PLACES))[:, _DEALER])
    owner = np.concatenate([seats.round[served], dealers]).astype(np.int64)
    place = np.concatenate([served, np.full(len(dealers), len(seats.round) + _DEALER)])
    number = np.concatenate([seats.number[served].astype(np.int64), np.zeros(len(dealers), np.int64)])
    rank = (number - first[owner]) % first_by.places
    columns = []
    repetitions = [deal_pass for deal_pass in way.passes for _ in range(deal_pass.times)]
    for turn, deal_pass in enumerate(repetitions):
        ours = find_true(np.where(place < len(seats.round), "player" in deal_pass.to, "dealer" in deal_pass.to))
        size = np.full(len(ours), deal_pass.each)
        columns.append((owner[ours], np.full(len(ours), turn), rank[ours], place[ours], size))
    owners, turns, ranks, places, sizes = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    order = np.lexsort((ranks, turns, owners))
    start = np.concatenate([[0], np.cumsum(np.bincount(owners, minlength=rounds))])
    # A last entry matches no packet.
    return start, np.append(places[order], ABSENT).astype(np.int32), np.append(sizes[order], 0).astype(np.int16)
