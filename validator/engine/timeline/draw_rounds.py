"""Stages of exchanging cards: the stage of each discard, draw or decision to stand pat.

The log states who discarded, drew or kept all cards, but not in which of several exchanges. An exchange ends when a
seat comes up again that has drawn, kept its cards, or acted in the betting since the exchange began. The seat begins
the next exchange when it discards or keeps its cards. An early act, or a draw out of turn, therefore changes nothing
for other seats. To discard no card is to stand pat. A draw that answers a discard stays in its exchange. Cards dealt in
a later stage end the exchanges before it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32
from validator.engine.acts.event_cards import count_named_cards
from validator.engine.core.context import EvaluationContext
from validator.engine.timeline.last_actions import EXCHANGE_KINDS, is_decision_of_kind, last_betting_decision
from validator.evidence.columns.batch import Events
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND_CODES
from validator.rules.model.deal import Deal

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
    said, stands_pat = is_decision_of_kind(scope, EXCHANGE_KINDS), is_decision_of_kind(scope, {"stand-pat"})
    chosen = _find_exchange_events(deal, events, said)
    if not len(chosen):
        return chosen, chosen
    acted, (size, recorded) = last_betting_decision(scope, chosen), count_named_cards(scope, chosen)
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
    ours = moved & np.isin(events.place, [PLACES.index(place) for place in places])
    if "player" in places:
        ours |= said & (events.seat != ABSENT)
    return np.flatnonzero(ours)


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
    start = np.cumsum(number) - number
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
