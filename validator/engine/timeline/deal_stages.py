"""Stages of the deal: the stage in which each card was dealt or exchanged.

In a regular round each receiver gets the cards of one stage after another. A decision or a burnt card comes before each
stage. `plain_deal_stages` has the rules, and assigns stages in the other rounds.

Burnt cards belong to the stage of the cards that follow them.
"""

from __future__ import annotations

from itertools import chain, groupby, pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Codes, Flags, Ints, Ints8, Ints32, find_distinct, find_true, is_one_of
from fairdeal.validator.engine.core.compiled_game import CompiledGame, cached_by_game
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.timeline import recorded_acts
from fairdeal.validator.engine.timeline.event_cards import count_named_cards
from fairdeal.validator.engine.timeline.plain_deal_stages import (
    DealStages,
    DealtCards,
    ExchangeEvent,
    RoundDeal,
    assign_exchanges,
)
from fairdeal.validator.evidence.columns.recorded_events import is_recorded, sum_before_each
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES

_DISCARD, _DRAW, _DECIDE = KIND_CODES["discard"], KIND_CODES["draw"], KIND_CODES["decide"]
_PLAYER = PLACES.index("player")
BURN = PLACES.index("burn")


def stage_of_events(scope: EvaluationContext) -> Ints8:
    """Return the stage of each event that deals or exchanges cards, as an index; ABSENT for other events.

    Returns:
        int8[events].
    """
    return _assign_stages(scope)[0]


@cached_fact
def is_burn_of_unknown_stage(scope: EvaluationContext) -> Flags:
    """Return whether each event burns cards in a stage that the log leaves open.

    Returns:
        bool[events].
    """
    events = scope.batch.events
    result = (stage_of_events(scope) == ABSENT) & (events.kind == KIND_CODES["deal"]) & (events.place == BURN)
    chosen = find_true(result)
    result[chosen] = count_cards(scope, chosen) > 0
    return result


def is_dealt_beyond_stage(scope: EvaluationContext) -> Flags:
    """Return whether each event deals a card to a seat or place that already had all cards of the stage.

    No event does in a game of one stage.

    Returns:
        bool[events].
    """
    return _assign_stages(scope)[1]


@cached_fact
def _assign_stages(scope: EvaluationContext) -> tuple[Ints8, Flags]:
    deal, events = scope.compiled_game.game.deal, scope.batch.events
    result, beyond = np.full(len(events.round), ABSENT, np.int8), np.zeros(len(events.round), bool)
    chosen = find_true(events.kind == KIND_CODES["deal"])
    chosen = chosen[count_cards(scope, chosen) > 0]  # an event without cards deals nothing
    if len(deal.stages) < 2:
        result[chosen] = 0 if deal.stages else ABSENT
        return result, beyond
    burnt = events.place[chosen] == BURN
    cards, parted = chosen[~burnt], _follows_burn(events.round[chosen], burnt)[~burnt]
    result[cards], beyond[cards], reached = _follow_deal(scope, cards, parted)
    if deal.exchanging_stages:
        exchanged, stage = _assign_exchanges(scope, result)
        result[exchanged] = stage
        np.maximum.at(reached, events.round[exchanged], stage)
    _assign_burns(scope, result, chosen[burnt], reached)
    return result, beyond


@cached_fact
def receivers(scope: EvaluationContext) -> Ints:
    """Return the receiver of each event's cards: a seat index or, after all seats, a place of its round.

    Returns:
        int64[events].
    """
    events, seats = scope.batch.events, scope.count_items("seat")
    place = seats + events.round.astype(np.int64) * len(PLACES) + events.place
    return np.where(events.seat != ABSENT, events.seat, place)


def count_receivers(scope: EvaluationContext) -> int:
    """Return the number of all receivers, seats and places."""
    return scope.count_items("seat") + scope.count_items("round") * len(PLACES)


def count_cards(scope: EvaluationContext, chosen: Ints) -> Ints:
    """Return how many cards each event shows.

    Returns:
        int64[m].
    """
    events = scope.batch.events
    if not len(chosen):
        return np.zeros(0, np.int64)
    return events.hands.count[events.cards_row[chosen]].astype(np.int64)


@cached_fact
def count_cards_dealt_in(scope: EvaluationContext, stage: int) -> Ints:
    """Return how many cards each receiver was dealt in a stage.

    Returns:
        int64[receivers].
    """
    of = stage_of_events(scope)
    ours = find_true((scope.batch.events.kind == KIND_CODES["deal"]) & (of == stage))
    return np.bincount(receivers(scope)[ours], count_cards(scope, ours), count_receivers(scope)).astype(np.int64)


def _assign_burns(scope: EvaluationContext, stages: Ints8, burns: Ints, reached: Ints) -> None:
    """Assign stages to burnt cards: the stage of the cards that follow.

    The last burnt cards of a round belong to the stage after the one that the round reached, int64[rounds]. After the
    last stage they belong to it as well, unless the record stops there: what they were burnt for may follow. If the log
    does not record the deal at a place to which cards come after a burn, no stage is known.
    """
    owner, last = scope.batch.events.round, len(scope.compiled_game.game.deal.stages) - 1
    due = np.where(reached == ABSENT, 0, np.minimum(reached + 1, last))
    due[(reached == last) & ~scope.batch.complete] = ABSENT
    others = find_true(stages != ABSENT)
    following = np.append(others, ABSENT)[np.searchsorted(others, burns)]
    ours = (following != ABSENT) & (owner[following] == owner[burns])
    stages[burns] = np.where(ours, stages[following], due[owner[burns]])
    ways = [
        way.count_dealt() for stage in scope.compiled_game.game.deal.stages for way in stage.permitted_ways.values()
    ]
    for place in {place for way in ways if "burn" in way for place in way}:
        stages[burns[~is_recorded(scope.batch, "deal", place=place)[owner[burns]]]] = ABSENT


def _find_previous(receiver: Ints) -> Ints:
    """Return the previous event of the same receiver; ABSENT if there is none."""
    order, result = np.argsort(receiver, kind="stable"), np.full(len(receiver), ABSENT, np.int64)
    same = np.diff(receiver[order]) == 0
    result[order[1:][same]] = order[:-1][same]
    return result


def _find_runs(owner: NDArray[np.integer], number: Ints) -> tuple[Flags, Flags, Ints]:
    """Part entries into runs of equal numbers.

    Args:
        owner: the round of each entry, ascending.
        number: the number of each entry.

    Returns:
        bool[m] twice, whether an entry is the first of its round, and whether it begins another run; int64[m], the
        first entry of its run.
    """
    begins = np.diff(owner, prepend=ABSENT) != 0
    moves = (np.diff(number, prepend=ABSENT) != 0) & ~begins
    return begins, moves, np.maximum.accumulate(np.where(begins | moves, np.arange(len(owner)), 0))


def _follows_burn(owner: Ints32, burnt: Flags) -> Flags:
    """Return whether the previous event of the deal in the round burnt a card."""
    after = np.zeros(len(owner), bool)
    after[1:] = burnt[:-1] & (owner[1:] == owner[:-1])
    return after


@cached_by_game
def _build_stages(game: CompiledGame) -> DealStages:
    return DealStages.build(game.game.deal)


@cached_by_game
def _tabulate_stages(game: CompiledGame) -> tuple[Ints, Ints]:
    """Return the cards of each place in each stage, and the stage that a burnt card begins, int64[stages, places]."""
    stages = _build_stages(game)
    after_burn = [
        [stages.find_next_after_burn(stage, place) for place in range(len(PLACES))] for stage in range(len(stages.full))
    ]
    return np.array(stages.full, np.int64), np.array(after_burn, np.int64)


def _follow_deal(scope: EvaluationContext, cards: Ints, parted: Flags) -> tuple[Ints8, Flags, Ints]:
    """Assign a stage to each event that deals cards to places.

    Args:
        cards: int64[m], the events in log order.
        parted: bool[m], whether a card was burnt directly before each event.

    Returns:
        int8[m], the stages; bool[m], whether the receiver already had all of the stage; int64[rounds], the last stage
        of each round, ABSENT if none began.
    """
    owner = scope.batch.events.round[cards]
    result, is_regular = _follow_regular_deals(scope, cards, parted)
    beyond, reached = np.zeros(len(cards), bool), np.full(len(scope.batch), ABSENT, np.int64)
    reached[owner] = result
    odd = find_true(~is_regular[owner])
    if len(odd):
        result[odd], beyond[odd], current = np.array(_follow_odd_deals(scope, cards[odd], parted[odd])).T
        reached[owner[odd]] = current
    return result, beyond, reached


def _follow_regular_deals(scope: EvaluationContext, cards: Ints, parted: Flags) -> tuple[Ints8, Flags]:
    """Assign stages by the number of cards that each receiver has had.

    Returns:
        int8[m], the stages; bool[rounds], whether the deal is regular, so that they are right.
    """
    events = scope.batch.events
    owner, place, size = events.round[cards], events.place[cards], count_cards(scope, cards)
    full, after_burn = _tabulate_stages(scope.compiled_game)
    had = sum_before_each(receivers(scope)[cards], size, count_receivers(scope))
    through = full.cumsum(axis=0)[:, place]
    stage = np.minimum((through <= had).sum(axis=0), len(full) - 1)
    is_right = had + size <= through[stage, np.arange(len(cards))]

    begins, moves, run = _find_runs(owner, stage)
    since = np.where(moves, np.arange(len(cards)) - 1, run)
    current, is_seated = stage[since], events.seat[cards] != ABSENT
    compares = is_seated & _build_stages(scope.compiled_game).serve_seats_again
    bets, plays = (np.searchsorted(acts, cards) for acts in _list_acts(scope))
    has_acted = np.where(is_seated, bets != bets[since], plays != plays[since])
    # Cards at no seat after the last decision and the last burnt card are one packet.
    last, burns = np.searchsorted(owner, owner, side="right") - 1, parted.cumsum()
    parts = plays + burns
    is_free = ~compares & (is_seated | (full[current, place] == 0) | (parts == parts[last]))
    burnt = np.where(parted, after_burn[current, place], ABSENT)
    moves_right = np.where(burnt == ABSENT, (stage > current) & (has_acted | is_free), stage == burnt)
    stays_right = (burnt == ABSENT) & ~(has_acted & (compares | ~is_seated)) & ~((burns != burns[run]) & compares)
    is_right &= begins | np.where(moves, moves_right, stays_right)
    is_regular = np.ones(len(scope.batch), bool)
    is_regular[owner[~is_right]] = False
    is_regular[scope.batch.seats.round[scope.boxes.origin != ABSENT]] = False
    return stage.astype(np.int8), is_regular


def _list_acts(scope: EvaluationContext) -> tuple[Ints, Ints]:
    """Return the decisions in the betting, and all decisions that end a packet of cards at no seat."""
    return recorded_acts.betting_decisions(scope), recorded_acts.play_decisions(scope)


def _follow_odd_deals(scope: EvaluationContext, cards: Ints, parted: Flags) -> list[tuple[int, bool, int]]:
    """Assign a stage to each event of some rounds, round by round.

    Returns:
        The stage of each event, whether the receiver already had all of it, and the current stage of the round.
    """
    events, stages = scope.batch.events, _build_stages(scope.compiled_game)
    owner, seat, (bets, acts) = events.round[cards], events.seat[cards], _list_acts(scope)
    columns = (
        cards,
        receivers(scope)[cards],
        events.place[cards],
        seat != ABSENT,
        count_cards(scope, cards),
        parted,
        np.searchsorted(acts, cards),
        np.searchsorted(bets, cards),
        recorded_acts.last_betting_decision(scope, cards),
    )
    dealt = list(map(DealtCards, *(column.tolist() for column in columns)))
    # A hand that was split off has its cards of the first stage: one of another hand, and the next that it is dealt.
    first = next(iter(stages.serving[_PLAYER]), 0)
    split_off = set(find_true(scope.boxes.origin != ABSENT).tolist())
    ends = np.searchsorted(acts, events.offsets[1:]).tolist()
    result: list[tuple[int, bool, int]] = []
    for round_, numbers in groupby(range(len(dealt)), key=owner.tolist().__getitem__):
        ours = [dealt[number] for number in numbers]
        held = dict.fromkeys(split_off.intersection(c.receiver for c in ours), (first, stages.full[first][_PLAYER]))
        result += RoundDeal(stages, ours, ends[round_], held).assign()
    return result


def _assign_exchanges(scope: EvaluationContext, dealt: Ints8) -> tuple[Ints, Ints]:
    """Return the events of exchanging and the stage of each.

    Args:
        dealt: int8[events], the stage of each event that deals cards, ABSENT for others.

    Returns:
        int64[m], the events in log order; int64[m], the index of the stage of each.
    """
    deal, events = scope.compiled_game.game.deal, scope.batch.events
    exchanging = [deal.stages[number].exchanges or {} for number in deal.exchanging_stages]
    kind, places = events.kind, {place for exchanges in exchanging for place in exchanges}
    ours = is_one_of(kind, (_DISCARD, _DRAW)) & is_one_of(events.place, [PLACES.index(place) for place in places])
    if "player" in places:
        of_exchanges = recorded_acts.is_decision_of_kind(scope, recorded_acts.EXCHANGE_KINDS)
        ours |= of_exchanges & (events.seat != ABSENT)
    chosen, stages = find_true(ours), np.array(deal.exchanging_stages)
    if len(stages) == 1:
        return chosen, stages.repeat(len(chosen))
    if not len(chosen):
        return chosen, chosen
    size, recorded = count_named_cards(scope, chosen)
    stands_pat = recorded_acts.is_decision_of_kind(scope, {"stand-pat"})[chosen]
    # The last stage that was dealt before each event ends the exchanges before it.
    span = len(deal.stages) + 1
    past = np.maximum.accumulate(events.round.astype(np.int64) * span + dealt + 1)[chosen]
    owner, kind = events.round[chosen].astype(np.int64), kind[chosen]
    exchanges = ExchangeColumns(
        event=chosen,
        receiver=receivers(scope)[chosen],
        place=np.where(kind == _DECIDE, _PLAYER, events.place[chosen]),
        kind=kind,
        keeps=stands_pat | ((kind == _DISCARD) & recorded & (size == 0)),
        own_act=recorded_acts.last_betting_decision(scope, chosen),
        least=np.minimum(np.searchsorted(stages, past - owner * span - 1), len(stages) - 1),
    )
    number, is_right = _follow_regular_exchanges(scope, owner, exchanges)
    if all(served.keys() == exchanging[0].keys() for served in exchanging):
        is_right &= number < len(stages)
    else:
        is_right[:] = False
    odd = find_true(is_one_of(owner, find_distinct(owner[~is_right])))
    if len(odd):
        columns = (getattr(exchanges, name)[odd].tolist() for name in ExchangeEvent._fields)
        listed, first = list(map(ExchangeEvent, *columns)), find_true(np.diff(owner[odd], prepend=ABSENT)).tolist()
        rounds = [assign_exchanges(exchanging, listed[at:end]) for at, end in pairwise([*first, len(odd)])]
        number[odd] = [*chain.from_iterable(rounds)]
    return chosen, stages[number]


class ExchangeColumns(Struct, frozen=True, kw_only=True):
    """Events of exchanges, with the fields of `ExchangeEvent` as columns."""

    event: Ints
    receiver: Ints
    place: Ints
    kind: Codes
    keeps: Flags
    own_act: Ints
    least: Ints


def _follow_regular_exchanges(scope: EvaluationContext, owner: Ints, events: ExchangeColumns) -> tuple[Ints, Flags]:
    """Number exchanges by how often each receiver comes up again: it has acted since, or its exchange was over.

    In a regular round, the first receiver that comes up again begins the next exchange.

    Returns:
        int64[m], the exchange of each event; bool[m], whether it is right if all of its round are.
    """
    receiver, kind, keeps = events.receiver, events.kind, events.keeps
    opens, closes = kind != _DRAW, keeps | (kind == _DRAW)
    opens[1:] &= ~(keeps[1:] & keeps[:-1] & (receiver[1:] == receiver[:-1]) & (kind[1:] != kind[:-1]))
    earlier = _find_previous(receiver)
    repeats = (earlier != ABSENT) & opens & closes[earlier]
    again = repeats | ((earlier != ABSENT) & (events.own_act != events.own_act[earlier]))
    number = sum_before_each(receiver, again.astype(np.int64), count_receivers(scope)) + again
    begins, moves, run = _find_runs(owner, number)
    before = np.arange(len(owner)) - 1
    has_acted = events.own_act > events.event[np.where(moves, run[before], run)]
    moves_right = opens & (number == number[before] + 1)
    is_right = np.where(begins, number == 0, np.where(moves, moves_right, ~has_acted))
    return number, is_right & (events.least <= number)
