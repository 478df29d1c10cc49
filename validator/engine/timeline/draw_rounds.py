"""Which exchange of cards each event of one belongs to, where a deal has stages of exchanging.

The log says who put cards away, drew some or stood pat, not in which of several exchanges. An exchange goes on until a
seat comes up again: one that has drawn or stood pat in it, or has acted in the betting since it began, begins the next
with what it puts away or by standing pat. So one that acts before the exchange is over, or draws when it is not its
turn, moves nobody else's draws. To put no card away is to stand pat. A draw that answers cards put away stays with
them. Cards dealt in a later stage of the deal end the exchanges before it.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from validator.arrays import ABSENT, Flags, Ints, Ints8, Ints32
from validator.engine.acts.event_cards import cards_told
from validator.engine.core.context import Scope
from validator.engine.timeline.last_actions import EXCHANGING, decided, last_act
from validator.evidence.columns.batch import Events
from validator.evidence.handlog.event_values import PLACES
from validator.evidence.handlog.events import KIND
from validator.rules.model.deal import Deal

_DISCARD, _DRAW, _DECIDE = KIND["discard"], KIND["draw"], KIND["decide"]


def stages_of_exchanges(scope: Scope, receiver: Ints, dealt: Ints8) -> tuple[Ints, Ints]:
    """The events of exchanging, int64[m], in log order, and the stage of each, int64[m], by its place in the list.

    `receiver` int64[events] is whose cards each event is about, one number a seat or place of a round; `dealt`
    int8[events] the stage of each event that deals cards, ABSENT for others.
    """
    deal, events = scope.prepared.game.deal, scope.batch.events
    said, stands_pat = decided(scope, EXCHANGING), decided(scope, {"stand-pat"})
    chosen = _exchanges(deal, events, said)
    if not len(chosen):
        return chosen, chosen
    acted, (size, recorded) = last_act(scope, chosen), cards_told(scope, chosen)
    course, kind = _course(deal), events.kind[chosen]
    keeps = stands_pat[chosen] | ((kind == _DISCARD) & recorded & (size == 0))
    who = np.unique(receiver[chosen], return_inverse=True)[1]
    # A word and an event of no cards tell one and the same, whichever comes first.
    twice = np.zeros(len(chosen), bool)
    twice[1:] = keeps[1:] & keeps[:-1] & (who[1:] == who[:-1]) & (kind[1:] != kind[:-1])
    result = _followed(
        owner=events.round[chosen],
        who=who,
        place=np.where(kind == _DECIDE, PLACES.index("player"), events.place[chosen]),
        at=chosen,
        opens=(kind != _DRAW) & ~twice,
        closes=(kind == _DRAW) | keeps,
        acted=acted,
        least=_past(course, len(deal.stages), events, chosen, dealt),
        course=course,
    )
    return chosen, course.stages[result]


def _exchanges(deal: Deal, events: Events, said: Flags) -> Ints:
    """int64[m]: cards put away and drawn at the places that exchange any, and words about it (`said`, bool[events])."""
    places = {place for number in deal.exchanging for place in deal.stages[number].exchanges or ()}
    moved = (events.kind == _DISCARD) | (events.kind == _DRAW)
    ours = moved & np.isin(events.place, [PLACES.index(place) for place in places])
    if "player" in places:
        ours |= said & (events.seat != ABSENT)
    return np.flatnonzero(ours)


class _Course(Struct, frozen=True, kw_only=True):
    """The stages of exchanging, int64[n] by their places in the game's list; and `serving`, int64[n, places]: the first
    of them from each one on in which a place exchanges cards, or the last where none is left."""

    stages: Ints
    serving: Ints


def _course(deal: Deal) -> _Course:
    serving = np.zeros((len(deal.exchanging), len(PLACES)), np.int64)
    for code, place in enumerate(PLACES):
        ours = [index for index, number in enumerate(deal.exchanging) if place in (deal.stages[number].exchanges or ())]
        for index in range(len(serving)):
            serving[index, code] = next(
                (stage_index for stage_index in ours if stage_index >= index), ours[-1] if ours else index
            )
    return _Course(stages=np.array(deal.exchanging), serving=serving)


def _past(course: _Course, stages: int, events: Events, chosen: Ints, dealt: Ints8) -> Ints:
    """int64[m]: how many stages of exchanging lie before the one of all `stages` that was dealt when each event
    came."""
    owner, span = events.round.astype(np.int64), stages + 1
    reached = np.maximum.accumulate(owner * span + dealt + 1)[chosen] - owner[chosen] * span - 1
    return np.minimum(np.searchsorted(course.stages, reached), len(course.stages) - 1)


def _followed(
    *,
    owner: Ints32,
    who: Ints,
    place: NDArray[np.integer],
    at: Ints,
    opens: Flags,
    closes: Flags,
    acted: Ints,
    least: Ints,
    course: _Course,
) -> Ints:
    """int64[m]: which exchange each event belongs to, counted from 0; the k-th events of all rounds are looked at
    together."""
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
        again = opens[here] & (closed[seat] == current)
        moves = (current != ABSENT) & ~answers & (again | (acted[here] > began[rounds]))
        wanted = np.maximum(np.maximum(current, 0) + moves, least[here])
        belongs = course.serving[np.minimum(wanted, len(course.stages) - 1), place[here]]
        result[here] = belongs
        began[rounds] = np.where(belongs > current, at[here], began[rounds])
        now[rounds] = np.maximum(current, belongs)
        opened[seat] = np.where(opens[here], belongs, opened[seat])
        closed[seat] = np.where(closes[here], belongs, closed[seat])
    return result
