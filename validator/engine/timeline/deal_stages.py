"""Stages of the deal: the stage in which each card was dealt or exchanged.

The log states what was dealt, but not the stage. Cards belong to the current stage until their place has all of it.
They also do until the seat that receives them has acted since the stage began. The next cards begin the next stage
that serves the place.

A packet is what is dealt until somebody acts. A seat that gets more cards in a packet than any other seat has a card
too many, and the next stage has not begun. If a packet includes a seat that had all of the stage, its first card
begins the next stage.

A burnt card begins the next stage if that stage begins with a burn. A miscount in one stage therefore does not shift
later ones. If the next cards are what the stage still lacks and nobody has acted since, the card was burnt in the
middle of the stage. Burnt cards belong to the stage of the cards that follow them.

Cards at no seat begin the next stage if somebody has acted since the previous card. If at least as many packets
follow as stages are left, cards dealt at once belong together.

An exchange of cards ends when a seat comes up again that has drawn, kept its cards, or acted in the betting since. The
seat begins the next exchange when it discards or keeps its cards. To discard no card is to stand pat. Cards dealt in
a later stage end the exchanges before it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from fairdeal.validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32, find_true, has_any, is_one_of, make_offsets
from fairdeal.validator.engine.core.evaluation_context import EvaluationContext, cached_fact
from fairdeal.validator.engine.timeline import event_cards, recorded_acts
from fairdeal.validator.engine.timeline.event_cards import count_named_cards
from fairdeal.validator.evidence.columns.recorded_events import is_recorded
from fairdeal.validator.evidence.columns.round_batch import Events
from fairdeal.validator.evidence.event_kinds import PLACES
from fairdeal.validator.evidence.log_events import KIND_CODES
from fairdeal.validator.rules.deal_model import Deal, DealingWay

_DISCARD, _DRAW, _DECIDE = KIND_CODES["discard"], KIND_CODES["draw"], KIND_CODES["decide"]


def stages_of_exchanges(scope: EvaluationContext, receiver: Ints, dealt: Ints8) -> tuple[Ints, Ints]:
    """Return the events of exchanging and the stage of each.

    Args:
        receiver: int64[events], the receiver of each event's cards, one number per seat or place of a round.
        dealt: int8[events], the stage of each event that deals cards, ABSENT for others.

    Returns:
        int64[m], the events in log order; int64[m], the index of the stage of each.
    """
    deal, events = scope.compiled_game.game.deal, scope.batch.events
    said, stands_pat = (
        recorded_acts.is_decision_of_kind(scope, recorded_acts.EXCHANGE_KINDS),
        recorded_acts.is_decision_of_kind(scope, {"stand-pat"}),
    )
    chosen = _find_exchange_events(deal, events, said)
    if not len(chosen):
        return chosen, chosen
    acted, (size, recorded) = recorded_acts.last_betting_decision(scope, chosen), count_named_cards(scope, chosen)
    course, kind = _build_exchange_stages(deal), events.kind[chosen]
    keeps = stands_pat[chosen] | ((kind == _DISCARD) & recorded & (size == 0))
    who = np.unique(receiver[chosen], return_inverse=True)[1]
    # A decision to stand pat and a discard of no cards mean the same, whichever comes first.
    twice = np.zeros(len(chosen), bool)
    twice[1:] = keeps[1:] & keeps[:-1] & (who[1:] == who[:-1]) & (kind[1:] != kind[:-1])
    result = _assign_exchanges(
        owner=events.round[chosen],
        who=who,
        place=np.where(kind == _DECIDE, PLACES.index("player"), events.place[chosen]),
        at=chosen,
        opens=(kind != _DRAW) & ~twice,
        closes=(kind == _DRAW) | keeps,
        acted=acted,
        least=_count_past_stages(course, len(deal.stages), events, chosen, dealt),
        course=course,
    )
    return chosen, course.stages[result]


def _find_exchange_events(deal: Deal, events: Events, said: Flags) -> Ints:
    """Return the discards and draws at places that may exchange cards, and the decisions about it.

    Args:
        said: bool[events], the decisions about exchanges.
    """
    places = {place for number in deal.exchanging_stages for place in deal.stages[number].exchanges or ()}
    moved = (events.kind == _DISCARD) | (events.kind == _DRAW)
    ours = moved & is_one_of(events.place, [PLACES.index(place) for place in places])
    if "player" in places:
        ours |= said & (events.seat != ABSENT)
    return find_true(ours)


class _ExchangeStages(Struct, frozen=True, kw_only=True):
    """Stages in which cards are exchanged."""

    stages: Ints
    """Index of each stage in the game's list, int64[n]."""
    serving: Ints
    """First exchange from each one on in which a place exchanges cards, or the last one, int64[n, places]."""


def _build_exchange_stages(deal: Deal) -> _ExchangeStages:
    serving = np.zeros((len(deal.exchanging_stages), len(PLACES)), np.int64)
    for code, place in enumerate(PLACES):
        ours = [
            index
            for index, number in enumerate(deal.exchanging_stages)
            if place in (deal.stages[number].exchanges or ())
        ]
        for index in range(len(serving)):
            serving[index, code] = next(
                (stage_index for stage_index in ours if stage_index >= index), ours[-1] if ours else index
            )
    return _ExchangeStages(stages=np.array(deal.exchanging_stages), serving=serving)


def _count_past_stages(course: _ExchangeStages, stages: int, events: Events, chosen: Ints, dealt: Ints8) -> Ints:
    """Return how many exchanges precede the last stage that was dealt before each event."""
    owner, span = events.round.astype(np.int64), stages + 1
    reached = np.maximum.accumulate(owner * span + dealt + 1)[chosen] - owner[chosen] * span - 1
    return np.minimum(np.searchsorted(course.stages, reached), len(course.stages) - 1)


def _assign_exchanges(
    *,
    owner: Ints32,
    who: Ints,
    place: NDArray[np.integer],
    at: Ints,
    opens: Flags,
    closes: Flags,
    acted: Ints,
    least: Ints,
    course: _ExchangeStages,
) -> Ints:
    """Return the exchange of each event, counted from 0.

    The loop advances all rounds together, one event of each round at a time.
    """
    number = np.bincount(owner)
    start = make_offsets(number)[:-1]
    longest_first = np.argsort(-number, kind="stable")
    result = np.zeros(len(at), np.int64)
    now, began = np.full(len(number), ABSENT), np.zeros(len(number), np.int64)
    opened, closed = (np.full(int(who.max()) + 1, ABSENT) for _ in range(2))
    for step in range(int(number.max())):
        rounds = longest_first[: int((number > step).sum())]
        here = start[rounds] + step
        seat, current = who[here], now[rounds]
        answers = ~opens[here] & (opened[seat] == current) & (closed[seat] != current)
        repeated = opens[here] & (closed[seat] == current)
        moves = (current != ABSENT) & ~answers & (repeated | (acted[here] > began[rounds]))
        wanted = np.maximum(np.maximum(current, 0) + moves, least[here])
        belongs = course.serving[np.minimum(wanted, len(course.stages) - 1), place[here]]
        result[here] = belongs
        began[rounds] = np.where(belongs > current, at[here], began[rounds])
        now[rounds] = np.maximum(current, belongs)
        opened[seat] = np.where(opens[here], belongs, opened[seat])
        closed[seat] = np.where(closes[here], belongs, closed[seat])
    return result


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
    if len(deal.stages) == 1:
        result[chosen] = 0
        return result, beyond
    burnt = events.place[chosen] == BURN
    cards, parted = chosen[~burnt], _follows_burn(events.round[chosen], burnt)[~burnt]
    result[cards], beyond[cards], reached = _follow_deal(scope, _build_deal_stages(deal), cards, parted)
    if deal.exchanging_stages:
        exchanged, stage = stages_of_exchanges(scope, receivers(scope), result)
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
    active = scope.count_items("seat") + scope.count_items("round") * len(PLACES)
    return np.bincount(receivers(scope)[ours], count_cards(scope, ours), active).astype(np.int64)


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


def _follows_burn(owner: Ints32, burnt: Flags) -> Flags:
    """Return whether the previous event of the deal in the round burnt a card."""
    after = np.zeros(len(owner), bool)
    after[1:] = burnt[:-1] & (owner[1:] == owner[:-1])
    return after


_MANY_STAGES = 1 << 10
"""More stages than there are packets of one place."""


class _DealStages(Struct, frozen=True, kw_only=True):
    """Stages of the deal as tables by stage and place, int64[stages, places]. ABSENT means that there is no
    such stage.
    """

    full: Ints
    """Number of cards of the place in the stage; 0 if the stage does not serve it."""
    after: Ints
    """Next stage that serves the place."""
    parted: Ints
    """Next stage that serves the place and begins with a burn."""
    before: Ints
    """Last stage up to this one that serves the place."""
    left: Ints
    """Number of later stages that serve the place."""
    first: Ints
    """Stage of the first card of the place: no card comes by a rule before the cards that come in any case."""


def _build_deal_stages(deal: Deal) -> _DealStages:
    stages, places = len(deal.stages), len(PLACES)
    full = np.zeros((stages, places), np.int64)
    opens, inside = np.zeros(stages, bool), np.zeros(stages, bool)
    for number, stage in enumerate(deal.stages):
        ways = list(stage.permitted_ways.values())
        for way in ways:
            for place, count in way.count_dealt().items():
                full[number, PLACES.index(place)] = max(full[number, PLACES.index(place)], count)
        opens[number] = all(count_initial_burns(way) for way in ways)
        inside[number] = any(burns_mid_stage(way) for way in ways)
    left = (full > 0)[::-1].cumsum(axis=0)[::-1] - (full > 0)
    by_rule = np.array([stage.is_by_rule for stage in deal.stages], np.bool_)
    # Before a stage that may not come, further packets do not show that a card is one too many.
    left[((full > 0) & by_rule[:, None])[::-1].cumsum(axis=0)[::-1] > 0] = _MANY_STAGES
    after, parted, before = (np.full((stages, places), ABSENT, np.int64) for _ in range(3))
    first = np.repeat(np.arange(stages)[:, None], places, axis=1)
    for number in range(stages):
        for code in range(places):
            served = find_true(full[:, code] > 0)
            later = served[served > number]
            earlier = served[served <= number]
            burning = later[opens[later]]
            after[number, code] = later[0] if len(later) else ABSENT
            parted[number, code] = burning[0] if len(burning) and not inside[number] else ABSENT
            before[number, code] = earlier[-1] if len(earlier) else ABSENT
            if by_rule[number] and len(earlier) and not by_rule[earlier[0]]:
                first[number, code] = earlier[0]
    return _DealStages(full=full, after=after, parted=parted, before=before, left=left, first=first)


def count_initial_burns(way: DealingWay) -> int:
    """Return how many cards are burnt before the first card of the stage."""
    first = way.passes[0] if way.passes else None
    return first.each if first is not None and first.to[0] == "burn" else 0


def burns_mid_stage(way: DealingWay) -> bool:
    """Return whether cards are burnt after some cards of the stage have been dealt."""
    if not way.passes:
        return False
    first, *others = way.passes
    return (
        "burn" in first.to[1:]
        or (first.times > 1 and "burn" in first.to)
        or any("burn" in pass_.to for pass_ in others)
    )


def _follow_deal(
    scope: EvaluationContext, course: _DealStages, cards: Ints, parted: Flags
) -> tuple[Ints8, Flags, Ints]:
    """Assign a stage to each event that deals cards to places. The loop advances all rounds together, event by event.

    Args:
        cards: int64[m], the events in log order.
        parted: bool[m], whether a card was burnt directly before each event.

    Returns:
        int8[m], the stages; bool[m], whether the receiver already had all of the stage; int64[rounds], the last stage
        of each round, ABSENT if none began.
    """
    events, rounds = scope.batch.events, scope.count_items("round")
    owner, place, size = events.round[cards], events.place[cards], count_cards(scope, cards)
    receiver = receivers(scope)[cards]
    number = np.bincount(owner, minlength=rounds)
    start = make_offsets(number)[:-1]
    longest_first = np.argsort(-number, kind="stable")
    acts, bets = recorded_acts.play_decisions(scope), recorded_acts.betting_decisions(scope)
    acted, packets = np.full(len(cards), ABSENT, np.int64), event_cards.build_empty_packets(len(cards))
    deal = scope.compiled_game.game.deal
    varies = any("player" in deal.stages[number].count_most_cards() for number in deal.stages_by_rule)
    if has_any(course.after[:, PLACES.index("player")] != ABSENT) and not varies:  # else no stage depends on them
        acted = recorded_acts.last_betting_decision(scope, cards)
        packets = event_cards.find_deal_packets(scope, cards, parted, size, bets)
    remainders = event_cards.find_stage_remainders(scope, cards, parted, receiver, size, acts)
    boards = event_cards.find_board_packets(scope, cards, parted, receiver, acts)
    began = np.zeros(rounds, np.int64)
    result, beyond = np.full(len(cards), ABSENT, np.int8), np.zeros(len(cards), bool)
    reached = np.full(rounds, ABSENT, np.int64)
    got = np.zeros(scope.count_items("seat") + rounds * len(PLACES), np.int64)
    got_in = np.full(len(got), ABSENT, np.int64)
    # A hand that was split off has its cards of the first stage: one of another hand, and the next that it is dealt.
    split_off = find_true(scope.boxes.origin != ABSENT)
    if len(split_off):
        first = int(find_true(course.full[:, PLACES.index("player")])[0])
        got[split_off], got_in[split_off] = course.full[first, PLACES.index("player")], first

    def had_in(who: Ints, stage: Ints) -> Ints:
        """Return how many cards of a stage each receiver has."""
        return np.where(got_in[who] == stage, got[who], 0)

    for step in range(int(number.max(initial=0))):
        active = longest_first[: int((number > step).sum())]  # rounds with another event
        here = start[active] + step
        stage, served, who = np.maximum(reached[active], 0), place[here], receiver[here]
        has_begun, had, due = reached[active] != ABSENT, had_in(who, stage), course.full[stage, served]
        is_after_burn = parted[here] & has_begun & ~remainders.fits_stage(here, stage, had_in, course.full)
        is_complete = (
            (had >= due) | (has_begun & (acted[here] > began[active])) | (boards.follows_action[here] & (had > 0))
        )
        is_surplus = (due > 0) & ~boards.follows_action[here]
        is_surplus &= boards.later_packets[here] >= course.left[stage, served]
        is_complete &= ~packets.is_surplus[here] & ~is_surplus
        is_complete |= _has_full_stage(packets.served_again[here], stage, got, got_in, course)
        onward = np.where(is_after_burn, course.parted[stage, served], ABSENT)
        onward = np.where((onward == ABSENT) & is_complete, course.after[stage, served], onward)
        stays = onward == ABSENT
        began[active] = np.where(stays & has_begun, began[active], cards[here])
        reached[active] = np.where(stays, stage, onward)
        belongs: Any = np.where(stays, np.maximum(course.before[stage, served], 0), onward)
        belongs = np.where(got_in[who] == ABSENT, course.first[belongs, served], belongs)
        result[here] = belongs
        got[who] = had_in(who, belongs)
        beyond[here] = got[who] >= course.full[belongs, served]
        got[who] += size[here]
        got_in[who] = belongs
    return result, beyond, reached


def _has_full_stage(seat: Ints, stage: Ints, got: Ints, got_in: Ints, course: _DealStages) -> Flags:
    """Return whether each seat, if there is one, has all cards of the current stage."""
    return (seat != ABSENT) & (got_in[seat] == stage) & (got[seat] >= course.full[stage, PLACES.index("player")])
